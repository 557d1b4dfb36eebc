"""What changes with each call: frames given as poses, rows activated and weighed by inputs; one program for all."""

import numpy as np
import pytest

import motionc as mc
from dense import Array, Dense, Real, all_rows
from oracle import error
from trials import some, trials

C, J = mc.Constraint, mc.JointConstraint
SIX = "x y z rx ry rz"


def inputs(x: Real, rows: int) -> tuple[Array, ...]:
    return x.q, x.v, x.tau, x.rng.normal(size=rows)


# ---------------------------------------------------------------- frames


def test_a_frame_that_is_given_where_a_link_is_does_what_the_link_does() -> None:
    """T is where another link is now, a new pose in each state: the same numbers as if that link were named."""
    robot, rng = mc.load("youbot_arm"), np.random.default_rng(1)
    named = mc.constrained_dynamics(robot, [C("tool", "xz", as_seen_by="arm_link_3")])
    given = mc.constrained_dynamics(robot, [C("tool", "xz", wrt="T", as_seen_by="T")], given_frames={"T": "world"})
    forward = mc.forward_kinematics(robot, ["arm_link_3"])
    for _ in range(300):
        state = robot.random(rng), *rng.normal(size=(2, 5)), rng.normal(size=2)
        ours, theirs = given(*state, forward(state[0])[0]), named(*state)
        for name in ("a", "tau_command", "multipliers", "residual"):
            assert error(ours[name], theirs[name]) < 1e-12


def test_frames_are_given_wrt_links_and_wrt_each_other() -> None:
    """On the hand, a tool; on that, a tip: as frame, observer and axes, in constraints, Jacobians and kinematics."""
    robot, rng = mc.load("ur5"), np.random.default_rng(2)
    q, v, tau, b = robot.random(rng), *rng.normal(size=(2, 6)), rng.normal(size=3)
    X, Y = np.array(mc.placed((0.1, 0.2, 0.3), (0.3, 0.2, 0.1))), np.array(mc.placed((0.0, 0.1, 0.4), (1.0, 0.5, -2.0)))
    grown = mc.Robot(robot.chain)
    place = mc.forward_kinematics(grown, ["wrist_3_link", "tool0"]).run(q)
    tool = np.linalg.inv(place[0]) @ place[1]
    frames = {"hand": "wrist_3_link", "tip": "hand", "eye": "upper_arm_link"}
    poses = X, np.linalg.inv(X) @ tool, Y
    ours = mc.constrained_dynamics(robot, [C("tip", "xyz", wrt="eye", as_seen_by="tip")], given_frames=frames)
    theirs = mc.constrained_dynamics(robot, [C("tool0", "xyz", wrt="upper_arm_link", as_seen_by="tool0")])
    assert [port.name for port in ours.inputs] == ["q", "v", "tau", "b", "hand", "tip", "eye"]
    for name, values in ours.run(q, v, tau, b, *poses).items():
        assert error(values, theirs.run(q, v, tau, b)[name]) < 1e-12
    jacobian = mc.jacobian(robot, "tip", "eye", as_seen_by="tip", given_frames=frames)
    expected = mc.jacobian(robot, "tool0", "upper_arm_link", as_seen_by="tool0")
    assert error(jacobian.run(q, *poses), expected.run(q)) < 1e-12
    forward = mc.forward_kinematics(robot, ["eye", "tip"], given_frames=frames)
    upper = mc.forward_kinematics(robot, ["upper_arm_link"]).run(q)[0]
    assert error(forward.run(q, *poses), [upper @ Y, place[1]]) < 1e-12


def test_what_is_no_pose_is_refused() -> None:
    given = mc.constrained_dynamics(mc.load("planar2"), [C("tip", "x", as_seen_by="T")], given_frames={"T": "world"})
    good = [[0, 0], [0, 0], [0, 0], [1.0]]
    given.check_finite = True
    for wrong in (2 * np.eye(4), np.diag([1.0, 1, -1, 1]), np.zeros((4, 4))):
        for call in (given, lambda *some: given.batch(*map(np.asarray, some[:4]), some[4][None])):
            with pytest.raises(mc.Error, match="T is no pose; give"):
                call(*good, wrong)


