"""Configurations for poses: found ones are verified by Pinocchio's forward kinematics, limits by comparison."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

import motionc as mc
from all_joints import Coupled, Kind, random_tree
from motionc.robots import robot_file
from motionc.solvers.search import DAMPING
from oracle import Array, Oracle, unit_wrenches

ARMS = {"lwr4": "link_7", "ur5": "tool0", "panda": "panda_hand"}
POSES = 100


def arm(name: str) -> mc.Robot:
    """Fingers are held."""
    names = mc.load(name).joint_names
    return mc.load(name, fixed=[joint for joint in names if "finger" in joint])


def missing(pose: Array, goal: Array) -> tuple[float, float]:
    """Metres and radians between two poses, as SciPy measures turns."""
    turn = Turn.from_matrix(goal[:3, :3] @ pose[:3, :3].T).magnitude()
    return float(np.linalg.norm(goal[:3, 3] - pose[:3, 3])), float(turn)


def drawn(robot: mc.Robot, count: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.array([robot.random(rng) for _ in range(count)])


# ---------------------------------------------------------------- few and many


@pytest.mark.parametrize("frames", ["link_7", ["link_7", "link_4"]], ids=["one target", "two"])
def test_a_few_states_find_what_many_find(frames: str | list[str]) -> None:
    """One by one, or side by side in lanes; a start that is for all, too."""
    robot = mc.load("lwr4")
    search, q = mc.inverse_kinematics(robot, frames), drawn(robot, 20)
    goals = mc.forward_kinematics(robot, [frames] if isinstance(frames, str) else frames).batch(q)
    goals = goals[:, 0] if isinstance(frames, str) else goals
    for start in (q + 0.1, np.full(robot.nq, 0.2)):
        many = search.batch(start, goals)
        few = search.batch(start[:7] if start.ndim > 1 else start, goals[:7])
        for a, b in zip(few, many, strict=True):
            assert a.dtype == b.dtype
            assert a.shape == b[:7].shape
        assert np.array_equal(few.success, many.success[:7])
        assert np.allclose(few.q[few.success], many.q[:7][few.success], rtol=0, atol=1e-5)


# ---------------------------------------------------------------- reachable poses


@pytest.mark.parametrize("start", ["neutral", "random"])
@pytest.mark.parametrize("name", ARMS)
def test_reachable_poses_of_arms_are_reached_within_limits(name: str, start: str) -> None:
    robot, frame = arm(name), ARMS[name]
    path = robot_file(name)
    assert path
    world, Q = Oracle(path, robot), drawn(robot, POSES)
    goals = np.array([_placed(world, q, frame) for q in Q])
    out = mc.inverse_kinematics(robot, frame).batch(
        robot.neutral() if start == "neutral" else drawn(robot, POSES, 1), goals
    )
    assert out.success.mean() > 0.99
    assert np.all((out.q >= robot.limits.lower) & (out.q <= robot.limits.upper))
    found = [missing(_placed(world, q, frame), goal) for q, goal in zip(out.q, goals, strict=True)]
    for (shift, turn), *said, success in zip(found, out.position, out.rotation, out.success, strict=True):
        assert np.allclose((shift, turn), said, rtol=1e-6, atol=1e-7)
        assert success == (max(said) <= 1e-6)
    assert np.max(np.array(found)[out.success]) < 1.1e-6


def _placed(world: Oracle, q: Array, frame: str) -> Array:
    world.place(q)
    return world.pose(frame).copy()


@pytest.mark.parametrize("seed", range(5))
def test_robots_of_all_joints_reach_with_all_their_limbs(seed: int) -> None:
    """Quaternions, planes, screws and followers, on a base that flies or not; several frames at once."""
    kinds = [Kind.SPHERICAL, Kind.UNIVERSAL, Kind.PLANAR, Kind.HELICAL, Kind.CYLINDRICAL, Kind.REVOLUTE, Kind.PRISMATIC]
    order = np.random.default_rng(seed).permutation(kinds)
    tree = Coupled(random_tree(seed, [Kind(kind) for kind in order]), floating=seed % 2 == 0)
    robot, leaves = tree.robot, ["link7", "link4"]
    start, end = drawn(robot, 2, seed)
    tree.world.place(tree.whole(end))
    goals = np.array([tree.world.pose(name).copy() for name in leaves])
    out = mc.inverse_kinematics(robot, leaves)(start, goals)
    assert out.success
    assert out.notes == []
    tree.world.place(tree.whole(out.q))
    for name, goal in zip(leaves, goals, strict=True):
        assert max(missing(tree.world.pose(name), goal)) < 2e-6
    for joint in robot.joints:
        if joint.type in (Kind.SPHERICAL, Kind.FLOATING):
            assert np.linalg.norm(out.q[robot.q_index[joint.name]][-4:]) == pytest.approx(1.0)


def test_a_quadruped_puts_its_feet_down_wherever_its_trunk_is() -> None:
    """Feet wrt the world, the trunk's height and attitude, and nothing said of where it goes."""
    robot = mc.load("hyq")
    path = robot_file("hyq")
    assert path
    feet = [f"{leg}_foot" for leg in ("LF", "RF", "LH", "RH")]
    world = Oracle(path, robot)
    targets = [*(mc.Target(foot, "xyz") for foot in feet), mc.Target("trunk", "z rx ry rz")]
    stand = robot.neutral()
    stand[7:] = [*[-0.1, 0.7, -1.4] * 2, *[-0.1, -0.7, 1.4] * 2]
    world.place(stand)
    goals = np.array([world.pose(name).copy() for name in (*feet, "trunk")])
    goals[:4, :3, :3] = np.eye(3)  # not asked for
    goals[4, 2, 3] += 0.05
    goals[4, :3, :3] = Turn.from_rotvec([0.1, 0.05, 0.2]).as_matrix()
    out = mc.inverse_kinematics(robot, targets)(stand, goals)
    assert out.success
    world.place(out.q)
    assert all(missing(world.pose(foot), goal)[0] < 2e-6 for foot, goal in zip(feet, goals, strict=False))
    assert world.pose("trunk")[2, 3] == pytest.approx(goals[4, 2, 3], abs=2e-6)
    assert Turn.from_matrix(world.pose("trunk")[:3, :3].T @ goals[4, :3, :3]).magnitude() < 2e-6


