"""What kernels give and take lies side by side: where, and which stretches of it are copied, or need not be.

A compiler takes minutes over thousands of loads and stores one by one, and a processor fetches each of them. So what a
kernel gives is written where an output wants it, if that is all of it, in lanes half; a kernel reads what another one
gives where that is; and stretches of either are copied by loops.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from motionc.program.kernels import KERNELS
from motionc.program.program import Instruction, Program, call_data
from motionc.program.split import Part

SEVERAL = 8
"""Numbers from which on a loop copies them: a kernel's results side by side, or zeros."""
FEW = 4
"""The same from one part of what functions share to another."""


class Stretch(NamedTuple):
    """Some of a list of values, from `start` up to `end`, that lie side by side in what a call gives, from `first`."""

    start: int
    end: int
    call: int
    first: int


class Arrays:
    """Where what each kernel gives lies: in an output that is all of it, among what parts share, or apart."""

    def __init__(self, program: Program, cut: Iterable[Part], shared: str) -> None:
        self.steps, self.shared = program.instructions, shared
        self._place = {call: (shared, slots.start) for part in cut for call, slots in part.arrays.items()}
        self.written: set[str] = set()

    def put_all(self, values: Sequence[int], array: str) -> None:
        """Let a kernel write its numbers where some values belong, if they are all that it gives, and not elsewhere."""
        stretch = self.whole(values)
        if stretch is None or stretch.first or len(values) < call_data(self.steps[stretch.call]).outputs:
            return
        if self._place.get(stretch.call, (self.shared,))[0] == self.shared:
            self.put(stretch.call, array)
            self.written.add(array)

    def put(self, call: int, array: str, start: int = 0) -> None:
        """Let a kernel write its numbers to an array, from one place on."""
        self._place[call] = array, start

    def at(self, call: int, first: int = 0) -> str:
        """The address of what a call gives, from one number on."""
        array, start = self._place.get(call, (f"k{call}", 0))
        return f"{array} + {start + first}" if start + first else array

    def entry(self, call: int, element: int | str, at: Callable[[int], str] | None = None) -> str:
        """One number of what a call gives; an element may be an expression. `at` says how one that is shared is
        reached.
        """
        array, start = self._place.get(call, (f"k{call}", 0))
        if isinstance(element, int) and at is not None and array == self.shared:
            return at(start + element)
        if isinstance(element, int):
            return f"{array}[{start + element}]"
        return f"{array}[{start} + {element}]" if start else f"{array}[{element}]"

    def slot(self, value: int, part: Part) -> int:
        """Where among what parts share a value lies that a part takes over; -1 where it does not lie there."""
        step = self.steps[value]
        elsewhere = step.op == "pick" and self._place.get(step.args[0], (self.shared,))[0] != self.shared
        return -1 if elsewhere else part.needs.get(value, -1)

    def apart(self, call: int) -> bool:
        """Whether it needs an array of its own."""
        return call not in self._place

    def whole(self, values: Sequence[int]) -> Stretch | None:
        """All of some values as one stretch, if they are: zeros count where a kernel gives them."""
        for k, value in enumerate(values):
            step = self.steps[value]
            if step.op == "pick":
                first = step.data - k  # type: ignore[operator]
                stretch = Stretch(0, len(values), step.args[0], first)  # pyright: ignore[reportArgumentType]
                return stretch if first >= 0 and self._end(values, stretch) == len(values) else None
            if not is_zero(step):
                break
        return None

    def stretches(self, values: Sequence[int], least: int = SEVERAL) -> Iterator[Stretch]:
        """Stretches of some values that are at least so long."""
        start = 0
        while start < len(values):
            step, end = self.steps[values[start]], start + 1
            if step.op == "pick":
                stretch = Stretch(start, len(values), step.args[0], step.data)  # type: ignore[arg-type]
                end = self._end(values, stretch)
                if end - start >= least:
                    yield stretch._replace(end=end)
            start = end

    def _end(self, values: Sequence[int], stretch: Stretch) -> int:
        """Up to where values are what the call gives."""
        call = call_data(self.steps[stretch.call])
        for k in range(stretch.start, stretch.end):
            element, step = stretch.first + k - stretch.start, self.steps[values[k]]
            picked = step.op == "pick" and step.args[0] == stretch.call and step.data == element
            if not picked and not (is_zero(step) and element in call.zeros):
                return k
        return stretch.end

    def copied(self, stretch: Stretch, to: str) -> str:
        """A loop that copies a stretch to where it belongs in an array."""
        start = f"{stretch.start} + " if stretch.start else ""
        read = self.entry(stretch.call, f"{stretch.first} + t0" if stretch.first else "t0")
        return f"    for (int t0 = 0; t0 < {stretch.end - stretch.start}; ++t0) {to}[{start}t0] = {read};"


