"""A state in a batch of 8,192, one thread, double precision: against Pinocchio's C++, our scalar C, and a copy.

Inverse and forward dynamics are compared with the C++, everything else of the catalogue with our C for one state. Who
is bound by memory is compared with a copy of as many bytes instead; what filling an array of the outputs takes stands
beside it. All of a line run in the same rounds; each way of building is a process.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.catalogue import asked, states
from entries import RACED, Entry
from figures.race import AGREEMENT, FUNCTIONS, OURS, emitted, find_tools, race
from motionc.benchmark import Absent
from motionc.benchmark.ours import BATCH, LONGEST_IN_LANES
from motionc.benchmark.questions import STATES, Kind, Question, ask
from motionc.benchmark.timing import Array, Contender, State, Timing, measure, one_core

ROUNDS, FEWER = 100, 40
"""Rounds of questions that others answer, too, and of the rest of the catalogue."""
AGAIN, BLOCK = 3, 1e-2
"""Batches in a block, as long as it takes so many seconds: what others left in caches counts for one of them."""
AXES = {0: "(N, …)", -1: "(…, N)"}
COPY, FILL = "a copy", "filled"
SHARE = 0.6
"""Of a copy's bandwidth, which is enough where memory is the bound."""


@dataclass(frozen=True, slots=True)
class Width:
    """Flags behind the compiler's name, and bars: times C++, times our scalar C."""

    flags: str
    theirs: float
    ours: float


WIDTHS = {"AVX-512": Width("", 25, 5), "AVX2": Width("-mno-avx512f", 15, 3.2)}

SINES = (
    "our scalar C has its sines and cosines in vectors already, a good part of all it does; lanes gain nothing there"
)
WRITES = "most of its bytes are written; that alone takes as long as filling does, and filling is no copy"
LENGTH = (
    "hundreds of values wait in memory from part to part, and of vectors a core loads and stores half as many at once"
)
MOVES = "numbers go in and out, and next to nothing is done with them"
ROWS = "one state looks its rows up, lanes choose among all; and hundreds of values wait in memory"
EXCEPTIONS = {
    Kind.KINEMATICS: WRITES,
    Kind.JACOBIAN: f"{SINES}; {WRITES}",
    Kind.MASS: f"{SINES}; {WRITES}",
    Kind.FACTOR: f"{SINES}; {WRITES}",
    Kind.INVERSE_DERIVATIVES: LENGTH,
    Kind.FORWARD_DERIVATIVES: LENGTH,
    "bias_forces": LENGTH,
    "center_of_mass": SINES,
    "centroidal_momentum": SINES,
    "constrained_dynamics": ROWS,
    "coriolis_matrix": f"{LENGTH}; {WRITES}",
    "difference": MOVES,
    "energy": SINES,
    "forward_kinematics": f"{SINES}; {WRITES}",
    "frame_motion": f"{SINES}; {WRITES}",
    "gravity_forces": SINES,
    "hybrid_dynamics": LENGTH,
    "impact": LENGTH,
    "integrate": MOVES,
    "interpolate": MOVES,
    "inverse_velocity": SINES,
    "jacobian_rate": WRITES,
    "mass_matrix_inverse": f"{LENGTH}; {WRITES}",
    "mass_matrix_solve": f"{SINES}; {LENGTH}",
    "operational_space": ROWS,
    "path_jacobian": f"{SINES}; {WRITES}",
    "regressor": WRITES,
    "step": LENGTH,
    "transform": WRITES,
}
"""Questions, and computations of the catalogue, that reach neither bar on some robot, and why."""
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
    yield from (f"  exception: {kind}: {reason}" for kind, reason in EXCEPTIONS.items())


def _processor() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


# ---------------------------------------------------------------- one width


def lines(width: Width) -> Iterator[str]:
    """All robots and questions, built as this process's compiler builds."""
    for title, entry in RACED.items():
        if entry.absent:
            yield f"  not measured: {title}: {entry.absent}"
            continue
        for kind in Kind:
            try:
                found, state = _measured(entry, kind)
            except Absent as reason:
                yield f"  {title}, {kind}: {reason}"
                continue
            yield from _told(title, kind, found, state, width)
        robot = entry.load()
        for name, make in asked(entry, robot).items():
            if name not in ASKED:
                computation = make()
                yield from _told(title, name, _of_catalogue(name, computation), _bytes(computation), width)


def _measured(entry: Entry, kind: Kind) -> tuple[list[Timing], int]:
    """Times of all who answer, and bytes of a state."""
    robot, frame = entry.load(), entry.frame
    question = ask(kind, robot, frame, feet=entry.feet)
    size = question.computation.program.size
    if size > LONGEST_IN_LANES:
        raise Absent(f"{size:,} instructions in lanes take longer to compile than they are worth here")
    state = _bytes(question.computation)
    if kind in (Kind.INVERSE, Kind.FORWARD):

        def beside(question: Question) -> dict[str, Contender]:
            return _batches(question.computation, question.states)

        return race(robot, entry.path, frame, ROUNDS, kinds=[kind], beside=beside), state
    return _ours(kind, question.computation, question.states, ROUNDS), state


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
        COPY: Contender(*_repeated(lambda: np.copyto(to, of)), answers),
        FILL: Contender(*_repeated(lambda: filled.fill(0.0)), answers),
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

    return Contender(*_repeated(run), answers)


def _repeated(run: Callable[[], None]) -> tuple[int, Callable[[], None]]:
    """States of a block, and the block: several batches, where these are short."""
    start = perf_counter()
    run()
    again = max(1, min(AGAIN, int(BLOCK / (perf_counter() - start))))

    def block() -> None:
        for _ in range(again):
            run()

    return again * BATCH, block


def _told(title: str, kind: str, found: list[Timing], state: int, width: Width) -> Iterator[str]:
    times = {line.contender: 1000 * line.microseconds for line in found if line.microseconds is not None}
    if missing := [f"{line.contender}: {line.note}" for line in found if line.contender not in times]:
        yield f"  {title}, {kind}: {'; '.join(missing)} {verdict(False)}"
        return
    theirs = [times[name] for name in FUNCTIONS[Kind(kind)]] if kind in (Kind.INVERSE, Kind.FORWARD) else []
    rival, wanted = (min(theirs), width.theirs) if theirs else (times[OURS], width.ours)
    for name in AXES.values():
        ratio, share = rival / times[name], times[COPY] / times[name]
        held = ratio >= wanted or share >= SHARE
        mark = "exception" if not held and kind in EXCEPTIONS else verdict(held)
        yield (
            f"  {title + ', ' + kind:<52} {name} {times[name]:7.1f}: {ratio:5.1f} times {'C++' if theirs else 'our C'} "
            f"({rival:.0f}; wanted ≥ {wanted:g}), {state / times[name]:5.1f} GB/s, "
            f"{share:4.0%} of a copy, {times[FILL] / times[name]:4.0%} of filling {mark}"
        )


if __name__ == "__main__":
    for each in lines(WIDTHS[sys.argv[1]]):
        print(each, flush=True)