# ---------------------------------------------------------------- rows, points and observers


@pytest.mark.parametrize("spin", [0.5, 2.0, 3.1])
def test_a_tool_may_turn_about_its_own_axis_where_no_row_forbids_it(spin: float) -> None:
    """Steps are Newton's own however far it is turned: the derivative of a logarithm is not the turn itself."""
    robot, rng = arm("panda"), np.random.default_rng(0)
    ik = mc.inverse_kinematics(robot, mc.Target("panda_hand", "xyz rx ry", as_seen_by="panda_hand"), restarts=0)
    q = np.array([0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.4])
    fk = mc.forward_kinematics(robot, ["panda_hand"])
    for _ in range(5):
        goal = fk(q + rng.uniform(-0.1, 0.1, 7))[0]
        goal[:3, :3] = goal[:3, :3] @ Turn.from_rotvec([0, 0, spin]).as_matrix()
        out = ik(q, goal)
        assert out.success
        assert out.iterations < 9
        left = Turn.from_matrix(fk(out.q)[0, :3, :3].T @ goal[:3, :3]).as_rotvec()
        assert np.abs(left[:2]).max() < 2e-6
        assert abs(left[2]) > 0.3


@pytest.mark.parametrize("axes", ["world", "link_3", "link_7"])
@pytest.mark.parametrize("rows", ["x rz", "y z rx", np.eye(6)[:, [0, 4]] @ np.diag([0.5, 2.0])])
def test_part_of_a_pose_in_turning_axes_is_reached_as_fast(axes: str, rows: object) -> None:
    robot, rng = mc.load("lwr4"), np.random.default_rng(1)
    target = mc.Target("link_7", rows, point=(0.1, 0, 0.2), as_seen_by=axes, wrt="link_1")
    ik, fk = mc.inverse_kinematics(robot, target, restarts=0), mc.forward_kinematics(robot, ["link_1", "link_7", axes])
    unit, tried = unit_wrenches(rows), 0
    for _ in range(10):
        q, goal = robot.random(rng) / 2, np.eye(4)
        goal[:3, :3], goal[:3, 3] = Turn.random(random_state=rng.integers(99)).as_matrix(), rng.uniform(-0.3, 0.3, 3)
        out = ik(q, goal)
        if out.success and out.iterations < 30:
            tried += 1
            base, tool, turned = fk(out.q)
            now = np.linalg.inv(base) @ tool @ mc.placed((0.1, 0, 0.2))
            left = np.concatenate([Turn.from_matrix(goal[:3, :3] @ now[:3, :3].T).as_rotvec(), (goal - now)[:3, 3]])
            turn = np.kron(np.eye(2), turned[:3, :3].T @ base[:3, :3])
            assert np.abs(unit.T @ turn @ left).max() < 1e-6
            assert out.iterations < 20
    assert tried >= 5


