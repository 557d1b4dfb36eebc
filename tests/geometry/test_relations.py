"""Every operation on relations: valid ones equal plain matrices in all three readings, the others are refused by name.

The 6×6 spatial transforms are written down here once more, from the formulas of specs/motion-stack.md §2.2 and §2.7.
"""

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation as Turn

from motionc.geometry import (
    ENVIRONMENT,
    FREE_FALL,
    INERTIA,
    JOINTS,
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
    SemanticError,
    SpatialAcceleration,
    Twist,
    Wrench,
    WrenchBasis,
)
from motionc.geometry.factors import PlanarRotation, Rotation
from motionc.geometry.lie import quaternion_from_rotation, rotation_from_quaternion
from rows import row

Array = np.ndarray[Any, Any]
TIGHT = 1e-12

# ---------------------------------------------------------------- plain matrices, independent of motionc


def skew(a: Array) -> Array:
    x, y, z = np.ravel(a)
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def homogeneous(R: Array, r: Array) -> Array:
    return np.block([[R, np.reshape(r, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def turned(R: Array) -> Array:
    """Both parts of a six-vector in other axes."""
    return np.kron(np.eye(2), R)


def moved(r: Array) -> Array:
    """A motion at a point r further: v' = v + ω × r."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-skew(r), np.eye(3)]])


def reduced(r: Array) -> Array:
    """A force at a point r further: n' = n - r × f, the inverse transpose of the above."""
    return np.block([[np.eye(3), -skew(r)], [np.zeros((3, 3)), np.eye(3)]])


def crossed(v: Array) -> Array:
    """Ẋ× = [[ω×, 0], [v×, ω×]], eq. (3.7)."""
    w, u = skew(v[:3]), skew(v[3:])
    return np.block([[w, np.zeros((3, 3))], [u, w]])


def convective(v: Array) -> Array:
    """(0; ω × v)."""
    return np.vstack([np.zeros((3, 1)), skew(v[:3]) @ v[3:]])


def rigid(mass: float, com: Array, about_com: Array) -> Array:
    """The 6×6 inertia of a rigid body about the origin of the axes its centre of mass is written in."""
    c = skew(com)
    return np.block([[about_com - mass * c @ c, mass * c], [-mass * c, mass * np.eye(3)]])


# ---------------------------------------------------------------- a small scene over numbers, symbols or nothing

BASE, UPPER, LOWER = Body("base"), Body("upper"), Body("lower")
E, P, Q = Frame("e", BASE), Frame("p", UPPER, axes="P"), Frame("q", LOWER)
TIP = Frame("tip", LOWER)
TWO, THREE = ("knee", "ankle"), ("x", "y", "rz")

MOTIONS = (Twist, SpatialAcceleration, DrivenAcceleration, MotionBasis)
FORCES = (Wrench, ArticulatedWrench, ApparentWrench, Momentum, WrenchBasis)
SCREWS = (*MOTIONS, ClassicalAcceleration, *FORCES)
LABELS: dict[type, dict[str, Any]] = {MotionBasis: {"joints": TWO}, WrenchBasis: {"rows": THREE}}
WIDTH = {MotionBasis: 2, WrenchBasis: 3}


class Numbers(SimpleNamespace):
    """Random numbers for the scene; `mood` picks the corners: no turn, half a turn, at rest, tiny, large."""

    MOODS = ("any", "unturned", "half a turn", "at rest", "tiny", "large")

    def __init__(self, seed: int, mood: str) -> None:
        rng = np.random.default_rng(seed)
        scale = {"at rest": 0.0, "tiny": 1e-9, "large": 1e2}.get(mood, 1.0)
        angle = {"unturned": 0.0, "half a turn": math.pi}.get(mood)

        def rotation() -> Array:
            axis = rng.normal(size=3)
            size = rng.uniform(-math.pi, math.pi) if angle is None else angle
            return Turn.from_rotvec(axis / np.linalg.norm(axis) * size).as_matrix()

        def positive_definite(size: int) -> Array:
            root = rng.normal(size=(size, size))
            return root @ root.T + 0.1 * np.eye(size)

        self.R, self.K = rotation(), rotation()
        self.theta = np.array([[rng.uniform(-4, 4) if angle is None else angle]])
        self.r, self.s = scale * rng.normal(size=(2, 3, 1))
        self.m, self.m2, self.w, self.f, self.f2 = scale * rng.normal(size=(5, 6, 1))
        self.S, self.S2 = rng.normal(size=(2, 6, 2))
        self.A, self.A2 = rng.normal(size=(2, 6, 3))
        self.rate, self.rate2 = scale * rng.normal(size=(2, 2, 1))
        self.strength, self.strength2 = scale * rng.normal(size=(2, 3, 1))
        self.table = rng.normal(size=(2, 3))
        self.D = positive_definite(2)
        self.L, self.L2 = positive_definite(3), positive_definite(3)
        self.mass, self.mass2 = rng.uniform(0.1, 5, (2, 1, 1))
        self.com, self.com2 = scale * rng.normal(size=(2, 3, 1))
        self.about_com, self.about_com2 = positive_definite(3), positive_definite(3)
        self.H, self.H2 = positive_definite(6), positive_definite(6)

    def __repr__(self) -> str:
        return f"Numbers({self.R=}, {self.r=}, {self.m=})"


class Scene:
    """The relations of one scene in one reading: "numbers", "symbols" or "nothing"."""

    def __init__(self, numbers: Numbers, reading: str) -> None:
        self.numbers, self.reading = numbers, reading
        self.symbols: dict[str, tuple[ca.SX, Array]] = {}

    def given(self, name: str, values: Array | None = None) -> Any:
        """The coordinates of that name: a matrix of numbers, of fresh symbols, or None."""
        if self.reading == "nothing":
            return None
        values = getattr(self.numbers, name) if values is None else values
        if self.reading == "numbers":
            return values
        if name not in self.symbols:
            self.symbols[name] = ca.SX.sym(name, *values.shape), values
        return self.symbols[name][0]

    def orientation(self, of: Frame, wrt: Frame, name: str = "R") -> Orientation:
        values = self.given(name)
        return Orientation(of, wrt, None if values is None else (Rotation(values),))

    def in_factors(self, of: Frame, wrt: Frame) -> Orientation:
        """R · Rz(θ) · K, as three factors."""
        R, theta, K = self.given("R"), self.given("theta"), self.given("K")
        if theta is None:
            return Orientation(of, wrt)
        sine, cosine = (ca.sin(theta), ca.cos(theta)) if self.reading == "symbols" else (np.sin(theta), np.cos(theta))
        return Orientation(of, wrt, (Rotation(R), PlanarRotation(sine, cosine), Rotation(K)))

    def position(self, of: Frame, wrt: Frame, seen: Frame, name: str = "r") -> Position:
        return Position(of.origin, wrt.origin, seen, self.given(name))

    def pose(self, of: Frame, wrt: Frame, turn: str = "R", step: str = "r") -> Pose:
        return Pose(self.orientation(of, wrt, turn), self.position(of, wrt, wrt, step))

    def screw(
        self, relation: type, name: str, /, of: Body = LOWER, wrt: Body = UPPER, at: Frame = P, **labels: Any
    ) -> Any:
        """A six-vector of that kind: of the lower body wrt the upper, at p in its axes, unless told otherwise."""
        six = self.given(name)
        parts = (None, None) if six is None else (six[:3, :], six[3:, :])
        return relation(of, wrt, at.origin, at, *parts, **(LABELS.get(relation, {}) | labels))

    def rigid(self, suffix: str = "", of: Body = LOWER) -> RigidInertia:
        n = self.numbers
        mass, com, about = (getattr(n, name + suffix) for name in ("mass", "com", "about_com"))
        values = {"mass": mass, "moment": mass * com, "rotational": rigid(mass.item(), com, about)[:3, :3]}
        return RigidInertia(of, P.origin, P, *(self.given(key + suffix, value) for key, value in values.items()))

    def blocks(self, kind: type, name: str, of: Body = LOWER, wrt: Body = UPPER) -> Any:
        H = self.given(name)
        wrt = of if kind is ArticulatedInertia else wrt
        parts = (None, None, None) if H is None else (H[:3, :3], H[:3, 3:], H[3:, 3:])
        return kind(of, wrt, P.origin, P, *parts)


def coordinates(relation: Any) -> list[Any]:
    """What stands under a relation, block by block; a 6×6 map by its four blocks."""
    if isinstance(relation, Position):
        return [[relation.xyz]]
    if isinstance(relation, Orientation | Pose):
        return [[relation.matrix]]
    if isinstance(relation, RigidInertia):
        if relation.mass is None:
            return [[relation.mass, relation.first_moment, relation.rotational]]
        c = cross_matrix(relation.first_moment)
        return [[relation.rotational, c], [c.T, relation.mass * np.eye(3)]]
    if isinstance(relation, ArticulatedInertia | ApparentInertia):
        if relation.mixed is None:
            return [[relation.angular, relation.mixed, relation.linear]]
        return [[relation.angular, relation.mixed], [relation.mixed.T, relation.linear]]
    if hasattr(relation, "angular"):
        return [[relation.angular], [relation.linear]]
    return [[relation.values]]


def cross_matrix(a: Any) -> Any:
    return ca.skew(a) if isinstance(a, ca.SX) else skew(a)


def evaluated(relation: Any, scene: Scene) -> Array:
    """The coordinates as one matrix of numbers, symbols replaced by the numbers they stand for."""
    blocks = coordinates(relation)
    if scene.reading != "symbols":
        return np.block(blocks)
    expression = ca.vertcat(*[ca.horzcat(*line) for line in blocks])
    symbols, values = zip(*scene.symbols.values(), strict=True)
    return np.array(ca.Function("f", symbols, [expression])(*values))


def meaning(relation: Any) -> tuple[Any, ...]:
    fields = ("of", "wrt", "point", "as_seen_by", "joints", "rows", "kind")
    return (type(relation), *(getattr(relation, name, None) for name in fields))


def close(actual: Array, expected: Array) -> bool:
    assert actual.shape == expected.shape
    return bool(np.abs(actual - expected).max() <= TIGHT * max(1.0, np.abs(expected).max()))


# ---------------------------------------------------------------- what is valid: operation, matrix result, meaning


@dataclass(frozen=True)
class Case:
    """An operation on the scene, the matrix it must equal, and a relation of the meaning it must have."""

    name: str
    compute: Callable[[Scene], Any]
    expected: Callable[[Any], Array]
    means: Any


def screw_name(kind: type) -> str:
    return {MotionBasis: "S", WrenchBasis: "A"}.get(kind, "m" if kind in (*MOTIONS, ClassicalAcceleration) else "f")


def bare(
    relation: type, /, of: Body = LOWER, wrt: Body = UPPER, at: Frame = P, seen: Frame | None = None, **labels: Any
):
    return relation(of, wrt, at.origin, seen or at, **(LABELS.get(relation, {}) | labels))


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
            lambda s: basis(s, Wrench).closing(s.screw(WrenchBasis, "A2", rows=("rz", "a", "b"))),
            lambda n: np.hstack([n.A[:, :2], n.A2[:, 1:]]),
            bare(WrenchBasis, rows=(*THREE[:2], "a", "b")),
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
scenes = st.builds(Numbers, st.integers(0, 2**32 - 1), st.sampled_from(Numbers.MOODS))


@row("motion-stack", 1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@settings(deadline=None, max_examples=15)
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
    assert all(block is None for line in coordinates(result) for block in line)
    assert meaning(result) == meaning(case.means)


def test_operations_keep_their_operands():
    numbers = Numbers(1, "any")
    before = {name: values.copy() for name, values in vars(numbers).items()}
    for case in CASES:
        case.compute(Scene(numbers, "numbers"))
    assert all(np.array_equal(values, before[name]) for name, values in vars(numbers).items())


# ---------------------------------------------------------------- group laws


@settings(deadline=None, max_examples=15)
@given(scenes)
def test_poses_form_a_group(numbers: Numbers):
    s = Scene(numbers, "numbers")
    x, y, z = s.pose(P, E), s.pose(Q, P, "K", "s"), s.pose(TIP, Q, "R", "s")
    assert close(x.compose(y).compose(z).matrix, x.compose(y.compose(z)).matrix)
    assert close(x.compose(x.inverse()).matrix, np.eye(4))
    assert close(x.compose(y).inverse().matrix, y.inverse().compose(x.inverse()).matrix)


@settings(deadline=None, max_examples=15)
@given(scenes)
def test_power_does_not_depend_on_point_and_axes(numbers: Numbers):
    """Sᵀ F is the same number wherever both are brought together."""
    s = Scene(numbers, "numbers")
    here = s.screw(MotionBasis, "S"), s.screw(Wrench, "f")
    there = [x.change_point(s.position(Q, P, P)).change_frame(s.in_factors(P, E)) for x in here]
    power = here[0].pair(here[1]).values
    bound = np.abs(numbers.S).max() * np.abs(numbers.f).max() * max(1.0, np.abs(numbers.r).max()) ** 2
    assert np.abs(there[0].pair(there[1]).values - power).max() <= 1e-12 * max(1.0, bound)


@settings(deadline=None, max_examples=15)
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


# ---------------------------------------------------------------- what is refused: a field that does not fit

Make = Callable[[Scene], Any]


@dataclass(frozen=True)
class Pairing:
    """A valid operation on two relations; `fields` are those of the second that must fit the first."""

    name: str
    left: Make
    right: Make
    operate: Callable[[Any, Any], Any]
    fields: tuple[str, ...]


REMEDY = {  # what a student is told to do, by the field that does not fit
    "of": r"compose|body|inverse\(\)|Orientation of|same two frames",
    "wrt": r"compose|inverse\(\)|same body|near end|same two frames|Position wrt|body wrt",
    "point": r"change_point|Position",
    "as_seen_by": r"change_frame|Orientation|as seen by the reference",
    "joints": "same joint",
    "rows": "same rows|same constraint rows",
    "kind": "to_spatial|to_classical",
}


def altered(relation: Any, field: str) -> Any:
    """The same relation with something else in one field."""
    old = getattr(relation, field)
    new = {
        Body: lambda: Body("stranger"),
        Point: lambda: Point("elsewhere", old.body),
        Frame: lambda: Frame("askew", old.body),
        tuple: lambda: tuple(f"other {label}" for label in old),
        str: lambda: {"spatial": "classical", "classical": "spatial"}[old],
    }[type(old)]()
    if isinstance(relation, Pose):
        return Pose.between(relation.of, new, relation.orientation.factors, relation.position.xyz)
    return replace(relation, **{field: new})


def named(relation: Any) -> str:
    """A relation as messages name it, without its first word (a Twist complains as LinearVelocity)."""
    return str(relation)[str(relation).index("(") :]


def refused(operation: Callable[[], Any], *relations: Any) -> SemanticError:
    """The refusal of an operation; it names these relations and says what to do."""
    with pytest.raises(SemanticError) as caught:
        operation()
    error = caught.value
    for relation in relations:
        assert named(relation) in str(error)
    assert str(error).startswith(f"{error.subject} is NOK since:\n* {error.reasons[0]}")
    assert error.remedy
    assert str(error).endswith(f"remedy: {error.remedy}")
    return error


def method(name: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: getattr(x, name)(y)


def screw(relation: type, /, **said: Any) -> Make:
    return lambda s: s.screw(relation, screw_name(relation), **said)


def rows(kind: str = "spatial", of: Body = LOWER, wrt: Body = WORLD) -> Make:
    return lambda s: RowAcceleration(THREE, of, wrt, kind, s.given("strength"))


def joint(kind: type) -> Make:
    return lambda s: kind(TWO, s.given("rate"))


def step(s: Scene) -> Position:
    return s.position(Q, P, P)


def turn(s: Scene) -> Orientation:
    return s.orientation(P, E)


def articulated(s: Scene, of: Body = LOWER) -> ArticulatedInertia:
    return s.blocks(ArticulatedInertia, "H", of=of)


def apparent(s: Scene) -> ApparentInertia:
    return s.blocks(ApparentInertia, "H2")


def joint_inertia(s: Scene) -> JointInertia:
    return JointInertia(TWO, s.given("D"))


def joint_rows(s: Scene) -> JointRows:
    return JointRows(TWO, THREE, s.given("table"))


def stack(s: Scene) -> RowStack:
    return RowStack(THREE, s.given("strength"))


def strengths(s: Scene) -> Multipliers:
    return Multipliers(THREE, s.given("strength"))


def coupling(s: Scene) -> Coupling:
    return Coupling(THREE, s.given("L"))


def no_kernel(*_: Any) -> tuple[Any, ...]:
    return (None,)


ALL, OWN, PLACE = ("of", "wrt", "point", "as_seen_by"), ("of", "point", "as_seen_by"), ("point", "as_seen_by")
own, bias = screw(Twist, wrt=WORLD), screw(ArticulatedWrench, wrt=INERTIA)
spatial, classical = screw(SpatialAcceleration, wrt=FREE_FALL), screw(ClassicalAcceleration, wrt=FREE_FALL)
felt = screw(WrenchBasis, kind=ArticulatedWrench)
COMPOSED = (Twist, SpatialAcceleration, ClassicalAcceleration, MotionBasis)
TURNED: dict[str, Make] = {  # everything that has axes
    "Position": step,
    "RigidInertia": Scene.rigid,
    "ArticulatedInertia": articulated,
    "ApparentInertia": apparent,
} | {kind.__name__: screw(kind) for kind in SCREWS}
MOVED = {name: relation for name, relation in TURNED.items() if name not in ("Position", "ClassicalAcceleration")}

PAIRINGS = [
    *(Pairing(f"{x.__name__} + ", screw(x), screw(x), operator.add, ALL) for x in SCREWS),
    *(Pairing(f"{x.__name__} - ", screw(x), screw(x), operator.sub, ALL) for x in SCREWS),
    *(Pairing(f"{name}.change_frame", x, turn, method("change_frame"), ("of",)) for name, x in TURNED.items()),
    *(
        Pairing(f"{name}.change_point", x, step, method("change_point"), ("wrt", "as_seen_by"))
        for name, x in MOVED.items()
    ),
    *(
        Pairing(f"{x.__name__}.compose", screw(x, of=UPPER, wrt=BASE), screw(x), method("compose"), ("wrt", *PLACE))
        for x in COMPOSED
    ),
    # places
    Pairing(
        "Position.compose",
        lambda s: s.position(P, E, E),
        lambda s: s.position(Q, P, E),
        method("compose"),
        ("wrt", "as_seen_by"),
    ),
    Pairing("Orientation.compose", turn, lambda s: s.orientation(Q, P), method("compose"), ("wrt",)),
    Pairing("Pose.compose", lambda s: s.pose(P, E), lambda s: s.pose(Q, P), method("compose"), ("wrt",)),
    Pairing("Pose", turn, lambda s: s.position(P, E, E), Pose, ("of", "wrt", "as_seen_by")),
    # motion
    Pairing("Twist.spatial_bias", own, screw(Twist), method("spatial_bias"), OWN),
    Pairing("Twist.classical_bias", own, screw(Twist), method("classical_bias"), OWN),
    Pairing("SpatialAcceleration.driven", spatial, screw(DrivenAcceleration), method("driven"), OWN),
    Pairing("ClassicalAcceleration.driven", classical, screw(DrivenAcceleration), method("driven"), OWN),
    Pairing("SpatialAcceleration.to_classical", spatial, own, method("to_classical"), OWN),
    Pairing("ClassicalAcceleration.to_spatial", classical, own, method("to_spatial"), OWN),
    Pairing(
        "ClassicalAcceleration.change_point",
        classical,
        own,
        lambda a, twist: a.change_point(Position(Q.origin, P.origin, P), twist),
        ("of", "as_seen_by"),
    ),
    Pairing("Momentum.rate", screw(Momentum, wrt=WORLD), own, method("rate"), ALL),
    # forces
    Pairing("Wrench.without", screw(Wrench, wrt=INERTIA), screw(Wrench, wrt=ENVIRONMENT), method("without"), OWN),
    Pairing(
        "ArticulatedWrench + ApparentWrench",
        screw(ArticulatedWrench, of=UPPER),
        screw(ApparentWrench),
        operator.add,
        ("wrt", *PLACE),
    ),
    # inertias
    Pairing(
        "ArticulatedInertia + ApparentInertia",
        lambda s: articulated(s, UPPER),
        apparent,
        operator.add,
        ("wrt", *PLACE),
    ),
    Pairing("RigidInertia + RigidInertia", Scene.rigid, lambda s: s.rigid("2"), operator.add, PLACE),
    Pairing("RigidInertia @ Twist", Scene.rigid, own, operator.matmul, OWN),
    Pairing(
        "RigidInertia.required_wrench(acceleration)",
        Scene.rigid,
        classical,
        lambda H, a: H.required_wrench(a, Twist(LOWER, WORLD, P.origin, P)),
        OWN,
    ),
    Pairing(
        "RigidInertia.required_wrench(twist)",
        classical,
        own,
        lambda a, twist: RigidInertia(LOWER, P.origin, P).required_wrench(a, twist),
        OWN,
    ),
    Pairing("ArticulatedInertia @ ", articulated, spatial, operator.matmul, OWN),
    Pairing("ApparentInertia @ ", apparent, spatial, operator.matmul, OWN),
    Pairing("RigidInertia.along", Scene.rigid, screw(MotionBasis), method("along"), OWN),
    Pairing("ArticulatedInertia.along", articulated, screw(MotionBasis), method("along"), OWN),
    # along joints and rows
    Pairing("MotionBasis.pair(Wrench)", screw(MotionBasis), screw(Wrench), method("pair"), ALL),
    Pairing("MotionBasis.pair(ArticulatedWrench)", screw(MotionBasis), bias, method("pair"), OWN),
    Pairing("MotionBasis.pair(WrenchBasis)", screw(MotionBasis), felt, method("pair"), OWN),
    Pairing("MotionBasis.times", screw(MotionBasis), joint(JointVelocity), method("times"), ("joints",)),
    Pairing("WrenchBasis.pair", screw(WrenchBasis), spatial, method("pair"), OWN),
    Pairing("WrenchBasis.along", screw(WrenchBasis), spatial, method("along"), PLACE),
    Pairing("WrenchBasis.times", screw(WrenchBasis), strengths, method("times"), ("rows",)),
    Pairing("WrenchBasis.beside", screw(WrenchBasis), screw(WrenchBasis), method("beside"), ALL),
    Pairing("RowAcceleration.minus", rows(), rows(), method("minus"), ("rows", "of", "wrt", "kind")),
    Pairing("RowAcceleration.compose", rows(of=UPPER), rows(wrt=UPPER), method("compose"), ("rows", "wrt", "kind")),
    Pairing(
        "Coupling.balance", coupling, stack, lambda x, b: x.balance(b, None, no_kernel, range(3), (1.0,) * 3), ("rows",)
    ),
    Pairing("RowStack - RowStack", stack, stack, operator.sub, ("rows",)),
    Pairing("WrenchBasis.joined", screw(WrenchBasis), screw(WrenchBasis), method("joined"), ALL),
    Pairing("JointRows.joined", joint_rows, joint_rows, method("joined"), ("joints",)),
    Pairing("Coupling + Coupling", coupling, coupling, operator.add, ("rows",)),
    Pairing("JointForce + JointForce", joint(JointForce), joint(JointForce), operator.add, ("joints",)),
    Pairing("JointBias - JointBias", joint(JointBias), joint(JointBias), operator.sub, ("joints",)),
    Pairing("JointForce - JointBias", joint(JointForce), joint(JointBias), operator.sub, ("joints",)),
    Pairing("JointInertia.solve", joint_inertia, joint(JointBias), method("solve"), ("joints",)),
    Pairing("JointInertia.yields", joint_inertia, joint_rows, method("yields"), ("joints",)),
    Pairing("JointRows.times", joint_rows, strengths, method("times"), ("rows",)),
    Pairing("JointRows.along", joint_rows, joint(JointAcceleration), method("along"), ("joints",)),
]


@row("motion-stack", 1)
@pytest.mark.parametrize("reading", ["nothing", "numbers"])
@pytest.mark.parametrize(
    ("pairing", "field"),
    [pytest.param(pairing, field, id=f"{pairing.name} {field}") for pairing in PAIRINGS for field in pairing.fields],
)
def test_a_field_that_does_not_fit_is_refused_with_both_names_and_a_remedy(pairing: Pairing, field: str, reading: str):
    scene = Scene(Numbers(2, "any"), reading)
    left, right = pairing.left(scene), pairing.right(scene)
    pairing.operate(left, right)  # fits
    wrong = altered(right, field)
    error = refused(lambda: pairing.operate(left, wrong), left, wrong)
    assert re.search(REMEDY[field], error.remedy)


@row("motion-stack", 1)
@pytest.mark.parametrize("field", OWN)
@pytest.mark.parametrize(
    ("operand", "operate"),
    [
        (articulated, operator.matmul),
        (felt, method("basis_of")),
        (bias, lambda projector, wrench: projector.wrench(wrench, JointForce(TWO))),
    ],
    ids=["inertia", "basis", "wrench"],
)
def test_a_projector_takes_only_what_is_of_its_own_joint(operand: Make, operate: Callable[[Any, Any], Any], field: str):
    scene = Scene(Numbers(2, "any"), "nothing")
    projector = articulated(scene).projector(screw(MotionBasis)(scene))
    operate(projector, operand(scene))  # fits
    wrong = altered(operand(scene), field)
    error = refused(lambda: operate(projector, wrong), projector.basis, wrong)
    assert re.search(REMEDY[field], error.remedy)


def test_a_projector_takes_only_the_motor_of_its_own_joint():
    scene = Scene(Numbers(2, "any"), "nothing")
    other = JointForce(("other", "joints"))
    refused(lambda: articulated(scene).projector(screw(MotionBasis)(scene)).wrench(bias(scene), other), other)


# ---------------------------------------------------------------- what is refused: the wrong order


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("left", "right", "operate"),
    [
        pytest.param(lambda s: s.pose(Q, P), lambda s: s.pose(P, E), method("compose"), id="Pose.compose"),
        pytest.param(lambda s: s.orientation(Q, P), turn, method("compose"), id="Orientation.compose"),
        pytest.param(
            lambda s: s.position(Q, P, E), lambda s: s.position(P, E, E), method("compose"), id="Position.compose"
        ),
        *(
            pytest.param(screw(x), screw(x, of=UPPER, wrt=BASE), method("compose"), id=f"{x.__name__}.compose")
            for x in COMPOSED
        ),
        pytest.param(rows(wrt=UPPER), rows(of=UPPER), method("compose"), id="RowAcceleration.compose"),
        pytest.param(screw(ApparentWrench), screw(ArticulatedWrench, of=UPPER), operator.add, id="apparent first"),
        *(
            pytest.param(x, lambda s: turn(s).inverse(), method("change_frame"), id=f"{name}.change_frame")
            for name, x in TURNED.items()
        ),
        *(
            pytest.param(x, lambda s: step(s).inverse(), method("change_point"), id=f"{name}.change_point")
            for name, x in MOVED.items()
        ),
    ],
)
def test_the_wrong_order_is_refused(left: Make, right: Make, operate: Callable[[Any, Any], Any]):
    scene = Scene(Numbers(2, "any"), "nothing")
    x, y = left(scene), right(scene)
    error = refused(lambda: operate(x, y), x, y)
    if operate is not operator.add:
        assert re.search(r"inverse\(\)|must be of some body", error.remedy)


# ---------------------------------------------------------------- what is refused: the wrong kind


def hole(*arguments: Any, id: str, reason: str) -> Any:
    """A case that is not refused as it should be."""
    return pytest.param(*arguments, id=id)


def mixed_sums() -> list[Any]:
    """A sum of any two different six-vectors, but for what a parent feels of its child."""
    pairs = [(x, y) for x in SCREWS for y in SCREWS if x is not y and (x, y) != (ArticulatedWrench, ApparentWrench)]
    return [
        pytest.param(screw(x), screw(y), operate, id=f"{x.__name__} {sign} {y.__name__}")
        for x, y in pairs
        for sign, operate in (("+", operator.add), ("-", operator.sub))
    ]


WRONG_KINDS = [
    *mixed_sums(),
    # compose, change_frame, change_point
    *(
        pytest.param(
            screw(x, of=UPPER, wrt=BASE), screw(y), method("compose"), id=f"{x.__name__}.compose({y.__name__})"
        )
        for x in COMPOSED
        for y in (*COMPOSED, Wrench)
        if x is not y
    ),
    *(pytest.param(x, step, method("change_frame"), id=f"{name}.change_frame(Position)") for name, x in TURNED.items()),
    *(
        pytest.param(x, turn, method("change_point"), id=f"{name}.change_point(Orientation)")
        for name, x in MOVED.items()
    ),
    pytest.param(screw(Twist), lambda s: s.pose(Q, P), method("change_point"), id="Twist.change_point(Pose)"),
    pytest.param(lambda s: s.pose(P, E), step, method("compose"), id="Pose.compose(Position)"),
    pytest.param(lambda s: s.position(P, E, E), lambda s: s.pose(Q, P), method("compose"), id="Position.compose(Pose)"),
    hole(
        lambda s: s.pose(P, E), screw(Twist), method("compose"), id="Pose.compose(Twist)", reason="AttributeError: body"
    ),
    hole(
        turn,
        lambda s: s.pose(Q, P),
        method("compose"),
        id="Orientation.compose(Pose)",
        reason="AttributeError: factors",
    ),
    *(
        hole(
            x,
            lambda s: s.pose(P, E),
            method("change_frame"),
            id=f"{name}.change_frame(Pose)",
            reason="AttributeError, or accepted where there are no coordinates",
        )
        for name, x in TURNED.items()
    ),
    # inertias map motions of one kind
    pytest.param(Scene.rigid, spatial, operator.matmul, id="RigidInertia @ SpatialAcceleration"),
    pytest.param(Scene.rigid, screw(Wrench), operator.matmul, id="RigidInertia @ Wrench"),
    pytest.param(Scene.rigid, screw(MotionBasis), operator.matmul, id="RigidInertia @ MotionBasis"),
    pytest.param(articulated, own, operator.matmul, id="ArticulatedInertia @ Twist"),
    pytest.param(articulated, classical, operator.matmul, id="ArticulatedInertia @ ClassicalAcceleration"),
    pytest.param(apparent, own, operator.matmul, id="ApparentInertia @ Twist"),
    pytest.param(articulated, screw(Twist), method("along"), id="ArticulatedInertia.along(Twist)"),
    pytest.param(Scene.rigid, screw(Twist), method("along"), id="RigidInertia.along(Twist)"),
    pytest.param(articulated, Scene.rigid, operator.add, id="ArticulatedInertia + RigidInertia"),
    pytest.param(articulated, articulated, operator.add, id="ArticulatedInertia + ArticulatedInertia"),
    hole(Scene.rigid, articulated, operator.add, id="RigidInertia + ArticulatedInertia", reason="accepted"),
    hole(Scene.rigid, own, operator.add, id="RigidInertia + Twist", reason="accepted"),
    hole(
        apparent,
        classical,
        operator.matmul,
        id="ApparentInertia @ ClassicalAcceleration",
        reason="accepted, while ArticulatedInertia refuses it",
    ),
    pytest.param(
        Scene.rigid,
        spatial,
        lambda H, a: H.required_wrench(a, Twist(LOWER, WORLD, P.origin, P)),
        id="RigidInertia.required_wrench(SpatialAcceleration)",
    ),
    # joints and rows
    pytest.param(screw(MotionBasis), screw(ApparentWrench), method("pair"), id="MotionBasis.pair(ApparentWrench)"),
    pytest.param(
        screw(MotionBasis),
        screw(WrenchBasis, kind=ApparentWrench),
        method("pair"),
        id="MotionBasis.pair(apparent basis)",
    ),
    pytest.param(screw(MotionBasis), screw(Twist), method("pair"), id="MotionBasis.pair(Twist)"),
    hole(
        screw(MotionBasis),
        screw(Momentum),
        method("pair"),
        id="MotionBasis.pair(Momentum)",
        reason="accepted as a JointBias",
    ),
    hole(screw(MotionBasis), joint(JointForce), method("times"), id="MotionBasis.times(JointForce)", reason="a Twist"),
    hole(screw(MotionBasis), joint(JointBias), method("times"), id="MotionBasis.times(JointBias)", reason="a Twist"),
    hole(
        screw(MotionBasis),
        strengths,
        method("times"),
        id="MotionBasis.times(Multipliers)",
        reason="AttributeError: joints",
    ),
    hole(screw(WrenchBasis), rows(), method("times"), id="WrenchBasis.times(RowAcceleration)", reason="a Wrench"),
    hole(
        screw(WrenchBasis),
        joint(JointVelocity),
        method("times"),
        id="WrenchBasis.times(JointVelocity)",
        reason="AttributeError: rows",
    ),
    hole(screw(WrenchBasis), felt, operator.add, id="WrenchBasis<Wrench> + <ArticulatedWrench>", reason="accepted"),
    hole(
        screw(WrenchBasis),
        felt,
        method("beside"),
        id="WrenchBasis<Wrench>.beside(<ArticulatedWrench>)",
        reason="accepted",
    ),
    hole(
        screw(WrenchBasis),
        screw(WrenchBasis, rows=("a", "b", "c")),
        operator.add,
        id="WrenchBasis + WrenchBasis along other rows",
        reason="accepted",
    ),
    hole(
        screw(MotionBasis),
        screw(MotionBasis, joints=("a", "b")),
        operator.add,
        id="MotionBasis + MotionBasis of other joints",
        reason="accepted",
    ),
    pytest.param(screw(WrenchBasis), own, method("pair"), id="WrenchBasis.pair(Twist)"),
    pytest.param(
        screw(WrenchBasis), screw(DrivenAcceleration), method("pair"), id="WrenchBasis.pair(DrivenAcceleration)"
    ),
    pytest.param(screw(WrenchBasis), classical, method("along"), id="WrenchBasis.along(ClassicalAcceleration)"),
    pytest.param(felt, classical, method("pair"), id="articulated WrenchBasis.pair(ClassicalAcceleration)"),
    pytest.param(own, spatial, method("spatial_bias"), id="Twist.spatial_bias(SpatialAcceleration)"),
    pytest.param(spatial, screw(Wrench), method("to_classical"), id="SpatialAcceleration.to_classical(Wrench)"),
    pytest.param(spatial, screw(Twist), method("driven"), id="SpatialAcceleration.driven(Twist)"),
    pytest.param(screw(Momentum, wrt=WORLD), spatial, method("rate"), id="Momentum.rate(SpatialAcceleration)"),
    pytest.param(joint(JointForce), joint(JointBias), operator.add, id="JointForce + JointBias"),
    pytest.param(joint(JointForce), joint(JointForce), operator.sub, id="JointForce - JointForce"),
    pytest.param(joint(JointBias), joint(JointForce), operator.add, id="JointBias + JointForce"),
    pytest.param(joint(JointBias), joint(JointForce), operator.sub, id="JointBias - JointForce"),
    pytest.param(joint_inertia, joint(JointForce), method("solve"), id="JointInertia.solve(JointForce)"),
    pytest.param(joint_inertia, joint(JointVelocity), method("solve"), id="JointInertia.solve(JointVelocity)"),
    pytest.param(joint_inertia, felt, method("yields"), id="JointInertia.yields(WrenchBasis)"),
    pytest.param(joint_rows, rows(), method("times"), id="JointRows.times(RowAcceleration)"),
    pytest.param(joint_rows, felt, lambda z, A: z.along(A), id="JointRows.along(WrenchBasis)"),
    pytest.param(coupling, joint_inertia, operator.add, id="Coupling + JointInertia"),
    pytest.param(rows(), strengths, method("minus"), id="RowAcceleration.minus(Multipliers)"),
]


@row("motion-stack", 1)
@pytest.mark.parametrize(("left", "right", "operate"), WRONG_KINDS)
def test_the_wrong_kind_is_refused_with_both_names(left: Make, right: Make, operate: Callable[[Any, Any], Any]):
    scene = Scene(Numbers(2, "any"), "nothing")
    x, y = left(scene), right(scene)
    refused(lambda: operate(x, y), x, y)


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("operand", "operate"),
    [
        pytest.param(Scene.rigid, operator.matmul, id="@ RigidInertia"),
        pytest.param(screw(Wrench, wrt=INERTIA), operator.matmul, id="@ Wrench"),
        pytest.param(screw(WrenchBasis), method("basis_of"), id="a basis of physical wrenches"),
        pytest.param(screw(WrenchBasis, kind=ApparentWrench), method("basis_of"), id="a basis projected already"),
        pytest.param(screw(Wrench, wrt=INERTIA), lambda p, f: p.wrench(f, JointForce(TWO)), id="a physical wrench"),
        pytest.param(screw(ApparentWrench), lambda p, f: p.wrench(f, JointForce(TWO)), id="a wrench projected already"),
        hole(
            joint(JointBias),
            lambda p, f: p.wrench(bare(ArticulatedWrench), f),
            id="a bias for a motor",
            reason="accepted: JointBias - JointBias is valid, and who made it is forgotten",
        ),
        hole(bias, operator.matmul, id="@ ArticulatedWrench", reason="accepted as an ApparentInertia"),
        hole(bias, method("basis_of"), id="basis_of(ArticulatedWrench)", reason="AttributeError: kind"),
    ],
)
def test_a_projector_takes_articulated_things_only(operand: Make, operate: Callable[[Any, Any], Any]):
    scene = Scene(Numbers(2, "any"), "nothing")
    projector = articulated(scene).projector(screw(MotionBasis)(scene))
    refused(lambda: operate(projector, operand(scene)), operand(scene))


@row("motion-stack", 1)
def test_a_pose_of_two_kinds_is_refused_when_they_are_exchanged():
    s = Scene(Numbers(2, "any"), "nothing")
    refused(lambda: Pose(turn(s), s.position(Q, E, E)), turn(s), s.position(Q, E, E))


def test_position_and_orientation_exchanged_in_a_pose_are_refused():
    s = Scene(Numbers(2, "any"), "nothing")
    refused(lambda: Pose(s.position(P, E, E), turn(s)), turn(s))  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is refused: one relation alone


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("relation", "operate", "remedy"),
    [
        pytest.param(screw(Twist), lambda v: v.spatial_bias(v), "compose", id="bias of a twist wrt a moving body"),
        pytest.param(screw(Twist), lambda v: v.classical_bias(v), "compose", id="classical bias likewise"),
        pytest.param(
            screw(Twist), lambda v: bare(SpatialAcceleration).to_classical(v), "compose", id="ω × v of a relative twist"
        ),
        pytest.param(
            screw(ClassicalAcceleration),
            lambda a: RigidInertia(LOWER, P.origin, P).required_wrench(a, bare(Twist, wrt=WORLD)),
            "compose",
            id="Newton wrt a moving body",
        ),
        pytest.param(
            classical,
            lambda a: a.change_point(Position(Q.origin, P.origin, P)),
            "twist",
            id="no ω for a change of point",
        ),
        pytest.param(screw(Wrench), lambda f: f.articulated(), "momentum", id="articulated from a contact"),
        pytest.param(screw(Wrench), lambda f: f.exerted_by(BASE), "net wrench", id="a maker for what has one"),
        pytest.param(screw(Wrench), lambda f: f.to_be_made(), "from outside", id="to be made though internal"),
        pytest.param(screw(WrenchBasis), lambda A: A.to_be_made(), "from outside", id="a basis to be made likewise"),
        pytest.param(felt, lambda A: A.articulated(), "as it is", id="articulated twice"),
        pytest.param(felt, lambda A: A.at_parent(), "project", id="arrived without passing the joint"),
        pytest.param(felt, lambda A: A.handed_down(), "Projector", id="handed down though joints are free"),
        pytest.param(
            screw(WrenchBasis), lambda A: A.exerted_by(BASE), "handed_down", id="a maker for a basis with one"
        ),
        pytest.param(screw(WrenchBasis), lambda A: A.held_by(UPPER), "articulated()", id="physical wrenches, held"),
        pytest.param(felt, lambda A: A.reaction_on(UPPER), "articulated()", id="reaction to what joints have changed"),
        pytest.param(
            rows("classical"), lambda b: RowStack.gather(THREE, [b]), "to_spatial", id="classical rows beside others"
        ),
        pytest.param(
            bias, lambda f: f.relieved(replace(f, wrt=UPPER)), "from outside", id="relieved by another part of itself"
        ),
        hole(
            screw(SpatialAcceleration),
            lambda a: a.to_classical(bare(Twist, wrt=WORLD)),
            "compose",
            id="a relative acceleration made classical by the absolute twist",
            reason="accepted",
        ),
        hole(
            screw(ClassicalAcceleration),
            lambda a: a.change_point(Position(Q.origin, P.origin, P), bare(Twist, wrt=WORLD)),
            "compose",
            id="a relative acceleration moved by the absolute twist",
            reason="accepted",
        ),
    ],
)
def test_what_a_relation_cannot_answer_alone_is_refused(relation: Make, operate: Callable[[Any], Any], remedy: str):
    x = relation(Scene(Numbers(2, "any"), "nothing"))
    assert remedy in refused(lambda: operate(x), x).remedy


@row("motion-stack", 1)
@pytest.mark.parametrize(
    ("asked", "twist"),
    [
        (rows("spatial"), own),
        (rows("classical", of=UPPER), own),
        (rows("classical"), screw(Twist, of=UPPER, wrt=WORLD)),
        (rows("classical"), screw(Twist, wrt=UPPER)),
        (lambda s: replace(rows("classical")(s), rows=("a", "b", "c")), own),
    ],
    ids=["spatial already", "of another body", "another body's twist", "relative twist", "other rows"],
)
def test_rows_are_made_spatial_only_by_the_own_twist(asked: Make, twist: Make):
    s = Scene(Numbers(2, "any"), "nothing")
    basis = screw(WrenchBasis)(s)
    basis.to_spatial(rows("classical")(s), own(s))  # fits
    refused(lambda: basis.to_spatial(asked(s), twist(s)), basis, twist(s))


# ---------------------------------------------------------------- coordinates on one side only


@pytest.mark.parametrize("kind", [Twist, Wrench, ClassicalAcceleration])
def test_a_sum_with_something_unknown_is_unknown(kind: type):
    numbers, nothing = Scene(Numbers(3, "any"), "numbers"), Scene(Numbers(3, "any"), "nothing")
    for total in (screw(kind)(numbers) + screw(kind)(nothing), screw(kind)(nothing) - screw(kind)(numbers)):
        assert total.angular is None
        assert total.linear is None


def test_a_classical_acceleration_moved_by_an_unknown_twist_is_unknown():
    s = Scene(Numbers(3, "any"), "numbers")
    assert classical(s).change_point(step(s), bare(Twist, wrt=WORLD)).linear is None


@pytest.mark.parametrize(
    "operate",
    [
        lambda S: S.times(JointVelocity(TWO, np.ones((2, 1)))),
        lambda S: S.pair(Wrench(LOWER, UPPER, Q.origin, P, np.ones((3, 1)), np.ones((3, 1)))),
        lambda S: S.compose(MotionBasis(BASE, LOWER, Q.origin, P, np.ones((3, 1)), np.ones((3, 1)), joints=("k",))),
    ],
    ids=["times", "pair", "compose"],
)
def test_directions_moved_by_an_unknown_distance_are_unknown(operate: Callable[[Any], Any]):
    """In the check reading S has numbers, a pose that depends on q has none."""
    operate(screw(MotionBasis)(Scene(Numbers(3, "any"), "numbers")).change_point(Position(Q.origin, P.origin, P)))


# ---------------------------------------------------------------- spatial and classical


@row("motion-stack", 4)
@pytest.mark.parametrize("operate", [operator.add, operator.sub, method("compose")])
def test_spatial_and_classical_do_not_mix(operate: Callable[[Any, Any], Any]):
    s = Scene(Numbers(4, "any"), "numbers")
    x, y = spatial(s), classical(s)
    for error in (refused(lambda: operate(x, y), x, y), refused(lambda: operate(y, x), x, y)):
        assert "SpatialAcceleration" in error.reasons[0]
        assert "ClassicalAcceleration" in error.reasons[0]


@row("motion-stack", 4)
@settings(deadline=None, max_examples=15)
@given(scenes)
def test_spatial_and_classical_differ_by_omega_cross_v(numbers: Numbers):
    s = Scene(numbers, "numbers")
    a, twist = spatial(s), own(s)
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
