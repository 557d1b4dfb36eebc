"""Cutting a long program into parts: what each computes, what it takes over from earlier parts, what it hands on.

Compilers slow down faster than a function grows, so targets print a long program as several functions. Which parts
there are is decided here; how values travel between them (one array of slots) is the target's affair.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from motionc.program.instructions import FREE, TURN
from motionc.program.program import Instruction, Program, call_data
from motionc.program.sizes import Cut

MANY = 100
"""Numbers that a kernel takes from which on they are handed over where it takes them."""
BLOCK = 32
"""Slots side by side that a target may reach by short addresses."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of instructions; `needs` and `gives` map values to the slots in which they are handed over.

    No slot of `needs` is one of `gives`: a part may write what it gives as soon as it has it. What a kernel gives lies
    side by side, in as many slots as it gives numbers, which `arrays` has by its call; so does, of a kernel that takes
    much from earlier parts, what it takes: `tables` has those slots, into which the rest of it is to be written.
    """

    steps: range
    needs: Mapping[int, int]
    gives: Mapping[int, int]
    arrays: Mapping[int, range] = field(default_factory=dict[int, range])
    tables: Mapping[int, range] = field(default_factory=dict[int, range])


def parts(program: Program, limit: int, kept: Collection[int] = ()) -> tuple[Part, ...]:
    """The program, in its order, in parts of at most `limit` instructions; cuts fall where few values cross.

    Neighbours made by `together` stay in one part. Outputs are written by the part that computes them. Values that are
    `kept` elsewhere are not handed over.
    """
    steps = program.instructions
    last = list(range(len(steps)))
    for i, step in enumerate(steps):
        for arg in step.args:
            last[arg] = i
    for value in kept:
        last[value] = value

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


def in_functions(program: Program, cut: Cut, kept: Collection[int] = ()) -> tuple[Part, ...]:
    """The program as one function, or as several where one would be long."""
    return parts(program, cut.limit(len(program.instructions)), kept)


def slots(cut: tuple[Part, ...]) -> int:
    """How many slots the parts share."""
    lone = [1 + slot for part in cut for slot in part.gives.values()]
    return max(
        [*lone, *(own.stop for part in cut for own in (*part.arrays.values(), *part.tables.values()))], default=0
    )


def _belongs(steps: tuple[Instruction, ...], i: int) -> bool:
    """Whether instruction i is one with the one before it."""
    step, before = steps[i], steps[i - 1]
    return step.op == "pick" or (step.op in TURN and before.op in TURN)


def _crossing(steps: tuple[Instruction, ...], last: list[int]) -> list[int]:
    """How many values a cut in front of each instruction would have to hand over."""
    change = [0] * (len(steps) + 1)
    for i, step in enumerate(steps):
        if step.op not in FREE:
            change[i + 1] += 1
            change[last[i] + 1] -= 1
    return list(accumulate(change))


def _with_slots(steps: tuple[Instruction, ...], last: list[int], ends: list[int]) -> tuple[Part, ...]:
    """Hand out slots; one is free again in the part after its value's last use, those of a kernel all together."""
    found, free = list[Part](), _Free()
    slot, lone, place = dict[int, int](), set[int](), _places(steps)
    tables, until = dict[int, range](), dict[range, int]()
    for start, end in zip([0, *ends], ends, strict=False):
        needs = {arg: slot[arg] for i in range(start, end) for arg in steps[i].args if arg in slot}
        gives, arrays, alone = dict[int, int](), dict[int, range](), list[int]()
        for i in range(start, end):
            step = steps[i]
            if step.op in FREE or last[i] < end:
                continue
            call, element = (step.args[0], step.data) if step.op == "pick" else place.get(i, (-1, 0))
            if step.op != "pick" and call < end:
                alone.append(i)
                continue
            own, size = (arrays, "outputs") if step.op == "pick" else (tables, "inputs")
            if call not in own:
                own[call] = free.several(getattr(call_data(steps[call]), size))
                until[own[call]] = call
            gives[i] = own[call][element]  # pyright: ignore[reportArgumentType, reportCallIssue]
            until[own[call]] = max(until[own[call]], last[i])
        # what is done with at the same time lies together, and is free again together
        alone.sort(key=lambda i: last[i])
        gives |= dict(zip(alone, free.some(len(alone)), strict=True))
        lone |= set(alone)
        used = {call: tables[call] for call in tables if start <= call < end}
        found.append(Part(range(start, end), needs, gives, arrays, used))
        slot |= gives
        for value in [value for value in slot if last[value] < end]:
            freed = slot.pop(value)
            if value in lone:
                free.again([freed])
        for own in [own for own, when in until.items() if when < end]:
            del until[own]
            free.again(own)
    return tuple(found)


def _places(steps: tuple[Instruction, ...]) -> dict[int, tuple[int, int]]:
    """Of values that kernels take which take many, not from kernels, the first such call and where it takes them."""
    places = dict[int, tuple[int, int]]()
    for i, step in enumerate(steps):
        if step.op == "call":
            computed = [
                (k, arg) for k, arg in enumerate(step.args) if steps[arg].op not in FREE and steps[arg].op != "pick"
            ]
            if len(computed) >= MANY:
                for k, arg in computed:
                    places.setdefault(arg, (i, k))
    return places


class _Free:
    """Slots that nobody holds: lone values get those of the emptiest blocks, stretches the highest that have room."""

    def __init__(self) -> None:
        self._idle, self._size = list[int](), 0

    def some(self, count: int) -> list[int]:
        """So many, in as few blocks as there can be."""
        blocks = dict[int, list[int]]()
        for slot in sorted(self._idle):
            blocks.setdefault(slot // BLOCK, []).append(slot)
        emptiest = sorted(blocks.values(), key=lambda block: (-len(block), block[0]))
        found = [slot for block in emptiest for slot in block][:count]
        self._idle = sorted({*self._idle} - {*found})
        return [*found, *self._more(count - len(found))]

    def several(self, count: int) -> range:
        """So many side by side."""
        self._idle.sort()
        end = len(self._idle)
        for k in reversed(range(len(self._idle))):
            if self._idle[end - 1] - self._idle[k] != end - 1 - k:
                end = k + 1
            if end - k == count:
                start = self._idle[k]
                del self._idle[k:end]
                return range(start, start + count)
        return self._more(count)

    def _more(self, count: int) -> range:
        self._size += count
        return range(self._size - count, self._size)

    def again(self, slots: Iterable[int]) -> None:
        self._idle += slots
