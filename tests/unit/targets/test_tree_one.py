"""Kernels along a tree for one state, in vectors of every width, against NumPy's dense linear algebra."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from batches import TYPES, Array, batch, needs_compiler
from motionc.program import Instruction, Program
from motionc.program.kernels import Call
from motionc.program.passes import without_dead_code
from motionc.program.port import Precision
from motionc.sweeps import Port
from motionc.targets import c, c_simd
from motionc.targets.kernels.tree_walk import way
from trials import some

WAYS = [
    ("gcc", "-O1", "-march=native"),
    ("gcc", "-O1", "-march=native", "-mno-avx512f"),
    ("gcc", "-O1", "-march=x86-64"),
    ("clang", "-O1", "-march=native"),
]
TALOS = (-1, *range(7), 7, 8, 7, *range(10, 17), 7, *range(18, 25), 5, *range(26, 31), 5, *range(32, 37))
"""A base of six, two joints, a head, two arms of eight and two legs of six."""
CHAIN = tuple(range(-1, 25))
COMB = (-1, *(k - 1 if k % 2 else k - 2 if k > 1 else 0 for k in range(1, 23)))


def random_tree(rng: np.random.Generator, size: int) -> tuple[int, ...]:
    """Rows hang on the one before them, or on one before that on its way to the root; some on none."""
    parents = [-1]
    for k in range(1, size):
        before = [-1, *way(parents, k - 1), k - 1]
        parents.append(k - 1 if rng.random() < 0.7 else int(rng.choice(before)))
    return tuple(parents)


def woven(rng: np.random.Generator, size: int) -> tuple[int, ...]:
    """Rows hang on any before them, so that rows of one branch stand between those of another."""
    return (-1, *(int(rng.integers(-1, k)) for k in range(1, size)))


def ends(parents: tuple[int, ...]) -> list[int]:
    """Of each row of a tree, where what is beyond it ends."""
    return [max([k, *(j for j in range(len(parents)) if k in way(parents, j))]) + 1 for k in range(len(parents))]


RANDOM = [random_tree(np.random.default_rng(k), 16 + 3 * k) for k in range(2, 8)]
TREES = [TALOS, *some([*RANDOM, CHAIN, COMB])]
HUMANOID = (-1, *range(11), 5, *range(12, 17), 5, 18, 5, 18, 21, 22, 23, 18, 25, 26, 27)
"""Two of a branch hang on another row than the third, which stands between them."""
WOVEN = [HUMANOID, *(woven(np.random.default_rng(k), 21 + 3 * k) for k in range(1, 4))]


def calling(call: Call, zeros: Array | None = None) -> Program:
    """From all a kernel takes, but for numbers beside the matrix that are always 0, to all it gives."""
    given = [k for k in range(call.inputs) if zeros is None or k < call.matrix or not zeros[k - call.matrix]]
    place = {k: i for i, k in enumerate(given)}
    steps = [Instruction("input", (), (0, i)) for i in range(len(given))]
    steps.append(Instruction("const", (), 0.0))
    call_at = len(steps)
    arguments = tuple(place.get(k, len(given)) for k in range(call.inputs))
    steps.append(Instruction("call", arguments, call))
    steps += [Instruction("pick", (call_at,), k) for k in range(call.outputs)]
    ports = (Port("x", (len(given),), "1", "in"),), (Port("y", (call.outputs,), "1", "out"),)
    results = (tuple(range(call_at + 1, call_at + 1 + call.outputs)),)
    return without_dead_code(Program(call.kernel, "y = f(x)", *ports, tuple(steps), results))


def answers(
    programs: dict[str, Program], x: dict[str, Array], compiler: tuple[str, ...], precision: Precision, folder: Path
):
    """What each of some programs gives, compiled one way."""
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not here")
    files = list[str]()
    for name, program in programs.items():
        sources = c.emit(program, name, precision)
        (folder / f"{name}.h").write_text(sources.header, "utf-8")
        (folder / f"{name}.c").write_text(sources.source, "utf-8")
        files.append(f"{name}.c")
    command = [
        *compiler,
        "-std=gnu99",
        "-Wall",
        "-Werror",
        "-Wno-psabi",
        "-shared",
        "-fPIC",
        *files,
        "-o",
        "all.so",
        "-lm",
    ]
    subprocess.run(command, cwd=folder, check=True)
    library, found = ctypes.CDLL(str(folder / "all.so")), dict[str, Array]()
    for name, program in programs.items():
        given, y = x[name].astype(TYPES[precision]), np.full(program.outputs[0].size + 2, 77.0, TYPES[precision])
        library[name](*(ctypes.c_void_p(array.ctypes.data) for array in (given, y[1:])))
        assert y[0] == y[-1] == 77.0  # nothing is written before or behind what is asked for
        found[name] = y[1:-1].astype(float)
    return found


def on_one_way(parents: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether the second row is the first, or beyond it."""
    m = len(parents)
    return np.array([[i == j or i in way(parents, j) for j in range(m)] for i in range(m)])


