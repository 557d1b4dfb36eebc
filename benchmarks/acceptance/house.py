"""How the house is: long files, files to touch when something is added, and the time CI takes.

Tests add a solver, a kernel and a joint type, each in as many files as is said. $CI_LOG is what `.ci/run` printed.
"""

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import run

from acceptance import ROOT, verdict

SOURCE = ROOT / "src" / "motionc"
LONG = 350
ADDED = {
    "a solver: 2 source files": "tests/unit/computations/test_added_solver.py",
    "a kernel: 2 rooms": "tests/unit/targets/test_added_kernel.py",
    "a joint type: 1 file": "tests/unit/model/test_new_joint_type.py",
}
"""What is added in how many, and the tests that do it."""
CI_SECONDS = 900


def said(path: Path) -> str:
    """The first words of a file."""
    return ast.get_docstring(ast.parse(path.read_bytes())) or ""


def figures() -> Iterator[str]:
    """A line a figure."""
    files = sorted(SOURCE.rglob("*.py"))
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    above = [path for path in files if lengths[path] > LONG]
    silent = [path for path in above if not re.search(r"\blong(er|est)?\b", said(path))]
    yield f"  {len(above)} files above {LONG} lines; no word why: wanted 0, are {len(silent)} {verdict(not silent)}"
    yield from (f"    {path.relative_to(SOURCE)}: {lengths[path]}" for path in silent)
    for what, tests in ADDED.items():
        done = run([sys.executable, "-m", "pytest", "-q", "-n", "0", tests], cwd=ROOT, capture_output=True, text=True)
        said = done.stdout.strip().splitlines()[-1:]
        yield f"  {what}: {' '.join(said)} {verdict(not done.returncode)}"
    log = Path(os.environ.get("CI_LOG", ""))
    if not log.is_file():
        yield "  not measured: .ci/run, since $CI_LOG is no file"
        return
    seconds = [int(found) for found in re.findall(r"^=== all: (\d+) s", log.read_text(encoding="utf-8"), re.M)]
    took = seconds[-1] if seconds else float("inf")
    yield f"  .ci/run: wanted ≤ {CI_SECONDS} s, took {took} {verdict(took <= CI_SECONDS)}"
