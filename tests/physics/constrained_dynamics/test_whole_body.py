"""Rows of the centre of mass and of the momentum about it, beside all others, against a dense solve on Pinocchio's."""

from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from all_joints import Moving
from dense import EPSILON, Dense, Question, Real, Rows, all_rows, mask, random_rows
from oracle import Array, error
from trials import trials

AXES = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]


def agrees(question: Question, dense: Dense, out: SimpleNamespace, a: Array, multipliers: Array) -> float:
    return max(
        error(out.a, a),
        error(out.multipliers, multipliers),
        error(out.tau_command + out.unactuated, question.motors(dense, a, multipliers)),
        error(out.coupling, dense.coupling),
    )


def some_rows(x: Moving | Real, told: list[str]) -> list[Rows]:
    """Some of the centre of mass, or of the momentum, in any axes; and others on any segments."""
    rng = x.rng
    axes = str(rng.choice(x.links)) if rng.random() < 0.5 else "world"
    free = int((~mask(x.robot, told)).sum())
    k = int(rng.integers(1, min(3, free) + 1))
    own: list[Rows] = [
        mc.CenterOfMass("".join(rng.permutation(list("xyz"))[:k]), axes),
        mc.CenterOfMass(np.linalg.qr(rng.normal(size=(3, 3)))[0][:, :k], axes),
        mc.Momentum(" ".join(rng.permutation(["x", "y", "z", "rx", "ry", "rz"])[:k]), axes),
        mc.Momentum(AXES[:, :k], axes),
    ]
    found = [own[int(rng.integers(4))]]
    others = random_rows(x, free - k, told) if free > k else []
    for one in others:
        J = all_rows(x.world, x.V, x.robot, x.G, [*found, one])[0][:, ~mask(x.robot, told)]
        if np.linalg.cond(J @ np.linalg.solve(x.M[np.ix_(*[~mask(x.robot, told)] * 2)], J.T)) < 1e7:
            found.append(one)
    return found


@pytest.mark.parametrize("seed", range(trials(24)))
def test_rows_of_all_bodies_on_a_tree_are_the_dense_solve(seed: int) -> None:
    """Every joint type, followers, rotors, floating bases, prescribed joints."""
    x = Moving(seed, mimic=seed % 2 == 0)
    told = [] if x.robot.followers else [name for name in x.robot.joint_names[1:] if x.rng.random() < 0.3]
    question = Question(x, some_rows(x, told), told)
    dense = question.put(x)
    if dense.condition > 1e8:
        pytest.skip("a joint or two that hardly move the centre of mass")
    out = question.computation.run(*question.inputs)
    assert agrees(question, dense, out, *dense.kkt()) < max(1e-10, EPSILON * dense.condition)


