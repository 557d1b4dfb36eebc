"""Records as plain data and back: what JSON can say of options and models, and which record a piece of data is.

A frozen dataclass is {its name: its fields}, a mapping {"map": pairs}, what is no finite number {"number": its name}.
Nothing is made of data but records of the kinds that were named, and those check their fields themselves.
"""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from motionc.errors import Error

DEEPEST = 16
"""How far records may stand in each other."""


class NoData(Exception):
    """A value that is more than data: a function, or something of a type that is not ours."""


def plain(value: Any) -> Any:
    """What JSON can say of a value; NoData where it cannot.

    >>> plain((1, {"a": float("inf")}))
    [1, {'map': [['a', {'number': 'inf'}]]}]
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else {"number": repr(value)}
    if isinstance(value, tuple | list):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {"map": [[plain(key), plain(entry)] for key, entry in value.items()]}
    if is_dataclass(value) and not isinstance(value, type):
        return {type(value).__name__: {field.name: plain(getattr(value, field.name)) for field in fields(value)}}
    raise NoData(type(value).__name__)


def restored(data: Any, kinds: Mapping[str, type], depth: int = 0) -> Any:
    """The value that some data is, lists as tuples; an Error where it is none of these kinds."""
    if depth > DEEPEST:
        raise Error("it is nested too deeply")
    if isinstance(data, list):
        return tuple(restored(entry, kinds, depth + 1) for entry in data)
    if not isinstance(data, dict):
        return data
    if len(data) != 1:
        raise Error(f"a record has one name, not {len(data)}")
    ((name, inside),) = data.items()
    match name, inside:
        case "number", ("inf" | "-inf" | "nan"):
            return float(inside)
        case "map", [*pairs] if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            return {restored(key, kinds, depth + 1): restored(entry, kinds, depth + 1) for key, entry in pairs}
        case str(), {**given} if name in kinds:
            return record(kinds[name], given, kinds, depth)
        case _:
            raise Error(f"{name!r} is no record of ours")


def record(kind: type, given: Mapping[str, Any], kinds: Mapping[str, type], depth: int = 0) -> Any:
    """The record of a kind with these fields, which it checks."""
    known = {field.name for field in fields(kind)}
    for name in given:
        if name not in known:
            raise Error(f"{kind.__name__} has no {name!r}")
    try:
        return kind(**{name: restored(entry, kinds, depth + 1) for name, entry in given.items()})
    except Error:
        raise
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Error(f"{kind.__name__} cannot be made of it: {error}") from None