def stretches_of(flags: Iterable[bool]) -> Iterator[range]:
    """Where flags are set, one after the other."""
    start = 0
    for k, flag in enumerate((*flags, False)):
        if not flag:
            if k > start:
                yield range(start, k)
            start = k + 1


def is_zero(step: Instruction) -> bool:
    return step.op == "const" and repr(step.data) == "0.0"


# ---------------------------------------------------------------- what kernels take


def taken(
    i: int, step: Instruction, part: Part, real: str, arrays: Arrays, name: Callable[[int], str]
) -> tuple[list[str], str]:
    """Statements before a kernel's call, and what it is called on: arrays as they are, or filled for it."""
    call = call_data(step)
    halves = [step.args[: call.matrix], step.args[call.matrix :]][: 1 + bool(KERNELS[call.kernel].right)]
    text, given, start = list[str](), list[str](), 0
    for letter, half in zip("ar", halves, strict=False):
        stretch = arrays.whole(half)
        if stretch is not None:
            given.append(arrays.at(stretch.call, stretch.first))
        elif i in part.tables:
            first = part.tables[i].start + start
            text += _completed(first, half, part, arrays, name)
            given.append(f"{arrays.shared} + {first}" if first else arrays.shared)
        else:
            text += _listed(f"{letter}{i}", half, real, arrays, name)
            given.append(f"{letter}{i}")
        start += len(half)
    return text, ", ".join(given)


def _listed(array: str, values: Sequence[int], real: str, arrays: Arrays, name: Callable[[int], str]) -> list[str]:
    """Values side by side in an array: by loops where they are so elsewhere, else one by one."""
    stretches = list(arrays.stretches(values))
    if not stretches:
        known = real in ("double", "float") and all(arrays.steps[value].op == "const" for value in values)
        front = "static const" if known else "const"
        return [f"    {front} {real} {array}[{len(values)}] = {{{', '.join(map(name, values))}}};"]
    looped = {k for stretch in stretches for k in range(stretch.start, stretch.end)}
    lone = [f"    {array}[{k}] = {name(value)};" for k, value in enumerate(values) if k not in looped]
    return [f"    {real} {array}[{len(values)}];", *(arrays.copied(stretch, array) for stretch in stretches), *lone]


def _completed(
    first: int, values: Sequence[int], part: Part, arrays: Arrays, name: Callable[[int], str]
) -> Iterator[str]:
    """What of some values is not where it is taken yet, by loops where it lies side by side elsewhere, or is zero."""
    looped, shared = set[int](), arrays.shared
    for stretch in arrays.stretches(values):
        looped |= set(range(stretch.start, stretch.end))
        yield arrays.copied(stretch._replace(start=first + stretch.start, end=first + stretch.end), shared)
    for zeros in stretches_of([is_zero(arrays.steps[value]) for value in values]):
        if len(zeros) >= FEW:
            looped |= set(zeros)
            loop = f"for (int t0 = {first + zeros.start}; t0 < {first + zeros.stop}; ++t0)"
            yield f"    {loop} {shared}[t0] = {name(values[zeros.start])};"
    k = 0
    while k < len(values):
        slot, end = arrays.slot(values[k], part), k + 1
        if k not in looped and slot != first + k:
            while end < len(values) and slot >= 0 and arrays.slot(values[end], part) == slot + end - k:
                end += 1
            if end - k >= FEW:
                yield f"    for (int t0 = 0; t0 < {end - k}; ++t0) {shared}[{first + k} + t0] = {shared}[{slot} + t0];"
            else:
                yield from (f"    {shared}[{first + j}] = {name(values[j])};" for j in range(k, end))
        k = end
