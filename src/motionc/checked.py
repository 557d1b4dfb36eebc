"""One door for names and one for numbers: what was given for an argument, as what it must be, or one sentence.

`what` is how the sentence begins: who was asked, and the argument's name ("jacobian: frame"). Whether a name is known
to a robot, and whether so many numbers fit it, is asked where the robot is.
"""

import operator
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from math import inf, isnan
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from motionc.errors import Error, WrongType, suggestion
from motionc.real import real_numbers

Array = np.ndarray[Any, np.dtype[np.float64]]
T = TypeVar("T")

LONGEST = 72
"""Letters of a value that a sentence repeats."""
LONGEST_NAME = 1000
"""Letters of a name in a file; sentences repeat it whole."""
LONGEST_FILE_NAME = 255
"""Bytes of it on the disks there are; some systems fail on longer ones before anybody can say so."""
MOST = 1_000_000
"""Entries of a list of names, or of whatever else is read one by one."""

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = LONGEST


def shown(value: Any) -> str:
    """A value as a sentence repeats it: on one line, short, and whatever its own words do.

    >>> shown([1.0, "a"]), shown("x" * 100)[:12], shown("a\\nb")
    ("[1.0, 'a']", "'xxxxxxxxxxx", "'a\\\\nb'")
    """
    if isinstance(value, np.ndarray) and value.shape not in ((), (1,), (2,), (3,)):
        return f"array of shape {value.shape}"
    try:
        text = _short.repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= LONGEST + 20 else f"{text[:LONGEST]}…"


def refusal(what: str, value: Any, wanted: str, *, kind: type[Error] = Error) -> Error:
    """The sentence: what was given, and what to give instead."""
    return kind(f"{what}={shown(value)}; {wanted}")


# ---------------------------------------------------------------- names


def words(what: str, value: Any, wanted: str = "give words") -> str:
    """Any text, however long; or none."""
    if not isinstance(value, str):
        raise refusal(what, value, wanted, kind=WrongType)
    return str(value)


def name(what: str, value: Any, wanted: str = "give a name", *, empty: bool = False) -> str:
    """A word; nothing at all only where that means something."""
    if not isinstance(value, str):
        raise refusal(what, value, wanted, kind=WrongType)
    if not (value or empty):
        raise refusal(what, value, wanted)
    if len(value) > 2 * LONGEST_NAME:  # with what stands before and behind it
        raise refusal(what, value, f"nothing has a name of {len(value)} characters; {wanted}")
    return str(value)


def names(
    what: str, value: Any, wanted: str = "give a name, or a list of names", known: Sequence[str] | None = None
) -> tuple[str, ...]:
    """One word, or several; a word is not read letter by letter. Where names are `known`, blanks and commas part those
    in a text that is none of them itself.
    """
    if known is not None and isinstance(value, str) and value not in known:
        value = value.replace(",", " ").split() or value
    words = several(what, value, wanted, str)
    for one in words:
        if not isinstance(one, str) or not one:
            raise WrongType(f"{what}: {shown(one)} is no name; {wanted}")
        name(what, one, wanted)
    return words


def several(what: str, value: Any, wanted: str, *single: type) -> tuple[Any, ...]:
    """The entries of a list, or one alone, which is of a type that is `single`."""
    if isinstance(value, single):
        return (value,)
    if isinstance(value, set | frozenset):
        if not all(isinstance(entry, str) for entry in value):
            raise refusal(what, value, f"that has no order; {wanted}", kind=WrongType)
        return tuple(sorted(value))
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        raise refusal(what, value, wanted, kind=WrongType)
    entries: list[Any] = []
    try:
        for entry in value:
            entries.append(entry)
            if len(entries) > MOST:
                raise Error(f"{what} has more than {MOST} entries; {wanted}")
    except TypeError:  # an array without axes
        raise refusal(what, value, wanted, kind=WrongType) from None
    return tuple(entries)


def one_of(what: str, value: Any, known: Sequence[str]) -> Any:
    """One of the words there are."""
    if isinstance(value, str) and value in known:
        return value
    near = suggestion(value, known) if isinstance(value, str) and "did you mean" in suggestion(value, known) else ""
    kind = Error if isinstance(value, str) else WrongType
    raise refusal(what, value, f"say {' or '.join(map(repr, known))}{near}", kind=kind)


def flag(what: str, value: Any) -> bool:
    """Yes or no; no word and no number stands for one of them."""
    if not isinstance(value, bool | np.bool_):
        raise refusal(what, value, "say True or False", kind=WrongType)
    return bool(value)


# ---------------------------------------------------------------- numbers


def numbers(
    what: str, value: Any, wanted: str, shape: tuple[int | None, ...] | None = None, *, infinite: bool = False
) -> Array:
    """An array of finite numbers (or `infinite` ones), of this shape where it is told (None: any length)."""
    try:
        given = real_numbers(value)
    except (TypeError, ValueError, RuntimeError):
        raise refusal(what, value, wanted, kind=WrongType) from None
    if given.dtype.kind == "b" or (not isinstance(value, np.ndarray) and _has_flags(value)):
        raise refusal(what, value, wanted, kind=WrongType)
    fits = shape is None or (
        given.ndim == len(shape) and all(own in (None, size) for own, size in zip(shape, given.shape, strict=True))
    )
    array = np.array(given, float)
    if not fits or np.any(np.isnan(array) if infinite else ~np.isfinite(array)):
        raise refusal(what, value, wanted)
    return array


