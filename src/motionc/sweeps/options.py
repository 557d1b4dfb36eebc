"""What a computation is asked besides the robot, as data: one frozen dataclass a computation, checked when made.

Everything else follows from it and the robot: the solver, the name under which code is kept, pickles, `repr`, `help`,
signatures, what a command line can say. What a user gives as a list, an array or a dictionary is kept as something
that nobody can change any more.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from itertools import islice
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.program.source import Along, Kind
from motionc.real import is_masked_array
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.representation import Representation

Check = Callable[[str, Any], Any]
"""From how a sentence about it begins ("jacobian: frame") and what was given to what is kept; or an Error."""

PLAIN: Mapping[Any, Check] = {
    bool: checked.flag,
    float: checked.number,
    str: checked.name,
    Sequence[str]: checked.names,
    Iterable[str]: checked.names,
}
"""How an option of a type is understood where its name does not say more."""


@dataclass(frozen=True)
class Understood:
    """Data that is checked when it is made, and never changes: fields are understood by their names or types."""

    called: ClassVar[str] = ""
    """What sentences about it begin with."""
    understood: ClassVar[Mapping[str, Check]] = {}
    """How fields of these names are understood; all others are by their types."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning whatever the robot, and keep the rest as it was understood."""
        for name, check in checks(type(self)).items():
            what = f"{self.called}: {name}"
            value = _kept(what, getattr(self, name))
            object.__setattr__(self, name, value if check is None else check(what, value))

    def said(self) -> dict[str, Any]:
        """The fields that are not as they would be without a word."""
        return {field.name: value for field in fields(self) if _told(field, value := getattr(self, field.name))}

    def __str__(self) -> str:
        """As an argument list: «gravity=(0.0, 0.0, -1.62)»."""
        return ", ".join(f"{name}={value!r}" for name, value in self.said().items())


@dataclass(frozen=True)
class Options(Understood):
    """The options of a computation, of which it is `called` in public."""

    renamed: ClassVar[Mapping[str, str]] = {}
    """What options were called before, and are now."""
    own: ClassVar[bool] = False
    """Whether functions of somebody else are among them: what those compute is known once they are traced."""

    def solver(self, robot: Robot) -> Any:
        """The solver that answers it: schedule, ports, and how outputs are read off."""
        raise Error(f"{self.called} of {robot.name} is no sweep of its own")


def _told(field: Field[Any], value: Any) -> bool:
    if field.default is MISSING:
        return True
    return type(value) is not type(field.default) or value != field.default


@cache
def checks(asked: type[Understood]) -> dict[str, Check | None]:
    """How each field is understood: by its name, or else by its type; None where neither says it."""
    return {field.name: asked.understood.get(field.name) or _by_type(field.type) for field in fields(asked)}


def _by_type(kind: Any) -> Check | None:
    if get_origin(kind) is Literal:
        return lambda what, value: checked.one_of(what, value, get_args(kind))
    if get_origin(kind) in (Union, UnionType):
        (first, *others) = (part for part in get_args(kind) if part is not NoneType)
        check = None if others else _by_type(first)
        return check and optional(check)
    return PLAIN.get(kind)


def optional(check: Check) -> Check:
    """The same of something that may be left out."""
    return lambda what, value: None if value is None else check(what, value)


@dataclass(frozen=True)
class Derivative(Options):
    """What is asked of another computation: J dx ("jvp"), Jᵀ ȳ ("vjp") or J itself ("derivative").

    Args:
        source: the options of that computation.
        kind: which of the three.
        of: outputs of it.
        wrt: inputs of it.
        coordinates: "tangent", a configuration changes per unit of v, or "ambient", entry by entry.
        sparse: whether what may differ from zero is given alone.
    """

    called: ClassVar[str] = "derivative"

    source: Options
    kind: Kind
    of: tuple[str, ...]
    wrt: tuple[str, ...]
    coordinates: Along = "tangent"
    sparse: bool = False

    @property
    def precision(self) -> Precision:
        return getattr(self.source, "precision", "double")

    @property
    def representation(self) -> Representation:
        return getattr(self.source, "representation", "body")

    @property
    def parameters(self) -> Parameters:
        return getattr(self.source, "parameters", ())

    @property
    def given_frames(self) -> Mapping[str, str] | None:
        return getattr(self.source, "given_frames", None)

    def __str__(self) -> str:
        return ""  # its name says it

    @property
    def own(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.source.own


@dataclass(frozen=True)
class Together(Options):
    """What is asked in one program: the options of each computation, in order.

    Args:
        parts: these.
    """

    called: ClassVar[str] = "together"

    parts: tuple[Options, ...]

    @property
    def precision(self) -> Precision:
        return getattr(self.parts[0], "precision", "double")

    @property
    def parameters(self) -> Parameters:
        """What is open in any of them."""
        return tuple(dict.fromkeys(name for part in self.parts for name in getattr(part, "parameters", ())))

    @property
    def own(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return any(part.own for part in self.parts)

    def __str__(self) -> str:
        return "; ".join(map(_in_words, self.parts))

    def derived(
        self, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, sparse: bool
    ) -> Derivative:
        """The options of a derivative of it."""
        return Derivative(self, kind, of, wrt, coordinates, sparse)


def _in_words(part: Options) -> str:
    if isinstance(part, Derivative):
        return f"{part.kind} of {', '.join(part.of)} by {', '.join(part.wrt)} of {_in_words(part.source)}"
    return f"{part.called}({part})"


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


def _kept(what: str, value: Any) -> Any:
    try:
        return frozen(value)
    except RecursionError:
        raise Error(f"{what} is nested too deeply; give a list that does not hold itself") from None
    except Error as error:
        raise Error(f"{what}: {error}") from None


def frozen(value: Any) -> Any:
    """The same value, of kinds that cannot change: tuples for lists and arrays, plain numbers for NumPy's.

    >>> frozen([1, np.zeros(2), {"a": [3]}])
    (1, (0.0, 0.0), {'a': (3,)})
    """
    if is_masked_array(value):
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
            raise Error(f"{checked.shown(value)} has no order; give a list")
        return tuple(sorted(value))  # the same in every process
    if type(value) in (list, tuple) or isinstance(value, Iterator) or type(value).__name__.startswith("dict_"):
        return tuple(map(frozen, islice(value, checked.MOST)))
    return value
