"""How far two bodies are apart, and where they meet: gap, normal and contact point of round shapes and surfaces.

    gap       the distance between the surfaces (m), below zero where one is inside the other
    normal    of length 1, from the surface towards the body that touches it
    point     of the body's shape, nearest to the surface (deepest in it): centre - radius · normal

Numbers and symbols alike, in the axes all positions are seen by; nothing branches and nothing is divided by zero. Where
centres coincide there is no normal; then it is `UP`, and the gap is right.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    at_least,
    at_most,
    column,
    cross,
    select,
    square_root,
)
from motionc.geometry.entities import Body, Frame
from motionc.geometry.heights import Heights
from motionc.geometry.meaning import refuse
from motionc.geometry.pose import Orientation, Pose, check_frame

UP = column((0.0, 0.0, 1.0))
TOUCHING = 1e-24
"""Squares of distances between centres below which they are the same (m²)."""
PARALLEL = 1e-8
"""The square of the angle (rad) about which segments count as parallel; it moves no gap by more than a few nanometres
per metre of length."""


@dataclass(frozen=True, slots=True, eq=False)
class Meeting(Relation):
    """Where body `of` is nearest to a surface of body `wrt`, in the axes of `as_seen_by`: gap (1, 1) in metres, normal
    (3, 1) from the surface towards the body, contact point (3, 1) of the body's shape.
    """

    coordinates: ClassVar[tuple[str, ...]] = ("gap", "normal", "point")

    of: Body
    wrt: Body
    as_seen_by: Frame
    gap: Coordinates = UNKNOWN
    normal: Coordinates = UNKNOWN
    point: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Meeting({self.of},{self.wrt},{self.as_seen_by})"

    def change_frame(self, orientation: Orientation) -> "Meeting":
        """The same in other axes: R on normal and point, which stays wrt the same origin."""
        if not check_frame(self, orientation):
            return self
        turned = orientation.apply(self.normal), orientation.apply(self.point)
        return Meeting(self.of, self.wrt, orientation.wrt, self.gap, *turned)


@dataclass(frozen=True, slots=True, eq=False)
class Rounded(Relation):
    """What is within `radius` of a point, or of the segment middle ± half: a point, a sphere or a capsule of body `of`.

    `half` is half of the segment, to its upper end (3, 1); None of points and spheres.
    """

    coordinates: ClassVar[tuple[str, ...]] = ("middle",)

    of: Body
    as_seen_by: Frame
    middle: Coordinates = UNKNOWN
    radius: float = 0.0
    half: Coordinates | None = None
    length: float = 0.0

    @staticmethod
    def at(pose: Pose, radius: float = 0.0, length: float = 0.0) -> "Rounded":
        """A shape with its middle at a frame, a capsule along z of that, as seen by the other end of the pose."""
        half = pose.orientation.apply(column((0.0, 0.0, length / 2))) if length else None
        return Rounded(pose.of.body, pose.wrt, pose.position.xyz, radius, half, length)

    def __str__(self) -> str:
        return f"Rounded({self.of},{self.as_seen_by})"

    @property
    def ends(self) -> "tuple[Rounded, ...]":
        """A capsule as the spheres at its lower and upper end; a sphere as itself."""
        if self.half is None:
            return (self,)
        return tuple(
            replace(self, middle=middle, half=None, length=0.0)
            for middle in (self.middle - self.half, self.middle + self.half)
        )

    def on_plane(self, wrt: Body, normal: Any, point: Any) -> tuple[Meeting, ...]:
        """Each end on a plane of body `wrt`, through a point, its normal of length 1: exact."""
        n, through = column(normal), column(point)
        return tuple(end.met(wrt, n, n.T @ (end.middle - through)) for end in self.ends)

    def on_heights(self, ground: Heights) -> tuple[Meeting, ...]:
        """Each end on a height field: how far its centre is from a plane that touches the ground.

        A point's plane touches above or below it. A sphere's does where the normal found there leads from its centre to
        its surface. Exact where the ground is one plane, sloping or not; elsewhere the gap misses the distance to the
        nearest point of the ground by what that bends away from the plane.
        """
        self._expect_axes(ground, lambda: f"{self}.on_heights({ground})")
        return tuple(end.met(ground.of, *end._over(ground)) for end in self.ends)

    def _over(self, ground: Heights) -> tuple[Coordinates, Coordinates]:
        plane = ground.tangent(self.middle)
        if self.radius:
            plane = ground.tangent(self.middle - self.radius * plane.normal)
        return plane.normal, plane.normal.T @ (self.middle - plane.point)

    def met(self, wrt: Body, normal: Coordinates, distance: Coordinates) -> Meeting:
        """A point or sphere whose centre is at a distance from a surface along its normal."""
        gap, point = distance - self.radius, self.middle - self.radius * normal
        return Meeting(self.of, wrt, self.as_seen_by, gap, normal, point)

    def on_round(self, other: "Rounded") -> Meeting:
        """On another point, sphere or capsule, between the points of both middles that are nearest to each other."""

        self._expect_axes(other, lambda: f"{self}.on_round({other})")
        own, theirs = _nearest(self, other)
        apart = own - theirs
        square = apart.T @ apart
        same = square < TOUCHING
        length = square_root(select(same, 1.0, square))
        normal, distance = select(same, UP, apart / length), select(same, 0.0, length)
        nearest = replace(self, middle=own, half=None, length=0.0)
        return nearest.met(other.of, normal, distance - other.radius)

    def _expect_axes(self, other: Any, subject: Callable[[], str]) -> None:
        """Refuse what is seen by other axes."""
        if other.as_seen_by != self.as_seen_by:
            reason = f"as_seen_by differ: {self.as_seen_by} != {other.as_seen_by}"
            refuse(subject(), reason, remedy=f"take both as seen by {self.as_seen_by}")


def _nearest(first: Rounded, second: Rounded) -> tuple[Coordinates, Coordinates]:
    """The points of two middles, points or segments, that are nearest to each other.

    Between segments p + s u and q + t w, s and t in ±1, r = p - q: where their lines are nearest (s), from there on the
    second (t), and from there on the first again, each kept within; no third step would change anything. Where they are
    parallel s is the middle of where one lies along the other: a pull of PARALLEL towards that, everywhere.
    """
    p, q, u, w = first.middle, second.middle, first.half, second.half
    if u is None:
        return (p, q) if w is None else (p, q + _within(w.T @ (p - q) / (second.length**2 / 4)) * w)
    if w is None:
        theirs, own = _nearest(second, first)
        return own, theirs
    uu, ww = first.length**2 / 4, second.length**2 / 4
    r, uw = p - q, u.T @ w
    across = cross(u, w)
    along_u, along_w = u.T @ r, w.T @ r
    overlap = (_within((uw - along_u) / uu) + _within((-uw - along_u) / uu)) / 2
    pull = PARALLEL * uu * ww
    s = _within((across.T @ cross(w, r) + pull * overlap) / (across.T @ across + pull))
    t = _within((uw * s + along_w) / ww)
    s = _within((uw * t - along_u) / uu)
    return p + s * u, q + t * w


def _within(share: Coordinates) -> Coordinates:
    return at_least(at_most(share, 1.0), -1.0)
