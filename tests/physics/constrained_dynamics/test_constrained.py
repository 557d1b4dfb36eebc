"""Constrained dynamics against a dense solve: [M -Jᵀ; J 0] (a; λ) = (force - h; b - J̇ v), M and J from Pinocchio.

Everything that can act acts: an odd gravity, velocities, motor and physical torques, external and artificial forces.
"""

from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pytest

import motionc as mc
from oracle import FLOATING, Array, constraint_rows, error, kkt, load, oracle, unit_wrenches
from rows import row
from trials import LONG, some, trials

C = mc.Constraint
GRAVITY = (0.3, -0.7, -9.6)
OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank", "coupling")
EPSILON = np.finfo(float).eps
WRENCHES = np.random.default_rng(44).normal(size=(6, 6))  # far from singular

# the constrained frame, and another: its axes are borrowed, and forces act on it
FRAMES = {
    "anymal": ("LF_FOOT", "RH_SHANK"),
    "lwr4": ("link_7", "link_3"),
    "panda": ("panda_hand_tcp", "panda_link4"),
    "planar2": ("tip", "upper_arm"),
    "solo12": ("FL_FOOT", "HR_UPPER_LEG"),
    "talos_reduced": ("gripper_left_base_link", "leg_right_3_link"),
    "ur5_robot": ("tool0", "forearm_link"),
    "youbot_arm": ("arm_link_5", "arm_link_4"),
}
# a quadruped, an arm with fingers, a humanoid; and those like them
ROBOTS = some(["anymal", "panda", "talos_reduced", "lwr4", "solo12", "ur5_robot"], 2)


def sets_of_rows(tool: str, other: str) -> dict[str, list[mc.Constraint]]:
    """One to six rows: tokens and matrices, both kinds, several axes and points, both sources."""
    off = (0.1, -0.2, 0.05)
    return {
        "one row": [C(tool, "x")],
        "one row turned": [C(tool, "rz", as_seen_by=tool)],
        "two rows of an inner link": [C(other, "z x")],
        "two rows spatial": [C(tool, "y rx", kind="spatial", as_seen_by=tool)],
        "a point off the origin": [C(tool, "xyz", point=off)],
        "the same spatial": [C(tool, "xyz", point=off, kind="spatial", as_seen_by=other)],
        "four wrenches": [C(tool, WRENCHES[:, :4], as_seen_by=tool, point=off)],
        "all but z": [C(tool, "rx ry rz x y", as_seen_by=other)],
        "motors and contact": [
            C(tool, "z", source="contact", point=off),
            C(tool, "x rz", as_seen_by=tool, kind="spatial"),
            C(tool, WRENCHES[:, 4:], as_seen_by=other, source="contact", kind="spatial", point=off),
        ],
        "six rows": [C(tool, "x y z rx ry rz")],
        "six rows spatial": [C(tool, "rx ry rz x y z", as_seen_by=tool, kind="spatial")],
        "six wrenches": [C(tool, WRENCHES, as_seen_by=other, point=off)],
    }


robots = pytest.mark.parametrize("name", ROBOTS)
floating_robots = pytest.mark.parametrize("name", [name for name in ROBOTS if name in FLOATING])
sets = pytest.mark.parametrize("rows", sets_of_rows("tool", "other"))


def ask(name: str, constraints: Sequence[mc.Constraint], outputs=OUTPUTS, **options) -> mc.Computation:
    """Constrained dynamics of a robot on which everything acts, with motors everywhere unless said otherwise."""
    tool, other = FRAMES[name]
    if options.get("regularisation"):  # drops no row
        outputs = [name for name in outputs if name not in ("rank", "conditioning")]
    return mc.constrained_dynamics(
        load(name),
        constraints,
        external_forces=[mc.Force(tool, as_seen_by=tool), mc.Force(other, as_seen_by="world")],
        physical_torques=True,
        artificial_forces=[mc.Force(other, as_seen_by=tool)],
        gravity=GRAVITY,
        outputs=outputs,
        **{"actuated": load(name).joint_names, **options},
    )


def random_inputs(name: str, m: int, rng: np.random.Generator) -> SimpleNamespace:
    """A state and all that acts in it, in the order of the ports."""
    robot = load(name)
    return SimpleNamespace(
        q=robot.random(rng),
        v=rng.normal(size=robot.nv),
        tau=3 * rng.normal(size=robot.nv),
        b=2 * rng.normal(size=m),
        f_ext=5 * rng.normal(size=(2, 6)),
        tau_physical=rng.normal(size=robot.nv),
        f_art=5 * rng.normal(size=(1, 6)),
    )


