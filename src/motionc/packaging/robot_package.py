"""A whole robot as source code: transforms, Jacobians and dynamics as classes, out of the programs of its solvers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from motionc import checked
from motionc.computations import (
    bias_forces,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
    mass_matrix_factor,
    mass_matrix_inverse,
    path_jacobian,
    transform,
)
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.plain import plain
from motionc.program import Program
from motionc.program.compose import joined, only, split
from motionc.program.port import Precision
from motionc.runtime.computation import Computation
from motionc.runtime.provenance import asked_of, with_provenance, write_emitted
from motionc.runtime.samples import trials
from motionc.solvers.constraint import Force
from motionc.solvers.steps.path import path_columns
from motionc.sweeps.parameters import ten_of
from motionc.sweeps.problem import STANDARD_GRAVITY
from motionc.targets import cpp_robot
from motionc.targets.cpp_package import REPRESENTATIONS, Between, Dynamics, Package

Pairs = Sequence[tuple[str, str]]


def emit_robot(
    robot: Robot,
    folder: str | Path,
    *,
    transforms: Pairs = (),
    jacobians: Pairs = (),
    dynamics: bool = True,
    precision: Precision = "double",
    prefix: str = "",
    force: bool = False,
) -> list[Path]:
    """Write a robot as a C++ package: headers in include/<robot>/, a self-test, a CMakeLists.txt (docs/guide/cpp.md).

    Args:
        robot: the robot.
        folder: where to.
        transforms: (base, target) frames of base_X_target; every child_X_parent is there anyway.
        jacobians: (base, target) frames of base_J_target.
        dynamics: whether inertia properties, inverse and forward dynamics and the mass matrix are wanted.
        precision: "double", or "single" for float.
        prefix: the name of the package and its namespace; the robot's by default.
        force: whether files are written over that answer another question, or are nobody's.
    """
    checked.instance("emit_robot: robot", robot, Robot, "load one: mc.load(…)")
    place = checked.path("emit_robot: folder", folder, "give a folder")
    for option, value in (("dynamics", dynamics), ("force", force)):
        checked.flag(f"emit_robot: {option}", value)
    checked.one_of("emit_robot: precision", precision, get_args(Precision))
    checked.name("emit_robot: prefix", prefix, "give the package's name", empty=True)
    if not robot.nv:
        raise Error(f"{robot.name} has no movable joint; there is nothing to generate for it")
    pairs = list(dict.fromkeys([*_mandatory(robot), *_checked(robot, "transforms", transforms)]))
    asked = list(dict.fromkeys(_checked(robot, "jacobians", jacobians)))
    between = [Between(base, target, _transform(robot, base, target)) for base, target in pairs]
    jacobian = [
        Between(base, target, {"J": path_jacobian(robot, base, target).program}, path_columns(robot, base, target))
        for base, target in asked
    ]
    closed = [pair.programs[kind] for pair in between for kind in REPRESENTATIONS]
    closed += [pair.programs["J"] for pair in jacobian]
    if dynamics:
        closed += [made.program for made in _computations(robot, ())]
    whole = joined("robot", closed)
    package = Package(
        prefix or robot.name,
        precision,
        {name: (robot.q_index[name].start, robot.v_index[name].start) for name in robot.v_index},
        [float(value) for value in robot.neutral()],
        robot.nv,
        _moving(robot),
        tuple(between),
        tuple(jacobian),
        _dynamics(robot) if dynamics else None,
        whole,
        trials(whole),
    )
    said = {"transforms": pairs, "jacobians": asked, "dynamics": dynamics, "precision": precision}
    arguments = {name: plain(value) for name, value in said.items()}
    about = {**asked_of(robot, "emit_robot", "emit_robot", arguments), "gravity": list(STANDARD_GRAVITY)}
    files = with_provenance(cpp_robot.files(package), about)
    return write_emitted({place / file: text for file, text in files.items()}, force=force)


# ---------------------------------------------------------------- frames


def _mandatory(robot: Robot) -> list[tuple[str, str]]:
    """child_X_parent of all joints that move."""
    named = {joint.name for joint in robot.joints}
    root = [(robot.segments[0].name, "world")] if any(name not in named for name in robot.v_index) else []
    moving = [joint for joint in robot.joints if joint.name in robot.v_index or joint.name in robot.followers]
    return [*root, *((joint.child.name, joint.parent.name) for joint in moving)]


def _checked(robot: Robot, what: str, pairs: Pairs) -> list[tuple[str, str]]:
    found = list[tuple[str, str]]()
    wanted = f"give pairs (wrt, frame), such as {robot.link_names[:2]}"
    for pair in checked.several(what, pairs, wanted):
        if isinstance(pair, str) or len(names := checked.names(what, pair, wanted)) != 2:
            raise checked.refusal(f"{what}: a pair", pair, wanted)
        found.append((names[0], names[1]))
    return found


def _transform(robot: Robot, base: str, target: str) -> dict[str, Program]:
    program = transform(robot, base, target, outputs=list(REPRESENTATIONS)).program
    return {kind: only(program, [k], "transform") for k, kind in enumerate(REPRESENTATIONS)}


def _moving(robot: Robot) -> tuple[str, ...]:
    return tuple(name for name in robot.link_names if robot.mechanism.frames[name][0] >= 0)


# ---------------------------------------------------------------- dynamics


def _computations(robot: Robot, inertials: Sequence[str]) -> list[Computation]:
    """id, id with forces, G, C, fd, fd with forces, M, L and the inverse of M; gravity is open where inertias are."""
    weighed = [*inertials, *(["gravity"] if inertials else [])]
    forces = [Force(link, as_seen_by=link) for link in _moving(robot)]
    return [
        inverse_dynamics(robot, parameters=weighed),
        inverse_dynamics(robot, parameters=weighed, external_forces=forces),
        gravity_forces(robot, parameters=weighed),
        bias_forces(robot, parameters=inertials, gravity=(0.0, 0.0, 0.0)),
        forward_dynamics(robot, parameters=weighed),
        forward_dynamics(robot, parameters=weighed, external_forces=forces),
        mass_matrix(robot, parameters=inertials),
        mass_matrix_factor(robot, parameters=inertials),
        mass_matrix_inverse(robot, parameters=inertials),
    ]


def _dynamics(robot: Robot) -> Dynamics:
    """Everything with all inertias and gravity open, then stage by stage: inertias, q, the rest."""
    links = _moving(robot)
    inertials = [f"{link}.inertial" for link in links]
    whole = joined("dynamics", [made.program for made in _computations(robot, inertials)])
    inertia, rest = split(whole, inertials, "inertia")
    inverse, forward = only(rest, range(4), "inverse_dynamics"), only(rest, range(4, 6), "forward_dynamics")
    tens = {link.name: tuple(map(float, ten_of(link))) for link in robot.links if link.name in links}
    return Dynamics(
        tens,
        replace(inertia, equation="what dynamics need of mass, centre of mass and tensor of each link"),
        split(inverse, _early(inverse, "q")),
        split(forward, _early(forward, "inertia", "q")),
        (
            only(rest, [6], "H", "H(q)"),
            only(rest, [6, 7], "H_L", "H(q), and L lower triangular, L^T L = H"),
            only(rest, [6, 8], "H_inverse", "H(q) and its inverse"),
        ),
        STANDARD_GRAVITY,
    )


def _early(program: Program, *names: str) -> list[str]:
    return [port.name for port in program.inputs if port.name in names]
