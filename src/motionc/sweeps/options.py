"""What a computation is asked besides the robot, as data: one frozen dataclass a computation, checked when made.

Everything else follows from it and the robot: the solver, the name under which code is kept, pickles, `repr`, `help`,
signatures, what a command line can say. What a user gives as a list, an array or a dictionary is kept as something
that nobody can change any more.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Any, ClassVar, get_args

import numpy as np

from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.sweeps.constraint import Force
from motionc.sweeps.parameters import parameter_names
from motionc.sweeps.ports import checked_gravity, checked_truncation
from motionc.sweeps.representation import Representation


@dataclass(frozen=True)
class Options:
    """The options of a computation, of which it is `called` in public."""

    called: ClassVar[str] = ""
    own: ClassVar[bool] = False
    """Whether functions of somebody else are among them: what those compute is known once they are traced."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning whatever the robot, and keep the rest as it was understood."""
        for field in fields(self):
            value = frozen(getattr(self, field.name))
            if field.name in UNDERSTOOD:
                value = UNDERSTOOD[field.name](self.called, value)
            object.__setattr__(self, field.name, value)

    def solver(self, robot: Robot) -> Any:
        """The solver that answers it: schedule, ports, and how outputs are read off."""
        raise Error(f"{self.called} of {robot.name} is no sweep of its own")

    def said(self) -> dict[str, Any]:
        """The options that are not as they would be without a word."""
        return {field.name: value for field in fields(self) if _told(field, value := getattr(self, field.name))}

    def __str__(self) -> str:
        """As an argument list behind the robot: «gravity=(0.0, 0.0, -1.62)»."""
        return ", ".join(f"{name}={value!r}" for name, value in self.said().items())


def _told(field: Field[Any], value: Any) -> bool:
    if field.default is MISSING:
        return True
    return type(value) is not type(field.default) or value != field.default


# ---------------------------------------------------------------- what cannot change


class Fixed(Mapping[Any, Any]):
    """A dictionary that nobody can change."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> None:
        self._items = {key: frozen(value) for key, value in dict(items).items()}

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))  # equal in any order

    def __reduce__(self) -> tuple[Any, ...]:
        return Fixed, (tuple(self._items.items()),)

    def __repr__(self) -> str:
        return repr(self._items)


def frozen(value: Any) -> Any:
    """The same value, of kinds that cannot change: tuples for lists and arrays, plain numbers for NumPy's.

    >>> frozen([1, np.zeros(2), {"a": [3]}])
    (1, (0.0, 0.0), {'a': (3,)})
    """
    if isinstance(value, np.ma.MaskedArray):
        return value  # no number stands for what is masked: whoever wants numbers refuses it
    if isinstance(value, np.ndarray):
        return frozen(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) or isinstance(value, str | bytes):
        return value
    if isinstance(value, Mapping):
        return value if isinstance(value, Fixed) else Fixed(value)
    if isinstance(value, set | frozenset):
        if not all(isinstance(name, str) for name in value):
            raise Error(f"{value!r} has no order; give a list")
        return tuple(sorted(value))  # the same in every process
    if type(value) in (list, tuple) or isinstance(value, Iterator) or type(value).__name__.startswith("dict_"):
        return tuple(map(frozen, value))
    return value


# ---------------------------------------------------------------- options that many computations have


def _one_of(option: str, known: tuple[str, ...]) -> Callable[[str, Any], Any]:
    def check(what: str, value: Any) -> Any:
        if value not in known:
            raise Error(f"{what}: {option} is {value!r}; say {' or '.join(map(repr, known))}")
        return value

    return check


def _forces(what: str, given: Any) -> tuple[str | Force, ...]:
    forces: tuple[Any, ...] = (given,) if isinstance(given, str | Force) else tuple(given)
    for force in forces:
        if not isinstance(force, str | Force):
            raise Error(f"{what}: a force acts on {force!r}; give the name of a frame, or a Force")
    return forces


UNDERSTOOD: dict[str, Callable[[str, Any], Any]] = {
    "gravity": lambda _, given: checked_gravity(given),
    "parameters": parameter_names,
    "precision": _one_of("precision", get_args(Precision)),
    "representation": _one_of("representation", get_args(Representation)),
    "external_forces": _forces,
    "artificial_forces": _forces,
    "truncation": lambda _, given: checked_truncation(given),
}
"""How the options of these names are understood, by the computation's name and what was given."""
