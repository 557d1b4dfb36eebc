"""A state in a batch of 8,192, one thread, double precision: against Pinocchio's C++, our scalar C, and a copy.

Inverse and forward dynamics are compared with the C++, everything else of the catalogue with our C for one state. Who
is bound by memory is compared with a copy of as many bytes instead. Who reaches neither is an exception, whose reason
stands in its line: how much of its time is what the arithmetic of its program takes at this core's peak, and a copy,
one after the other. Where that is less than half, the reason is named. All of a line take turns, so that nobody's
arrays were the last ones in caches; each way of building is a process.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.catalogue import asked, states
from entries import RACED, Entry
from figures.race import AGREEMENT, FUNCTIONS, OURS, emitted, find_tools, race
from figures.roofline import roof
from motionc.benchmark import Absent
from motionc.benchmark.ours import BATCH
from motionc.benchmark.questions import STATES, Kind, Question, ask
from motionc.benchmark.timing import Array, Contender, State, Timing, measure, one_core
from motionc.program.instructions import TURN

ROUNDS, FEWER = 100, 40
"""Rounds of questions that others answer, too, and of the rest of the catalogue."""
AXES = {0: "(N, …)", -1: "(…, N)"}
COPY = "a copy"
TRIES = 3
"""How often a line is measured that misses: on virtual machines some pages of memory are slower than others, and caches
are shared with strangers.
"""
SHARE = 0.6
"""Of a copy's bandwidth, which is enough where memory is the bound."""


@dataclass(frozen=True, slots=True)
class Width:
    """Flags behind the compiler's name, and bars: times C++, times our scalar C."""

    flags: str
    theirs: float
    ours: float


WIDTHS = {"AVX-512": Width("", 25, 5), "AVX2": Width("-mno-avx512f", 15, 3.2)}

ACCOUNTED, NAMED = "accounted for", "exception"
"""Marks of who reaches no bar."""
HALF, LEAST = 0.5, 0.8
"""Of the time of an exception, which is accounted for if so much is arithmetic at its peak and a copy; and how many
times our C everybody reaches: one state is written again and again into lines that caches keep.
"""
COUNTED = {"add": 1, "sub": 1, "mul": 1, "div": 16, "sqrt": 32}
"""What an operation counts. As long as a quotient or a root takes a Zen 5 does so many others; most take longer."""
SINE = 50
"""Additions and multiplications of a sine and cosine: 14 to reduce an angle, 36 for both polynomials (turn.h)."""

MOVES = "a handful of numbers in and out; the steps of an attitude wait for each other"
PIVOTS = "rows that may depend on each other: one state looks them up, lanes choose among all, which is no arithmetic"
EXCEPTIONS = {
    "constrained_dynamics": (2.3, PIVOTS),
    "difference": (0.6, MOVES),
    "impact": (2.5, PIVOTS),
    "integrate": (0.6, MOVES),
    "interpolate": (0.6, MOVES),
    Kind.FORWARD_DERIVATIVES: (1.1, "thousands of values wait in memory from part to part"),
    Kind.KINEMATICS: (1, "all bytes but a few are written, past caches from 8 MB on; half of a copy's are only read"),
}
"""Questions, and computations of the catalogue, for which half is not accounted for on some robot: how many times our C
they reach nevertheless, and why no more.
"""
ASKED = {
    "derivative of forward_dynamics",
    "derivative of inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics",
    "jacobian",
    "mass_matrix",
    "mass_matrix_factor",
}
"""What of the catalogue is one of those questions."""


