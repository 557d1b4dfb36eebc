"""Every way to get a frame wrong, one at a time: mutants of the solver files, and the check reading that meets them."""

import ast
import importlib
import re
import sys
import types
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import motionc
import motionc.sweeps.solver as solver_room
from cubic_screw import known
from motionc.errors import Error
from motionc.geometry import Duration, RowTwist
from motionc.geometry.meaning import as_meant
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
from motionc.model.shapes import Sphere
from motionc.solvers.centroidal import CenterOfMass, Momentum
from motionc.solvers.constraint import Constraint, Force, JointConstraint
from motionc.solvers.contact import Compliant, Contact, Solid
from motionc.solvers.target import Target
from motionc.sweeps.schedule import Direction, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import BodyState, Slot

ROOT = Path(motionc.__file__).parent
SOON = Duration.of(1.0, "s")
REPRESENTATION = "sweeps.representation"


@cache
def _imports(file: str) -> set[str]:
    """The solver files that a file imports."""
    tree = ast.parse(source_of(file))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.removeprefix("motionc.") for name in modules if name.startswith("motionc.solvers.")}


def _in_order(files: set[str]) -> Iterator[str]:
    """Each after those it imports."""
    done: set[str] = set()
    while len(done) < len(files):
        ready = sorted(file for file in files - done if not (_imports(file) & files) - done)
        yield from ready
        done.update(ready)


def _has_operations(file: str) -> bool:
    """Operations, or steps of them."""
    return "@operation(" in source_of(file) or file.startswith("solvers.steps.")


def _solver_files() -> set[str]:
    found = (path.relative_to(ROOT).with_suffix("") for path in (ROOT / "solvers").rglob("*.py"))
    return {".".join(path.parts) for path in found if path.name != "__init__"}


