"""What goes into a program and comes out: name, shape, unit, meaning and space; and whether an argument fits."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.program.relation import Relation
from motionc.program.space import Numbers, Space, angles
from motionc.real import real_numbers, whole_numbers
from motionc.tables import html_table, short

Array = np.ndarray[Any, np.dtype[np.float64]]
SHAPE = "give a shape such as (6,) or (4, 4), () for one number"
Precision = Literal["double", "single"]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output: name, shape, unit, meaning, and the space its values live in (numbers unless said).

    `relation` says of which body, wrt which, at which point and as seen by which frame they are, where that matters.
    """

    name: str
    shape: tuple[int, ...]
    unit: str
    meaning: str
    space: Space = field(default=None, compare=False, repr=False)  # pyright: ignore[reportAssignmentType]
    relation: Relation | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for words in ("name", "unit"):
            checked.name(f"Port: {words}", getattr(self, words), "give words", empty=True)
        checked.words("Port: meaning", self.meaning)
        sizes = checked.several("Port: shape", self.shape, SHAPE)
        object.__setattr__(self, "shape", tuple(checked.whole("Port: shape", size, 0, SHAPE) for size in sizes))
        if self.space is None:  # pyright: ignore[reportUnnecessaryComparison]
            object.__setattr__(self, "space", angles(self.size) if self.unit == "rad" else Numbers(self.size))
        if not callable(getattr(self.space, "draw", None)):
            raise checked.refusal("Port: space", self.space, "give the space its values live in, or leave it out")
        if self.relation is not None and not isinstance(self.relation, Relation):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise checked.refusal("Port: relation", self.relation, "give that of another port, or leave it out")
        if self.space.size != self.size:
            raise Error(f"port {self.name} has {self.size} entries, {self.space} of its space {self.space.size}")

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def as_told(self, value: Any) -> Any:
        """A value as users get it: counts are integers, and what has no axes is a plain number."""
        value = whole_numbers(value) if self.space.whole else value
        return value if np.ndim(value) else value.item()

    def shape_of(self, states: Any, axis: int) -> tuple[Any, ...]:
        """The shape of so many values: (N, …), or (…, N) for axis -1."""
        return (states, *self.shape) if axis == 0 else (*self.shape, states)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each entry is called, row by row."""
        if self.space.labels or not self.shape:
            return self.space.labels or (self.name,)
        places = product(*(range(extent) for extent in self.shape))
        return tuple(f"{self.name}[{', '.join(map(str, place))}]" for place in places)


@dataclass(frozen=True, slots=True, init=False)
class State(Port):
    """State, carried from one cycle to the next: an input and an output of one name, and what it is at the start.

    >>> State("bias", (3,), "1", "of each row", 0.5).start
    (0.5, 0.5, 0.5)
    """

    start: tuple[float, ...] = ()

    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        unit: str,
        meaning: str,
        start: Any = 0.0,
        space: Space | None = None,
        relation: Relation | None = None,
    ) -> None:
        for key, value in {"name": name, "shape": shape, "unit": unit, "meaning": meaning, "space": space}.items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "relation", relation)
        Port.__post_init__(self)
        wanted = f"give one finite number, or as many as shape {self.shape} has"
        values = checked.numbers(f"State {name}: start", start, wanted)
        if values.shape not in ((), (1,), (self.size,), self.shape):
            raise checked.refusal(f"State {name}: start", start, wanted)
        object.__setattr__(self, "start", tuple(map(float, np.broadcast_to(values.ravel(), (self.size,)))))

    def carried_by(self, what: str, output: Port) -> "State":
        """This state as an output; refused where that has another shape."""
        if output.size != self.size:
            raise Error(f"{what}: it is the next {self.name} of shape {self.shape}, and has shape {output.shape}")
        return self


def states_of(ports: Iterable[Port]) -> tuple[State, ...]:
    """Those that are carried on."""
    return tuple(port for port in ports if isinstance(port, State))


def uncarried(ports: Iterable[Port]) -> tuple[Port, ...]:
    """The same ports, none of them carried on."""
    return tuple(
        Port(port.name, port.shape, port.unit, port.meaning, port.space, port.relation)
        if isinstance(port, State)
        else port
        for port in ports
    )


def ports_table(title: str, inputs: Iterable[Port], outputs: Iterable[Port], below: str = "") -> str:
    """Ports in a notebook."""
    rows = [
        (f"{way} {port.name}", port.shape or "number", port.unit, short(port.meaning, 300))
        for way, ports in (("in", inputs), ("out", outputs))
        for port in ports
    ]
    return html_table(title, ("", "shape", "unit", "meaning"), rows, below=below)


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """A sentence a user should read, and which of the states it is true of."""

    sentence: str
    states: np.ndarray[Any, np.dtype[np.bool_]]


# ---------------------------------------------------------------- does an argument fit its port?


def fitting(what: str, port: Port, value: Any) -> Any:
    """A value that knows its space (`__space__`) as a plain array, refused where that is not the port's space."""
    for one in value if isinstance(value, list | tuple) else (value,):
        space = getattr(one, "__space__", None)
        if space is not None and (reason := port.space.foreign(space)):
            raise Error(f"{what}: {port.name} is given {reason}")
    return value if getattr(value, "__space__", None) is None else np.asarray(value)


