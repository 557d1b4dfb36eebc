"""Every public computation on a robot, and the question whether a language gives the same numbers."""

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
    """Every public computation, asked what has one answer on any robot."""
    tip, joint = robot.link_names[-1], robot.joint_names[-1]
    row = mc.Constraint(tip, "x")
    forward = mc.forward_dynamics(robot, external_forces=[mc.Force(tip, as_seen_by=tip)])
    target = mc.Target(tip, "x y")
    lower, upper = np.full(robot.nq, -10.0), np.full(robot.nq, 10.0)
    # no sweep knows it where directions of a joint change with q
    constant = all(body.joint.type.constant for body in robot.mechanism.bodies)
    return {
        **({"coriolis_matrix": mc.coriolis_matrix(robot)} if constant else {}),
        "forward_kinematics": mc.forward_kinematics(robot, frames=[tip, "world"]),
        "jacobian": mc.jacobian(robot, tip, point=(0.1, 0, 0.2), as_seen_by=tip),
        "transform": mc.transform(robot, "world", tip),
        "path_jacobian": mc.path_jacobian(robot, "world", tip),
        "jacobian_rate": mc.jacobian_rate(robot, tip),
        "frame_motion": mc.frame_motion(robot, [tip]),
        "inverse_velocity": mc.inverse_velocity(robot, tip, rows="x"),
        "inverse_kinematics": made_of(robot, InverseKinematicsStep([target], lower=lower, upper=upper, posture=True)),
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
        "center_of_mass": mc.center_of_mass(robot, outputs=["com", "bias"]),
        "centroidal_momentum": mc.centroidal_momentum(robot),
        "energy": mc.energy(robot),
        "regressor": mc.regressor(robot),
        "integrate": mc.integrate(robot),
        "difference": mc.difference(robot),
        "interpolate": mc.interpolate(robot),
        "step": mc.step(robot, 0.01),
        "derivative": mc.forward_dynamics(robot).derivative("a", ["q", "v"]),
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
