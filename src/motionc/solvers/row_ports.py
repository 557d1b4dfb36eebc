"""What computations along rows have in common: ports, words, checks and notes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Note, Port, Precision
from motionc.program.space import Near, counts, shares
from motionc.solvers.arguments import rank_notes
from motionc.solvers.centroidal import Momentum
from motionc.solvers.constraint import JointConstraint, OfAllBodies, numbers_in_words, resolve_constraints
from motionc.solvers.frame_arguments import Rows
from motionc.solvers.rows import Constraints, Undriven, reached, undriven
from motionc.sweeps.state import StateGraph

ROUNDING: Mapping[Precision, float] = {"double": 1e-9, "single": 1e-3}
"""What share of the largest force may be rounding, of which no note is made."""
CONDITIONING = Port("conditioning", (), "1", "1 where rows act apart, beyond 1e8 where some nearly depend")


def asked_of(
    mechanism: Mechanism, wanted: Sequence[Rows], policy: Constraints, idle: Collection[str], arm: float
) -> tuple[Constraints, Undriven]:
    """The rows of all constraints, balanced as the policy says, and the coordinates of joints that no motor drives."""
    rows = resolve_constraints(mechanism, wanted)
    supported = undriven(mechanism, idle, rows, arm)
    # a contact that may be off reaches nothing for sure
    first = () if not policy.activated and reached(mechanism, supported, rows) else supported.coordinates
    return replace(policy, specs=rows, undriven=tuple(f"undriven:{label}" for label in first)), supported


def b_port(mechanism: Mechanism, wanted: Sequence[Rows]) -> Port:
    """What is asked along the rows, row by row."""
    rows, kinds = labels_of(mechanism, wanted), "; ".join(in_words(constraint) for constraint in wanted)
    return Port("b", (len(rows),), row_units(wanted), f"acceleration along {', '.join(rows)} ({kinds})")


def factor_ports(mechanism: Mechanism, wanted: Sequence[Rows], policy: Constraints) -> tuple[Port, ...]:
    """How far rows hold, and how much misses count, where that is given with each call."""
    rows, along = labels_of(mechanism, wanted), ", ".join(labels_of(mechanism, wanted))
    weights = [spec.weight for spec in resolve_constraints(mechanism, wanted) for _ in spec.labels]
    hold = f"how far rows hold, from 0, dropped, to 1: {along}"
    count = f"how much a miss counts (by its square), > 0: {along}"
    ports = (
        Port("activation", (len(rows),), "1", hold, shares(len(rows))),
        Port("weights", (len(rows),), "1", count, Near(np.array(weights))),
    )
    return tuple(port for port, given in zip(ports, (policy.activated, policy.weighed), strict=True) if given)


def refuse_given_factors(what: str, asked: Any, *, optimal: bool, refined: bool = False) -> None:
    """Refuse what has no meaning where rows are activated, or weighed, with each call."""
    for option in ("activation", "weights"):
        if getattr(asked, option) and optimal:
            raise Error(
                f"{what}: {option}=True with limits: the best within them knows rows that always hold, and their "
                "weights beforehand; say on_limit='clip', or leave out one or the other"
            )
    if asked.activation and refined:
        raise Error(
            f"{what}: activation=True with refine=True: between 0 and 1 rows miss b on purpose; say one or the other"
        )


def rank_port(m: int, otherwise: str = "least-squares answer") -> Port:
    """How many of m rows are independent, and what is so where not all are."""
    return Port("rank", (), "1", f"independent rows among {m}; less than {m}: {otherwise}", counts(1))


def coupling_port(m: int) -> Port:
    return Port("coupling", (m, m), "1/(kg m²), 1/kg", "J M⁻¹ Jᵀ")


def labels_of(mechanism: Mechanism, wanted: Sequence[Rows]) -> list[str]:
    """What rows are called in ports."""
    specs = resolve_constraints(mechanism, wanted)
    return [label.partition(":")[2] for spec in specs for label in spec.labels]


def delassus(graph: StateGraph[Any], rows: tuple[str, ...] | None = None) -> Coordinates:
    """J M⁻¹ Jᵀ of these rows or all, empty where there are none."""
    if "delassus" not in graph.world:
        return zeros(0, 0)
    return (graph.world.delassus if rows is None else graph.world.delassus.select(rows)).values


def name_of(rows: Rows) -> str:
    if isinstance(rows, OfAllBodies):
        return rows.called
    return ", ".join(rows.names) if isinstance(rows, JointConstraint) else rows.frame


def in_words(constraint: Rows) -> str:
    """A constraint in words, for a port."""
    rank = f", level {constraint.level}" * (constraint.level != 1)
    rank += f", weight {constraint.weight:g}" * (constraint.weight != 1.0)
    rank = f"{numbers_in_words(constraint)}{rank}"
    if isinstance(constraint, JointConstraint):
        return f"joints {', '.join(constraint.names)}, a {constraint.source}{rank}"
    if isinstance(constraint, OfAllBodies):
        return f"{constraint.called} of all moving links as seen by {constraint.as_seen_by}, a task{rank}"
    seen = f"{constraint.frame} wrt {constraint.wrt} as seen by {constraint.as_seen_by}"
    rank += "" if constraint.mu is None else f", mu {constraint.mu:g}"
    return f"{seen}, {constraint.kind}, a {constraint.source}{rank}"


def row_units(wanted: Sequence[Rows]) -> str:
    """Of accelerations along rows; of momentum, what changes it."""
    return "rad/s², m/s²" + "; of momentum N m, N" * any(isinstance(one, Momentum) for one in wanted)


def checked_regularisation(what: str, given: Any) -> float:
    return checked.number(what, given, "give a finite number ≥ 0", fits=lambda value: value >= 0)


def checked_posture(what: str, given: Any) -> float:
    wanted = "give 0 (constraints win over tau) to 1 (tau wins)"
    return checked.number(what, given, wanted, fits=lambda share: 0 <= share <= 1)


def checked_arm(what: str, given: Any, least: float = 1e-3) -> float:
    """Beyond these, moments or forces are lost in rounding beside the others."""
    wanted = f"give a length from {least:g} to 1000 m, such as 0.1"
    return checked.number(what, given, wanted, fits=lambda arm: least <= arm <= 1e3)


def without_rank(outputs: Sequence[str], *, told: bool) -> Sequence[str]:
    """The outputs but for those that a regularised solve does not have; refused where somebody asked for one."""
    absent = [name for name in outputs if name in ("rank", "conditioning")]
    if told and absent:
        raise Error(f"outputs={absent[0]!r} with regularisation: no row is dropped there; leave out one or the other")
    return [name for name in outputs if name not in absent]


def check_policy(
    robot: Robot,
    constraints: Sequence[Rows],
    told: frozenset[str],
    regularisation: float,
    refine: bool,
) -> None:
    """Refuse what has no meaning together."""
    if refine and regularisation:
        raise Error(f"refine=True with regularisation={regularisation}: that misses b on purpose; say one or the other")
    levels = {constraint.level for constraint in constraints}
    if regularisation and len(levels) > 1:
        raise Error(
            f"regularisation={regularisation} with levels {', '.join(map(str, sorted(levels)))}: it lets every row "
            "give way, so that none comes first; leave it out (rank is kept by truncation), or give all rows one level "
            "and weights"
        )
    if told and robot.followers:
        name, (leader, *_) = next(iter(robot.followers.items()))
        raise Error(
            f"prescribed={sorted(told)[0]!r}: in {robot.name} {name} follows {leader}, and all joints are solved "
            "together; give a JointConstraint of level 1 instead, or load with mimic='independent'"
        )
    for constraint in constraints:
        both = told.intersection(constraint.names) if isinstance(constraint, JointConstraint) else ()
        if both:
            raise Error(
                f"JointConstraint on {sorted(both)[0]}: its acceleration is prescribed already; say one or other"
            )


def constrained_notes(robot: Robot, m: int, precision: Precision, results: Mapping[str, Any]) -> list[Note]:
    notes = rank_notes(m, results, "the multipliers are the least ones that come nearest to b, see residual")
    if "unactuated" in results:
        asked = np.abs(results["unactuated"])
        scale = np.max(np.abs(results.get("tau_command", asked)), axis=1, keepdims=True, initial=1.0)
        for name, where in robot.v_index.items():
            beyond = np.any(asked[:, where] > ROUNDING[precision] * scale, axis=1)
            notes.append(Note(f"no motor makes the force asked of {name}: see unactuated", beyond))
    return notes
