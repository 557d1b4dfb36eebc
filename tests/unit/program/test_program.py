"""The intermediate form: folding, sharing, dead code, counts, and kernels wired into the stream."""

from itertools import product

import numpy as np
import pytest

import motionc as mc
from instructions import ARGUMENTS, SPECIAL, functions, meanings
from motionc.program import Instruction, Program
from motionc.program.kernels import Call
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.kernels.semidefinite import RANGE_SOLVE, TRUNCATED_INVERSE, TRUNCATED_SOLVE
from motionc.program.passes import optimise, simplified, with_shared_reciprocals, without_dead_code
from motionc.program.sizes import LANES, LONG, ONE_STATE
from motionc.solvers.constrained_dynamics import ConstrainedDynamics
from motionc.sweeps import Port
from motionc.sweeps.trace import trace
from motionc.targets import python
from mutants import tree

X, Y = Port("x", (3,), "1", "in"), Port("y", (1,), "1", "out")


def program(*steps: Instruction, result: int | None = None) -> Program:
    inputs = tuple(Instruction("input", (), (0, k)) for k in range(3))
    last = len(inputs) + len(steps) - 1 if result is None else result
    return Program("p", "y = f(x)", (X,), (Y,), inputs + steps, ((last,),))


def value(p: Program, x: list[float]) -> float:
    scope = python.scope(careful=False)
    exec(python.emit(p), scope)
    return scope["program"](x)[0]


def test_constants_fold_and_neutral_elements_vanish() -> None:
    p = program(
        Instruction("const", (), 2.0),  # 3
        Instruction("const", (), 0.5),  # 4
        Instruction("mul", (3, 4)),  # 1
        Instruction("mul", (5, 0)),  # x0
        Instruction("neg", (6,)),
        Instruction("neg", (7,)),
        Instruction("sub", (8, 8)),
        Instruction("add", (8, 9)),
    )
    short = optimise(p)
    assert [step.op for step in short.instructions] == ["input"]
    assert sum(short.operations.values()) == 0


def test_equal_values_are_computed_once_and_signs_are_absorbed() -> None:
    p = program(
        Instruction("mul", (0, 1)),
        Instruction("mul", (1, 0)),
        Instruction("neg", (4,)),
        Instruction("sub", (3, 5)),
    )
    short = optimise(p)
    assert dict(short.operations) == {"mul": 1, "add": 1}
    assert value(short, [2.0, 5.0, 0.0]) == value(p, [2.0, 5.0, 0.0]) == 20.0


def test_dead_code_goes_and_order_stays() -> None:
    p = program(Instruction("add", (0, 1)), Instruction("mul", (1, 2)), Instruction("sub", (3, 2)))
    kept = without_dead_code(p)
    assert [step.op for step in kept.instructions] == ["input", "input", "input", "add", "sub"]


def test_divisions_by_one_value_become_one_division() -> None:
    p = program(Instruction("div", (0, 2)), Instruction("div", (1, 2)), Instruction("add", (3, 4)))
    assert dict(with_shared_reciprocals(p).operations) == {"div": 1, "mul": 2, "add": 1}


def test_passes_keep_values_of_random_programs() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        steps: list[Instruction] = [Instruction("const", (), float(c)) for c in (0.0, 1.0, -1.0, 2.5)]
        for _ in range(30):
            op = rng.choice(["add", "sub", "mul", "neg", "min", "max", "abs", "less", "select", "sin"])
            count = {"neg": 1, "abs": 1, "sin": 1, "select": 3}.get(str(op), 2)
            args = tuple(int(a) for a in rng.integers(0, 3 + len(steps), count))
            steps.append(Instruction(str(op), args))
        p = program(*steps)
        for x in rng.normal(size=(5, 3)):
            for after in (simplified(p), optimise(p)):
                assert value(after, list(x)) == pytest.approx(value(p, list(x)), rel=1e-12, abs=1e-12)


def test_what_a_kernel_needs_comes_before_it_and_what_it_gives_after() -> None:
    robot = tree(True)
    p = trace(ConstrainedDynamics([mc.Constraint("tool", "xyz")], actuated=robot.joint_names).solver(robot))
    (call, step), *more = p.calls()
    assert not more
    assert step.data == Call("truncated_solve", (3,))
    assert all(arg < i for i, other in enumerate(p.instructions) for arg in other.args)
    assert any(other.op == "pick" and other.args == (call,) for other in p.instructions)
    counts = p.operations
    assert counts["select"] == TRUNCATED_SOLVE.call(3).operations()["select"]


@pytest.mark.parametrize("m", range(1, 9))
def test_kernels_solve_and_report_rank(m: int) -> None:
    rng = np.random.default_rng(m)
    for rank in range(m + 1):
        half = rng.normal(size=(m, rank))
        matrix, right = half @ half.T, rng.normal(size=(m, 1))
        x, reported, _ = TRUNCATED_SOLVE.numpy(matrix, right)
        expected = np.linalg.pinv(matrix, rcond=1e-10) @ right
        assert reported[0, 0] == rank
        assert np.max(np.abs(x - expected)) <= 1e-8 * max(1.0, np.max(np.abs(expected)))
        some, reported, _ = RANGE_SOLVE.numpy(matrix, right)
        assert reported[0, 0] == rank
        assert np.max(np.abs(matrix @ some - matrix @ expected), initial=0.0) <= 1e-9 * max(1.0, np.abs(right).max())
        whole, reported, _ = TRUNCATED_INVERSE.numpy(matrix)
        assert reported[0, 0] == rank
        pseudo = np.linalg.pinv(matrix, rcond=1e-10)
        assert np.max(np.abs(whole.reshape(m, m) - pseudo)) <= 1e-8 * max(1.0, np.max(np.abs(pseudo)))
        assert np.array_equal(whole.reshape(m, m), whole.reshape(m, m).T)
    regular = matrix + np.eye(m)
    (x,) = LDLT_SOLVE.numpy(regular, right)
    assert np.allclose(regular @ x, right, rtol=0, atol=1e-12 * np.linalg.cond(regular) * max(1.0, np.abs(right).max()))


