"""What a text says at a place: one line of it, not too long, and a caret under the character that is meant."""

import re
import unicodedata
from dataclasses import dataclass

BEFORE, LONGEST = 40, 110
"""Characters of a line that are shown: before the caret, and all together."""


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
        self._starts = [0, *(end.end() for end in re.finditer(r"\r\n?|\n", text)), len(text) + 1]

    def quote(self, line: int, column: int) -> Quote | None:
        """What stands there; nothing where the text has no such place, or nothing but space in that line."""
        if not (0 < line < len(self._starts) and column > 0):
            return None
        start, end = self._starts[line - 1], self._starts[line]
        here = start + column - 1
        first = max(start, here - BEFORE)
        before = self._text[first:here]
        if first == start:
            before = before.lstrip()
        last = min(end, here + LONGEST - len(before))
        after = self._text[here:last].rstrip("\r\n")
        if here >= end or not (before + after).strip():
            return None
        left = ("…" if first > start else "") + _shown(before)
        right = _shown(after) + ("…" if self._text[last:end].strip("\r\n") else "")
        return Quote(left + right, sum(map(_width, left)))


def visible(text: str) -> str:
    r"""Text from a file as a terminal may show it: what would move the cursor or turn the text around is spelt out.

    >>> print(visible("a\tb" + chr(0x9B)))
    a\tb\x9b
    """
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _shown(text: str) -> str:
    return visible(text.replace("\t", "→"))


def _width(letter: str) -> int:
    """Columns a character takes in a terminal."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