@pytest.mark.parametrize(
    ("frames", "sentence"),
    [
        ({"tip": "world"}, "there is a frame of that name already"),
        ({"T": "worlds"}, "there is no frame 'worlds'; did you mean world"),
        ({"T": "world", "U": "world"}, "nothing names it; say as_seen_by='U'"),
        ({"T": "world", "b": "T"}, "there is an input of that name already"),
        ({"a b": "world"}, "take a plain word"),
        ("T", 'write {"T": "world"}'),
    ],
)
def test_frames_that_cannot_be_given_are_refused(frames, sentence: str) -> None:
    rows = [C("tip", "x", as_seen_by="T"), C("tip", "y", as_seen_by="b" if "b" in frames else "world")]
    with pytest.raises(mc.Error, match=sentence):
        mc.constrained_dynamics(mc.load("planar2"), rows, given_frames=frames)


# ---------------------------------------------------------------- activation and weights


def activated(dense: Dense, h: Array) -> Dense:
    """(H Λ H + (1 - H²) diag Λ) λ = H r: beside its rows every robot has a coordinate of its own for each of them."""
    n, m = len(dense.M), len(h)
    own = np.diag(np.sqrt((1 - h * h) * np.diag(dense.coupling)))
    M = np.block([[dense.M, np.zeros((n, m))], [np.zeros((m, n)), np.eye(m)]])
    J = np.hstack([h[:, None] * dense.J, own])
    return Dense(M, np.r_[dense.h, np.zeros(m)], J, h * dense.reach, np.r_[dense.tau, np.zeros(m)])


def put(x: Real, rows: list, b: Array) -> Dense:
    """Without forces from outside."""
    jacobian, bias = all_rows(x.world, x.V, x.robot, x.G, rows)
    return Dense(x.M, x.h, jacobian, b - bias, x.tau)


ROWS = [
    C("tool", "xyz", weight=2.0),
    C("tool", "rx z", as_seen_by="arm_link_3", source="contact"),
    J("arm_joint_3", level=2),
    C("arm_link_4", "x y", wrt="arm_link_1", level=2),
]
"""Eight rows for five joints: of level 1 some depend on each other, of level 2 not all can be had."""


def test_activation_and_weights_are_the_dense_form_level_after_level() -> None:
    x, m = Real("youbot_arm"), 8
    level = np.repeat([1, 1, 2, 2], [3, 2, 1, 2])
    both = mc.constrained_dynamics(x.robot, ROWS, activation=True, weights=True, outputs=["a", "multipliers"])
    worst = []
    for _ in range(trials(40)):
        x.place()
        b, h, w = x.rng.normal(size=m), x.rng.random(m), x.rng.uniform(0.5, 2.0, m)
        # some of them entirely on or off
        h = np.where(x.rng.random(m) < 0.5, np.rint(h), h)
        expected, _, _ = activated(put(x, ROWS, b), h).levels(level, w)
        worst.append(error(both.run(x.q, x.v, x.tau, b, h, w).a, expected[:5]))
    assert max(worst) < 1e-9
    assert np.median(worst) < 1e-12


def test_activation_of_independent_rows_is_the_dense_form() -> None:
    x = Real("youbot_arm")
    rows = [C("tool", "xyz")]
    active = mc.constrained_dynamics(x.robot, rows, activation=True)
    for _ in range(trials(40)):
        x.place()
        b, h = x.rng.normal(size=3), x.rng.random(3)
        dense = put(x, rows, b)
        if dense.condition > 1e4:
            continue
        K, H = dense.coupling, np.diag(h)
        strength = np.linalg.pinv(H @ K @ H + np.diag((1 - h * h) * np.diag(K))) @ (H @ dense.missing)
        out = active(x.q, x.v, x.tau, b, h)
        assert error(out.a, dense.pushed(H @ strength)) < 1e-11
        assert error(out.multipliers, H @ strength) < 1e-11
        assert error(out.tau_command, x.tau + dense.J.T @ H @ strength) < 1e-11


CLIPPED = {"limits": "robot", "on_limit": "clip"}