class Dense:
    """The same question put to Pinocchio: all that a linear solve needs."""

    def __init__(self, name: str, constraints: Sequence[mc.Constraint], given: SimpleNamespace) -> None:
        world, (tool, other) = oracle(name), FRAMES[name]
        world.place(given.q, given.v)
        self.M, h = world.mass_matrix(given.q), world.bias_forces(given.q, given.v, GRAVITY)
        self.J, bias, self.task = constraint_rows(world, constraints)
        self.tau, self.artificial = given.tau, world.push({(other, tool): given.f_art[0]})
        external = world.push({(tool, tool): given.f_ext[0], (other, "world"): given.f_ext[1]})
        self.force = given.tau + given.tau_physical + external + self.artificial - h
        self.reach = given.b - bias
        self.free = np.linalg.solve(self.M, self.force)
        self.missing = self.reach - self.J @ self.free
        self.coupling = self.J @ np.linalg.solve(self.M, self.J.T)

    def pushed(self, multipliers: Array) -> Array:
        """The acceleration under these multipliers."""
        return self.free + np.linalg.solve(self.M, self.J.T @ multipliers)

    def asked_of_motors(self, multipliers: Array) -> Array:
        """tau, the task's share of the multipliers, and artificial forces."""
        return self.tau + self.J[self.task].T @ multipliers[self.task] + self.artificial


def check_against_dense(name: str, constraints: Sequence[mc.Constraint], answer: Callable, states: int) -> float:
    """All outputs in random states, to 1e-9 and to what rounding makes of the coupling; returns the worst error."""
    rng, errors = np.random.default_rng(5), []
    m = sum(unit_wrenches(c.rows).shape[1] for c in constraints)
    for _ in range(states):
        given = random_inputs(name, m, rng)
        dense = Dense(name, constraints, given)
        condition = np.linalg.cond(dense.coupling)
        if condition > 1e8:
            continue
        out = answer(*vars(given).values())
        a, multipliers = kkt(dense.M, dense.J, dense.force, dense.reach)
        asked = dense.asked_of_motors(multipliers)
        assert out.rank == m
        assert error(out.coupling, dense.coupling) < 1e-10
        assert error(dense.missing + out.residual, dense.missing) < 1e-9
        errors.append(
            max(
                error(out.a, a),
                error(out.multipliers, multipliers),
                error(out.tau_command, asked),
                error(out.unactuated, 0 * asked),
            )
        )
        assert errors[-1] < max(1e-9, EPSILON * condition)
    assert len(errors) > states / 2
    return max(errors)


# ---------------------------------------------------------------- independent rows


@pytest.mark.parametrize("name", ROBOTS)
@sets
def test_step_by_step_it_agrees_with_the_dense_solve(name: str, rows: str, record_property: Callable) -> None:
    constraints = sets_of_rows(*FRAMES[name])[rows]
    worst = check_against_dense(name, constraints, ask(name, constraints).run, states=trials(12))
    record_property("worst error", worst)


@robots
def test_compiled_it_agrees_with_the_dense_solve(name: str, record_property: Callable) -> None:
    constraints = sets_of_rows(*FRAMES[name])["motors and contact"]
    worst = check_against_dense(name, constraints, ask(name, constraints), states=trials(192))
    record_property("worst error", worst)


@row("motion-stack", 26)
@row("itasc", 44)
@robots
def test_forward_dynamics_under_what_it_returns_replays_the_acceleration(name: str) -> None:
    """tau_command + unactuated + tau_physical, f_ext, and the contact's multipliers as an external force."""
    rng, world, (tool, other) = np.random.default_rng(8), oracle(name), FRAMES[name]
    constraints = sets_of_rows(tool, other)["motors and contact"]
    dynamics = ask(name, constraints)
    places = [mc.Force(tool, as_seen_by=tool), mc.Force(other), mc.Force(tool)]
    replay = mc.forward_dynamics(load(name), external_forces=places, gravity=GRAVITY)
    for _ in range(5):
        given = random_inputs(name, 5, rng)
        out = dynamics.run(*vars(given).values())
        # rows 0, 3 and 4 are contacts, at a point off the tool's origin
        world.place(given.q)
        wall, wrenches = constraints[0], constraints[2].rows
        force = unit_wrenches(wall.rows) @ out.multipliers[:1] + world.turn(other).T @ wrenches @ out.multipliers[3:]
        n, f = np.split(force, 2)
        contact = np.concatenate([n + np.cross(world.pose(tool)[:3, :3] @ wall.point, f), f])
        tau = out.tau_command + out.unactuated + given.tau_physical
        assert error(replay.run(given.q, given.v, tau, np.array([*given.f_ext, contact])), out.a) < 1e-9


