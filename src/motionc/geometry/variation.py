"""How motions and forces change when a joint moves on or moves faster, as the bodies beyond it see it.

When a joint moves on by a unit, everything beyond it moves along rigidly: what its bodies see is only that what came
before them looks turned, V × S. Twists of all bodies beyond change by the same columns; so do their accelerations, but
for V_k × the twist's own change, which is left to the CoriolisInertia of each body.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, cross
from motionc.geometry.entities import Body, Frame, Point
from motionc.geometry.factors import conjugate
from motionc.geometry.force import Wrench
from motionc.geometry.inertia import RigidInertia
from motionc.geometry.labels import Labels
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.motion import OWN, SpatialAcceleration, Twist, check_inertial
from motionc.geometry.motion_basis import MotionBasis
from motionc.geometry.pose import Orientation, Position
from motionc.geometry.screw import MEANING, Motion
from motionc.geometry.wrench_basis import WrenchBasis


@dataclass(frozen=True, slots=True, eq=False)
class MotionVariation:
    """By how much twist and spatial acceleration of body `of`, and of all beyond it, change per unit of each joint
    coordinate, as the bodies see it. Of an acceleration, V × the twist's change is not in it.
    """

    twist: MotionBasis
    acceleration: MotionBasis

    @staticmethod
    def moving_on(S: MotionBasis, before: Twist, pushed: SpatialAcceleration) -> "MotionVariation":
        """V × S and A × S + V × (V × S): of a joint that moves on, from how the body before it moves, at this place."""
        _check_before(S, before, "moving_on")
        S.expect(pushed, ".moving_on", SpatialAcceleration, ("point", "as_seen_by"))
        twist = crossed(before, S)
        turned, swept = crossed(pushed, S), crossed(before, twist)
        return MotionVariation(twist, turned.shifted(swept.angular, swept.linear))

    @staticmethod
    def moving_faster(S: MotionBasis, before: Twist, own: Twist) -> "MotionVariation":
        """S and V_before × S + V × S: of a joint that moves faster."""
        _check_before(S, before, "moving_faster")
        S.expect(own, ".moving_faster", Twist, OWN)
        check_inertial(own, "moving_faster")
        swept = crossed(own, S)
        return MotionVariation(S, crossed(before, S).shifted(swept.angular, swept.linear))

    def __str__(self) -> str:
        return f"MotionVariation({self.of}; {', '.join(self.joints)})"

    @property
    def of(self) -> Body:
        return self.twist.of

    @property
    def point(self) -> Point:
        return self.twist.point

    @property
    def as_seen_by(self) -> Frame:
        return self.twist.as_seen_by

    @property
    def joints(self) -> Labels:
        return self.twist.joints

    def change_frame(self, orientation: Orientation) -> "MotionVariation":
        return MotionVariation(self.twist.change_frame(orientation), self.acceleration.change_frame(orientation))

    def change_point(self, position: Position) -> "MotionVariation":
        return MotionVariation(self.twist.change_point(position), self.acceleration.change_point(position))


@dataclass(frozen=True, slots=True, eq=False)
class TurnRows(Relation):
    """By how much what joints feel changes per unit of angular velocity of all that is beyond them: one column each."""

    of: Body
    as_seen_by: Frame
    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"TurnRows({self.of},{self.as_seen_by}; {', '.join(self.rows)})"

    def change_frame(self, orientation: Orientation) -> "TurnRows":
        if orientation.of != self.as_seen_by:
            refuse(
                f"{self}.change_frame({orientation})",
                f"it is as seen by {self.as_seen_by}",
                remedy=f"give an Orientation of {self.as_seen_by}",
            )
        return replace(self, as_seen_by=orientation.wrt, values=orientation.apply(self.values))


@dataclass(frozen=True, slots=True, eq=False)
class CoriolisInertia(Relation):
    """What a change β of all angular velocities requires of a body that moves: n = 2 (tr G - G) β, f = 2 β × p.

    It is the Coriolis force 2 β × ṙ on every particle: G = Σ m ṙ rᵀ about the point, p the momentum. It adds over
    bodies that keep moving as they do.
    """

    of: Body
    point: Point
    as_seen_by: Frame
    coordinates: ClassVar[tuple[str, ...]] = ("spread", "momentum")

    spread: Coordinates = UNKNOWN
    momentum: Coordinates = UNKNOWN

    @staticmethod
    def of_body(inertia: RigidInertia, twist: Twist) -> "CoriolisInertia":
        """G = ω × J + v (m c)ᵀ with J = Σ m r rᵀ = ½ tr(I) - I, and p = m v + ω × m c."""
        twist.expect(inertia, ".of_body", RigidInertia, OWN)
        check_inertial(twist, "of_body")
        I, mc = inertia.rotational, inertia.first_moment
        second_moment = _trace(0.5 * I) - I
        spread = cross(twist.angular, second_moment) + twist.linear @ mc.T
        momentum = twist.linear * inertia.mass - cross(mc, twist.angular)
        return CoriolisInertia(inertia.of, inertia.point, inertia.as_seen_by, spread, momentum)

    def __str__(self) -> str:
        return f"CoriolisInertia({self.of},{self.point},{self.as_seen_by})"

    def change_frame(self, orientation: Orientation) -> "CoriolisInertia":
        self._check(
            orientation.of == self.as_seen_by, f"change_frame({orientation})", "give an Orientation of its axes"
        )
        spread = conjugate(orientation.factors, self.spread)
        return replace(self, as_seen_by=orientation.wrt, spread=spread, momentum=orientation.apply(self.momentum))

    def change_point(self, position: Position) -> "CoriolisInertia":
        """G' = G - p rᵀ."""
        fits = position.wrt == self.point and position.as_seen_by == self.as_seen_by
        self._check(fits, f"change_point({position})", "give the Position of the new point wrt its own, in its axes")
        return replace(self, point=position.of, spread=self.spread - self.momentum @ position.xyz.T)

    def __add__(self, other: "CoriolisInertia") -> "CoriolisInertia":
        """Of two bodies; the result is named after the first."""
        if not is_kind(other, CoriolisInertia, lambda: f"{self} + {other}"):
            return self
        same = (self.point, self.as_seen_by) == (other.point, other.as_seen_by)
        self._check(same, f"+ {other}", "bring both to one point and one set of axes first")
        return replace(self, spread=self.spread + other.spread, momentum=self.momentum + other.momentum)

    def required(self, change: MotionVariation, inertia: RigidInertia) -> WrenchBasis:
        """What all bodies together require more: H δA + C δω, column by column."""
        self._check_place(change.twist, "required")
        columns = inertia.along(change.acceleration)
        turn = change.twist.angular
        return columns.shifted(2 * (_trace(self.spread) - self.spread) @ turn, -2 * cross(self.momentum, turn))

    def felt(self, S: MotionBasis) -> TurnRows:
        """What of it each direction feels: Sᵀ C, columns."""
        self._check_place(S, "felt")
        values = 2 * ((_trace(self.spread) - self.spread).T @ S.angular + cross(self.momentum, S.linear))
        return TurnRows(self.of, self.as_seen_by, S.joints, values)

    def _check_place(self, motion: Motion, operation: str) -> None:
        motion.expect(self, f".{operation}", CoriolisInertia, OWN)

    def _check(self, right: bool, operation: str, remedy: str) -> None:
        if not right:
            refuse(f"{self} {operation}", "they are not at one place", remedy=remedy)


