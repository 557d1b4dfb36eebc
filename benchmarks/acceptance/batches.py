"""A state in a batch of 8,192, one thread, double precision: against Pinocchio's C++, our scalar C, and a copy.

Inverse and forward dynamics are compared with the C++, everything else of the catalogue with our C for one state. Who
is bound by memory is compared with a copy of as many bytes instead. Who reaches neither is an exception, and each has a
measured reason: most of its time is what arithmetic takes at this core's peak and what memory takes, one after the
other. The few without that one are named. All of a line run in the same rounds, so that nobody's arrays were the last
ones in caches; each way of building is a process.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from motionc.benchmark.ours import BATCH, LONGEST_IN_LANES
from motionc.benchmark.questions import STATES, Kind, Question, ask
from motionc.benchmark.timing import Array, Contender, State, Timing, measure, one_core
from motionc.program.instructions import TURN

ROUNDS, FEWER = 100, 40
"""Rounds of questions that others answer, too, and of the rest of the catalogue."""
AXES = {0: "(N, …)", -1: "(…, N)"}
COPY, FILL = "a copy", "filled"
SHARE = 0.6
"""Of a copy's bandwidth, which is enough where memory is the bound."""
ROOF = 0.5
"""Of the time of an exception is what no code on this core could save."""
AT_ROOF, NAMED = "at the roof", "exception"
"""Marks of who reaches no bar."""
COUNTED = {"add": 1, "sub": 1, "mul": 1, "div": 16, "sqrt": 32}
SINE = 50
"""Operations that count as arithmetic: a quotient and a root as many as a Zen 5 does meanwhile, others take longer; and
how many a sine and cosine are (targets/turn.h).
"""


@dataclass(frozen=True, slots=True)
class Width:
    """Flags behind the compiler's name, and bars: times C++, times our scalar C."""

    flags: str
    theirs: float
    ours: float


WIDTHS = {"AVX-512": Width("", 25, 5), "AVX2": Width("-mno-avx512f", 15, 3.2)}

MOVES = "next to nothing is done with a few numbers, or one step of an attitude waits for the other"
EXCEPTIONS = {
    "constrained_dynamics": "one state looks its rows up, lanes choose among all of them, which is no arithmetic",
    "difference": MOVES,
    "integrate": MOVES,
    "interpolate": MOVES,
    Kind.FORWARD_DERIVATIVES: "thousands of values wait in memory from part to part: more than the first cache holds",
}
"""Questions, and computations of the catalogue, that reach no bar and do not stand under the roof either, and why."""
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
    yield f"  answers agree to {AGREEMENT:.0e} before anything is timed; ns a state, the least of {ROUNDS} rounds"
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
    yield f"  {AT_ROOF}: {ROOF:.0%} of the time or more is what arithmetic at its peak and memory take"
    yield from (f"  {NAMED}: {kind}: {reason}" for kind, reason in EXCEPTIONS.items())


def _processor() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


# ---------------------------------------------------------------- one width


def lines(width: Width) -> Iterator[str]:
    """All robots and questions, built as this process's compiler builds."""
    peak, reached = roof().peak, Counter[str]()
    yield f"  one core at its peak: {peak / 1e9:.0f}·10⁹ multiplications and additions a second"
    for title, entry in RACED.items():
        if entry.absent:
            yield f"  not measured: {title}: {entry.absent}"
            continue
        robot = entry.load()
        for kind in Kind:
            try:
                found, computation = _measured(entry, robot, kind)
            except Absent as reason:
                yield f"  {title}, {kind}: {reason}"
                continue
            yield from _told(title, kind, found, _Needs.of(computation, peak), width, reached)
        for name, make in asked(entry, robot).items():
            if name not in ASKED:
                computation = make()
                found = _of_catalogue(name, computation)
                yield from _told(title, name, found, _Needs.of(computation, peak), width, reached)
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


