"""What are the entries of a quantity called? Letters of the field: ω and v of a twist, n and f of a wrench, I, H and M
of an inertia, R and p of a pose; rows and columns by number otherwise.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from motionc.geometry import Pose
from motionc.geometry.articulated import Projector
from motionc.geometry.coordinates import Relation, is_known
from motionc.geometry.screw import Force, Screw

LETTERS: dict[str, tuple[str, str]] = {
    "Momentum": ("L", "p"),
    "MomentumBasis": ("L", "p"),
    "SpatialAcceleration": ("dw", "a"),
    "ClassicalAcceleration": ("dw", "a"),
}
"""Angular and linear parts by kind; of other motions w and v, of other forces n and f."""

BLOCKS = {"angular": "I", "mixed": "H", "linear": "M", "rotational": "I", "first_moment": "h", "xyz": "p"}
"""What else has parts by axes."""

AXES = "xyz"
LOWER = frozenset(("Iyx", "Izx", "Izy", "Myx", "Mzx", "Mzy"))
"""What is above the diagonal too."""


def entries(value: Any) -> Iterator[tuple[str, float]]:
    """A suffix for each number of a quantity, and the number; nothing where it has none."""
    if isinstance(value, Pose):
        if is_known(value.orientation.factors, value.position.xyz):
            yield from _matrix("R", value.orientation.matrix, "123", "123")
            yield from _matrix("p", value.position.xyz, AXES, "")
    elif isinstance(value, Projector):
        for letter, part in (("U", value.felt), ("D", value.inertia)):
            yield from ((f"{letter}_{suffix}".rstrip("_"), number) for suffix, number in entries(part))
    elif isinstance(value, Screw):
        usual = ("n", "f") if isinstance(value, Force) else ("w", "v")
        for letter, part in zip(LETTERS.get(type(value).__name__, usual), (value.angular, value.linear), strict=True):
            yield from _matrix(letter, part, AXES, "")
    elif isinstance(value, Relation) and is_dataclass(value):
        for field in fields(value):
            if field.name in value.coordinates and field.name != "factors":
                letter = BLOCKS.get(field.name, "" if field.name in ("values", "value") else field.name)
                turned = AXES if field.name in BLOCKS else ""
                named = _matrix(letter, getattr(value, field.name), turned, turned)
                yield from ((suffix, x) for suffix, x in named if suffix not in LOWER)
    elif isinstance(value, np.ndarray | float | int):
        yield from _matrix("", value, "", "")


def _matrix(letter: str, part: Any, rows: str, columns: str) -> Iterator[tuple[str, float]]:
    """Numbers of a part: `letter`, then axes or numbers, as far as there are several."""
    if not is_known(part):
        return
    try:
        table = np.atleast_2d(np.asarray(part, float))
    except (TypeError, ValueError):
        return
    several = table.shape[0] > 1, table.shape[1] > 1
    for i, row in enumerate(table):
        for j, number in enumerate(row):
            own = _index(i, rows) if several[0] or rows else ""
            other = _index(j, columns) if several[1] else ""
            close = bool(rows) and bool(columns)
            yield letter + own + ("" if close or not (own and other) else "_") + other, float(number)


def _index(k: int, words: str) -> str:
    return words[k] if k < len(words) else str(k + 1)
