"""docs/guide/benchmarks.md: no cell is empty without a reason, and a missed promise is called missed."""

import re
from pathlib import Path

import pytest

import page
import plot
from figures.growth import BatchTiming
from figures.latency import Latency
from figures.paths import PATHS
from figures.race import OURS, OURS_BUILT
from figures.reaching import REACHING, Reached
from figures.roofline import Point, Roof
from figures.shapes import Gain, Shape
from motionc.benchmark import Report, Timing
from motionc.benchmark.questions import Kind
from motionc.benchmark.report import SCALAR
from peers.compare import CONTENDERS, NATIVE, PINOCCHIO
from repository import REPOSITORY
from rows import row


def report(times: dict[str, float], nv: int = 7) -> Report:
    """All questions take these times, whoever has none is said to be tired; six rows are not asked of small robots."""
    kinds = [kind for kind in Kind if nv >= 6 or kind is not Kind.CONSTRAINED]
    lines = [
        Timing(kind, name, times.get(name), 0.0 if name in times else None, "" if name in times else "it is tired")
        for kind in kinds
        for name in (*CONTENDERS, NATIVE)
    ]
    lines += [Timing(kind, "not asked", note="too few joints") for kind in Kind if kind not in kinds]
    return Report("robot", nv, "tip", 10, 0.05, dict.fromkeys(kinds, 100), tuple(lines))


def measured(times: dict[str, float]) -> page.Measured:
    """Everything once; one way into C and one way to reach are not there, the quadruped gains twice as much."""
    robots = {"LWR 4": report(times), "Panda": report(times), "ANYmal": report(times), "Talos": "talos.urdf is absent"}
    reached = [Reached("arm", name, 100, 0.995, 12.3) for name in REACHING]
    reached[-1] = Reached("arm", reached[-1].contender, note="it is not here")
    ways = [Timing("inverse dynamics", name, 0.5, 0.0) for name in PATHS]
    ways[-1] = Timing("inverse dynamics", ways[-1].contender, note="it is not here either")
    gains = {"fancy": 10, "hyq": 5}
    return page.Measured(
        robots,
        {"LWR 4": ways},
        [Gain(name, 5, shape, own, 50, 0.1, 2.0, 0.0) for name, own in gains.items() for shape in Shape],
        [Latency("hyq", "inverse dynamics", 1_000_000, 0.25, 1.5, 75.25)],
        [report(times, 5), report(times, 20)],
        {"inverse dynamics": [BatchTiming(1, 2.0, 3.0)], "forward dynamics": [BatchTiming(1, 4.0, 5.0)]},
        {"LWR 4": reached},
        Roof(2e10, 5e10),
        [Point("lwr4, inverse dynamics", "double", 1000, 1e7, 200.0, 800.0, 2e10)],
        raced={"Panda": raced(), "ANYmal C": "the headers are on holiday"},
    )


def raced() -> list[Timing]:
    """Forward dynamics in two forms, the second faster; six rows on which one disagrees."""
    times = {OURS: 0.5, OURS_BUILT: 0.6, "aba, local": 3.0, "aba, world": 2.0}
    lines = [Timing(Kind.FORWARD, name, time, 2e-15) for name, time in times.items()]
    rows = [Timing(Kind.CONSTRAINED, name, 1.0, 0.0) for name in (OURS, OURS_BUILT, "constraintDynamics")]
    return [*lines, *rows, Timing(Kind.CONSTRAINED, "pv", None, 0.5, "its answers differ")]


def written(times: dict[str, float]) -> str:
    return page.text(measured(times))


@pytest.mark.parametrize("times", [dict.fromkeys((*CONTENDERS, NATIVE), 1.0), {SCALAR: 0.2, NATIVE: 1.0}, {SCALAR: 1}])
def test_no_cell_is_empty_without_a_reason(times: dict[str, float]) -> None:
    text = written(times)
    for section in text.split("\n## "):
        reasons = re.findall(r"^\d+\. .+", section, re.MULTILINE)
        for line in section.splitlines():
            if line.startswith("|"):
                assert all(cell.strip() for cell in line.strip("|").split("|")), line
        for number in re.findall(r"— \((\d+)\)", section):
            assert int(number) <= len(reasons)
    assert "talos.urdf is absent" in text
    assert "too few joints" in text
    assert "99.50 % of 100, 12" in text
    assert "it is not here" in text
    assert "it is not here either" in text