@pytest.mark.parametrize("blocks", [(1, 1), (2, 3), (3, 1, 2), (4, 4)])
def test_rows_of_an_earlier_block_are_satisfied_first(blocks: tuple[int, ...]) -> None:
    """Against least squares in what the blocks before leave free, block after block."""
    rng, m = np.random.default_rng(sum(blocks)), sum(blocks)
    kernels = [kernel.with_policy(blocks, None) for kernel in (TRUNCATED_SOLVE, RANGE_SOLVE)]
    for freedom in range(1, m + 3):
        half, right = rng.normal(size=(m, freedom)), rng.normal(size=(m, 1))
        motion, free, start = np.zeros((freedom, 1)), np.eye(freedom), 0
        for size in blocks:
            rows = half[start : start + size]
            u, spread, v = np.linalg.svd(rows @ free, full_matrices=False)
            u, spread, v = u[:, spread > 1e-9], spread[spread > 1e-9], v[spread > 1e-9]
            motion = motion + v.T @ ((u.T @ (right[start : start + size] - rows @ motion)) / spread[:, None])
            free = free - v.T @ v
            start += size
        for kernel in kernels:
            x, rank, condition = kernel.numpy(half @ half.T, right)
            assert np.allclose(half.T @ x, motion, rtol=0, atol=1e-7)
            assert rank[0, 0] == min(m, freedom)
            assert condition[0, 0] >= 1
        # of all multipliers that make this motion the least
        assert np.allclose(
            kernels[0].numpy(half @ half.T, right)[0], np.linalg.pinv(half.T) @ motion, rtol=0, atol=1e-5
        )


def test_some_rows_of_a_ranked_solve_keep_their_blocks_and_weights() -> None:
    ranked = RANGE_SOLVE.with_policy((2, 3, 1, 1), 1e-9, 4, (1, 2, 3, 4, 5, 6, 7))
    some = ranked.among([0, 2, 3, 6])
    assert some == RANGE_SOLVE.with_policy((1, 2, 1), 1e-9, 4, (1, 3, 4, 7))
    assert RANGE_SOLVE.among([1, 3]).call(2) == RANGE_SOLVE.call(2)


@pytest.mark.parametrize("noise", [0.0, 1e-17, -1e-17])
def test_a_row_that_is_nothing_but_rounding_is_not_asked_for(noise: float) -> None:
    for half in (np.array([[1.0, 2.0], [noise, 0.0]]), np.array([[noise, 0.0]])):
        x, rank, condition = TRUNCATED_SOLVE.numpy(half @ half.T, np.ones((len(half), 1)))
        assert rank[0, 0] == len(half) - 1
        assert np.all(np.abs(x) <= 1)
        assert condition[0, 0] == pytest.approx(1)


def test_what_counts_as_dependent_can_be_said() -> None:
    half = np.array([[1.0, 0.0], [1.0, 1e-3]])
    for tolerance, rank in ((None, 2), (1e-8, 2), (1e-4, 1)):
        found = TRUNCATED_SOLVE.with_policy((), tolerance).numpy(half @ half.T, np.ones((2, 1)))
        assert found[1][0, 0] == rank
        assert found[2][0, 0] == pytest.approx(1e6 if rank == 2 else 1.0, rel=1e-3)


def test_nearly_dependent_rows_in_front_do_not_hide_a_dependent_one() -> None:
    rng = np.random.default_rng(0)
    for angle in np.logspace(-6, 0, 40):
        half = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)], rng.normal(size=2)]) * rng.uniform(0.1, 10, (3, 1))
        _, rank, _ = TRUNCATED_SOLVE.numpy(half @ half.T, rng.normal(size=(3, 1)))
        assert rank[0, 0] == 2


def test_a_clamped_pivot_keeps_the_answer_finite() -> None:
    (x,) = LDLT_SOLVE.numpy(np.ones((3, 3)), np.array([[1.0], [2.0], [3.0]]))
    assert np.all(np.isfinite(x))


def test_the_cost_of_a_kernel_is_counted_by_running_it() -> None:
    # LDLᵀ of 2×2 by hand: 2 reciprocals, 1 + 1 products for L and the pivot, 4 in the substitutions, 2 for the limits
    assert dict(LDLT_SOLVE.call(2).operations()) == {"mul": 8, "sub": 3, "div": 2, "max": 2}


def test_numpys_numbers_go_on_where_pythons_raise() -> None:
    """Every instruction by the careful interpreter, on infinities, zeros and NaN too."""
    program = functions(*ARGUMENTS)
    scope = python.scope(careful=True)
    exec(python.emit(program), scope)
    x = np.array([list(entries) for entries in product(SPECIAL, repeat=2)])
    x = np.column_stack([x, x[:, 0]])
    expected = np.column_stack([meanings(x)[op] for op in ARGUMENTS]).astype(float)
    with np.errstate(all="ignore"):
        found = np.array([scope["program"](list(row)) for row in x], float)
    assert np.array_equal(found, expected, equal_nan=True)


def test_functions_of_a_long_program_are_short() -> None:
    """Compilers slow down faster than functions grow, and what is long has many."""
    assert [ONE_STATE.limit(size) for size in (4_000, 4_001, LONG, LONG + 1)] == [4_000, 600, 600, 500]
    assert LANES.limit(LONG + 1) == LANES.part
