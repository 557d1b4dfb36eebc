"""The page docs/benchmarks.md, from what was measured. A cell without a number refers to a reason below its table."""

from collections.abc import Iterator, Mapping, Sequence

from motionc.benchmark import CONTENDERS, REACHING, BatchTiming, Kind, Reached, Report, machine, versions
from motionc.benchmark.compare import BATCHED, CALLED, NATIVE, PINOCCHIO, SCALAR
from motionc.benchmark.questions import STATES

Robots = Mapping[str, Report | str]
"""A report, or why there is none."""

HEAD = """\
# Benchmarks

Ours and the peers that were installed, in one process on one core, on the machine below. Written by `make bench`;
do not edit, measure again. One robot at a time: `motionc bench ROBOT`.
"""

METHOD = """\
## Method

- {states} random states, the same for all: q within limits, v and a in ±1, tau in ±10. Peers get them in their own
  coordinates. Answers to all of them are compared first; who disagrees is not timed, and the command fails.
- A block is one call a state. Rounds of blocks are interleaved, {rounds} of them, on one core, and the least block of
  each contender counts: a shared machine only ever adds.
- "C" is our compiled function in a loop of C. A "Python call" includes the call: an empty one takes {empty:.3f} µs.
- Pinocchio reads the same file: `rnea`, `aba` in its faster convention, `constraintDynamics` (mu 0, one iteration).
- MuJoCo runs its whole pipeline on fused links, setting the state included; CasADi evaluates our sweeps on its own
  symbols; PyKDL has `ChainIdSolver_RNE`.
"""


def text(
    robots: Robots,
    chains: Sequence[Report],
    batches: Mapping[str, Sequence[BatchTiming]],
    reached: Mapping[str, Sequence[Reached]],
) -> str:
    """The whole page."""
    reports = [report for report in [*robots.values(), *chains] if isinstance(report, Report)]
    rounds, empty = max(report.rounds for report in reports), min(report.empty_call for report in reports)
    lines = [
        HEAD,
        *_machine(),
        METHOD.format(states=STATES, rounds=rounds, empty=empty),
        *_promises(robots),
        *(line for title, report in robots.items() for line in _robot(title, report)),
        *_chains(chains),
        *_batches(batches),
        *_reached(reached),
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
    return _reason(report, kind, contender) if time is None else time


# ---------------------------------------------------------------- robots


class Reasons:
    """Why cells are empty, numbered as they come."""

    def __init__(self) -> None:
        self.known: list[str] = []

    def cell(self, reason: str) -> str:
        """What stands in the cell."""
        assert reason, "an empty cell must say why"
        if reason not in self.known:
            self.known.append(reason)
        return f"— ({self.known.index(reason) + 1})"

    def lines(self) -> Iterator[str]:
        yield ""
        yield from (f"{number}. {reason}" for number, reason in enumerate(self.known, 1))
        yield ""


def _robot(title: str, report: Report | str) -> Iterator[str]:
    yield f"## {title}\n"
    if isinstance(report, str):
        yield f"Not measured: {report}.\n"
        return
    worst = max((timing for timing in report.timings if timing.error is not None), key=lambda timing: timing.error or 0)
    yield f"nv = {report.nv}, six rows at `{report.frame}`."
    yield f"Worst relative error: {worst.error:.0e} ({worst.contender}).\n"
    yield f"| µs a state (÷ {SCALAR}) | {' | '.join(_heading(report, kind) for kind in Kind)} |"
    yield "|---|" + "---:|" * len(Kind)
    reasons = Reasons()
    for name in _names():
        yield f"| {name} | {' | '.join(_cell(report, kind, name, reasons) for kind in Kind)} |"
    yield from reasons.lines()


def _names() -> Iterator[str]:
    for name in CONTENDERS:
        yield name
        if name == PINOCCHIO:
            yield NATIVE


def _heading(report: Report, kind: Kind) -> str:
    return f"{kind}, {report.operations[kind]} operations" if kind in report.operations else str(kind)


def _cell(report: Report, kind: Kind, name: str, reasons: Reasons) -> str:
    time, ratio = report.time(kind, name), report.ratio(kind, name)
    if time is None:
        return reasons.cell(_reason(report, kind, name))
    return f"{time:.3f}" + ("" if ratio is None else f" ({ratio:.2f})")


def _reason(report: Report, kind: Kind, name: str) -> str:
    """Why this contender has no time, or why nobody was asked."""
    lines = [timing for timing in report.timings if timing.question == kind]
    own = [timing for timing in lines if timing.contender == name]
    who = name.split(",")[0]
    return f"{who}: {own[0].note}" if own else lines[0].note


# ---------------------------------------------------------------- growth


def _chains(chains: Sequence[Report]) -> Iterator[str]:
    yield "## Growth with joints\n"
    yield "Serial chains of equal links; our C, and how many times as long Pinocchio's call takes, less an empty one.\n"
    yield "![time against joints, and against the size of a batch](benchmarks.svg)\n"
    yield "| joints | " + " | ".join(f"{kind}: operations | µs | Pinocchio ÷" for kind in Kind) + " |"
    yield "|---:|" + "---:|---:|---:|" * len(Kind)
    reasons = Reasons()
    for report in chains:
        cells: list[str] = []
        for kind in Kind:
            time, ratio = report.time(kind, SCALAR), report.ratio(kind, NATIVE)
            cells.append(
                str(report.operations[kind])
                if kind in report.operations
                else reasons.cell(_reason(report, kind, SCALAR))
            )
            cells.append(reasons.cell(_reason(report, kind, SCALAR)) if time is None else f"{time:.3f}")
            cells.append(reasons.cell(_reason(report, kind, NATIVE)) if ratio is None else f"{ratio:.2f}")
        yield f"| {report.nv} | {' | '.join(cells)} |"
    yield from reasons.lines()


def _batches(batches: Mapping[str, Sequence[BatchTiming]]) -> Iterator[str]:
    yield "## Growth with batches\n"
    yield "Nanoseconds a state, LWR 4, one thread, the call from Python included; arrays (N, n) and (n, N).\n"
    yield "| states | " + " | ".join(f"{name}, (N, n) | (n, N)" for name in batches) + " |"
    yield "|---:|" + "---:|---:|" * len(batches)
    for row in zip(*batches.values(), strict=True):
        yield f"| {row[0].states:,} | " + " | ".join(f"{t.rows:.0f} | {t.columns:.0f}" for t in row) + " |"


# ---------------------------------------------------------------- inverse kinematics


def _reached(reached: Mapping[str, Sequence[Reached]]) -> Iterator[str]:
    yield "## Inverse kinematics\n"
    yield "Poses of random configurations, to be reached to 1e-6 m and 1e-6 rad within limits from the middle of all"
    yield "ranges: which share was, and µs a pose, reached or not; on one core, each contender once. Pinocchio's own"
    yield "forward kinematics judges. Its loop and PyKDL's Levenberg and Marquardt know no limits, and no peer starts"
    yield "again.\n"
    yield "| reached, µs a pose | " + " | ".join(reached) + " |"
    yield "|---|" + "---:|" * len(reached)
    reasons = Reasons()
    for name in REACHING:
        lines = [next(line for line in lines if line.contender == name) for lines in reached.values()]
        yield f"| {name} | {' | '.join(_share(line, reasons) for line in lines)} |"
    yield from reasons.lines()


def _share(line: Reached, reasons: Reasons) -> str:
    if line.share is None:
        return reasons.cell(f"{line.contender.split(',')[0]}: {line.note}")
    return f"{100 * line.share:.2f} % of {line.poses:,}, {line.microseconds:.0f}"