def test_a_missed_promise_is_called_missed() -> None:
    promise = re.compile(r"Panda, inverse dynamics: Pinocchio less .*\| (\S+) \| (\S+) \|$", re.MULTILINE)
    times = dict.fromkeys(CONTENDERS, 1.0)
    (held,) = promise.findall(written({**times, SCALAR: 0.2, NATIVE: 1.1}))
    (missed,) = promise.findall(written({**times, SCALAR: 0.2, NATIVE: 0.9}))
    assert held == ("5.50", "holds")
    assert missed == ("4.50", "**missed**")


def test_what_could_not_be_measured_is_no_promise_kept() -> None:
    text = written({SCALAR: 0.2})
    lines = [line for line in text.splitlines() if "Panda, forward dynamics: Pinocchio" in line]
    assert lines == [f"| {lines[0].split('|')[1].strip()} | ≥ 6 | not measured | Pinocchio: it is tired |"]
    assert PINOCCHIO.split(",")[0] in lines[0]


def test_the_committed_page_shows_its_plot_and_how_to_measure_again() -> None:
    text = (REPOSITORY / "docs" / "guide" / "benchmarks.md").read_text(encoding="utf-8")
    assert "make bench" in text
    assert (REPOSITORY / "docs" / "guide" / "benchmarks.svg").is_file()
    assert "](benchmarks.svg)" in text


def test_the_race_of_c_and_cpp_is_told_beside_calls_from_python() -> None:
    text = written({SCALAR: 0.2, NATIVE: 1.0})
    line = "| Panda | forward dynamics | 0.500 | 2.000 aba, world (aba, local 3.000) | **4.00** | 2e-15 | 0.600 |"
    assert line in text
    assert "-O3 -march=native" in text or "-O3 -mcpu=native" in text
    assert PINOCCHIO in text


def test_who_does_not_race_or_disagrees_has_a_reason() -> None:
    (section,) = (part for part in written({SCALAR: 0.2}).split("\n## ") if part.startswith("Our C against"))
    cells = " | ".join(["— (1)"] * 5)
    assert f"| Panda | constrained dynamics, 6 rows | {cells} |" in section
    assert "1. Panda, constrained dynamics, 6 rows, pv: its answers differ" in section
    assert "2. ANYmal C: the headers are on holiday" in section


# ---------------------------------------------------------------- gains, calls, the roof


@row("robcogen", 42)
def test_gains_growth_of_gains_and_the_longest_call_are_told() -> None:
    text = written({SCALAR: 0.2})
    assert "| fancy | 5 | inverse dynamics | 10 | 50 | 5.0 | 0.100 | 2.000 | 20.0 |" in text
    assert "2.00 times in operations and 1.00 times in time; 2.75 in the thesis" in text
    assert "| hyq | inverse dynamics | 1,000,000 | 0.250 | 1.500 | 75.2 |" in text


def test_sizes_stand_beside_those_of_peers() -> None:
    text = written({SCALAR: 0.2})
    assert "| Panda, inverse dynamics | 100 | 1,132 | 2,052 |" in text
    assert "| Talos, inverse dynamics | not asked | 6,567 | 7,000 |" in text


def test_batches_stand_under_the_roof_and_a_gpu_where_it_was_measured() -> None:
    found = measured({SCALAR: 0.2})
    assert "| lwr4, inverse dynamics | 1,000 | 10,000,000 | 4.0 | 8.00 | 16 % |" in page.text(found)
    assert "gpu.json" not in page.text(found)
    found.gpu = [Point("lwr4, forward dynamics", "single", 10**6, 1.8e10, 112.0, 1374.0, 4e12)]
    assert "| lwr4, forward dynamics | single | 1,000,000 | 18,000,000,000 | 12.3 | 24,732 | 50 % |" in page.text(found)
    found.roof = None
    assert "there is no C compiler" in page.text(found)


def test_plots_are_the_same_bytes_for_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = measured({SCALAR: 0.2, NATIVE: 1.0})
    gpu = [Point("lwr4, forward dynamics", "single", 10**6, 1.8e10, 112.0, 1374.0, 4e12)]
    for name in ("a", "b"):
        plot.draw(found.chains, found.batches, tmp_path / f"{name}.svg")
        plot.draw_roof(found.roof, found.points, gpu, tmp_path / f"{name}-roof.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    roof = (tmp_path / "a-roof.svg").read_text(encoding="utf-8")
    assert roof == (tmp_path / "b-roof.svg").read_text(encoding="utf-8")
    assert "lwr4, forward dynamics, GPU, single" in roof
