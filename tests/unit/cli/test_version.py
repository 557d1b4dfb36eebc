"""The command line as a module, its version, and what it does without a compiler."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc import benchmark
from motionc.benchmark import report
from motionc.cli.main import app
from motionc.runtime.build.compiler import find_compiler


def test_the_version_is_said_and_the_package_runs_as_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "motionc", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"motionc {mc.__version__}\n"


def test_without_a_compiler_less_is_measured_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_COMPILER", "none")
    monkeypatch.setattr(report, "STATES", 4)
    find_compiler.cache_clear()
    try:
        measured = benchmark.timed(mc.load("planar2"), states=4)
        said = CliRunner().invoke(app, ["bench", "planar2", "--rounds", "300"])
    finally:
        find_compiler.cache_clear()
    assert measured.rounds == report.INTERPRETED_ROUNDS == 3
    assert "3 rounds instead of 300" in measured.note
    assert said.exit_code == 0
    assert "3 rounds instead of 300" in said.output
    notes = {timing.contender: timing.note for timing in measured.timings}
    assert notes[f"motionc, batch of {benchmark.report.ours.BATCH}"].startswith("without a compiler")
