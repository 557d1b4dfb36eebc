"""Derivatives of programs: every instruction, every kernel, at full rank and below it, forward and transposed."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

import motionc as mc
from boxes import random_box
from motionc.program import Instruction, Program
from motionc.program.derive.differentiate import jacobian, pullback, pushforward
from motionc.program.derive.sparsity import Sparsity
from motionc.program.evaluate import evaluate
from motionc.program.instructions import OPERATIONS
from motionc.program.kernels import KERNELS, Call
from motionc.program.kernels.box_solve import box_solve
from motionc.solvers.constrained_dynamics import ConstrainedDynamics
from motionc.solvers.forward_dynamics import ForwardDynamics
from motionc.solvers.gravity_forces import GravityForces
from motionc.sweeps import Port
from motionc.sweeps.trace import trace

STEP = 1e-6


def of_instruction(op: str, count: int) -> Program:
    steps = [*(Instruction("input", (), (0, k)) for k in range(count)), Instruction(op, tuple(range(count)))]
    return Program(
        "p", f"y = {op}(x)", (Port("x", (count,), "1", "in"),), (Port("y", (), "1", "out"),), tuple(steps), ((count,),)
    )


def of_call(call: Call, outputs: Sequence[int]) -> Program:
    """A kernel on its own: A and r as one input, some of what it gives."""
    steps = [Instruction("input", (), (0, k)) for k in range(call.inputs)]
    steps.append(Instruction("call", tuple(range(call.inputs)), call))
    steps += [Instruction("pick", (call.inputs,), k) for k in outputs]
    results = tuple(range(call.inputs + 1, len(steps)))
    ports = (Port("x", (call.inputs,), "1", "in"),), (Port("y", (len(outputs),), "1", "out"),)
    return Program("p", "y = f(x)", *ports, tuple(steps), (results,))


def along(program: Program, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """dy, and the same from a pullback."""
    forward, back = pushforward(program, ["y"], ["x"]), pullback(program, ["y"], ["x"])
    dy = evaluate(forward, {"x": x, "dx": dx})["dy"]
    weights = np.random.default_rng(1).normal(size=dy.shape)
    gradient = evaluate(back, {"x": x, "y_bar": weights})["x_bar"]
    assert np.sum(dy * weights) == pytest.approx(np.sum(dx * gradient), rel=1e-9, abs=1e-9)
    return dy


def value(program: Program, x: np.ndarray) -> np.ndarray:
    return evaluate(program, {"x": x})["y"]


# ---------------------------------------------------------------- instructions


@pytest.mark.parametrize("op", sorted(OPERATIONS))
def test_every_instruction_changes_as_finite_differences_say(op: str) -> None:
    program = of_instruction(op, OPERATIONS[op].arguments)
    size = program.inputs[0].size
    for x in np.random.default_rng(0).uniform(0.3, 2, (5, size)):
        dx = np.random.default_rng(1).normal(size=size)
        expected = (value(program, x + STEP * dx) - value(program, x - STEP * dx)) / (2 * STEP)
        assert along(program, x, dx) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("op", "x"), [("abs", [0.0]), ("sqrt", [0.0]), ("sign", [0.0]), ("atan2", [0.0, 0.0])])
def test_at_a_kink_nothing_changes(op: str, x: list[float]) -> None:
    assert along(of_instruction(op, len(x)), np.array(x), np.ones(len(x))) == 0.0


@pytest.mark.parametrize("op", ["min", "max"])
def test_of_equal_values_one_counts(op: str) -> None:
    assert along(of_instruction(op, 2), np.ones(2), np.array([2.0, 3.0])) in (2.0, 3.0)


def test_what_is_not_selected_may_be_infinite() -> None:
    """x / 0 on the other side of a select spoils neither reading."""
    steps = (
        Instruction("input", (), (0, 0)),
        Instruction("const", (), 0.0),
        Instruction("div", (0, 1)),
        Instruction("less", (1, 0)),
        Instruction("select", (3, 0, 2)),
    )
    port = Port("x", (1,), "1", "in")
    program = Program("p", "y = x", (port,), (Port("y", (1,), "1", "out"),), steps, ((4,),))
    assert evaluate(pushforward(program, ["y"], ["x"]), {"x": np.ones(1), "dx": np.ones(1)})["dy"] == 1.0


# ---------------------------------------------------------------- kernels


def system(rng: np.random.Generator, m: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """A half of a symmetric matrix of this rank, and a change that keeps it."""
    return rng.normal(size=(m, rank)), rng.normal(size=(m, rank))


SEMIDEFINITE = ("truncated_solve", "range_solve", "truncated_inverse")
BLOCKS = ((4,), (2, 2), (1, 2, 1))


@pytest.mark.parametrize(
    ("kernel", "rank", "blocks"), [("ldlt_solve", 4, (4,)), *product(SEMIDEFINITE, (1, 2, 3, 4), BLOCKS)]
)
def test_a_solve_changes_as_finite_differences_say(kernel: str, rank: int, blocks: tuple[int, ...]) -> None:
    """Whatever the rank, which stays; range_solve may choose among many x, so that A x is compared."""
    m = sum(blocks)
    rng, call = np.random.default_rng(10 * rank + len(blocks)), Call(kernel, blocks)
    half, turn = system(rng, m, rank)
    (r, dr), right = rng.normal(size=(2, m)), KERNELS[kernel].right
    program = of_call(call, range(m * m if kernel == "truncated_inverse" else m))

    def given(t: float) -> tuple[np.ndarray, np.ndarray]:
        A = (half + t * turn) @ (half + t * turn).T
        return A, np.concatenate([A.ravel(), (r + t * dr)[: m * right]])

    def answer(t: float) -> np.ndarray:
        A, x = given(t)
        return A @ value(program, x) if kernel == "range_solve" else value(program, x)

    expected = (answer(STEP) - answer(-STEP)) / (2 * STEP)
    (A, x), dA = given(0.0), half @ turn.T + turn @ half.T
    found = along(program, x, np.concatenate([dA.ravel(), dr[: m * right]]))
    if kernel == "range_solve":
        found = A @ found + dA @ value(program, x)
    assert found == pytest.approx(expected, abs=1e-7 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("blocks", [(4, 0, 2), (5, 0, 1, 2), (3, 0, 3)])
@pytest.mark.parametrize("seed", range(2))
def test_the_best_in_a_box_changes_on_its_active_set(blocks: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = blocks[0], sum(blocks)
    box, call = random_box(rng, blocks), box_solve(blocks).call(m)
    box.bounds[:] += [-0.1, 0.1]  # where the search starts, at 0, no bound may pass
    program, x = of_call(call, range(n)), box.rows.ravel()
    tilt = 0.1 * rng.normal(size=(m, m))
    change = tilt @ box.matrix + box.matrix @ tilt.T  # as congruences change it, which keep its rank
    dx = np.hstack([change[:, :n], rng.normal(size=(m, 3))]).ravel()
    expected = (value(program, x + STEP * dx) - value(program, x - STEP * dx)) / (2 * STEP)
    assert along(program, x, dx) == pytest.approx(expected, abs=1e-6 * max(1.0, np.abs(expected).max()))


# ---------------------------------------------------------------- Jacobians


def test_columns_and_rows_give_the_same_jacobian() -> None:
    """Three outputs of nine inputs go by rows, nine of three by columns; both are the pushforward's columns."""
    rng = np.random.default_rng(0)
    for given, found in ((9, 3), (3, 9)):
        steps = [Instruction("input", (), (0, k)) for k in range(given)]
        for _ in range(40):
            a, b = rng.integers(len(steps), size=2)
            steps.append(Instruction(str(rng.choice(["add", "mul", "sub"])), (int(a), int(b))))
        ports = (Port("x", (given,), "1", "in"),), (Port("y", (found,), "1", "out"),)
        results = tuple(range(len(steps) - found, len(steps)))
        program, x = Program("p", "y = f(x)", *ports, tuple(steps), (results,)), rng.uniform(0.5, 1, given)
        whole = evaluate(jacobian(program, ["y"], ["x"]).program, {"x": x})["dy_dx"]
        columns = [along(program, x, unit) for unit in np.eye(given)]
        assert whole == pytest.approx(np.array(columns).T, rel=1e-12)


def test_what_does_not_change_is_known_in_advance() -> None:
    first = jacobian(trace(GravityForces(gravity=(0, 0, 0)).solver(mc.load("planar2"))), ["g"], ["q"])
    assert not np.any(first.nonzero[0])
    assert Sparsity.of(first.nonzero[0]).rows.size == 0


def test_a_gradient_costs_less_than_five_computations() -> None:
    program = trace(ForwardDynamics().solver(mc.load("panda")))
    back = pullback(program, ["a"], ["q", "v", "tau"])
    assert sum(back.operations.values()) < 5 * sum(program.operations.values())


def test_names_are_checked_and_reports_are_refused() -> None:
    program = trace(
        ConstrainedDynamics([mc.Constraint("link_7", "xyz")], outputs=["a", "conditioning"]).solver(mc.load("lwr4"))
    )
    for asked, words in (
        ((["b"], ["q"]), "has no output 'b'; it has a, conditioning"),
        ((["a"], ["x"]), "has no input 'x'; it has q, v, tau, b"),
        ((["a", "a"], ["q"]), "name each output once"),
        ((["conditioning"], ["q"]), "conditioning has no derivative: it says how far rows are"),
    ):
        with pytest.raises(mc.Error, match=words):
            pushforward(program, *asked)