def _has_flags(value: Any) -> bool:
    """Whether True or False stands among the entries of a list."""
    if isinstance(value, list | tuple):
        return any(_has_flags(entry) for entry in value)  # pyright: ignore[reportUnknownVariableType]
    return isinstance(value, bool | np.bool_)


def number(
    what: str, value: Any, wanted: str = "give a finite number", *, fits: Callable[[float], bool] | None = None
) -> float:
    """One finite number, within whatever it has to fit."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise refusal(what, value, wanted, kind=WrongType)
    try:
        plain = float(value)
    except OverflowError:
        plain = inf
    if isnan(plain) or abs(plain) == inf or (fits is not None and not fits(plain)):
        raise refusal(what, value, wanted)
    return plain


def whole(what: str, value: Any, least: int, wanted: str = "") -> int:
    """A whole number, no less than what makes sense."""
    wanted = wanted or f"give a whole number ≥ {least}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise refusal(what, value, wanted, kind=WrongType)
    if value < least:
        raise refusal(what, value, wanted)
    return int(value)


# ---------------------------------------------------------------- everything else


def by_types(value: Any, what: str) -> None:
    """Refuse fields of a frozen dataclass that are not of the type they are declared with; lists become tuples.

    Where a number is declared, words and None pass too, and of several any count: the rules of a model say what is
    wrong with them, beside everything else that is. What is declared `Any` is theirs altogether.
    """
    for field, check in _checks(type(value)):
        given = getattr(value, field)
        kept = check(f"{what}: {field}", given)
        if kept is not given:
            object.__setattr__(value, field, kept)


@cache
def _checks(kind: type) -> tuple[tuple[str, Callable[[str, Any], Any]], ...]:
    hints = get_type_hints(kind)
    found = ((field.name, _check(hints[field.name])) for field in fields(kind))
    return tuple((name, check) for name, check in found if check is not None)


def _check(hint: Any) -> Callable[[str, Any], Any] | None:
    """How a field of a type is checked; None where anything goes."""
    parts = tuple(part for part in get_args(hint) if part is not NoneType)
    if hint is Any:
        return None
    if get_origin(hint) is Literal:
        return lambda what, given: one_of(what, given, parts)
    if get_origin(hint) in (Union, UnionType):
        inner, left_out = _check(parts[0]) if len(parts) == 1 else _is(parts), NoneType in get_args(hint)
        return inner and (lambda what, given: None if left_out and given is None else inner(what, given))
    if get_origin(hint) is tuple:
        return _is((tuple, list, np.ndarray, str, NoneType)) if float in parts else _tuple_of(parts)
    hint = Mapping if get_origin(hint) is Mapping else hint
    if not isinstance(hint, type):
        return None
    if hint is float:
        return _is((float, int, np.integer, np.floating, str, NoneType))
    return _is((str,) if issubclass(hint, str) else (hint,))  # whether a word is known, the rules say


def _is(kinds: tuple[type, ...]) -> Callable[[str, Any], Any]:
    name = kinds[0].__name__

    def check(what: str, given: Any) -> Any:
        if isinstance(given, kinds) and not (isinstance(given, bool) and bool not in kinds):
            return given
        raise refusal(what, given, f"give {'an' if name[0] in 'AEIO' else 'a'} {WORDS.get(name, name)}", kind=WrongType)

    return check


def _tuple_of(parts: tuple[Any, ...]) -> Callable[[str, Any], Any]:
    """So many of these, or any number of one."""
    each, open_ended = [_check(part) for part in parts if part is not Ellipsis], Ellipsis in parts

    def check(what: str, given: Any) -> Any:
        listed = isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim)
        if not listed or (not open_ended and len(given) != len(each)):
            raise refusal(what, given, "give a tuple", kind=WrongType)
        several = zip(given, [each[0]] * len(given) if open_ended else each, strict=True)
        kept = tuple(one if inner is None else inner(what, one) for one, inner in several)
        return given if isinstance(given, tuple) and all(map(operator.is_, kept, given)) else kept

    return check


WORDS = {"str": "name", "float": "number", "tuple": "tuple of numbers", "bool": "True or False", "int": "whole number"}


def instance(what: str, value: Any, kinds: type[T] | tuple[type[T], ...], wanted: str) -> T:
    """Something of a type, or of one of several."""
    if not isinstance(value, kinds):
        raise refusal(what, value, wanted, kind=WrongType)
    return value


def path(what: str, value: Any, wanted: str = "give a path") -> Path:
    """A path; `~` at its front is the home folder."""
    if not isinstance(value, str | Path) or not str(value):
        raise refusal(what, value, wanted, kind=Error if isinstance(value, str) else WrongType)
    if "\0" in str(value):
        raise refusal(what, value, "no path has a zero byte in it; choose another one")
    if max((len(part.encode("utf-8", "surrogatepass")) for part in Path(value).parts), default=0) > LONGEST_FILE_NAME:
        raise refusal(what, value, f"no file has a name of more than {LONGEST_FILE_NAME} bytes; choose a shorter one")
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise refusal(what, value, "nobody here has such a home folder; write it in full") from None
