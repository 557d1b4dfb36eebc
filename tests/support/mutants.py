"""Every way to get a frame wrong, one at a time: mutants of the solver files, and the check reading that meets them."""

import ast
import importlib
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

import motionc
import motionc.sweeps as sweeps_room
from motionc.errors import Error
from motionc.model import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Link,
    Mimic,
    Robot,
    Role,
    Segment,
    Transmission,
    placed,
)
from motionc.solvers import dynamics_solvers as solvers
from motionc.solvers import inverse_solvers, kinematic_solvers, mass_solvers, row_solvers
from motionc.solvers.constraint import Constraint, Force, JointConstraint
from motionc.solvers.target import Target
from motionc.sweeps import Schedule
from motionc.sweeps.solver import Solver

# in the order in which they import each other
FILES = (
    "sweeps.representation",
    "solvers.steps.motion",
    "solvers.steps.wrenches",
    "solvers.inverse_dynamics",
    "solvers.forward_dynamics",
    "solvers.mass_matrix",
    "solvers.coupled_dynamics",
    "solvers.hybrid_dynamics",
    "solvers.partitioned_dynamics",
    "solvers.steps.rows",
    "solvers.steps.posture",
    "solvers.constrained_dynamics",
    "solvers.coupled_constrained_dynamics",
    "solvers.limits",
    "solvers.innovations",
    "solvers.center_of_mass",
    "solvers.centroidal_momentum",
    "solvers.energy",
    "solvers.jacobian",
    "solvers.frame_motion",
    "solvers.jacobian_rate",
    "solvers.inverse_velocity",
    "solvers.inverse_kinematics",
    "solvers.operational_space",
    "solvers.coupled_operational_space",
    "solvers.impact",
    "solvers.coupled_impact",
)
SCHEDULES = {
    "solvers.inverse_dynamics": "INVERSE_DYNAMICS",
    "solvers.forward_dynamics": "FORWARD_DYNAMICS",
    "solvers.coupled_dynamics": "COUPLED_DYNAMICS",
    "solvers.constrained_dynamics": "CONSTRAINED_DYNAMICS",
    "solvers.coupled_constrained_dynamics": "COUPLED_CONSTRAINED_DYNAMICS",
    "solvers.hybrid_dynamics": "HYBRID_DYNAMICS",
    "solvers.partitioned_dynamics": "PARTITIONED_DYNAMICS",
    "solvers.innovations": "INNOVATIONS",
    "solvers.center_of_mass": "CENTER_OF_MASS",
    "solvers.centroidal_momentum": "CENTROIDAL_MOMENTUM",
    "solvers.energy": "ENERGY",
    "solvers.jacobian": "JACOBIAN",
    "solvers.frame_motion": "FRAME_MOTION",
    "solvers.jacobian_rate": "JACOBIAN_RATE",
    "solvers.inverse_velocity": "INVERSE_VELOCITY",
    "solvers.inverse_kinematics": "INVERSE_KINEMATICS",
    "solvers.mass_matrix": "MASS_MATRIX_INVERSE",
    "solvers.operational_space": "OPERATIONAL_SPACE",
    "solvers.coupled_operational_space": "COUPLED_OPERATIONAL_SPACE",
    "solvers.impact": "IMPACT",
    "solvers.coupled_impact": "COUPLED_IMPACT",
}

# calls that may be forgotten: x.f(…) → x
DROPPED = {
    "change_point": "change of point",
    "change_frame": "change of frame",
    "inverse": "transpose",
    "to_spatial": "classical/spatial",
    "articulated": "apparent/physical",
    "at_parent": "apparent/physical",
    "to_be_made": "apparent/physical",
    "exerted_by": "parent/child",
    "handed_down": "parent/child",
    "compose": "parent/child",
}
# projections that may be forgotten: P.f(x, …) → x, and P @ x → x
UNPROJECTED = ("basis_of", "wrench")
STATES = ("parent", "child", "state", "world")
HELD = ("held", "self")
# names that may be mistaken for each other
SWAPPED = {
    "classical_bias": ("spatial_bias", "classical/spatial"),
    "spatial_bias": ("classical_bias", "classical/spatial"),
    "free_fall": ("free_fall_field", "classical/spatial"),
    "free_fall_field": ("free_fall", "classical/spatial"),
    "to_spatial": ("to_classical", "classical/spatial"),
    "classical_acceleration": ("acceleration", "classical/spatial"),
    "seen": ("rows", "apparent/physical"),
    "driven": ("bias", "apparent/physical"),
    "external": ("bias", "apparent/physical"),
    "bias": ("external", "apparent/physical"),
    "position": ("orientation", "change of point"),
    "orientation": ("position", "change of frame"),
    "along": ("pair", "apparent/physical"),
}


