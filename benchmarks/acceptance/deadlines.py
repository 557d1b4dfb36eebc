"""A controller on a robot: what a cycle takes, deadline statistics over a million cycles, in one process and in two.

The cycle is what is timed: state in, one call of the controller, command out. Shares are of its period at 630 Hz.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc.benchmark.timing import one_core
from motionc.control import Deadlines, Interface, Reading, operate
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.serving import reached

CYCLES, REMOTE = 1_000_000, 20_000
MOST_A_CALL = 2e-6
"""Seconds that a call of the cycle may take from Python."""


class Replay:
    """A robot that tells the states of a run over and over, and listens: what is left is the controller's own time."""

    def __init__(self, plate: Any, q: Any, v: Any) -> None:
        self.nameplate, self.number = plate, -1
        self._states = list(zip(map(np.copy, q), map(np.copy, v), strict=True))

    def open(self) -> None: ...

    def read(self, timeout: float) -> Reading:
        self.number += 1
        q, v = self._states[self.number % len(self._states)]
        return Reading(self.number, self.number * self.nameplate.period, q, v)

    def write(self, command: Any) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...


def figures() -> Iterator[str]:
    """A call, a million cycles, the statistics themselves, another process."""
    folder = Path(mc.simulate.__file__).parent / "experiments"
    experiment = read_experiment(folder / "pregrasp.lwr4.yaml")
    robot, cycle = experiment.model, experiment.cycle.build()
    simulated = experiment.simulated(seed=1)
    done = operate(simulated, cycle, experiment.given, seconds=experiment.seconds, log=["q", "v", "tau"])
    yield f"  pregrasp of LWR 4 as hardware of this process: {done.cycles:,} cycles, {done.ended}"

    given = [done["q"][100], done["v"][100]]
    known = {**experiment.given, "q": given[0], "v": given[1], **dict(cycle.start().items())}
    arguments = [known[port.name] for port in cycle.inputs]
    with one_core():
        call = _fastest(lambda: cycle(*arguments))
    kept = verdict(call <= MOST_A_CALL)
    yield f"  a call from Python: wanted ≤ {1e6 * MOST_A_CALL:g} µs, is {1e6 * call:.2f} µs {kept}"

    statistics = Deadlines(1 / 630)
    with one_core():
        took = _fastest(lambda: statistics.record(12_345))
    yield f"  keeping the statistics: {1e9 * took:.0f} ns a cycle"

    begun = time.perf_counter()
    many = operate(Replay(done.nameplate, done["q"], done["v"]), cycle, experiment.given, cycles=CYCLES)
    wall = time.perf_counter() - begun
    yield f"  {many.cycles:,} cycles on recorded states in {wall:.1f} s: {verdict(many.cycles == CYCLES)}"
    yield from _told("state in, command out", many.response)

    for kind in ("shared_memory", "udp"):
        hardware = reached(Interface(kind=kind), robot, simulated)
        other = operate(hardware, cycle, experiment.given, cycles=REMOTE, log=["tau"])
        same = min(len(done["tau"]), len(other["tau"]))
        equal = bool(np.array_equal(done["tau"][:same], other["tau"][:same]))
        yield f"  over {kind}, {other.cycles:,} cycles: wanted the same commands bit for bit {verdict(equal)}"
        yield from _told("state in, command out", other.response)
        yield from _told("state to state", other.spacing)


def _told(what: str, deadlines: Deadlines) -> Iterator[str]:
    named = {"median": 50.0, "99 %": 99.0, "99.9 %": 99.9, "99.99 %": 99.99}
    times = ", ".join(f"{name} {1e6 * deadlines.percentile(share):.1f}" for name, share in named.items())
    missed = f"; {deadlines.missed} beyond {1e3 * deadlines.deadline:.2f} ms" if np.isfinite(deadlines.deadline) else ""
    yield f"    {what} (µs): {times}, worst {1e6 * deadlines.worst:.0f}{missed}"


def _fastest(call: Any) -> float:
    """Seconds of a call, in the fastest of many short rounds: what others do on this machine plays no part."""
    call()
    rounds = list[float]()
    for _ in range(2000):
        begun = time.perf_counter()
        for _ in range(100):
            call()
        rounds.append((time.perf_counter() - begun) / 100)
    return min(rounds)