def masses(rng: np.random.Generator, parents: tuple[int, ...]) -> Array:
    """Symmetric, positive definite, empty where two rows are on different branches."""
    half = np.where(on_one_way(parents).T, rng.normal(size=(len(parents),) * 2), 0.0)
    return half.T @ half / len(parents) + np.eye(len(parents))


def close(found: Array, want: Array, precision: Precision) -> bool:
    return bool(
        np.max(np.abs(found - want)) <= {"double": 1e-11, "single": 2e-3}[precision] * max(1, np.max(np.abs(want)))
    )


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("compiler", WAYS, ids=" ".join)
def test_products_are_those_of_dense_matrices(compiler: tuple[str, ...], precision: Precision, tmp_path: Path) -> None:
    rng, programs, given, want = np.random.default_rng(0), dict[str, Program](), dict[str, Array](), dict[str, Array]()
    for k, parents in enumerate(TREES):
        m, beyond, one = len(parents), ends(parents), on_one_way(parents)
        # the first three rows are one joint's, where all that is beyond them hangs on the last
        several = parents[1:3] == (0, 1) and beyond[0] == beyond[1] == beyond[2]
        joint = [(0, 3, beyond[i]) if several and i < 3 else (i, i + 1, beyond[i]) for i in range(m)]
        together = np.array([[joint[i][:2] == joint[j][:2] for j in range(m)] for i in range(m)])
        left, right = rng.normal(size=(2, 7, m))
        programs[f"pairs_{k}"] = calling(Call("tree_pairs", (m,), None, (*(n for each in joint for n in each), 3), 7))
        upper, lower = left[:3].T @ right[:3], right[3:].T @ left[3:]
        want[f"pairs_{k}"] = np.where(one.T | together, lower, np.where(one, upper, 0.0))
        programs[f"symmetric_{k}"] = calling(Call("tree_symmetric", (m,), None, tuple(beyond), 7))
        full = np.where(one, left.T @ right, 0.0)
        want[f"symmetric_{k}"] = full + np.triu(full, 1).T
        given |= {f"{name}_{k}": np.concatenate([left.ravel(), right.ravel()]) for name in ("pairs", "symmetric")}
    found = answers(programs, given, compiler, precision, tmp_path)
    assert {name: close(found[name], value.ravel(), precision) for name, value in want.items()} == dict.fromkeys(
        want, True
    )
    # what is always 0 is exactly that
    assert all(np.array_equal(found[name] == 0, want[name].ravel() == 0) for name in want)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("compiler", WAYS, ids=" ".join)
def test_factors_and_solves_are_those_of_dense_matrices(
    compiler: tuple[str, ...], precision: Precision, tmp_path: Path
) -> None:
    rng, programs, given, checked = np.random.default_rng(1), dict[str, Program](), dict[str, Array](), list[str]()
    wanted = dict[str, Array]()
    for k, parents in enumerate([*TREES, *WOVEN]):
        m, M = len(parents), masses(rng, parents)
        programs[f"factor_{k}"] = calling(Call("tree_factor", (m,), None, parents))
        given[f"factor_{k}"] = M.ravel()
        lower = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1].T  # M = lowerᵀ lower, the last row first
        L, D = lower / np.diag(lower)[:, None], np.diag(lower) ** 2
        entries = np.tril(L, -1) + np.diag(1 / D)
        wanted[f"factor_{k}"] = factor = np.concatenate([entries[i, [*way(parents, i), i]] for i in range(m)])
        for columns in some((m + 3, 13, 8, 1, 7, 16), 4 if k == 1 else 1):
            right = rng.normal(size=(m, columns))
            zeros = np.zeros_like(right, bool) if columns < 8 else rng.random(right.shape) < 0.5
            zeros |= columns > 8 and np.add.outer(np.arange(m), np.arange(columns)) % 16 > 5
            right[zeros] = 0.0
            name = f"solve_{k}_{columns}"
            programs[name] = calling(Call("tree_solve", (m,), None, parents, columns), zeros.ravel())
            given[name] = np.concatenate([factor.ravel(), right[~zeros]])
            wanted[name] = -np.linalg.solve(M, right)
            checked.append(name)
    assert any(step.data.empty for program in programs.values() for _, step in program.calls())  # type: ignore[union-attr]
    found = answers(programs, given, compiler, precision, tmp_path)
    right_ones = {name: close(found[name], value.ravel(), precision) for name, value in wanted.items()}
    assert right_ones == dict.fromkeys(wanted, True)


