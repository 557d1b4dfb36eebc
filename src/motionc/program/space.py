"""Where the values of a port live: numbers, counts, angles, shares, poses; a robot's configurations are the model's.

A space knows how many entries a value has and in how many directions it changes, what its limits are, what each entry
is called, and how to draw a value. A value may carry its space along: then it fits ports of that space alone.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


RIGID = 1e-5
"""How far from a rotation what is given as one may be, as rounded numbers are."""


class Space(Protocol):
    """What a port asks of the place where its values live."""

    @property
    def size(self) -> int:
        """How many entries a value has."""
        ...

    @property
    def tangent(self) -> int:
        """In how many directions a value changes."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """What each entry is called; empty where entries have no names of their own."""
        ...

    @property
    def limits(self) -> tuple[Array, Array]:
        """The least and the most of each entry; infinite where there is none."""
        ...

    @property
    def rigid(self) -> bool:
        """Whether a value whose entries are rounded is none any more."""
        ...

    @property
    def whole(self) -> bool:
        """Whether entries count something: results are integers."""
        ...

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Where four entries begin that are a quaternion."""
        ...

    def draw(self, rng: np.random.Generator) -> Array:
        """A value at random, within limits."""
        ...

    def change(self, value: Any, directions: Any) -> Any:
        """How entries change along a combination of directions, for numbers and for values of a program."""
        ...

    def foreign(self, other: "Space") -> str:
        """Why a value of another space is none of this one: the end of a sentence; "" where it is one."""
        ...

    def misfit(self, values: Array) -> str:
        """Why some of these numbers, axes of states in front, are no value: the end of a sentence; "" where all are."""
        ...

    def __str__(self) -> str:
        """What its values are, in words."""
        ...


class Flat:
    """A space whose values change entry by entry, without limits and without names."""

    __slots__ = ()
    size: int

    @property
    def tangent(self) -> int:
        return self.size

    @property
    def labels(self) -> tuple[str, ...]:
        return ()

    @property
    def limits(self) -> tuple[Array, Array]:
        endless = np.full(self.size, np.inf)
        return -endless, endless

    @property
    def rigid(self) -> bool:
        return False

    @property
    def whole(self) -> bool:
        return False

    @property
    def quaternions(self) -> tuple[int, ...]:
        return ()

    def change(self, value: Any, directions: Any) -> Any:
        return directions

    def foreign(self, other: Space) -> str:
        return f"{other}; {self} are wanted here"

    def misfit(self, values: Array) -> str:
        return ""

    def __str__(self) -> str:
        return "numbers"


@dataclass(frozen=True, slots=True)
class Numbers(Flat):
    """Numbers with a name each, and limits; drawn from a range for all of them. Rows of them may have names too."""

    size: int  # pyright: ignore[reportIncompatibleVariableOverride]
    names: tuple[str, ...] = ()
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    least: float = -1.0
    most: float = 1.0
    counts: bool = False
    rows: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        return self.names

    @property
    def limits(self) -> tuple[Array, Array]:
        endless = np.full(self.size, np.inf)
        return np.array(self.lower or -endless), np.array(self.upper or endless)

    @property
    def whole(self) -> bool:
        return self.counts

    def draw(self, rng: np.random.Generator) -> Array:
        return rng.uniform(self.least, self.most, self.size)

    def __str__(self) -> str:
        return "numbers"


def angles(size: int) -> Numbers:
    """Angles, which may turn on and on: drawn from one turn."""
    return Numbers(size, least=-math.pi, most=math.pi)


def counts(size: int) -> Numbers:
    """Whole numbers, though programs compute with them as with all others."""
    return Numbers(size, counts=True)


def rows_of(rows: tuple[str, ...], entries: tuple[str, ...]) -> Numbers:
    """Rows with a name each, and so has each entry of a row."""
    names = tuple(f"{row}.{entry}" for row in rows for entry in entries)
    return Numbers(len(names), names=names, rows=rows)


def shares(size: int) -> Numbers:
    """Numbers between 0 and 1."""
    return Numbers(size, lower=(0.0,) * size, upper=(1.0,) * size, least=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Near(Flat):
    """Numbers that have a usual value: drawn close to it, for no robot has just any masses."""

    usual: Array

    @property
    def size(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return int(np.size(self.usual))

    def draw(self, rng: np.random.Generator) -> Array:
        return np.ravel(self.usual) + 1e-3 * rng.random(self.size)


@dataclass(frozen=True, slots=True)
class Choices(Flat):
    """Whole numbers 0, 1, … below a few: modes, events, ticks; programs compute with them as with all others."""

    size: int  # pyright: ignore[reportIncompatibleVariableOverride]
    many: int

    def draw(self, rng: np.random.Generator) -> Array:
        return rng.integers(0, self.many, self.size).astype(float)

    def __str__(self) -> str:
        return f"whole numbers below {self.many}"


@dataclass(frozen=True, slots=True)
class Poses(Flat):
    """Homogeneous poses, row by row; derivatives are taken entry by entry."""

    count: int

    @property
    def size(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return 16 * self.count

    @property
    def rigid(self) -> bool:
        return True

    def draw(self, rng: np.random.Generator) -> Array:
        """Poses a little away from the origin."""
        return np.concatenate([np.empty(0), *(_pose(rng).ravel() for _ in range(self.count))])

    def misfit(self, values: Array) -> str:
        X = np.reshape(values, (-1, 4, 4))
        R = X[:, :3, :3]
        turned = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2), initial=0.0)
        beside = np.abs(X[:, 3] - (0, 0, 0, 1)).max(axis=1, initial=0.0)
        fits = (np.maximum(turned, beside) < RIGID) & (np.linalg.det(R) > 0)
        return "" if fits.all() else "is no pose; give [R t; 0 0 0 1], R a rotation"

    def __str__(self) -> str:
        return "poses"


def _pose(rng: np.random.Generator) -> Array:
    angle, shift = rng.uniform(-1, 1), rng.uniform(-0.5, 0.5, 3)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, shift[0]], [s, c, 0, shift[1]], [0, 0, 1, shift[2]], [0, 0, 0, 1]])
