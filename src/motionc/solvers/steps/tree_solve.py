"""M_r⁻¹ R along the tree: Lᵀ D L = M_r by kernels where joints meet many others, written out where they meet few."""

from collections.abc import Sequence

import numpy as np

from motionc.geometry import JointAcceleration
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    assemble,
    beside,
    filled,
    invert_positive_definite,
    is_known,
    solve_positive_definite,
    zeros,
)
from motionc.program.kernels.tree import TREE_FACTOR, TREE_SOLVE
from motionc.program.sizes import SOLVED_AT_ONCE, SOLVED_OUT
from motionc.solvers.steps.together import Together
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Factored(Together):
    """The factor of the mass matrix along the tree, where joints meet many others."""

    mass_matrix_tree_factor = Slot(object, "none")


@operation(ROOT, needs=["mass_matrix"], gives=["mass_matrix_tree_factor"], equation="L^T D L = M along the tree")
def factor_masses(graph: StateGraph[Factored], problem: Problem) -> None:
    """Lᵀ D L = M_r along the tree, where joints meet many others; else all is resolved when it is needed."""
    system = graph.world.mass_matrix.values
    graph.world.mass_matrix_tree_factor = UNKNOWN
    if is_known(system) and not meet_few(ways(system)):
        (flat,) = problem.call(TREE_FACTOR.on_tree(ways(system), 1), system)
        graph.world.mass_matrix_tree_factor = flat.T


def divided(graph: StateGraph[Factored], problem: Problem, right: Coordinates, *, minus: bool = False) -> Coordinates:
    """M_r⁻¹ R, or - M_r⁻¹ R, column by column, along the tree."""
    (solved,) = divided_all(graph, problem, [right], minus=minus)
    return solved


def divided_all(
    graph: StateGraph[Factored], problem: Problem, rights: Sequence[Coordinates], *, minus: bool = False
) -> list[Coordinates]:
    """The same of several, which are one solve where rows are few. Columns that are empty stay so."""
    if not rights or not is_known(graph.world.mass_matrix.values, *rights):
        return [UNKNOWN] * len(rights)
    if len(rights) > 1 and graph.mechanism.nv > SOLVED_AT_ONCE:
        return [divided(graph, problem, right, minus=minus) for right in rights]
    right = beside(*rights)
    full = [any(column) for column in zip(*filled(right), strict=True)]
    solved = iter(_columns(_divided(graph, problem, right[:, [k for k, some in enumerate(full) if some]], minus=minus)))
    nothing = zeros(graph.mechanism.nv, 1)
    columns = iter([next(solved) if some else nothing for some in full])
    return [beside(*(next(columns) for _ in range(each.shape[1]))) if each.shape[1] else each for each in rights]


def _columns(values: Coordinates) -> list[Coordinates]:
    return [values[:, k : k + 1] for k in range(values.shape[1])]


def _divided(graph: StateGraph[Factored], problem: Problem, right: Coordinates, *, minus: bool) -> Coordinates:
    system, nv = graph.world.mass_matrix.values, graph.mechanism.nv
    previous = ways(system)
    if meet_few(previous) or not right.shape[1]:
        return solve_positive_definite(system, -right if minus else right)
    columns, asked = right.shape[1], right if minus else -right
    kernel = TREE_SOLVE.on_tree(previous, columns)
    (flat,) = problem.call(kernel, graph.world.mass_matrix_tree_factor, asked)
    reached = _reached(previous, right)
    return assemble([[flat[i * columns + c, 0] if reached[i][c] else 0.0 for c in range(columns)] for i in range(nv)])


def inverted(graph: StateGraph[Factored], problem: Problem) -> Coordinates:
    """M_r⁻¹."""
    system = graph.world.mass_matrix.values
    if not is_known(system) or meet_few(ways(system)):
        return invert_positive_definite(system)
    return divided(graph, problem, np.eye(graph.mechanism.nv))


def _reached(previous: tuple[int, ...], right: Coordinates) -> list[list[bool]]:
    """Which entries of M_r⁻¹ R are not empty: trees that stand apart in the world do not feel each other."""
    roots: list[int] = []
    for k, before in enumerate(previous):
        roots.append(k if before < 0 else roots[before])
    columns, full = right.shape[1], filled(right)
    met = {root: [False] * columns for root in roots}
    for k, root in enumerate(roots):
        met[root] = [before or here for before, here in zip(met[root], full[k], strict=True)]
    return [met[root] for root in roots]


def ways(system: Coordinates) -> tuple[int, ...]:
    """Of each row of M_r the one before it on its way to the root, -1 for none: the last that its row of L meets."""
    met = [{j for j in range(k) if row[j]} for k, row in enumerate(filled(system))]
    previous = [-1] * len(met)
    for k in reversed(range(len(met))):
        if met[k]:
            previous[k] = max(met[k])
            # what a row meets beyond it meets the one before it, too
            met[previous[k]] |= met[k] - {previous[k]}
    return tuple(previous)


def meet_few(previous: tuple[int, ...]) -> bool:
    """Whether a row meets few others on average, on its way to the root and beyond it."""
    depths = list[int]()
    for before in previous:
        depths.append(depths[before] + 1 if before >= 0 else 0)
    return sum(1 + 2 * depth for depth in depths) <= SOLVED_OUT * len(depths)


@operation(ROOT, needs=["mass_matrix", "mass_matrix_tree_factor", "net_force"], gives=["accelerations"])
def accelerate_along_tree(graph: StateGraph[Factored], problem: Problem) -> None:
    solved = divided(graph, problem, graph.world.net_force.values)
    graph.world.accelerations = JointAcceleration(graph.coordinates, solved)
