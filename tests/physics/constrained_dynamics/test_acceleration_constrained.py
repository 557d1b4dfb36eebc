"""What the solver of lazy control owes (specs/lazy-control.md §2.2–2.6): on random arms of seven joints, beside the
recursion as the books print it, and on arms people have.
"""

import numpy as np
import pytest

import motionc as mc
from motionc.robots import robot_file
from oracle import Array, Oracle, constraint_rows, error, kkt, unit_wrenches
from printed import Arm
from rows import row

C = mc.Constraint
ALL = "rx ry rz x y z"
NO_TORQUE = np.zeros(7)
SEEDS = range(5)


@pytest.fixture(params=[0.0, 0.05, 5.0], ids=lambda rotor: f"rotors of {rotor}")
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm(seed=7, rotor=request.param)


def true_acceleration(arm: Arm, a: Array) -> Array:
    """Of the tip, spatial, in world axes: Pinocchio's."""
    arm.place(arm.q, arm.v)
    return arm.world.jacobian(arm.tip) @ a + arm.world.bias(arm.tip, kind="spatial")


def random_rows(rng: np.random.Generator, m: int) -> Array:
    return np.linalg.qr(rng.normal(size=(6, 6)))[0][:, :m]


def ask(arm: Arm, rows: str | Array, **options) -> mc.Computation:
    return mc.constrained_dynamics(arm.robot, [C(arm.tip, rows, kind="spatial")], **options)


# ---------------------------------------------------------------- the rows are met, at the least cost


@row("lazy-control", 1, 2)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("m", range(1, 7))
def test_rows_are_met_by_the_acceleration_gauss_would_choose(m: int, seed: int) -> None:
    """It is that of a dense solve of (4.1), H, C and J from Pinocchio, and that of the recursion in the books."""
    arm = Arm(seed, rotor=0.1 * seed)
    rows, b = random_rows(arm.rng, m), arm.rng.normal(size=m)
    out = ask(arm, rows).run(arm.q, arm.v, arm.tau, b)
    assert np.linalg.norm(rows.T @ true_acceleration(arm, out.a) - b) < 1e-9
    J, bias, _ = constraint_rows(arm.world, [C(arm.tip, rows, kind="spatial")])
    h = arm.world.bias_forces(arm.q, arm.v, (0, 0, -9.81))
    a, multipliers = kkt(arm.world.mass_matrix(arm.q), J, arm.tau - h, b - bias)
    assert error(out.a, a) < 1e-9
    printed = arm.solve(rows, b, arm.tau)
    assert error(printed.a, a) < 1e-9
    assert error(-printed.nu, multipliers) < 1e-9


@row("lazy-control", 3)
def test_zero_means_that_the_tip_does_not_accelerate(arm: Arm) -> None:
    """With the printed sign of U_N the recursion asks for twice gravity; without U_N, for free fall."""
    arm.place(arm.q, NO_TORQUE)
    b, up = np.zeros(6), np.array([0, 0, 0, 0, 0, 9.81])
    out = ask(arm, ALL).run(arm.q, arm.v, NO_TORQUE, b)
    assert np.abs(true_acceleration(arm, out.a)).max() < 1e-9
    ours, none, printed = (arm.solve(np.eye(6), b, NO_TORQUE, shift=shift).a for shift in (-1.0, 0.0, 1.0))
    assert error(out.a, ours) < 1e-9
    assert error(true_acceleration(arm, none), -up) < 1e-9
    assert error(true_acceleration(arm, printed), -2 * up) < 1e-9


