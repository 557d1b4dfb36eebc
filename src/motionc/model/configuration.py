"""Configurations of a robot as a space, and a configuration as a value that knows whose it is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.errors import Error, suggestion
from motionc.model import manifold
from motionc.model.chain import Array


@dataclass(frozen=True, slots=True)
class ConfigurationSpace:
    """Configurations q of a robot, which change along v: joint by joint, in order.

    Robots of one name whose joints have the same names and types share it: what they weigh does not matter.
    """

    robot: str
    joints: tuple[str, ...]
    spaces: tuple[manifold.Space, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    @property
    def size(self) -> int:
        return sum(space.q.stop - space.q.start for space in self.spaces)

    @property
    def tangent(self) -> int:
        return sum(space.v.stop - space.v.start for space in self.spaces)

    @property
    def labels(self) -> tuple[str, ...]:
        """A joint's name, and which of its entries where it has several."""
        return self._labels(space.type.coordinates for space in self.spaces)

    @property
    def rate_labels(self) -> tuple[str, ...]:
        """The same for v."""
        return self._labels(space.type.rates for space in self.spaces)

    def _labels(self, entries: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        found: list[str] = []
        for name, each in zip(self.joints, entries, strict=True):
            found += [name] if len(each) == 1 else [f"{name}.{entry}" for entry in each]
        return tuple(found)

    @property
    def limits(self) -> tuple[Array, Array]:
        """In the order of q; a quaternion has none."""
        ends = (self.lower, -np.inf), (self.upper, np.inf)
        least, most = (manifold.in_order_of_q(self.spaces, given, none) for given, none in ends)
        return least, most

    @property
    def rigid(self) -> bool:
        return False  # quaternions of any length are rotations

    @property
    def whole(self) -> bool:
        return False

    @property
    def quaternions(self) -> tuple[int, ...]:
        turning = (space for space in self.spaces if "qw" in space.type.coordinates)
        return tuple(space.q.start + space.type.coordinates.index("qw") for space in turning)

    def draw(self, rng: np.random.Generator) -> Array:
        """Uniform within limits; ±π or ±1 m where there are none."""
        return manifold.random(self.spaces, np.array(self.lower), np.array(self.upper), rng)

    def change(self, value: Any, directions: Any) -> Any:
        """q̇ = N(q) v."""
        return manifold.rates(self.spaces, value, directions)

    def foreign(self, other: Any) -> str:
        if not isinstance(other, ConfigurationSpace):
            return f"{other}; {self} are wanted here"
        if self.robot != other.robot:
            return f"{other}; this asks about {self.robot}, whose joints are {_few(self.joints)}"
        if (self.joints, self.spaces) == (other.joints, other.spaces):
            return ""
        mine, theirs = (dict(zip(space.joints, space.spaces, strict=True)) for space in (self, other))
        apart = [name for name in mine | theirs if name not in mine or name not in theirs]
        which = next(iter((*apart, *(name for name in mine if mine[name] != theirs.get(name)))))
        return (
            f"{other} with other coordinates: {which} is not the same in both; load the robot once, or with the same "
            "floating=, fixed= and mimic="
        )

    def misfit(self, values: Any) -> str:
        return ""  # whatever is finite is one

    def __str__(self) -> str:
        return f"configurations of {self.robot}"


class Configuration:
    """A configuration, or several with axes of states in front, and the robot it belongs to.

    Every call takes it where a configuration is wanted, and refuses it where one of another robot is. `np.asarray`
    gives the plain array; entries are read by joint.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> q = robot.configuration([0.1, 0.2])
    >>> q
    Configuration(planar2: shoulder=0.1, elbow=0.2)
    >>> float(q["elbow"][0])
    0.2
    """

    __slots__ = ("__space__", "_values")

    def __init__(self, space: ConfigurationSpace, values: Array) -> None:
        self.__space__ = space
        self._values = np.array(values, float)
        self._values.setflags(write=False)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False and dtype not in (None, self._values.dtype):
            raise ValueError("a configuration holds float64")
        return self._values.astype(dtype or float) if copy or dtype else self._values

    def __getitem__(self, joint: str) -> Array:
        """The entries of one joint."""
        space = self.__space__
        if joint not in space.joints:
            raise Error(f"{space} have no movable joint {joint!r}{suggestion(str(joint), space.joints)}")
        return self._values[..., space.spaces[space.joints.index(joint)].q]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configuration):
            return NotImplemented
        return self.__space__ == other.__space__ and np.array_equal(self._values, other._values)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return Configuration, (self.__space__, self._values)

    def __repr__(self) -> str:
        space = self.__space__
        if self._values.ndim > 1:
            return f"Configuration({space.robot}: {' × '.join(map(str, self._values.shape[:-1]))} states)"
        entries = (f"{label}={value:.6g}" for label, value in zip(space.labels, self._values, strict=True))
        return f"Configuration({space.robot}: {', '.join(entries)})"


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:4]) + ", …" * (len(names) > 4)
