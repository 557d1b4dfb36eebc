"""Every way to get a frame wrong, one at a time: mutants of the solver files, and the check reading that meets them."""

import ast
import importlib
import sys
import types
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

import motionc
import motionc.sweeps as sweeps_room
from all_joints import Moving
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
from motionc.solvers.constraint import Constraint, Force, JointConstraint
from motionc.solvers.target import Target
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import BodyState, Slot

ROOM = Path(motionc.__file__).parent
HOME = "sweeps.representation"


def _files() -> dict[str, set[str]]:
    """Where operations are written, and motion is taken home, in the order of imports → which of them it builds on."""
    paths = [ROOM / "sweeps" / "representation.py", *sorted((ROOM / "solvers").rglob("*.py"))]
    texts = {".".join(path.relative_to(ROOM).with_suffix("").parts): path.read_text(encoding="utf-8") for path in paths}
    uses = {
        name: {node.module.removeprefix("motionc.") for node in ast.walk(ast.parse(text)) if _imports(node)}
        for name, text in texts.items()
    }
    found = dict[str, set[str]]()
    for name in TopologicalSorter({name: sorted(used & texts.keys()) for name, used in uses.items()}).static_order():
        below = uses[name] & found.keys()
        if below or name == HOME or "@operation(" in texts[name]:
            found[name] = below.union(*(found[one] for one in below))
    return found


def _imports(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("motionc.")


MADE_ANEW = _files()
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
        names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        names |= {argument.arg for argument in function.args.args}
        for node in ast.walk(function):
            for kind, new in mistakes(node):
                # what is not there is not mistaken for anything
                if not isinstance(new, ast.Name) or new.id in names:
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
    return (ROOM / f"{file.replace('.', '/')}.py").read_text(encoding="utf-8")


@cache
def _code(file: str) -> types.CodeType:
    return compile(source_of(file), f"{file}.py", "exec")


@contextmanager
def made_anew(mutant: Mutant | None) -> Generator[SimpleNamespace]:
    """All that can be asked, from the solver files with one of them mutated; bodies have the quantities of these."""
    every = {file: importlib.import_module(f"motionc.{file}") for file in MADE_ANEW}
    at = mutant.file if mutant else HOME
    names = {file: f"motionc.{file}" for file, below in MADE_ANEW.items() if at == file or at in below}
    saved = {name: every[file] for file, name in names.items()}
    born = set[str]().union(*(_born(file) for file in names))
    slots = {name: slot for name, slot in vars(BodyState).items() if name in born}
    made = _classes()
    for name in slots:
        delattr(BodyState, name)
    try:
        for file, name in names.items():
            module = types.ModuleType(name)
            mutated = mutant is not None and mutant.file == file
            sys.modules[name] = module
            exec(compile(mutant.source, f"{file}.py", "exec") if mutated else _code(file), module.__dict__)
            vars(made).update(vars(module))
        sys.modules.update(saved)
        with patch.object(sweeps_room.solver, "at_home", made.at_home):
            yield made
    finally:
        sys.modules.update(saved)
        for name, slot in slots.items():
            setattr(BodyState, name, slot)


@cache
def _born(file: str) -> set[str]:
    """Quantities that are born in a file."""
    module = importlib.import_module(f"motionc.{file}")
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]
    states = [kind for kind in kinds if issubclass(kind, BodyState)]
    return {name for kind in states for name, slot in vars(kind).items() if isinstance(slot, Slot)}


def _classes() -> SimpleNamespace:
    """All that can be asked, as it is."""
    made = SimpleNamespace()
    for file in MADE_ANEW:
        vars(made).update(vars(importlib.import_module(f"motionc.{file}")))
    return made


def refusal(mutant: Mutant | None) -> Exception | None:
    """What the check reading says, or Python itself; None when nothing is wrong to see."""
    try:
        with made_anew(mutant) as made:
            # it is met first by who asks what is written there
            for ask in sorted(asked(), key=lambda ask: not (mutant and _stem(mutant.file) in ask.__code__.co_names)):
                for floating in (False, True):
                    ask(made, floating).check()
    except (Error, TypeError) as error:
        return error
    return None


def _stem(file: str) -> str:
    """center_of_mass → CenterOfMass, which is asked for by that name."""
    return "".join(word.title() for word in file.rpartition(".")[2].split("_"))


@cache
def questions() -> list[Solver]:
    """Solvers on small robots that use everything: branches, a slide, rotors, forces and rows in several frames."""
    made = _classes()
    return [ask(made, floating) for floating in (False, True) for ask in usual()]


FORCES = ("hand", Force("arm", as_seen_by="world"), Force("slide", as_seen_by="leg"))
SEEN: dict[str, Any] = {"point": (0, 0.1, 0), "as_seen_by": "hand", "wrt": "leg"}
ROWS = (
    Constraint("tool", "xyz", point=(0.1, 0, 0.2)),
    Constraint("hand", "rx rz", as_seen_by="hand", kind="spatial", source="contact"),
    Constraint("tool", "ry", as_seen_by="leg", kind="classical"),
    Constraint("slide", "x y", wrt="leg", point=(0, 0.1, 0), as_seen_by="arm", level=2),
    Constraint("hand", "rx z", wrt="arm", kind="spatial", weight=2.0),
    JointConstraint(["reach", "shoulder"], level=2),
)
TASK = [replace(one, level=1, weight=1.0) for one in ROWS]
TARGETS = [Target("tool", "xyz rx", **SEEN), Target("slide", wrt="leg"), Target("arm", "x", as_seen_by="leg")]
Ask = Callable[[SimpleNamespace, bool], Solver]


