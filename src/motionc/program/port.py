"""What goes into a program and comes out: name, shape, unit, meaning and space; and whether an argument fits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np

from motionc.errors import Error
from motionc.program.space import Numbers, Space, angles

Array = np.ndarray[Any, np.dtype[np.float64]]
Precision = Literal["double", "single"]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output: name, shape, unit, meaning, and the space its values live in (numbers unless said)."""

    name: str
    shape: tuple[int, ...]
    unit: str
    meaning: str
    space: Space = field(default=None, compare=False, repr=False)  # pyright: ignore[reportAssignmentType]

    def __post_init__(self) -> None:
        if self.space is None:  # pyright: ignore[reportUnnecessaryComparison]
            object.__setattr__(self, "space", angles(self.size) if self.unit == "rad" else Numbers(self.size))
        if self.space.size != self.size:
            raise Error(f"port {self.name} has {self.size} entries, {self.space} of its space {self.space.size}")

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def labels(self) -> tuple[str, ...]:
        """What each entry is called, row by row."""
        if self.space.labels or not self.shape:
            return self.space.labels or (self.name,)
        places = product(*(range(extent) for extent in self.shape))
        return tuple(f"{self.name}[{', '.join(map(str, place))}]" for place in places)


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """A sentence a user should read, and which of the states it is true of."""

    sentence: str
    states: np.ndarray[Any, np.dtype[np.bool_]]


def real_numbers(value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """An array of real numbers of any type; TypeError or ValueError where that would lose something."""
    if np.ma.is_masked(value):
        raise TypeError("masked entries")
    array = np.asarray(value)
    if array.dtype.kind == "O":
        entries = array.ravel().tolist()
        if any(isinstance(entry, str | bytes) for entry in entries):
            raise TypeError("words")
        array = np.array([float(entry) for entry in entries]).reshape(array.shape)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{array.dtype} is no real number")
    return array


def fitting(what: str, port: Port, value: Any) -> Any:
    """A value that knows its space (`__space__`) as a plain array, refused where that is not the port's space."""
    for one in value if isinstance(value, list | tuple) else (value,):
        space = getattr(one, "__space__", None)
        if space is not None and (reason := port.space.foreign(space)):
            raise Error(f"{what}: {port.name} is given {reason}")
    return value if getattr(value, "__space__", None) is None else np.asarray(value)


def fitting_numbers(what: str, port: Port, value: Any, wanted: str = "numbers") -> np.ndarray[Any, np.dtype[Any]]:
    """An argument as real numbers of any type and shape, refused by name where it is none or of another space."""
    value = fitting(what, port, value)
    try:
        return real_numbers(value)
    except (TypeError, ValueError):
        raise Error(f"{what}: {port.name} must be {wanted}, not {type(value).__name__}") from None


def refuse_count(what: str, ports: Sequence[Port], count: int) -> None:
    """As many arguments as ports, or none."""
    if count != len(ports):
        raise Error(f"{what} takes {len(ports)} inputs ({', '.join(port.name for port in ports)}), not {count}")


def as_columns(name: str, ports: tuple[Port, ...], values: tuple[Any, ...]) -> dict[str, Array]:
    """Arguments as columns of floats, refused by name when count, shape or type is wrong."""
    refuse_count(name, ports, len(values))
    columns: dict[str, Array] = {}
    for port, value in zip(ports, values, strict=True):
        array = np.asarray(fitting_numbers(name, port, value, f"numbers of shape {port.shape}"), float)
        if array.shape != port.shape:
            raise Error(f"{name}: {port.name} has shape {array.shape}; it must be {port.shape} ({port.meaning})")
        columns[port.name] = array.reshape(-1, 1)
    return columns


def states_along(
    what: str, ports: Sequence[Port], shapes: Sequence[tuple[int, ...]], axis: int, one: str
) -> tuple[int, list[int | None]]:
    """How many states arrays of these shapes hold along their first or last axis: all of them, and each, None for one
    value for all; refused by name where one does not fit. `one` is what to call for one state.
    """
    counts = [_states(what, port, shape, axis) for port, shape in zip(ports, shapes, strict=True)]
    held = [(port, count) for port, count in zip(ports, counts, strict=True) if count is not None]
    if not held:
        raise Error(f"{what}: no input has an axis of states; for one state call {one} itself")
    first, states = held[0]
    for port, count in held:
        if count != states:
            raise Error(f"{what}: {port.name} has {count} states, but {first.name} has {states}")
    return states, counts


def _states(what: str, port: Port, shape: tuple[int, ...], axis: int) -> int | None:
    if shape == port.shape:
        return None
    own = shape[1:] if axis == 0 else shape[:-1]
    if len(shape) != len(port.shape) + 1 or own != port.shape:
        many = ("N", *port.shape) if axis == 0 else (*port.shape, "N")
        wanted = f"({', '.join(map(str, many))}{',' * (len(many) == 1)})"
        raise Error(
            f"{what}: {port.name} has shape {shape}; it must be {wanted}, or {port.shape} for all states "
            f"({port.meaning})"
        )
    return shape[axis]
