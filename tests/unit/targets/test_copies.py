"""What kernels give and take is where it is looked for, whichever function of a long program asks."""

import ctypes
import re
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from batches import EXACT, Array, batch, compiled, needs_compiler
from motionc.program import Instruction, Program
from motionc.program.kernels import KERNELS
from motionc.program.kernels.lu_solve import lu_solve
from motionc.program.sizes import Cut
from motionc.sweeps import Port
from motionc.targets import c

FEW, MANY, STATES = 6, 12, 37
CUTS = [Cut(10_000, 10_000), Cut(60, 60), Cut(20, 20)]


def solved_twice(outputs: int) -> Program:
    """x with A x = b, and z with 2 M z = r, where r begins with numbers of x; so many of x are an output."""
    steps, solve = list[Instruction](), KERNELS["ldlt_solve"]
    numbers = count()

    def add(op: str, args: tuple[int, ...] = (), data: object = None) -> int:
        steps.append(Instruction(op, args, data))  # type: ignore[arg-type]
        return next(numbers)

    A = [add("input", (), (0, k)) for k in range(FEW * FEW)]
    b = [add("input", (), (1, k)) for k in range(FEW)]
    first = add("call", (*A, *b), solve.call(FEW))
    x = [add("pick", (first,), k) for k in range(FEW)]
    M = [add("input", (), (2, k)) for k in range(MANY * MANY)]
    twice = [add("add", (k, k)) for k in M]
    r = [*x[:5], *(add("mul", (k, k)) for k in M[5:MANY])]
    second = add("call", (*twice, *r), solve.call(MANY))
    z = [add("pick", (second,), k) for k in range(MANY)]
    given = Port("A", (FEW, FEW), "1", "in"), Port("b", (FEW,), "1", "in"), Port("M", (MANY, MANY), "1", "in")
    found = Port("x", (outputs,), "1", "out"), Port("z", (MANY,), "1", "out")
    return Program("twice", "A x = b", given, found, tuple(steps), (tuple(x[:outputs]), tuple(z)))


def question(outputs: int) -> tuple[list[Array], list[Array]]:
    """States of that program, and what it says to them."""
    rng = np.random.default_rng(0)
    A, M = (k @ k.transpose(0, 2, 1) + n * np.eye(n) for n in (FEW, MANY) for k in (rng.normal(size=(STATES, n, n)),))
    b = rng.normal(size=(STATES, FEW))
    x = np.linalg.solve(A, b[..., None])[..., 0]
    r = np.concatenate([x[:, :5], M[:, 0, 5:] ** 2], axis=1)
    z = np.linalg.solve(2 * M, r[..., None])[..., 0]
    return [A.reshape(STATES, -1), b, M.reshape(STATES, -1)], [x[:, :outputs], z]


