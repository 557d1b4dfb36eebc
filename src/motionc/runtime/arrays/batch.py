"""Many states at once: stretches of them in vector lanes, on several threads, nothing copied that need not be.

Arrays stand as (N, …) or (…, N); an input without the axis of states is one value for all. What is float64 (float32 in
single precision) and regular is read in place; the rest is converted stretch by stretch: memory stays bounded.
"""

import ctypes
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.program.port import Port, common_states, expect_axis, expect_count, numbers, states_in
from motionc.real import whole_numbers

Array = np.ndarray[Any, np.dtype[Any]]

WORK = 4_000_000
"""Instructions in one call of the compiled loop, over all its states, where threads share them."""
LONGEST = 8192
"""States in one such call at most: what must be converted is converted in between."""

SHORTEST = 64
"""States in one of several such calls at least."""

SEARCH = 1000
"""Steps in which it is found whether two arrays have memory in common; beyond them it counts as had."""

LINE = 64
"""Bytes that go to memory together."""

Run = Callable[[int, int], None]
"""Computes the states from one number up to another."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A port's array with the states in front, `states` of them; None: one value for all."""

    port: Port
    array: Array
    states: int | None

    def part(self, start: int, stop: int) -> Array:
        return self.array if self.states is None else self.array[start:stop]

    def state(self, index: int) -> Array:
        return self.array if self.states is None else self.array[index]


# ---------------------------------------------------------------- arguments


def sheets(name: str, ports: tuple[Port, ...], values: tuple[Any, ...], axis: int) -> tuple[list[Sheet], int]:
    """Arguments of a batch and how many states they hold; refused by name when count, shape or type is wrong."""
    what = f"{name}.batch"
    expect_axis(what, axis)
    expect_count(what, ports, len(values))
    arrays = [numbers(what, port, value, axis) for port, value in zip(ports, values, strict=True)]
    counts = [states_in(what, port, array.shape, axis) for port, array in zip(ports, arrays, strict=True)]
    found = [
        Sheet(port, array if count is None else _in_front(array, axis), count)
        for port, array, count in zip(ports, arrays, counts, strict=True)
    ]
    return found, common_states(what, name, ports, counts)


def _in_front(array: Array, axis: int) -> Array:
    """The same array with the states as its first axis."""
    return array if axis == 0 else np.moveaxis(array, axis, 0)


