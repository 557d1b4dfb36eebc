"""Constants of a robot that stay open, to be given with every call: how they are named, what they are and were.

    gravity                             free fall in world axes
    LINK.mass  LINK.com  LINK.inertia   of a link, as in its file; LINK.inertial is all ten numbers
    FRAME.payload                       ten numbers of something that hangs on a frame's link besides
    JOINT.origin                        where a joint sits on its parent link
    JOINT.rotor_inertia                 reflected, at each coordinate of a joint
    JOINT.damping  JOINT.friction       at each coordinate of a joint

A `*` stands for any name: "*.mass", "left_*.inertial". Nothing is computed with them here: `opened` puts them under the
mechanism.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.model.chain import Joint
from motionc.model.info import LinkInfo
from motionc.model.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]
Parameters = str | Sequence[str]

MOMENTS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""xx xy xz yy yz zz, the six numbers of a symmetric matrix, as URDF has them."""

INERTIAL = {"mass": slice(0, 1), "com": slice(1, 4), "inertia": slice(4, 10)}
"""Where each is among all ten."""

TEN = "mass, centre of mass, and inertia about it (xx xy xz yy yz zz)"
KINDS = {
    "mass": ((), "kg", "inertia", "mass of link {}"),
    "com": ((3,), "m", "inertia", "centre of mass of link {}, in its axes"),
    "inertia": ((6,), "kg m²", "inertia", "xx xy xz yy yz zz of link {} about its centre of mass, in its axes"),
    "inertial": ((10,), "kg, m, kg m²", "inertia", TEN + " of link {}, in its axes"),
    "payload": ((10,), "kg, m, kg m²", "inertia", TEN + " of what hangs on frame {}, in its axes"),
    "origin": ((3,), "m", "", "where joint {} sits on {}, in its axes"),
    "rotor_inertia": ((), "kg m², kg", "rotor", "reflected rotor inertia of joint {}"),
    "damping": ((), "N m s/rad, N s/m", "friction", "linear damping of joint {}"),
    "friction": ((), "N m, N", "friction", "Coulomb friction of joint {}"),
    "gravity": ((3,), "m/s²", "gravity", "acceleration of free fall in world axes"),
}
"""Shape, unit, what a solver reads that depends on it (places, always), and meaning."""

AT_JOINTS = {"rotor_inertia": "rotor", "damping": "damping", "friction": "friction"}
"""What a Transmission says of each coordinate of a joint, and what a MovingJoint calls it."""


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A constant that is an input: which (`kind`) of which link, joint or frame (`owner`), and what it was."""

    name: str
    kind: str
    owner: str
    meaning: str
    default: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return KINDS[self.kind][0]

    @property
    def unit(self) -> str:
        return KINDS[self.kind][1]


def inertial(mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), inertia: Any = (0.0, 0.0, 0.0)) -> Array:
    """The ten numbers of a link's `inertial`, or of a `payload`.

    Args:
        mass: kg.
        com: centre of mass in the axes of the link or frame (m).
        inertia: about the centre of mass in these axes (kg m²): three principal moments, six numbers
            xx xy xz yy yz zz, or a 3×3 matrix.

    >>> inertial(2.0, (0, 0, 0.1), (0.01, 0.01, 0.02))
    array([2.  , 0.  , 0.  , 0.1 , 0.01, 0.  , 0.  , 0.01, 0.  , 0.02])
    """
    wanted = "give three principal moments, six numbers xx xy xz yy yz zz, or a symmetric 3×3 matrix"
    weight = checked.number("inertial: mass", mass, "give a finite number ≥ 0 in kg", fits=lambda value: value >= 0)
    place = checked.numbers("inertial: com", com, "give three finite coordinates in metres", (3,))
    moments = checked.numbers("inertial: inertia", inertia, wanted)
    if moments.shape == (3,):
        moments = np.diag(moments)
    if moments.shape == (3, 3) and np.allclose(moments, moments.T, rtol=1e-9, atol=0):
        moments = np.array([moments[entry] for entry in MOMENTS])
    if moments.shape != (6,):
        raise checked.refusal("inertial: inertia", inertia, wanted)
    return np.concatenate([[weight], place, moments])


# ---------------------------------------------------------------- by name, on a robot


def parameter_names(what: str, given: Any) -> tuple[str, ...]:
    """One name, or several."""
    return checked.names(what, given, "give a list of names such as 'LINK.mass', and their values with each call")


def resolve_parameters(
    what: str, robot: Robot, names: Sequence[str], gravity: Sequence[float]
) -> tuple[Parameter, ...]:
    """What is named, each with its default; refused where there is nothing of that name, or nothing it changes."""
    parameters: list[Parameter] = []
    for name in _spelled_out(what, robot, names):
        kind, owner, meaning, default = _described(what, robot, name, gravity)
        said = ", ".join(f"{value:.6g}" for value in np.ravel(default))
        said = f"{meaning}; default {said if default.ndim == 0 else f'({said})'}"
        parameters.append(Parameter(name, kind, owner, said, default))
    _refuse_twice(what, parameters)
    return tuple(parameters)


def _spelled_out(what: str, robot: Robot, names: Sequence[str]) -> Iterator[str]:
    """The names, and in the place of one with a `*` all that it stands for, in the robot's order."""
    for name in names:
        pattern, _, kind = name.rpartition(".")
        if "*" not in pattern:
            yield name
            continue
        owners = [owner for owner in _owners(robot, kind) if fnmatchcase(owner, pattern.replace("[", "[[]"))]
        if not owners:
            raise Error(f"{what}: parameters={name!r} stands for nothing that {robot.name} has")
        yield from (f"{owner}.{kind}" for owner in owners)