@row("motion-stack", 26)
@pytest.mark.parametrize("name", ["lwr4", "solo12"])
def test_commanded_torque_is_what_inverse_dynamics_asks_for(name: str) -> None:
    """RNEA(a) = tau + Jᵀ λ: the rigid bodies' share of the task's force, not the articulated ones'."""
    robot, rng = load(name), np.random.default_rng(2)
    constrained = mc.constrained_dynamics(robot, [C(FRAMES[name][0], "xyz")], actuated=robot.joint_names)
    inverse = mc.inverse_dynamics(robot)
    for _ in range(5):
        q, v, tau, b = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv), rng.normal(size=3)
        out = constrained.run(q, v, tau, b)
        assert error(inverse.run(q, v, out.a), out.tau_command + out.unactuated) < 1e-10


@row("motion-stack", 25)
@pytest.mark.parametrize("name", ["panda", "anymal", "youbot_arm"])
def test_no_other_feasible_acceleration_is_nearer_to_the_unconstrained(name: str) -> None:
    """Gauss: Z = ½ (a - a_free)ᵀ M (a - a_free) grows along every δ with J δ = 0."""
    rng, constraints = np.random.default_rng(4), sets_of_rows(*FRAMES[name])["a point off the origin"]
    given = random_inputs(name, 3, rng)
    dense = Dense(name, constraints, given)
    a = ask(name, constraints).run(*vars(given).values()).a

    def zwang(a: Array) -> float:
        return 0.5 * (a - dense.free) @ dense.M @ (a - dense.free)

    null = np.linalg.svd(dense.J)[2][3:].T
    for size in (1e-3, 1.0, 1e3):
        for delta in size * rng.normal(size=(50, null.shape[1])):
            assert zwang(a + null @ delta) > zwang(a)


@row("motion-stack", 28)
@pytest.mark.parametrize("rows", ["x y", "rx ry rz x y", "rx ry rz x y z", "x", "x y rz"])
@pytest.mark.parametrize("kind", ["classical", "spatial"])
def test_partial_constraints_are_met(rows: str, kind: str) -> None:
    """(3.23), (3.24), (3.25) and with b = 0 (3.41), (4.10), (4.15)."""
    robot, world, rng = load("panda"), oracle("panda"), np.random.default_rng(6)
    constraint = C("panda_link8", rows, kind=kind)
    dynamics = mc.constrained_dynamics(robot, [constraint])
    for b in (rng.normal(size=len(rows.split())), np.zeros(len(rows.split()))):
        q, v, tau = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        out = dynamics.run(q, v, tau, b)
        world.place(q, v)
        J, bias, _ = constraint_rows(world, [constraint])
        assert error(J @ out.a + bias, b) < 1e-10
        assert np.abs(out.residual).max() < 1e-10


@row("motion-stack", 31)
@pytest.mark.parametrize("name", ["panda", "talos_reduced"])
def test_motor_torques_change_the_posture_but_not_the_task(name: str) -> None:
    rng, constraints = np.random.default_rng(7), sets_of_rows(*FRAMES[name])["all but z"]
    dynamics = ask(name, constraints)
    given = random_inputs(name, 5, rng)
    dense = Dense(name, constraints, given)
    accelerations = []
    for tau in (0 * given.tau, given.tau, 10 * rng.normal(size=given.tau.shape)):
        given.tau = tau
        accelerations.append(dynamics.run(*vars(given).values()).a)
        assert error(dense.J @ accelerations[-1], dense.reach) < 1e-10
    assert error(accelerations[0], accelerations[1]) > 1e-3