@needs_compiler
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("parents", [TALOS, CHAIN[:-1], *WOVEN[:2]], ids=["tree", "chain", "humanoid", "woven"])
def test_in_lanes_too(parents: tuple[int, ...], precision: Precision, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many rows a factor is loops there, whatever its longest way; a solve passes over columns in which all rows of
    a chain are empty.
    """
    monkeypatch.setattr(c_simd, "LANES_WRITTEN_OUT", 0)
    rng, m, columns, states = np.random.default_rng(3), len(parents), 7, 19
    M = np.array([masses(rng, parents) for _ in range(states)])
    lower = np.array([np.linalg.cholesky(each[::-1, ::-1])[::-1, ::-1].T for each in M])
    pivots = np.diagonal(lower, axis1=1, axis2=2)
    entries = np.tril(lower / pivots[:, :, None], -1) + np.array([np.diag(1 / each**2) for each in pivots])
    factor = np.concatenate([entries[:, i, [*way(parents, i), i]] for i in range(m)], axis=1)
    (found,) = batch(calling(Call("tree_factor", (m,), None, parents)), [M.reshape(states, -1)], precision)
    assert close(found, factor, precision)
    zeros = rng.random((m, columns)) < 0.9
    right = np.where(zeros, 0.0, rng.normal(size=(states, m, columns)))
    program = calling(Call("tree_solve", (m,), None, parents, columns), zeros.ravel())
    (found,) = batch(program, [np.concatenate([factor, right[:, ~zeros]], axis=1)], precision)
    assert close(found, -np.linalg.solve(M, right).reshape(states, -1), precision)


def test_a_factor_is_whole_whatever_its_longest_way(tmp_path: Path) -> None:
    """Vectors are filled up behind the last number of a row: none of them is left out."""
    rng, programs = np.random.default_rng(2), dict[str, Program]()
    given, wanted = dict[str, Array](), dict[str, Array]()
    for m in (22, 24, 33):
        parents = tuple(range(-1, m - 1))
        M = masses(rng, parents)
        lower = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1].T
        entries = np.tril(lower / np.diag(lower)[:, None], -1) + np.diag(1 / np.diag(lower) ** 2)
        programs[f"factor_{m}"] = calling(Call("tree_factor", (m,), None, parents))
        given[f"factor_{m}"], wanted[f"factor_{m}"] = M.ravel(), entries[np.tril_indices(m)]
    found = answers(programs, given, WAYS[0], "single", tmp_path)
    assert {name: close(found[name], value, "single") for name, value in wanted.items()} == dict.fromkeys(wanted, True)


def test_many_rows_and_columns_are_vectors_and_few_are_numbers() -> None:
    calls = {
        "pairs": (Call("tree_pairs", (38,), None, (*(n for i in range(38) for n in (i, i + 1, 38)), 3), 6), "wide"),
        "symmetric": (Call("tree_symmetric", (38,), None, (38,) * 38, 6), "wide"),
        "factor": (Call("tree_factor", (38,), None, TALOS), "wide"),
        "columns": (Call("tree_solve", (38,), None, TALOS, 38), "wide"),
        "some columns": (Call("tree_solve", (38,), None, TALOS, 9), "eight"),
        "a column": (Call("tree_solve", (38,), None, TALOS, 1), ""),
        "few rows": (Call("tree_factor", (13,), None, tuple(range(-1, 12))), ""),
    }
    for call, kind in calls.values():
        words = re.findall(r"^ *(wide|eight) \w", c.emit(calling(call), "f").source, re.MULTILINE)
        assert {*words} == ({kind} if kind else set())
