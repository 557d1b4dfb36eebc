"""One small scene of three bodies over numbers, symbols or nothing, and plain 6×6 matrices to compare with.

The spatial transforms are written down here once more, from the formulas of specs/motion-stack.md §2.2 and §2.7.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Turn

from motionc.geometry import (
    ApparentInertia,
    ApparentWrench,
    ArticulatedInertia,
    ArticulatedWrench,
    Body,
    ClassicalAcceleration,
    DrivenAcceleration,
    Frame,
    Momentum,
    MotionBasis,
    Orientation,
    Pose,
    Position,
    RigidInertia,
    SpatialAcceleration,
    Twist,
    Wrench,
    WrenchBasis,
)
from motionc.geometry.coordinates import UNKNOWN, above, beside
from motionc.geometry.coordinates import skew as coordinate_skew
from motionc.geometry.factors import PlanarRotation, Rotation
from motionc.geometry.symbols import Symbols
from symbols import Page

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
        self.page = Page()
        self.symbols: dict[str, tuple[Symbols, Array]] = {}

    def given(self, name: str, values: Array | None = None) -> Any:
        """The coordinates of that name: a matrix of numbers, of fresh symbols, or None."""
        if self.reading == "nothing":
            return None
        values = getattr(self.numbers, name) if values is None else values
        if self.reading == "numbers":
            return values
        if name not in self.symbols:
            self.symbols[name] = self.page.symbols(*values.shape), values
        return self.symbols[name][0]

    def orientation(self, of: Frame, wrt: Frame, name: str = "R") -> Orientation:
        values = self.given(name)
        return Orientation(of, wrt, None if values is None else (Rotation(values),))

    def in_factors(self, of: Frame, wrt: Frame) -> Orientation:
        """R · Rz(θ) · K, as three factors."""
        R, theta, K = self.given("R"), self.given("theta"), self.given("K")
        if theta is None:
            return Orientation(of, wrt)
        return Orientation(of, wrt, (Rotation(R), PlanarRotation(np.sin(theta), np.cos(theta)), Rotation(K)))

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
        if relation.mass is UNKNOWN:
            return [[relation.mass, relation.first_moment, relation.rotational]]
        c = cross_matrix(relation.first_moment)
        return [[relation.rotational, c], [c.T, relation.mass * np.eye(3)]]
    if isinstance(relation, ArticulatedInertia | ApparentInertia):
        if relation.mixed is UNKNOWN:
            return [[relation.angular, relation.mixed, relation.linear]]
        return [[relation.angular, relation.mixed], [relation.mixed.T, relation.linear]]
    if hasattr(relation, "angular"):
        return [[relation.angular], [relation.linear]]
    return [[relation.values]]


def cross_matrix(a: Any) -> Any:
    return coordinate_skew(a) if isinstance(a, Symbols) else skew(a)


def evaluated(relation: Any, scene: Scene) -> Array:
    """The coordinates as one matrix of numbers, symbols replaced by the numbers they stand for."""
    blocks = coordinates(relation)
    if scene.reading != "symbols":
        return np.block(blocks)
    values = [values for _, values in scene.symbols.values()]
    return scene.page.evaluated([above(*[beside(*line) for line in blocks])], *values)[0]


def meaning(relation: Any) -> tuple[Any, ...]:
    fields = ("of", "wrt", "point", "as_seen_by", "joints", "rows", "kind")
    return (type(relation), *(getattr(relation, name, None) for name in fields))


def close(actual: Array, expected: Array) -> bool:
    assert actual.shape == expected.shape
    return bool(np.abs(actual - expected).max() <= TIGHT * max(1.0, np.abs(expected).max()))


def screw_name(kind: type) -> str:
    return {MotionBasis: "S", WrenchBasis: "A"}.get(kind, "m" if kind in (*MOTIONS, ClassicalAcceleration) else "f")


def bare(
    relation: type, /, of: Body = LOWER, wrt: Body = UPPER, at: Frame = P, seen: Frame | None = None, **labels: Any
):
    return relation(of, wrt, at.origin, seen or at, **(LABELS.get(relation, {}) | labels))


scenes = st.builds(Numbers, st.integers(0, 2**32 - 1), st.sampled_from(Numbers.MOODS))