def test_rows_may_be_given_in_any_order_and_grouping() -> None:
    rng, tool = np.random.default_rng(9), FRAMES["ur5_robot"][0]
    given = random_inputs("ur5_robot", 3, rng)
    together = ask("ur5_robot", [C(tool, "x rz y")]).run(*vars(given).values())
    given.b = given.b[[1, 2, 0]]
    apart = ask("ur5_robot", [C(tool, "rz"), C(tool, "yx")]).run(*vars(given).values())
    assert error(apart.a, together.a) < 1e-12
    assert error(apart.multipliers, together.multipliers[[1, 2, 0]]) < 1e-12


# ---------------------------------------------------------------- who makes the force


@floating_robots
def test_what_no_motor_can_make_is_returned_and_said(name: str) -> None:
    tool, _ = FRAMES[name]
    robot, rng = load(name), np.random.default_rng(10)
    q, v, tau, base = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv), np.arange(robot.nv) < 6
    task, replay = mc.constrained_dynamics(robot, [C(tool, "xyz")]), mc.forward_dynamics(robot)
    out = task.run(q, v, tau, np.ones(3))
    assert np.all(out.tau_command[base] == 0)
    assert error(out.unactuated, np.where(base, tau, 0)) < 1e-9
    assert any("root_joint" in note for note in out.notes)
    assert error(replay.run(q, v, out.tau_command + out.unactuated), out.a) < 1e-8
    tau = np.where(base, 0, tau)
    out = task.run(q, v, tau, np.ones(3))
    assert np.abs(out.unactuated).max() < 1e-9
    assert error(replay.run(q, v, out.tau_command), out.a) < 1e-8
    assert not any("root_joint" in note for note in out.notes)


@floating_robots
def test_contacts_alone_ask_nothing_of_motors(name: str) -> None:
    tool, _ = FRAMES[name]
    robot, rng = load(name), np.random.default_rng(10)
    q, v, tau = (
        robot.random(rng),
        rng.normal(size=robot.nv),
        np.where(np.arange(robot.nv) < 6, 0, rng.normal(size=robot.nv)),
    )
    contact = mc.constrained_dynamics(robot, [C(tool, "xyz", source="contact")]).run(q, v, tau, np.ones(3))
    assert error(contact.tau_command, tau) < 1e-12
    assert np.all(contact.unactuated == 0)
    assert contact.notes == []
    task = mc.constrained_dynamics(robot, [C(tool, "xyz")], actuated=robot.joint_names).run(q, v, tau, np.ones(3))
    assert error(contact.a, task.a) < 1e-12


def test_joints_without_motors_are_not_commanded() -> None:
    """What their motors would have made is made by others, as far as these can."""
    robot, rng = load("lwr4"), np.random.default_rng(11)
    q, v, tau, b = robot.random(rng), rng.normal(size=7), rng.normal(size=7), np.ones(2)
    motors = ["joint_1", "joint_2", "joint_4"]
    out = mc.constrained_dynamics(robot, [C("link_7", "xy")], actuated=motors).run(q, v, tau, b)
    mask = np.array([name in motors for name in robot.joint_names])
    assert np.all(out.tau_command[~mask] == 0)
    assert np.abs(out.residual).max() < 1e-9
    assert error(out.unactuated, np.where(mask, 0, tau)) < 1e-9
    assert error(mc.forward_dynamics(robot).run(q, v, out.tau_command + out.unactuated), out.a) < 1e-8


# ---------------------------------------------------------------- dependent rows, no rows, damping

DEPENDENT = {
    "six rows, two joints": ("planar2", [C("tip", "x y z rx ry rz")], 2),
    "the turn before the shift": ("planar2", [C("tip", "rz x y")], 2),
    "six wrenches, two joints": ("planar2", [C("tip", WRENCHES)], 2),
    "six rows, five joints": ("youbot_arm", [C("arm_link_5", "rx ry rz x y z")], 5),
    "six wrenches, four joints": ("youbot_arm", [C("arm_link_4", WRENCHES, as_seen_by="arm_link_2")], 4),
    "rows given twice": ("panda", [C("panda_hand_tcp", "x y", source="contact"), C("panda_hand_tcp", "xyz")], 3),
    "two points of one body": ("anymal", [C("LF_FOOT", "xyz"), C("LF_SHANK", "xyz"), C("LF_FOOT", "x")], 5),
    "a wrist aligned": ("ur5_robot", [C("tool0", "xyz rx ry rz")], 5),
    "an elbow stretched": ("ur5_robot", [C("tool0", "rx ry rz x y z", point=(0.1, 0.2, 0.3))], 5),
    "an arm stretched": ("lwr4", [C("link_7", "rx ry rz x y z")], 3),
    "an arm upright": ("panda", [C("panda_link8", "xyz rx ry rz", as_seen_by="panda_link8")], 5),
}
# the joints to be zeroed for that
SINGULAR = {"a wrist aligned": 4, "an elbow stretched": 2, "an arm stretched": slice(None), "an arm upright": slice(7)}


