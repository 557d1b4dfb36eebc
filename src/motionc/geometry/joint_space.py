"""Quantities along joints and along constraint rows, kept apart by what they mean.

A JointForce is what a motor makes. A JointBias is what a joint feels beside it: the two subtract, but one never
stands for the other (erratum E5).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    above,
    assemble,
    beside,
    invert_positive_definite,
    root_positive_definite,
    solve_positive_definite,
    symmetric,
    zeros,
)
from motionc.geometry.entities import JOINTS, Body
from motionc.geometry.meaning import refuse

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class JointVector(Relation):
    """One value for each of the named joint coordinates, (k, 1)."""

    joints: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.joints)})"

    def __add__(self, other: Self) -> Self:
        expect_alike(self, other, "+", type(self), "joints")
        return replace(self, values=self.values + other.values)

    def among(self, joints: Labels) -> Self:
        """The values of some of the joints."""
        keep = places(self, self.joints, joints)
        return replace(self, joints=joints, values=self.values[keep, :])

    def spread(self, joints: Labels) -> Self:
        """With the others of these joints at zero."""
        others = tuple(joint for joint in joints if joint not in self.joints)
        return self.merge(replace(self, joints=others, values=zeros(len(others), 1)), joints)

    def merge(self, other: Self, joints: Labels) -> Self:
        """All of these joints, in this order, each from the one side that has it."""
        both = self.joints + other.joints
        if sorted(both) != sorted(joints):
            refuse(
                f"{self}.merge({other})",
                f"they are not each of {', '.join(joints)} once",
                remedy="take the joints apart first: among() one part, among() the other",
            )
        values = above(self.values, other.values)
        return replace(self, joints=both, values=values).among(joints)


@dataclass(frozen=True, slots=True, eq=False)
class JointVelocity(JointVector):
    """q̇."""


@dataclass(frozen=True, slots=True, eq=False)
class JointAcceleration(JointVector):
    """q̈."""


@dataclass(frozen=True, slots=True, eq=False)
class JointCoordinates(JointVector):
    """q of joints, of whose rates `joints` are the names: with a quaternion there is one entry more."""


@dataclass(frozen=True, slots=True, eq=False)
class JointBias(JointVector):
    """What a joint feels, along its free directions, of everything but its motor. No motor makes it."""

    def __sub__(self, other: "JointBias") -> "JointBias":
        expect_alike(self, other, "-", JointBias, "joints")
        return JointBias(self.joints, self.values - other.values)


@dataclass(frozen=True, slots=True, eq=False)
class JointForce(JointVector):
    """What a motor makes along a joint: torque or force."""

    def __sub__(self, bias: JointBias) -> JointBias:
        """What is left to accelerate the joint."""
        expect_alike(self, bias, "-", JointBias, "joints")
        return JointBias(self.joints, self.values - bias.values)


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers(Relation):
    """Strength of each constraint force: physical, on the constrained body."""

    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Multipliers({', '.join(self.rows)})"

    def __add__(self, more: "Multipliers") -> "Multipliers":
        expect_alike(self, more, "+", Multipliers, "rows")
        return Multipliers(self.rows, self.values + more.values)

    def select(self, rows: Labels) -> "Multipliers":
        """The multipliers of some of the rows."""
        keep = places(self, self.rows, rows)
        return Multipliers(rows, self.values[keep, :])

    def merge(self, other: "Multipliers", rows: Labels) -> "Multipliers":
        """All of these rows, in this order, from whichever side has them."""
        values = above(self.values, other.values)
        return Multipliers(self.rows + other.rows, values).select(rows)

    def spread(self, rows: Labels) -> "Multipliers":
        """With the others of these rows at zero."""
        others = tuple(row for row in rows if row not in self.rows)
        return self.merge(Multipliers(others, zeros(len(others), 1)), rows) if others else self.select(rows)


@dataclass(frozen=True, slots=True, eq=False)
class JointRows(Relation):
    """What a joint feels of each unit constraint force, (joint coordinates × rows)."""

    joints: Labels
    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointRows({', '.join(self.joints)}; {', '.join(self.rows)})"

    def times(self, multipliers: Multipliers) -> JointBias:
        """What the joint feels of all of them at these strengths."""
        expect_alike(self, multipliers, ".times", Multipliers, "rows")
        return JointBias(self.joints, self.values @ multipliers.values)

    @classmethod
    def none(cls, joints: Labels) -> "JointRows":
        """No row yet."""
        return cls(joints, (), zeros(len(joints), 0))

    def joined(self, other: "JointRows") -> "JointRows":
        """What the same joint feels of these rows and of those; of a row in both, the sum."""
        expect_alike(self, other, ".joined", JointRows, "joints")
        rows = union(self.rows, other.rows)
        return JointRows(self.joints, rows, self._among(rows) + other._among(rows))

    def _among(self, rows: Labels) -> Coordinates:
        return spread_columns(self.values, self.rows, rows)

    def select(self, rows: Labels) -> "JointRows":
        """What it feels of some of the rows."""
        keep = places(self, self.rows, rows)
        return replace(self, rows=rows, values=self.values[:, keep])

    def made(self, multipliers: Multipliers) -> JointForce:
        """What motors make in place of unit forces along the joints, at these strengths."""
        return JointForce(self.joints, self.times(multipliers).values)

    def along(self, rate: JointAcceleration) -> "RowAcceleration":
        """zᵀ q̈: by how much the joints, accelerating, move each row."""
        expect_alike(self, rate, ".along", JointAcceleration, "joints")
        values = self.values.T @ rate.values
        return RowAcceleration(self.rows, JOINTS, JOINTS, "spatial", values)

    def moved(self, rate: JointVelocity) -> "RowVelocity":
        """zᵀ q̇: how fast joints move along each row."""
        expect_alike(self, rate, ".moved", JointVelocity, "joints")
        return RowVelocity(self.rows, self.values.T @ rate.values)

    def __add__(self, other: "JointRows") -> "JointRows":
        expect_alike(self, other, "+", JointRows, "joints", "rows")
        return replace(self, values=self.values + other.values)

    def beside(self, other: "JointRows") -> "JointRows":
        """More rows of the same joints."""
        expect_alike(self, other, ".beside", JointRows, "joints")
        values = beside(self.values, other.values)
        return JointRows(self.joints, self.rows + other.rows, values)


@dataclass(frozen=True, slots=True, eq=False)
class Coupling(Relation):
    """J M⁻¹ Jᵀ: the acceleration each unit constraint force produces along every row."""

    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Coupling({', '.join(self.rows)})"

    def __add__(self, other: "Coupling") -> "Coupling":
        expect_alike(self, other, "+", Coupling, "rows")
        return Coupling(self.rows, self.values + other.values)

    def damped(self, damping: float, weights: Sequence[float]) -> "Coupling":
        """Λ + damping / weight², row by row on the diagonal; the coupling itself for 0."""
        if not damping:
            return self
        return Coupling(self.rows, self.values + damping * np.diag(np.asarray(weights, float) ** -2))

    def select(self, rows: Labels) -> "Coupling":
        """What forces along some of the rows do to each other."""
        keep = places(self, self.rows, rows)
        return Coupling(rows, self.values[keep, :][:, keep])

    @classmethod
    def gather(cls, rows: Labels, parts: "Sequence[Coupling]") -> "Coupling":
        """What all joints give way together, each having its share along some of the rows."""
        entries: list[list[Any]] = [[0.0] * len(rows) for _ in rows]
        for part in parts:
            at = places(part, rows, part.rows)
            for a, i in enumerate(at):
                for b, j in enumerate(at):
                    entries[i][j] = entries[i][j] + part.values[a, b]
        return Coupling(rows, symmetric(assemble(entries)))

    def balance(
        self,
        missing: "RowStack",
        kernel: object,
        call: Callable[..., Any],
        order: Sequence[int],
        weights: Sequence[float],
    ) -> tuple[Any, ...]:
        """λ with Λ λ = what is missing along the rows, and whatever else the kernel reports."""
        expect_alike(self, missing, ".balance", RowStack, "rows")
        strength, *report = self.solve(missing.values, kernel, call, order, weights)
        return Multipliers(self.rows, strength), *report

    def solve(
        self,
        right: Coordinates,
        kernel: object,
        call: Callable[..., Any],
        order: Sequence[int],
        weights: Sequence[float],
    ) -> tuple[Any, ...]:
        """What along the rows makes up for the right side, and whatever else the kernel reports.

        Rows are handed to the kernel in this order. Where not all can be had, misses count by weight squared.
        """
        matrix, scale = self.values, np.diag(np.asarray(weights, float))
        weighted, ordered = any(weight != 1.0 for weight in weights), list(order) != sorted(order)
        if weighted:
            matrix, right = scale @ matrix @ scale, scale @ right
        if ordered:
            matrix, right = matrix[list(order), :][:, list(order)], right[list(order), :]
        strength, *report = call(kernel, matrix, right)
        if ordered:
            strength = strength[[list(order).index(k) for k in range(len(order))], :]
        return scale @ strength if weighted else strength, *report


@dataclass(frozen=True, slots=True, eq=False)
class RowAcceleration(Relation):
    """Acceleration of body `of` with respect to `wrt` along each constraint row (the theses' acceleration energy).

    `kind` is "classical", "spatial", or "observed": spatial, but with derivatives taken in `wrt`, which may turn.
    """

    rows: Labels
    of: Body
    wrt: Body
    kind: str
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"RowAcceleration({self.of},{self.wrt},{self.kind}; {', '.join(self.rows)})"

    def compose(self, relative: "RowAcceleration") -> "RowAcceleration":
        """Along the rows, b wrt a followed by c wrt b is c wrt a."""
        expect_alike(self, relative, ".compose", RowAcceleration, "rows", "kind")
        if relative.wrt != self.of:
            refuse(
                f"{self}.compose({relative})",
                f"inner body {self.of} != {relative.wrt}",
                remedy=f"the second must be of some body wrt {self.of}",
            )
        return replace(self, of=relative.of, values=self.values + relative.values)

    def inverse(self) -> "RowAcceleration":
        """The other body's view."""
        return replace(self, of=self.wrt, wrt=self.of, values=-self.values)

    def minus(self, other: "RowAcceleration") -> "RowAcceleration":
        """The difference of two accelerations of the same body wrt the same body, row by row."""
        expect_alike(self, other, ".minus", RowAcceleration, "rows", "of", "wrt", "kind")
        return replace(self, values=self.values - other.values)


@dataclass(frozen=True, slots=True, eq=False)
class RowStack(Relation):
    """Spatial accelerations along the rows of all constraints, each of the bodies it is about, in the order of b."""

    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"RowStack({', '.join(self.rows)})"

    @classmethod
    def gather(cls, rows: Labels, parts: Sequence[RowAcceleration]) -> "RowStack":
        """The rows of several constraints; a row that several of them have is their sum."""
        for part in parts:
            if part.kind != "spatial":
                remedy = "to_spatial with the body's twist, then transported() with the observer's"
                refuse(f"RowStack({part})", f"the rows are {part.kind}", remedy=remedy)
        return RowStack(rows, stacked(rows, parts))

    def __add__(self, other: "RowStack") -> "RowStack":
        expect_alike(self, other, "+", RowStack, "rows")
        return RowStack(self.rows, self.values + other.values)

    def __sub__(self, other: "RowStack") -> "RowStack":
        expect_alike(self, other, "-", RowStack, "rows")
        return RowStack(self.rows, self.values - other.values)

    def select(self, rows: Labels) -> "RowStack":
        """Some of the rows."""
        keep = places(self, self.rows, rows)
        return RowStack(rows, self.values[keep, :])

    def scaled(self, factor: float) -> "RowStack":
        return RowStack(self.rows, factor * self.values)


@dataclass(frozen=True, slots=True, eq=False)
class JointInertia(Relation):
    """D = Sᵀ H S + d: what a joint's motor feels of the articulated body beyond it and of its own rotor.

    Of all joints together it is the mass matrix: what each motor feels of every joint's acceleration.
    """

    joints: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointInertia({', '.join(self.joints)})"

    def solve(self, bias: JointBias) -> JointAcceleration:
        """q̈ = D⁻¹ (what is left of the motor's force after everything the joint feels)."""
        expect_alike(self, bias, ".solve", JointBias, "joints")
        return JointAcceleration(self.joints, solve_positive_definite(self.values, bias.values))

    def yields(self, felt: JointRows) -> Coupling:
        """zᵀ D⁻¹ z: how far unit constraint forces move this joint, along each row."""
        expect_alike(self, felt, ".yields", JointRows, "joints")
        return Coupling(felt.rows, symmetric(felt.values.T @ solve_positive_definite(self.values, felt.values)))

    def times(self, rate: JointAcceleration) -> JointForce:
        """M q̈: what motors make to accelerate the joints, on top of what they make anyway."""
        expect_alike(self, rate, ".times", JointAcceleration, "joints")
        return JointForce(self.joints, self.values @ rate.values)

    def among(self, joints: Labels) -> "JointInertia":
        """What some of the joints feel of each other."""
        keep = places(self, self.joints, joints)
        return JointInertia(joints, self.values[keep, :][:, keep])

    def inverse(self) -> "JointMobility":
        """M⁻¹."""
        return JointMobility(self.joints, invert_positive_definite(self.values))

    def root(self) -> "JointFactor":
        """L, lower triangular, with Lᵀ L = M; along a tree it is empty wherever M is."""
        return JointFactor(self.joints, root_positive_definite(self.values))


@dataclass(frozen=True, slots=True, eq=False)
class JointFactor(Relation):
    """L with Lᵀ L = M."""

    joints: Labels
    values: Coordinates = UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class JointMobility(Relation):
    """M⁻¹: how every joint accelerates under each motor's unit force."""

    joints: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointMobility({', '.join(self.joints)})"


@dataclass(frozen=True, slots=True, eq=False)
class RowVelocity(Relation):
    """Velocity along rows, of one frame or of several: the name of a row says of which."""

    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"RowVelocity({', '.join(self.rows)})"

    @classmethod
    def gather(cls, rows: Labels, parts: Sequence[Any]) -> "RowVelocity":
        """Along all of these rows; of a row in several parts, the sum."""
        return cls(rows, stacked(rows, parts))

    def plus(self, other: "RowVelocity") -> "RowVelocity":
        """The sum along the same rows."""
        expect_alike(self, other, "+", RowVelocity, "rows")
        return RowVelocity(self.rows, self.values + other.values)

    def scaled(self, factors: Coordinates) -> "RowVelocity":
        """Each row by its own factor, (m, 1)."""
        return RowVelocity(self.rows, self.values * factors)

    def minus(self, other: "RowVelocity") -> "RowVelocity":
        """The difference along the same rows."""
        expect_alike(self, other, "-", RowVelocity, "rows")
        return RowVelocity(self.rows, self.values - other.values)

    def beside(self, other: "RowVelocity") -> "RowVelocity":
        """More rows."""
        values = above(self.values, other.values)
        return RowVelocity(self.rows + other.rows, values)

    def pull(self, reach: JointRows, weights: Coordinates) -> JointBias:
        """Aᵀ W² ẏ: which way each joint would have to go, steepest descent."""
        expect_alike(self, reach, ".pull", JointRows, "rows")
        values = reach.values @ (weights * weights * self.values)
        return JointBias(reach.joints, values)

    def resolve(
        self,
        reach: JointRows,
        mobility: JointMobility,
        weights: Coordinates,
        damping: Coordinates,
        kernel: object,
        call: Callable[..., Any],
    ) -> tuple[Any, ...]:
        """v = M⁻¹ Aᵀ W μ with (W A M⁻¹ Aᵀ W + damping · 1) μ = W ẏ, and whatever else the kernel reports.

        Undamped it is the least vᵀ M v of all that come nearest to ẏ, rows weighted by W².
        """
        expect_alike(self, reach, ".resolve", JointRows, "rows")
        expect_alike(reach, mobility, ".resolve", JointMobility, "joints")
        rows = reach.values @ np.diag(weights[:, 0])
        moved = mobility.values @ rows
        coupling = symmetric(rows.T @ moved) + damping * np.eye(len(self.rows))
        strength, *report = call(kernel, coupling, weights * self.values)
        return JointVelocity(reach.joints, moved @ strength), *report


@dataclass(frozen=True, slots=True, eq=False)
class JointResponse(Relation):
    """How far free joints give way to unit accelerations of the joints or rows named in `to`, (joints × to)."""

    joints: Labels
    to: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointResponse({', '.join(self.joints)}; {', '.join(self.to)})"


def stacked(rows: Labels, parts: Sequence[Any]) -> Coordinates:
    """What several parts say along some of the rows each, one below the other; what is said twice is summed."""
    entries: list[list[Any]] = [[0.0] for _ in rows]
    for part in parts:
        for k, i in enumerate(places(part, rows, part.rows)):
            entries[i][0] = entries[i][0] + part.values[k, 0]
    return assemble(entries) if rows else zeros(0, 1)


def union(these: Labels, those: Labels) -> Labels:
    """All labels once, these first."""
    return these + tuple(label for label in those if label not in these)


def spread_columns(values: Any, labels: Labels, among: Labels) -> Any:
    """The same columns among others, which are empty."""
    if labels == among:
        return values
    wide = beside(values, zeros(values.shape[0], 1))
    return wide[:, [labels.index(label) if label in labels else len(labels) for label in among]]


def places(whole: object, known: Labels, wanted: Labels) -> list[int]:
    """Where some of the rows are; refused where one is not there."""
    for row in wanted:
        if row not in known:
            refuse(f"{whole}.select({row})", f"there is no row {row}", remedy=f"select among {', '.join(known)}")
    return [known.index(row) for row in wanted if row in known]


REMEDY = {
    "joints": "take both of the same joint",
    "rows": "take both of the same constraint rows",
    "of": "take both of the same body",
    "wrt": "compose with the acceleration of {theirs} wrt {ours} (gravity's share, for world and free_fall)",
    "kind": "convert with to_spatial or to_classical and the body's twist",
}


def expect_alike(ours: object, theirs: object, operation: str, kind: type, *fields: str) -> None:
    """Refuse unless the other side is of the right kind and agrees in the named fields."""
    if not isinstance(theirs, kind):
        refuse(
            f"{ours} {operation} {theirs}",
            f"{type(theirs).__name__} is not a {kind.__name__}",
            remedy="a motor's force, what a joint feels and what constraints require are different things: "
            f"bring a {kind.__name__}",
        )
        return
    for name in fields:
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine != other:
            refuse(
                f"{ours} {operation} {theirs}",
                f"{name} differ: {mine} != {other}",
                remedy=REMEDY[name].format(ours=mine, theirs=other),
            )