@row("lazy-control", 4, 6)
def test_zeroed_columns_are_dropped_columns_and_with_all_of_them_zero_the_arm_falls(arm: Arm) -> None:
    kept = [0, 3, 4]
    zeroed, b = np.zeros((6, 6)), arm.rng.normal(size=6)
    zeroed[:, kept] = random_rows(arm.rng, 3)
    one = ask(arm, zeroed).run(arm.q, arm.v, arm.tau, b)
    other = ask(arm, zeroed[:, kept]).run(arm.q, arm.v, arm.tau, b[kept])
    assert error(one.a, other.a) < 1e-12
    assert error(one.tau_command, other.tau_command) < 1e-12
    assert (one.rank, other.rank) == (3, 3)

    falls = arm.world.forward_dynamics(arm.q, arm.v, NO_TORQUE)
    for nothing, none in ((ask(arm, np.zeros((6, 6))), np.zeros(6)), (mc.constrained_dynamics(arm.robot, []), [])):
        out = nothing.run(arm.q, arm.v, NO_TORQUE, none)
        assert np.array_equal(out.tau_command, NO_TORQUE)
        assert error(out.a, falls) < 1e-10


@row("lazy-control", 5)
@pytest.mark.parametrize("rows", ["x", "rx ry rz x y"])
def test_a_tool_forbidden_some_directions_falls_along_the_others(rows: str) -> None:
    """(4.3) x alone; (4.4) all but z."""
    robot, q, still = mc.load("lwr4"), np.array([0.4, 0.7, -0.3, 1.2, 0.5, -0.8, 0.2]), np.zeros(7)
    world = Oracle(robot_file("lwr4"), robot)
    a = mc.constrained_dynamics(robot, [C("link_7", rows)]).run(q, still, still, np.zeros(len(rows.split()))).a
    world.place(q, still)
    reached = world.jacobian("link_7") @ a + world.bias("link_7")
    assert np.abs(unit_wrenches(rows).T @ reached).max() < 1e-9
    assert reached[5] < -0.5


# ---------------------------------------------------------------- which torque to send


@row("lazy-control", 7)
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_of_the_commanded_torque_is_the_acceleration_and_of_the_printed_one_is_not(seed: int) -> None:
    """The projected torque errs less the more the rotors weigh."""
    missed = {}
    for rotor in (0.0, 0.05, 5.0):
        arm = Arm(seed, rotor)
        b = 0.5 * arm.rng.normal(size=6)
        out = ask(arm, np.eye(6)).run(arm.q, arm.v, NO_TORQUE, b)
        printed = arm.solve(np.eye(6), b, NO_TORQUE)
        scale = max(1.0, np.abs(out.a).max())
        replayed = arm.world.forward_dynamics(arm.q, arm.v, out.tau_command)
        assert np.abs(replayed - out.a).max() < 1e-9 * scale
        assert error(out.tau_command, printed.tau) < 1e-9
        missed[rotor] = np.linalg.norm(arm.world.forward_dynamics(arm.q, arm.v, printed.tau_projected) - out.a)
    assert missed[0.0] > missed[0.05] > missed[5.0] > 1e-3
    assert missed[0.0] > 5


# ---------------------------------------------------------------- artificial drivers


def pushed(arm: Arm, rows: Array, b: Array, tau: Array, **forces: Array) -> mc.Results:
    """Constrained dynamics under wrenches on the tip in world axes, physical (f_ext) and artificial (f_art)."""
    place = [mc.Force(arm.tip, as_seen_by="world")]
    wrenches = {name: [forces.get(name, np.zeros(6))] for name in ("f_ext", "f_art")}
    dynamics = ask(arm, rows, external_forces=place, artificial_forces=place)
    return dynamics.run(arm.q, arm.v, tau, b, *wrenches.values())


