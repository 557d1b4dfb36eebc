"""Does the test of a row fail where the feature behind the row is broken? One break a row, in a copy of the package.

breaks.toml says for every marked row which text of which file is replaced by which other; a text that is no longer
there once is refused. MOTIONC_DRAW=1 breaks forty rows drawn by that seed, MOTIONC_ROWS="itasc 2" that one alone.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from acceptance import ROOT, verdict
from motionc.errors import Error

BREAKS = Path(__file__).with_name("breaks.toml")
DRAWN = 40
SEVERAL = max(1, (os.cpu_count() or 1) // 2)
MARKED = """
import json, sys
import pytest

class Marked:
    def pytest_collection_finish(self, session):
        rows = {}
        for item in session.items:
            for mark in item.iter_markers("row"):
                for number in mark.args[1:]:
                    rows.setdefault(f"{mark.args[0]} {number}", {})[item.nodeid.split("[")[0]] = None
        json.dump({row: list(tests) for row, tests in rows.items()}, open(sys.argv[1], "w"))

sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "-m", "row", "tests"], plugins=[Marked()]))
"""


@dataclass(frozen=True, slots=True)
class Break:
    """What is replaced by what; and which of a row's tests are asked, all where none is named."""

    file: str
    old: str
    new: str
    by: tuple[str, ...] = ()

    def broken(self, package: Path) -> str:
        """The text of the file, broken."""
        path = package / self.file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text.count(self.old) != 1:
            raise Error(f"{self.file} has {self.old.strip()[:50]!r} {text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)


def breaks() -> dict[str, Break]:
    """Row → its break."""
    found: dict[str, Break] = {}
    for entry in tomllib.loads(BREAKS.read_text(encoding="utf-8"))["break"]:
        rows, by = entry.pop("rows"), tuple(entry.pop("by", ()))
        for row in rows:
            if row in found:
                raise Error(f"{BREAKS.name} breaks {row} twice")
            found[row] = Break(**entry, by=by)
    return found


def marked() -> dict[str, list[str]]:
    """Row → the tests that claim to prove it."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "rows.json")
        done = subprocess.run(
            [sys.executable, "-c", MARKED, str(listed)], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Error(f"the tests cannot be collected: {done.stdout[-500:]}")
        return json.loads(listed.read_text(encoding="utf-8"))


def survives(row: str, broken: Break, tests: list[str]) -> str:
    """What a row's tests say of the broken package: "" where one of them fails, as it should."""
    asked = [test for test in tests if not broken.by or any(name.partition("[")[0] in test for name in broken.by)]
    chosen = {name.partition("[")[0]: name[name.find("[") :] for name in broken.by if "[" in name}
    asked = [test + next((which for name, which in chosen.items() if name in test), "") for test in asked]
    if not asked:
        return f"none of its tests is called {' or '.join(broken.by)}"
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "src", "motionc")
        shutil.copytree(ROOT / "src" / "motionc", package, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            (package / broken.file).write_text(broken.broken(package), encoding="utf-8")
        except Error as error:
            return str(error)
        paths = [str(package.parent), str(ROOT / "tests" / "support"), str(ROOT / "benchmarks")]
        environment = os.environ | {"MOTIONC_CACHE": f"{folder}/cache", "PYTHONPATH": os.pathsep.join(paths)}
        options = ["-x", "-q", "-p", "no:cacheprovider", "-o", f"pythonpath={' '.join(paths)}"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *asked],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode == pytest_failed(done.stdout):
        return ""
    return "its tests pass" if done.returncode == 0 else f"pytest ends with {done.returncode}: {done.stdout[-200:]}"


def pytest_failed(said: str) -> int:
    """The status of a run in which tests failed; one in which nothing could be collected is none."""
    return -1 if "error during collection" in said or "errors during collection" in said else 1


def figures() -> Iterator[str]:
    """Every row, or those drawn."""
    table, claims = breaks(), marked()
    yield f"  rows with marked tests: {len(claims)}; with a break: {len(table)} {verdict(set(table) == set(claims))}"
    for row in sorted(set(table) ^ set(claims)):
        yield f"  {row}: {'no test is marked with it' if row in table else 'no break is written down'} {verdict(False)}"
    rows, seed = sorted(set(table) & set(claims)), os.environ.get("MOTIONC_DRAW", "")
    if only := os.environ.get("MOTIONC_ROWS"):
        rows = [row for row in rows if row in only.split(",")]
    if seed:
        rows = sorted(random.Random(int(seed)).sample(rows, min(DRAWN, len(rows))))
        yield f"  drawn with seed {seed}: {', '.join(rows)}"
    alive = 0
    with ThreadPoolExecutor(SEVERAL) as pool:
        for row, said in zip(rows, pool.map(lambda row: survives(row, table[row], claims[row]), rows), strict=True):
            alive += bool(said)
            if said:
                yield f"  {row}, {table[row].file} broken: {said} {verdict(False)}"
    yield f"  broken: {len(rows)} rows; whose tests still pass, wanted 0: {alive} {verdict(not alive)}"
