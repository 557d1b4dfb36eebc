"""What does a text in a language of ours say, and where: textX's tree, every object of it with its line and column."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from motionc.errors import suggestion
from motionc.formats.xml_tree import ReadError, quoted
from motionc.model.findings import Place

__all__ = ["Parsed", "parse_language"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text as its grammar sees it: the root of textX's objects, and where each of them is."""

    root: Any
    file: str

    def place(self, thing: Any, element: str) -> Place:
        """Where an object is; `element` is its path in the document."""
        line, column = self.root._tx_parser.pos_to_linecol(thing._tx_position)
        return Place(element, self.file, line, column)


def parse_language(grammar: Path, text: str, file: str, what: str, words: Mapping[str, str]) -> Parsed:
    """A text by the grammar in a file; `words` says what its rules for single words are called in sentences."""
    from textx import TextXSyntaxError

    try:
        return Parsed(_metamodel(grammar).model_from_str(text), file)
    except TextXSyntaxError as error:
        line, column = error.line or 1, error.col or 1
        raise _refusal(text, Place(what, file, line, column), error.expected_rules or (), words) from error


@cache
def _metamodel(grammar: Path) -> Any:
    from textx import metamodel_from_file

    return metamodel_from_file(str(grammar), autokwd=True)


def _refusal(text: str, place: Place, rules: Any, words: Mapping[str, str]) -> ReadError:
    """What stands there, what could have, and the nearest of it."""
    line = text.split("\n")[place.line - 1 : place.line]
    found = re.match(r"[\w-]+|\S|$", line[0][place.column - 1 :].lstrip()) if line else None
    there = quoted(found[0]) if found and found[0] else "the end of the line" if text.strip() else "nothing"
    plain = [rule for rule in rules if rule.rule_name not in (*words, "Comment")]
    literal = [rule.to_match for rule in plain if hasattr(rule, "to_match")]
    named = [words[rule.rule_name] for rule in rules if rule.rule_name in words]
    wanted = list(dict.fromkeys([*map(repr, literal), *named]))
    near = suggestion(found[0], literal) if found and found[0] and literal else ""
    remedy = near.removeprefix("; ") if "did you mean" in near else "write it there, or correct what stands before it"
    return ReadError(place, f"{there} where {' or '.join(wanted) or 'something else'} is expected", remedy)
