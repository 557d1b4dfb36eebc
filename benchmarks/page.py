"""The page docs/guide/benchmarks.md, from what was measured. A cell without a number refers to a reason below."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import sections
from figures.growth import BatchTiming
from figures.latency import Latency
from figures.reaching import Reached
from figures.roofline import Point, Roof
from figures.shapes import Gain
from motionc.benchmark import Report, Timing, machine
from motionc.benchmark.questions import STATES, Kind
from motionc.benchmark.report import BATCHED, CALLED, SCALAR
from peers.compare import CONTENDERS, NATIVE, PINOCCHIO
from peers.versions import versions
from sections import Robots

HEAD = """\
# Benchmarks

Ours and the peers that were installed, in one process on one core, on the machine below. Written by `make bench`;
do not edit, measure again. Ours alone, of one robot: `motionc bench ROBOT`.
"""

METHOD = """\
## Method

- {states} random states, the same for all: q within limits, v and a in ±1, tau in ±10. Peers get them in their own
  coordinates. Answers to all of them are compared first; who disagrees is not timed, and the command fails.
- A block is one call a state. Rounds of blocks are interleaved, {rounds} of them, on one core, and the least block of
  each contender counts: a shared machine only ever adds.
- "C" is our compiled function in a loop of C. A "Python call" includes the call: an empty one takes {empty:.3f} µs.
- Pinocchio reads the same file: `forwardKinematics`, `computeFrameJacobian`, `rnea`, `crba`, `cholesky.decompose`,
  `aba` in its faster convention, `computeRNEADerivatives`, `computeABADerivatives`, and `constraintDynamics` (mu 0, one
  iteration). Six rows hold spatial accelerations, three rows at a foot classical ones.
- MuJoCo and Drake get fused links, and set the state in every call; for dynamics MuJoCo runs its whole pipeline. CasADi
  evaluates our sweeps on its own symbols. A factor is compared by what it is a factor of.
"""


@dataclass
class Measured:
    """All there is to tell. What is measured by robot carries the robot's title."""

    robots: dict[str, Report | str] = field(default_factory=dict)
    paths: dict[str, list[Timing]] = field(default_factory=dict)
    gains: list[Gain] = field(default_factory=list)
    latencies: list[Latency] = field(default_factory=list)
    chains: list[Report] = field(default_factory=list)
    batches: dict[str, list[BatchTiming]] = field(default_factory=dict)
    reached: dict[str, list[Reached]] = field(default_factory=dict)
    roof: Roof | None = None
    points: list[Point] = field(default_factory=list)
    gpu: list[Point] = field(default_factory=list)
    raced: dict[str, list[Timing] | str] = field(default_factory=dict)


