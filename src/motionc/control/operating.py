"""How does a controller run on a robot? Cycle after cycle at the robot's pace, with what goes wrong told as events.

    cycle      read the state → one call of the controller → write its command
    events     lost         no state came within the timeout
               missed       states came, but not all of them
               late         a command was written after its period was over
               not_finite   a state or a command was no number
               stopped      the robot stopped by itself, and says why
    stop       the robot is told to stop as soon as more happened than the policy tolerates, when all cycles are made,
               and whatever else ends it: it is never left alone in motion

A command that is no number is not written. A cycle without a state has no command: the robot's watchdog counts it.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from motionc import checked
from motionc.collector import collector_off
from motionc.control.deadlines import Deadlines
from motionc.control.interfaces import Hardware, Nameplate
from motionc.control.ticking import Ticking
from motionc.errors import Error, suggestion
from motionc.runtime.computation import Computation
from motionc.runtime.loop_arguments import started
from motionc.sweeps.options import Check, Understood, optional

Array = np.ndarray[Any, np.dtype[np.float64]]

MOST_EVENTS = 10_000
"""That are written down one by one; all are counted."""


def _tolerated(what: str, given: Any) -> int:
    return checked.whole(what, given, 0, "give how many in a row are tolerated, ≥ 0, or None for any number")


def _seconds(what: str, given: Any) -> float:
    return checked.number(what, given, "give seconds > 0", fits=lambda time: time > 0)


@dataclass(frozen=True)
class Tolerance(Understood):
    """What is tolerated in a row before a robot is stopped; None is any number.

    Args:
        timeout: seconds without a state after which a cycle is lost.
        lost: cycles without a state.
        missed: states that were missed, since the last one that was not.
        late: commands that were late.
        not_finite: states or commands that were no numbers.
    """

    called: ClassVar[str] = "Tolerance"
    understood: ClassVar[Mapping[str, Check]] = {
        "timeout": _seconds,
        **dict.fromkeys(("lost", "missed", "late", "not_finite"), optional(_tolerated)),
    }

    timeout: float = 1.0
    lost: int | None = 0
    missed: int | None = None
    late: int | None = None
    not_finite: int | None = 0


class Event(NamedTuple):
    """Something that happened: in which cycle, at which time of the robot (s), what, in words."""

    cycle: int
    time: float
    name: str
    words: str


class Logs(Protocol):
    """Where rows and events are written down while it runs, such as `mc.simulate.Recorder`."""

    def log(self, time: float, **values: Any) -> None: ...

    def mark(self, time: float, name: str) -> None: ...


@dataclass(frozen=True, eq=False)
class Operation:
    """What came of operating a robot: rows by name, events, how often each happened, deadlines, how it ended.

    Args:
        nameplate: of the robot.
        ended: "done", "until" or the event that ended it.
        cycles: commands that were written.
        times: seconds of each row, on the robot's clock from the first state on.
        rows: what was logged, (K, …), by name.
        events: the first ten thousand.
        happened: how often each.
        response: from a state to its command, against the robot's period.
        spacing: from a state to the next.
        state: what the controller carries on.
    """

    nameplate: Nameplate
    ended: str
    cycles: int
    times: Array
    rows: Mapping[str, Array]
    events: Sequence[Event]
    happened: Counter[str]
    response: Deadlines
    spacing: Deadlines
    state: Mapping[str, Any]

    def __getitem__(self, name: str) -> Array:
        if name not in self.rows:
            raise Error(f"nothing was logged as {name!r}{suggestion(name, self.rows)}")
        return self.rows[name]

    def __repr__(self) -> str:
        seen = "".join(f", {count} {name}" for name, count in self.happened.items())
        return f"Operation({self.nameplate.robot}: {self.cycles} cycles, {self.ended}{seen}; {self.response!r})"


def operate(
    hardware: Hardware,
    controller: Any,
    given: Mapping[str, Any] | None = None,
    *,
    state: Any = None,
    cycles: int | None = None,
    seconds: float | None = None,
    tolerance: Tolerance | None = None,
    log: Sequence[str] = (),
    recorder: Logs | None = None,
    until: str = "",
) -> Operation:
    """Run a controller on a robot, real or simulated, until it is done or must stop.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> there = mc.simulate.SimulatedRobot(mc.simulate.Plant(robot))
    >>> done = mc.control.operate(there, mc.control.pd(robot, 20.0, 5.0), {"target": [0.3, 0.1]}, seconds=0.5)
    >>> done.ended, done.cycles, dict(done.happened)
    ('done', 500, {})

    Args:
        hardware: the robot; it is opened here, and closed, stopped.
        controller: a computation, its state carried on from cycle to cycle, or what has one as `computation`. It reads
            q, v and wrench of a state by name, its stamp (s, on the robot's clock since the first state) and time (s,
            by the controller's clock; in lockstep the stamp), and gives the command.
        given: {input: value} of all else it reads; a function of the time in the place of a value gives it anew.
        state: what it carries on at the start, of another operation; as its ports say unless said.
        cycles: so many, or
        seconds: so long, on the robot's clock.
        tolerance: what is tolerated before the robot is stopped.
        log: what is kept of each cycle: inputs and outputs of the controller by name.
        recorder: where the same is written down as it happens, with events as marks.
        until: an output that ends it where it is not 0.
    """
    computation: Computation = getattr(controller, "computation", controller)
    checked.instance("operate: controller", computation, Computation, "give a computation, such as mc.control.pd(…)")
    policy = Tolerance() if tolerance is None else tolerance
    checked.instance("operate: tolerance", policy, Tolerance, "give mc.control.Tolerance(…)")
    if (cycles is None) == (seconds is None):
        raise Error("operate: say how long, either cycles= or seconds=")
    fixed = checked.instance("operate: given", {} if given is None else given, Mapping, "give {input: value}")
    computation.build()
    hardware.open()
    try:
        turns = _turns(hardware.nameplate, cycles, seconds)
        cycle = Ticking(hardware.nameplate, computation, fixed, started("operate", state), log, until)
        running = _Running(hardware, cycle, policy, recorder)
        with collector_off():
            ended = running.run(turns)
        return running.operation(ended)
    finally:
        try:
            hardware.stop()
        finally:
            hardware.close()


def _turns(nameplate: Nameplate, cycles: int | None, seconds: float | None) -> int:
    if cycles is not None:
        return checked.whole("operate: cycles", cycles, 0, "give a whole number of cycles ≥ 0")
    wanted = "give seconds ≥ 0"
    return round(checked.number("operate: seconds", seconds, wanted, fits=lambda s: s >= 0) / nameplate.period)


class _Running:
    """Cycle after cycle: what happens, and what is kept of it."""

    def __init__(self, hardware: Hardware, cycle: Ticking, policy: Tolerance, recorder: Logs | None) -> None:
        self.hardware, self.cycle, self.policy, self.recorder = hardware, cycle, policy, recorder
        period = hardware.nameplate.period
        self.response, self.spacing = Deadlines(period), Deadlines()
        self.events, self.happened = list[Event](), Counter[str]()
        self.times, self.rows = list[float](), list[dict[str, Any]]()
        self.cycles, self.time, self._row = 0, 0.0, dict[str, int]()
        self._period = round(1e9 * period)

    def run(self, turns: int) -> str:
        """Why it ended."""
        hardware, cycle, policy = self.hardware, self.cycle, self.policy
        clock, read, write, tick = time.perf_counter_ns, hardware.read, hardware.write, cycle.tick
        response, spacing = self.response.record, self.spacing.record
        wanted, paced = bool(cycle.logged), hardware.nameplate.pace == "clock"
        begun, before, number, first, zero = 0, 0, -1, 0.0, 0
        while self.cycles < turns:
            reading = read(policy.timeout)
            begun = clock()
            if reading is None:
                if self._happens("lost", f"no state came within {policy.timeout:g} s"):
                    return "lost"
                continue
            self._row.pop("lost", None)
            if number < 0:
                first, zero = reading.stamp, begun
            else:
                spacing(begun - before)
                if reading.number > number + 1:
                    gone = reading.number - number - 1
                    if self._happens("missed", f"{gone} states were missed", gone):
                        return "missed"
                else:
                    self._row.pop("missed", None)
            before, number, self.time = begun, reading.number, reading.stamp - first
            if reading.stopped:
                self._happens("stopped", f"the robot stopped: {reading.stopped.words}")
                return "stopped"
            if not isfinite(sum(reading.q.tolist()) + sum(reading.v.tolist())):
                if self._happens("not_finite", "a state is no number"):
                    return "not_finite"
                continue
            command = tick(reading, self.time, (begun - zero) / 1e9 if paced else self.time)
            if not isfinite(sum(command.tolist())):
                if self._happens("not_finite", "a command is no number; it was not written"):
                    return "not_finite"
                continue
            self._row.pop("not_finite", None)
            write(command)
            took = clock() - begun
            self.cycles += 1
            response(took)
            if took <= self._period:
                if self._row:
                    self._row.pop("late", None)
            elif self._happens("late", f"a command took {took / 1e6:.3g} ms, and its period is {self._period / 1e6:g}"):
                return "late"
            if wanted:
                self._log()
            if cycle.ended:
                return "until"
        return "done"

    def _happens(self, name: str, words: str, count: int = 1) -> bool:
        """Note an event; whether there were more in a row than are tolerated."""
        self.happened[name] += count
        if len(self.events) < MOST_EVENTS:
            self.events.append(Event(self.cycles, self.time, name, words))
        if self.recorder is not None:
            self.recorder.mark(self.time, name)
        self._row[name] = self._row.get(name, 0) + count
        most = getattr(self.policy, name, None)
        return most is not None and self._row[name] > most

    def _log(self) -> None:
        row = self.cycle.row()
        self.times.append(self.time)
        self.rows.append(row)
        if self.recorder is not None:
            self.recorder.log(self.time, **row)

    def operation(self, ended: str) -> Operation:
        rows = {name: np.array([row[name] for row in self.rows]) for name in self.cycle.logged}
        return Operation(
            self.hardware.nameplate,
            ended,
            self.cycles,
            np.array(self.times),
            rows,
            tuple(self.events),
            self.happened,
            self.response,
            self.spacing,
            self.cycle.state,
        )
