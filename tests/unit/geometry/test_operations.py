"""Every valid operation on relations equals plain matrices, in all three readings, and means what it must."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.linalg import expm
from scipy.spatial.transform import Rotation as Turn

from motionc.geometry import (
    ENVIRONMENT,
    FREE_FALL,
    INERTIA,
    JOINTS,
    ROBOT,
    WORLD,
    WORLD_FRAME,
    ApparentInertia,
    ApparentWrench,
    ArticulatedInertia,
    ArticulatedWrench,
    Body,
    ClassicalAcceleration,
    Coupling,
    DrivenAcceleration,
    Frame,
    JointAcceleration,
    JointBias,
    JointForce,
    JointInertia,
    JointRows,
    JointVelocity,
    Momentum,
    MotionBasis,
    Multipliers,
    Orientation,
    Point,
    Pose,
    Position,
    RigidInertia,
    RowAcceleration,
    RowStack,
    SpatialAcceleration,
    Twist,
    UnitMotions,
    Wrench,
    WrenchBasis,
)
from motionc.geometry.coordinates import UNKNOWN
from motionc.geometry.factors import PlanarRotation, Rotation
from motionc.geometry.lie import quaternion_from_rotation, rotation_from_quaternion
from rows import row
from scene import (
    BASE,
    LOWER,
    MOTIONS,
    SCREWS,
    THREE,
    TIP,
    TWO,
    UPPER,
    E,
    Numbers,
    P,
    Q,
    Scene,
    bare,
    close,
    convective,
    coordinates,
    crossed,
    evaluated,
    homogeneous,
    meaning,
    moved,
    reduced,
    rigid,
    scenes,
    screw_name,
    skew,
    turned,
)
from trials import trials

Array = np.ndarray[Any, Any]

# ---------------------------------------------------------------- what is valid: operation, matrix result, meaning


@dataclass(frozen=True)
class Case:
    """An operation on the scene, the matrix it must equal, and a relation of the meaning it must have."""

    name: str
    compute: Callable[[Scene], Any]
    expected: Callable[[Any], Array]
    means: Any


def placed_cases() -> list[Case]:
    return [
        Case(
            "Position.inverse", lambda s: s.position(Q, P, P).inverse(), lambda n: -n.r, Position(P.origin, Q.origin, P)
        ),
        Case(
            "Position.compose",
            lambda s: s.position(P, E, E).compose(s.position(Q, P, E, "s")),
            lambda n: n.r + n.s,
            Position(Q.origin, E.origin, E),
        ),
        Case(
            "Position.change_frame",
            lambda s: s.position(Q, P, P).change_frame(s.orientation(P, E)),
            lambda n: n.R @ n.r,
            Position(Q.origin, P.origin, E),
        ),
        Case("Orientation.inverse", lambda s: s.orientation(P, E).inverse(), lambda n: n.R.T, Orientation(E, P)),
        Case(
            "Orientation.inverse of factors",
            lambda s: s.in_factors(P, E).inverse(),
            lambda n: (n.R @ planar(n) @ n.K).T,
            Orientation(E, P),
        ),
        Case(
            "Orientation.compose",
            lambda s: s.orientation(P, E).compose(s.orientation(Q, P, "K")),
            lambda n: n.R @ n.K,
            Orientation(Q, E),
        ),
        Case(
            "Orientation.compose of factors",
            lambda s: s.in_factors(P, E).compose(s.in_factors(Q, P)),
            lambda n: n.R @ planar(n) @ n.K @ n.R @ planar(n) @ n.K,
            Orientation(Q, E),
        ),
        Case(
            "Pose.inverse",
            lambda s: s.pose(P, E).inverse(),
            lambda n: np.linalg.inv(homogeneous(n.R, n.r)),
            Pose.between(E, P, None, None),
        ),
        Case(
            "Pose.compose",
            lambda s: s.pose(P, E).compose(s.pose(Q, P, "K", "s")),
            lambda n: homogeneous(n.R, n.r) @ homogeneous(n.K, n.s),
            Pose.between(Q, E, None, None),
        ),
        Case(
            "Position.change_frame by factors",
            lambda s: s.position(Q, P, P).change_frame(s.in_factors(P, E)),
            lambda n: n.R @ planar(n) @ n.K @ n.r,
            Position(Q.origin, P.origin, E),
        ),
    ]


def planar(n: Numbers) -> Array:
    return Turn.from_euler("z", n.theta.item()).as_matrix()


def screw_cases(kind: type) -> list[Case]:
    """What every six-vector can do, whatever it means."""
    name, other = screw_name(kind), screw_name(kind) + "2"
    X = moved if kind in MOTIONS else reduced
    cases = [
        Case(
            f"{kind.__name__}.change_frame",
            lambda s: s.screw(kind, name).change_frame(s.orientation(P, E)),
            lambda n: turned(n.R) @ getattr(n, name),
            bare(kind, at=P, seen=E),
        ),
        Case(
            f"{kind.__name__}.inverse",
            lambda s: s.screw(kind, name).inverse(),
            lambda n: -getattr(n, name),
            bare(kind, of=UPPER, wrt=LOWER),
        ),
        Case(
            f"{kind.__name__} + {kind.__name__}",
            lambda s: s.screw(kind, name) + s.screw(kind, other),
            lambda n: getattr(n, name) + getattr(n, other),
            bare(kind),
        ),
        Case(
            f"{kind.__name__} - {kind.__name__}",
            lambda s: s.screw(kind, name) - s.screw(kind, other),
            lambda n: getattr(n, name) - getattr(n, other),
            bare(kind),
        ),
    ]
    if kind is not ClassicalAcceleration:
        cases.append(
            Case(
                f"{kind.__name__}.change_point",
                lambda s: s.screw(kind, name).change_point(s.position(Q, P, P)),
                lambda n: X(n.r) @ getattr(n, name),
                bare(kind, at=Q, seen=P),
            )
        )
        cases.append(
            Case(
                f"{kind.__name__}: to another point and axes and back",
                lambda s: (
                    s.screw(kind, name)
                    .change_point(s.position(Q, P, P))
                    .change_frame(s.orientation(P, E))
                    .change_frame(s.orientation(P, E).inverse())
                    .change_point(s.position(Q, P, P).inverse())
                ),
                lambda n: getattr(n, name),
                bare(kind),
            )
        )
    return cases


def motion_cases() -> list[Case]:
    def own_twist(s: Scene, wrt: Body = WORLD) -> Twist:
        return s.screw(Twist, "w", wrt=wrt)

    cases = [
        Case(
            f"{kind.__name__}.compose",
            lambda s, kind=kind: s.screw(kind, "m", of=UPPER, wrt=BASE).compose(s.screw(kind, "m2")),
            lambda n: n.m + n.m2,
            bare(kind, of=LOWER, wrt=BASE),
        )
        for kind in (Twist, SpatialAcceleration, ClassicalAcceleration)
    ]
    cases += [
        Case(
            f"{kind.__name__}.driven",
            lambda s, kind=kind: s.screw(kind, "m").driven(s.screw(DrivenAcceleration, "m2")),
            lambda n: n.m + n.m2,
            bare(kind),
        )
        for kind in (SpatialAcceleration, ClassicalAcceleration)
    ]
    return [
        *cases,
        Case(
            "MotionBasis.compose",
            lambda s: s.screw(MotionBasis, "S", of=UPPER, wrt=BASE, joints=("hip", "yaw")).compose(
                s.screw(MotionBasis, "S2")
            ),
            lambda n: np.hstack([n.S, n.S2]),
            bare(MotionBasis, of=LOWER, wrt=BASE, joints=("hip", "yaw", *TWO)),
        ),
        Case(
            "ClassicalAcceleration.change_point",
            lambda s: s.screw(ClassicalAcceleration, "m", wrt=WORLD).change_point(s.position(Q, P, P), own_twist(s)),
            # by way of the spatial acceleration
            lambda n: moved(n.r) @ (n.m - convective(n.w)) + convective(moved(n.r) @ n.w),
            bare(ClassicalAcceleration, wrt=WORLD, at=Q, seen=P),
        ),
        Case(
            "SpatialAcceleration.to_classical",
            lambda s: s.screw(SpatialAcceleration, "m", wrt=FREE_FALL).to_classical(own_twist(s)),
            lambda n: n.m + convective(n.w),
            bare(ClassicalAcceleration, wrt=FREE_FALL),
        ),
        Case(
            "ClassicalAcceleration.to_spatial",
            lambda s: s.screw(ClassicalAcceleration, "m", wrt=FREE_FALL).to_spatial(own_twist(s)),
            lambda n: n.m - convective(n.w),
            bare(SpatialAcceleration, wrt=FREE_FALL),
        ),
        Case(
            "Twist.spatial_bias",
            lambda s: own_twist(s).spatial_bias(s.screw(Twist, "m")),
            lambda n: crossed(n.w) @ n.m,
            bare(SpatialAcceleration),
        ),
        Case(
            "Twist.classical_bias",
            lambda s: own_twist(s).classical_bias(s.screw(Twist, "m")),
            # what the classical acceleration gains beyond the parent's at the same point
            lambda n: crossed(n.w) @ n.m + convective(n.w) - convective(n.w - n.m),
            bare(ClassicalAcceleration),
        ),
        Case(
            "Momentum.rate",
            lambda s: s.screw(Momentum, "f", wrt=WORLD).rate(own_twist(s)),
            lambda n: -crossed(n.w).T @ n.f,
            bare(Wrench, wrt=INERTIA),
        ),
    ]


def pairing_cases() -> list[Case]:
    def basis(s: Scene, kind: type, **labels: Any) -> WrenchBasis:
        return s.screw(WrenchBasis, "A", kind=kind, **labels)

    def rows(s: Scene, kind: str, name: str = "strength", wrt: Body = WORLD) -> RowAcceleration:
        return RowAcceleration(THREE, LOWER, wrt, kind, s.given(name))

    sums = [
        Case(
            f"WrenchBasis<{kind.__name__}>.times",
            lambda s, kind=kind: basis(s, kind).times(Multipliers(THREE, s.given("strength"))),
            lambda n: n.A @ n.strength,
            bare(kind),
        )
        for kind in (Wrench, ArticulatedWrench, ApparentWrench)
    ]
    accelerations = [
        Case(
            f"WrenchBasis.pair({kind.__name__})",
            lambda s, kind=kind: basis(s, Wrench).pair(s.screw(kind, "m", wrt=FREE_FALL)),
            lambda n: n.A.T @ n.m,
            RowAcceleration(THREE, LOWER, FREE_FALL, label),
        )
        for kind, label in ((SpatialAcceleration, "spatial"), (ClassicalAcceleration, "classical"))
    ]
    return [
        *sums,
        *accelerations,
        Case(
            "MotionBasis.times(JointVelocity)",
            lambda s: s.screw(MotionBasis, "S").times(JointVelocity(TWO, s.given("rate"))),
            lambda n: n.S @ n.rate,
            bare(Twist),
        ),
        Case(
            "MotionBasis.times(JointAcceleration)",
            lambda s: s.screw(MotionBasis, "S").times(JointAcceleration(TWO, s.given("rate"))),
            lambda n: n.S @ n.rate,
            bare(DrivenAcceleration),
        ),
        Case(
            "MotionBasis.pair(Wrench)",
            lambda s: s.screw(MotionBasis, "S").pair(s.screw(Wrench, "f")),
            lambda n: n.S.T @ n.f,
            JointForce(TWO),
        ),
        Case(
            "MotionBasis.pair(ArticulatedWrench)",
            lambda s: s.screw(MotionBasis, "S").pair(s.screw(ArticulatedWrench, "f", wrt=INERTIA)),
            lambda n: n.S.T @ n.f,
            JointBias(TWO),
        ),
        Case(
            "MotionBasis.pair(WrenchBasis)",
            lambda s: s.screw(MotionBasis, "S").pair(basis(s, ArticulatedWrench)),
            lambda n: n.S.T @ n.A,
            JointRows(TWO, THREE),
        ),
        Case(
            "WrenchBasis.along",
            lambda s: basis(s, Wrench).along(s.screw(SpatialAcceleration, "m", of=WORLD, wrt=FREE_FALL)),
            lambda n: n.A.T @ n.m,
            RowAcceleration(THREE, WORLD, FREE_FALL, "spatial"),
        ),
        Case(
            "WrenchBasis.to_spatial",
            lambda s: basis(s, Wrench).to_spatial(rows(s, "classical"), s.screw(Twist, "w", wrt=WORLD)),
            lambda n: n.strength - n.A.T @ convective(n.w),
            RowAcceleration(THREE, LOWER, WORLD, "spatial"),
        ),
        Case(
            "WrenchBasis.to_classical",
            lambda s: basis(s, Wrench).to_classical(rows(s, "spatial"), s.screw(Twist, "w", wrt=WORLD)),
            lambda n: n.strength + n.A.T @ convective(n.w),
            RowAcceleration(THREE, LOWER, WORLD, "classical"),
        ),
        Case(
            "WrenchBasis.beside",
            lambda s: basis(s, Wrench).beside(s.screw(WrenchBasis, "A2", rows=("a", "b", "c"))),
            lambda n: np.hstack([n.A, n.A2]),
            bare(WrenchBasis, rows=(*THREE, "a", "b", "c")),
        ),
        Case(
            "WrenchBasis.select",
            lambda s: basis(s, Wrench).select(("rz", "x")),
            lambda n: n.A[:, [2, 0]],
            bare(WrenchBasis, rows=("rz", "x")),
        ),
        Case(
            "RowAcceleration.compose",
            lambda s: RowAcceleration(THREE, UPPER, BASE, "spatial", s.given("strength")).compose(
                rows(s, "spatial", "strength2", wrt=UPPER)
            ),
            lambda n: n.strength + n.strength2,
            RowAcceleration(THREE, LOWER, BASE, "spatial"),
        ),
        Case(
            "RowAcceleration.minus",
            lambda s: rows(s, "spatial").minus(rows(s, "spatial", "strength2")),
            lambda n: n.strength - n.strength2,
            RowAcceleration(THREE, LOWER, WORLD, "spatial"),
        ),
        Case(
            "RowAcceleration.inverse",
            lambda s: rows(s, "spatial").inverse(),
            lambda n: -n.strength,
            RowAcceleration(THREE, WORLD, LOWER, "spatial"),
        ),
        Case(
            "RowStack.gather",
            lambda s: RowStack.gather(
                ("a", *THREE),
                [rows(s, "spatial"), RowAcceleration(("rz", "a"), JOINTS, JOINTS, "spatial", s.given("rate"))],
            ),
            lambda n: np.vstack([n.rate[1:], n.strength[:2], n.strength[2:] + n.rate[:1]]),
            RowStack(("a", *THREE)),
        ),
        Case(
            "RowStack + RowStack",
            lambda s: RowStack(THREE, s.given("strength")) + RowStack(THREE, s.given("strength2")),
            lambda n: n.strength + n.strength2,
            RowStack(THREE),
        ),
        Case(
            "RowStack - RowStack",
            lambda s: RowStack(THREE, s.given("strength")) - RowStack(THREE, s.given("strength2")),
            lambda n: n.strength - n.strength2,
            RowStack(THREE),
        ),
        Case(
            "RowStack.select",
            lambda s: RowStack(THREE, s.given("strength")).select(("rz", "x")),
            lambda n: n.strength[[2, 0]],
            RowStack(("rz", "x")),
        ),
        Case(
            "RowStack.scaled",
            lambda s: RowStack(THREE, s.given("strength")).scaled(0.5),
            lambda n: 0.5 * n.strength,
            RowStack(THREE),
        ),
        Case(
            "WrenchBasis.transported",
            lambda s: basis(s, Wrench).transported(
                rows(s, "observed", wrt=UPPER),
                s.screw(Twist, "w", of=UPPER, wrt=WORLD),
                s.screw(Twist, "m"),
            ),
            lambda n: n.strength + n.A.T @ crossed(n.w) @ n.m,
            RowAcceleration(THREE, LOWER, UPPER, "spatial"),
        ),
        Case(
            "WrenchBasis.to_spatial(observed)",
            lambda s: basis(s, Wrench).to_spatial(rows(s, "classical", wrt=UPPER), s.screw(Twist, "m")),
            lambda n: n.strength - n.A.T @ convective(n.m),
            RowAcceleration(THREE, LOWER, UPPER, "observed"),
        ),
        Case(
            "WrenchBasis.joined",
            lambda s: basis(s, Wrench).joined(s.screw(WrenchBasis, "A2", rows=("rz", "a", "b"))),
            lambda n: np.hstack([n.A[:, :2], n.A[:, 2:] + n.A2[:, :1], n.A2[:, 1:]]),
            bare(WrenchBasis, rows=(*THREE, "a", "b")),
        ),
        Case(
            "WrenchBasis.closing",
            lambda s: basis(s, Wrench).closing(s.screw(WrenchBasis, "A2", rows=("rz", "a", "b")), ("rz",)),
            lambda n: np.hstack([n.A[:, :2], n.A2[:, 1:]]),
            bare(WrenchBasis, rows=(*THREE[:2], "a", "b")),
        ),
        Case(
            "WrenchBasis.closing(none between)",
            lambda s: basis(s, Wrench).closing(s.screw(WrenchBasis, "A2", rows=("rz", "a", "b")), ()),
            lambda n: np.hstack([n.A[:, :2], n.A[:, 2:] + n.A2[:, :1], n.A2[:, 1:]]),
            bare(WrenchBasis, rows=(*THREE, "a", "b")),
        ),
        Case(
            "RowAcceleration.of_all",
            lambda s: RowAcceleration.of_all(THREE, [rows(s, "spatial"), rows(s, "spatial", "strength2")]),
            lambda n: n.strength + n.strength2,
            RowAcceleration(THREE, ROBOT, WORLD, "spatial"),
        ),
        Case(
            "RowAcceleration.per",
            lambda s: rows(s, "spatial").per(s.given("mass")),
            lambda n: n.strength / n.mass,
            RowAcceleration(THREE, LOWER, WORLD, "spatial"),
        ),
        Case(
            "UnitMotions.required",
            lambda s: s.screw(UnitMotions, "A", rows=THREE).required(s.screw(Wrench, "m", wrt=INERTIA)),
            lambda n: n.A.T @ n.m,
            RowAcceleration(THREE, LOWER, WORLD, "spatial"),
        ),
        Case(
            "WrenchBasis.spread",
            lambda s: basis(s, Wrench).spread(("a", *THREE)),
            lambda n: np.hstack([np.zeros((6, 1)), n.A]),
            bare(WrenchBasis, rows=("a", *THREE)),
        ),
        Case(
            "JointRows.joined",
            lambda s: JointRows(TWO, THREE, s.given("table")).joined(JointRows(TWO, ("a", "x"), s.given("D"))),
            lambda n: np.hstack([n.table[:, :1] + n.D[:, 1:], n.table[:, 1:], n.D[:, :1]]),
            JointRows(TWO, (*THREE, "a")),
        ),
        Case(
            "JointRows.select",
            lambda s: JointRows(TWO, THREE, s.given("table")).select(("rz", "x")),
            lambda n: n.table[:, [2, 0]],
            JointRows(TWO, ("rz", "x")),
        ),
        Case(
            "JointRows.made",
            lambda s: JointRows(TWO, THREE, s.given("table")).made(Multipliers(THREE, s.given("strength"))),
            lambda n: n.table @ n.strength,
            JointForce(TWO),
        ),
        Case(
            "JointRows.times",
            lambda s: JointRows(TWO, THREE, s.given("table")).times(Multipliers(THREE, s.given("strength"))),
            lambda n: n.table @ n.strength,
            JointBias(TWO),
        ),
        Case(
            "JointRows.along",
            lambda s: JointRows(TWO, THREE, s.given("table")).along(JointAcceleration(TWO, s.given("rate"))),
            lambda n: n.table.T @ n.rate,
            RowAcceleration(THREE, JOINTS, JOINTS, "spatial"),
        ),
        Case(
            "Multipliers.select",
            lambda s: Multipliers(THREE, s.given("strength")).select(("rz", "x")),
            lambda n: n.strength[[2, 0]],
            Multipliers(("rz", "x")),
        ),
        Case(
            "Multipliers.spread",
            lambda s: Multipliers(THREE, s.given("strength")).spread(("a", "rz", "x", "b", THREE[1])),
            lambda n: np.vstack([[[0.0]], n.strength[[2, 0]], [[0.0]], n.strength[[1]]]),
            Multipliers(("a", "rz", "x", "b", THREE[1])),
        ),
        Case(
            "Multipliers.merge",
            lambda s: Multipliers(THREE, s.given("strength")).merge(Multipliers(TWO, s.given("rate")), (TWO[1], "x")),
            lambda n: np.vstack([n.rate[[1]], n.strength[[0]]]),
            Multipliers((TWO[1], "x")),
        ),
        Case(
            "JointForce + JointForce",
            lambda s: JointForce(TWO, s.given("rate")) + JointForce(TWO, s.given("rate2")),
            lambda n: n.rate + n.rate2,
            JointForce(TWO),
        ),
        Case(
            "JointForce - JointBias",
            lambda s: JointForce(TWO, s.given("rate")) - JointBias(TWO, s.given("rate2")),
            lambda n: n.rate - n.rate2,
            JointBias(TWO),
        ),
        Case(
            "JointInertia.solve",
            lambda s: JointInertia(TWO, s.given("D")).solve(JointBias(TWO, s.given("rate"))),
            lambda n: np.linalg.solve(n.D, n.rate),
            JointAcceleration(TWO),
        ),
        Case(
            "JointInertia.yields",
            lambda s: JointInertia(TWO, s.given("D")).yields(JointRows(TWO, THREE, s.given("table"))),
            lambda n: n.table.T @ np.linalg.solve(n.D, n.table),
            Coupling(THREE),
        ),
        Case(
            "Coupling.select",
            lambda s: Coupling(THREE, s.given("L")).select(("rz", "x")),
            lambda n: n.L[[2, 0]][:, [2, 0]],
            Coupling(("rz", "x")),
        ),
        Case(
            "Coupling + Coupling, damped",
            lambda s: (Coupling(THREE, s.given("L")) + Coupling(THREE, s.given("L2"))).damped(0.25, (1, 2, 1)),
            lambda n: n.L + n.L2 + 0.25 * np.diag([1, 0.25, 1]),
            Coupling(THREE),
        ),
    ]


def inertia_cases() -> list[Case]:
    def body(n: Numbers, suffix: str = "") -> Array:
        mass, com, about = (getattr(n, name + suffix) for name in ("mass", "com", "about_com"))
        return rigid(mass.item(), com, about)

    def required(n: Numbers) -> Array:
        """H Ẍ + V ×* H V with the spatial acceleration, eq. of Alg. 3.1."""
        H = body(n)
        return H @ (n.m - convective(n.w)) - crossed(n.w).T @ H @ n.w

    blocks = [
        case
        for kind in (ArticulatedInertia, ApparentInertia)
        for case in (
            Case(
                f"{kind.__name__}.change_frame",
                lambda s, kind=kind: s.blocks(kind, "H").change_frame(s.orientation(P, E)),
                lambda n: turned(n.R) @ n.H @ turned(n.R).T,
                replace(Scene(None, "nothing").blocks(kind, "H"), as_seen_by=E),
            ),
            Case(
                f"{kind.__name__}.change_frame by factors",
                lambda s, kind=kind: s.blocks(kind, "H").change_frame(s.in_factors(P, E)),
                lambda n: turned(n.R @ planar(n) @ n.K) @ n.H @ turned(n.R @ planar(n) @ n.K).T,
                replace(Scene(None, "nothing").blocks(kind, "H"), as_seen_by=E),
            ),
            Case(
                f"{kind.__name__}.change_point",
                lambda s, kind=kind: s.blocks(kind, "H").change_point(s.position(Q, P, P)),
                lambda n: reduced(n.r) @ n.H @ reduced(n.r).T,
                replace(Scene(None, "nothing").blocks(kind, "H"), point=Q.origin),
            ),
        )
    ]
    return [
        *blocks,
        Case(
            "RigidInertia.change_frame",
            lambda s: s.rigid().change_frame(s.in_factors(P, E)),
            lambda n: turned(n.R @ planar(n) @ n.K) @ body(n) @ turned(n.R @ planar(n) @ n.K).T,
            RigidInertia(LOWER, P.origin, E),
        ),
        Case(
            "RigidInertia.change_point",
            lambda s: s.rigid().change_point(s.position(Q, P, P)),
            lambda n: reduced(n.r) @ body(n) @ reduced(n.r).T,
            RigidInertia(LOWER, Q.origin, P),
        ),
        Case(
            "RigidInertia + RigidInertia",
            lambda s: s.rigid() + s.rigid("2"),
            lambda n: body(n) + body(n, "2"),
            RigidInertia(LOWER, P.origin, P),
        ),
        Case(
            "RigidInertia @ Twist",
            lambda s: s.rigid() @ s.screw(Twist, "m", wrt=WORLD),
            lambda n: body(n) @ n.m,
            bare(Momentum, wrt=WORLD),
        ),
        Case(
            "RigidInertia.required_wrench",
            lambda s: s.rigid().required_wrench(
                s.screw(ClassicalAcceleration, "m", wrt=FREE_FALL), s.screw(Twist, "w", wrt=WORLD)
            ),
            required,
            bare(Wrench, wrt=INERTIA),
        ),
        Case(
            "RigidInertia.along",
            lambda s: s.rigid().along(s.screw(MotionBasis, "S")),
            lambda n: body(n) @ n.S,
            bare(WrenchBasis, rows=TWO),
        ),
        Case(
            "UnitMotions.pull",
            lambda s: s.screw(UnitMotions, "A", rows=THREE).pull(s.rigid()),
            lambda n: body(n) @ n.A,
            bare(WrenchBasis, rows=THREE, wrt=ENVIRONMENT),
        ),
        Case(
            "RigidInertia.share_of",
            lambda s: s.rigid().share_of(s.rigid()).along(s.screw(MotionBasis, "S")),
            lambda n: body(n) @ n.S / n.mass,
            bare(WrenchBasis, rows=TWO),
        ),
        Case(
            "RigidInertia.articulated",
            lambda s: s.rigid().articulated(),
            body,
            ArticulatedInertia(LOWER, LOWER, P.origin, P),
        ),
        Case(
            "ArticulatedInertia @ SpatialAcceleration",
            lambda s: s.blocks(ArticulatedInertia, "H") @ s.screw(SpatialAcceleration, "m", wrt=FREE_FALL),
            lambda n: n.H @ n.m,
            bare(ArticulatedWrench, wrt=INERTIA),
        ),
        Case(
            "ApparentInertia @ SpatialAcceleration",
            lambda s: s.blocks(ApparentInertia, "H") @ s.screw(SpatialAcceleration, "m"),
            lambda n: n.H @ n.m,
            bare(ApparentWrench),
        ),
        Case(
            "ArticulatedInertia + ApparentInertia",
            lambda s: s.blocks(ArticulatedInertia, "H", of=UPPER) + s.blocks(ApparentInertia, "H2"),
            lambda n: n.H + n.H2,
            ArticulatedInertia(UPPER, UPPER, P.origin, P),
        ),
        Case(
            "ArticulatedInertia.along",
            lambda s: s.blocks(ArticulatedInertia, "H").along(s.screw(MotionBasis, "S")),
            lambda n: n.H @ n.S,
            bare(WrenchBasis, rows=TWO, kind=ArticulatedWrench),
        ),
    ]


def articulated_cases() -> list[Case]:
    return [
        Case(
            "ArticulatedWrench + ApparentWrench",
            lambda s: s.screw(ArticulatedWrench, "f", of=UPPER, wrt=INERTIA) + s.screw(ApparentWrench, "f2"),
            lambda n: n.f + n.f2,
            bare(ArticulatedWrench, of=UPPER, wrt=INERTIA),
        ),
        Case(
            "Wrench.without",
            lambda s: s.screw(Wrench, "f", wrt=INERTIA).without(s.screw(Wrench, "f2", wrt=ENVIRONMENT)),
            lambda n: n.f - n.f2,
            bare(Wrench, wrt=INERTIA),
        ),
        Case(
            "Wrench.articulated",
            lambda s: s.screw(Wrench, "f", wrt=INERTIA).articulated(),
            lambda n: n.f,
            bare(ArticulatedWrench, wrt=INERTIA),
        ),
        Case(
            "Wrench.exerted_by",
            lambda s: s.screw(Wrench, "f", wrt=INERTIA).exerted_by(UPPER),
            lambda n: n.f,
            bare(Wrench),
        ),
        Case(
            "Wrench.to_be_made",
            lambda s: s.screw(Wrench, "f", wrt=ENVIRONMENT).to_be_made(),
            lambda n: n.f,
            bare(Wrench, wrt=INERTIA),
        ),
        Case(
            "WrenchBasis.to_be_made",
            lambda s: s.screw(WrenchBasis, "A", wrt=ENVIRONMENT).to_be_made(),
            lambda n: n.A,
            bare(WrenchBasis, wrt=INERTIA),
        ),
        Case(
            "WrenchBasis.articulated",
            lambda s: s.screw(WrenchBasis, "A").articulated(),
            lambda n: n.A,
            bare(WrenchBasis, kind=ArticulatedWrench),
        ),
        Case(
            "WrenchBasis.handed_down",
            lambda s: s.screw(WrenchBasis, "A").handed_down(),
            lambda n: n.A,
            bare(WrenchBasis, of=UPPER, wrt=INERTIA),
        ),
        Case(
            "WrenchBasis.exerted_by",
            lambda s: s.screw(WrenchBasis, "A", wrt=INERTIA).exerted_by(UPPER),
            lambda n: n.A,
            bare(WrenchBasis),
        ),
        Case(
            "WrenchBasis.at_parent",
            lambda s: s.screw(WrenchBasis, "A", kind=ApparentWrench).at_parent(),
            lambda n: n.A,
            bare(WrenchBasis, of=UPPER, wrt=ENVIRONMENT, kind=ArticulatedWrench),
        ),
        Case(
            "WrenchBasis.held_by",
            lambda s: s.screw(WrenchBasis, "A", kind=ArticulatedWrench).held_by(UPPER),
            lambda n: n.A,
            bare(WrenchBasis, kind=ApparentWrench),
        ),
        Case(
            "WrenchBasis.reaction_on",
            lambda s: s.screw(WrenchBasis, "A").reaction_on(UPPER),
            lambda n: -n.A,
            bare(WrenchBasis, of=UPPER),
        ),
        Case(
            "ArticulatedWrench.relieved",
            lambda s: s.screw(ArticulatedWrench, "f").relieved(s.screw(ArticulatedWrench, "f2", wrt=ENVIRONMENT)),
            lambda n: n.f - n.f2,
            bare(ArticulatedWrench),
        ),
    ]


CASES = [
    *placed_cases(),
    *(case for kind in SCREWS for case in screw_cases(kind)),
    *motion_cases(),
    *pairing_cases(),
    *inertia_cases(),
    *articulated_cases(),
]


@row("motion-stack", 1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@settings(deadline=None, max_examples=trials(24))
@given(scenes)
def test_a_valid_operation_equals_its_matrix_result(case: Case, numbers: Numbers):
    scene = Scene(numbers, "numbers")
    result = case.compute(scene)
    assert close(evaluated(result, scene), case.expected(numbers))
    assert meaning(result) == meaning(case.means)


@row("motion-stack", 1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@settings(deadline=None, max_examples=5)
@given(scenes)
def test_symbols_evaluate_to_the_same_numbers(case: Case, numbers: Numbers):
    scene = Scene(numbers, "symbols")
    result = case.compute(scene)
    assert close(evaluated(result, scene), case.expected(numbers))
    assert meaning(result) == meaning(case.means)


@row("motion-stack", 1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_without_coordinates_the_meaning_is_the_same(case: Case):
    result = case.compute(Scene(Numbers(0, "any"), "nothing"))
    assert all(block is UNKNOWN for line in coordinates(result) for block in line)
    assert meaning(result) == meaning(case.means)


def test_operations_keep_their_operands():
    numbers = Numbers(1, "any")
    before = {name: values.copy() for name, values in vars(numbers).items()}
    for case in CASES:
        case.compute(Scene(numbers, "numbers"))
    assert all(np.array_equal(values, before[name]) for name, values in vars(numbers).items())


# ---------------------------------------------------------------- group laws


@settings(deadline=None, max_examples=trials(24))
@given(scenes)
def test_poses_form_a_group(numbers: Numbers):
    s = Scene(numbers, "numbers")
    x, y, z = s.pose(P, E), s.pose(Q, P, "K", "s"), s.pose(TIP, Q, "R", "s")
    assert close(x.compose(y).compose(z).matrix, x.compose(y.compose(z)).matrix)
    assert close(x.compose(x.inverse()).matrix, np.eye(4))
    assert close(x.compose(y).inverse().matrix, y.inverse().compose(x.inverse()).matrix)


@settings(deadline=None, max_examples=trials(24))
@given(scenes)
def test_power_does_not_depend_on_point_and_axes(numbers: Numbers):
    """Sᵀ F is the same number wherever both are brought together."""
    s = Scene(numbers, "numbers")
    here = s.screw(MotionBasis, "S"), s.screw(Wrench, "f")
    there = [x.change_point(s.position(Q, P, P)).change_frame(s.in_factors(P, E)) for x in here]
    power = here[0].pair(here[1]).values
    bound = np.abs(numbers.S).max() * np.abs(numbers.f).max() * max(1.0, np.abs(numbers.r).max()) ** 2
    assert np.abs(there[0].pair(there[1]).values - power).max() <= 1e-12 * max(1.0, bound)


@settings(deadline=None, max_examples=trials(24))
@given(scenes)
def test_a_pose_is_the_same_from_matrix_quaternion_and_factors(numbers: Numbers):
    """Spec §6 row 3, as far as it exists: the physical result does not depend on how a pose was written down."""
    n = numbers
    R = n.R @ planar(n) @ n.K
    quaternion = quaternion_from_rotation(R)
    sine, cosine = np.sin(n.theta), np.cos(n.theta)
    written = [
        Pose.from_matrix(P, E, homogeneous(R, n.r)),
        Pose.between(P, E, (Rotation(rotation_from_quaternion(quaternion)),), n.r.ravel()),
        Pose.between(P, E, (Rotation(rotation_from_quaternion(-3.0 * quaternion)),), n.r),
        Pose.between(P, E, (Rotation(n.R), PlanarRotation(sine, cosine), Rotation(n.K)), list(n.r.ravel())),
        Pose(Orientation(P, E, (Rotation(R),)), Position(P.origin, E.origin, E, n.r)),
    ]
    s = Scene(n, "numbers")
    for pose in written:
        assert close(pose.matrix, homogeneous(R, n.r))
        twist = s.screw(Twist, "m").change_frame(pose.orientation).change_point(pose.position.inverse())
        assert close(evaluated(twist, s), moved(-n.r) @ turned(R) @ n.m)
        inertia = s.rigid().change_frame(pose.orientation)
        assert close(evaluated(inertia, s), turned(R) @ rigid(n.mass.item(), n.com, n.about_com) @ turned(R).T)


# ---------------------------------------------------------------- spatial and classical


@row("motion-stack", 4)
@settings(deadline=None, max_examples=trials(24))
@given(scenes)
def test_spatial_and_classical_differ_by_omega_cross_v(numbers: Numbers):
    s = Scene(numbers, "numbers")
    a, twist = s.screw(SpatialAcceleration, "m", wrt=FREE_FALL), s.screw(Twist, "m", wrt=WORLD)
    difference = a.to_classical(twist).linear - a.linear
    assert np.array_equal(a.to_classical(twist).angular, a.angular)
    assert close(difference, np.cross(twist.angular, twist.linear, axis=0))
    assert close(a.to_classical(twist).to_spatial(twist).linear, a.linear)


class Arm:
    """Two joints with moving coordinates q(t) in series: about a slanted axis, then any screw; swept by hand."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.polynomial = rng.normal(size=(2, 3))
        self.axes = rng.normal(size=(2, 6, 1))
        self.axes[0, 3:] = 0
        self.steps = [homogeneous(Turn.random(rng=rng).as_matrix(), rng.normal(size=3)) for _ in (0, 1)]
        last = self.frame(2)
        self.tip = Position(Point("tip", last.body), last.origin, last, rng.normal(size=(3, 1)))

    @staticmethod
    def frame(i: int) -> Frame:
        return WORLD_FRAME if i == 0 else Frame(f"f{i}", Body(f"b{i}"))

    def coordinates(self, i: int, t: float) -> tuple[float, float, float]:
        a, b, c = self.polynomial[i]
        return a + b * t + c * t * t / 2, b + c * t, c

    def pose(self, i: int, t: float) -> Pose:
        """Body i + 1 wrt body i: a constant step, then the exponential of the joint's screw."""
        S, (q, _, _) = self.axes[i], self.coordinates(i, t)
        screw_matrix = np.block([[skew(S[:3]), S[3:]], [np.zeros((1, 4))]])
        step = Pose.from_matrix(Frame(f"r{i}", self.frame(i).body), self.frame(i), self.steps[i])
        return step.compose(Pose.from_matrix(self.frame(i + 1), step.of, expm(q * screw_matrix)))

    def tip_position(self, t: float) -> Array:
        return (self.pose(0, t).matrix @ self.pose(1, t).matrix @ np.vstack([self.tip.xyz, [[1.0]]]))[:3]

    def tip_acceleration(self, t: float, start: Any) -> ClassicalAcceleration:
        """The outward sweep of inverse dynamics, on spatial or classical accelerations as `start` is one."""
        still = np.zeros((3, 1))
        V, A = Twist(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still), start
        for i in (0, 1):
            X, (_, rate, change) = self.pose(i, t), self.coordinates(i, t)
            here, back = self.frame(i + 1), X.orientation.inverse()
            S = MotionBasis(here.body, self.frame(i).body, here.origin, here, *np.split(self.axes[i], 2), joints=("j",))
            relative = S.times(JointVelocity(("j",), np.array([[rate]])))
            driven = S.times(JointAcceleration(("j",), np.array([[change]])))
            if isinstance(A, SpatialAcceleration):
                V, A = V.change_point(X.position).change_frame(back), A.change_point(X.position).change_frame(back)
                V = V.compose(relative)
                A = A.compose(V.spatial_bias(relative)).driven(driven)
            else:
                A = A.change_point(X.position, V).change_frame(back)
                V = V.change_point(X.position).change_frame(back).compose(relative)
                A = A.compose(V.classical_bias(relative)).driven(driven)
        if isinstance(A, SpatialAcceleration):
            A = A.change_point(self.tip).to_classical(V.change_point(self.tip))
        else:
            A = A.change_point(self.tip, V)
        return A.change_frame(self.pose(0, t).orientation.compose(self.pose(1, t).orientation))


@row("motion-stack", 4)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [SpatialAcceleration, ClassicalAcceleration])
def test_the_acceleration_of_a_tip_is_the_second_derivative_of_its_position(kind: type, seed: int):
    arm, still, h = Arm(seed), np.zeros((3, 1)), 1e-3
    start = kind(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)
    swept = arm.tip_acceleration(0.3, start)
    samples = {k: arm.tip_position(0.3 + k * h) for k in (-2, -1, 0, 1, 2)}
    differences = (-samples[2] + 16 * samples[1] - 30 * samples[0] + 16 * samples[-1] - samples[-2]) / (12 * h * h)
    assert (swept.of, swept.wrt, swept.point, swept.as_seen_by) == (Body("b2"), WORLD, arm.tip.of, WORLD_FRAME)
    assert np.abs(swept.linear - differences).max() < 1e-8 * max(1.0, np.abs(differences).max())
