"""One program, all languages, the same numbers: every public computation on six kinds of robots, in every target."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from all_joints import Kind, Moving
from languages import RUNNERS, Job, Runner, difference
from motionc import runtime
from motionc.runtime.trials import trials
from motionc.sweeps.inverse_solvers import inverse_kinematics_step
from motionc.targets import TARGETS
from mutants import tree
from rows import row

ROBOTS: dict[str, Callable[[], mc.Robot]] = {
    "serial": lambda: mc.load("planar3"),
    "prismatic": lambda: mc.load("hyl"),
    "branched": lambda: tree(floating=False),
    "floating": lambda: tree(floating=True),
    "mimic": lambda: tree(floating=False, coupled=True),
    "spherical": lambda: Moving(4, [Kind.SPHERICAL, Kind.PLANAR, Kind.HELICAL]).robot,
}
"""Small ones of each kind; `make agreement` takes large ones."""


def catalogue(robot: mc.Robot) -> dict[str, runtime.Computation]:
    """Every public computation, asked what has one answer on any robot."""
    tip, joint = robot.link_names[-1], robot.joint_names[-1]
    row = mc.Constraint(tip, "x")
    forward = mc.forward_dynamics(robot, external_forces=[tip])
    target = mc.Target(tip, "x y")
    lower, upper = np.full(robot.nq, -10.0), np.full(robot.nq, 10.0)
    return {
        "forward_kinematics": mc.forward_kinematics(robot, frames=[tip, "world"]),
        "jacobian": mc.jacobian(robot, tip, point=(0.1, 0, 0.2), as_seen_by=tip),
        "jacobian_rate": mc.jacobian_rate(robot, tip),
        "frame_motion": mc.frame_motion(robot, [tip]),
        "inverse_velocity": mc.inverse_velocity(robot, tip, rows="x"),
        "inverse_kinematics": runtime.Computation(
            inverse_kinematics_step(robot, [target], lower=lower, upper=upper, posture=True)
        ),
        "inverse_dynamics": mc.inverse_dynamics(robot),
        "bias_forces": mc.bias_forces(robot),
        "gravity_forces": mc.gravity_forces(robot),
        "forward_dynamics": forward,
        "hybrid_dynamics": mc.hybrid_dynamics(robot, [joint]),
        "constrained_dynamics": mc.constrained_dynamics(robot, [row]),
        "within_limits": mc.constrained_dynamics(robot, [row], limits={joint: 0.5}),
        "operational_space": mc.operational_space(robot, row),
        "impact": mc.impact(robot, [replace(row, source="contact")]),
        "mass_matrix": mc.mass_matrix(robot),
        "mass_matrix_inverse": mc.mass_matrix_inverse(robot),
        "mass_matrix_solve": mc.mass_matrix_solve(robot),
        "mass_matrix_factor": mc.mass_matrix_factor(robot),
        "center_of_mass": mc.center_of_mass(robot),
        "centroidal_momentum": mc.centroidal_momentum(robot),
        "energy": mc.energy(robot),
        "regressor": mc.regressor(robot),
        "derivative": mc.forward_dynamics(robot).derivative("a", ["q", "v"]),
    }


@cache
def jobs(kind: str) -> list[Job]:
    robot = ROBOTS[kind]()
    return [Job(f"r_{name}", made, trials(robot, made.program, 4)) for name, made in catalogue(robot).items()]


def ids(runner: Runner) -> str:
    return f"{runner.target} {runner.tool or 'here'}"


@row("robcogen", 36, 37)
@pytest.mark.numbers
@pytest.mark.parametrize("kind", ROBOTS)
@pytest.mark.parametrize("runner", RUNNERS, ids=ids)
def test_every_language_gives_the_same_numbers(runner: Runner, kind: str, tmp_path: Path) -> None:
    if not runner.present:
        pytest.skip(f"{runner.tool} is not on this machine; make tools installs it")
    asked = jobs(kind)
    for job in asked:
        job.computation.emit(runner.target, tmp_path, job.name)
    outputs = runner.run(tmp_path, asked)
    asked = [replace(job, trials=job.trials[: len(found[0])]) for job, found in zip(asked, outputs, strict=True)]
    errors = difference(asked, outputs)
    assert {name: error for name, error in errors.items() if not error <= 1e-12} == {}


def test_every_target_is_run_and_every_public_computation_asked() -> None:
    assert {runner.target for runner in RUNNERS} == set(TARGETS)
    made = {name for name in runtime.__all__ if name[0].islower()} - {"solve"}
    assert made <= set(catalogue(mc.load("planar3")))


EMIT = """
import sys
import motionc as mc
from motionc.targets import TARGETS
row = mc.Constraint("tip", "x y")
for target in TARGETS:
    mc.constrained_dynamics(mc.load("planar3"), [row], limits={"joint_2": 1.0}).emit(target, f"{sys.argv[1]}/{target}")
"""


@row("robcogen", 39)
def test_emitting_twice_and_in_another_process_is_byte_identical(tmp_path: Path) -> None:
    for folder, seed in (("one", "0"), ("two", "123")):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", EMIT, str(tmp_path / folder)], env=environment, check=True)
    first, second = (
        {path.relative_to(tmp_path / folder): path.read_bytes() for path in (tmp_path / folder).rglob("*.*")}
        for folder in ("one", "two")
    )
    assert first == second
    assert len(first) >= len(TARGETS)
