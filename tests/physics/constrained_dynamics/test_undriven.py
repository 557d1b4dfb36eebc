"""Coordinates that no motor drives: contacts and motors together make what is asked, against a dense solve."""

import numpy as np
import pytest

import motionc as mc
from all_joints import Moving
from dense import Question, Real, mask, random_constraint
from oracle import error
from trials import trials
from two_stages import answer, errors

C, J = mc.Constraint, mc.JointConstraint
FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
SIX = "x y z rx ry rz"
STANCES = {
    "rigid feet": [C(foot, SIX, source="contact") for foot in FEET[:2]],
    "one rigid foot": [C("HL_FOOT", SIX, source="contact")],
    "a rigid foot and a point": [C("HL_FOOT", SIX, source="contact"), C("FR_FOOT", "xyz", source="contact")],
    "four points": [C(foot, "xyz", source="contact") for foot in FEET],
    "two points": [C(foot, "xyz", source="contact") for foot in FEET[:2]],
    "flight": [],
    "a rigid foot in two parts": [C("HL_FOOT", rows, source="contact") for rows in ("xyz", "rx ry rz")],
    "a foot that holds the trunk": [C("HL_FOOT", SIX, wrt="base_link", source="contact")],
}
OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank")


def tasks(robot: mc.Robot) -> list[mc.Constraint | mc.JointConstraint | mc.CenterOfMass]:
    """Behind feet: the centre of mass, the torso, a posture."""
    return [mc.CenterOfMass(level=2), C("base_link", "rx ry rz", level=3), J(robot.joint_names[1:], level=4)]


@pytest.mark.parametrize("stance", STANCES)
def test_levels_on_feet_are_the_two_stage_solve(stance: str) -> None:
    x = Real("solo12", seed=3)
    question = Question(x, [*STANCES[stance], *tasks(x.robot)], outputs=OUTPUTS, actuated=None)
    base, compared = mask(x.robot, ["root_joint"]), 0
    for _ in range(3):
        dense = question.put(x.place())
        told = answer(question, dense, base)
        compared += told.clear
        if told.clear:
            out = question.computation.run(*question.inputs)
            assert max(errors(question, dense, out, told, base).values()) < 1e-9
    assert compared > 1


def test_a_knee_without_a_motor_is_held_by_its_foot_and_its_brake() -> None:
    """A rigid foot holds the base, and another knee not: that one has a point on the ground, and a brake beside it."""
    x = Real("solo12", seed=3)
    knee, idle = "FL_KFE", mask(x.robot, ["root_joint", "FL_KFE"])
    motors = [name for name in x.robot.joint_names[1:] if name != knee]
    brake = [C("FL_FOOT", "xyz", source="contact"), J([knee, "FL_HFE"], [[1], [0.5]], source="contact")]
    for held in ([], brake):
        rows = [*STANCES["one rigid foot"], *held, mc.CenterOfMass("z", level=2)]
        question = Question(x, rows, outputs=OUTPUTS, actuated=motors)
        states = (question.put(x.place()) for _ in range(20))
        dense, told = next((dense, told) for dense in states if (told := answer(question, dense, idle)).clear)
        assert max(errors(question, dense, question.computation.run(*question.inputs), told, idle).values()) < 1e-9


@pytest.mark.parametrize("stance", ["rigid feet", "four points", "flight", "a rigid foot in two parts"])
def test_torques_and_wrenches_alone_replay_the_motion(stance: str) -> None:
    """Pinocchio's articulated bodies under tau_command and the wrenches of contacts, and nothing else."""
    x = Real("solo12", seed=5)
    rows = [*STANCES[stance], *tasks(x.robot)]
    dynamics = mc.constrained_dynamics(x.robot, rows)
    b = np.random.default_rng(1).normal(size=dynamics.inputs[3].size)
    out = dynamics.run(x.q, x.v, np.zeros(x.robot.nv), b)
    assert np.all(out.tau_command[:6] == 0)
    assert np.abs(out.unactuated).max() < 1e-9
    feet = list(dict.fromkeys(c.frame for c in STANCES[stance]))
    forces = {(foot, "world"): out.wrenches[foot] for foot in feet}
    assert error(x.world.forward_dynamics(x.q, x.v, out.tau_command, forces), out.a) < 1e-8
    # fed back as they are
    replay = mc.forward_dynamics(x.robot, external_forces=[mc.Force(foot, as_seen_by="world") for foot in feet])
    assert error(replay.run(x.q, x.v, out.tau_command, *([out.wrenches] if feet else [])), out.a) < 1e-8


