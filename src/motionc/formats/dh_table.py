"""How is a table of Denavit–Hartenberg parameters read: text into rows of numbers, each cell with its place."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionc.errors import suggestion
from motionc.formats.xml_tree import ReadError, quoted
from motionc.model.chain import (
    JointType,
)
from motionc.model.findings import Place

CONVENTIONS = ("standard", "modified")
LARGEST = 1e150  # squares of anything below stay finite
TYPES = {"R": JointType.REVOLUTE, "P": JointType.PRISMATIC, "F": JointType.FIXED}
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
NUMBERS = (
    *("a", "alpha", "d", "theta", "offset"),
    *("lower", "upper", "velocity", "effort"),
    *("mass", "cx", "cy", "cz", *MOMENTS),
    *("rotor_inertia", "damping", "friction"),
)
COLUMNS = ("type", "joint", "link", *NUMBERS)
TURNING = ("offset", "lower", "upper", "velocity")  # angles where the joint turns
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TURN = re.compile(r"([+-]?)(?:([0-9.]+) ?\*? ?)?(?:pi|π)(?: ?/ ?([0-9.]+))?")


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """The entries of a row, and where each stands."""

    place: Place
    entries: dict[str, Any]
    columns: dict[str, int] = field(default_factory=dict[str, int])
    degrees: bool = False

    @staticmethod
    def of(row: Any, number: int) -> "Row":
        """A row of a table in Python: known entries, com and inertia spread out."""
        made = Row(Place(f"row {number}"), {})
        if not isinstance(row, Mapping):
            raise made.error("", f"the row is {type(row).__name__}", 'give a mapping, such as {"a": 0.4, "alpha": 0}')
        for key, value in row.items():  # pyright: ignore[reportUnknownVariableType]
            if key == "com":
                made.entries.update(zip(("cx", "cy", "cz"), made.array("com", value, (3,)), strict=True))
            elif key == "inertia":
                made.entries.update(zip(MOMENTS, _moments(made, value), strict=True))
            elif key in COLUMNS:
                made.entries[str(key)] = value
            else:
                raise made.error("", f"there is no entry {key!r}{suggestion(str(key), COLUMNS)}", "correct the name")
        return made

    def error(self, key: str, message: str, remedy: str) -> ReadError:
        element = f"{self.place.element}, {key}" if key else self.place.element
        column = self.columns.get(key, self.place.column)
        return ReadError(Place(element, self.place.file, self.place.line, column), message, remedy)

    def array(self, key: str, value: Any, shape: tuple[int, ...]) -> list[float]:
        try:
            array = np.asarray(value, float)
        except (TypeError, ValueError):
            array = np.zeros(0)
        if array.shape != shape or not np.all(np.abs(array) < LARGEST):
            raise self.error(key, f"{key} = {quoted(str(value))}", f"give {shape[0]} finite numbers")
        return array.tolist()

    def number(self, key: str, default: float = 0.0) -> float:
        """An entry as a number, in SI units; the default where there is none."""
        value = self.entries.get(key)
        if value is None or value == "":
            return default
        number = _parsed(value) if isinstance(value, str) else value
        bounded = key not in ("lower", "upper", "velocity", "effort")
        if isinstance(number, bool) or not isinstance(number, int | float | np.number) or math.isnan(number):
            said = f"{key} = {quoted(str(value))} is not a number"
            raise self.error(key, said, "write a number, such as -0.4 or 2e-3, or a part of pi, such as -pi/2")
        if bounded and abs(number) >= LARGEST:
            raise self.error(key, f"{key} = {quoted(str(value))} is not finite, or too large", "check its unit")
        turns = key in ("alpha", "theta") or (key in TURNING and self.type is JointType.REVOLUTE)
        said_in_degrees = self.degrees and turns and not (isinstance(value, str) and _TURN.fullmatch(value))
        return math.radians(float(number)) if said_in_degrees else float(number)

    @property
    def type(self) -> JointType:
        said = self.entries.get("type") or "R"
        if said not in TYPES:
            message = f"no joint type is called {quoted(str(said))}"
            raise self.error("type", message, "use R (turns), P (slides) or F (fixed)")
        return TYPES[said]

    def name(self, key: str, default: str) -> str:
        said = self.entries.get(key) or default
        if not isinstance(said, str) or not said.strip():
            raise self.error(key, f"{key} = {quoted(str(said))} is no name", "give a text")
        return said


def _moments(row: Row, value: Any) -> list[float]:
    """Six moments of three (principal), six or nine numbers."""
    match np.shape(value):
        case (3,):
            xx, yy, zz = row.array("inertia", value, (3,))
            return [xx, 0.0, 0.0, yy, 0.0, zz]
        case (3, 3):
            matrix = np.array(row.array("inertia", value, (3, 3)))
            if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-15):
                raise row.error("inertia", "the inertia is not symmetric", "give ixy = iyx and so on")
            return matrix[np.triu_indices(3)].tolist()
        case _:
            return row.array("inertia", value, (6,))


def table(text: str, file: str) -> tuple[dict[str, str], list[Row]]:
    """Settings and rows; the first line that is neither comment nor setting is the header."""
    settings: dict[str, str] = {}
    header: list[str] = []
    rows: list[Row] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0]
        if not words.strip():
            continue
        if not header and ":" in words:
            _setting(words, settings, Place("setting", file, number, 1))
            continue
        cells = [(cell.strip(), at) for cell, at in _cells(words)]
        if not header:
            header = _header(cells, file, number)
            continue
        place = Place(f"row {len(rows) + 1}", file, number, 1)
        if len(cells) != len(header):
            message = f"the row has {len(cells)} cells, the header {len(header)}"
            raise ReadError(place, message, "separate cells by commas, and leave empty what is not known")
        entries = dict(zip(header, (cell for cell, _ in cells), strict=True))
        columns = dict(zip(header, (at for _, at in cells), strict=True))
        rows.append(Row(place, entries, columns, settings.get("angles") == "degree"))
    if not rows:
        raise ReadError(
            Place("table", file), "the table has no rows", f"give a header ({', '.join(COLUMNS[:7])}), then rows"
        )
    return settings, rows


def _setting(words: str, settings: dict[str, str], place: Place) -> None:
    key, _, value = (part.strip() for part in words.partition(":"))
    allowed = {"convention": CONVENTIONS, "angles": ("radian", "degree"), "name": ()}
    if key not in allowed:
        raise ReadError(place, f"there is no setting {quoted(key)}", f"say one of {', '.join(allowed)}")
    if key in settings:
        raise ReadError(place, f"{key} is set twice", "keep one of the two")
    if (choices := allowed[key]) and value not in choices:
        raise ReadError(place, f"{key} {quoted(value)} is unknown", f"say one of {', '.join(choices)}")
    settings[key] = value


def _header(cells: list[tuple[str, int]], file: str, line: int) -> list[str]:
    found: list[str] = []
    for name, at in cells:
        place = Place("header", file, line, at)
        if name not in COLUMNS:
            message = f"there is no column {quoted(name)}{suggestion(name, COLUMNS)}"
            raise ReadError(place, message, f"name columns out of {', '.join(COLUMNS)}")
        if name in found:
            raise ReadError(place, f"column {name} stands there twice", "keep one of the two")
        found.append(name)
    return found


def _cells(line: str) -> Iterable[tuple[str, int]]:
    """The cells of a line, each with the column its words start in."""
    at = 0
    for cell in line.split(","):
        yield cell, at + len(cell) - len(cell.lstrip()) + 1
        at += len(cell) + 1


def _parsed(word: str) -> float | str:
    """A number, or a part of π; else the word as it is."""
    word = word.strip()
    if len(word) < 100 and _NUMBER.fullmatch(word):
        return float(word)
    if word.lstrip("+-").lower() in ("inf", "infinity"):
        return float(word)
    if len(word) < 100 and (turn := _TURN.fullmatch(word)):
        sign, times, parts = turn.groups()
        try:
            return (-1 if sign == "-" else 1) * float(times or 1) * math.pi / float(parts or 1)
        except (ValueError, ZeroDivisionError):
            return word
    return word
