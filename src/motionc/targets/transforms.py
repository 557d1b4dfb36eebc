"""Transforms and Jacobians as Maxima text: products of six primitives Tx Ty Tz Rx Ry Rz (specs/robcogen.md §2.5, §2.4).

A library of primitives has a convention of its own: "right" maps coordinates of the moved frame to those it started
from, "left" the other way round. Against a library of either, primitives or their inverses are emitted, and numbers are
the same. Angles that are parts of π stay exact, so that Maxima's simplification has something to hold on to.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from motionc.errors import Error, suggestion
from motionc.geometry.lie import rpy_from_rotation
from motionc.model.chain import SINGLE, JointType
from motionc.model.mechanism import Mechanism
from motionc.model.moving_joint import MovingJoint
from motionc.model.robot import Robot
from motionc.targets.maxima import NAMES, block_comment, number

Convention = Literal["right", "left"]


@dataclass(frozen=True, slots=True)
class Primitive:
    """A motion along or about an axis: `amount` in Maxima's words; by which entry of v it changes, if by one, at what
    rate.
    """

    kind: str
    amount: str
    entry: int = -1
    rate: float = 0.0
    sign: int = 1

    def inverse(self) -> "Primitive":
        return Primitive(self.kind, self.amount, self.entry, self.rate, -self.sign)

    def text(self, library: Convention) -> str:
        """The call that maps from the moved frame, whatever the library's own way is."""
        negative = (self.sign < 0) == (library == "right")
        return f"{self.kind}({f'-({self.amount})' if negative else self.amount})"


# ---------------------------------------------------------------- what is emitted


def primitives(library: Convention = "right") -> str:
    """The library of this convention itself."""
    _known(library)
    s = "-" if library == "left" else ""
    back = "+" if library == "left" else "-"
    forth = "-" if library == "left" else ""
    lines = [block_comment([f"Six primitive transforms; the moved frame stands on the {library}."])]
    for k, axis in enumerate("xyz"):
        rows = [["1" if i == j else f"{s}d" if (i, j) == (k, 3) else "0" for j in range(4)] for i in range(4)]
        lines.append(f"T{axis}(d) := {_matrix(rows)}$")
    for k, axis in enumerate("xyz"):
        rows = [["1" if i == j else "0" for j in range(4)] for i in range(4)]
        i, j = (k + 1) % 3, (k + 2) % 3
        rows[i][i] = rows[j][j] = "cos(a)"
        rows[i][j], rows[j][i] = f"{back}sin(a)".lstrip("+"), f"{forth}sin(a)"
        lines.append(f"R{axis}(a) := {_matrix(rows)}$")
    return "\n".join([*lines, ""])


def transform(robot: Robot, base: str, target: str, *, library: Convention = "right", name: str = "") -> str:
    """A function of q: the pose of a frame wrt another, 4×4, as a product of primitives.

    >>> import motionc as mc
    >>> print(transform(mc.load("planar2"), "world", "tip").splitlines()[-1])
    world_X_tip(q) := Rz(q[1]) . Ty(0.4) . Rz(q[2]) . Ty(0.4)$
    """
    _known(library)
    name = NAMES.identifier(name or f"{base}_X_{target}")
    product = " . ".join(step.text(library) for step in _way(robot, base, target)) or "ident(4)"
    said = [f"{base}_X_{target} of {robot.name}: coordinates of {target} into those of {base}", *_entries(robot)]
    said.append(f"for primitives whose moved frame stands on the {library}")
    return f"{block_comment(said)}\n{name}(q) := {product}$\n"


def jacobian(robot: Robot, base: str, target: str, *, library: Convention = "right", name: str = "") -> str:
    """A function of q: the motion of a frame wrt another, 6×nv, angular first, as seen by the other, at its origin."""
    _known(library)
    name = NAMES.identifier(name or f"{base}_J_{target}")
    steps = [*_way(robot, base, target)]
    columns = [["0"] * 6 for _ in range(robot.nv)]
    assigned, last, product = list[str](), "", list[str]()
    moves = list[tuple[Primitive, str]]()
    for step in steps:
        if step.rate:
            product = [last, *product] if last else product
            last = f"x{len(moves) + 1}"
            assigned.append(f"{last}: {' . '.join(product) or 'ident(4)'}")
            moves.append((step, last))
            product = []
        elif step.entry >= 0:
            raise Error(
                f"jacobian of {target} wrt {base}: a joint of several coordinates is on the way; "
                'emit the computation instead: mc.jacobian(…).emit("maxima", …)'
            )
        product.append(step.text(library))
    assigned.append(f"x: {' . '.join([last, *product] if last else product) or 'ident(4)'}")
    for step, before in moves:
        column, rate = columns[step.entry], step.rate * step.sign
        for row, term in enumerate(_direction(step, before)):
            scaled = term if rate == 1.0 else f"{number(rate)}*({term})"
            if term:
                column[row] = scaled if column[row] == "0" else f"{column[row]} + {scaled}"
    rows = [f"[{', '.join(column[row] for column in columns)}]" for row in range(6)]
    said = [f"{base}_J_{target} of {robot.name}: twist of {target} wrt {base}, angular first, as seen by {base}"]
    said += [f"at the origin of {target}", *_entries(robot)]
    local = ", ".join(["x", *(before for _, before in moves)])
    lines = [f"{name}(q) := block([{local}],", *(f"    {step}," for step in assigned)]
    return "\n".join([block_comment(said), *lines, "    matrix(" + ",\n        ".join(rows) + "))$", ""])