@pytest.mark.parametrize("stance", ["rigid feet", "four points"])
def test_clipped_torques_are_those_shared_with_the_ground(stance: str) -> None:
    """What is asked is what is asked without limits, clipped; then Pinocchio moves the robot under it, on its feet."""
    x = Real("solo12", seed=7)
    joints, limit = x.robot.joint_names[1:], 0.5
    rows = [*STANCES[stance], *tasks(x.robot)]
    freely = mc.constrained_dynamics(x.robot, rows)
    clipped = mc.constrained_dynamics(x.robot, rows, limits=dict.fromkeys(joints, limit), on_limit="clip")
    b = np.random.default_rng(1).normal(size=freely.inputs[3].size)
    state = x.q, x.v, np.zeros(x.robot.nv), b
    wanted, out = freely.run(*state).tau_command, clipped.run(*state)
    assert 0 < np.sum(np.abs(wanted) > limit) < len(joints)
    assert error(out.tau_command, np.clip(wanted, -limit, limit)) < 1e-9
    forces = {(c.frame, "world"): out.wrenches[c.frame] for c in STANCES[stance]}
    assert error(x.world.forward_dynamics(x.q, x.v, out.tau_command, forces), out.a) < 1e-8
    assert np.abs(out.residual[: 3 * len(forces)]).max() < 1e-8


@pytest.mark.parametrize("seed", range(trials(40)))
def test_trees_with_few_motors_are_the_two_stage_solve(seed: int) -> None:
    """Every joint type, followers, floating bases, rows between segments, prescribed joints; any without motors."""
    x = Moving(seed, mimic=seed % 2 == 0)
    leading = [name for name in x.robot.joint_names if name not in x.robot.followers]
    idle = [name for name in leading if x.rng.random() < 0.5] or leading[:1]
    motors = [name for name in x.robot.joint_names if name not in idle]
    asked = [random_constraint(x, level=int(x.rng.integers(1, 3)), weight=float(np.exp(x.rng.normal()))) for _ in "123"]
    fixed = {name: body for name, (body, _) in x.robot.mechanism.frames.items()}
    told = motors[:1] if seed % 3 == 0 and not x.robot.followers and len(motors) > 1 else []
    rows = [c for c in asked if (fixed[c.frame] != fixed[c.wrt] if isinstance(c, C) else not set(c.names) & set(told))]
    task = J(leading[-1], level=2) if leading[-1] in motors and not told else mc.CenterOfMass("x", level=2)
    question = Question(x, [*rows, task], told, outputs=OUTPUTS, actuated=motors, moment_arm=0.3)
    undriven = mask(x.robot, idle)
    dense = question.put(x)
    expected = answer(question, dense, undriven, arm=0.3)
    if not expected.clear:
        pytest.skip("what contacts reach, or rows can have, is in doubt")
    out = question.computation.run(*question.inputs)
    assert max(errors(question, dense, out, expected, undriven).values()) < 1e-8


# ---------------------------------------------------------------- what contacts make


def standing() -> tuple[mc.Robot, np.ndarray, list[mc.Constraint]]:
    """A quadruped with its knees bent."""
    robot = mc.load("quadruped")
    q = robot.neutral()
    for leg in ("LF", "RF", "LH", "RH"):
        q[robot.q_index[f"{leg}_joint_1"]], q[robot.q_index[f"{leg}_joint_3"]] = 0.5, -1.0
    feet = [name for name in robot.link_names if name.endswith("_foot")]
    return robot, q, [C(foot, "xyz", source="contact", mu=0.6) for foot in feet]