def source_of(file: str) -> str:
    return (ROOT / file.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")


SOLVERS = tuple(_in_order(_solver_files()))
FILES = (REPRESENTATION, *(file for file in SOLVERS if _has_operations(file)))
"""Every file with operations, those in steps and derivatives too."""

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


Place = tuple[ast.AST, str, int | None]
"""Where a node hangs: the node above it, its field, and the place in it where it is a list."""


@dataclass(frozen=True)
class Mutant:
    """One mistake in one file."""

    file: str
    line: int
    kind: str
    change: str
    function: str
    tree: ast.Module = field(repr=False)
    place: Place = field(repr=False)
    right: ast.AST = field(repr=False)
    wrong: ast.AST = field(repr=False)

    def __str__(self) -> str:
        return f"{self.file}.py:{self.line}: {self.kind}: {self.change}"

    @property
    def code(self) -> types.CodeType:
        """The file with the mistake in it."""
        _put(*self.place, self.wrong)
        try:
            return compile(ast.fix_missing_locations(self.tree), f"{self.file}.py", "exec")
        finally:
            _put(*self.place, self.right)


def mutants(file: str, source: str = "") -> Iterator[Mutant]:
    """Every single mistake that can be made in a solver file, one of ours or one whose text is given."""
    tree = ast.parse(source or source_of(file))
    holders = _holders(tree)
    for function, node, kind, new in list(_places(tree)):
        change = f"{ast.unparse(node)} → {ast.unparse(new)}"
        yield Mutant(file, node.lineno, kind, change, function, tree, holders[node], node, new)


def count(file: str) -> int:
    """How many there are."""
    return len(list(_places(ast.parse(source_of(file)))))


def _places(tree: ast.Module) -> Iterator[tuple[str, ast.AST, str, ast.expr]]:
    for function in _functions(tree):
        ports = {
            arg.arg
            for arg in function.args.args
            if arg.annotation and re.search("str|Port", ast.unparse(arg.annotation))
        }
        for node in ast.walk(function):
            if not (isinstance(node, ast.Name) and node.id in ports):  # names of ports are no observers
                for kind, new in mistakes(node):
                    yield function.name, node, kind, new


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Those that work on relations: operations, what they call, and methods of what they keep; not the options."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) not in ("str", "View", "Views"):
            yield node
        if isinstance(node, ast.ClassDef) and not any("Question" in ast.unparse(base) for base in node.bases):
            yield from (inner for inner in node.body if isinstance(inner, ast.FunctionDef))


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


def _holders(tree: ast.AST) -> dict[ast.AST, Place]:
    """Where each node hangs."""
    found: dict[ast.AST, Place] = {}
    for holder in ast.walk(tree):
        for name, value in ast.iter_fields(holder):
            if isinstance(value, ast.AST):
                found[value] = holder, name, None
            elif isinstance(value, list):
                found |= {node: (holder, name, index) for index, node in enumerate(value) if isinstance(node, ast.AST)}
    return found


@cache
def _code(file: str) -> types.CodeType:
    return compile(source_of(file), f"{file}.py", "exec")


@cache
def _beyond(file: str) -> tuple[str, ...]:
    """A file and all that import it, however indirectly, in order."""
    met = {file}
    for other in SOLVERS:
        if _imports(other) & met:
            met.add(other)
    return tuple(other for other in (REPRESENTATION, *SOLVERS) if other in met)


@contextmanager
def instead(mutant: Mutant | None) -> Generator[None]:
    """The solver files as they are, but for one that is mutated, and those that import it."""
    files = () if mutant is None else _beyond(mutant.file)
    names = {file: f"motionc.{file}" for file in files}
    saved = {name: importlib.import_module(name) for name in names.values()}
    slots = {name: slot for name, slot in vars(BodyState).items() if isinstance(slot, Slot)}
    try:
        for file, name in names.items():
            assert mutant is not None
            module = types.ModuleType(name)
            sys.modules[name] = module
            _forget(file)
            exec(mutant.code if mutant.file == file else _code(file), module.__dict__)
        with patch.object(solver_room, "at_home", sys.modules[f"motionc.{REPRESENTATION}"].at_home):
            yield
    finally:
        sys.modules.update(saved)
        for name, slot in slots.items():
            setattr(BodyState, name, slot)


def _forget(file: str) -> None:
    """What a file that is read again declares may be of kinds that it defines itself."""
    for name in _declared(file) & set(vars(BodyState)):
        delattr(BodyState, name)


@cache
def _declared(file: str) -> set[str]:
    """The slots that a file declares."""
    assigned = (node for node in ast.walk(ast.parse(source_of(file))) if isinstance(node, ast.Assign))
    return {
        ast.unparse(node.targets[0])
        for node in assigned
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "Slot"
    }


def refusal(mutant: Mutant | None) -> Error | None:
    """What the check reading says; None when it sees nothing wrong."""
    at = mutant.file if mutant else ""
    # it is met first by who met the last one there, then where it was made
    asked, before = None, MET.get(at)
    ranked = sorted(QUESTIONS, key=lambda asked: (asked is not before, f"solvers.{asked.file}" != at))
    try:
        with instead(mutant):
            for asked in ranked:
                if not at or f"solvers.{asked.file}" in _beyond(at) or at == REPRESENTATION:
                    asked.solver().check()
    except Error as error:
        MET[at] = asked
        return error
    return None


@dataclass(frozen=True)
class Asked:
    """A question: the file and the name of its options, these, and of whom; what of it is differentiated, if at all."""

    file: str
    name: str
    options: dict[str, Any]
    floating: bool
    coupled: bool = False
    by: tuple[str, ...] = ()
    curved: bool = False

    @property
    def kind(self) -> Any:
        """Of its options."""
        return getattr(_module(SOURCES[self.name] if self.by else self.file), self.name)

    def solver(self) -> Solver:
        module = _module(self.file)
        said = {name: value() if name == "schedule" else value for name, value in self.options.items()}
        solver = self.kind(**said).solver(tree(self.floating, self.coupled, self.curved))
        if not self.by:
            return solver
        found = module.derivative(solver, (solver.outputs[0].name,), self.by)
        assert found is not None
        return found


@operation(Direction.ROOT, needs=["held_rows", "world_pose", "twist"], gives=["asked_rows"])
def _control(graph: Any, problem: Any) -> None:
    """A control block: each frame goes where its observer is."""
    asked = list[Any]()
    for hold in graph.world.held_rows:
        way, moved = hold.displacement(graph), hold.moving(graph)
        wanted = RowTwist.at_place(hold.at_point, way.in_unit_time())
        as_meant(wanted, "way to the observer", of=moved.of, wrt=moved.wrt)
        hold.seen_pose(graph).after(hold.seen_twist(graph), SOON)
        asked.append(hold.asks(wanted.values - moved.values))
    graph.world.asked_rows = tuple(asked)


def _controlled() -> Schedule:
    schedules = sys.modules.get("motionc.solvers.schedules") or _module("schedules")
    return schedules.CONSTRAINED_DYNAMICS.replacing("ask_rows", _control) + sweep(schedules.clip)


def _module(file: str) -> Any:
    return importlib.import_module(f"motionc.solvers.{file}")


SOURCES = {
    "InverseDynamics": "inverse_dynamics",
    "ForwardDynamics": "forward_dynamics",
    "ConstrainedDynamics": "constrained_dynamics",
}


def _questions(floating: bool) -> Iterator[Asked]:
    """On small robots that use everything: branches, a slide, rotors, forces and rows in several frames."""
    nq = tree(floating).nq
    forces = [Force("hand", as_seen_by="hand"), Force("arm", as_seen_by="world"), Force("slide", as_seen_by="leg")]
    seen = {"point": (0, 0.1, 0), "as_seen_by": "hand", "wrt": "leg"}
    rows = [
        Constraint("tool", "xyz", point=(0.1, 0, 0.2)),
        Constraint("hand", "rx rz", as_seen_by="hand", kind="spatial", source="contact"),
        Constraint("tool", "ry", as_seen_by="leg", kind="classical"),
        Constraint("slide", "x y", wrt="leg", point=(0, 0.1, 0), as_seen_by="arm", level=2),
        Constraint("hand", "rx z", wrt="arm", kind="spatial", weight=2.0),
        JointConstraint(["reach", "shoulder"], level=2),
    ]
    whole = [CenterOfMass("x z", as_seen_by="hand"), Momentum("rx y", as_seen_by="leg", level=2)]
    task = [replace(one, level=1, weight=1.0) for one in rows]
    targets = [Target("tool", "xyz rx", **seen), Target("slide", wrt="leg"), Target("arm", "x", as_seen_by="leg")]

    def ask(file: str, name: str, *, coupled: bool = False, by: tuple[str, ...] = (), **options: Any) -> Asked:
        return Asked(file, name, options, floating, coupled, by)

    acting = {"external_forces": forces}
    # a joint whose directions change with q
    for kept in ("inertial", "absolute"):
        yield Asked("inverse_dynamics", "InverseDynamics", {"representation": kept}, floating, curved=True)
    yield Asked("jacobian_rate", "JacobianRate", {"frame": "tool", **seen}, floating, curved=True)
    yield ask("inverse_dynamics", "InverseDynamics", **acting)
    yield ask("inverse_dynamics", "InverseDynamics", friction=True)
    yield ask("derivatives.computations", "InverseDynamics", by=("v",), friction=True)
    yield ask("forward_dynamics", "ForwardDynamics", **acting)
    yield ask("inverse_dynamics", "InverseDynamics", **acting, representation="absolute")
    yield ask("forward_dynamics", "ForwardDynamics", **acting, representation="inertial")
    yield ask("forward_dynamics", "ForwardDynamics", coupled=True, **acting)
    for coupled in (False, True):
        more = {"artificial_forces": [Force("slide", as_seen_by="slide")], "physical_torques": True, "posture": 0.5}
        yield ask("constrained_dynamics", "ConstrainedDynamics", coupled=coupled, constraints=rows, **acting, **more)
        bounded = {"artificial_forces": [Force("slide", as_seen_by="slide")], "limits": {"shoulder": 1.0}}
        yield ask("constrained_dynamics", "ConstrainedDynamics", coupled=coupled, constraints=rows, **bounded)
        yield ask("impact", "Impact", coupled=coupled, constraints=rows)
        yield ask("operational_space", "OperationalSpace", coupled=coupled, frames=task)
        yield ask("constrained_dynamics", "ConstrainedDynamics", coupled=coupled, constraints=[rows[3], *whole])
    given = {"given_frames": {"T": "hand", "U": "leg"}, "activation": True, "weights": True}
    yield ask(
        "constrained_dynamics", "ConstrainedDynamics", constraints=[replace(rows[3], wrt="U", as_seen_by="T")], **given
    )
    own = {"constraints": rows[:5], "limits": {"shoulder": 1.0}, "actuated": tree(floating).joint_names}
    yield ask("own", "Solve", schedule=_controlled, outputs={"tau": "commanded"}, **own)
    told = {"prescribed": ["shoulder", "wrist"], "posture": 1.0}
    yield ask("constrained_dynamics", "ConstrainedDynamics", constraints=rows[:5], **told)
    # articulated bodies where many joints are free, else by blocks of M
    yield ask("hybrid_dynamics", "HybridDynamics", prescribed=["wrist"], **acting)
    yield ask("hybrid_dynamics", "HybridDynamics", coupled=True, prescribed=["shoulder"], **acting)
    yield ask("jacobian", "Jacobian", frame="tool", **seen)
    yield ask("jacobian_rate", "JacobianRate", frame="tool", **seen)
    yield ask("frame_motion", "FrameMotion", frames=["tool", "slide"], **seen)
    yield ask("path_jacobian", "PathJacobian", wrt="leg", frame="tool")
    yield ask("mass_matrix_inverse", "MassMatrixInverse", coupled=True)
    yield ask("mass_matrix_inverse", "MassMatrixInverse", method="innovations")
    yield ask("mass_matrix_solve", "MassMatrixSolve")
    yield ask("coriolis_matrix", "CoriolisMatrix")
    yield ask("center_of_mass", "CenterOfMassMotion", outputs=["com", "J", "inertia"])
    yield ask("center_of_mass", "CenterOfMassMotion", outputs=["bias"])
    yield ask("centroidal_momentum", "CentroidalMomentum", outputs=["hG", "AG", "bias"])
    yield ask("energy", "Energy")
    yield ask("regressor", "Regressor")
    for file, name in (("integrate", "Integrate"), ("difference", "Difference"), ("interpolate", "Interpolate")):
        yield ask(file, name, coupled=True)
    servo = {"dt": 0.1, "friction": True, "stiffness": 9.0, "damping": 3.0, **acting}
    yield ask("step", "Step", **servo, implicit_stiffness=True)
    yield ask("step", "Step", **servo, coupled=True)
    for coupled in (False, True):
        yield ask("step", "Step", **servo, method="rk4", coupled=coupled)
        yield ask("step", "Step", dt=0.1, coupled=coupled, contacts=_contacts(), moving_surface=True, stiction=True)
    yield ask("inverse_velocity", "InverseVelocity", frames=["tool", "slide"], **seen)
    yield ask("inverse_velocity", "InverseVelocity", frames=["tool", whole[0]])
    limits = {"lower": np.full(nq, -1.0), "upper": np.ones(nq)}
    yield ask("inverse_kinematics", "InverseKinematicsStep", targets=targets, **limits, posture=True)
    yield ask("inverse_kinematics", "InverseKinematicsStep", targets=whole[:1], **limits)
    for name, by in (
        ("InverseDynamics", ("q", "v")),
        ("ForwardDynamics", ("q", "v")),
        ("InverseDynamics", ("f_ext",)),
    ):
        yield ask("derivatives.computations", name, by=by, **acting)
    yield ask("derivatives.computations", "ForwardDynamics", by=("inertia",))
    motors = {"actuated": tree(floating).joint_names}
    yield ask(
        "derivatives.computations", "ConstrainedDynamics", by=("q", "v", "b"), constraints=task, **acting, **motors
    )


def _contacts() -> list[Contact]:
    """On the ground and on another body, hard and giving way."""
    hand, leg = Sphere(0.1), Solid(Sphere(0.2), "leg", point=(0.1, 0, 0))
    return [
        Contact("tool", shape=hand, restitution=0.5),
        Contact("slide", leg, shape=hand, name="both"),
        Contact("tool", leg, law=Compliant(1e3), name="soft"),
    ]


def tree(floating: bool, coupled: bool = False, curved: bool = False) -> Robot:
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
    with known() as screw:
        turning = {"type": screw, "pitch": 0.1} if curved else {"type": JointType.REVOLUTE}
        joints = (
            Joint(
                "shoulder",
                target=(arm, "a0"),
                reference=(base, "b1"),
                axis=(0, 1, 0),
                transmission=Transmission(0.1, 0.3, 0.2),
                **turning,
            ),
            Joint("reach", JointType.PRISMATIC, (slide, "s0"), (arm, "a1"), (1, 0, 0)),
            Joint("wrist", JointType.CONTINUOUS, (hand, "h0"), (slide, "s1"), (0.6, 0, 0.8)),
            Joint("hip", JointType.REVOLUTE, (leg, "l0"), (base, "b2"), (0, 0, 1), mimic=follow if coupled else None),
        )
        return Robot(KinematicChain("all_sorts", joints), floating=floating)


QUESTIONS = tuple(asked for floating in (False, True) for asked in _questions(floating))
MET: dict[str, Asked | None] = {}
"""Which of them met the last mistake in a file: it is likely to meet the next."""


@cache
def questions() -> list[Solver]:
    """All of them, as solvers."""
    return [asked.solver() for asked in QUESTIONS]