@needs_compiler
@pytest.mark.parametrize("outputs", [FEW, 4, 2])
@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: f"{cut.part}")
def test_in_lanes_a_later_kernel_takes_what_an_earlier_one_wrote_into_outputs(cut: Cut, outputs: int) -> None:
    given, expected = question(outputs)
    for found, exact in zip(batch(solved_twice(outputs), given, size=cut), expected, strict=True):
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("outputs", [FEW, 4])
@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: f"{cut.part}")
def test_in_c_a_later_kernel_takes_what_an_earlier_one_wrote_into_outputs(
    cut: Cut, outputs: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(c, "ONE_STATE", cut)
    text = c.emit(solved_twice(outputs), "program").together
    assert not re.search(r"(\b\w+\[\w+\]) = \1;", text), "what is there already is not copied"
    library = compiled(text, EXACT)
    given, expected = question(outputs)
    for k in range(STATES):
        # of an output that takes a part of what a kernel gives the rest is written nowhere
        found = [np.full(len(values[k]) + FEW, np.nan) for values in expected]
        rows = [np.ascontiguousarray(values[k]) for values in given]
        library.program(*(ctypes.c_void_p(array.ctypes.data) for array in (*rows, *found)))
        for answer, values in zip(found, expected, strict=True):
            np.testing.assert_allclose(answer[:-FEW], values[k], rtol=0, atol=1e-12)
            assert np.isnan(answer[-FEW:]).all()


@needs_compiler
@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: f"{cut.part}")
@pytest.mark.parametrize("step", [1, 2])
def test_numbers_that_stand_elsewhere_are_not_copied_with_those_behind_them(cut: Cut, step: int) -> None:
    """A second kernel takes what the first takes, one place later, behind an input, and more of its own; so
    it does of every other number, and of the rest.
    """
    square, solve = MANY * MANY, lu_solve(MANY, 1)
    steps = [Instruction("input", (), (0, k)) for k in range(square)]
    steps += [Instruction("input", (), (1, k)) for k in range(MANY)]
    n = len(steps)
    b, twice, own = range(square, n), range(n, n + square), range(n + square, 2 * n)
    steps += [Instruction("add", (k, k)) for k in range(n)]
    results = list[tuple[int, ...]]()
    order = [k for first in range(step) for k in range(first, square, step)][:-1]
    for args in ((*twice, *b), (b[0], *(twice[k] for k in order), *own)):
        steps.append(Instruction("call", args, solve))
        first = len(steps)
        steps += [Instruction("pick", (first - 1,), k) for k in range(MANY)]
        results.append(tuple(range(first, len(steps))))
    given = Port("A", (MANY, MANY), "1", "in"), Port("b", (MANY,), "1", "in")
    found = Port("x", (MANY,), "1", "out"), Port("z", (MANY,), "1", "out")
    program = Program("shifted", "2 A x = b", given, found, tuple(steps), tuple(results))
    rng = np.random.default_rng(1)
    A, right = rng.normal(size=(STATES, square)), rng.normal(size=(STATES, MANY))
    later = np.column_stack([right[:, 0], 2 * A[:, order]])
    asked = (2 * A, right), (later, 2 * right)
    for answer, (matrix, side) in zip(batch(program, [A, right], size=cut), asked, strict=True):
        exact = np.linalg.solve(matrix.reshape(STATES, MANY, MANY), side[..., None])[..., 0]
        np.testing.assert_allclose(answer, exact, rtol=1e-8, atol=1e-8)


@needs_compiler
@pytest.mark.parametrize("cut", [CUTS[0], Cut(3, 3)], ids=lambda cut: f"{cut.part}")
def test_what_a_kernel_gives_beside_an_output_is_written_over_no_other(cut: Cut) -> None:
    """Four of its six numbers are one, and another one has been there before."""
    solve, square = KERNELS["ldlt_solve"].call(FEW), FEW * FEW
    steps = [Instruction("input", (), (0, k)) for k in range(square)]
    steps += [Instruction("input", (), (1, k)) for k in range(FEW)]
    b = range(square, len(steps))
    steps += [Instruction("add", (b[0], b[0])), Instruction("call", tuple(range(len(steps))), solve)]
    lone, first = len(steps) - 2, len(steps)
    steps += [Instruction("pick", (first - 1,), k) for k in range(FEW)]
    given = Port("A", (FEW, FEW), "1", "in"), Port("b", (FEW,), "1", "in")
    found = Port("x", (4,), "1", "out"), Port("y", (1,), "1", "out")
    program = Program("p", "A x = b", given, found, tuple(steps), (tuple(range(first, first + 4)), (lone,)))
    (A, right, _), _ = question(4)
    x, y = batch(program, [A, right], size=cut)
    exact = np.linalg.solve(A.reshape(STATES, FEW, FEW), right[..., None])[:, :4, 0]
    np.testing.assert_allclose(x, exact, rtol=0, atol=1e-12)
    assert np.array_equal(y[:, 0], 2 * right[:, 0])