# who is observed may be mistaken for who observes
OBSERVED = {"of": "wrt", "wrt": "of"}


# of these only the quantities of a body's state are meant, or those of the basis A
MEANT = dict.fromkeys(("external", "bias", "driven"), STATES) | {"along": ("A",), "seen": HELD}


@dataclass(frozen=True)
class Mutant:
    """One mistake in one file."""

    file: str
    line: int
    kind: str
    change: str
    function: str
    source: str

    def __str__(self) -> str:
        return f"{self.file.rpartition('.')[2]}.py:{self.line}: {self.kind}: {self.change}"


def mutants(file: str, source: str = "") -> Iterator[Mutant]:
    """Every single mistake that can be made in a solver file, one of ours or one whose text is given."""
    tree = ast.parse(source or source_of(file))
    holders = _holders(tree)
    for function, node, kind, new in list(_places(tree)):
        change = f"{ast.unparse(node)} → {ast.unparse(new)}"
        _put(*holders[node], new)
        mutated = ast.unparse(tree)
        _put(*holders[node], node)
        yield Mutant(file, node.lineno, kind, change, function, mutated)


def count(file: str) -> int:
    """How many there are."""
    return len(list(_places(ast.parse(source_of(file)))))


def _places(tree: ast.Module) -> Iterator[tuple[str, ast.AST, str, ast.expr]]:
    for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        for node in ast.walk(function):
            for kind, new in mistakes(node):
                yield function.name, node, kind, new


