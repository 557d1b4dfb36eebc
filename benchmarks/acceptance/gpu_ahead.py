"""States a second on an H200, as `benchmarks/gpu.py` has measured them into docs/guide/gpu.json, and whether of the
programs that there are today.
"""

import json
from collections.abc import Iterator
from typing import Any

import gpu
from acceptance import ROOT, verdict
from motionc import Error

FIGURES = ROOT / "docs" / "guide" / "gpu.json"
BARS = {
    ("forward dynamics", "single"): 22e9,
    ("constrained, 6 rows", "single"): 8e9,
    ("ANYmal C, forward dynamics", "double"): 2e9,
}
"""States a second."""
TOLD = [
    (f"Talos, {kind} dynamics", precision)
    for kind in ("inverse", "forward", "∂ inverse", "∂ forward")
    for precision in ("single", "double")
]
"""What is measured and has no bar."""
PATIENCE, LONGER = 20.0, 60.0
"""How long a first call may take, with all that is compiled for it, and one of derivatives (s)."""


def figures() -> Iterator[str]:
    if not FIGURES.is_file():
        raise Error(f"{FIGURES.name} is not there: python benchmarks/gpu.py gpu docs/guide, on a GPU")
    rows = {(row["computation"], row["precision"]): row for row in json.loads(FIGURES.read_text(encoding="utf-8"))}
    asked = {name: (kind, robot) for name, kind, robot, _ in gpu.cases()}
    for key, bar in BARS.items():
        name = ", ".join(key)
        if key not in rows:
            yield f"  {name}: not measured (at least {bar:.3g}) {verdict(False)}"
            continue
        rate = rows[key]["per_second"]
        yield f"  {name}: {rate:.3g} states a second (at least {bar:.3g}; {_fits(rows[key])}) {verdict(rate >= bar)}"
        yield from _earlier(name, rows[key], asked)
    for key in TOLD:
        name, row = ", ".join(key), rows.get(key)
        if row is None:
            yield f"  {name}: not measured {verdict(False)}"
            continue
        first, most = row["first_call_seconds"], LONGER if "∂" in name else PATIENCE
        told = f"{row['per_second']:.3g} states a second ({_fits(row)}), error {row['error']:.0e}"
        yield f"  {name}: {told}, first call {first:.1f} s (at most {most:g}) {verdict(first <= most)}"
        yield from _earlier(name, row, asked)


def _earlier(name: str, row: dict[str, Any], asked: dict[str, tuple[str, Any]]) -> Iterator[str]:
    """A line where a row was not measured with the program that there is now."""
    if row["computation"] not in asked:
        yield f"  {name}: its robot is not here, so that its program is not compared"
        return
    kind, robot = asked[row["computation"]]
    then, now = row["operations_per_state"], sum(gpu.computation(kind, row["precision"], robot).operations.values())
    if then != now:
        yield f"  {name}: of an earlier program, {then:,} operations where there are {now:,} {verdict(False)}"


def _fits(row: dict[str, float]) -> str:
    return f"{row['registers']} registers, {row['spilled_bytes']} bytes spilled"
