"""What does a YAML or JSON text say, and where: a located tree, of PyYAML's events.

Documents come from strangers: aliases, anchors, tags and several documents in one file are refused, so are keys said
twice; size, depth and count are bounded. Words stay words: what is a number is decided where one is wanted.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from motionc.formats.located import Node, inside, quoting
from motionc.formats.small_text import text_of
from motionc.formats.xml_tree import ReadError
from motionc.formats.xml_tree import quoted as in_quotes
from motionc.model.findings import Place

__all__ = ["parse_json", "parse_yaml", "to_json", "to_yaml"]

LARGEST_DEPTH = 32
LARGEST_COUNT = 20_000  # entries


def parse_yaml(source: Path | str | bytes, name: str = "", what: str = "document") -> Node:
    """The tree of a YAML file (a Path) or text; `name` and `what` are what messages call it.

    >>> tree = parse_yaml("task: pregrasp\\nuntil:\\n  - goal: 3 cm\\n")
    >>> goal = tree.at("until", 0, "goal")
    >>> goal.words, str(goal.place)
    ('3 cm', '<text>:3:11: document/until[1]/goal')
    """
    file = str(source) if isinstance(source, Path) else name or "<text>"
    text = text_of(source, file, what)
    with quoting(text):
        return _tree(text, file, what)


def parse_json(source: Path | str | bytes, name: str = "", what: str = "document") -> Node:
    """The tree of a JSON file (a Path) or text; what is no JSON is refused, though YAML might take it."""
    file = str(source) if isinstance(source, Path) else name or "<text>"
    text = text_of(source, file, what)
    with quoting(text):
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            place = Place(what, file, error.lineno, error.colno)
            raise ReadError(place, f"no JSON: {error.msg}", "correct what stands there") from error
        except RecursionError as error:
            raise ReadError(Place(what, file), "nested too deeply", "flatten the file") from error
        # of JSON, YAML knows no tabs between words; inside of them there are none
        return _tree(text.replace("\t", " "), file, what)


def to_yaml(data: Any) -> str:
    """Plain data as YAML, in its order; letters beyond ASCII are escaped, some of which are ends of lines.

    >>> print(to_yaml({"task": "on", "until": [{"goal": "0.03 m"}]}), end="")
    task: 'on'
    until:
    - {goal: 0.03 m}
    """
    import yaml

    return yaml.safe_dump(data, sort_keys=False, width=110, default_flow_style=None)


def to_json(data: Any) -> str:
    """Plain data as JSON, in its order; letters beyond ASCII are escaped, some of which YAML would not take."""
    return json.dumps(data, indent=2) + "\n"


# ---------------------------------------------------------------- from events to a tree


def _tree(text: str, file: str, what: str) -> Node:
    import yaml

    try:
        events = iter(yaml.parse(text, Loader=yaml.SafeLoader))
        return _document(events, file, what)
    except yaml.reader.ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        place = Place(what, file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise ReadError(place, "a character that YAML does not take", "remove it, or write it as \\u…") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(what, file, mark.line + 1, mark.column + 1) if mark else Place(what, file)
        said = ", ".join(str(word) for word in (error.context, error.problem) if word)
        remedy = "write `key: value` lines, those inside indented by the same spaces; no tabs, and ': ' in quotes"
        raise ReadError(place, f"not well-formed: {said}", remedy) from error


def _document(events: Iterator[Any], file: str, what: str) -> Node:
    import yaml

    root: Node | None = None
    builder = _Builder(file, what)
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise ReadError(builder.place(event), "a second document", "keep one document in a file")
        if isinstance(event, yaml.NodeEvent):
            builder.refuse_hidden(event)
        if isinstance(event, yaml.ScalarEvent):
            root = builder.add(event, _words(event.value, builder.place(event))) or root
        elif isinstance(event, yaml.SequenceStartEvent):
            builder.open(event, list[Node]())
        elif isinstance(event, yaml.MappingStartEvent):
            builder.open(event, dict[str, Node]())
        elif isinstance(event, yaml.CollectionEndEvent):
            root = builder.close(event) or root
    if root is None:
        raise ReadError(Place(what, file), "it is empty", "write what it is to say")
    return root


def _words(value: str, place: Place) -> str:
    """A scalar's words; two halves of a character that JSON escapes apart are one."""
    if not re.search("[\ud800-\udfff]", value):
        return value
    try:
        return value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise ReadError(place, "a lone surrogate is no character", "remove it") from error


class _Builder:
    """The entries not yet closed, innermost last; of a mapping, the key that waits for its value."""

    def __init__(self, file: str, what: str) -> None:
        self.file, self.what, self.count = file, what, 0
        self.stack: list[Node] = []
        self.waiting: list[str | None] = []

    def place(self, event: Any, path: str = "") -> Place:
        mark = event.start_mark
        return Place(path or self.path, self.file, mark.line + 1, mark.column + 1)

    @property
    def path(self) -> str:
        if not self.stack:
            return self.what
        here, key = self.stack[-1], self.waiting[-1]
        if isinstance(here.value, list):
            return inside(here.place.element, len(here.value))
        return here.place.element if key is None else inside(here.place.element, key)

    def refuse_hidden(self, event: Any) -> None:
        """Nothing of YAML that makes a document mean more than it says."""
        import yaml

        self.count += 1
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise ReadError(self.place(event), "anchors and aliases (& and *) are refused", "write out what is meant")
        if event.tag is not None:
            raise ReadError(self.place(event), f"the tag {in_quotes(event.tag)} is refused", "leave it out")
        if self.count > LARGEST_COUNT:
            raise ReadError(self.place(event), f"more than {LARGEST_COUNT} entries", "split the document")
        if len(self.stack) >= LARGEST_DEPTH:
            raise ReadError(self.place(event), f"nested more than {LARGEST_DEPTH} deep", "flatten the document")

    def open(self, event: Any, value: "list[Node] | dict[str, Node]") -> None:
        self._refuse_as_key(event)
        self.stack.append(Node(value, self.place(event)))
        self.waiting.append(None)

    def close(self, event: Any) -> Node | None:
        node = self.stack.pop()
        self.waiting.pop()
        return self._put(node)

    def add(self, event: Any, words: str) -> Node | None:
        """A scalar: a key, or a value; the root where it is all there is."""
        here = self.stack[-1] if self.stack else None
        if here is None or isinstance(here.value, list) or self.waiting[-1] is not None:
            return self._put(Node(words, self.place(event)))
        if words in here.keys:
            first = here.keys[words].line
            raise ReadError(
                self.place(event), f"{in_quotes(words)} stands in line {first} already", "keep one of the two"
            )
        here.keys[words] = self.place(event, inside(here.place.element, words))
        self.waiting[-1] = words
        return None

    def _refuse_as_key(self, event: Any) -> None:
        if self.stack and isinstance(self.stack[-1].value, dict) and self.waiting[-1] is None:
            raise ReadError(self.place(event), "a key is a list or a mapping", "write a word before the colon")

    def _put(self, node: Node) -> Node | None:
        if not self.stack:
            return node
        here, key = self.stack[-1], self.waiting[-1]
        if isinstance(here.value, list):
            here.value.append(node)
        elif isinstance(here.value, dict) and key is not None:
            here.value[key] = node
            self.waiting[-1] = None
        return None