@row("lazy-control", 8)
@pytest.mark.parametrize("m", [1, 3, 5])
def test_an_artificial_force_moves_what_is_free_and_nothing_else(arm: Arm, m: int) -> None:
    rows, b, f = random_rows(arm.rng, m), arm.rng.normal(size=m), 5 * arm.rng.normal(size=6)
    J = arm.world.jacobian(arm.tip)
    still, moved = pushed(arm, rows, b, arm.tau), pushed(arm, rows, b, arm.tau, f_art=f)
    assert np.abs(rows.T @ true_acceleration(arm, moved.a) - b).max() < 1e-9
    assert error(moved.a, still.a) > 1e-6

    # a force is the torque Jᵀ f; without rows that is all there is to it
    by_torque = pushed(arm, rows, b, arm.tau + J.T @ f)
    assert error(by_torque.a, moved.a) < 1e-10
    assert error(by_torque.tau_command, moved.tau_command) < 1e-10
    free = mc.constrained_dynamics(arm.robot, [], artificial_forces=[mc.Force(arm.tip, as_seen_by="world")])
    fallen = free.run(arm.q, arm.v, arm.tau, [], [f]).a
    assert error(fallen, arm.world.forward_dynamics(arm.q, arm.v, arm.tau + J.T @ f)) < 1e-10

    # within the rows, multipliers take it up
    taken = pushed(arm, rows, b, arm.tau, f_art=rows @ b)
    assert error(taken.a, still.a) < 1e-10
    assert error(taken.multipliers, still.multipliers - b) < 1e-9


@row("lazy-control", 9)
def test_a_physical_and_an_artificial_force_differ_in_who_makes_it(arm: Arm) -> None:
    rows, b, f = random_rows(arm.rng, 4), arm.rng.normal(size=4), 5 * arm.rng.normal(size=6)
    physical, artificial = pushed(arm, rows, b, arm.tau, f_ext=f), pushed(arm, rows, b, arm.tau, f_art=f)
    assert error(physical.a, artificial.a) < 1e-12
    assert error(artificial.tau_command - physical.tau_command, arm.world.jacobian(arm.tip).T @ f) < 1e-10


# ---------------------------------------------------------------- poses and arms that cannot do everything


@row("lazy-control", 12)
def test_a_stretched_arm_gets_finite_answers_and_is_told() -> None:
    """Rank, residual and conditioning say so; damped by μ, ‖Jᵀ λ‖ in the norm of M⁻¹ is at most ‖missing‖ / 2√μ.

    Conditioning is how much of its coupling a row shares with those before it: between the least and the largest
    Λ_ii (Λ⁻¹)_ii, Λ from Pinocchio's J and M.
    """
    robot, still, damping = mc.load("lwr4"), np.zeros(7), 1e-2
    world = Oracle(robot_file("lwr4"), robot)
    rows = [C("link_7", ALL)]
    outputs = ["a", "tau_command", "multipliers", "residual", "coupling"]
    exact = mc.constrained_dynamics(robot, rows, outputs=[*outputs, "rank", "conditioning"])
    damped = mc.constrained_dynamics(robot, rows, outputs=outputs, regularisation=damping)
    b, undamped, conditioning = np.array([0, 0, 0, 0, 0, 1.0]), list[float](), list[float]()
    for bend in (0.0, 1e-14, 1e-9, 1e-4, 1e-2, 1.0):
        q = np.array([0.3, 0.5, 0.2, bend, 0.4, 0.8, 0.1])
        out, calm = exact.run(q, still, still, b), damped.run(q, still, still, b)
        for answer in (out, calm):
            assert all(np.all(np.isfinite(value)) for value in answer.values())
        world.place(q, still)
        J, M, free = world.jacobian("link_7"), world.mass_matrix(q), world.forward_dynamics(q, still, still)
        bound = np.linalg.norm(b - J @ free) / (2 * np.sqrt(damping))
        sizes = [np.sqrt(torque @ np.linalg.solve(M, torque)) for torque in (calm.tau_command, out.tau_command)]
        assert sizes[0] <= bound
        undamped.append(sizes[1] / bound)
        stretched = bend < 1e-6
        assert out.rank == (5 if stretched else 6)
        assert any("rank 5 of 6" in note for note in out.notes) == stretched
        assert (np.linalg.cond(out.coupling) > 1e12) == stretched
        if not stretched:
            coupling = J @ np.linalg.solve(M, J.T)
            shared = np.diag(coupling) * np.diag(np.linalg.inv(coupling))
            assert shared.min() * (1 - 1e-6) <= out.conditioning <= shared.max() * (1 + 1e-6)
            conditioning.append(float(out.conditioning))
        assert (np.abs(out.residual).max() > 1e-2) == stretched
    assert max(undamped) > 100
    assert conditioning[0] > 1e4 * conditioning[2]