def _measured(entry: Entry, robot: mc.Robot, kind: Kind) -> tuple[list[Timing], mc.Computation]:
    """Times of all who answer."""
    question = ask(kind, robot, entry.frame, feet=entry.feet)
    size = question.computation.program.size
    if size > LONGEST_IN_LANES:
        raise Absent(f"{size:,} instructions in lanes take longer to compile than they are worth here")
    if kind in (Kind.INVERSE, Kind.FORWARD):

        def beside(question: Question) -> dict[str, Contender]:
            return _batches(question.computation, question.states)

        raced = race(robot, entry.path, entry.frame, ROUNDS, kinds=[kind], beside=beside)
        return raced, question.computation
    return _ours(kind, question.computation, question.states, ROUNDS), question.computation


def _of_catalogue(name: str, computation: mc.Computation) -> list[Timing]:
    drawn = states(computation, STATES)
    return _ours(name, computation, list(zip(*drawn, strict=True)), FEWER)


def _bytes(computation: mc.Computation) -> int:
    """Of a state."""
    return 8 * sum(port.size for port in (*computation.inputs, *computation.outputs))


def _ours(name: str, computation: mc.Computation, drawn: Sequence[State], rounds: int) -> list[Timing]:
    """Our C for one state, and batches."""
    contenders = {OURS: emitted(computation, drawn, find_tools()), **_batches(computation, drawn)}
    with one_core():
        return measure(name, contenders, rounds, agreement=AGREEMENT)


def _batches(computation: mc.Computation, drawn: Sequence[State]) -> dict[str, Contender]:
    batches = {name: _batch(computation, drawn, axis) for axis, name in AXES.items()}
    of, to = (np.ones(BATCH * _bytes(computation) // 16) for _ in range(2))
    filled = np.ones(BATCH * sum(port.size for port in computation.outputs))
    answers = batches[AXES[0]].answers
    return {
        **batches,
        COPY: Contender(BATCH, lambda: np.copyto(to, of), answers),
        FILL: Contender(BATCH, lambda: filled.fill(0.0), answers),
    }


def _batch(computation: mc.Computation, drawn: Sequence[State], axis: int) -> Contender:
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


def _told(
    title: str, kind: str, found: list[Timing], needs: _Needs, width: Width, reached: Counter[str]
) -> Iterator[str]:
    """A line an axis, which ends in a mark; how many have each mark is counted."""
    times = {line.contender: 1000 * line.microseconds for line in found if line.microseconds is not None}
    if missing := [f"{line.contender}: {line.note}" for line in found if line.contender not in times]:
        yield f"  {title}, {kind}: {'; '.join(missing)} {verdict(False)}"
        return
    theirs = [times[name] for name in FUNCTIONS[Kind(kind)]] if kind in (Kind.INVERSE, Kind.FORWARD) else []
    rival, wanted = (min(theirs), width.theirs) if theirs else (times[OURS], width.ours)
    memory = max(times[COPY], times[FILL])
    for name in AXES.values():
        time = times[name]
        ratio, share, arithmetic = rival / time, times[COPY] / time, needs.arithmetic / time
        mark = _mark(kind, ratio / wanted, share, arithmetic + memory / time, excused=not theirs)
        reached[mark] += 1
        yield (
            f"  {title + ', ' + kind:<52} {name} {time:7.1f}: {ratio:5.1f} times {'C++' if theirs else 'our C'} "
            f"({rival:.0f}; wanted ≥ {wanted:g}), {needs.bytes / time:5.1f} GB/s, {share:4.0%} of a copy; "
            f"arithmetic {arithmetic:4.0%}, memory {memory / time:4.0%} of the time {mark}"
        )


def _mark(kind: str, ratio: float, share: float, bound: float, *, excused: bool) -> str:
    """What a figure reaches: a bar, the roof, or nothing but the list of exceptions. The C++ is no matter of roofs."""
    if ratio >= 1 or share >= SHARE:
        return verdict(True)
    if excused and bound >= ROOF:
        return AT_ROOF
    return NAMED if excused and kind in EXCEPTIONS else verdict(False)


if __name__ == "__main__":
    for each in lines(WIDTHS[sys.argv[1]]):
        print(each, flush=True)
