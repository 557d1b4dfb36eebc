"""Motion in several directions at once: MotionBasis, what joints leave free (S, a Jacobian), and how it changes."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, overload

import numpy as np

from motionc.geometry.coordinates import assemble, beside, cross, zeros
from motionc.geometry.force import ApparentWrench, ArticulatedWrench, Wrench
from motionc.geometry.joint_space import JointAcceleration, JointBias, JointForce, JointResponse, JointVelocity
from motionc.geometry.labels import Labels
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.motion import (
    OWN,
    DrivenAcceleration,
    Twist,
    check_inertial,
)
from motionc.geometry.row_space import JointRows
from motionc.geometry.screw import MEANING, Force, Motion, check_chain
from motionc.geometry.wrench_basis import WrenchBasis, paired


@dataclass(frozen=True, slots=True, eq=False)
class _Columns(Motion):
    """One column for each joint coordinate named in `joints`."""

    meaning: ClassVar[tuple[str, ...]] = (*MEANING, "joints")

    joints: Labels = ()

    def compose(self, relative: Self) -> Self:
        """Along a path: the columns that move b wrt a beside those that move c wrt b move c wrt a."""
        if not check_chain(self, relative, type(self)):
            return self
        parts = beside(self.angular, relative.angular), beside(self.linear, relative.linear)
        joints = self.joints + relative.joints
        return replace(self, of=relative.of, joints=joints, angular=parts[0], linear=parts[1])


@dataclass(frozen=True, slots=True, eq=False)
class MotionBasisRate(_Columns):
    """The rate of a Jacobian's columns: derivatives taken in the inertial frame, of a point that moves along.

    Of one joint, how S changes in the body it moves.
    """

    def times(self, rate: JointVelocity) -> DrivenAcceleration:
        """Ṡ q̇: what columns that change add to an acceleration."""
        if is_kind(rate, JointVelocity, lambda: f"{self}.times({rate})") and rate.joints != self.joints:
            refuse(
                f"{self}.times({rate})",
                f"columns {self.joints} != joints {rate.joints}",
                remedy="take rates and directions of the same joint",
            )
        parts = self.angular @ rate.values, self.linear @ rate.values
        return DrivenAcceleration(self.of, self.wrt, self.point, self.as_seen_by, *parts)

    def observed_from(self, carrier: Twist, columns: "MotionBasis") -> "MotionBasisRate":
        """The derivatives taken in the body of `carrier` instead, which turns: - ω × the columns themselves."""
        check_inertial(carrier, "observed_from")
        self.expect(carrier, ".observed_from", Twist, ("point", "as_seen_by"))
        self.expect(columns, ".observed_from", MotionBasis)
        if carrier.of != self.wrt:
            refuse(
                f"{self}.observed_from({carrier}, {columns})",
                f"{carrier} is not of {self.wrt}",
                remedy="give the twist of the body the Jacobian is with respect to",
            )
        return self.shifted(-cross(carrier.angular, columns.angular), -cross(carrier.angular, columns.linear))


@dataclass(frozen=True, slots=True, eq=False)
class MotionBasis(_Columns):
    """The motion subspace S, directions joints leave free: one column for each joint coordinate named in `joints`.

    Of one joint it is the motion subspace S; composed along a path it is a Jacobian.
    """

    def bracket(self, rate: JointVelocity) -> JointResponse:
        """(S q̇) × S in coordinates of S itself: how far rates of one joint are no derivatives of coordinates.

        S is constant, and what it spans is closed: of a joint with one rate, or rates that are derivatives, it is zero.
        """
        is_kind(rate, JointVelocity, lambda: f"{self}.bracket({rate})")
        n = len(self.joints)
        S = np.vstack([np.asarray(self.angular, float), np.asarray(self.linear, float)])
        entries: list[list[Any]] = [[0.0] * n for _ in range(n)]
        for i, (w, v) in enumerate(zip(S[:3].T, S[3:].T, strict=True)):
            swept = np.vstack([np.cross(w, S[:3].T).T, (np.cross(w, S[3:].T) + np.cross(v, S[:3].T)).T])
            share = np.linalg.lstsq(S, swept, rcond=None)[0].round(12)
            for k, j in zip(*np.nonzero(share), strict=True):
                entries[k][j] = entries[k][j] + share[k, j] * rate.values[i, 0]
        return JointResponse(self.joints, self.joints, assemble(entries) if n else zeros(0, 0))

    def rate(self, carrier: Twist, followed: Twist) -> MotionBasisRate:
        """(ω × s; ω × s_v + (v - v_followed) × s): columns fixed to the carrier's body, at a point that moves along."""
        self.expect(carrier, ".rate", Twist, OWN)
        self.expect(followed, ".rate", Twist, ("point", "as_seen_by"))
        for twist in (carrier, followed):
            check_inertial(twist, "rate")
        if followed.of != followed.point.body:
            refuse(
                f"{self}.rate({carrier}, {followed})",
                f"{followed.point} is not fixed to {followed.of}",
                remedy=f"follow the point with the twist of {followed.point.body}",
            )
        slip = cross(carrier.linear - followed.linear, self.angular)
        parts = cross(carrier.angular, self.angular), cross(carrier.angular, self.linear) + slip
        return MotionBasisRate(self.of, self.wrt, self.point, self.as_seen_by, *parts, joints=self.joints)

    def give_way(self, directions: "MotionBasis", response: JointResponse) -> "MotionBasis":
        """X - S response, beside S: how joints move a body once its own joint has given way to all before it."""
        self.expect(directions, ".give_way", MotionBasis, OWN)
        if (response.joints, response.to) != (directions.joints, self.joints):
            refuse(
                f"{self}.give_way({directions}, {response})",
                f"it is not the response of {', '.join(directions.joints)} to {', '.join(self.joints)}",
                remedy="take the response of the joint's own Projector to these columns",
            )
        turn, shift = directions.angular, directions.linear
        angular = beside(self.angular - turn @ response.values, turn)
        linear = beside(self.linear - shift @ response.values, shift)
        return replace(self, joints=self.joints + directions.joints, angular=angular, linear=linear)

    @overload
    def times(self, rate: JointVelocity) -> Twist: ...
    @overload
    def times(self, rate: JointAcceleration) -> DrivenAcceleration: ...
    def times(self, rate: JointVelocity | JointAcceleration) -> Twist | DrivenAcceleration:
        """S q̇, a Twist, or S q̈, what drives an acceleration."""
        rates = (JointVelocity, JointAcceleration)
        if is_kind(rate, rates, lambda: f"{self}.times({rate})") and rate.joints != self.joints:
            refuse(
                f"{self}.times({rate})",
                f"columns {self.joints} != joints {rate.joints}",
                remedy="take rates and directions of the same joint",
            )
        kind = DrivenAcceleration if isinstance(rate, JointAcceleration) else Twist
        parts = self.angular @ rate.values, self.linear @ rate.values
        return kind(self.of, self.wrt, self.point, self.as_seen_by, *parts)

    @overload
    def pair(self, force: Wrench) -> JointForce: ...
    @overload
    def pair(self, force: ArticulatedWrench) -> JointBias: ...
    @overload
    def pair(self, force: WrenchBasis) -> JointRows: ...
    def pair(self, force: Wrench | ArticulatedWrench | WrenchBasis) -> JointForce | JointBias | JointRows:
        """Sᵀ F: a motor's force for a physical wrench, a bias for an articulated one, rows for a basis of wrenches."""
        if isinstance(force, ApparentWrench) or (isinstance(force, WrenchBasis) and force.kind is ApparentWrench):
            refuse(
                f"{self}.pair({force})",
                "an apparent wrench was already projected through the joint: nothing of it is left along S",
                remedy="pair the Wrench or ArticulatedWrench of the joint's own body, before it is projected",
            )
        elif is_kind(force, (Wrench, ArticulatedWrench, WrenchBasis), lambda: f"{self}.pair({force})"):
            self.expect(force, ".pair", Force, MEANING if isinstance(force, Wrench) else OWN)
        values = paired(self, force)
        if isinstance(force, WrenchBasis):
            return JointRows(self.joints, force.rows, values)
        return JointForce(self.joints, values) if isinstance(force, Wrench) else JointBias(self.joints, values)