@pytest.mark.parametrize("case", some(DEPENDENT, 6))
def test_dependent_rows_get_the_pseudo_inverses_answer_and_it_is_said(case: str, record_property: Callable) -> None:
    name, constraints, rank = DEPENDENT[case]
    dynamics, motion = ask(name, constraints), ask(name, constraints, outputs=["a", "residual"])
    rng, errors, m = np.random.default_rng(12), [], dynamics.inputs[3].shape[0]
    stepped = trials(3)
    for state in range(trials(192)):
        given = random_inputs(name, m, rng)
        given.q[SINGULAR.get(case, [])] = 0.0
        dense = Dense(name, constraints, given)
        values = np.linalg.svd(dense.coupling, compute_uv=False)
        if values[rank - 1] < 1e-6 * values[0]:
            continue
        out = (dynamics if state >= stepped else dynamics.run)(*vars(given).values())
        multipliers = np.linalg.pinv(dense.coupling, rcond=1e-9, hermitian=True) @ dense.missing
        a = dense.pushed(multipliers)
        assert out.rank == rank
        assert any(f"rank {rank} of {m}" in note for note in out.notes)
        errors.append(
            max(
                error(out.multipliers, multipliers),
                error(out.a, a),
                error(out.tau_command + out.unactuated, dense.asked_of_motors(multipliers)),
                error(dense.missing + out.residual, dense.missing + dense.J @ a - dense.reach),
            )
        )
        # who asks for the motion alone gets the same motion
        if state < stepped:
            assert error(motion.run(*vars(given).values()).a, a) < 1e-9
    record_property("worst error", max(errors))
    assert len(errors) > trials(150)
    assert max(errors) < 1e-9


@pytest.mark.parametrize("name", ["panda", "solo12"])
def test_without_constraints_it_is_forward_dynamics(name: str) -> None:
    rng, dynamics = np.random.default_rng(13), ask(name, [], outputs=OUTPUTS[:-1])
    for answer in (dynamics.run, dynamics):
        given = random_inputs(name, 0, rng)
        dense = Dense(name, [], given)
        out = answer(*vars(given).values())
        assert error(out.a, dense.free) < 1e-10
        assert error(out.tau_command + out.unactuated, dense.asked_of_motors(np.zeros(0))) < 1e-10
        assert out.rank == 0
        assert out.multipliers.shape == out.residual.shape == (0,)


def test_without_constraints_the_coupling_is_empty() -> None:
    nothing = np.zeros(7)
    dynamics = mc.constrained_dynamics(load("lwr4"), [], outputs=["a", "coupling"])
    assert dynamics(nothing, nothing, nothing, []).coupling.shape == (0, 0)


@pytest.mark.parametrize("damping", some([1e-3, 1.0]))
@pytest.mark.parametrize("case", ["six rows, five joints", "rows given twice", "an arm stretched"])
def test_damping_is_added_to_the_diagonal_of_the_coupling(case: str, damping: float) -> None:
    name, constraints, _ = DEPENDENT[case]
    rng, dynamics = np.random.default_rng(14), ask(name, constraints, regularisation=damping)
    m = dynamics.inputs[3].shape[0]
    for answer in (dynamics.run, dynamics):
        given = random_inputs(name, m, rng)
        given.q[SINGULAR.get(case, [])] = 0.0
        dense = Dense(name, constraints, given)
        multipliers = np.linalg.solve(dense.coupling + damping * np.eye(m), dense.missing)
        out = answer(*vars(given).values())
        assert error(out.multipliers, multipliers) < 1e-9
        assert error(out.a, dense.pushed(multipliers)) < 1e-9
        assert error(out.coupling, dense.coupling) < 1e-10


# ---------------------------------------------------------------- two links (specs/itasc.md §3 E3), no gravity


