"""Every public computation on a robot, and the question whether a language gives the same numbers."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from languages import Job, Runner, difference
from motionc.computations.making import made_of
from motionc.runtime import Computation
from motionc.runtime.samples import trials
from motionc.solvers.inverse_kinematics import InverseKinematicsStep


def catalogue(robot: mc.Robot) -> dict[str, Computation]:
    """Every public computation."""
    return {name: make() for name, make in recipes(robot).items()}


def recipes(robot: mc.Robot) -> dict[str, Callable[[], Computation]]:
    """How each public computation is asked what has one answer on any robot."""
    tip, joint = robot.link_names[-1], robot.joint_names[-1]
    row = mc.Constraint(tip, "x")
    target = mc.Target(tip, "x y")
    lower, upper = np.full(robot.nq, -10.0), np.full(robot.nq, 10.0)
    # no sweep knows it where directions of a joint change with q
    constant = all(body.joint.type.constant for body in robot.mechanism.bodies)
    return {
        **({"coriolis_matrix": lambda: mc.coriolis_matrix(robot)} if constant else {}),
        "forward_kinematics": lambda: mc.forward_kinematics(robot, frames=[tip, "world"]),
        "jacobian": lambda: mc.jacobian(robot, tip, point=(0.1, 0, 0.2), as_seen_by=tip),
        "transform": lambda: mc.transform(robot, "world", tip),
        "path_jacobian": lambda: mc.path_jacobian(robot, "world", tip),
        "jacobian_rate": lambda: mc.jacobian_rate(robot, tip),
        "frame_motion": lambda: mc.frame_motion(robot, [tip]),
        "inverse_velocity": lambda: mc.inverse_velocity(robot, tip, rows="x"),
        "inverse_kinematics": lambda: made_of(
            robot, InverseKinematicsStep([target], lower=lower, upper=upper, posture=True)
        ),
        "inverse_dynamics": lambda: mc.inverse_dynamics(robot),
        "bias_forces": lambda: mc.bias_forces(robot),
        "gravity_forces": lambda: mc.gravity_forces(robot),
        "forward_dynamics": lambda: mc.forward_dynamics(robot, external_forces=[mc.Force(tip, as_seen_by=tip)]),
        "hybrid_dynamics": lambda: mc.hybrid_dynamics(robot, [joint]),
        "constrained_dynamics": lambda: mc.constrained_dynamics(robot, [row]),
        "within_limits": lambda: mc.constrained_dynamics(robot, [row], limits={joint: 0.5}),
        "operational_space": lambda: mc.operational_space(robot, row),
        "impact": lambda: mc.impact(robot, [replace(row, source="contact")]),
        "mass_matrix": lambda: mc.mass_matrix(robot),
        "packed": lambda: mc.mass_matrix(robot, packed=True),
        "mass_matrix_inverse": lambda: mc.mass_matrix_inverse(robot),
        "mass_matrix_solve": lambda: mc.mass_matrix_solve(robot),
        "mass_matrix_factor": lambda: mc.mass_matrix_factor(robot),
        "center_of_mass": lambda: mc.center_of_mass(robot, outputs=["com", "bias"]),
        "centroidal_momentum": lambda: mc.centroidal_momentum(robot),
        "energy": lambda: mc.energy(robot),
        "regressor": lambda: mc.regressor(robot),
        "integrate": lambda: mc.integrate(robot),
        "difference": lambda: mc.difference(robot),
        "interpolate": lambda: mc.interpolate(robot),
        "step": lambda: mc.step(robot, 0.01),
        "derivative": lambda: mc.forward_dynamics(robot).derivative("a", ["q", "v"]),
    }


def asked_of(robot: mc.Robot) -> list[Job]:
    return [Job(f"r_{name}", made, trials(made.program, 4)) for name, made in catalogue(robot).items()]


def agree(runner: Runner, asked: list[Job], folder: Path) -> None:
    if not runner.present:
        pytest.skip(f"{runner.tool} is not on this machine; make tools installs it")
    for job in asked:
        job.computation.emit(runner.target, folder, job.name)
    outputs = runner.run(folder, asked)
    asked = [replace(job, trials=job.trials[: len(found[0])]) for job, found in zip(asked, outputs, strict=True)]
    errors = difference(asked, outputs)
    assert {name: error for name, error in errors.items() if not error <= 1e-12} == {}
