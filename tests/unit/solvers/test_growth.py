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
from chains import SOLVERS, chain, held, size
from motionc.solvers.forward_dynamics import COUPLED_DYNAMICS, ForwardDynamics
from motionc.sweeps import Problem
from motionc.sweeps.trace import trace
from oracle import Array, error
from rows import row
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


# ---------------------------------------------------------------- linear


@row("motion-stack", 34)
@row("itasc", 47)
@row("lazy-control", 11)
@row("multibody-methodology", 15)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_joint_adds_the_same_number_of_operations(solver: str, record_property: Callable) -> None:
    sizes = [size(SOLVERS[solver](chain(joints))) for joints in (5, 10, 20, 40)]
    record_property("operations", sizes)
    share = (sizes[2] - sizes[1]) / 10
    assert sizes[3] - sizes[2] == 20 * share
    assert slope(sizes) < 1.15
    # from five to two hundred joints
    foretold = sizes[3] + 160 * share
    assert np.log(foretold / sizes[0]) / np.log(200 / 5) < 1.3


@row("motion-stack", 34)
@row("itasc", 47)
@pytest.mark.parametrize("solver", SOLVERS if LONG else ["inverse"])
def test_ten_joints_foretell_hundreds(solver: str) -> None:
    most = 1000 if LONG else 150
    ten, twenty, many = (size(SOLVERS[solver](chain(joints))) for joints in (10, 20, most))
    assert many == ten + (most // 10 - 1) * (twenty - ten)


@row("motion-stack", 34)
@row("itasc", 47)
def test_by_the_mass_matrix_operations_grow_faster_than_squared() -> None:
    assert slope([by_mass_matrix(chain(joints)) for joints in (20, 40)]) > 2
    assert slope([size(mc.mass_matrix(chain(joints))) for joints in (20, 40)]) > 1.9


@row("multibody-methodology", 16)
def test_beyond_some_joints_articulated_bodies_are_shorter_than_the_mass_matrix(record_property: Callable) -> None:
    sizes = {n: (size(mc.forward_dynamics(chain(n))), by_mass_matrix(chain(n))) for n in (5, 8, 11)}
    record_property("operations by articulated bodies and by the mass matrix", sizes)
    assert [articulated < dense for articulated, dense in sizes.values()] == [False, False, True]


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
    for joints in (8, 30):
        robot, still = chain(joints), np.zeros(joints)
        q = np.random.default_rng(joints).normal(size=joints)
        outputs = ["a", "tau_command", "multipliers", "residual", "rank", "coupling"]
        largest.append(max(numbers(held(robot, outputs=outputs), q, still, still, np.zeros(6))))
        of_mass_matrix.append(max(numbers(mc.mass_matrix(robot), q)))
    assert largest == [36, 36]
    assert of_mass_matrix == [8**2, 30**2]


@row("multibody-methodology", 15)
@pytest.mark.parametrize("joints", [1, 2, 3, 8, 50])
def test_forward_undoes_inverse_dynamics_and_is_the_dense_solve(joints: int) -> None:
    robot, rng = chain(joints), np.random.default_rng(joints)
    q, v, a = 0.3 * rng.normal(size=(3, joints))
    tau = mc.inverse_dynamics(robot).run(q, v, a)
    forward = mc.forward_dynamics(robot)
    assert error(forward.run(q, v, tau), a) < 1e-8
    M, h = mc.mass_matrix(robot).run(q), mc.bias_forces(robot).run(q, v)
    assert error(M @ forward.run(q, v, tau) + h, tau) < 1e-10


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