@pytest.mark.parametrize("policy", some([CLIPPED, {"regularisation": 0.3}, {"posture": 0.5}, {}], 2))
def test_rows_that_are_off_are_dropped(policy: dict) -> None:
    """To rounding; all of them off is forward dynamics."""
    x = Real("youbot_arm", seed=3)
    rows = [C("tool", SIX[:5]), C("tool", "rz y", source="contact"), J("arm_joint_3")]
    rows = [row for row in rows if policy.get("limits") is None or row.source == "task"]
    sizes = [3, 2, 1] if len(rows) == 3 else [3, 1]
    active = mc.constrained_dynamics(x.robot, rows, activation=True, **policy)
    for off in range(len(rows)):
        on = np.repeat([float(k != off) for k in range(len(rows))], sizes)
        state = inputs(x.place(), len(on))
        others = mc.constrained_dynamics(x.robot, [row for k, row in enumerate(rows) if k != off], **policy)
        ours, theirs = active.run(*state, on), others.run(*state[:3], state[3][on > 0])
        for name in {"a", "tau_command", "saturated"} & set(ours.keys()):
            assert error(ours[name], theirs[name]) < 1e-12
        assert error(ours.multipliers[on > 0], theirs.multipliers) < 1e-12
        assert not np.any(ours.multipliers[on == 0])
    nothing = active.run(*state, 0 * on)
    tau = np.clip(state[2], *(np.array([-1, 1])[:, None] * x.robot.limits.effort)) if "limits" in policy else state[2]
    assert error(nothing.a, mc.forward_dynamics(x.robot).run(*state[:2], tau)) < 1e-12


def test_feet_that_leave_the_ground_are_dropped_whoever_carries_the_base() -> None:
    """Which feet stand is an input, a rigid one and a point; others share their wrenches."""
    robot, rng = mc.load("biped"), np.random.default_rng(4)
    left, right = (name for name in robot.link_names if name.endswith("foot"))
    feet = [C(left, source="contact"), C(right, "xyz", source="contact")]
    tasks = [mc.CenterOfMass("z", level=2)]
    whole = mc.constrained_dynamics(robot, [*feet, *tasks], activation=True)
    sizes = [6, 3, 1]
    for stance in some([(0, 1), (1, 0), (0, 0), (1, 1)], 2):
        on = np.repeat([*stance, 1], sizes)
        state = robot.random(rng), *rng.normal(size=(2, robot.nv)), rng.normal(size=10)
        rows = [foot for foot, stands in zip(feet, stance, strict=True) if stands]
        ours = whole.run(*state, on)
        theirs = mc.constrained_dynamics(robot, [*rows, *tasks]).run(*state[:3], state[3][on > 0])
        for name in ("a", "tau_command", "unactuated"):
            assert error(ours[name], theirs[name]) < 1e-10
        if any(stance):
            assert error(ours.wrenches[np.array(stance) > 0], theirs.wrenches) < 1e-10
        assert not np.any(ours.wrenches[np.array(stance) == 0])


def test_frames_and_switches_cost_little() -> None:
    """Of 3818 operations for six rows: 61 more at most for a frame, 81 for switches."""
    rows = [C("link_7", SIX, as_seen_by="T")]
    given = mc.constrained_dynamics(mc.load("lwr4"), rows, given_frames={"T": "world"}, activation=True)
    assert sum(given.operations.values()) <= 3818 + 28 + 42


def test_gradients_go_through_activation() -> None:
    """By how much a row counts more, motion changes: against differences."""
    robot, rng = mc.load("planar2"), np.random.default_rng(5)
    active = mc.constrained_dynamics(robot, [C("tip", "xy")], activation=True, outputs=["a"])
    state = robot.random(rng), *rng.normal(size=(2, 2)), rng.normal(size=2)
    h, step = np.array([0.3, 0.8]), 1e-6
    slopes = [(active.run(*state, h + d) - active.run(*state, h - d)) / (2 * step) for d in step * np.eye(2)]
    assert error(active.derivative("a", "activation").run(*state, h), np.transpose(slopes)) < 1e-7
    turned = []
    for d in step * np.eye(2):
        turned.append((active.run(state[0] + d, *state[1:], h) - active.run(state[0] - d, *state[1:], h)) / (2 * step))
    assert error(active.derivative("a", "q").run(*state, h), np.transpose(turned)) < 1e-6


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"activation": True, "limits": "robot"}, "activation=True with limits: .* say on_limit='clip'"),
        ({"weights": True, "limits": "robot"}, "weights=True with limits"),
        ({"activation": True, "refine": True}, "activation=True with refine=True"),
        ({"activation": 1.5}, "activation"),
    ],
)
def test_what_has_no_meaning_with_activation_is_refused(options: dict, sentence: str) -> None:
    with pytest.raises(mc.Error, match=sentence):
        mc.constrained_dynamics(mc.load("lwr4"), [C("link_7", "xyz")], **options)
