"""What constraint rows have: velocity, acceleration and force along them, what joints feel of them, J M⁻¹ Jᵀ."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    above,
    assemble,
    beside,
    symmetric,
    zeros,
)
from motionc.geometry.entities import JOINTS, ROBOT, Body
from motionc.geometry.joint_space import JointAcceleration, JointBias, JointForce, JointMobility, JointVelocity
from motionc.geometry.labels import Labels, expect_alike, places, spread_columns, stacked, union
from motionc.geometry.meaning import is_kind, refuse


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers(Relation):
    """Lagrange multipliers, the strength of each constraint force: physical, on the constrained body."""

    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Multipliers({', '.join(self.rows)})"

    def __add__(self, more: "Multipliers") -> "Multipliers":
        expect_alike(self, more, "+", Multipliers, "rows")
        return Multipliers(self.rows, self.values + more.values)

    def __sub__(self, less: "Multipliers") -> "Multipliers":
        expect_alike(self, less, "-", Multipliers, "rows")
        return Multipliers(self.rows, self.values - less.values)

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
    """Rows of Jᵀ: what a joint feels of each unit constraint force, (joint coordinates × rows)."""

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

    def among(self, joints: Labels) -> "JointRows":
        """What some of the joints feel of them."""
        keep = places(self, self.joints, joints)
        return replace(self, joints=joints, values=self.values[keep, :])

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
    """The Delassus matrix J M⁻¹ Jᵀ: the acceleration each unit constraint force produces along every row."""

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
                    if i <= j:
                        entries[i][j] = entries[i][j] + part.values[a, b]
        return Coupling(rows, symmetric(assemble(entries)))

    def times(self, forces: Multipliers, rows: Labels) -> Coordinates:
        """What forces along all rows do along some of them."""
        expect_alike(self, forces, ".times", Multipliers, "rows")
        return self.values[places(self, self.rows, rows), :] @ forces.values

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

    @classmethod
    def of_all(cls, rows: Labels, parts: "Sequence[RowAcceleration]") -> "RowAcceleration":
        """What all bodies do along these rows, each by its share: the sum."""
        for part in parts[1:]:
            expect_alike(parts[0], part, ".of_all", RowAcceleration, "rows", "wrt", "kind")
        return cls(rows, ROBOT, parts[0].wrt, parts[0].kind, stacked(rows, parts))

    def per(self, mass: Coordinates) -> "RowAcceleration":
        """The same per unit of mass."""
        return replace(self, values=self.values / mass)

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
            if is_kind(part, RowAcceleration, lambda part=part: f"RowStack({part})") and part.kind != "spatial":
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
