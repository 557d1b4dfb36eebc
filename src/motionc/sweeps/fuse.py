"""Two schedules in one: what both do is done once, and each still leaves what it leaves alone.

A step is one operation, or several of a sweep where an earlier one reads what a later one gives, at another joint.
What a step makes is known by its operations and by the steps that made what it reads: if those are equal, so are the
steps. A step that changes a quantity comes after all that need it as it was, whichever schedule they are from.

Two ways to the same quantity are refused: neither of them is the right one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from motionc.errors import Error

if TYPE_CHECKING:
    from motionc.sweeps.schedule import Operation, Sweep

    Sweeps = tuple[Sweep, ...]

NOTHING = -1
"""The step that made what nobody has made yet."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Operations that belong together, the sweep they come from, and for each quantity they read who made it."""

    number: int
    operations: "tuple[Operation, ...]"
    sweep: "Sweep"
    reads: dict[str, int]
    gives: frozenset[str]


def fused(first: "tuple[str, Sweeps]", second: "tuple[str, Sweeps]") -> "Sweeps":
    """The sweeps of two schedules, each with its name for the sentence where they disagree."""
    numbers: dict[Any, int] = {}
    ours, theirs = (list(_steps(sweeps, numbers)) for _, sweeps in (first, second))
    _refuse_two_ways(first[0], ours, second[0], theirs)
    steps = {step.number: step for step in (*theirs, *ours)}
    wanted = list(dict.fromkeys(step.number for step in (*ours, *theirs)))
    try:
        order = _ordered(wanted, _edges(list(steps.values())))
    except ValueError:
        raise Error(
            f"{first[0]} + {second[0]}: each changes a quantity that the other needs unchanged, so that no order "
            "serves both; solve each by itself"
        ) from None
    return _sweeps([steps[number] for number in order])


def _steps(sweeps: "Sweeps", numbers: dict[Any, int]) -> Iterator[Step]:
    """The steps of one schedule; equal ones of another schedule have equal numbers."""
    made_by: dict[str, int] = {}
    for sweep in sweeps:
        for operations in _inseparable(sweep.operations):
            gives = frozenset[str]().union(*(step.gives for step in operations))
            reads = gives.union(*(step.needs for step in operations))
            before = {quantity: made_by.get(quantity, NOTHING) for quantity in sorted(reads)}
            number = numbers.setdefault((operations, tuple(before.items())), len(numbers))
            made_by |= dict.fromkeys(gives, number)
            yield Step(number, operations, sweep, before, gives)


def _inseparable(operations: "Sequence[Operation]") -> "Iterator[tuple[Operation, ...]]":
    """Cut a sweep wherever nothing after the cut gives what something before it reads, at the next joint."""
    start = 0
    while start < len(operations):
        stop = reading = start + 1
        while reading <= stop:
            reads = operations[reading - 1].needs | operations[reading - 1].gives
            givers = [k + 1 for k in range(stop, len(operations)) if operations[k].gives & reads]
            stop = max([stop, *givers])
            reading += 1
        yield tuple(operations[start:stop])
        start = stop


def _refuse_two_ways(name: str, ours: list[Step], other: str, theirs: list[Step]) -> None:
    """Both must leave a quantity as the very same step left it."""
    ends = [{quantity: step.number for step in steps for quantity in step.gives} for steps in (ours, theirs)]
    for step in ours:
        for quantity in sorted(step.gives & ends[1].keys()):
            if ends[0][quantity] != ends[1][quantity]:
                ways = [
                    ", ".join(op.name for step in steps for op in step.operations if quantity in op.gives)
                    for steps in (ours, theirs)
                ]
                raise Error(
                    f"{name} + {other}: both give {quantity!r}, but differently: {name} by {ways[0]}, {other} by "
                    f"{ways[1]}; let one give it under another name, or solve each by itself"
                )


def _edges(steps: list[Step]) -> list[tuple[int, int]]:
    """Which step comes before which: who makes before who reads, and who reads before who changes."""
    changes = {(quantity, step.reads[quantity]): step.number for step in steps for quantity in step.gives}
    edges: list[tuple[int, int]] = []
    for step in steps:
        for quantity, maker in step.reads.items():
            if maker != NOTHING:
                edges.append((maker, step.number))
            changer = changes.get((quantity, maker), step.number)
            if changer != step.number:
                edges.append((step.number, changer))
    return edges


def _ordered(wanted: list[int], edges: list[tuple[int, int]]) -> list[int]:
    """In the order wanted, except where an edge says otherwise; ValueError where edges go round in a circle."""
    place = {number: k for k, number in enumerate(wanted)}
    waiting = dict.fromkeys(wanted, 0)
    after: dict[int, list[int]] = {number: [] for number in wanted}
    for one, other in edges:
        after[one].append(other)
        waiting[other] += 1
    ready = [place[number] for number in wanted if not waiting[number]]
    heapify(ready)
    order: list[int] = []
    while ready:
        order.append(wanted[heappop(ready)])
        for other in after[order[-1]]:
            waiting[other] -= 1
            if not waiting[other]:
                heappush(ready, place[other])
    if len(order) < len(wanted):
        raise ValueError("a circle")
    return order


def _sweeps(steps: list[Step]) -> "Sweeps":
    """Neighbours that came from one sweep stay in one."""
    sweeps: list[Any] = []
    origin = None
    for step in steps:
        if step.sweep is origin:
            sweeps[-1] = replace(sweeps[-1], operations=(*sweeps[-1].operations, *step.operations))
        else:
            sweeps.append(replace(step.sweep, operations=step.operations))
        origin = step.sweep
    return tuple(sweeps)
