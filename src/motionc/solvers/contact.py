"""How a user says what touches what: Contact, the surfaces Plane, Solid and HeightField, and Compliant, a law of force.

Words alone, as in constraint.py: where they are on a robot, `resolve_contacts` says; how far apart things are,
geometry/closest.py computes. Nothing here knows of time steps.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry import WORLD, WORLD_FRAME, Pose
from motionc.geometry.closest import Meeting, Rounded
from motionc.geometry.coordinates import UNKNOWN, Coordinates
from motionc.geometry.heights import Heights
from motionc.model.mechanism import Mechanism
from motionc.model.shapes import Capsule, Sphere, checked_shape
from motionc.program.port import Port
from motionc.program.space import Near
from motionc.solvers.constraint import FRAME, Compared, checked_point
from motionc.sweeps.frames import Attached, attached

Round = Sphere | Capsule
"""Shapes whose surface is a radius away from a point or a segment."""


# ---------------------------------------------------------------- surfaces


@dataclass(frozen=True, eq=False, repr=False)
class Plane(Compared):
    """A plane fixed in the world; the robot is on the side its normal points to.

    Args:
        normal: of any length but zero, in world axes; kept at length 1.
        point: any point of it, in world axes (m).
    """

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        wanted = "give three finite numbers, not all of them zero"
        normal = checked.numbers("Plane: normal", self.normal, wanted, (3,))
        largest = np.abs(normal).max()
        if not largest:
            raise checked.refusal("Plane: normal", self.normal, wanted)
        normal = normal / largest
        object.__setattr__(self, "normal", tuple(map(float, normal / np.linalg.norm(normal))))
        object.__setattr__(self, "point", checked_point("Plane: point", self.point))


@dataclass(frozen=True, eq=False, repr=False)
class Solid(Compared):
    """A sphere or a capsule that is touched: fixed in the world, or on a body of the robot that touches it.

    Args:
        shape: Sphere(radius), or Capsule(radius, length) along z of its frame.
        frame: where it is fixed: "world", or a link, attachment or `joint:NAME` of the robot. Two robots are one Robot
            (`mc.attach`).
        point: its centre, in frame coordinates (m).
    """

    shape: Round
    frame: str = "world"
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        checked.name("Solid: frame", self.frame, FRAME)
        object.__setattr__(self, "shape", checked_shape(f"Solid on {self.frame}: shape", self.shape, Sphere, Capsule))
        object.__setattr__(self, "point", checked_point(f"Solid on {self.frame}: point", self.point))


@dataclass(frozen=True, eq=False, repr=False)
class HeightField(Compared):
    """Ground by its heights over a grid, fixed in the world, bilinear between them; z is up.

    The height at grid point (i, j) is above x = origin_x + i·spacing_x, y = origin_y + j·spacing_y. Outside of the grid
    the border's height goes on flat. The heights are an input of their name, these numbers unless told otherwise, so
    that every roll-out may have ground of its own.

    Args:
        heights: r×c numbers, at least 2×2, over origin_z (m).
        spacing: between neighbours of the grid, one number or two, along x and along y (m).
        origin: where heights[0, 0] is, in world axes (m).
        name: of the input.
    """

    heights: Any
    spacing: Any
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    name: str = "heights"

    def __post_init__(self) -> None:
        what = f"HeightField {checked.name('HeightField: name', self.name, 'give the name of an input')}"
        wanted = "give an r×c array of finite heights in metres, at least 2×2"
        heights = checked.numbers(f"{what}: heights", self.heights, wanted, (None, None))
        if min(heights.shape) < 2:
            raise checked.refusal(f"{what}: heights", self.heights, wanted)
        heights.setflags(write=False)
        object.__setattr__(self, "heights", heights)
        wanted = "give a finite number > 0 in metres, or two, along x and along y"
        spacing = checked.numbers(f"{what}: spacing", self.spacing, wanted)
        if spacing.shape not in ((), (2,)) or not np.all(spacing > 0):
            raise checked.refusal(f"{what}: spacing", self.spacing, wanted)
        object.__setattr__(self, "spacing", tuple(map(float, np.broadcast_to(spacing, 2))))
        object.__setattr__(self, "origin", checked_point(f"{what}: origin", self.origin))

    @property
    def default(self) -> Any:
        """What the input is where nobody says otherwise."""
        return self.heights

    @property
    def port(self) -> Port:
        """The input that the heights are."""
        meaning = (
            f"heights over the grid of {self.name}, {self.spacing[0]:g} m apart along x, {self.spacing[1]:g} m along y"
        )
        return Port(self.name, self.heights.shape, "m", meaning, Near(self.heights))

    def over(self, heights: Coordinates) -> Heights:
        """The ground with these heights, a column row by row."""
        return Heights(WORLD, WORLD_FRAME, self.heights.shape, self.spacing, self.origin, heights)


Surface = Plane | Solid | HeightField


# ---------------------------------------------------------------- laws


@dataclass(frozen=True)
class Compliant:
    """A contact that gives way, Hunt–Crossley's: f_n = k d^p (1 + c ḋ) ≥ 0 at depth d, f_t = -μ f_n v_t/√(|v_t|² + ε²).

    The force is that at the beginning of a time step; stiff contacts need short steps.

    Args:
        stiffness: k (N/m, or N/m^1.5 where the exponent is 1.5).
        damping: c (s/m); (1 + c ḋ) is never negative, so that nothing sticks.
        slip_speed: ε, the speed below which friction is smooth; what rests on a slope creeps by less (m/s).
        exponent: p, 1 for a spring, 1.5 for spheres (Hertz).
    """

    stiffness: float
    damping: float = 0.0
    _: KW_ONLY
    slip_speed: float = 1e-2
    exponent: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (("stiffness", 0.0), ("slip_speed", 0.0), ("damping", None)):
            wanted = f"give a finite number {'≥' if least is None else '>'} 0"
            value = checked.number(
                f"Compliant: {name}",
                getattr(self, name),
                wanted,
                fits=(lambda x: x >= 0) if least is None else (lambda x: x > 0),
            )
            object.__setattr__(self, name, value)
        wanted = "say 1 for a spring, or 1.5 for spheres"
        exponent = checked.number("Compliant: exponent", self.exponent, wanted, fits=lambda p: p in (1.0, 1.5))
        object.__setattr__(self, "exponent", exponent)


# ---------------------------------------------------------------- contacts


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Compared):
    """Something of the robot that may touch a surface: a point of a frame, a sphere or a capsule around it.

    Args:
        frame: name of a link, attachment or `joint:NAME`; its body is the one that touches.
        surface: Plane(…), Solid(…) or HeightField(…); the ground z = 0 unless said.
        shape: None, the point itself touches; Sphere(radius) around it; Capsule(radius, length) with its middle there,
            along z of the frame. A capsule touches a plane or a height field with both ends.
        point: in frame coordinates (m).
        friction: Coulomb's μ ≥ 0.
        restitution: e from 0 (no rebound) to 1: how much of the speed of approach it leaves with.
        name: how outputs call it; that of the frame unless said.
        law: None, hard: impulses that keep it from going in; Compliant(…): a force that grows with depth.
    """

    frame: str
    surface: Surface = Plane()
    _: KW_ONLY
    shape: Round | None = None
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    friction: float = 0.7
    restitution: float = 0.0
    name: str = ""
    law: Compliant | None = None

    def __post_init__(self) -> None:
        what = f"Contact on {checked.name('Contact: frame', self.frame, FRAME)}"
        wanted = "give a Plane, a Solid or a HeightField"
        checked.instance(f"{what}: surface", self.surface, (Plane, Solid, HeightField), wanted)
        if self.shape is not None:
            object.__setattr__(self, "shape", checked_shape(f"{what}: shape", self.shape, Sphere, Capsule))
        object.__setattr__(self, "point", checked_point(f"{what}: point", self.point))
        friction = checked.number(
            f"{what}: friction", self.friction, "give a finite number ≥ 0", fits=lambda mu: mu >= 0
        )
        object.__setattr__(self, "friction", friction)
        wanted = "give a number from 0 to 1"
        share = checked.number(f"{what}: restitution", self.restitution, wanted, fits=lambda e: 0 <= e <= 1)
        object.__setattr__(self, "restitution", share)
        checked.name(f"{what}: name", self.name, empty=True)
        if self.law is not None:
            checked.instance(f"{what}: law", self.law, Compliant, "give Compliant(…), or None for a hard contact")
            if self.restitution:
                raise Error(
                    f"{what}: restitution={self.restitution:g} of a compliant contact, which rebounds by its own law; "
                    "leave it out, or choose the law's damping"
                )

    @property
    def called(self) -> str:
        """How outputs call it."""
        return self.name or self.frame

    def places(self) -> int:
        """At how many points it can touch: two where a capsule lies on a plane or a height field, else one."""
        return 2 if isinstance(self.shape, Capsule) and not isinstance(self.surface, Solid) else 1

    def place_names(self) -> tuple[str, ...]:
        """What each of these points is called in outputs."""
        return (self.called,) if self.places() == 1 else (f"{self.called}:lower", f"{self.called}:upper")


# ---------------------------------------------------------------- on a robot


@dataclass(frozen=True, slots=True, eq=False)
class Touching:
    """A contact on a mechanism: what it is, where its point (with the frame's axes) is attached, where its surface is
    (a Solid's centre; the world itself for planes and height fields), and which of all contact points are its own.
    """

    contact: Contact
    at: Attached
    on: Attached
    places: slice

    def meetings(self, pose: Pose, on: Pose, heights: Coordinates = UNKNOWN) -> tuple[Meeting, ...]:
        """Where each of its points meets the surface: `pose` is that of `at`'s frame and `on` that of `on`'s, both with
        respect to the world's frame; heights are those of a height field, a column row by row.
        """
        own, surface = _rounded(pose, self.contact.shape), self.contact.surface
        if isinstance(surface, Solid):
            return (own.on_round(_rounded(on, surface.shape)),)
        if isinstance(surface, Plane):
            return own.on_plane(WORLD, surface.normal, surface.point)
        return own.on_heights(surface.over(heights))


def _rounded(pose: Pose, shape: Round | None) -> Rounded:
    if shape is None:
        return Rounded.at(pose)
    return Rounded.at(pose, shape.radius, shape.length if isinstance(shape, Capsule) else 0.0)


def resolve_contacts(mechanism: Mechanism, contacts: Sequence[Contact]) -> tuple[Touching, ...]:
    """All contacts by name, in order."""
    found: list[Touching] = []
    start = 0
    for number, contact in enumerate(contacts):
        checked.instance(f"contact {number}", contact, Contact, "give Contact('FRAME', …)")
        what = f"Contact on {contact.frame!r}"
        at = attached(mechanism, contact.frame, what, contact.point)
        if at.body < 0:
            raise Error(f"{what}: it belongs to the fixed base and never moves; name a frame beyond some joint")
        on = Attached()
        if isinstance(contact.surface, Solid):
            on = attached(mechanism, contact.surface.frame, f"{what}: Solid", contact.surface.point)
            if on.body == at.body:
                raise Error(
                    f"{what}: its surface, the Solid on {contact.surface.frame!r}, belongs to the same body "
                    f"{at.pose.wrt.body}, so that one never moves with respect to the other; name another frame"
                )
        found.append(Touching(contact, at, on, slice(start, start + contact.places())))
        start += contact.places()
    return tuple(found)


def height_fields(what: str, contacts: Sequence[Contact]) -> tuple[HeightField, ...]:
    """The height fields that contacts are on, each once: inputs of their `port`, of their `default` unless told."""
    fields = dict[str, HeightField]()
    for field in (contact.surface for contact in contacts):
        if isinstance(field, HeightField) and fields.setdefault(field.name, field) != field:
            raise Error(f"{what}: two height fields are called {field.name!r}, and differ; give each a name of its own")
    return tuple(fields.values())