def figures() -> Iterator[str]:
    """A line a robot, question and axis, for each width of vectors; then the exceptions."""
    yield f"  answers agree to {AGREEMENT:.0e} before anything is timed; ns a state, the least of {FEWER} or {ROUNDS}"
    for name, width in WIDTHS.items():
        yield f"  {name}: wanted ≥ {width.theirs:g} times C++ or ≥ {width.ours:g} times our C, or {SHARE:.0%} of a copy"
        if "avx512f" not in _processor() and name == "AVX-512":
            yield "  not measured: this processor has no AVX-512"
            continue
        command = [sys.executable, "-m", __name__, name]
        told = {"CC": f"{os.environ.get('CC') or 'gcc'} {width.flags}".strip()}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | told) as process:
            assert process.stdout
            yield from (line.rstrip("\n") for line in process.stdout)
        if process.returncode:
            yield f"  not measured: the process for {name} ended with {process.returncode}"
    yield (
        f"  {ACCOUNTED}: arithmetic at its peak and a copy of as many bytes take {HALF:.0%} of the time, or more, "
        f"and it is at least {LEAST:g} times our C"
    )
    for kind, (least, reason) in EXCEPTIONS.items():
        yield f"  {NAMED}: {kind}, at least {least:g} times our C: {reason}"


def _processor() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


# ---------------------------------------------------------------- one width


def lines(width: Width) -> Iterator[str]:
    """All robots and questions, built as this process's compiler builds."""
    peak, reached = 0.0, Counter[str]()
    for title, entry in RACED.items():
        if entry.absent:
            yield f"  not measured: {title}: {entry.absent}"
            continue
        # others may only ever lower it
        peak = max(peak, roof().peak)
        yield f"  one core at its peak: {peak / 1e9:.0f}·10⁹ multiplications and additions a second"
        for kind, computation, timed in _measured(entry):
            if isinstance(timed, str):
                yield f"  {title}, {kind}: {timed}"
                continue
            for mark, line in _tried(title, kind, timed, _Needs.of(computation, peak), width):
                reached[mark] += 1
                yield line
    yield f"  of {reached.total()} figures {'; '.join(f'{count} {mark}' for mark, count in reached.most_common())}"


@dataclass(frozen=True, slots=True)
class _Needs:
    """Of a state: bytes read and written, and nanoseconds that its arithmetic takes at this core's peak."""

    bytes: int
    arithmetic: float

    @classmethod
    def of(cls, computation: mc.Computation, peak: float) -> "_Needs":
        angles = {step.args for step in computation.program.instructions if step.op in TURN}
        done = sum(count * computation.operations.get(name, 0) for name, count in COUNTED.items())
        return cls(_bytes(computation), 1e9 * (done + SINE * len(angles)) / peak)


def _measured(entry: Entry) -> Iterator[tuple[str, Any, Callable[[], list[Timing]] | str]]:
    """What is asked, its computation, and who times all answers, or why nobody does; of dynamics those of C++, too."""
    robot = entry.load()

    def beside(question: Question) -> dict[str, Contender]:
        return _batches(question.computation, question.states)

    for kind in Kind:
        try:
            question = ask(kind, robot, entry.frame, feet=entry.feet)
        except Absent as reason:
            yield kind, None, str(reason)
            continue
        if kind in (Kind.INVERSE, Kind.FORWARD):
            timed = partial(race, robot, entry.path, entry.frame, ROUNDS, kinds=[kind], beside=beside)
        else:
            timed = partial(_ours, kind, question.computation, question.states, ROUNDS)
        yield kind, question.computation, timed
    for name, make in asked(entry, robot).items():
        if name not in ASKED:
            computation = make()
            drawn = list(zip(*states(computation, STATES), strict=True))
            yield name, computation, partial(_ours, name, computation, drawn, FEWER)


def _bytes(computation: mc.Computation) -> int:
    """Of a state."""
    return 8 * sum(port.size for port in (*computation.inputs, *computation.outputs))


def _ours(name: str, computation: mc.Computation, drawn: Sequence[State], rounds: int) -> list[Timing]:
    """Our C for one state, and batches."""
    contenders = {OURS: emitted(computation, drawn, find_tools()), **_batches(computation, drawn)}
    with one_core():
        return measure(name, contenders, rounds, agreement=AGREEMENT)