def _direction(step: Primitive, before: str) -> Iterator[str]:
    """The twist of what comes after a primitive, entry by entry, while it changes at unit rate."""
    k = "xyz".index(step.kind[1]) + 1
    axis = [f"{before}[{i}][{k}]" for i in (1, 2, 3)]
    if step.kind[0] == "T":
        yield from ("", "", "", *axis)
        return
    arm = [f"(x[{i}][4] - {before}[{i}][4])" for i in (1, 2, 3)]
    yield from axis
    for i, j in ((1, 2), (2, 0), (0, 1)):
        yield f"{axis[i]}*{arm[j]} - {axis[j]}*{arm[i]}"


# ---------------------------------------------------------------- the way from frame to frame


def _way(robot: Robot, base: str, target: str) -> Iterator[Primitive]:
    """Primitives from one frame to another: inward to where both ways part, then outward."""
    mechanism = robot.mechanism
    inward, outward = _from_root(mechanism, base), _from_root(mechanism, target)
    common = 0
    while common < min(len(inward), len(outward)) and inward[common] == outward[common]:
        common += 1
    yield from (step.inverse() for step in reversed(inward[common:]))
    yield from outward[common:]


def _from_root(mechanism: Mechanism, frame: str) -> list[Primitive]:
    if frame not in mechanism.frames:
        raise Error(f"transform: there is no frame {frame!r}{suggestion(frame, mechanism.frames)}")
    index, pose = mechanism.frames[frame]
    found = list[Primitive]()
    for body in mechanism.path(index):
        joint = mechanism.bodies[body].joint
        found += [*_constant(joint.reference.matrix), *_moving(joint)]
    return [*found, *_constant(pose.matrix)]


def _constant(pose: Any) -> Iterator[Primitive]:
    """A constant pose: a translation, then turns about z, y and x; what is nothing is left out."""
    matrix = np.asarray(pose, float)
    for axis, distance in zip("xyz", matrix[:3, 3], strict=True):
        if distance:
            yield Primitive(f"T{axis}", repr(float(distance)))
    for axis, angle in zip("zyx", reversed(rpy_from_rotation(matrix[:3, :3])), strict=True):
        if abs(angle) > 1e-15:
            yield Primitive(f"R{axis}", _angle(float(angle)))


def _angle(value: float) -> str:
    """Halves and wholes of π by name."""
    halves = round(value / (math.pi / 2))
    if halves and abs(value - halves * math.pi / 2) < 1e-14:
        return {1: "%pi/2", -1: "-%pi/2", 2: "%pi", -2: "-%pi"}[halves]
    return repr(value)


def _moving(joint: MovingJoint) -> Iterator[Primitive]:
    """What a joint does, its axis being z."""
    q, v, kind = joint.q.start, joint.v.start, joint.type
    if kind in SINGLE:
        value = f"q[{q + 1}]" if joint.gain == 1.0 else f"{joint.gain!r}*q[{q + 1}]"
        value = value if joint.offset == 0.0 else f"{value} + {joint.offset!r}"
        pitch = joint.part.pitch
        if pitch:
            yield Primitive("Tz", f"{pitch!r}*({value})", v, joint.gain * pitch)
        yield Primitive("Tz" if kind is JointType.PRISMATIC else "Rz", value, v, joint.gain)
    elif kind is JointType.PLANAR:
        yield from (Primitive(name, f"q[{q + k}]", v) for k, name in enumerate(("Tx", "Ty", "Rz"), start=1))
    elif kind is not JointType.FIXED:
        if kind is JointType.FLOATING:
            yield from (Primitive(f"T{axis}", f"q[{q + k}]", v) for k, axis in enumerate("xyz", start=1))
            q += 3
        w, x, y, z = (f"q[{q + k}]" for k in range(1, 5))
        yield Primitive("Rz", f"atan2(2*({w}*{z} + {x}*{y}), {w}^2 + {x}^2 - {y}^2 - {z}^2)", v)
        yield Primitive("Ry", f"asin(2*({w}*{y} - {z}*{x})/({w}^2 + {x}^2 + {y}^2 + {z}^2))", v)
        yield Primitive("Rx", f"atan2(2*({w}*{x} + {y}*{z}), {w}^2 - {x}^2 - {y}^2 + {z}^2)", v)


def _entries(robot: Robot) -> list[str]:
    """Which entries of q are whose."""
    places = [(name, robot.q_index[name]) for name in robot.joint_names]
    return [f"q[{place.start + 1}..{place.stop}]: {name}" for name, place in places]


def _matrix(rows: list[list[str]]) -> str:
    listed = ["[" + ", ".join(row) + "]" for row in rows]
    return f"matrix({', '.join(listed)})"


def _known(library: str) -> None:
    if library not in get_args(Convention):
        raise Error(f"library={library!r}; the moved frame of its primitives stands on the 'right' or on the 'left'")
