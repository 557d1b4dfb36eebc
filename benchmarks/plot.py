"""Two panels: time against joints, time a state against the size of a batch."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from motionc.benchmark import BatchTiming, Kind, Report
from motionc.benchmark.compare import NATIVE, SCALAR

COLOURS = {Kind.INVERSE: "tab:blue", Kind.FORWARD: "tab:orange", Kind.CONSTRAINED: "tab:green"}
STYLES = {SCALAR: "-o", NATIVE: "--s"}


def draw(chains: Sequence[Report], batches: Mapping[str, Sequence[BatchTiming]], path: Path) -> None:
    """Write the plot as SVG, the same bytes for the same numbers."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "motionc", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.6), constrained_layout=True)
    for kind, colour in COLOURS.items():
        for contender, style in STYLES.items():
            points = [(r.nv, t) for r in chains if (t := r.time(kind, contender)) is not None]
            if points:
                left.loglog(
                    *zip(*points, strict=True), style, color=colour, label=f"{contender.split(',')[0]}, {kind}", ms=4
                )
    left.set(xlabel="joints of a serial chain", ylabel="µs a call", title="growth with joints")
    for (name, timings), colour in zip(batches.items(), COLOURS.values(), strict=False):
        states = [timing.states for timing in timings]
        right.loglog(states, [t.rows for t in timings], "-o", color=colour, label=f"{name}, (N, n)", ms=4)
        right.loglog(states, [t.columns for t in timings], "--s", color=colour, label=f"{name}, (n, N)", ms=4)
    right.set(xlabel="states in a batch", ylabel="ns a state", title="growth with batches, LWR 4, one thread")
    for axes in (left, right):
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