def test_a_target_may_move_with_another_link_and_weigh_less() -> None:
    robot = mc.load("planar3")
    tip, base = robot.link_names[-1], robot.link_names[1]
    near, far = mc.placed((0.5, 0, 0)), mc.placed((9.0, 0, 0))
    both = [mc.Target(tip, "x y", weight=30.0), mc.Target(tip, "x y")]
    out = mc.inverse_kinematics(robot, both, restarts=3)(robot.neutral() + 0.3, np.array([near, far]))
    assert not out.success
    assert out.position[0] < 0.02
    assert out.position[1] > 8
    relative = mc.inverse_kinematics(robot, mc.Target(tip, "x y", wrt=base, as_seen_by=base))
    pose = mc.forward_kinematics(robot, [base, tip])([0.4, 0.5, -0.3])
    out = relative([0.1, 0.2, 0.2], np.linalg.inv(pose[0]) @ pose[1])
    assert out.success
    assert out.q[0] == pytest.approx(0.1)  # it moves both


# ---------------------------------------------------------------- limits


def test_a_joint_at_its_limit_leaves_the_others_free() -> None:
    """The pose of an arm whose elbow is at its limit, started where another joint is at its own."""
    robot = arm("panda")
    q = np.array([0.3, 0.2, -0.1, 0.0, 0.4, 1.5, 0.6])
    q[3] = robot.limits.upper[3]
    goal = mc.forward_kinematics(robot, ["panda_hand"])(q)[0]
    start = q - 0.2
    start[6] = robot.limits.upper[6] + 1  # beyond it: moved to it
    out = mc.inverse_kinematics(robot, "panda_hand", restarts=0, iterations=60)(start, goal)
    assert out.success
    assert np.all((out.q >= robot.limits.lower) & (out.q <= robot.limits.upper))


def test_limits_of_ones_own_and_of_followers_are_kept(tmp_path: Path) -> None:
    robot = mc.load("planar2")
    goal = mc.forward_kinematics(robot, ["tip"])([0.9, 0.7])[0]
    narrow = mc.inverse_kinematics(robot, mc.Target("tip", "x y"), limits=([-0.2, -1.5], [0.2, 1.5]))
    out = narrow([0.0, 0.1], goal)
    assert not out.success
    assert out.q[0] == 0.2
    (note,) = out.notes
    assert "at a limit" in note
    assert robot.joint_names[0] in note

    text, (leader, follower) = robot_file("planar2").read_text(), robot.joint_names
    end = text.index("</joint>", text.index(f'name="{follower}"'))
    path = tmp_path / "following.urdf"
    path.write_text(f'{text[:end]}<mimic joint="{leader}" multiplier="-2"/>{text[end:]}')
    coupled = mc.load(path)
    follows = next(joint for joint in coupled.joints if joint.name == follower).limits
    ik = mc.inverse_kinematics(coupled, mc.Target("tip", "y"))
    assert ik.lower[0] == pytest.approx(max(robot.limits.lower[0], follows.upper / -2))
    assert ik.upper[0] == pytest.approx(min(robot.limits.upper[0], follows.lower / -2))