def weight(robot: mc.Robot) -> float:
    return 9.81 * sum(link.mass or 0.0 for link in robot.links)


def test_feet_carry_the_weight_and_margins_say_by_how_much_they_hold() -> None:
    robot, q, feet = standing()
    rows = [*feet, mc.CenterOfMass(level=2), C(robot.link_names[0], "rx ry rz", level=3)]
    dynamics = mc.constrained_dynamics(robot, rows)
    out = dynamics.run(q, np.zeros(robot.nv), np.zeros(robot.nv), np.zeros(18))
    assert np.abs(out.a).max() < 1e-9
    assert np.isclose(out.wrenches[:, 5].sum(), weight(robot), rtol=1e-9)
    assert np.array_equal(out.wrenches["LF_foot"], out.wrenches[0])
    n, f = np.split(out.wrenches, 2, axis=1)
    assert np.abs(n).max() < 1e-12
    assert error(out.contact_margin, 0.6 * f[:, 2] - np.hypot(f[:, 0], f[:, 1])) < 1e-12
    assert np.all(out.contact_margin > 0)
    assert not any("contact_margin" in note for note in out.notes)
    # pulled down faster than it falls, ground would have to pull
    b = np.concatenate([np.zeros(14), [-15.0], np.zeros(3)])
    pulled = dynamics.run(q, np.zeros(robot.nv), np.zeros(robot.nv), b)
    assert np.all(pulled.contact_margin < 0)
    assert sum("leaves its friction cone (mu=0.6): see contact_margin" in note for note in pulled.notes) == 4
    rows = [*(C(foot.frame, "xyz", source="contact") for foot in feet), *rows[4:]]
    pulled = mc.constrained_dynamics(robot, rows).run(q, np.zeros(robot.nv), np.zeros(robot.nv), b)
    assert error(pulled.contact_margin, pulled.wrenches[:, 5]) < 1e-12
    assert sum("pulls, which the ground cannot" in note for note in pulled.notes) == 4


def test_compiled_in_lanes_and_in_single_precision_it_is_the_same() -> None:
    robot = mc.load("ur5", floating=True)
    foot, arm = robot.link_names[-1], robot.joint_names[1:]
    rows = [C(foot, "xyz", source="contact", mu=0.6), mc.CenterOfMass("x", level=2), J(arm[0], level=3)]
    rng = np.random.default_rng(3)
    q = np.array([robot.random(rng) for _ in range(4)])
    v, tau, b = rng.normal(size=(4, robot.nv)), np.zeros((4, robot.nv)), rng.normal(size=(4, 5))
    outputs = ["a", "tau_command", "wrenches", "contact_margin", "unactuated"]
    dynamics, single = (
        mc.constrained_dynamics(robot, rows, outputs=outputs, precision=kind) for kind in ("double", "single")
    )
    many, rough = dynamics.batch(q, v, tau, b), single.batch(*(x.astype(np.float32) for x in (q, v, tau, b)))
    assert np.array_equal(many.wrenches[foot], many.wrenches[:, 0])
    # rounding is no force that somebody asks for
    assert 0 < np.abs(rough.unactuated).max() < 1e-3 * np.abs(rough.tau_command).max()
    assert not any("unactuated" in note for note in rough.notes)
    for k in range(4):
        told, called = dynamics.run(q[k], v[k], tau[k], b[k]), dynamics(q[k], v[k], tau[k], b[k])
        for name in outputs[:4]:
            assert error(called[name], told[name]) < 1e-9
            assert error(many[name][k], told[name]) < 1e-9
            assert error(np.asarray(rough[name][k], float), told[name]) < 0.02


def test_moments_count_by_their_arm() -> None:
    """Two feet apart share a moment by forces where moments are dear, and by moments where they are cheap."""
    x = Real("solo12", seed=9)
    rows = [*STANCES["rigid feet"], C("base_link", SIX, level=2)]
    made = []
    for arm in (1e-3, 0.1, 1e3):
        out = mc.constrained_dynamics(x.robot, rows, moment_arm=arm).run(x.q, x.v, np.zeros(x.robot.nv), np.zeros(18))
        made.append(np.linalg.norm(np.split(out.wrenches, 2, axis=1), axis=(1, 2)))
    (moments, forces), (same, as_well), (more, fewer) = made
    assert moments < same < more
    assert forces > as_well > fewer


