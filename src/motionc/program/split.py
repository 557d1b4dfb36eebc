"""Cutting a long program into parts: what each computes, what it takes over from earlier parts, what it hands on.

Compilers slow down faster than a function grows, so targets print a long program as several functions. Which parts
there are is decided here; how values travel between them (one array of slots) is the target's affair.
"""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from motionc.program.instructions import FREE, TURN
from motionc.program.program import Instruction, Program
from motionc.program.sizes import Cut


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of instructions; `needs` and `gives` map values to the slots in which they are handed over.

    No slot of `needs` is one of `gives`: a part may write what it gives as soon as it has it.
    """

    steps: range
    needs: Mapping[int, int]
    gives: Mapping[int, int]


def parts(program: Program, limit: int) -> tuple[Part, ...]:
    """The program, in its order, in parts of at most `limit` instructions; cuts fall where few values cross.

    Neighbours made by `together` stay in one part. Outputs are written by the part that computes them.
    """
    steps = program.instructions
    last = list(range(len(steps)))
    for i, step in enumerate(steps):
        for arg in step.args:
            last[arg] = i

    # each stretch ends at the cheapest place in its second half, or, inside the picks of one call, behind them
    crossing = _crossing(steps, last)
    ends, start = list[int](), 0
    while len(steps) - start > limit:
        places = [b for b in range(start + limit, start + limit // 2, -1) if not _belongs(steps, b)]
        behind = (b for b in range(start + limit, len(steps)) if not _belongs(steps, b))
        start = min(places, key=lambda b: crossing[b]) if places else next(behind, len(steps))
        ends.append(start)
    if start < len(steps):
        ends.append(len(steps))

    return _with_slots(steps, last, ends)


def in_functions(program: Program, cut: Cut) -> tuple[Part, ...]:
    """The program as one function, or as several where one would be long."""
    return parts(program, cut.limit(len(program.instructions)))


def slots(cut: tuple[Part, ...]) -> int:
    """How many slots the parts share."""
    return 1 + max((slot for part in cut for slot in part.gives.values()), default=-1)


def _belongs(steps: tuple[Instruction, ...], i: int) -> bool:
    """Whether instruction i is one with the one before it."""
    step, before = steps[i], steps[i - 1]
    return step.op == "pick" or (step.op in TURN and before.op in TURN and step.args == before.args)


def _crossing(steps: tuple[Instruction, ...], last: list[int]) -> list[int]:
    """How many values a cut in front of each instruction would have to hand over."""
    change = [0] * (len(steps) + 1)
    for i, step in enumerate(steps):
        if step.op not in FREE:
            change[i + 1] += 1
            change[last[i] + 1] -= 1
    return list(accumulate(change))


def _with_slots(steps: tuple[Instruction, ...], last: list[int], ends: list[int]) -> tuple[Part, ...]:
    """Hand out slots; one is free again in the part after its value's last use."""
    found = list[Part]()
    slot, idle, size = dict[int, int](), list[int](), 0
    for start, end in zip([0, *ends], ends, strict=False):
        needs = {arg: slot[arg] for i in range(start, end) for arg in steps[i].args if arg in slot}
        gives = dict[int, int]()
        for i in range(start, end):
            if steps[i].op not in FREE and last[i] >= end:
                if not idle:
                    idle.append(size)
                    size += 1
                gives[i] = heapq.heappop(idle)
        found.append(Part(range(start, end), needs, gives))
        slot |= gives
        for value in [value for value in slot if last[value] < end]:
            heapq.heappush(idle, slot.pop(value))
    return tuple(found)
