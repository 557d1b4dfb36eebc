"""What can be done with the states of a robot? Draw configurations, move along velocities, find the way between two.

How a joint moves, its type says (model/joints). Where computations are known, these calls are theirs, compiled; without
them the same functions run on numbers.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model import manifold
from motionc.model.chain import Array
from motionc.model.configuration import Configuration, ConfigurationSpace

NAMES = ("integrate", "difference", "interpolate")
"""Functions that a robot holds as soon as they were called; they are made again, never pickled."""


class StateFunction(Protocol):
    """A function of one state, and of many in rows."""

    def __call__(self, *given: Any) -> Array: ...
    def batch(self, *given: Any) -> Array: ...
    def guarded(self, otherwise: Callable[..., Array]) -> Callable[..., Array]:
        """The shortest call there is; what is no state, or has no finite answer, is left to `otherwise`."""
        ...


class Numeric:
    """A function of the manifold on numbers, one state after the other."""

    def __init__(self, space: "StateSpace", name: str) -> None:
        self.spaces, self.function = space.configurations.spaces, getattr(manifold, name)

    def __call__(self, *given: Any) -> Array:
        return self.function(self.spaces, *given)

    def batch(self, *given: Any) -> Array:
        return np.array([self.function(self.spaces, *state) for state in zip(*given, strict=True)])

    def guarded(self, otherwise: Callable[..., Array]) -> Callable[..., Array]:
        return otherwise


_answers: list[Callable[[Any, str], StateFunction]] = [Numeric]


def answered_by(make: Callable[[Any, str], StateFunction]) -> None:
    """Let `make`, from a robot and one of NAMES to a function, answer from now on."""
    _answers.append(make)


class StateSpace:
    """Configurations q and velocities v of a robot.

    Axes of states may stand in front of every argument; they are brought together as NumPy does.
    """

    name: str
    nq: int
    nv: int

    @cached_property
    def configurations(self) -> ConfigurationSpace:
        """The space of configurations: entries by name, limits, how q changes along v."""
        raise NotImplementedError

    @cached_property
    def reach(self) -> tuple[Array, Array]:
        """Least and most of every coordinate, in the order of v."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name.removeprefix("_") not in NAMES}

    # ---------------------------------------------------------------- configurations

    def configuration(self, q: Any) -> Configuration:
        """A configuration that knows whose it is: calls about another robot refuse it by name.

        Args:
            q: numbers in the order of q, with axes of states in front if there are several.
        """
        for one in q if isinstance(q, list | tuple) else (q,):
            if isinstance(one, Configuration) and (reason := self.configurations.foreign(one.__space__)):
                raise Error(f"configuration of {self.name}: given {reason}")
        return Configuration(self.configurations, self._placed(q, "q"))

    def neutral(self) -> Array:
        """The configuration at zero: every joint at 0, every quaternion the identity."""
        return manifold.neutral(self.configurations.spaces)

    def random(self, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()) -> Array:
        """Random configurations within the limits, those of followers too; ±π or ±1 m where there are none.

        Args:
            rng: a generator, or a seed.
            size: how many, as axes in front; one without.

        >>> import motionc as mc
        >>> mc.load("planar2").random(0, size=1000).shape
        (1000, 2)
        """
        if rng is not None and not isinstance(rng, np.random.Generator):
            rng = checked.whole("random: rng", rng, 0, "give a generator of NumPy, or a seed, a whole number ≥ 0")
        wanted = "give how many, a whole number ≥ 0, or several for as many axes"
        ends = checked.several("random: size", size, wanted, int, np.integer)
        front = tuple(checked.whole("random: size", end, 0, wanted) for end in ends)
        drawn, reach = np.random.default_rng(rng), self.reach
        try:
            return manifold.random(self.configurations.spaces, *reach, drawn, front)
        except (MemoryError, ValueError, OverflowError):
            raise checked.refusal("random: size", size, "that many do not fit into memory") from None

    # ---------------------------------------------------------------- moving

    def integrate(self, q: Array | Configuration, v: Array, dt: float | Array = 1.0) -> Array:
        """The configuration after moving with constant v for dt: the exact exponential (see `motionc.integrate`)."""
        self._shorten("integrate", self._integrated)
        return self._integrated(q, v, dt)

    def difference(self, q0: Array | Configuration, q1: Array | Configuration) -> Array:
        """The constant v that leads from q0 to q1 in unit time (see `motionc.difference`).

        Spherical, floating and planar joints turn the shorter way: the θ of a planar one arrives up to whole turns.
        """
        self._shorten("difference", self._differed)
        return self._differed(q0, q1)

    def interpolate(self, q0: Array | Configuration, q1: Array | Configuration, share: float | Array) -> Array:
        """The configuration a share of the way from q0 to q1, at constant velocity (see `motionc.interpolate`)."""
        self._shorten("interpolate", self._interpolated)
        return self._interpolated(q0, q1, share)

    def rates(self, q: Array | Configuration, v: Array) -> Array:
        """How fast q changes while the robot moves with v: q̇ = N(q) v, a quaternion keeping its length."""
        given = self._placed(q, "q"), self._sized(v, self.nv, "v")
        return self._with_states(Numeric(self, "rates"), given, (1, 1))

    def _shorten(self, name: str, otherwise: Callable[..., Array]) -> None:
        """From the second call on, it is the compiled function itself, where there is one."""
        vars(self)[name] = getattr(self, f"_{name}").guarded(otherwise)

    @cached_property
    def _integrate(self) -> StateFunction:
        return _answers[-1](self, "integrate")

    @cached_property
    def _difference(self) -> StateFunction:
        return _answers[-1](self, "difference")

    @cached_property
    def _interpolate(self) -> StateFunction:
        return _answers[-1](self, "interpolate")

    # ---------------------------------------------------------------- any arguments, checked

    def _integrated(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        given = self._placed(q, "q"), self._sized(v, self.nv, "v"), self._number(dt, "dt", "a finite time in s")
        return self._with_states(self._integrate, given, (1, 1, 0))

    def _differed(self, q0: Any, q1: Any) -> Array:
        return self._with_states(self._difference, (self._placed(q0, "q0"), self._placed(q1, "q1")), (1, 1))

    def _interpolated(self, q0: Any, q1: Any, share: Any) -> Array:
        given = self._placed(q0, "q0"), self._placed(q1, "q1"), self._number(share, "share", "0 for q0, 1 for q1")
        return self._with_states(self._interpolate, given, (1, 1, 0))

    def _with_states(self, function: StateFunction, given: Sequence[Array], axes: Sequence[int]) -> Array:
        """The function of one state, or of all that stand in front of arguments of so many axes."""
        fronts = [array.shape[: array.ndim - own] for array, own in zip(given, axes, strict=True)]
        try:
            front = np.broadcast_shapes(*fronts)
        except ValueError:
            said = ", ".join(map(str, fronts))
            raise Error(f"{self.name}: the axes of states do not go together: {said}") from None
        if not front:
            return function(*given)
        own = [array.shape[array.ndim - count :] for array, count in zip(given, axes, strict=True)]
        pairs = zip(given, own, strict=True)
        rows = [
            np.ascontiguousarray(np.broadcast_to(array, front + shape)).reshape(-1, *shape) for array, shape in pairs
        ]
        found = function.batch(*rows) if len(rows[0]) else np.empty((0, *function(*(np.ones(s) for s in own)).shape))
        return found.reshape(front + found.shape[1:])

    def _placed(self, q: Any, name: str) -> Array:
        """Configurations of this robot as numbers."""
        if isinstance(q, Configuration) and (reason := self.configurations.foreign(q.__space__)):
            raise Error(f"{name} is given {reason}")
        array = self._sized(np.asarray(q) if isinstance(q, Configuration) else q, self.nq, name)
        space = self.configurations
        for joint, one in zip(space.joints, space.spaces, strict=True):
            if reason := one.type.nowhere(array[..., one.q]):
                raise Error(f"{name}: joint {joint}: {reason}")
        return array

    def _sized(self, values: Any, size: int, name: str) -> Array:
        array = checked.numbers(name, values, f"give {size} finite numbers, or rows of so many")
        if array.shape[-1:] != (size,):
            raise Error(
                f"{name} has shape {array.shape}; {self.name} needs ({size},), or (…, {size}) for several states"
            )
        return array

    def _number(self, value: Any, name: str, wanted: str) -> Array:
        return checked.numbers(name, value, f"give {wanted}")