def test_a_stretched_arm_points_at_what_it_cannot_reach_in_bounded_steps() -> None:
    robot = mc.load("planar2")
    ik = mc.inverse_kinematics(robot, mc.Target("tip", "x y"), iterations=200, restarts=0)
    reach = np.linalg.norm(mc.forward_kinematics(robot, ["tip"])([0, 0])[0, :2, 3])
    goal = np.array([[np.cos(0.7), 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    goal[:3, :3] = np.eye(3)
    goal[:2, 3] = 1.5 * reach * np.array([np.cos(0.7), np.sin(0.7)])
    q = np.array([-0.5, 1.0])
    for _ in range(100):
        after = ik.step(q, goal[np.newaxis], DAMPING).q
        assert np.linalg.norm(after - q) <= 1 / (2 * np.sqrt(DAMPING)) + 1e-9
        q = after
    out = ik(q, goal)
    assert not out.success
    assert out.position == pytest.approx(0.5 * reach, rel=1e-3)
    assert "m and 0 rad are missing after 1 starts" in out.notes[0]


@pytest.mark.parametrize("shift", [0.0, 1e-7])
def test_a_pose_of_the_stretched_arm_itself_is_reached(shift: float) -> None:
    """The root is double there, and Newton's steps halve the error only."""
    robot = mc.load("planar2")
    goal = mc.forward_kinematics(robot, ["tip"])([0.4, shift])[0]
    assert mc.inverse_kinematics(robot, mc.Target("tip", "x y"))([-0.5, 1.2], goal).success


# ---------------------------------------------------------------- postures


@pytest.mark.parametrize("posture", ["middle", "start", "given"])
def test_redundant_joints_go_where_they_would_rather_be(posture: str) -> None:
    robot, rng = mc.load("lwr4"), np.random.default_rng(2)
    given = np.array([0.2, 0.6, -0.4, 1.0, 0.3, -0.5, 0.1])
    plain = mc.inverse_kinematics(robot, "link_7")
    drawn_to = mc.inverse_kinematics(robot, "link_7", posture=given if posture == "given" else posture)
    fk = mc.forward_kinematics(robot, ["link_7"])
    closer = []
    for _ in range(20):
        start, goal = robot.random(rng) / 2, fk(robot.random(rng) / 2)[0]
        rest = {"middle": np.zeros(7), "start": start, "given": given}[posture]
        first, second = plain(start, goal), drawn_to(start, goal)
        assert second.success
        assert max(missing(fk(second.q)[0], goal)) < 2e-6
        closer.append(np.linalg.norm(first.q - rest) - np.linalg.norm(second.q - rest))
        # nothing left to gain along the one direction that does not move the hand
        null = np.linalg.svd(mc.jacobian(robot, "link_7")(second.q))[2][-1]
        inside = np.all((second.q > robot.limits.lower + 1e-3) & (second.q < robot.limits.upper - 1e-3))
        if closer[-1] > 1e-3 and inside:
            assert abs(null @ (second.q - rest)) < 0.05 * np.linalg.norm(second.q - rest)
    assert min(closer) > -1e-6
    assert max(closer) > 0.05
    batch = drawn_to.batch(np.array([start, start]), goal)
    assert np.allclose(batch.q, second.q, rtol=0, atol=1e-6)


# ---------------------------------------------------------------- one, many, without a compiler


@pytest.mark.calls
def test_alone_and_in_a_batch_a_state_finds_the_same() -> None:
    robot = arm("ur5")
    Q = drawn(robot, 40)
    goals = mc.forward_kinematics(robot, ["tool0"]).batch(Q)[:, 0]
    ik = mc.inverse_kinematics(robot, "tool0")
    out, again = ik.batch(robot.neutral(), goals), ik.batch(robot.neutral(), goals, threads=1)
    assert all(np.array_equal(a, b) for a, b in zip(out, again, strict=True))
    for k, goal in enumerate(goals):
        one = ik(robot.neutral(), goal)
        assert np.allclose(one.q, out.q[k], rtol=0, atol=1e-6)
        assert (one.success, one.iterations) == (out.success[k], out.iterations[k])
    assert out.iterations.max() > ik.iterations  # some needed another start
    one_pose = ik.batch(Q, goals[0])
    assert one_pose.q.shape == (40, 6)
    assert one_pose.success.all()
    assert ik.batch(Q[:0], goals[0]).q.shape == (0, 6)


def test_without_a_compiler_it_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = mc.load("lwr4")
    goal = mc.forward_kinematics(robot, ["link_7"])(drawn(robot, 1)[0])[0]
    expected = mc.inverse_kinematics(robot, "link_7")(robot.neutral(), goal)
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    ik = mc.inverse_kinematics(robot, "link_7")
    out = ik(robot.neutral(), goal)
    assert ik.step.tier == "interpreted"
    assert out.success
    assert np.allclose(out.q, expected.q, rtol=0, atol=1e-6)
    assert np.allclose(ik.batch(robot.neutral(), goal[np.newaxis]).q[0], out.q, rtol=0, atol=1e-9)


def test_one_target_is_bare_and_a_list_of_one_is_a_list() -> None:
    robot = mc.load("planar2")
    bare, listed = (mc.inverse_kinematics(robot, frame) for frame in ("tip", ["tip"]))
    goal = mc.forward_kinematics(robot, ["tip"])([0.3, 0.4])
    one, several = bare([0, 0.1], goal[0]), listed([0, 0.1], goal)
    assert isinstance(one.position, float)
    assert several.position.shape == (1,)
    assert one.success is True
    assert one.keys() == ("q", "position", "rotation", "success", "iterations")
    assert repr(bare) == "InverseKinematics(tip: q0, targets → q)"
    assert mc.inverse_kinematics(robot, "tip", tolerance=(10.0, 4.0))([0, 0.1], goal[0]).iterations == 1


def test_a_step_is_a_computation_that_can_be_emitted(tmp_path: Path) -> None:
    step = mc.inverse_kinematics(mc.load("planar2"), "tip").step
    step.check()
    files = step.emit("c", tmp_path)
    assert [file.name for file in files] == [
        "planar2_inverse_kinematics_step.h",
        "planar2_inverse_kinematics_step.c",
    ]
    stepwise, called = (way([0.1, 0.2], np.eye(4)[np.newaxis], 0.1) for way in (step.run, step))
    assert all(np.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(stepwise, called, strict=True))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"frames": "tipp"}, "no frame 'tipp'; did you mean tip"),
        ({"frames": []}, "frames is empty; give the name of a frame"),
        ({"frames": "world"}, "no joint moves it"),
        ({"frames": mc.Target("tip", np.ones((6, 1)))}, "both a turn and a shift"),
        ({"tolerance": 0.0}, "tolerance=0.0; give a number > 0"),
        ({"tolerance": (1e-6, np.nan)}, "give a number > 0"),
        ({"limits": ([1, 1], [0, 2])}, "are reversed"),
        ({"limits": (0, np.nan)}, "infinite where there are none"),
        ({"limits": ([1, 2, 3], 4)}, "give lower and upper, 2 numbers each"),
        ({"limits": 3}, "limits=3; give lower and upper"),
        ({"posture": "lazy"}, "say 'start' or 'middle'"),
        ({"posture": [1.0]}, "or give 2 numbers"),
        ({"joint_weights": [0.0, 1.0]}, "joint_weights=.*give finite numbers > 0"),
        ({"iterations": 0}, "iterations=0; give a whole number ≥ 1"),
        ({"restarts": 1.5}, "restarts=1.5; give a whole number ≥ 0"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_by_name(options: dict, said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        mc.inverse_kinematics(mc.load("planar2"), **{"frames": "tip", **options})


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan])
def test_a_weight_is_positive(weight: float) -> None:
    with pytest.raises(mc.Error, match="Target of tip: weight="):
        mc.Target("tip", weight=weight)


@pytest.mark.parametrize(
    ("q", "goal", "said"),
    [
        ([0.0], np.eye(4), r"q0 has shape \(1,\); it must be \(2,\)"),
        ([0.0, 0.0], np.eye(3), r"targets has shape \(3, 3\)"),
        ([0.0, 0.0], "home", "targets must be numbers"),
        ([0.0, 0.0], 2 * np.eye(4), "targets are no poses"),
        ([0.0, 0.0], np.diag([1.0, 1.0, -1.0, 1.0]), "targets are no poses"),
        ([0.0, 0.0], np.full((4, 4), np.nan), "targets are no poses"),
        ([0.0, np.inf], np.eye(4), "q0 is no configuration"),
    ],
)
def test_bad_input_gets_a_sentence_that_names_it(q: list, goal: object, said: str) -> None:
    robot = mc.load("planar2")
    free = mc.inverse_kinematics(robot, "tip", limits=(-np.inf, np.inf))
    with pytest.raises(mc.Error, match=said):
        free(q, goal)
    if np.shape(q) == (2,) and np.shape(goal) == (4, 4):
        with pytest.raises(mc.Error, match=f"{said} in state 1"):
            free.batch(np.array([[0.0, 0.1], q]), np.array([np.eye(4), goal]))
