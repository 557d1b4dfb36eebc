"""How fast is a robot's dynamics here? Whoever answers is timed on the same questions; a report has a line for each.

Ours alone unless others are given: `make bench` gives the peers of benchmarks/peers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

from motionc.benchmark import ours
from motionc.benchmark.machine import machine, versions
from motionc.benchmark.questions import DYNAMICS, STATES, Kind, Question, ask
from motionc.benchmark.timing import ROUNDS, Absent, Contender, Timing, empty_call, measure, one_core
from motionc.model import Robot
from motionc.runtime.build import compiler

Enter = Callable[[Question], Contender]
Tell = Callable[[str], None]

SCALAR = "motionc, C"
CALLED = "motionc, Python call"
BATCHED = f"motionc, batch of {ours.BATCH}"
OURS: dict[str, Enter] = {SCALAR: ours.scalar, CALLED: ours.called, BATCHED: ours.batched}
"""In the order of the table. The first that can answer is who the others are compared with."""


INTERPRETED_ROUNDS = 3
"""Rounds where there is no compiler: a state takes some hundred times as long, and nobody waits for hours."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured on one robot: a line for every question and contender, with a time or a reason.

    `note` says where less was measured than was asked for.
    """

    robot: str
    nv: int
    frame: str
    rounds: int
    empty_call: float
    operations: dict[str, int]
    timings: tuple[Timing, ...]
    note: str = ""

    def time(self, question: str, contender: str) -> float | None:
        """Microseconds a state, where there is a time."""
        return next((t.microseconds for t in self.timings if (t.question, t.contender) == (question, contender)), None)

    def ratio(self, question: str, contender: str, base: str = SCALAR) -> float | None:
        """How many times as long as another: our C, unless another is named."""
        time, unit = self.time(question, contender), self.time(question, base)
        return None if time is None or not unit else time / unit

    @property
    def disagreements(self) -> tuple[Timing, ...]:
        """Who answered differently."""
        return tuple(timing for timing in self.timings if timing.disagrees)


def as_json(report: Report) -> dict[str, Any]:
    """Everything there is to say, machine and versions included."""
    lines: list[dict[str, Any]] = []
    for timing in report.timings:
        ratio = report.ratio(timing.question, timing.contender)
        lines.append(asdict(timing) | {"ratio": ratio, "error": timing.error if timing.error != inf else None})
    return {"machine": machine(), "versions": versions()} | asdict(report) | {"timings": lines}


def timed(
    robot: Robot,
    frame: str = "",
    rounds: int = ROUNDS,
    *,
    contenders: Mapping[str, Enter] = OURS,
    kinds: Sequence[Kind] = DYNAMICS,
    states: int = STATES,
    feet: Sequence[str] = (),
    tell: Tell = lambda _: None,
) -> Report:
    """Time a robot's dynamics, on one core.

    frame: whose Jacobian is asked for, and what six rows constrain; the last link by default.
    contenders: who answers, by name.
    feet: what rows at each foot constrain.
    states: how many there are in a block.
    tell: is told what is going on, in a few words.
    """
    frame = frame or robot.link_names[-1]
    operations: dict[str, int] = {}
    timings: list[Timing] = []
    note = ""
    if compiler.find_compiler() is None and rounds > INTERPRETED_ROUNDS:
        note = f"no C compiler: programs are interpreted, timed in {INTERPRETED_ROUNDS} rounds instead of {rounds}"
        rounds = INTERPRETED_ROUNDS
        tell(note)
    with one_core():
        empty = empty_call([(None,) * 5] * STATES, rounds)
        for kind in kinds:
            tell(f"{kind}, compiling")
            try:
                question = ask(kind, robot, frame, states, feet)
            except Absent as reason:
                timings.append(Timing(kind, "not asked", note=str(reason)))
                continue
            operations[kind] = sum(question.computation.operations.values())
            timings += answered(question, contenders, rounds, tell=tell)
    return Report(robot.name, robot.nv, frame, rounds, empty, operations, tuple(timings), note)


def answered(
    question: Question, contenders: Mapping[str, Enter], rounds: int = ROUNDS, *, tell: Tell = lambda _: None
) -> list[Timing]:
    """Everybody's line, in the order of the contenders; those who cannot answer say why."""
    lines: dict[str, Timing] = {}
    racing: dict[str, Contender] = {}
    for name, enter in contenders.items():
        tell(f"{question.kind}, preparing {name}")
        try:
            racing[name] = enter(question)
        except Absent as reason:
            lines[name] = Timing(question.kind, name, note=str(reason))
    lines |= {timing.contender: timing for timing in measure(question.kind, racing, rounds, tell=tell)}
    return [lines[name] for name in contenders]
