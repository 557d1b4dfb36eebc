"""Semidefinite solves whose condition nobody asks for: rows in the order they come in, pivoted where that matters."""

import ctypes

import numpy as np
import pytest

from batches import COMPILERS, EXACT, TYPES, Array, batch, compiled, needs_compiler
from motionc.program import Instruction, Program
from motionc.program.compose import side_by_side
from motionc.program.kernels import Call
from motionc.program.passes import optimise, without_dead_code
from motionc.sweeps import Port
from motionc.targets import c
from trials import some

CALLS = [
    Call("range_solve", (6,)),
    Call("truncated_solve", (6,)),
    Call("truncated_solve", (2, 1, 3)),
    Call("truncated_solve", (3, 2), weights=(3.0, 0.5, 1.0, 2.0, 100.0)),
    Call("range_solve", (1,)),
    Call("range_solve", (12,)),
    Call("truncated_solve", (4, 9)),
    Call("range_solve", (3,), 1e-6),
]


def solving(call: Call, *, condition: bool = False) -> Program:
    """From a matrix and a right side to all that a kernel gives, or all but how far rows are from dependent."""
    n, given = call.inputs, call.outputs - (not condition)
    steps = [Instruction("input", (), (0, k)) for k in range(n)]
    steps += [Instruction("call", tuple(range(n)), call)]
    steps += [Instruction("pick", (n,), k) for k in range(given)]
    ports = (Port("x", (n,), "1", "in"),), (Port("y", (given,), "1", "out"),)
    return Program(call.kernel, "y = f(x)", *ports, tuple(steps), (tuple(range(n + 1, n + 1 + given)),))


def kernels(program: Program) -> list[Call]:
    return [step.data for _, step in program.calls()]  # type: ignore[misc]