def _batches(computation: mc.Computation, drawn: Sequence[State]) -> dict[str, Contender]:
    batches = {name: batch(computation, drawn, axis) for axis, name in AXES.items()}
    of, to = (np.ones(BATCH * _bytes(computation) // 16) for _ in range(2))
    return {**batches, COPY: Contender(BATCH, lambda: np.copyto(to, of), batches[AXES[0]].answers)}


def batch(computation: mc.Computation, drawn: Sequence[State], axis: int) -> Contender:
    """A batch into arrays that are there already."""
    again = -(-BATCH // len(drawn))
    rows = [np.concatenate([np.array(values)] * again)[:BATCH] for values in zip(*drawn, strict=True)]
    inputs = [np.ascontiguousarray(np.moveaxis(each, 0, axis)) for each in rows]
    result: Any = computation.batch(*inputs, axis=axis, threads=1)
    parts = [result] if isinstance(result, np.ndarray) else list(result.values())
    out = parts[0] if isinstance(result, np.ndarray) else tuple(parts)

    def run() -> None:
        computation.batch(*inputs, axis=axis, threads=1, out=out)

    def answers() -> Array:
        run()
        found = [np.moveaxis(part, axis, 0).reshape(BATCH, -1) for part in parts]
        return np.concatenate(found, axis=1)[: len(drawn)]

    return Contender(BATCH, run, answers)


def _tried(
    title: str, kind: str, timed: Callable[[], list[Timing]], needs: _Needs, width: Width
) -> list[tuple[str, str]]:
    """What a line says; one that misses is measured anew, in new arrays: of all tries the least counts for all."""
    found, tries = timed(), 1
    told = _told(title, kind, found, needs, width)
    while tries < TRIES and any(mark == verdict(False) for mark, _ in told):
        found, tries = [_faster(*both) for both in zip(found, timed(), strict=True)], tries + 1
        told = _told(title, kind, found, needs, width, f"; {tries} tries")
    return told


def _faster(one: Timing, other: Timing) -> Timing:
    return min(one, other, key=lambda timing: np.inf if timing.microseconds is None else timing.microseconds)


def _told(
    title: str, kind: str, found: list[Timing], needs: _Needs, width: Width, tries: str = ""
) -> list[tuple[str, str]]:
    """Of each axis its mark, and the line that ends in it."""
    times = {line.contender: 1000 * line.microseconds for line in found if line.microseconds is not None}
    if missing := [f"{line.contender}: {line.note}" for line in found if line.contender not in times]:
        return [(verdict(False), f"  {title}, {kind}: {'; '.join(missing)} {verdict(False)}")] * len(AXES)
    theirs = [times[name] for name in FUNCTIONS[Kind(kind)]] if kind in (Kind.INVERSE, Kind.FORWARD) else []
    rival, wanted = (min(theirs), width.theirs) if theirs else (times[OURS], width.ours)
    told = list[tuple[str, str]]()
    for name in AXES.values():
        time = times[name]
        ratio, share, arithmetic = rival / time, times[COPY] / time, needs.arithmetic / time
        held = ratio >= wanted or share >= SHARE
        mark = verdict(held) if held or theirs else excused(kind, ratio, arithmetic + share)
        line = (
            f"  {title + ', ' + kind:<52} {name} {time:7.1f}: {ratio:5.1f} times {'C++' if theirs else 'our C'} "
            f"({rival:.0f}; wanted ≥ {wanted:g}), {needs.bytes / time:5.1f} GB/s; "
            f"arithmetic {arithmetic:4.0%}, a copy {share:4.0%} of the time{tries} {mark}"
        )
        told.append((mark, line))
    return told


def excused(kind: str, ratio: float, share: float) -> str:
    """What an exception is called, if it is one."""
    if share >= HALF and ratio >= LEAST:
        return ACCOUNTED
    return NAMED if kind in EXCEPTIONS and ratio >= EXCEPTIONS[kind][0] else verdict(False)


if __name__ == "__main__":
    for each in lines(WIDTHS[sys.argv[1]]):
        print(each, flush=True)