def swept_along(wrench: Wrench, S: MotionBasis) -> WrenchBasis:
    """S ×* F: how a wrench changes while all it acts on is moved along each direction, seen from before the joint."""
    S.expect(wrench, ".swept_along", Wrench, MEANING)
    return carried_along(wrench, S, point=True, axes=True)


def carried_along(wrench: Wrench, S: MotionBasis, *, point: bool, axes: bool) -> WrenchBasis:
    """The same for a wrench of which the directions move only the point it is reduced to, or only its axes.

    (ω × n + s × f; ω × f), of which s × f is due to the point and the rest to the axes.
    """
    S.expect(wrench, ".carried_along", Wrench, ("point", "as_seen_by"))
    n, f = wrench.angular, wrench.linear
    nothing = 0 * S.angular
    moment = -cross(f, S.linear) if point else nothing
    parts = (moment - cross(n, S.angular), -cross(f, S.angular)) if axes else (moment, nothing)
    return WrenchBasis(S.of, S.wrt, S.point, S.as_seen_by, *parts, rows=S.joints)


def field_along(motion: Motion, S: MotionBasis, *, body: bool, point: bool, axes: bool) -> MotionBasis:
    """How a body's motion changes where a point is, in some axes, while each direction moves the body, the point or the
    axes: S × X, + (0; x × s), - ω × X. Where it moves all of them, nothing changes.
    """
    S.expect(motion, ".field_along", Motion, ("point", "as_seen_by"))
    w, s, x, y = S.angular, S.linear, motion.angular, motion.linear
    turn, shift = 0 * w, 0 * w
    if body != axes:
        sign = 1 if body else -1
        turn, shift = -sign * cross(x, w), -sign * cross(y, w)
    if body != point:
        shift = shift - cross(x, s) if body else shift + cross(x, s)
    return replace(S, angular=turn, linear=shift)


@dataclass(frozen=True, slots=True, eq=False)
class JointVariation(Relation):
    """By how much a quantity along joints or rows changes per unit of each of `to`, (joints × to)."""

    joints: Labels
    to: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointVariation({len(self.joints)} by {len(self.to)})"


def _check_before(S: MotionBasis, before: Twist, operation: str) -> None:
    S.expect(before, f".{operation}", Twist, ("point", "as_seen_by"))
    check_inertial(before, operation)
    if before.of != S.wrt:
        refuse(
            f"{S}.{operation}({before})",
            f"{before} is not of {S.wrt}",
            remedy="give the twist of the body before the joint, at the place of the body beyond it",
        )


def crossed(motion: Motion, S: MotionBasis) -> MotionBasis:
    """motion × S, column by column."""
    linear = cross(motion.angular, S.linear) + cross(motion.linear, S.angular)
    return replace(S, angular=cross(motion.angular, S.angular), linear=linear)


def _trace(a: Coordinates) -> Coordinates:
    """tr(a) · 1."""
    return (a[:1, :1] + a[1:2, 1:2] + a[2:, 2:]) * np.eye(3)