def usual() -> list[Ask]:
    """From what can be asked, and whether the base floats, to solvers of all kinds on that tree."""
    more = {"external_forces": FORCES, "artificial_forces": ["slide"], "physical_torques": True, "posture": 0.5}
    limited = {"artificial_forces": ["slide"], "limits": {"shoulder": 1.0}}
    return [
        lambda made, f: made.InverseDynamics(external_forces=FORCES).solver(_tree(f)),
        lambda made, f: made.ForwardDynamics(external_forces=FORCES).solver(_tree(f)),
        lambda made, f: made.InverseDynamics(external_forces=FORCES, representation="absolute").solver(_tree(f)),
        lambda made, f: made.ForwardDynamics(external_forces=FORCES, representation="inertial").solver(_tree(f)),
        lambda made, f: made.ForwardDynamics(external_forces=FORCES).solver(_tree(f, True)),
        lambda made, f: made.ConstrainedDynamics(ROWS, **more).solver(_tree(f)),
        lambda made, f: made.ConstrainedDynamics(ROWS, **more).solver(_tree(f, True)),
        lambda made, f: made.ConstrainedDynamics(ROWS[:5], prescribed=["shoulder", "wrist"], posture=1.0).solver(
            _tree(f)
        ),
        lambda made, f: made.ConstrainedDynamics(ROWS, **limited).solver(_tree(f)),
        lambda made, f: made.ConstrainedDynamics(ROWS, **limited).solver(_tree(f, True)),
        # articulated bodies where many joints are free, else by blocks of M
        lambda made, f: made.HybridDynamics(["wrist"], external_forces=FORCES).solver(_tree(f)),
        lambda made, f: made.Impact(ROWS).solver(_tree(f)),
        lambda made, f: made.Impact(ROWS).solver(_tree(f, True)),
        lambda made, f: made.OperationalSpace(TASK).solver(_tree(f)),
        lambda made, f: made.OperationalSpace(TASK).solver(_tree(f, True)),
        lambda made, f: made.Jacobian("tool", **SEEN).solver(_tree(f)),
        lambda made, f: made.JacobianRate("tool", **SEEN).solver(_tree(f)),
        lambda made, f: made.FrameMotion(["tool", "slide"], **SEEN).solver(_tree(f)),
        lambda made, f: made.MassMatrixInverse().solver(_tree(f, True)),
        lambda made, f: made.MassMatrixInverse(method="innovations").solver(_tree(f)),
        lambda made, f: made.MassMatrixSolve().solver(_tree(f)),
        lambda made, f: made.CenterOfMass(outputs=["com", "J", "inertia"]).solver(_tree(f)),
        lambda made, f: made.CentroidalMomentum(outputs=["hG", "AG", "bias"]).solver(_tree(f)),
        lambda made, f: made.Energy().solver(_tree(f)),
        lambda made, f: made.InverseVelocity(["tool", "slide"], **SEEN).solver(_tree(f)),
        lambda made, f: made.InverseKinematicsStep(
            TARGETS, lower=np.full(_tree(f).nq, -1.0), upper=np.ones(_tree(f).nq), posture=True
        ).solver(_tree(f)),
        lambda made, f: made.Regressor().solver(_tree(f)),
    ]


def asked() -> list[Ask]:
    """Those, and what is known by other options: paths, derivatives, a joint whose directions turn."""
    return [
        *usual(),
        lambda made, f: made.JacobianRate(_turning(f).link_names[-1]).solver(_turning(f)),
        lambda made, f: made.Transform("leg", "tool").solver(_tree(f)),
        lambda made, f: made.PathJacobian("leg", "tool").solver(_tree(f)),
        lambda made, f: made.derivative(
            made.InverseDynamics(external_forces=FORCES).solver(_tree(f)), ["tau"], ["q", "v", "a"]
        ),
        lambda made, f: made.derivative(
            made.ForwardDynamics(external_forces=FORCES).solver(_tree(f)), ["a"], ["q", "v", "tau"]
        ),
        lambda made, f: made.derivative(made.ConstrainedDynamics(ROWS[:2]).solver(_tree(f)), ["a"], ["q", "v", "tau"]),
    ]


@cache
def _turning(floating: bool) -> Robot:
    """A joint whose second axis is turned by its first."""
    return Robot(Moving(0, [JointType.UNIVERSAL, JointType.REVOLUTE], mimic=False).robot.chain, floating=floating)


@cache
def _tree(floating: bool, coupled: bool = False) -> Robot:
    return tree(floating, coupled)


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


FILES = tuple(file for file in MADE_ANEW if count(file))
"""Those in which a mistake can be made."""