@row("lazy-control", 13)
@pytest.mark.parametrize("rows", ["xyz", "x y", "z"])
def test_an_arm_of_five_joints_follows_three_directions(rows: str) -> None:
    robot, rng = mc.load("youbot_arm"), np.random.default_rng(3)
    assert robot.nv == 5
    tool, world = robot.link_names[-1], Oracle(robot_file("youbot_arm"), robot)
    dynamics, compared = mc.constrained_dynamics(robot, [C(tool, rows)]), 0
    for _ in range(20):
        q, v, tau, b = robot.random(rng), *rng.normal(size=(2, 5)), rng.normal(size=unit_wrenches(rows).shape[1])
        out = dynamics.run(q, v, tau, b)
        world.place(q, v)
        J, bias, _ = constraint_rows(world, [C(tool, rows)])
        if np.linalg.cond(J) > 1e3:
            continue
        a, _ = kkt(world.mass_matrix(q), J, tau - world.bias_forces(q, v, (0, 0, -9.81)), b - bias)
        assert out.rank == len(b)
        assert error(out.a, a) < 1e-9
        assert error(J @ out.a + bias, b) < 1e-9
        compared += 1
    assert compared > 15


# ---------------------------------------------------------------- the null space


@row("lazy-control", 35)
def test_torques_move_the_elbow_and_not_the_hand_and_a_posture_ends_what_moves_by_itself() -> None:
    """The hand of seven joints is held for three seconds, its elbow kicked aside; nobody carries the elbow's weight."""
    robot, dt = mc.load("lwr4"), 4e-3
    start = np.array([0.4, 0.7, -0.3, 1.2, 0.5, -0.8, 0.2])
    held = mc.constrained_dynamics(robot, [C("link_7", "rx ry rz x y z")])
    jacobian, poses = mc.jacobian(robot, "link_7"), mc.forward_kinematics(robot, ["link_4", "link_7"])
    aside, home = np.linalg.svd(jacobian(start))[2][-1], poses(start)

    def moved(stiffness: float, damping: float, push: float = 0.0) -> tuple[Array, Array]:
        """How far elbow and hand were off, from step to step."""
        q, v, off = start, 0.3 * aside, []
        for _ in range(round(3 / dt)):
            elbow, hand = poses(q)
            h = np.append(rotation_error(hand[:3, :3] @ home[1, :3, :3].T), (hand - home[1])[:3, 3])
            posture = stiffness * (start - q) - damping * v + push * aside
            out = held(q, v, posture, -40 * jacobian(q) @ v - 400 * h)
            assert np.abs(out.residual).max() < 1e-9
            v = v + dt * out.a
            q = q + dt * v
            off.append([np.linalg.norm(elbow[:3, 3] - home[0, :3, 3]), np.linalg.norm(h)])
        return np.array(off).T

    alone, posture, pushed = moved(0, 0), moved(40, 20), moved(40, 20, push=10.0)
    for _, hand in (alone, posture, pushed):
        assert hand.max() < 5e-3
    assert alone[0].max() > 0.2
    assert posture[0].max() < 0.01
    assert pushed[0][-1] > 0.03
    # and it has come to rest
    for elbow, _ in (posture, pushed):
        assert np.ptp(elbow[-50:]) < 1e-3


def rotation_error(R: Array) -> Array:
    """The small rotation, as a vector."""
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