def two_links(rows: str, **options) -> mc.Computation:
    return mc.constrained_dynamics(load("planar2"), [C("tip", rows)], gravity=(0, 0, 0), outputs=OUTPUTS, **options)


START = np.array([0, np.pi / 4])


@row("itasc", 41)
@pytest.mark.parametrize(
    ("rows", "b", "a", "multipliers", "tau"),
    [
        ("x y", (1, 0), (-2.5, 2.5), (0.6, -0.3), (-0.324853, -0.084853)),
        ("x y", (0, 1), (2.5, -6.035534), None, (0.035147, -0.084853)),
        ("x", (1,), (-1.25, -0.517767), (0.45,), (-0.307279, -0.127279)),
    ],
)
def test_reference_values_at_rest(rows: str, b: tuple, a: tuple, multipliers: tuple | None, tau: tuple) -> None:
    """The printed ν is minus ours."""
    out = two_links(rows)(START, np.zeros(2), np.zeros(2), b)
    np.testing.assert_allclose(out.a, a, atol=1e-6)
    np.testing.assert_allclose(out.tau_command, tau, atol=1e-6)
    if multipliers:
        np.testing.assert_allclose(out.multipliers, multipliers, atol=1e-6)


@row("itasc", 41)
def test_reference_mass_matrix_and_coupling() -> None:
    inverse = mc.inverse_dynamics(load("planar2"), gravity=(0, 0, 0))
    M = np.array([inverse(START, np.zeros(2), unit) for unit in np.eye(2)]).T
    np.testing.assert_allclose(M, [[0.211882, 0.081941], [0.081941, 0.048]], atol=1e-6)
    coupling = two_links("x y")(START, np.zeros(2), np.zeros(2), np.zeros(2)).coupling
    np.testing.assert_allclose(coupling, [[2.222222, 1.111111], [1.111111, 2.222222]], atol=1e-6)
    pose = mc.forward_kinematics(load("planar2"), ["tip"])(START)[0]
    np.testing.assert_allclose(pose[:2, 3], (-0.28284, 0.68284), atol=1e-5)


@row("itasc", 41)
def test_reference_values_under_a_pull_along_the_second_link() -> None:
    out = two_links("x", external_forces=[mc.Force("tip", as_seen_by="world")])(
        START, np.zeros(2), np.zeros(2), [0], [[0, 0, 0, -1, 1, 0]]
    )
    np.testing.assert_allclose(out.multipliers, [0.5], atol=1e-6)
    np.testing.assert_allclose(out.tau_command, (-0.341421, -0.141421), atol=1e-6)
    np.testing.assert_allclose(out.a, (4.166667, -10.059223), atol=1e-6)
    J = mc.jacobian(load("planar2"), "tip")(START)
    np.testing.assert_allclose(J[4] @ out.a, 1.666667, atol=1e-6)


@row("itasc", 42)
@pytest.mark.parametrize("experiment", ["both held", "spring", "pull", "only y"])
def test_experiments_end_as_told(experiment: str) -> None:
    """Kp = 100, Kd = 20 on the constrained rows; damping of 0.2 where the thesis' runs must have had some."""
    rows = {"both held": "x y", "only y": "y"}.get(experiment, "x")
    dynamics = two_links(rows, physical_torques=True, external_forces=[mc.Force("tip", as_seen_by="world")])
    held = [row for row in (0, 1) if "xy"[row] in rows]
    target = np.array([-0.4 * np.sin(np.pi / 4), 0.5])
    q, v, dt = START, np.zeros(2), 1e-3 if LONG else 2e-3
    strays = []
    for _ in range(round((5 if experiment == "pull" else 10) / dt)):
        angles = np.array([q[0], q[0] + q[1]])
        tip = 0.4 * np.array([-np.sin(angles).sum(), np.cos(angles).sum()])
        tip_rate = -0.4 * np.array([np.cos(angles), np.sin(angles)]) @ [v[0], v[0] + v[1]]
        strays.append(tip[0] - target[0])
        b = (100 * (target - tip) - 20 * tip_rate)[held]
        spring = [np.pi - q[0], 0] if experiment == "spring" else [0, 0]
        friction = -0.2 * v if experiment in ("spring", "pull") else 0 * v
        wrench = [0, 0, 0, -1, 1, 0] if experiment == "pull" else np.zeros(6)
        out = dynamics(q, v, spring, b, [wrench], friction)
        v = v + dt * out.a
        q = q + dt * v
    motors, stray = np.abs(out.tau_command).max(), np.abs(strays).max()
    assert (motors > 0.1) if experiment == "pull" else (motors < 5e-3)
    assert (stray > 0.05) if experiment == "only y" else (stray < 1e-3)
    if experiment == "spring":
        assert abs(q[0] - np.pi) < 5e-3
    if "y" in rows:
        assert abs(tip[1] - 0.5) < 1e-4


