"""Growth: time and operations against joints, time a state against the size of a batch. And the roof of the machine."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from figures.growth import BatchTiming
from figures.roofline import Point, Roof
from motionc.benchmark import Report
from motionc.benchmark.questions import Kind
from motionc.benchmark.report import SCALAR
from peers.compare import NATIVE

COLOURS = {Kind.INVERSE: "tab:blue", Kind.FORWARD: "tab:orange", Kind.CONSTRAINED: "tab:green"}
STYLES = {SCALAR: "-o", NATIVE: "--s"}


def draw(chains: Sequence[Report], batches: Mapping[str, Sequence[BatchTiming]], path: Path) -> None:
    """Write the plot as SVG, the same bytes for the same numbers."""
    pyplot = _pyplot()
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(15, 4.6), constrained_layout=True)
    for kind, colour in COLOURS.items():
        for contender, style in STYLES.items():
            points = [(r.nv, t) for r in chains if (t := r.time(kind, contender)) is not None]
            if points:
                left.loglog(
                    *zip(*points, strict=True), style, color=colour, label=f"{contender.split(',')[0]}, {kind}", ms=4
                )
        sizes = [(r.nv, r.operations[kind]) for r in chains if kind in r.operations]
        if sizes:
            middle.loglog(*zip(*sizes, strict=True), "-o", color=colour, label=kind, ms=4)
    left.set(xlabel="joints of a serial chain", ylabel="µs a call", title="time against joints")
    middle.set(xlabel="joints of a serial chain", ylabel="operations", title="operations against joints")
    for (name, timings), colour in zip(batches.items(), COLOURS.values(), strict=False):
        states = [timing.states for timing in timings]
        right.loglog(states, [t.rows for t in timings], "-o", color=colour, label=f"{name}, (N, n)", ms=4)
        right.loglog(states, [t.columns for t in timings], "--s", color=colour, label=f"{name}, (n, N)", ms=4)
    right.set(xlabel="states in a batch", ylabel="ns a state", title="growth with batches, LWR 4, one thread")
    for axes in (left, middle, right):
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def draw_roof(roof: Roof, points: Sequence[Point], gpu: Sequence[Point], path: Path) -> None:
    """Operations a second against operations a byte, under what one core, or a GPU's memory, allows."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.6), constrained_layout=True)
    shown = [one.intensity for one in (*points, *gpu)]
    least, most = min(shown, default=1.0) / 2, 2 * max(shown, default=100.0)
    edge = roof.peak / roof.copy_bandwidth
    corners = sorted({least, max(edge, least), max(most, 2 * edge)})
    axes.loglog(corners, [roof.bound(x) / 1e9 for x in corners], "k-", label="one core: a copy, multiply-and-add")
    for bandwidth in sorted({one.copy_bandwidth for one in gpu}):
        ends = [least, corners[-1]]
        axes.loglog(ends, [x * bandwidth / 1e9 for x in ends], "k--", label=f"GPU: a copy, {bandwidth / 1e12:.1f} TB/s")
    for one in points:
        axes.loglog(one.intensity, one.operations_per_second / 1e9, "o", label=one.computation)
    for one in gpu:
        name = f"{one.computation}, GPU, {one.precision}"
        axes.loglog(one.intensity, one.operations_per_second / 1e9, "s", label=name)
    axes.set(xlabel="operations a byte", ylabel="10⁹ operations a second", title="batches under the roof")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _pyplot() -> Any:
    """The same bytes for the same numbers."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "motionc", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    return pyplot