def test_levels_of_a_robot_on_its_feet_hold_the_center_of_mass_between_them() -> None:
    """Contacts, then the centre of mass, then angular momentum, then a posture; weights within a level."""
    x = Real("solo12", seed=4)
    rows = [
        *(mc.Constraint(foot, "xyz", source="contact") for foot in ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")),
        mc.CenterOfMass(level=2),
        mc.Momentum("rx ry rz", level=3, weight=3.0),
        mc.JointConstraint(x.robot.joint_names[1:], level=4),
    ]
    question = Question(x, rows, outputs=("a", "tau_command", "multipliers", "unactuated"))
    dense = question.put(x)
    out = question.computation.run(*question.inputs)
    a, _, _ = dense.levels(question.level, question.weight)
    assert error(out.a, a) < 1e-9
    pushed = x.M @ out.a + x.h - question.outside - dense.J[:12].T @ out.multipliers[:12]
    assert error(out.tau_command + out.unactuated, pushed) < 1e-9
    com = dense.J[12:15] @ out.a
    assert np.abs(com - dense.reach[12:15]).max() < 1e-9


def test_a_center_of_mass_that_is_held_stays_where_it_is() -> None:
    """A second of motion under the torques: feet and centre of mass as Pinocchio moves them."""
    x = Real("ur5_robot", seed=1)
    model, data = x.world.model, x.world.model.createData()
    hold = mc.constrained_dynamics(x.robot, mc.CenterOfMass(), outputs=["a", "tau_command"])
    start, v, dt = x.q.copy(), np.zeros(6), 1e-4
    v[3:] = [0.5, -0.5, 0.3]
    com, J = x.world.center_of_mass(start)
    v -= np.linalg.pinv(J) @ (J @ v)
    q = start.copy()
    for _ in range(200):
        # gains hold what steps of this length miss
        com_now, J = x.world.center_of_mass(q)
        out = hold(q, v, np.zeros(6), 1e4 * (com - com_now) - 200 * (J @ v))
        a = pin.aba(model, data, q, v, out.tau_command)
        assert error(out.a, a) < 1e-8
        q, v = q + dt * v + dt * dt / 2 * a, v + dt * a
    assert np.abs(q - start).max() > 1e-3
    assert np.abs(x.world.center_of_mass(q)[0] - com).max() < 1e-7


@pytest.mark.parametrize("seed", range(trials(6)))
def test_operational_space_of_the_center_of_mass(seed: int) -> None:
    x = Moving(seed, mimic=seed % 2 == 0)
    rows: list[Rows] = [mc.CenterOfMass("z")]
    J, bias = all_rows(x.world, x.V, x.robot, x.G, rows)
    g, sway = x.G.T @ x.world.gravity_forces(x.Q), np.linalg.solve(x.M, J.T)
    out = mc.operational_space(x.robot, rows, outputs=["Lambda", "mu", "p", "J", "bias"]).run(x.q, x.v)
    Lambda = np.linalg.inv(J @ sway)
    assert error(out.J, J) < 1e-10
    assert error(out.bias, bias) < 1e-10
    assert error(out.Lambda, Lambda) < 1e-9
    assert error(out.mu, Lambda @ (sway.T @ (x.h - g) - bias)) < 1e-9
    assert error(out.p, Lambda @ sway.T @ g) < 1e-9


def test_motors_at_their_limits_come_as_near_as_they_can() -> None:
    x = Real("ur5_robot", seed=2)
    within = mc.constrained_dynamics(x.robot, mc.CenterOfMass("xz"), limits={"elbow_joint": 1.0})
    b = np.array([3.0, -2.0])
    out = within.run(x.q, x.v, x.tau, b)
    assert abs(out.tau_command[2]) <= 1.0
    J, bias = all_rows(x.world, x.V, x.robot, x.G, [mc.CenterOfMass("xz")])
    assert error(J @ out.a + bias - b, out.residual) < 1e-9
    assert error(x.M @ out.a + x.h, out.tau_command) < 1e-9


def test_derivatives_are_those_of_differences() -> None:
    plain = mc.constrained_dynamics(mc.load("planar2"), mc.CenterOfMass("x"), outputs=["a"])
    q, *rest = np.array([0.3, 0.7]), [1.0, -2.0], [0.1, 0.2], [0.5]
    by_q = plain.derivative("a", "q").run(q, *rest)
    differences = [(plain.run(q + d, *rest) - plain.run(q - d, *rest)) / 2e-6 for d in 1e-6 * np.eye(2)]
    assert error(by_q, np.array(differences).T) < 1e-7


def test_masses_that_are_open_move_the_center_of_mass() -> None:
    robot = mc.load("planar2")
    rows, state = mc.CenterOfMass("x"), ([0.3, 0.7], [1.0, -2.0], [0.1, 0.2], [0.5])
    plain = mc.constrained_dynamics(robot, rows, outputs=["a"])
    opened = mc.constrained_dynamics(robot, rows, outputs=["a"], parameters=["forearm.mass"])
    assert error(opened.run(*state, *opened.defaults.values()), plain.run(*state)) < 1e-12
    assert error(opened.run(*state, 3.0), plain.run(*state)) > 1e-3


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: mc.CenterOfMass("rx"), "a point does not turn"),
        (lambda: mc.CenterOfMass("x x"), "at most once"),
        (lambda: mc.CenterOfMass(np.eye(6)), "3×m"),
        (lambda: mc.Momentum(np.eye(3)), "6×m"),
        (lambda: mc.Momentum(level=0), "Momentum: level"),
        (lambda: mc.CenterOfMass(weight=-1), "CenterOfMass: weight"),
        (lambda: mc.constrained_dynamics(mc.load("planar2"), mc.CenterOfMass("x", "nowhere")), "nowhere"),
        (lambda: mc.impact(mc.load("planar2"), mc.CenterOfMass("x")), "nothing strikes all of them"),
        (lambda: mc.jacobian(mc.load("planar2"), mc.CenterOfMass("x")), "mc.center_of_mass"),
        (lambda: mc.forward_kinematics(mc.load("planar2"), [mc.Momentum()]), "is no frame"),
    ],
)
def test_what_has_no_meaning_is_refused(wrong, said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        wrong()


def test_they_are_shown_as_one_would_write_them() -> None:
    assert repr(mc.CenterOfMass("xy", level=2)) == "CenterOfMass(rows='xy', level=2)"
    assert mc.Momentum(np.eye(6)[:, :2]) == mc.Momentum(np.eye(6)[:, :2]) != mc.Momentum(np.eye(6)[:, 1:3])
    (port,) = [p for p in mc.constrained_dynamics(mc.load("planar2"), mc.Momentum("rz")).inputs if p.name == "b"]
    assert "momentum.rz" in port.meaning
    assert port.unit == "rad/s², m/s²; of momentum N m, N"
