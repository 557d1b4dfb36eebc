"""How programs grow with the robot: by the same number of operations for every joint, where dense routes grow faster.

A joint's share is a whole number, so that ten joints and twenty foretell a thousand; that these are as foretold takes
two minutes to see, and is looked at by `make test-long`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from all_joints import JointByJoint
from chains import SOLVERS, chain, held, links, planar, size
from motionc.solvers.forward_dynamics import COUPLED_DYNAMICS, FORWARD_DYNAMICS, ForwardDynamics
from motionc.sweeps import Problem
from motionc.sweeps.trace import trace
from oracle import Array, error
from pace import Least, least_times
from rows import row
from tiers import needs_compiler
from trials import LONG


def slope(sizes: list[int]) -> float:
    """Of log(operations) over log(joints) when joints double, the last time."""
    return float(np.log2(sizes[-1] / sizes[-2]))


def by_mass_matrix(robot: mc.Robot) -> int:
    still = {"a": np.zeros((robot.nv, 1))}
    solver = replace(
        ForwardDynamics().solver(robot),
        schedule=COUPLED_DYNAMICS,
        question=lambda mechanism: Problem({}, constants=still),
        collect={"a": lambda graph: graph.world.accelerations.values},
    )
    return sum(trace(solver).operations.values())


def by_articulated_bodies(robot: mc.Robot) -> int:
    return sum(trace(replace(ForwardDynamics().solver(robot), schedule=FORWARD_DYNAMICS)).operations.values())


# ---------------------------------------------------------------- linear


@row("motion-stack", 34)
@row("itasc", 47)
@row("lazy-control", 11)
@row("multibody-methodology", 15)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_joint_adds_the_same_number_of_operations(solver: str, record_property: Callable) -> None:
    sizes = [size(SOLVERS[solver](chain(joints))) for joints in (12, 18, 24)]
    record_property("operations", sizes)
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]


def reached_along_x(robot: mc.Robot) -> mc.Computation:
    """Constrained dynamics of the last link, one row."""
    return mc.constrained_dynamics(robot, [mc.Constraint(robot.link_names[-1], "x")], outputs=["a"])


GROWN = [
    pytest.param(mc.inverse_dynamics, (10, 20, 200), marks=row("motion-stack", 34)),
    pytest.param(reached_along_x, (10, 12, 120), marks=[row("itasc", 47), row("lazy-control", 11)]),
]


@needs_compiler
@pytest.mark.parametrize(("make", "joints"), GROWN)
def test_ten_times_as_many_joints_take_ten_times_as_many_operations_and_as_long(
    make: Callable[[mc.Robot], mc.Computation], joints: tuple[int, ...], record_property: Callable
) -> None:
    """Exactly, in operations; compiled, the time of a joint may double, where all that is dense grows tenfold."""
    fewest, few, many = (make(planar(n)) for n in joints)
    assert (size(many) - size(few)) / (size(few) - size(fewest)) == (joints[2] - joints[1]) / (joints[1] - joints[0])

    def block(asked: mc.Computation) -> Callable[[], object]:
        rng = np.random.default_rng(0)
        state = [0.1 * rng.normal(size=port.shape) for port in asked.inputs]
        return lambda: [asked(*state) for _ in range(20)]

    def a_joint(best: Least) -> float:
        return best["many"] / best["few"] / 10

    best = least_times({"few": block(few), "many": block(many)}, lambda best: a_joint(best) < 2)
    record_property("time of a joint, more joints ÷ few", a_joint(best))
    assert "interpreted" not in (few.tier, many.tier)
    assert a_joint(best) < 2


@pytest.mark.skipif(not LONG, reason="a thousand joints are for make test-long")
@row("motion-stack", 34)
@row("itasc", 47)
@pytest.mark.parametrize("solver", SOLVERS)
def test_ten_joints_foretell_a_thousand(solver: str) -> None:
    ten, twenty, many = (size(SOLVERS[solver](chain(joints))) for joints in (10, 20, 1000))
    assert many == ten + 99 * (twenty - ten)


@row("motion-stack", 34)
@row("itasc", 47)
def test_by_the_mass_matrix_operations_grow_faster_than_squared() -> None:
    assert slope([by_mass_matrix(planar(joints)) for joints in (12, 24)]) > 2
    assert slope([size(mc.mass_matrix(planar(joints))) for joints in (12, 24)]) > 2


@row("multibody-methodology", 16)
def test_beyond_some_joints_articulated_bodies_are_shorter_than_the_mass_matrix(record_property: Callable) -> None:
    """Ten joints, turned by right angles; more than five in the thesis."""
    sizes = {n: (by_articulated_bodies(chain(n)), by_mass_matrix(chain(n))) for n in (5, 8, 9, 10)}
    record_property("operations by articulated bodies and by the mass matrix", sizes)
    crossover = min(n for n, (articulated, dense) in sizes.items() if articulated < dense)
    record_property("joints from which on articulated bodies are shorter", crossover)
    assert crossover == 10
    assert [articulated < dense for articulated, dense in sizes.values()] == [n >= crossover for n in sizes]
    assert [size(mc.forward_dynamics(chain(n))) for n in sizes] == [min(both) for both in sizes.values()]


# ---------------------------------------------------------------- nothing as large as the robot


def numbers(computation: mc.Computation, *inputs: Array) -> Iterator[int]:
    """How many coordinates each value has that an operation leaves, as the trace lists them."""
    lines: list[str] = []
    computation.run(*inputs, trace=lines.append)
    for line in lines:
        if " with " in line:
            yield sum(len(re.split("[,;]", found)) for found in re.findall(r"\[([^\[\]]*)\]", line.split(" with ")[1]))


@row("motion-stack", 34)
def test_no_value_on_the_way_is_larger_for_a_longer_robot() -> None:
    """No Jacobian and no mass matrix; where there is one, the trace shows it."""
    largest, of_mass_matrix = [], []
    for joints in (10, 30):
        robot, still = chain(joints), np.zeros(joints)
        q = np.random.default_rng(joints).normal(size=joints)
        outputs = ["a", "tau_command", "multipliers", "residual", "rank", "coupling"]
        largest.append(max(numbers(held(robot, outputs=outputs), q, still, still, np.zeros(6))))
        of_mass_matrix.append(max(numbers(mc.mass_matrix(robot), q)))
    assert largest == [36, 36]
    assert of_mass_matrix == [10**2, 30**2]


@row("multibody-methodology", 15)
@pytest.mark.parametrize("joints", [1, 2, 3, 8, 50])
def test_forward_undoes_inverse_dynamics_and_is_the_dense_solve(joints: int) -> None:
    """With Pinocchio's mass matrix and bias forces."""
    robot, rng = chain(joints), np.random.default_rng(joints)
    world = JointByJoint(links(joints), robot)
    q, v, a = 0.3 * rng.normal(size=(3, joints))
    tau = mc.inverse_dynamics(robot).run(q, v, a)
    M, h = world.mass_matrix(q), world.bias_forces(q, v, (0, 0, -9.81))
    assert error(tau, M @ a + h) < 1e-10
    found = mc.forward_dynamics(robot).run(q, v, tau)
    assert error(found, a) < 1e-8
    assert error(M @ found + h, tau) < 1e-10


def test_a_hundred_joints_are_computed_as_well_as_ten() -> None:
    """Step by step, against the accelerations one began with."""
    joints = 100
    robot, rng = chain(joints), np.random.default_rng(2)
    q, v, a = 0.3 * rng.normal(size=(3, joints))
    tau = mc.inverse_dynamics(robot).run(q, v, a)
    tip = mc.frame_motion(robot, robot.link_names[-1], outputs=["classical"]).run(q, v, a)[0]
    b = tip[[3, 4, 5, 0, 1, 2]]
    out = held(robot).run(q, v, tau, b)
    assert error(out.a, a) < 1e-7
    assert np.abs(out.multipliers).max() < 1e-6 * np.abs(tau).max()