def _owners(robot: Robot, kind: str) -> Sequence[str]:
    """Whose constants of a kind matter: links that move and have a mass, frames of moving bodies, joints."""
    if kind == "origin":
        return [joint.name for joint in robot.joints]
    if kind in AT_JOINTS:
        return [joint.name for joint in robot.joints if joint.name in robot.v_index or joint.name in robot.followers]
    moving = [name for name in robot.frame_names if robot.mechanism.frames[name][0] >= 0]
    heavy = {link.name for link in robot.links if link.mass}
    return moving if kind == "payload" else [name for name in moving if name in heavy] if kind in KINDS else ()


def refuse_unread(what: str, parameters: Sequence[Parameter], read: Collection[str]) -> None:
    """What is open must matter: kinematics know no masses, a mass matrix knows no gravity."""
    for parameter in parameters:
        needed = KINDS[parameter.kind][2]
        if needed and needed not in read:
            hint = ", or say friction=True where dynamics are asked" if needed == "friction" else ""
            raise Error(f"{what}: parameters={parameter.name!r}: nothing here depends on it; leave it out{hint}")


def _described(what: str, robot: Robot, name: str, gravity: Sequence[float]) -> tuple[str, str, str, Array]:
    """Kind, owner, meaning and default."""
    if name == "gravity":
        return name, "", KINDS[name][3], np.array(gravity, float)
    owner, dot, kind = name.rpartition(".")
    if not dot or kind not in KINDS or kind == "gravity":
        words = ", ".join(f".{word}" for word in KINDS if word != "gravity")
        raise Error(f"{what}: parameters={name!r}; say 'gravity', or what of which link, joint or frame: NAME{words}")
    what, meaning = f"{what}: parameters={name!r}", KINDS[kind][3]
    if kind == "payload":
        _check_moves(what, robot, owner, "frame", robot.frame_names)
        return kind, owner, meaning.format(owner), np.zeros(10)
    if kind in ("origin", *AT_JOINTS):
        joint = _joint(what, robot, owner)
        if kind == "origin":
            return kind, owner, meaning.format(owner, joint.parent.name), origin(joint)
        if owner not in robot.v_index and owner not in robot.followers:
            raise Error(f"{what}: joint {owner} does not move, and has none; leave it out")
        return kind, owner, meaning.format(owner), np.array(getattr(joint.transmission, kind))
    _check_moves(what, robot, owner, "link", robot.link_names)
    ten = ten_of(next(link for link in robot.links if link.name == owner))
    default = ten if kind == "inertial" else ten[INERTIAL[kind]].reshape(KINDS[kind][0])
    return kind, owner, meaning.format(owner), default


def origin(joint: Joint) -> Array:
    """Where a joint sits on its parent link, as it was written down."""
    return joint.parent.pose(joint.reference[1])[:3, 3].copy()


def ten_of(link: LinkInfo) -> Array:
    """Mass, centre of mass and inertia of a link, as it was written down."""
    return np.concatenate([[link.mass or 0.0], link.com, [link.inertia[entry] for entry in MOMENTS]])


def _check_moves(what: str, robot: Robot, owner: str, kind: str, known: Sequence[str]) -> None:
    if owner not in known:
        raise Error(f"{what}: {robot.name} has no {kind} {owner!r}{suggestion(owner, known)}")
    if robot.mechanism.frames[owner][0] < 0:
        raise Error(f"{what}: {owner} belongs to the fixed base, whose mass changes nothing; leave it out")


def _joint(what: str, robot: Robot, owner: str) -> Joint:
    joints = {joint.name: joint for joint in robot.joints}
    if owner not in joints:
        hint = "; where a floating base is belongs to q" if owner in robot.v_index else suggestion(owner, joints)
        raise Error(f"{what}: {robot.name} has no joint {owner!r} in its file{hint}")
    return joints[owner]


def _refuse_twice(what: str, parameters: Sequence[Parameter]) -> None:
    taken = set[tuple[str, str]]()
    for one in parameters:
        each = INERTIAL if one.kind == "inertial" else (one.kind,)
        if any((kind, one.owner) in taken for kind in each):
            raise Error(f"{what}: parameters={one.name!r}: that is open already; name it once")
        taken |= {(kind, one.owner) for kind in each}
