"""What stands in front of an emitted file: lines in a comment of its language, and how they are found again.

A block has a first line that nothing else has, lines, and a brace that ends it. In MATLAB it follows the help of the
function, which has to come first.
"""

import re
from dataclasses import dataclass
from pathlib import PurePath

FIRST, LAST = "motionc provenance {", "}"


@dataclass(frozen=True, slots=True)
class Style:
    """How a language writes a comment of several lines: what opens it, starts each line, and closes it."""

    opens: str
    lead: str
    closes: str


SLASHES = Style("/*\n", " * ", " */\n")
STYLES = {
    **dict.fromkeys((".c", ".h", ".hpp", ".cpp", ".cu"), SLASHES),
    ".mac": Style("/*\n", "   ", "*/\n"),
    ".m": Style("\n", "% ", "\n"),
    ".py": Style("", "# ", "\n"),
}
"""By what a file's name ends in. Files of other endings are the same whatever they are written for."""


def headed(file: str, text: str, lines: list[str]) -> str:
    """A file's text with a block in front, or as it is where its language has none."""
    style = STYLES.get(PurePath(file).suffix)
    if style is None:
        return text
    inside = "".join(f"{style.lead}{line}\n" for line in (FIRST, *lines, LAST))
    start = _behind_help(text) if file.endswith(".m") else 0
    return f"{text[:start]}{style.opens}{inside}{style.closes}{text[start:]}"


def parted(file: str, text: str) -> tuple[list[str], str] | None:
    """The lines of the first block in a file, and the text without it; None where there is none."""
    style = STYLES.get(PurePath(file).suffix)
    if style is None:
        return None
    first, last = (re.escape(f"{style.lead}{line}\n") for line in (FIRST, LAST))
    inside = rf"(?P<inside>(?:{re.escape(style.lead)}(?!{re.escape(LAST)}\n).*\n)*)"
    found = re.search(rf"{re.escape(style.opens)}{first}{inside}{last}{re.escape(style.closes)}", text)
    if found is None:
        return None
    lines = [line.removeprefix(style.lead) for line in found["inside"].splitlines()]
    return lines, text[: found.start()] + text[found.end() :]


def _behind_help(text: str) -> int:
    """Where the comment ends that follows the first line."""
    found = re.match(r".*\n(?:%.*\n)*", text)
    return found.end() if found else 0
