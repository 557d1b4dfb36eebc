"""Sections of the page, from what was measured: C against C++, sizes, ways into C, gains, growth, the roof, poses."""

from collections.abc import Iterator, Mapping, Sequence

from figures.growth import BatchTiming
from figures.latency import Latency
from figures.paths import PATHS
from figures.race import AGREEMENT, FLAGS, times
from figures.reaching import REACHING, Reached
from figures.roofline import Point, Roof
from figures.shapes import Gain, Shape
from motionc.benchmark import Report, Timing
from motionc.benchmark.questions import DYNAMICS, Kind
from motionc.benchmark.report import SCALAR
from peers.compare import NATIVE

Robots = Mapping[str, Report | str]
"""A report, or why there is none."""


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


def reason(report: Report, kind: Kind, name: str) -> str:
    """Why this contender has no time, or why nobody was asked."""
    lines = [timing for timing in report.timings if timing.question == kind]
    own = [timing for timing in lines if timing.contender == name]
    who = name.split(",")[0]
    return f"{who}: {own[0].note}" if own else lines[0].note


# ---------------------------------------------------------------- C against C++

RACE_TEXT = """\
Our C, as `emit` writes it, against Pinocchio's algorithms, instantiated from its headers: the same compiler, both with
`{flags}`, both in loops without Python, in one process on one core, the least of interleaved rounds; answers agree to
{agreement:.0e} before anything is timed. Of Pinocchio's functions for a question the faster counts; the others stand in
brackets. The last column is our C with the flags that a computation is built with when Python calls it.
"""


def raced(raced: Mapping[str, Sequence[Timing] | str]) -> Iterator[str]:
    yield "## Our C against Pinocchio's C++\n"
    flags = " ".join(flag for flag in FLAGS if flag.startswith(("-O", "-m", "-D")))
    yield RACE_TEXT.format(flags=flags, agreement=AGREEMENT)
    yield "| robot | question | our C, µs | Pinocchio's C++, µs | times as long | error | our C as built, µs |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    reasons = Reasons()
    for title, lines in raced.items():
        if isinstance(lines, str):
            yield f"| {title} | all | {' | '.join([reasons.cell(f'{title}: {lines}')] * 5)} |"
            continue
        for kind in dict.fromkeys(line.question for line in lines):
            yield f"| {title} | {kind} | {' | '.join(_heat(title, kind, lines, reasons))} |"
    yield from reasons.lines()


def _heat(title: str, kind: str, lines: Sequence[Timing], reasons: Reasons) -> Iterator[str]:
    """The cells of one question."""
    asked = [line for line in lines if line.question == kind]
    found, untimed = times(asked), [line for line in asked if line.microseconds is None]
    if found is None:
        yield from [reasons.cell(f"{title}, {kind}, {untimed[0].contender}: {untimed[0].note}")] * 5
        return
    first, *others = sorted(found.theirs, key=lambda name: found.theirs[name])
    rest = "".join(f"; {name} {found.theirs[name]:.3f}" for name in others)
    yield f"{found.ours:.3f}"
    yield f"{found.theirs[first]:.3f} {first}" + (f" ({rest[2:]})" if rest else "")
    yield f"**{found.ratio:.2f}**"
    yield f"{max(line.error or 0.0 for line in asked):.0e}"
    yield f"{found.built:.3f}"


# ---------------------------------------------------------------- sizes

PEERS_SIZES = {
    ("Panda", Kind.INVERSE): (1132, 2052),
    ("Panda", Kind.FORWARD): (2121, 5845),
    ("Panda", Kind.MASS): (837, 4589),
    ("Talos", Kind.INVERSE): (6567, 7000),
    ("Talos", Kind.FORWARD): (14295, 17593),
    ("Talos", Kind.MASS): (5849, 14328),
}
PEERS_TEXT = """\
Peers that generate code, in instructions of CasADi after common subexpressions are removed, as counted earlier for
pin 4.1 and adam 0.5 (whose base always floats, and which has bias forces instead of inverse dynamics):
"""


