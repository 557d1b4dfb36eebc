"""The kernels along a tree: their definition against NumPy, and the interpreted text against the definition."""

import numpy as np
import pytest

from motionc.program.kernels import Kernel
from motionc.program.kernels.kernel import on_ways
from motionc.program.kernels.tree import TREE_FACTOR, TREE_PAIRS, TREE_SOLVE, TREE_SYMMETRIC
from motionc.program.port import Port
from motionc.program.program import Instruction, Program
from motionc.targets.python import emit, scope

PARENT = (-1, 0, 1, 1, 3, 0, 5)
ENDS = (7, 5, 3, 5, 5, 7, 7)
# rows 3 and 4 are one joint's
BEYOND = (0, 1, 7, 1, 2, 5, 2, 3, 3, 3, 5, 5, 3, 5, 5, 5, 6, 7, 6, 7, 7, 4)
N = len(PARENT)


def on_branch(i: int, j: int) -> bool:
    """Whether j is at or beyond i."""
    return meet(PARENT, i, j)


def meet(parent: tuple[int, ...], i: int, j: int) -> bool:
    while j > i:
        j = parent[j]
    return i == j


def mass(rng: np.random.Generator) -> np.ndarray:
    """Symmetric, positive definite, empty where two rows are on different branches."""
    half = np.array([[rng.normal() if on_branch(j, i) else 0.0 for j in range(N)] for i in range(N)])
    return half.T @ half + np.eye(N)


def test_pairs_are_products_along_branches() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(6, N)), rng.normal(size=(6, N))
    (found,) = TREE_PAIRS.on_tree(BEYOND, 6).numpy(left, right)
    before, beyond = left[:4].T @ right[:4], (left[4:].T @ right[4:]).T
    for i in range(N):
        for j in range(N):
            together = i == j or {i, j} == {3, 4}
            want = beyond[i, j] if together or on_branch(j, i) else before[i, j] if on_branch(i, j) else 0.0
            assert abs(found.reshape(N, N)[i, j] - want) < 1e-14


def test_symmetric_pairs_are_products_along_branches_and_their_mirror_image() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(6, N)), rng.normal(size=(6, N))
    (found,) = TREE_SYMMETRIC.on_tree(ENDS, 6).numpy(left, right)
    upper = np.array([[left[:, i] @ right[:, j] if on_branch(i, j) else 0.0 for j in range(N)] for i in range(N)])
    assert np.allclose(found.reshape(N, N), upper + np.triu(upper, 1).T, rtol=1e-14)


@pytest.mark.parametrize(("kernel", "pattern"), [(TREE_PAIRS, BEYOND), (TREE_SYMMETRIC, ENDS)])
def test_what_is_always_0_is_known(kernel: Kernel, pattern: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    (found,) = kernel.on_tree(pattern, 6).numpy(rng.normal(size=(6, N)), rng.normal(size=(6, N)))
    assert kernel.on_tree(pattern, 6).call(N).zeros == {k for k, value in enumerate(found[:, 0]) if value == 0.0}


@pytest.mark.parametrize("parent", [PARENT, tuple(range(-1, N - 1))], ids=["tree", "all together"])
def test_factor_and_solve_give_the_inverse(parent: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    M, right = mass(rng), rng.normal(size=(N, 4))
    (factor,) = TREE_FACTOR.on_tree(parent, 1).numpy(M)
    L, D, given = np.eye(N), np.zeros(N), iter(factor[:, 0])
    for k in range(N):
        way = sorted(i for i in range(k) if meet(parent, i, k))
        L[k, way], D[k] = [next(given) for _ in way], 1 / next(given)
    assert next(given, None) is None
    assert np.allclose(L.T @ np.diag(D) @ L, M, rtol=0, atol=1e-12)
    (x,) = TREE_SOLVE.on_tree(parent, 4).numpy(factor.T, right)
    assert np.allclose(M @ x.reshape(N, 4), -right, rtol=0, atol=1e-12)


def test_a_solve_costs_less_where_numbers_beside_the_matrix_are_always_0() -> None:
    """Rows that are empty have nothing to pass on towards the root."""
    call = TREE_SOLVE.on_tree(PARENT, 1).call(N)
    leaf, root = (call._replace(empty=(1 << N) - 1 - (1 << k)) for k in (4, 0))
    # on its way: row 4 to three before it, row 3 to two, row 1 to the root
    assert call.operations()["sub"] - leaf.operations()["sub"] == sum(len(before(k)) for k in (2, 5, 6))
    assert call.operations()["sub"] - root.operations()["sub"] == sum(len(before(k)) for k in range(N))


def before(k: int) -> list[int]:
    """The rows before row k, on its way to the root."""
    return [i for i in range(k) if on_branch(i, k)]


def program_of(kernel: Kernel, rows: int) -> Program:
    call = kernel.call(rows)
    inputs = [Instruction("input", (), (0, k)) for k in range(call.inputs)]
    picks = [Instruction("pick", (call.inputs,), k) for k in range(call.outputs)]
    steps = (*inputs, Instruction("call", tuple(range(call.inputs)), call), *picks)
    last = call.inputs + 1
    ports = (Port("x", (call.inputs,), "1", "in"),), (Port("y", (call.outputs,), "1", "out"),)
    return Program(call.kernel, "y = f(x)", *ports, steps, (tuple(range(last, last + call.outputs)),))


@pytest.mark.parametrize("kernel", ["tree_pairs", "tree_symmetric", "tree_factor", "tree_solve"])
def test_the_interpreted_text_does_what_the_definition_does(kernel: str) -> None:
    rng = np.random.default_rng(2)
    one, arguments = {
        "tree_pairs": (TREE_PAIRS.on_tree(BEYOND, 6), (rng.normal(size=(6, N)), rng.normal(size=(6, N)))),
        "tree_symmetric": (TREE_SYMMETRIC.on_tree(ENDS, 6), (rng.normal(size=(6, N)), rng.normal(size=(6, N)))),
        "tree_factor": (TREE_FACTOR.on_tree(PARENT, 1), (mass(rng),)),
        "tree_solve": (TREE_SOLVE.on_tree(PARENT, 5), (rng.normal(size=(1, on_ways(PARENT))), rng.normal(size=(N, 5)))),
    }[kernel]
    names = scope(careful=False)
    exec(emit(program_of(one, N)), names)
    found = names["program"]([float(x) for argument in arguments for x in argument.ravel()])
    assert np.allclose(found, one.numpy(*arguments)[0][:, 0], rtol=1e-12, atol=1e-12)
