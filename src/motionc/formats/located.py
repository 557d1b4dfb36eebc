"""What does a document say, and where: a tree of mappings, lists and words, each with its line and column.

YAML, JSON and languages of our own all become this tree; `records` makes values of it. Knows nothing of robots.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from motionc.formats.xml_tree import ReadError
from motionc.model.findings import Findings, Place
from motionc.model.quotes import Source

LONGEST_PATH = 200  # characters; the end is kept


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One entry of a document: words, a list, or a mapping, which has the places of its keys too."""

    value: "str | list[Node] | dict[str, Node]"
    place: Place
    keys: dict[str, Place] = field(default_factory=dict[str, Place])

    @property
    def entries(self) -> "Mapping[str, Node]":
        """What is in a mapping, by key; nothing where it is none."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> "list[Node]":
        """What is in a list; nothing where it is none."""
        return self.value if isinstance(self.value, list) else []

    @property
    def words(self) -> str:
        """What it says, where it is words."""
        return self.value if isinstance(self.value, str) else ""

    def at(self, *path: "str | int") -> "Node | None":
        """What is under these keys and numbers; None where nothing is."""
        here: Node | None = self
        for step in path:
            if here is None:
                return None
            if isinstance(step, int):
                here = here.items[step] if step < len(here.items) else None
            else:
                here = here.entries.get(step)
        return here

    def error(self, message: str, remedy: str, key: str = "") -> ReadError:
        """What to raise about it, or about a key of it."""
        return ReadError(self.keys.get(key, self.place), message, remedy)

    def merged(self, over: "Node") -> "Node":
        """What another mapping says, and this one where that says nothing; it is where the other is."""
        return replace(over, value={**self.entries, **over.entries}, keys={**self.keys, **over.keys})


def inside(path: str, step: "str | int") -> str:
    """The path of an entry of an entry.

    >>> inside("task/until", 0), inside("", "task")
    ('task/until[1]', 'task')
    """
    longer = f"{path}[{step + 1}]" if isinstance(step, int) else f"{path}/{step}" if path else step
    return longer if len(longer) <= LONGEST_PATH else "…" + longer[-LONGEST_PATH:]


@contextmanager
def quoting(text: str) -> Generator[None]:
    """Errors about a text quote the line that they are about."""
    try:
        yield
    except ReadError as error:
        error.quote = error.quote or Source(text).quote(error.place.line, error.place.column)
        raise


def quoted(findings: Findings, text: str) -> Findings:
    """Findings about a text with what stands at their places."""
    source = Source(text)
    return findings.quoting(lambda place: (place, source.quote(place.line, place.column)))
