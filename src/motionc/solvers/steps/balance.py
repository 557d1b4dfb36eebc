"""The balance at the root: constraint forces that make up for what motion misses along the rows.

root      Λ λ = b - Aᵀ Ẍ, level after level, misses weighted; refined, once more with what is left
"""

from dataclasses import replace
from typing import Any

import numpy as np

from motionc.geometry import Multipliers, RowStack
from motionc.geometry.coordinates import UNKNOWN, zeros
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.kernels.semidefinite import RANGE_SOLVE, TRUNCATED_SOLVE
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.moved_rows import of_moved_rows
from motionc.solvers.steps.rows import Constrained
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, Operation, operation
from motionc.sweeps.state import Slot, StateGraph


class Balanced(Constrained):
    """Forces along the rows, and how well they are determined."""

    constraint_forces = Slot(Multipliers, "none")
    constraint_force_change = Slot(Multipliers, "none")
    posture_rows = Slot(RowStack, "none")
    rank = Slot(object, "none")
    conditioning = Slot(object, "none")


@operation(
    ROOT,
    needs=["row_accelerations", "delassus", "row_targets", "posture_rows", "activation", "row_weights"],
    gives=["constraint_force_change", "constraint_forces", "rank", "conditioning"],
    equation="(J M^-1 J^T) lambda = b - J a - Jdot v",
)
def balance(graph: StateGraph[Balanced], problem: Problem) -> None:
    """The forces that make up for what the unconstrained motion misses along the rows."""
    world = graph.world
    rows, one = problem[Constraints].labels, np.ones((1, 1))
    world.constraint_forces, world.rank, world.conditioning = Multipliers(rows, zeros(len(rows), 1)), zeros(1, 1), one
    if problem[Constraints].solved:
        world.constraint_forces, *report = _balanced(graph, problem)
        world.rank, world.conditioning = report or (UNKNOWN, UNKNOWN)
    world.constraint_force_change = world.constraint_forces


@operation(
    ROOT,
    needs=[*balance.needs, "constraint_forces"],
    gives=["constraint_force_change", "constraint_forces"],
)
def refine(graph: StateGraph[Balanced], problem: Problem) -> None:
    """The same once more, for what rounding has left to miss: Λ is only as exact as its entries, Aᵀ Ẍ is measured."""
    world = graph.world
    if problem[Constraints].solved:
        world.constraint_force_change, *_ = _balanced(graph, problem)
        world.constraint_forces = world.constraint_forces + world.constraint_force_change


def _balanced(graph: StateGraph[Balanced], problem: Problem) -> tuple[Any, ...]:
    """Multipliers, zero along rows that are only measured, and what the kernel reports."""
    world, asked = graph.world, problem[Constraints]
    rows, (order, blocks, weights) = asked.solved, asked.priorities
    active, given = world.activation.select(rows), world.row_weights.select(rows)
    weights = [1.0] * len(rows) if given.given else weights
    missing = world.row_targets - world.row_accelerations
    missing = missing + world.posture_rows.scaled(asked.posture) if asked.posture else missing
    missing = given.of(active.of(missing.select(rows)))
    kernel = LDLT_SOLVE.with_policy(blocks, asked.truncation)
    if not asked.regularisation:
        _, free = graph.parted(problem.prescribed)
        # rows that are off count beside all others
        most = None if active.given else len(free) + len(asked.undriven)
        kernel = TRUNCATED_SOLVE if asked.least else RANGE_SOLVE
        ranked = [weights[k] for k in order]
        kernel = kernel.with_policy(blocks, asked.truncation, most, ranked)
        kernel = replace(kernel, weights=tuple(ranked)) if given.given else kernel
    # what has no motor does not give way
    give = [np.inf if row in asked.undriven else weight for row, weight in zip(rows, weights, strict=True)]
    coupling = given.coupling(active.coupling(world.delassus.select(rows))).damped(asked.regularisation, give)
    forces, *report = coupling.balance(missing, kernel, of_moved_rows(problem), order, weights)
    return active.of(given.of(forces)).spread(asked.labels), *report


def refined(step: Operation) -> Operation:
    """The same step, where answers are refined."""

    def where_it_is_asked_for(*arguments: Any) -> None:
        problem = arguments[1] if step.direction is ROOT else arguments[0].problem
        if problem[Constraints].refined:
            step(*arguments)

    return Operation(step.name, step.direction, where_it_is_asked_for, step.needs, step.gives, step.said)