def test_what_is_regularised_or_refined_still_asks_nothing_where_there_is_no_motor() -> None:
    x = Real("solo12", seed=11)
    cases = [(3, {"regularisation": 0.01}), (2, {"regularisation": 0.01}), (2, {"refine": True}), (3, {"posture": 0.3})]
    for feet, options in cases:
        rows = [*STANCES["four points"][:feet], C("base_link", "xyz"), J(x.robot.joint_names[1:3])]
        dynamics = mc.constrained_dynamics(
            x.robot, rows, outputs=("a", "tau_command", "unactuated", "wrenches"), **options
        )
        tau = np.where(np.arange(x.robot.nv) < 6, 0.0, x.tau)
        out = dynamics.run(x.q, x.v, tau, np.ones(3 * feet + 5))
        forces = {(foot, "world"): out.wrenches[foot] for foot in FEET[:feet]}
        assert np.abs(out.unactuated).max() < 1e-9 * np.abs(out.tau_command).max()
        assert error(x.world.forward_dynamics(x.q, x.v, out.tau_command, forces), out.a) < 1e-8


def test_an_undriven_base_carries_an_arm_along_without_columns_of_its_masses() -> None:
    """What motors make of its motion takes one outward sweep, not six columns of M brought down to it (1,088)."""
    robot = mc.load("ur5", floating=True)
    driven, undriven = (
        sum(
            mc.constrained_dynamics(
                robot, [J("elbow_joint")], outputs=["a", "tau_command"], **motors
            ).operations.values()
        )
        for motors in ({"actuated": robot.joint_names}, {})
    )
    assert undriven - driven < 1000


@pytest.mark.parametrize("unit", [1e-7, 1e-12])
def test_rows_in_any_unit_share_alike(unit: float) -> None:
    """A rigid foot whose forces count in other units than its moments, down to where they are nothing at all."""
    robot = mc.load("ur5", floating=True)
    rng = np.random.default_rng(4)
    state, b = (robot.random(rng), rng.normal(size=robot.nv), np.zeros(robot.nv)), np.array([0.0] * 6 + [1, 1, 1])
    foot = C("tool0", np.diag([1.0] * 3 + [unit] * 3), source="contact")
    out = mc.constrained_dynamics(robot, [foot, mc.CenterOfMass(level=2)]).run(*state, b)
    assert np.abs(out.unactuated).max() < 1e-9 * np.abs(out.wrenches).max()
    if unit > 1e-10:
        like = mc.constrained_dynamics(robot, [C("tool0", source="contact"), mc.CenterOfMass(level=2)]).run(*state, b)
        assert max(error(out[name], like[name]) for name in ("a", "tau_command", "wrenches")) < 1e-6


def test_loops_may_pull_where_ground_may_not() -> None:
    """An arm in flight that holds its own base moves an elbow without a motor; one on the ground stands on its hand."""
    robot = mc.load("ur5", floating=True)
    rng = np.random.default_rng(0)
    state = robot.random(rng), rng.normal(size=robot.nv), np.zeros(robot.nv)
    motors = [name for name in robot.joint_names[1:] if name != "elbow_joint"]
    for wrt, mu, noted in (("base_link", None, 0), ("base_link", 0.5, 1), ("world", None, 1)):
        rows = [C("tool0", "xyz", wrt=wrt, source="contact", mu=mu), J("elbow_joint", level=2)]
        dynamics = mc.constrained_dynamics(robot, rows, actuated=motors)
        found = [dynamics.run(*state, np.array([0.0, 0, 0, b])) for b in (200.0, -200.0)]
        out = min(found, key=lambda one: one.contact_margin[0])
        assert out.contact_margin[0] < -1
        assert sum("contact_margin" in note for note in out.notes) == noted
