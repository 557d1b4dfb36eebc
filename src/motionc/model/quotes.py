"""What a text says at a place: one line of it, not too long, and a caret under the character that is meant."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

BEFORE, LONGEST = 40, 110
"""Characters of a line that are shown: before the caret, and all together."""

_TAG = re.compile(r"<[^\s=>/]+")
_ATTRIBUTE = re.compile(r"""\s+([^\s=>/]+)\s*=\s*(?:"[^"]*"|'[^']*')""")


@dataclass(frozen=True, slots=True)
class Quote:
    """Part of a line as a terminal may show it, and in which column of it the caret stands, from 0."""

    text: str
    caret: int

    def under(self, number: int) -> str:
        """Two lines, as compilers print them: the text after the number of its line, and the caret.

        >>> print(Quote("<joint/>", 1).under(12))
           12 | <joint/>
              |  ^
        """
        return f"{number:5} | {self.text}\n      | {' ' * self.caret}^"


class Source:
    """A text to quote from; lines end in a newline, a carriage return, or both, and are counted from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        ends = [(end.start(), end.end()) for end in re.finditer(r"\r\n?|\n", text)]
        self._starts, self._ends = [0, *(after for _, after in ends)], [*(end for end, _ in ends), len(text)]
        self._attributes = cache(self._written)

    def quote(self, line: int, column: int) -> Quote | None:
        """What stands there; nothing where the text has no such place, or nothing but space in that line."""
        if not (0 < line <= len(self._starts) and column > 0):
            return None
        start, end = self._starts[line - 1], self._ends[line - 1]
        here = start + column - 1
        first = start if end - start <= LONGEST else max(start, here - BEFORE)
        before = self._text[first:here]
        if first == start:
            before = before.lstrip()
        last = min(end, here + LONGEST - len(before))
        after = self._text[here:last]
        if here > end or not (before + after).strip():
            return None
        left = ("…" if first > start else "") + _shown(before)
        right = _shown(after) + ("…" if last < end else "")
        return Quote(left + right, len(left) if left.isascii() else sum(map(_width, left)))

    def attribute(self, line: int, column: int, name: str) -> tuple[int, int]:
        """Line and column of an attribute of the XML element there; those of the element where it has none such."""
        if not (0 < line <= len(self._starts) and name):
            return line, column
        where = self._attributes(self._starts[line - 1] + column - 1).get(name)
        if where is None:
            return line, column
        line = bisect_right(self._starts, where)
        return line, where - self._starts[line - 1] + 1

    def _written(self, start: int) -> dict[str, int]:
        """Where the attributes of the element that starts there stand, by name."""
        found, tag = dict[str, int](), _TAG.match(self._text, start)
        here = tag and _ATTRIBUTE.match(self._text, tag.end())
        while here:
            found[here[1]] = here.start(1)
            here = _ATTRIBUTE.match(self._text, here.end())
        return found


def visible(text: str) -> str:
    r"""Text from a file as a terminal may show it: what would move the cursor or turn the text around is spelt out.

    >>> print(visible("a\tb" + chr(0x9B)))
    a\tb\x9b
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _shown(text: str) -> str:
    return visible(text.replace("\t", "→"))


def _width(letter: str) -> int:
    """Columns a character takes in a terminal."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
