"""docs/benchmarks.md: no cell is empty without a reason, and a missed promise is called missed."""

import re
import sys
from pathlib import Path

import pytest

from motionc.benchmark import CONTENDERS, REACHING, BatchTiming, Kind, Reached, Report, Timing
from motionc.benchmark.compare import NATIVE, PINOCCHIO, SCALAR

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))
import page  # noqa: E402


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


def written(times: dict[str, float]) -> str:
    robots = {"LWR 4": report(times), "Panda": report(times), "ANYmal": report(times), "Talos": "talos.urdf is absent"}
    batches = {"inverse dynamics": [BatchTiming(1, 2.0, 3.0)], "forward dynamics": [BatchTiming(1, 4.0, 5.0)]}
    reached = [Reached("arm", name, 100, 0.995, 12.3) for name in REACHING]
    reached[-1] = Reached("arm", reached[-1].contender, note="it is not here")
    return page.text(robots, [report(times, 5), report(times, 20)], batches, {"LWR 4": reached})


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
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert "make bench" in text
    assert (ROOT / "docs" / "benchmarks.svg").is_file()
    assert "](benchmarks.svg)" in text
