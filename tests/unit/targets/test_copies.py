"""What kernels give and take is where it is looked for, whichever function of a long program asks."""

import ctypes
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from batches import EXACT, Array, batch, compiled, needs_compiler
from motionc.program import Instruction, Program
from motionc.program.kernels import KERNELS
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
    library = compiled(c.emit(solved_twice(outputs), "program").together, EXACT)
    given, expected = question(outputs)
    for k in range(STATES):
        found = [np.empty_like(values[k]) for values in expected]
        rows = [np.ascontiguousarray(values[k]) for values in given]
        library.program(*(ctypes.c_void_p(array.ctypes.data) for array in (*rows, *found)))
        for answer, values in zip(found, expected, strict=True):
            np.testing.assert_allclose(answer, values[k], rtol=0, atol=1e-12)
