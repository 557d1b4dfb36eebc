"""What is kept for one version of the code is never taken for another's, even where files change under a process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import motionc as mc
from motionc.runtime.build.compiler import find_compiler

FORCES = """
import sys
import motionc as mc
robot, ask = mc.load("planar2"), mc.gravity_forces  # names come with their code when they are asked for
print("loaded", flush=True)
sys.stdin.readline()
g = ask(robot, gravity=(0.0, -1.0, 0.0))
from motionc.runtime.build import cache
print(*(round(float(x), 9) for x in g([0.1, 0.2])), *(round(float(x), 9) for x in g.batch([[0.1, 0.2]] * 9)[4]))
suffixes = [entry.suffix for entry in cache.entries()]
print(suffixes.count(".so"), suffixes.count(".text"), "_traced" in vars(g.solver))
"""

TURNED = """
_values = joint_values


def joint_values(*asked):
    values = _values(*asked)
    return values if values is None else -values
"""
"""An upgrade that changes every force."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, to be edited, with its bytecode."""
    if find_compiler() is None:
        pytest.skip("nothing is kept without a compiler")
    return shutil.copytree(Path(mc.__file__).parent, tmp_path / "site" / "motionc")


class Process:
    """Another Python that has loaded the package, and computes when it is told to."""

    def __init__(self, package: Path) -> None:
        environment = os.environ | {
            "PYTHONPATH": str(package.parent),
            "MOTIONC_CACHE": str(package.parents[1] / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command, pipe = [sys.executable, "-c", FORCES], subprocess.PIPE
        self._running = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        assert self._running.stdout is not None
        assert self._running.stdout.readline() == "loaded\n"

    def forces(self) -> tuple[list[float], str]:
        """By a call, then in a batch; and how many libraries (one of them is of all batches) and notes are kept, and
        whether it had to trace.
        """
        said, _ = self._running.communicate("\n", timeout=120)
        assert self._running.returncode == 0
        values, kept = said.splitlines()
        return [float(word) for word in values.split()], kept


def edit(file: Path, more: str) -> None:
    """Replaced as an installer does it: another file in the same place."""
    fresh = file.with_suffix(".new")
    fresh.write_text(file.read_text() + more)
    os.replace(fresh, file)


def test_an_upgrade_under_a_running_process_spoils_nobodys_answers(package: Path) -> None:
    old = Process(package)
    edit(package / "sweeps" / "state.py", TURNED)
    before, kept = old.forces()
    assert before[:2] == before[2:] != [0.0, 0.0]
    assert kept == "3 0 True"  # what was loaded is not what is there: nothing is noted
    after, kept = Process(package).forces()
    assert after == [-value for value in before]
    assert kept == "5 2 True"
    assert Process(package).forces() == (after, "5 2 False")


def test_an_edited_solver_gets_new_code_and_a_comment_none(package: Path) -> None:
    first, kept = Process(package).forces()
    assert kept == "3 2 True"
    edit(package / "sweeps" / "state.py", "\n# a comment\n")
    assert Process(package).forces() == (first, "3 4 True")  # traced again, compiled not
    edit(package / "sweeps" / "state.py", TURNED)
    assert Process(package).forces() == ([-value for value in first], "5 6 True")