@needs_compiler
@pytest.mark.parametrize("cut", [CUTS[0], Cut(3, 3)], ids=lambda cut: f"{cut.part}")
def test_what_a_kernel_gives_may_be_several_outputs(cut: Cut) -> None:
    """Each has its own numbers of it, wherever the first of them stands, in any order."""
    solve, square = KERNELS["ldlt_solve"].call(FEW), FEW * FEW
    steps = [Instruction("input", (), (0, k)) for k in range(square)]
    steps += [Instruction("input", (), (1, k)) for k in range(FEW)]
    steps += [Instruction("call", tuple(range(len(steps))), solve)]
    first = len(steps)
    steps += [Instruction("pick", (first - 1,), k) for k in range(FEW)]
    given = Port("A", (FEW, FEW), "1", "in"), Port("b", (FEW,), "1", "in")
    found = Port("x", (FEW - 2,), "1", "out"), Port("y", (2,), "1", "out")
    results = tuple(range(first + 2, first + FEW)), (first + 1, first)
    (A, b, _), (exact, _) = question(FEW)
    x, y = batch(Program("p", "A x = b", given, found, tuple(steps), results), [A, b], size=cut)
    np.testing.assert_allclose(x, exact[:, 2:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(y, exact[:, 1::-1], rtol=0, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("cut", [CUTS[0], Cut(3, 3)], ids=lambda cut: f"{cut.part}")
def test_a_zero_among_what_a_kernel_gives_is_none_of_its_numbers(cut: Cut, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is where the kernel gives zero, which this one does nowhere."""
    solve, square = KERNELS["ldlt_solve"].call(FEW), FEW * FEW
    steps = [Instruction("input", (), (0, k)) for k in range(square)]
    steps += [Instruction("input", (), (1, k)) for k in range(FEW)]
    steps += [Instruction("call", tuple(range(len(steps))), solve)]
    first = len(steps)
    steps += [Instruction("pick", (first - 1,), k) for k in range(FEW)]
    steps += [Instruction("const", (), 0.0)]
    given = Port("A", (FEW, FEW), "1", "in"), Port("b", (FEW,), "1", "in")
    ports = given, (Port("x", (FEW,), "1", "out"),)
    program = Program("p", "A x = b", *ports, tuple(steps), ((first, len(steps) - 1, *range(first + 2, first + FEW)),))
    (A, b, _), (exact, _) = question(FEW)
    exact[:, 1] = 0.0
    np.testing.assert_allclose(batch(program, [A, b], size=cut)[0], exact, rtol=0, atol=1e-12)
    monkeypatch.setattr(c, "ONE_STATE", cut)
    library, found = compiled(c.emit(program, "program").together, EXACT), np.empty(FEW)
    library.program(*(ctypes.c_void_p(array.ctypes.data) for array in (A[0].copy(), b[0].copy(), found)))
    np.testing.assert_allclose(found, exact[0], rtol=0, atol=1e-12)


@needs_compiler
def test_in_c_what_a_kernel_gives_may_be_two_outputs() -> None:
    solve, square = KERNELS["ldlt_solve"].call(FEW), FEW * FEW
    steps = [Instruction("input", (), (0, k)) for k in range(square)]
    steps += [Instruction("input", (), (1, k)) for k in range(FEW)]
    steps += [Instruction("call", tuple(range(len(steps))), solve)]
    picks = tuple(range(len(steps), len(steps) + FEW))
    steps += [Instruction("pick", (picks[0] - 1,), k) for k in range(FEW)]
    given = Port("A", (FEW, FEW), "1", "in"), Port("b", (FEW,), "1", "in")
    outputs = Port("x", (FEW,), "1", "out"), Port("y", (FEW,), "1", "out")
    program = Program("p", "A x = b", given, outputs, tuple(steps), (picks, picks))
    (A, b, _), (exact, _) = question(FEW)
    library, found = compiled(c.emit(program, "program").together, EXACT), np.empty((2, FEW))
    library.program(*(ctypes.c_void_p(array.ctypes.data) for array in (A[0].copy(), b[0].copy(), *found)))
    np.testing.assert_allclose(found, [exact[0]] * 2, rtol=0, atol=1e-12)
