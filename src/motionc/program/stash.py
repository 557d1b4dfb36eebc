"""Values that wait outside registers: which, from when on, and in which slot, where not all of them fit.

Compilers choose by where a value is used next too, but not where it goes: theirs go to memory. Slots that a target has
nearby, such as memory that threads share, are given out here.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from motionc.program.instructions import FREE
from motionc.program.program import Instruction, Program, call_data


@dataclass(frozen=True, slots=True)
class Stash:
    """`puts` says which values leave registers behind an instruction (of a call, in front of it), `takes` which come
    back in front of one; each value has a slot, and keeps it until its last use.
    """

    puts: Mapping[int, tuple[int, ...]]
    takes: Mapping[int, tuple[int, ...]]
    slot: Mapping[int, int]

    @property
    def slots(self) -> int:
        """How many there are in all."""
        return 1 + max(self.slot.values(), default=-1)


NOTHING = Stash({}, {}, {})
"""All is in registers."""


def stashed(program: Program, room: int) -> Stash:
    """What to put away so that `room` values are in registers at once: always the one that is used last (Belady)."""
    steps = program.instructions
    uses = _uses(steps)
    puts, takes = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    slot, idle, size = dict[int, int](), list[int](), 0
    here = set[int]()
    for i, step in enumerate(steps):
        if step.op in FREE:
            continue
        needed = {arg for arg in step.args if arg in uses}
        takes[i] += sorted(needed - here)
        here |= needed | ({i} & uses.keys())
        for value in sorted(needed):
            uses[value].pop()
            if not uses[value]:
                here.discard(value)
                if value in slot:
                    heapq.heappush(idle, slot[value])
        # a kernel has values of its own
        left = room if step.op != "call" else max(0, room - call_data(step).inputs - call_data(step).outputs)
        for value in sorted(here - {i}, key=lambda value: -uses[value][-1])[: max(0, len(here) - left)]:
            here.discard(value)
            if value not in slot:
                if not idle:
                    idle.append(size)
                    size += 1
                slot[value] = heapq.heappop(idle)
                puts[i].append(value)
    return Stash({i: tuple(values) for i, values in puts.items()}, {i: tuple(v) for i, v in takes.items() if v}, slot)


def _uses(steps: tuple[Instruction, ...]) -> dict[int, list[int]]:
    """Where each value is used, the next use last."""
    uses = defaultdict[int, list[int]](list)
    for i in reversed(range(len(steps))):
        for arg in set(steps[i].args):
            if steps[arg].op not in FREE and steps[arg].op != "call":
                uses[arg].append(i)
    return dict(uses)
