"""Which value belongs to which joint or row? Values by name: found, spread, summed, and refused where names differ."""

from collections.abc import Sequence
from typing import Any

from motionc.geometry.coordinates import (
    Coordinates,
    assemble,
    beside,
    zeros,
)
from motionc.geometry.meaning import refuse, step_between

Labels = tuple[str, ...]


def stacked(rows: Labels, parts: Sequence[Any]) -> Coordinates:
    """What several parts say along some of the rows each, one below the other; what is said twice is summed."""
    entries: list[list[Any]] = [[0.0] for _ in rows]
    for part in parts:
        for k, i in enumerate(places(part, rows, part.rows)):
            entries[i][0] = entries[i][0] + part.values[k, 0]
    return assemble(entries) if rows else zeros(0, 1)


def union(these: Labels, those: Labels) -> Labels:
    """All labels once, these first."""
    return these + tuple(label for label in those if label not in these)


def spread_columns(values: Any, labels: Labels, among: Labels) -> Any:
    """The same columns among others, which are empty."""
    if labels == among:
        return values
    wide = beside(values, zeros(values.shape[0], 1))
    return wide[:, [labels.index(label) if label in labels else len(labels) for label in among]]


def places(whole: object, known: Labels, wanted: Labels) -> list[int]:
    """Where some of the rows are; refused where one is not there."""
    for row in wanted:
        if row not in known:
            refuse(f"{whole}.select({row})", f"there is no row {row}", remedy=f"select among {', '.join(known)}")
    return [known.index(row) for row in wanted if row in known]


REMEDY = {
    "joints": "take both of the same joint",
    "rows": "take both of the same constraint rows",
    "of": "take both of the same body",
    "wrt": "compose with the acceleration of {theirs} wrt {ours} (gravity's share, for world and free_fall)",
    "kind": "convert with to_spatial or to_classical and the body's twist",
}


def expect_alike(ours: object, theirs: object, operation: str, kind: type, *fields: str) -> None:
    """Refuse unless the other side is of the right kind and agrees in the named fields."""
    if not isinstance(theirs, kind):
        others = "a motor's force, what a joint feels and what constraints require are different things: bring a "
        refuse(
            f"{ours} {operation} {theirs}",
            f"{type(theirs).__name__} is not a {kind.__name__}",
            remedy=step_between(type(theirs).__name__, kind.__name__) or f"{others}{kind.__name__}",
        )
        return
    for name in fields:
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine != other:
            refuse(
                f"{ours} {operation} {theirs}",
                f"{name} differ: {mine} != {other}",
                remedy=REMEDY[name].format(ours=mine, theirs=other),
            )
