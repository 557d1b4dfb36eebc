"""Coordinates that are not known: one value that absorbs whatever is done to it."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from motionc.errors import NoNumber

P = ParamSpec("P")
R = TypeVar("R")


class Unknown:
    """Stands under relations that are known by name only: its parts, and all that is computed with it, are unknown too.

    >>> -2 * UNKNOWN.T @ UNKNOWN[:3, 0] + 1
    UNKNOWN
    >>> float(UNKNOWN)
    Traceback (most recent call last):
        ...
    motionc.errors.NoNumber: a number made of unknown coordinates
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __reduce__(self) -> str:
        return "UNKNOWN"  # the one there is

    def _absorb(self, *_: Any, **__: Any) -> "Unknown":
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _absorb
    __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __getitem__ = _absorb
    __lt__ = __le__ = __gt__ = __ge__ = _absorb
    __array_ufunc__ = reshape = ravel = copy = _absorb

    @property
    def T(self) -> "Unknown":
        return self

    @property
    def shape(self) -> tuple["Unknown", "Unknown"]:
        return self, self

    # ---------------------------------------------------------------- where it ends

    def __float__(self) -> float:
        raise NoNumber("a number made of unknown coordinates")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise NoNumber("an array of numbers made of unknown coordinates")

    def __bool__(self) -> bool:
        raise NoNumber("a decision by unknown coordinates")

    def __index__(self) -> int:
        raise NoNumber("a count of unknown coordinates")

    def __len__(self) -> int:
        raise NoNumber("the length of unknown coordinates")

    def __iter__(self) -> Any:
        raise NoNumber("numbers one by one out of unknown coordinates")


UNKNOWN: Final = Unknown()


def is_known(*values: Any) -> bool:
    """Whether all of them have coordinates."""
    for value in values:  # noqa: SIM110  asked often: a generator would take longer than the answer
        if value is UNKNOWN:
            return False
    return True


def absorbing(function: Callable[P, R]) -> Callable[P, R]:
    """A function of coordinates that gives UNKNOWN where one of them is."""

    @wraps(function)
    def with_unknown(*args: P.args, **options: P.kwargs) -> Any:
        for arg in args:
            if arg is UNKNOWN:
                return arg
        return function(*args, **options)

    return with_unknown
