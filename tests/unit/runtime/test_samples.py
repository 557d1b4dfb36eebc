"""States that emitted code checks itself on: far from where single precision has no digits left."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from motionc.runtime.build import compiler
from motionc.runtime.samples import WELL, trials
from tiers import needs_compiler

ROWS = {"iiwa": "flange", "lwr4": "link_7"}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_far_from_depending_on_each_other(name: str) -> None:
    asked = mc.constrained_dynamics(mc.load(name), [mc.Constraint(ROWS[name], "rx ry rz x y z")])
    (which,) = [k for k, port in enumerate(asked.outputs) if port.name == "conditioning"]
    every = trials(asked.program)
    assert len({trial.inputs for trial in every}) == 3
    assert all(np.max(trial.outputs[which]) <= WELL for trial in every)


@needs_compiler
def test_single_precision_passes_its_own_test(tmp_path: Path) -> None:
    rows = [mc.Constraint("flange", "rx ry rz x y z")]
    mc.constrained_dynamics(mc.load("iiwa"), rows, precision="single").emit("c", tmp_path, "held")
    tool = compiler.find_compiler()
    assert tool
    command = [*tool.command, "-std=gnu99", "-O1", "-DSELF_TEST", "held.c", "-o", "held", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([str(tmp_path / "held")], check=True)