def sizes(robots: Robots) -> Iterator[str]:
    measured = {title: report for title, report in robots.items() if isinstance(report, Report)}
    yield "## Size of the code\n"
    yield "Arithmetic operations a state, a sine or cosine counted as one. They do not depend on the machine.\n"
    yield f"| operations | {' | '.join(measured)} |"
    yield "|---|" + "---:|" * len(measured)
    reasons = Reasons()
    for kind in Kind:
        cells = [
            f"{report.operations[kind]:,}" if kind in report.operations else reasons.cell(reason(report, kind, SCALAR))
            for report in measured.values()
        ]
        yield f"| {kind} | {' | '.join(cells)} |"
    yield from reasons.lines()
    yield PEERS_TEXT
    yield "| instructions | ours, operations | Pinocchio on CasADi symbols | adam |"
    yield "|---|---:|---:|---:|"
    for (title, kind), (pinocchio, adam) in PEERS_SIZES.items():
        report = robots.get(title)
        own = (
            f"{report.operations[kind]:,}" if isinstance(report, Report) and kind in report.operations else "not asked"
        )
        yield f"| {title}, {kind} | {own} | {pinocchio:,} | {adam:,} |"
    yield ""


# ---------------------------------------------------------------- ways into C


def paths(paths: Mapping[str, Sequence[Timing]]) -> Iterator[str]:
    yield "## From Python into C\n"
    yield "The same inverse dynamics on different ways, µs a call.\n"
    yield f"| µs a call | {' | '.join(paths)} |"
    yield "|---|" + "---:|" * len(paths)
    reasons = Reasons()
    for name in PATHS:
        lines = [next(line for line in lines if line.contender == name) for lines in paths.values()]
        cells = [
            reasons.cell(f"{name}: {line.note}") if line.microseconds is None else f"{line.microseconds:.3f}"
            for line in lines
        ]
        yield f"| {name} | {' | '.join(cells)} |"
    yield from reasons.lines()


# ---------------------------------------------------------------- what generating gains


GAINS_TEXT = """\
Generated C against a table-driven library in C for any tree, `benchmarks/peers/generic.c`: the same compiler and flags,
recursive Newton and Euler and articulated bodies in loops over tables; as in Fig. 7.6 to 7.8 of Frigerio 2013.
There the mass matrix takes one inverse dynamics a joint, its inverse one forward dynamics a joint.
"""


def gains(gains: Sequence[Gain]) -> Iterator[str]:
    yield "## What generating gains\n"
    yield GAINS_TEXT
    yield "| robot | joints | question | operations | library | ÷ | µs = s for a million | library | ÷ |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|"
    for one in gains:
        yield (
            f"| {one.robot} | {one.joints} | {one.shape} | {one.operations:,} | {one.generic_operations:,} | "
            f"{one.fewer:.1f} | {one.microseconds:.3f} | {one.generic_microseconds:.3f} | {one.faster:.1f} |"
        )
    yield ""
    found = {(one.robot, one.shape): one for one in gains}
    pair = found.get(("hyq", Shape.MASS)), found.get(("fancy", Shape.MASS))
    if pair[0] and pair[1]:
        fewer, faster = pair[0].fewer / pair[1].fewer, pair[0].faster / pair[1].faster
        yield "From the chain of five to the quadruped the gain of the mass matrix grows"
        yield f"{fewer:.2f} times in operations and {faster:.2f} times in time; 2.75 in the thesis.\n"


def latencies(latencies: Sequence[Latency]) -> Iterator[str]:
    yield "## A million calls\n"
    yield "Single calls from C, one after the other, reading the clock included; the longest is whoever else runs.\n"
    yield "| robot | question | calls | median, µs | 99.9 %, µs | longest, µs |"
    yield "|---|---|---:|---:|---:|---:|"
    for one in latencies:
        times = f"{one.median:.3f} | {one.rare:.3f} | {one.longest:.1f}"
        yield f"| {one.robot} | {one.question} | {one.calls:,} | {times} |"
    yield ""


