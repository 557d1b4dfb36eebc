"""Which keys and values may a document have? Kinds of entries, each read three ways:

    read      a located tree → a value, or one sentence with its place
    plain     a value → data that YAML and JSON can say
    schema    what JSON Schema says of it (draft 2020-12)

A document is a table of kinds; its checks, its writer and its schema are that one table. Records check themselves when
they are made, and what they refuse is told where it stands: an error may name the parts it is about (`about`).
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, fields, is_dataclass
from typing import Any, Protocol

from motionc.errors import Error, suggestion
from motionc.formats.located import Node
from motionc.formats.xml_tree import ReadError, quoted
from motionc.geometry.units import UNITS, Quantity, amount, quantity
from motionc.model.findings import Place

NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"


class Kind(Protocol):
    """What may stand somewhere in a document."""

    def takes(self, node: Node) -> bool:
        """Whether an entry looks like one of these, right or wrong."""
        ...

    def read(self, node: Node) -> Any:
        """The value of an entry; one sentence with its place where it is none of these."""
        ...

    def has(self, value: Any) -> bool:
        """Whether a value is one of these."""
        ...

    def plain(self, value: Any) -> Any:
        """A value as data."""
        ...

    @property
    def schema(self) -> dict[str, Any]:
        """What JSON Schema says of it."""
        ...


# ---------------------------------------------------------------- words and numbers


@dataclass(frozen=True)
class Amount:
    """A number with its unit, in SI once it is read.

    Args:
        of: what it measures.
        positive: whether it must be more than nothing.
    """

    of: Quantity
    _: KW_ONLY
    positive: bool = False

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str)

    def read(self, node: Node) -> float:
        if not isinstance(node.value, str):
            raise node.error(f"{_shown(node)} where a {self.of.value} is wanted", f"write such as {self.example}")
        with located(node):
            value = quantity(node.words, self.of)
        if self.positive and not value > 0:
            raise node.error(f"{quoted(node.words)} is not more than nothing", f"write such as {self.example}")
        return value

    def has(self, value: Any) -> bool:
        return isinstance(value, float)

    def plain(self, value: float) -> str:
        return amount(value, self.of)

    @property
    def schema(self) -> dict[str, Any]:
        words = [word for entry in UNITS if entry.quantity is self.of for word in (entry.symbol, entry.name)]
        unit = "|".join(word.replace("^", r"\^").replace("*", r"\*") for word in words)
        optional = "?" if self.of is Quantity.DIMENSIONLESS else ""
        pattern = rf"^\s*{NUMBER}\s*({unit}){optional}\s*$"
        return {"type": "string", "pattern": pattern, "description": f"{self.of.value}, such as {self.example}"}

    @property
    def example(self) -> str:
        """How it looks."""
        return amount(0.5, self.of)


@dataclass(frozen=True)
class Words:
    """A name: one line of words, whatever they are; or one of those that are listed."""

    example = "a word"

    known: tuple[str, ...] = ()

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str)

    def read(self, node: Node) -> str:
        if not isinstance(node.value, str) or not node.value:
            raise node.error(f"{_shown(node)} where a name is wanted", "write a word")
        if self.known and node.value not in self.known:
            said = suggestion(node.value, self.known)
            near = said if "did you mean" in said else ""
            raise node.error(f"{quoted(node.value)} is none of these{near}", f"say {' or '.join(self.known)}")
        return node.value

    def has(self, value: Any) -> bool:
        return isinstance(value, str)

    def plain(self, value: str) -> str:
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.known)} if self.known else {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class Whole:
    """A whole number, no less than what makes sense."""

    least: int = 0

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str)

    def read(self, node: Node) -> int:
        if not (node.words.isascii() and node.words.isdigit() and len(node.words) < 10):
            raise node.error(f"{_shown(node)} where a whole number is wanted", f"write one ≥ {self.least}")
        if int(node.words) < self.least:
            raise node.error(f"{node.words} is less than {self.least}", f"write a whole number ≥ {self.least}")
        return int(node.words)

    def has(self, value: Any) -> bool:
        return isinstance(value, int)

    def plain(self, value: int) -> int:
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least}


@dataclass(frozen=True)
class Number:
    """A number without a unit, such as an entry of a rotation."""

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str)

    def read(self, node: Node) -> float:
        with located(node):
            return quantity(node.words, Quantity.DIMENSIONLESS)

    def has(self, value: Any) -> bool:
        return isinstance(value, float)

    def plain(self, value: float) -> float:
        return float(value)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "number"}


# ---------------------------------------------------------------- lists, mappings, choices


@dataclass(frozen=True)
class Several:
    """A list of one kind, of a length where one is told."""

    kind: Kind
    count: int | None = None

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, list)

    def read(self, node: Node) -> tuple[Any, ...]:
        if not isinstance(node.value, list):
            raise node.error(f"{_shown(node)} where a list is wanted", "write entries behind dashes, or in [ ]")
        if self.count is not None and len(node.value) != self.count:
            raise node.error(f"{len(node.value)} entries where {self.count} are wanted", f"write {self.count}")
        return tuple(self.kind.read(entry) for entry in node.value)

    def has(self, value: Any) -> bool:
        return isinstance(value, tuple)

    def plain(self, value: Any) -> list[Any]:
        return [self.kind.plain(entry) for entry in value]

    @property
    def schema(self) -> dict[str, Any]:
        length = {} if self.count is None else {"minItems": self.count, "maxItems": self.count}
        return {"type": "array", "items": self.kind.schema, **length}


@dataclass(frozen=True)
class Key:
    """A key of a mapping: what stands under it, and whether it must.

    Args:
        kind: of what stands there.
        of: the name of the part that it becomes; the key's own where it is empty.
        needed: whether it must be there.
    """

    kind: Kind
    of: str = ""
    _: KW_ONLY
    needed: bool = False


@dataclass(frozen=True)
class Record:
    """A mapping of known keys, and the value that is made of what stands under them.

    Args:
        name: what sentences call it.
        made: the type of its values: a dataclass, of which keys are fields, or a dict.
        keys: what may stand in it, by key; what is no field is read, and not kept.
        told_by: the key that tells it from others where there is a choice; the first where none is named.
        make: what makes a value of its parts, by name, where the type alone does not.
        parts: what takes a value apart again; what is None, or empty, is left out.
    """

    name: str
    made: type
    keys: Mapping[str, Key]
    _: KW_ONLY
    told_by: str = ""
    make: Callable[..., Any] | None = None
    parts: Callable[[Any], Mapping[str, Any]] | None = None

    def takes(self, node: Node) -> bool:
        return self.teller in node.entries

    @property
    def teller(self) -> str:
        """The key that tells it from others."""
        return self.told_by or next(iter(self.keys))

    def read(self, node: Node) -> Any:
        if not isinstance(node.value, dict):
            raise node.error(f"{_shown(node)} where {self.name} is wanted", f"write {self.example}")
        for key in node.value:
            if key not in self.keys:
                said = suggestion(key, self.keys)
                raise node.error(f"there is no {quoted(key)} in {self.name}{said}", "correct it, or leave it out", key)
        for key, entry in self.keys.items():
            if entry.needed and key not in node.value:
                raise node.error(f"{self.name} has no {key}", f"say its {key}: {looks(entry.kind)}")
        read = {self.keys[key].of or key: self.keys[key].kind.read(entry) for key, entry in node.value.items()}
        with located(node, {entry.of or key: key for key, entry in self.keys.items()}):
            return self._made(read)

    def has(self, value: Any) -> bool:
        return isinstance(value, self.made)

    def plain(self, value: Any) -> dict[str, Any]:
        parts = self._parts(value)
        said = {key: (entry, parts.get(entry.of or key)) for key, entry in self.keys.items()}
        return {key: entry.kind.plain(part) for key, (entry, part) in said.items() if part not in (None, "", (), {})}

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {key: entry.kind.schema for key, entry in self.keys.items()},
            "required": [key for key, entry in self.keys.items() if entry.needed],
            "additionalProperties": False,
            "description": self.name,
        }

    def _made(self, parts: dict[str, Any]) -> Any:
        if self.make is not None:
            return self.make(**parts)
        return self.made(**{part: value for part, value in parts.items() if part in (self._fields or parts)})

    def _parts(self, value: Any) -> Mapping[str, Any]:
        if self.parts is not None:
            return self.parts(value)
        return {field: getattr(value, field) for field in self._fields} if self._fields else value

    @property
    def _fields(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self.made)) if is_dataclass(self.made) else ()

    @property
    def example(self) -> str:
        """How it looks: the keys that it needs."""
        needed = [key for key, entry in self.keys.items() if entry.needed] or [self.teller]
        return "{" + ", ".join(f"{key}: …" for key in needed) + "}"


@dataclass(frozen=True)
class Choice:
    """One of several kinds: the first that an entry looks like."""

    name: str
    kinds: tuple[Kind, ...]

    def takes(self, node: Node) -> bool:
        return any(kind.takes(node) for kind in self.kinds)

    def read(self, node: Node) -> Any:
        kind = next((kind for kind in self.kinds if kind.takes(node)), None)
        if kind is None:
            tellers = [str(getattr(kind, "teller", "")) for kind in self.kinds]
            near = [suggestion(key, tellers) for key in node.entries]
            meant = next((words for words in near if "did you mean" in words), "")
            remedy = f"write {' or '.join(map(looks, self.kinds))}"
            raise node.error(f"{_shown(node)} where {self.name} is wanted{meant}", remedy)
        return kind.read(node)

    def has(self, value: Any) -> bool:
        return any(kind.has(value) for kind in self.kinds)

    def plain(self, value: Any) -> Any:
        return next(kind for kind in self.kinds if kind.has(value)).plain(value)

    @property
    def schema(self) -> dict[str, Any]:
        return {"anyOf": [kind.schema for kind in self.kinds]}


def looks(kind: Kind) -> str:
    """How an entry of a kind looks, for remedies: an example of its own, or none."""
    return str(getattr(kind, "example", "…"))


@contextmanager
def located(node: Node, keys: Mapping[str, str] | None = None) -> Generator[None]:
    """Refusals inside are told at the place of a node, or of what in it they are about."""
    try:
        yield
    except ReadError:
        raise
    except Error as error:
        message, _, remedy = str(getattr(error, "sentence", error)).partition("; ")
        place = next((at for part in getattr(error, "about", ()) if (at := _place(node, part, keys or {}))), node.place)
        raise ReadError(place, message, remedy or "correct it") from error


def _place(node: Node, part: Any, keys: Mapping[str, str]) -> Place | None:
    """Where a part stands: a field, in a mapping or in one below it, or an entry of a list, such as ("until", 2)."""
    if isinstance(part, tuple):
        found = node.at(*part)
        return None if found is None else found.place
    key = keys.get(part, part)
    return next((one.keys[key] for one in (node, *node.entries.values()) if key in one.keys), None)


def _shown(node: Node) -> str:
    """What stands there, as a sentence repeats it."""
    if isinstance(node.value, str):
        return quoted(node.value) if node.value else "nothing"
    if not node.value:
        return "nothing"
    return "a list" if isinstance(node.value, list) else f"a mapping of {', '.join(list(node.value)[:4])}"