# ---------------------------------------------------------------- without constraints


@row("motion-stack", 22)
@row("robcogen", 32)
@pytest.mark.parametrize("name", ["lwr4", "panda", "anymal"])
def test_inverse_dynamics_undoes_forward_dynamics_which_is_a_solve_with_the_mass_matrix(name: str) -> None:
    robot, world, rng = load(name), oracle(name), np.random.default_rng(15)
    forward, inverse = mc.forward_dynamics(robot, gravity=GRAVITY), mc.inverse_dynamics(robot, gravity=GRAVITY)
    for _ in range(trials(1000)):
        q, v, tau = robot.random(rng), rng.normal(size=robot.nv), 3 * rng.normal(size=robot.nv)
        a = forward(q, v, tau)
        assert error(inverse(q, v, a), tau) < 1e-10
        assert error(a, np.linalg.solve(world.mass_matrix(q), tau - world.bias_forces(q, v, GRAVITY))) < 1e-10


@floating_robots
def test_a_floating_robot_at_rest_falls_freely(name: str) -> None:
    robot = load(name)
    q, still = robot.random(16), np.zeros(robot.nv)
    a = mc.forward_dynamics(robot, gravity=GRAVITY).run(q, still, still)
    turn = mc.forward_kinematics(robot, [robot.link_names[0]]).run(q)[0, :3, :3]
    assert error(a, np.concatenate([np.zeros(3), turn.T @ GRAVITY, np.zeros(robot.nv - 6)])) < 1e-10
    assert error(mc.inverse_dynamics(robot, gravity=GRAVITY).run(q, still, a), still) < 1e-10


@row("motion-stack", 21)
def test_two_links_obey_lagranges_equations() -> None:
    """m = 0.3 kg at the end of each of two links of 0.4 m that hang along y."""
    rng, inverse = np.random.default_rng(17), mc.inverse_dynamics(load("planar2"), gravity=(0, -9.81, 0))
    unit = 0.3 * 0.4**2
    for _ in range(100):
        q, v, a = rng.uniform(-np.pi, np.pi, 2), rng.normal(size=2), rng.normal(size=2)
        c, s = np.cos(q[1]), np.sin(q[1])
        M = unit * np.array([[3 + 2 * c, 1 + c], [1 + c, 1]])
        velocity = unit * s * np.array([-2 * v[0] * v[1] - v[1] ** 2, v[0] ** 2])
        weight = -9.81 * 0.3 * 0.4 * np.array([2 * np.sin(q[0]) + np.sin(q.sum()), np.sin(q.sum())])
        assert error(inverse(q, v, a), M @ a + velocity + weight) < 1e-12


@row("motion-stack", 22)
def test_energy_of_two_swinging_links_is_kept() -> None:
    forward = mc.forward_dynamics(load("planar2"), gravity=(0, -9.81, 0))

    def energy(x: Array) -> float:
        """Of the point masses at elbow and tip."""
        angles, rates = np.array([x[0], x[0] + x[1]]), np.array([x[2], x[2] + x[3]])
        lever = 0.4 * np.array([-np.cos(angles), -np.sin(angles)]) * rates
        height = 0.4 * np.cos(angles).cumsum()
        return float(0.15 * (lever.cumsum(axis=1) ** 2).sum() + 0.3 * 9.81 * height.sum())

    def rate(x: Array) -> Array:
        return np.concatenate([x[2:], forward(x[:2], x[2:], np.zeros(2))])

    x, dt = np.array([2.0, 0.5, 0.0, 0.0]), 1e-3
    start, drift = energy(x), 0.0
    for _ in range(5000):
        k1 = rate(x)
        k2 = rate(x + dt / 2 * k1)
        k3 = rate(x + dt / 2 * k2)
        k4 = rate(x + dt * k3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        drift = max(drift, abs(energy(x) - start))
    assert drift < 1e-7
