"""The catalogue of derivatives: which solvers have sweeps of their own for theirs, and the regressor.

`derivative(solver, of, wrt)` is again a Solver, with the inputs of the one it is of; None where no sweep knows it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionc.geometry.coordinates import Coordinates, beside, masked, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.semidefinite import TRUNCATED_INVERSE
from motionc.program.port import Note, Port
from motionc.solvers.bias_forces import BiasForces
from motionc.solvers.constrained_dynamics import ConstrainedDynamics
from motionc.solvers.derivatives.dynamics import (
    ACCELERATION_CHANGES,
    CHANGES,
    FORCE_CHANGES,
    Carried,
    accelerate_alone,
    carried_along,
    root_poses,
    spread_accelerations,
)
from motionc.solvers.derivatives.outside import Outside, pull_outside, pull_rows
from motionc.solvers.forward_dynamics import ForwardDynamics
from motionc.solvers.gravity_forces import GravityForces
from motionc.solvers.inverse_dynamics import InverseDynamics
from motionc.solvers.popov_vereshchagin import COUPLED_CONSTRAINED_DYNAMICS
from motionc.solvers.regressor import Regressed, in_words, link_views, regress
from motionc.solvers.rows import Constraints, Undriven
from motionc.solvers.steps.rows_together import RowsTogether
from motionc.solvers.steps.tree_solve import divided, divided_all, factor_masses, inverted
from motionc.sweeps.options import Derivative, Options
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, Schedule, Sweep, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class Changed(Outside, Regressed, RowsTogether):
    """The derivatives that were asked for, by output and input."""

    derivatives = Slot(dict, "none")


Changes = dict[tuple[str, str], Coordinates]
Change = Callable[[StateGraph[Changed], Problem, Sequence[str], Sequence[str]], Changes]
"""∂(of)/∂(wrt) of all pairs, from the states."""

INERTIA_WORD = "inertia"
"""What the numbers of all links are called as something to differentiate by."""


def derivative(solver: Solver, of: Sequence[str], wrt: Sequence[str]) -> Solver | None:
    """∂(of)/∂(wrt) of a solver as a solver of its own; None where no sweep knows it."""
    kind = KINDS.get(type(solver.options))
    if kind is None:
        return None
    sweeps, change, known_outputs = kind
    outputs = {port.name: port for port in solver.outputs}
    inputs = {port.name: port for port in solver.inputs}
    if not set(of) <= known_outputs & set(outputs) or not set(wrt) <= KNOWN_INPUTS & {*inputs, INERTIA_WORD}:
        return None
    # the sweeps vary what S carries along, not S itself
    moving = solver.robot.mechanism.bodies
    if {"q", "v"}.intersection(wrt) and not all(body.joint.type.constant for body in moving):
        return None
    problem = solver.problem
    rows = problem[Constraints]
    if rows.posture or rows.limits or rows.of_all_bodies or problem.prescribed or problem[Undriven].coordinates:
        return None
    if rows.activated or rows.weighed:
        return None

    still = {"a": zeros(solver.robot.nv, 1)}
    pairs = [(name, by) for name in of for by in wrt]

    def question(mechanism: Mechanism) -> Problem:
        asked = solver.question(mechanism)
        return replace(asked.asking(link_views(solver.robot, mechanism)), constants=still | dict(asked.constants))

    options, motors = solver.options, None
    if isinstance(options, ConstrainedDynamics) and "tau_command" in of:
        motors = options.motors(solver.robot)

    @operation(ROOT, needs=_given(sweeps), gives=["derivatives"])
    def change_all(graph: StateGraph[Changed], problem: Problem) -> None:
        changes = change(graph, problem, of, wrt)
        if motors is not None:
            for by in wrt:
                changes["tau_command", by] = masked(changes["tau_command", by], motors != 0.0)
        graph.world.derivatives = changes

    name = f"{solver.name}_d{'_'.join(of)}_d{'_'.join(wrt)}"
    return replace(
        solver,
        name=name,
        equation=f"{', '.join(f'd {a} / d {b}' for a, b in pairs)} where {solver.equation}",
        schedule=Schedule(name, (*sweeps, sweep(change_all))),
        outputs=tuple(_port(solver.robot, outputs[name], inputs.get(by), by) for name, by in pairs),
        question=question,
        collect={f"d{name}_d{by}": _reader(name, by) for name, by in pairs},
        notes=_no_notes,
        again=(),
        options=Derivative(options, "derivative", tuple(of), tuple(wrt)),
    )


def _reader(of: str, wrt: str) -> Callable[[StateGraph[Changed]], Coordinates]:
    return lambda graph: graph.world.derivatives[of, wrt]  # pyright: ignore[reportUnknownLambdaType]


def _no_notes(_: Mapping[str, Any]) -> list[Note]:
    return []


def _given(sweeps: Sequence[Sweep]) -> set[str]:
    """Everything that some sweeps leave."""
    return {name for walk in sweeps for step in walk.operations for name in step.gives}


# ---------------------------------------------------------------- what changes


def _forces(graph: StateGraph[Changed], problem: Problem, of: Sequence[str], wrt: Sequence[str]) -> Changes:
    return {(name, by): _force(graph, by) for name in of for by in wrt}


def _force(graph: StateGraph[Changed], wrt: str, carried: Carried | None = None) -> Coordinates:
    """τ = M a + h - Σ Jᵀ f, joints accelerating as they do; without what comes of being carried along."""
    world = graph.world
    if wrt in ("q", "v"):
        own = world[f"dtau_d{wrt}"].values
        pulled = list(world.wrench_stiffness.values()) if wrt == "q" else []
        return _sum(own if carried is None else carried.left(own), *(_minus(values) for values in pulled))
    if wrt in ("a", INERTIA_WORD):
        return world.mass_matrix.values if wrt == "a" else world.regressor
    if wrt in ("tau", "tau_physical"):
        return -np.eye(graph.mechanism.nv)
    return _minus(world.wrench_jacobian[wrt])


def _accelerations(graph: StateGraph[Changed], problem: Problem, of: Sequence[str], wrt: Sequence[str]) -> Changes:
    """M ∂a = - ∂τ; what comes of being carried along needs no solve."""
    along = {by: carried_along(graph, by) for by in wrt if by in ("q", "v")}
    solved = [by for by in wrt if by not in ("tau", "tau_physical")]
    pushed = [_force(graph, by, along.get(by)) for by in solved]
    moved = dict(zip(solved, divided_all(graph, problem, pushed, minus=True), strict=True))
    moved |= {by: _sum(moved[by], known.accelerations) for by, known in along.items() if known is not None}
    return {("a", by): moved[by] if by in moved else inverted(graph, problem) for by in wrt}


def _constrained(graph: StateGraph[Changed], problem: Problem, of: Sequence[str], wrt: Sequence[str]) -> Changes:
    """M ∂a = p + Jᵀ ∂λ,  J ∂a + d ∂λ = s:  p = - ∂τ + ∂(Jᵀ) λ,  s = ∂b - ∂(J a + J̇ v),  d the damping of rows.

    So (Λ + d) ∂λ = s - J M⁻¹ p, by the pseudo-inverse where rows depend on each other, and ∂a = M⁻¹ p + M⁻¹ Jᵀ ∂λ.
    """
    world, m = graph.world, len(problem[Constraints].labels)
    pushed, missing = [_pushed(graph, m, by) for by in wrt], [_missing(graph, m, by) for by in wrt]
    reach = world.jacobian_transposed.values if m else zeros(graph.mechanism.nv, 0)
    # how joints respond to unit forces along rows, and to what pushes them
    response, *moved = (divided(graph, problem, right) for right in (reach, *pushed))
    strengths = [zeros(0, push.shape[1]) for push in pushed]
    if m:
        coupling = world.delassus.damped(problem[Constraints].regularisation, problem[Constraints].priorities[2]).values
        most = None if problem[Constraints].regularisation else graph.mechanism.nv
        kernel = TRUNCATED_INVERSE.with_policy((m,), problem[Constraints].truncation, most)
        (flat, *_) = problem.call(kernel, coupling)
        inverse = _square(flat, m)
        held = response @ inverse
        strengths = [inverse @ miss - held.T @ push for miss, push in zip(missing, pushed, strict=True)]
        moved = [free + response @ strength for free, strength in zip(moved, strengths, strict=True)]
    changes: Changes = {("a", by): values for by, values in zip(wrt, moved, strict=True)}
    for by, strength in zip(wrt, strengths, strict=True):
        changes["multipliers", by] = strength
        changes["tau_command", by] = _made(graph, problem, by, strength)
    return changes


def _pushed(graph: StateGraph[Changed], m: int, wrt: str) -> Coordinates:
    """By how much more joints are pushed, as they accelerate and rows pull: - ∂τ + ∂(Jᵀ) λ."""
    if wrt == "b":
        return zeros(graph.mechanism.nv, m)
    pushed = _minus(_force(graph, wrt))
    return _sum(pushed, *graph.world.row_stiffness.values()) if wrt == "q" else pushed


def _missing(graph: StateGraph[Changed], m: int, wrt: str) -> Coordinates:
    """∂b - ∂(J a + J̇ v), the joints accelerating as they do."""
    if wrt == "b":
        return np.eye(m)
    if wrt in ("q", "v"):
        return _minus(graph.world[f"drows_d{wrt}"])
    pushed = _force(graph, wrt)
    return zeros(m, pushed.shape[1])


def _made(graph: StateGraph[Changed], problem: Problem, wrt: str, strength: Coordinates) -> Coordinates:
    """What motors make more: tau + Jᵀ λ of tasks + Jᵀ f_art."""
    world, nv, columns = graph.world, graph.mechanism.nv, strength.shape[1]
    keep = [k for k, row in enumerate(problem[Constraints].labels) if row in problem[Constraints].task_rows]
    made = world.jacobian_transposed.values[:, keep] @ strength[keep, :] if keep else zeros(nv, columns)
    if wrt == "q":
        return _sum(made, world.row_stiffness["task"], world.wrench_stiffness.get("f_art", zeros(nv, nv)))
    own = {"tau": np.eye(nv), "f_art": world.wrench_jacobian.get("f_art")}
    return _sum(made, own[wrt]) if wrt in own else made


KNOWN_INPUTS = {"q", "v", "a", "tau", "tau_physical", "b", "f_ext", "f_art", INERTIA_WORD}
OUTSIDE = sweep(pull_outside, regress)
FORCES = (*FORCE_CHANGES, OUTSIDE)
KINDS: dict[type[Options], tuple[tuple[Sweep, ...], Change, set[str]]] = {
    InverseDynamics: (FORCES, _forces, {"tau"}),
    BiasForces: (FORCES, _forces, {"h"}),
    GravityForces: (FORCES, _forces, {"g"}),
    ForwardDynamics: ((*ACCELERATION_CHANGES, OUTSIDE), _accelerations, {"a"}),
    ConstrainedDynamics: (
        (
            *COUPLED_CONSTRAINED_DYNAMICS.sweeps,
            sweep(accelerate_alone, root_poses),
            sweep(factor_masses, spread_accelerations),
            *CHANGES,
            sweep(pull_outside, pull_rows, regress),
        ),
        _constrained,
        {"a", "multipliers", "tau_command"},
    ),
}


def _sum(first: Coordinates, *others: Coordinates) -> Coordinates:
    total = first
    for other in others:
        total = total + other
    return total


def _minus(values: Coordinates) -> Coordinates:
    return -values


def _square(flat: Any, m: int) -> Coordinates:
    """A kernel's matrix, row by row."""
    return beside(*(flat[i * m : (i + 1) * m, :] for i in range(m))).T


# ---------------------------------------------------------------- ports


def _port(robot: Robot, of: Port, wrt: Port | None, name: str) -> Port:
    if wrt is None:
        return Port(
            f"d{of.name}_d{name}",
            (*of.shape, 10 * len(robot.weighing_links)),
            f"({of.unit}) per unit of phi",
            f"change of {of.name} with {in_words(robot)}",
        )
    columns, unit = (robot.nv, "rad, m") if name == "q" else (wrt.size, wrt.unit)
    how = "per unit of each entry of v along which q moves" if name == "q" else f"per unit of each entry of {name}"
    return Port(f"d{of.name}_d{name}", (*of.shape, columns), f"({of.unit})/({unit})", f"change of {of.name} {how}")