def expect_count(what: str, ports: Sequence[Port], count: int) -> None:
    """Refuse more or fewer arguments than there are ports."""
    if count != len(ports):
        raise Error(f"{what} takes {len(ports)} inputs ({', '.join(port.name for port in ports)}), not {count}")


def in_order(what: str, ports: Sequence[Port], inputs: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """Positional and named arguments in the order of the ports."""
    names = [port.name for port in ports[len(inputs) :]]
    for name in named:
        if name in [port.name for port in ports[: len(inputs)]]:
            raise Error(f"{what}: input {name} is given twice, by its place and by its name")
        if name not in names:
            known = ", ".join(port.name for port in ports)
            raise Error(f"{what} takes no input {name!r} here; it takes {known}")
    missing = [name for name in names if name not in named]
    if named and missing:
        raise Error(f"{what}: input {missing[0]} is missing")
    return (*inputs, *(named[name] for name in names if name in named))


def expect_axis(what: str, axis: Any) -> None:
    """Refuse states that stand in the middle of an array."""
    if not isinstance(axis, (int, np.integer)) or axis not in (0, -1):
        raise Error(f"{what}: axis is {axis}; say 0 for arrays (N, …) or -1 for arrays (…, N)")


def numbers(what: str, port: Port, value: Any, axis: int | None = None) -> np.ndarray[Any, np.dtype[Any]]:
    """An argument as an array of real numbers of any type and shape, refused by name where it is none."""
    value = fitting(what, port, value)
    try:
        return real_numbers(value)
    except (TypeError, ValueError):
        kind = f"{value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        raise Error(f"{what}: {port.name} must be numbers of shape {_wanted(port, axis)}, not {kind}") from None


def one_state(what: str, port: Port, value: Any) -> Array:
    """An argument as floats of the port's shape, refused by name where count, shape or type is wrong.

    Of a port of one row, such as the wrench of one frame, (1, 6), the row itself is taken too.
    """
    array = np.asarray(numbers(what, port, value), float)
    if port.shape == (1, *array.shape):
        array = array[np.newaxis]
    if array.shape != port.shape:
        many = len(array.shape) > len(port.shape) and port.shape == array.shape[array.ndim - len(port.shape) :]
        raise _misshapen(what, port, array.shape, _wanted(port), f"; for many states say {what}.batch" * many)
    return array


def as_columns(what: str, ports: Sequence[Port], values: Sequence[Any]) -> dict[str, Array]:
    """All arguments of a call about one state, as columns."""
    expect_count(what, ports, len(values))
    return {port.name: one_state(what, port, value).reshape(-1, 1) for port, value in zip(ports, values, strict=True)}


def refuse_unfit(what: str, ports: Sequence[Port], columns: Mapping[str, Array]) -> None:
    """Refuse arguments that are not finite, by name and entry, or no value of their port's space: no pose."""
    for name, column in columns.items():
        if not np.all(np.isfinite(column)):
            where = f"entry {int(np.argmin(np.isfinite(column[:, 0])))}"
            raise Error(f"{what}: {name} holds a value that is not finite, at {where}")
    for port in ports:
        if reason := port.space.misfit(columns[port.name]):
            raise Error(f"{what}: {port.name} {reason}")


def states_in(what: str, port: Port, shape: tuple[int, ...], axis: int) -> int | None:
    """How many states an array of this shape holds along an axis; None where it is one value for all."""
    if shape == port.shape:
        return None
    if not shape or shape != port.shape_of(shape[axis], axis):
        other = -1 - axis
        turned = bool(shape) and shape == port.shape_of(shape[other], other)
        raise _misshapen(what, port, shape, _wanted(port, axis), f"; for these say axis={other}" * turned)
    return shape[axis]


def common_states(what: str, alone: str, ports: Sequence[Port], counts: Sequence[int | None]) -> int:
    """How many states all arguments have; `alone` is what one would call for a single one."""
    many = [(port.name, count) for port, count in zip(ports, counts, strict=True) if count is not None]
    if not many:
        raise Error(f"{what}: no input has an axis of states; for one state call {alone} itself")
    first, states = many[0]
    for name, count in many:
        if count != states:
            raise Error(f"{what}: {name} has {count} states, but {first} has {states}")
    return states


def axes_in_front(what: str, ports: Sequence[Port], shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The axes of states, any number of them, in front of arrays of these shapes, as NumPy brings them together."""
    expect_count(what, ports, len(shapes))
    fronts: list[tuple[int, ...]] = []
    for port, shape in zip(ports, shapes, strict=True):
        fronts.append(shape[: len(shape) - len(port.shape)])
        if fronts[-1] + port.shape != shape:
            raise _misshapen(what, port, shape, f"{port.shape}, states in front")
    try:
        return np.broadcast_shapes(*fronts)
    except ValueError:
        said = ", ".join(f"{port.name} {front}" for port, front in zip(ports, fronts, strict=True))
        raise Error(f"{what}: the axes of states do not go together: {said}") from None


def _wanted(port: Port, axis: int | None = None) -> str:
    if axis is None:
        return str(port.shape)
    many = port.shape_of("N", axis)
    return f"({', '.join(map(str, many))}{',' * (len(many) == 1)}), or {port.shape} for all states"


def _misshapen(what: str, port: Port, shape: tuple[int, ...], wanted: str, remedy: str = "") -> Error:
    return Error(f"{what}: {port.name} has shape {shape}; it must be {wanted} ({port.meaning}){remedy}")