def text(found: Measured) -> str:
    """The whole page."""
    robots, chains = found.robots, found.chains
    reports = [report for report in [*robots.values(), *chains] if isinstance(report, Report)]
    rounds, empty = max(report.rounds for report in reports), min(report.empty_call for report in reports)
    lines = [
        HEAD,
        *_machine(),
        METHOD.format(states=STATES, rounds=rounds, empty=empty),
        *_promises(robots),
        *sections.raced(found.raced),
        *(line for title, report in robots.items() for line in _robot(title, report)),
        *sections.sizes(robots),
        *sections.paths(found.paths),
        *sections.gains(found.gains),
        *sections.latencies(found.latencies),
        *sections.chains(chains),
        *sections.batches(found.batches),
        *sections.roofline(found.roof, found.points, found.gpu),
        *sections.reached(found.reached),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _machine() -> Iterator[str]:
    yield "| where | what |"
    yield "|---|---|"
    yield from (f"| {key} | {value} |" for key, value in machine().items())
    yield f"| versions | {', '.join(f'{name} {version}' for name, version in versions().items())} |\n"


# ---------------------------------------------------------------- what is promised

NATIVE_WANTED = {
    ("Panda", Kind.INVERSE): 5,
    ("Panda", Kind.FORWARD): 6,
    ("Panda", Kind.CONSTRAINED): 5,
    ("ANYmal", Kind.INVERSE): 3,
    ("ANYmal", Kind.FORWARD): 3,
    ("Talos", Kind.INVERSE): 3,
    ("Talos", Kind.FORWARD): 3,
}
"""How many times as long as our C Pinocchio's call takes, less an empty one."""
OVERHEAD_WANTED = 0.3


Line = tuple[str, Kind, str]
"""Robot, question, contender."""


def _promises(robots: Robots) -> Iterator[str]:
    yield "## What is promised\n"
    yield "| ratio | wanted | measured | verdict |"
    yield "|---|---:|---:|---|"
    for (title, kind), wanted in NATIVE_WANTED.items():
        pair = (title, kind, NATIVE), (title, kind, SCALAR)
        yield _at_least(robots, f"{title}, {kind}: Pinocchio less an empty call ÷ our C", wanted, *pair)
    pair = ("Panda", Kind.INVERSE, PINOCCHIO), ("Panda", Kind.INVERSE, CALLED)
    yield _at_least(robots, "Panda, inverse dynamics from Python: Pinocchio ÷ ours", 2.5, *pair)
    for title in ("Panda", "Talos"):
        for kind in (Kind.INVERSE, Kind.FORWARD):
            pair = (title, kind, SCALAR), (title, kind, BATCHED)
            yield _at_least(robots, f"{title}, {kind}: our C ÷ a state of a batch", 1, *pair)
    for title in ("Panda", "Talos"):
        call, kernel = ((title, Kind.INVERSE, name) for name in (CALLED, SCALAR))
        yield _overhead(robots, f"{title}, inverse dynamics: our Python call above its C, µs", call, kernel)
    yield ""


def _at_least(robots: Robots, what: str, wanted: float, slow: Line, fast: Line) -> str:
    """A line about how many times one takes as long as another."""
    times = _time(robots, *slow), _time(robots, *fast)
    if isinstance(times[0], str) or isinstance(times[1], str):
        return _unknown(what, f"≥ {wanted:g}", times)
    ratio = times[0] / times[1]
    return f"| {what} | ≥ {wanted:g} | {ratio:.2f} | {'holds' if ratio >= wanted else '**missed**'} |"


def _overhead(robots: Robots, what: str, call: Line, kernel: Line) -> str:
    times = _time(robots, *call), _time(robots, *kernel)
    if isinstance(times[0], str) or isinstance(times[1], str):
        return _unknown(what, f"≤ {OVERHEAD_WANTED}", times)
    over = times[0] - times[1]
    return f"| {what} | ≤ {OVERHEAD_WANTED} | {over:.2f} | {'holds' if over <= OVERHEAD_WANTED else '**missed**'} |"


def _unknown(what: str, wanted: str, times: tuple[float | str, float | str]) -> str:
    reason = next(time for time in times if isinstance(time, str))
    return f"| {what} | {wanted} | not measured | {reason} |"


def _time(robots: Robots, title: str, kind: Kind, contender: str) -> float | str:
    """Microseconds, or why there are none."""
    report = robots[title]
    if isinstance(report, str):
        return report
    time = report.time(kind, contender)
    return sections.reason(report, kind, contender) if time is None else time


# ---------------------------------------------------------------- robots


def _robot(title: str, report: Report | str) -> Iterator[str]:
    yield f"## {title}\n"
    if isinstance(report, str):
        yield f"Not measured: {report}.\n"
        return
    worst = max((timing for timing in report.timings if timing.error is not None), key=lambda timing: timing.error or 0)
    yield f"nv = {report.nv}; Jacobian and six rows at `{report.frame}`."
    yield f"Worst relative error: {worst.error:.0e} ({worst.contender}). In brackets: ÷ {SCALAR}.\n"
    yield f"| µs a state | {' | '.join(_names())} |"
    yield "|---|" + "---:|" * len(list(_names()))
    reasons = sections.Reasons()
    for kind in Kind:
        yield f"| {kind} | {' | '.join(_cell(report, kind, name, reasons) for name in _names())} |"
    yield from reasons.lines()


def _names() -> Iterator[str]:
    for name in CONTENDERS:
        yield name
        if name == PINOCCHIO:
            yield NATIVE


def _cell(report: Report, kind: Kind, name: str, reasons: sections.Reasons) -> str:
    time, ratio = report.time(kind, name), report.ratio(kind, name)
    if time is None:
        return reasons.cell(sections.reason(report, kind, name))
    return f"{time:.3f}" + ("" if ratio is None else f" ({ratio:.2f})")