# ---------------------------------------------------------------- growth


def chains(chains: Sequence[Report]) -> Iterator[str]:
    yield "## Growth with joints\n"
    yield "Serial chains of equal links; our C, and how many times as long Pinocchio's call takes, less an empty one.\n"
    yield "![time against joints, and against the size of a batch](benchmarks.svg)\n"
    yield "| joints | " + " | ".join(f"{kind}: operations | µs | Pinocchio ÷" for kind in DYNAMICS) + " |"
    yield "|---:|" + "---:|---:|---:|" * len(DYNAMICS)
    reasons = Reasons()
    for report in chains:
        cells: list[str] = []
        for kind in DYNAMICS:
            time, ratio = report.time(kind, SCALAR), report.ratio(kind, NATIVE)
            cells.append(
                str(report.operations[kind])
                if kind in report.operations
                else reasons.cell(reason(report, kind, SCALAR))
            )
            cells.append(reasons.cell(reason(report, kind, SCALAR)) if time is None else f"{time:.3f}")
            cells.append(reasons.cell(reason(report, kind, NATIVE)) if ratio is None else f"{ratio:.2f}")
        yield f"| {report.nv} | {' | '.join(cells)} |"
    yield from reasons.lines()


def batches(batches: Mapping[str, Sequence[BatchTiming]]) -> Iterator[str]:
    yield "## Growth with batches\n"
    yield "Nanoseconds a state, LWR 4, one thread, the call from Python included; arrays (N, n) and (n, N).\n"
    yield "| states | " + " | ".join(f"{name}, (N, n) | (n, N)" for name in batches) + " |"
    yield "|---:|" + "---:|---:|" * len(batches)
    for row in zip(*batches.values(), strict=True):
        yield f"| {row[0].states:,} | " + " | ".join(f"{t.rows:.0f} | {t.columns:.0f}" for t in row) + " |"


# ---------------------------------------------------------------- under the roof


ROOF_TEXT = """\
One core copies {copy:.1f} GB/s, read and written, and does {peak:.1f} · 10⁹ multiplications and additions a second in
double precision. Batches below run on one thread; of what they do, arithmetic operations are counted, a sine as one.
"""


def roofline(roof: Roof | None, points: Sequence[Point], gpu: Sequence[Point]) -> Iterator[str]:
    yield ""
    yield "## Under the roof\n"
    if roof is None:
        yield "Not measured: there is no C compiler.\n"
    else:
        yield ROOF_TEXT.format(copy=roof.copy_bandwidth / 1e9, peak=roof.peak / 1e9)
        yield "![operations a second against operations a byte](roofline.svg)\n"
        yield "| batch | states | states a second | operations a byte | 10⁹ operations/s | of the roof |"
        yield "|---|---:|---:|---:|---:|---:|"
        for one in points:
            share = one.operations_per_second / roof.bound(one.intensity)
            yield (
                f"| {one.computation} | {one.states:,} | {one.per_second:,.0f} | {one.intensity:.1f} | "
                f"{one.operations_per_second / 1e9:.2f} | {100 * share:.0f} % |"
            )
        yield ""
    if gpu:
        yield "On a GPU, as `benchmarks/gpu.py` has measured it into `docs/guide/gpu.json`:\n"
        yield "| batch | precision | states | states a second | operations a byte | 10⁹ operations/s | of a copy |"
        yield "|---|---|---:|---:|---:|---:|---:|"
        for one in gpu:
            rate, share = one.operations_per_second / 1e9, 100 * one.share_of_copy
            yield (
                f"| {one.computation} | {one.precision} | {one.states:,} | {one.per_second:,.0f} | "
                f"{one.intensity:.1f} | {rate:,.0f} | {share:.0f} % |"
            )
        yield ""


# ---------------------------------------------------------------- inverse kinematics


def reached(reached: Mapping[str, Sequence[Reached]]) -> Iterator[str]:
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