def empty(ports: tuple[Port, ...], states: int, axis: int, dtype: Any) -> tuple[list[Array], list[Sheet]]:
    """Fresh arrays for the outputs, as the caller gets them and as sheets, counts apart (`counted`).

    They lie in one piece of memory: several large ones would be given back to the system and asked for again, page by
    page, by every batch. Each begins with a line of memory, so that whole lines can be written.
    """
    line = LINE // np.dtype(dtype).itemsize
    starts = list(accumulate((-(-port.size * states // line) * line for port in ports), initial=0))
    memory = np.empty(starts[-1] + line, dtype)
    ahead = -memory.ctypes.data % LINE // memory.itemsize
    arrays = [
        memory[ahead + start : ahead + start + port.size * states].reshape(port.shape_of(states, axis))
        for start, port in zip(starts, ports, strict=False)
    ]
    given = [np.empty(a.shape, np.int64) if port.space.whole else a for port, a in zip(ports, arrays, strict=True)]
    return given, _as_sheets(ports, arrays, states, axis)


def in_place(what: str, ports: tuple[Port, ...], out: Any) -> list[Any]:
    """Arrays to write to in the order of the outputs: one alone, several, or a mapping that names each."""
    names = [port.name for port in ports]
    each = f"{len(names)} arrays in the order of" if names[1:] else "an array for"
    wanted = f"give what a batch returned, {each} {', '.join(names)}, or a mapping by name"
    if isinstance(out, Mapping):
        arrays: dict[Any, Any] = {**out}
        if unknown := [name for name in arrays if name not in names]:
            raise Error(f"{what} has {checked.shown(unknown[0])}, which is no output; {wanted}")
        if missing := [name for name in names if name not in arrays]:
            raise Error(f"{what} has no {missing[0]}; {wanted}")
        return [arrays[name] for name in names]
    several = isinstance(out, list | tuple) or (len(names) > 1 and getattr(out, "ndim", 0) > 0)
    given: list[Any] = [*out] if several else [out]
    if len(given) != len(names):
        is_ = f"has {len(given)} array{'s' * (len(given) != 1)}" if several else f"is a {type(out).__name__}"
        is_ = f"is one array, {out.shape}" if several and isinstance(out, np.ndarray) else is_
        raise Error(f"{what} {is_}; {wanted}")
    return given


def given_outputs(
    name: str, ports: tuple[Port, ...], out: Any, inputs: list[Sheet], states: int, axis: int, dtype: Any
) -> tuple[list[Array], list[Sheet]]:
    """Arrays that the caller has for the outputs, as they are given and as sheets; refused by name where one does not
    fit, or an input lies in it.
    """
    what = f"{name}.batch: out"
    arrays = in_place(what, ports, out)
    for port, array in zip(ports, arrays, strict=True):
        shape, kind = port.shape_of(states, axis), np.dtype(np.int64 if port.space.whole else dtype)
        if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != kind:
            is_ = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
            raise Error(f"{what}: {port.name} is {is_}; give an array of {kind}, {shape}")
        if reason := _fixed(array, axis):
            raise Error(
                f"{what}: {port.name} cannot be written in place, for {reason}; give an array as numpy.empty makes it"
            )
        if met := [sheet.port.name for sheet in inputs if _meet(array, sheet.array)]:
            raise Error(f"{what}: {port.name} has memory in common with an input, {met[0]}; give another array")
    named = [*zip((port.name for port in ports), arrays, strict=True)]
    if both := [(one, other) for k, (one, a) in enumerate(named) for other, b in named[k + 1 :] if _meet(a, b)]:
        raise Error(f"{what}: two arrays, {' and '.join(both[0])}, have memory in common; give one for each output")
    found = [np.empty(a.shape, dtype) if port.space.whole else a for port, a in zip(ports, arrays, strict=True)]
    return arrays, _as_sheets(ports, found, states, axis)


def _fixed(array: Array, axis: int) -> str:
    """Why an array cannot be written in place, if it cannot."""
    if not array.flags.writeable:
        return "it is read-only"
    if not array.flags.aligned:
        return "its numbers do not begin where the processor reads them"
    return "" if _lies_apart(_in_front(array, axis)) else "some of its numbers share memory"


def _meet(one: Array, other: Array) -> bool:
    # its types know of no steps, it itself does
    return np.may_share_memory(one, other, SEARCH)  # pyright: ignore[reportArgumentType]


def counted(arrays: list[Array], found: list[Sheet], axis: int) -> None:
    """Put what was counted into the arrays that the caller gets: integers."""
    for array, sheet in zip(arrays, found, strict=True):
        if sheet.port.space.whole:
            _in_front(array, axis)[...] = whole_numbers(sheet.array)


def _as_sheets(ports: tuple[Port, ...], arrays: list[Array], states: int, axis: int) -> list[Sheet]:
    return [Sheet(port, _in_front(array, axis), states) for port, array in zip(ports, arrays, strict=True)]


def refuse_infinite(name: str, inputs: list[Sheet], states: int) -> None:
    """Name the first input and state with a value that is not finite."""
    for sheet in inputs:
        for start in range(0, states, LONGEST):
            part = sheet.part(start, min(start + LONGEST, states))
            if not np.all(np.isfinite(part)):
                bad = np.argwhere(~np.isfinite(part))[0]
                where = f"entry {', '.join(map(str, bad if sheet.states is None else bad[1:])) or 0}"
                state = "" if sheet.states is None else f" of state {start + int(bad[0])}"
                raise Error(f"{name}.batch: {sheet.port.name} holds a value that is not finite, at {where}{state}")
            if reason := sheet.port.space.misfit(part):
                raise Error(f"{name}.batch: {sheet.port.name} {reason}")
            if sheet.states is None:
                break


# ---------------------------------------------------------------- running


def in_lanes(entry: Any, inputs: list[Sheet], outputs: list[Sheet], dtype: Any) -> Run:
    """Run stretches through the compiled entry of targets/c_simd.py, which lets other threads go on meanwhile."""
    kind = np.dtype(dtype)
    fixed = {id(s): np.ascontiguousarray(s.array, kind) for s in inputs if s.states is None}

    def run(start: int, stop: int) -> None:
        given = [fixed.get(id(sheet)) for sheet in inputs]
        views = [
            (array, 0, 1) if array is not None else _strided(sheet.part(start, stop), kind)
            for array, sheet in zip(given, inputs, strict=True)
        ]
        written = [_strided(sheet.part(start, stop), kind) for sheet in outputs]
        entry(stop - start, *_described(views), *_described(written))

    return run


def one_by_one(entry: Callable[[Array, Array], None], inputs: list[Sheet], outputs: list[Sheet], dtype: Any) -> Run:
    """Run state after state through the entry for one."""
    given, found = (sum(sheet.port.size for sheet in sheets) for sheets in (inputs, outputs))

    def run(start: int, stop: int) -> None:
        x, y = np.empty(given, dtype), np.empty(found, dtype)
        for k in range(start, stop):
            np.concatenate([sheet.state(k).ravel() for sheet in inputs], out=x, casting="unsafe")
            entry(x, y)
            place = 0
            for sheet in outputs:
                sheet.array[k] = y[place : place + sheet.port.size].reshape(sheet.port.shape)
                place += sheet.port.size

    return run


def stretch(size: int) -> int:
    """How many states of a program of this size are computed in one call, where threads share them."""
    return min(max(WORK // max(size, 1) // SHORTEST, 1) * SHORTEST, LONGEST)  # where nothing moves, nothing is computed


def spread(run: Run, states: int, size: int, threads: int) -> None:
    """All states of a program of this size, stretch by stretch, on at most so many threads."""
    # a last one that is short goes with the one before it: how a state is computed does not depend on where it stands
    length = stretch(size) if threads > 1 else LONGEST
    starts = [start for start in range(0, states, length) if start == 0 or states - start >= SHORTEST]
    stretches = list(pairwise([*starts, states]))
    workers = min(threads, len(stretches))
    if workers <= 1:
        for start, stop in stretches:
            run(start, stop)
    else:
        from concurrent.futures import ThreadPoolExecutor  # not everybody has batches

        with ThreadPoolExecutor(workers, thread_name_prefix="motionc") as pool:
            for done in [pool.submit(run, *ends) for ends in stretches]:
                done.result()


def workers(name: str, threads: int | None) -> int:
    """How many threads: as many as are asked for, or as this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return checked.whole(f"{name}: threads", threads, 1, "give a whole number ≥ 1, or nothing for as many as there are")


def _strided(part: Array, kind: np.dtype[Any]) -> tuple[Array, int, int]:
    """A stretch as an array with one stride from state to state and one from element to element, both in numbers."""
    strides = _regular(part) if part.dtype == kind and part.flags.aligned else None
    if strides is None:
        part = np.ascontiguousarray(part, kind)
        strides = _regular(part) or (0, 0)
    state, element = strides
    return part, state // kind.itemsize, element // kind.itemsize


def _regular(part: Array) -> tuple[int, int] | None:
    """Bytes from state to state and from element to element; None where there is no such single number."""
    if part.flags.c_contiguous:
        return part[:1].nbytes, part.itemsize
    state, *strides = part.strides
    # of an axis of one number it says nothing how far apart they are
    own = [(stride, size) for stride, size in zip(strides, part.shape[1:], strict=True) if size > 1]
    step = expected = own[-1][0] if own else 0
    for stride, size in reversed(own):
        if stride != expected:
            return None
        expected *= size
    whole = all(stride % part.itemsize == 0 for stride in (state, step))
    return (state, step) if whole else None


def _lies_apart(part: Array) -> bool:
    """Whether it has such strides, and no two numbers in one place."""
    strides, states, own = _regular(part), len(part), part[:1].size
    if strides is None or part.size < 2:
        return strides is not None
    state, element = map(abs, strides)
    if states < 2 or own < 2:
        return (element if states < 2 else state) > 0
    return min(state, element) > 0 and (state > (own - 1) * element or element > (states - 1) * state)


def _described(views: list[tuple[Array, int, int]]) -> tuple[Any, Any, Any]:
    """Addresses and strides as the compiled entry reads them."""
    addresses, longs = ctypes.c_void_p * len(views), ctypes.c_long * len(views)
    data = [array.__array_interface__["data"][0] for array, _, _ in views]
    return addresses(*data), longs(*[state for _, state, _ in views]), longs(*[element for *_, element in views])
