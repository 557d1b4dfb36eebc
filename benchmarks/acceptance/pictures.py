"""Pictures: how long they take in CPU time, from a bare start too, how large files are, and that bytes repeat."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import motionc as mc
from acceptance import ROOT, verdict

PICTURE, FIRST, KILOBYTES = 4.0, 10.0, 25.0
"""Seconds of a picture of 900 × 600, and of the first one after installation; size of a picture in the docs."""
ROBOTS = ("humanoid", "panda", "hyq")
ONE = "import sys, motionc as mc; r = mc.load(sys.argv[1]); mc.view.picture(r, r.neutral(), sys.argv[2])"


def figures() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ROBOTS:
            yield _time(name, Path(folder))
        yield _first(Path(folder))
        yield _bytes(Path(folder))
    yield _docs()


def _time(name: str, folder: Path) -> str:
    robot = mc.load(name)
    begun = time.process_time()
    file = mc.view.picture(robot, robot.neutral(), folder / f"{name}.png")
    took = time.process_time() - begun
    size = file.stat().st_size / 1000
    return f"{name}: 900 × 600 in {took:.1f} s of CPU time (≤ {PICTURE:g}), {size:.0f} kB {verdict(took <= PICTURE)}"


def _first(folder: Path) -> str:
    """A new process with nothing built before, import and loading included."""
    took = _run(folder / "first.png", MOTIONC_CACHE=str(folder / "cache"))
    return f"hyq: first picture of a new process, nothing built, {took:.1f} s (≤ {FIRST:g}) {verdict(took <= FIRST)}"


def _bytes(folder: Path) -> str:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    wide = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    _run(folder / "again.png")
    _run(folder / "narrow.png", NPY_DISABLE_CPU_FEATURES=" ".join(wide))
    kept = {(folder / f"{name}.png").read_bytes() for name in ("first", "again", "narrow")}
    return f"hyq: the same bytes in three processes, one without {', '.join(wide)} {verdict(len(kept) == 1)}"


def _run(file: Path, **settings: str) -> float:
    """CPU seconds of a process that draws HyQ, and of what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    subprocess.run([sys.executable, "-c", ONE, "hyq", str(file)], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _docs() -> str:
    files = [ROOT / "docs" / "pictures" / f"{entry.name}.png" for entry in mc.robots()]
    there = [file for file in files if file.exists()]
    largest = max(file.stat().st_size / 1000 for file in there)
    holds = there == files and largest <= KILOBYTES
    return (
        f"{len(there)} of {len(files)} robots have a picture in the docs, of at most {largest:.1f} kB {verdict(holds)}"
    )