def mistakes(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What one expression may be mistaken for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in DROPPED:
            yield f"drop {DROPPED[name]}", node.func.value
        if name in UNPROJECTED and _is_name(node.func.value, "P"):
            yield "drop apparent/physical", node.args[0]
        if name in ("change_point", "change_frame"):
            yield f"swap {DROPPED[name]}", _with_inverse(node)
            inner = node.func.value
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in DROPPED:
                yield "swap change of point and frame", _exchanged(node, inner)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in SWAPPED:
        other, kind = SWAPPED[node.attr]
        # what is classical already has no to_classical to be mistaken for
        classical = isinstance(node.value, ast.Attribute) and node.value.attr == "classical_acceleration"
        if (_is_name(node.value, *MEANT[node.attr]) if node.attr in MEANT else True) and not classical:
            yield f"swap {kind}", ast.Attribute(node.value, other, node.ctx)
    if isinstance(node, ast.Constant) and node.value in ("classical", "spatial"):
        yield "swap classical/spatial", ast.Constant("spatial" if node.value == "classical" else "classical")
    if isinstance(node, ast.Name) and node.id in ("parent", "child"):
        yield "swap parent/child", ast.Name("child" if node.id == "parent" else "parent", node.ctx)
    if isinstance(node, ast.Name) and node.id in ("told", "free") and isinstance(node.ctx, ast.Load):
        yield "swap prescribed/free", ast.Name("free" if node.id == "told" else "told", node.ctx)
    if isinstance(node, ast.Name) and node.id in OBSERVED and isinstance(node.ctx, ast.Load):
        yield "swap observed/observer", ast.Name(OBSERVED[node.id], node.ctx)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and _is_name(node.left, "P"):
        yield "drop apparent/physical", node.right
    if isinstance(node, ast.Name) and node.id == "H_a" and isinstance(node.ctx, ast.Load):
        yield "swap apparent/physical", ast.Attribute(ast.Name("child", ast.Load()), "inertia", ast.Load())


def _is_name(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _with_inverse(call: ast.Call) -> ast.expr:
    """f(x) → f(x.inverse()), and back."""
    first = call.args[0]
    if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) and first.func.attr == "inverse":
        turned = first.func.value
    else:
        turned = ast.Call(ast.Attribute(first, "inverse", ast.Load()), [], [])
    return ast.Call(call.func, [turned, *call.args[1:]], [])


def _exchanged(outer: ast.Call, inner: ast.Call) -> ast.expr:
    """x.f(a).g(b) → x.g(b).f(a)."""
    first = ast.Call(ast.Attribute(inner.func.value, outer.func.attr, ast.Load()), outer.args, [])
    return ast.Call(ast.Attribute(first, inner.func.attr, ast.Load()), inner.args, [])


def _put(holder: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(holder, field, node)
    else:
        getattr(holder, field)[index] = node


def _holders(tree: ast.AST) -> dict[ast.AST, tuple[ast.AST, str, int | None]]:
    """Where each node hangs: the node above it, its field, and the place in it where it is a list."""
    found: dict[ast.AST, tuple[ast.AST, str, int | None]] = {}
    for holder in ast.walk(tree):
        for field, value in ast.iter_fields(holder):
            if isinstance(value, ast.AST):
                found[value] = holder, field, None
            elif isinstance(value, list):
                found |= {node: (holder, field, index) for index, node in enumerate(value) if isinstance(node, ast.AST)}
    return found


def source_of(file: str) -> str:
    return Path(motionc.__file__).with_name(file.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")


@cache
def _code(file: str) -> types.CodeType:
    return compile(source_of(file), f"{file}.py", "exec")


def schedules(mutant: Mutant | None) -> dict[str, object]:
    """All schedules, built from the solver files with one of them mutated."""
    names = {file: f"motionc.{file}" for file in FILES}
    saved = {name: importlib.import_module(name) for name in names.values()}
    found: dict[str, object] = {}
    try:
        for file, name in names.items():
            module = types.ModuleType(name)
            mutated = mutant is not None and mutant.file == file
            sys.modules[name] = module
            exec(compile(mutant.source, f"{file}.py", "exec") if mutated else _code(file), module.__dict__)
            if file in SCHEDULES:
                found[file] = module.__dict__[SCHEDULES[file]]
            elif file == "sweeps.representation":
                found["at_home"] = module.__dict__["at_home"]
    finally:
        sys.modules.update(saved)
    return found


def refusal(mutant: Mutant | None) -> Error | None:
    """What the check reading says; None when it sees nothing wrong."""
    try:
        built = schedules(mutant)
        # it is met first where it was made
        at = mutant.file if mutant else ""
        with patch.object(sweeps_room.solver, "at_home", built["at_home"]):
            for asked in sorted(questions(), key=lambda asked: _file_of(asked.schedule) != at):
                replace(asked, schedule=built[_file_of(asked.schedule)]).check()
    except Error as error:
        return error
    return None


def _file_of(schedule: Schedule) -> str:
    """The file a solver's schedule was written in."""
    return next(file for file, name in SCHEDULES.items() if getattr(_module(file), name) is schedule)


def _module(file: str) -> types.ModuleType:
    return importlib.import_module(f"motionc.{file}")


@cache
def questions() -> list[Solver]:
    """Solvers on small robots that use everything: branches, a slide, rotors, forces and rows in several frames."""
    found: list[Solver] = []
    for floating in (False, True):
        robot = tree(floating)
        forces = ["hand", Force("arm", as_seen_by="world"), Force("slide", as_seen_by="leg")]
        seen = {"point": (0, 0.1, 0), "as_seen_by": "hand", "wrt": "leg"}
        rows = [
            Constraint("tool", "xyz", point=(0.1, 0, 0.2)),
            Constraint("hand", "rx rz", as_seen_by="hand", kind="spatial", source="contact"),
            Constraint("tool", "ry", as_seen_by="leg", kind="classical"),
            Constraint("slide", "x y", wrt="leg", point=(0, 0.1, 0), as_seen_by="arm", level=2),
            Constraint("hand", "rx z", wrt="arm", kind="spatial", weight=2.0),
            JointConstraint(["reach", "shoulder"], level=2),
        ]
        task = [replace(one, level=1, weight=1.0) for one in rows]
        found += [
            solvers.InverseDynamics(external_forces=forces).solver(robot),
            solvers.ForwardDynamics(external_forces=forces).solver(robot),
            solvers.InverseDynamics(external_forces=forces, representation="absolute").solver(robot),
            solvers.ForwardDynamics(external_forces=forces, representation="inertial").solver(robot),
            solvers.ForwardDynamics(external_forces=forces).solver(tree(floating, coupled=True)),
            *(
                solvers.ConstrainedDynamics(
                    rows, external_forces=forces, artificial_forces=["slide"], physical_torques=True, posture=0.5
                ).solver(tree(floating, coupled))
                for coupled in (False, True)
            ),
            solvers.ConstrainedDynamics(rows[:5], prescribed=["shoulder", "wrist"], posture=1.0).solver(robot),
            *(
                solvers.ConstrainedDynamics(rows, artificial_forces=["slide"], limits={"shoulder": 1.0}).solver(
                    tree(floating, coupled)
                )
                for coupled in (False, True)
            ),
            # articulated bodies where many joints are free, else by blocks of M
            solvers.HybridDynamics(["wrist"], external_forces=forces).solver(robot),
            *(row_solvers.Impact(rows).solver(tree(floating, coupled)) for coupled in (False, True)),
            *(row_solvers.OperationalSpace(task).solver(tree(floating, coupled)) for coupled in (False, True)),
            kinematic_solvers.Jacobian("tool", **seen).solver(robot),
            kinematic_solvers.JacobianRate("tool", **seen).solver(robot),
            kinematic_solvers.FrameMotion(["tool", "slide"], **seen).solver(robot),
            mass_solvers.MassMatrixInverse().solver(tree(floating, coupled=True)),
            mass_solvers.MassMatrixInverse(method="innovations").solver(robot),
            mass_solvers.CenterOfMass(outputs=["com", "J", "inertia"]).solver(robot),
            mass_solvers.CentroidalMomentum(outputs=["hG", "AG", "bias"]).solver(robot),
            mass_solvers.Energy().solver(robot),
            inverse_solvers.InverseVelocity(["tool", "slide"], **seen).solver(robot),
            inverse_solvers.InverseKinematicsStep(
                [Target("tool", "xyz rx", **seen), Target("slide", wrt="leg"), Target("arm", "x", as_seen_by="leg")],
                lower=np.full(robot.nq, -1.0),
                upper=np.ones(robot.nq),
                posture=True,
            ).solver(robot),
        ]
    return found


def tree(floating: bool, coupled: bool = False) -> Robot:
    """base — arm — slide — hand(+ tool), and base — leg: turning about oblique axes, sliding, rotors, offsets."""
    poses = iter([placed((0.1 * k, 0.2, -0.1 * k), (0.3, 0.2 * k, -0.4)) for k in range(20)])

    def segment(name: str, *frames: str) -> Segment:
        link = Link.rigid(
            name, 1.0, (0.1, 0.2, 0.3), (0.02, 0.03, 0.04), {"tool": next(poses)} if name == "hand" else None
        )
        return Segment(name, link, tuple(Attachment(f, Role.JOINT, next(poses)) for f in frames))

    base, arm = segment("base", "b1", "b2"), segment("arm", "a0", "a1")
    slide, hand, leg = segment("slide", "s0", "s1"), segment("hand", "h0"), segment("leg", "l0")
    follow = Mimic("wrist", -0.5, 0.2)
    joints = (
        Joint("shoulder", JointType.REVOLUTE, (arm, "a0"), (base, "b1"), (0, 1, 0), transmission=Transmission(0.1)),
        Joint("reach", JointType.PRISMATIC, (slide, "s0"), (arm, "a1"), (1, 0, 0)),
        Joint("wrist", JointType.CONTINUOUS, (hand, "h0"), (slide, "s1"), (0.6, 0, 0.8)),
        Joint("hip", JointType.REVOLUTE, (leg, "l0"), (base, "b2"), (0, 0, 1), mimic=follow if coupled else None),
    )
    return Robot(KinematicChain("all_sorts", joints), floating=floating)