def problems(call: Call, rng: np.random.Generator, precision: str) -> Array:
    """Matrices of every rank, with right sides within reach; rows that nearly depend on others; and none at all."""
    m, found = call.size, list[Array]()
    for k in range(29):
        rank = m if k % 2 else m - (k // 2) % (m + 1)
        basis = np.linalg.qr(rng.normal(size=(m, m)))[0][:, :rank]
        sizes = rng.uniform(0.5, 2, rank)
        if k % 4 == 3:
            sizes[0] = 10.0 ** -rng.uniform(2, 9 if precision == "double" else 3)
        scale = np.diag(call.weights or [1.0] * m)
        matrix = scale @ (basis * sizes) @ basis.T @ scale
        found.append(np.concatenate([matrix.ravel(), matrix @ rng.normal(size=m)]))
    found.append(np.zeros(call.inputs))
    return np.array(found)


def alone(program: Program, x: Array, precision: str, compiler: str) -> Array:
    library = compiled(c.emit(program, "program", precision).together, EXACT, compiler)
    given, found = x.astype(TYPES[precision]), np.empty((len(x), program.outputs[0].size), TYPES[precision])
    for row, y in zip(given, found, strict=True):
        library.program(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(y.ctypes.data))
    return found


# ---------------------------------------------------------------- who asks for what


def test_a_kernel_is_told_that_nobody_asks_for_its_condition() -> None:
    call = Call("range_solve", (6,))
    assert kernels(without_dead_code(solving(call))) == [call._replace(conditioned=False)]
    assert kernels(without_dead_code(solving(call, condition=True))) == [call]


@pytest.mark.parametrize(
    "call", [Call("range_solve", (4,), most=3), Call("ldlt_solve", (4,))], ids=lambda call: call.kernel
)
def test_kernels_that_cannot_reach_full_rank_or_do_not_order_rows_stay_as_they_are(call: Call) -> None:
    assert kernels(optimise(solving(call))) == [call]


def test_of_two_equal_solves_one_is_left_whatever_is_asked_of_each() -> None:
    """Programs that were optimised apart, then joined."""
    call = Call("truncated_solve", (3,))
    apart = [optimise(solving(call)), optimise(solving(call, condition=True))]
    ports = (apart[0].inputs[0],)
    assert kernels(optimise(side_by_side("both", apart, ports))) == [call]


# ---------------------------------------------------------------- the same answers


@needs_compiler
@pytest.mark.parametrize("precision", TYPES)
@pytest.mark.parametrize("call", some(CALLS, 6), ids=lambda call: f"{call.kernel} {call.blocks}")
def test_rows_in_order_give_what_pivoted_rows_give(call: Call, precision: str) -> None:
    """Of any rank, for one number and in lanes: the rank exactly, and an answer as good."""
    m, x = call.size, problems(call, np.random.default_rng(5), precision)
    ordered, pivoted = optimise(solving(call)), solving(call, condition=True)
    (expected,) = batch(pivoted, [x], precision)
    answers = [*batch(ordered, [x], precision)]
    answers += [alone(ordered, x, precision, compiler) for compiler in COMPILERS]
    scale = np.array(call.weights or [1.0] * m)
    for found in answers:
        assert np.array_equal(found[:, m], expected[:, m])
        for given, y, other in zip(x, found.astype(float), expected.astype(float), strict=True):
            matrix, right = given[: m * m].reshape(m, m), given[m * m :] / scale
            misses = [np.abs(matrix @ each[:m] / scale - right).max() for each in (y, other)]
            assert misses[0] <= 10 * misses[1] + (1e-11 if precision == "double" else 1e-3)
            if call.kernel == "truncated_solve" and other[m] < m:
                assert np.allclose(y[:m], other[:m], rtol=1e-5, atol=1e-9 if precision == "double" else 1e-2)


@needs_compiler
@pytest.mark.parametrize("loss", [1e-10, 1e-11, 3e-12, 3e-13, 1e-14, 0.0])
def test_rows_near_to_dependent_have_the_rank_that_pivots_give_them(loss: float) -> None:
    """Two rows with all but a share of each in common, among others."""
    call, rng = Call("range_solve", (5,)), np.random.default_rng(8)
    x = []
    for _ in range(19):
        rows = np.linalg.qr(rng.normal(size=(5, 5)))[0]
        rows[3] = rows[1] * np.sqrt(1 - loss) + rows[3] * np.sqrt(loss)
        matrix = rows @ rows.T
        x.append(np.concatenate([matrix.ravel(), matrix @ rng.normal(size=5)]))
    program, given = optimise(solving(call)), np.array(x)
    expected = [call.run(list(each))[5] for each in given]
    assert set(expected) == {5.0 if loss > 1e-12 else 4.0}
    (lanes,) = batch(program, [given])
    for found in (lanes, alone(program, given, "double", COMPILERS[0])):
        assert found[:, 5].tolist() == expected


@needs_compiler
def test_a_lane_says_the_same_whoever_is_beside_it() -> None:
    call, rng = Call("range_solve", (6,)), np.random.default_rng(9)
    program, x = optimise(solving(call)), problems(call, rng, "double")
    full = x[1::2][: len(x[::2])]
    (by_itself,), (mixed,) = (
        batch(program, [full]),
        batch(program, [np.stack([full, x[::2]], 1).reshape(-1, x.shape[1])]),
    )
    assert np.array_equal(by_itself, mixed[::2])


@needs_compiler
@pytest.mark.parametrize("precision", TYPES)
def test_one_lane_in_doubt_is_enough_wherever_it_is(precision: str) -> None:
    call, rng = Call("range_solve", (6,)), np.random.default_rng(9)
    x = problems(call, rng, precision)
    full, doubtful = x[1], x[4]
    program, states = optimise(solving(call)), []
    for lane in range(16):
        states += [doubtful if k == lane else full for k in range(16)]
    (found,) = batch(program, [np.array(states)], precision)
    assert np.array_equal(found[:, 6].reshape(16, 16), 6 - 2 * np.eye(16))


@needs_compiler
@pytest.mark.parametrize("more", [0, 11])
def test_what_is_no_number_is_pivoted(more: int) -> None:
    """A NaN, or pivots below zero, two of which multiply to something large; among few rows, and among many."""
    call, m = Call("range_solve", (3 + more,)), 3 + more
    wrong = np.array([[1.0, 2, 0], [2, 1, 2], [0, 2, 1]]), np.full((3, 3), np.nan), -np.eye(3), np.diag([1.0, -2, -3])
    matrices = [np.eye(m) for _ in wrong]
    for matrix, part in zip(matrices, wrong, strict=True):
        matrix[:3, :3] = part
    x = np.array([[*matrix.ravel(), *range(1, m + 1)] for matrix in matrices], float)
    ordered, pivoted = optimise(solving(call)), solving(call, condition=True)
    found, expected = (alone(program, x, "double", COMPILERS[0])[:, : m + 1] for program in (ordered, pivoted))
    assert np.array_equal(found, expected, equal_nan=True)


@needs_compiler
@pytest.mark.parametrize("least", [1e-20, 1e-23])
def test_rows_that_are_nothing_beside_others_do_not_count(least: float) -> None:
    call, x = Call("range_solve", (3,)), np.array([[1.0, 0, 0, 0, least, 0, 0, 0, 1, 1, 0, 1]])
    found = alone(optimise(solving(call)), x, "double", COMPILERS[0])
    assert found[0, 3] == call.run(list(x[0]))[3] == (3 if least > 1e-22 else 2)


@needs_compiler
@pytest.mark.parametrize("condition", [False, True])
def test_of_rows_that_are_equal_the_first_counts_wherever_others_were_put(condition: bool) -> None:
    """A larger pivot, the last row's, changes places with the first of them."""
    call, matrix = Call("range_solve", (3,)), np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 2]])
    program, x = solving(call, condition=condition), np.array([[*matrix.ravel(), 3.0, 3, 4]])
    (lanes,) = batch(program, [x])
    for found in (call.run(list(x[0])), lanes[0], alone(program, x, "double", COMPILERS[0])[0]):
        assert list(found[:4]) == [3, 0, 2, 2]
