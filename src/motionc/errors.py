"""The one root of every exception motionc raises on purpose, and what helps with a name that is nearly right."""

from collections.abc import Iterable
from difflib import get_close_matches

COMPARISONS = 2_000_000  # of letters: what looking for a similar name may cost


class Error(ValueError):
    """An error: something that was asked for cannot be done; the message says what, where, and what to do instead."""


class WrongType(Error, TypeError):
    """The error where something of another type was given: whoever catches TypeError catches it too."""


class NoNumber(TypeError):
    """A number, an array of numbers or a decision was asked of what has none yet; the message says which."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?` for a name that is nearly right, or the first few there are."""
    names = list(known)
    few = len(name) * sum(map(len, names)) < COMPARISONS
    near = get_close_matches(name, names, 3) if few else []
    near = near or [other for other in names if name and name.lower() in other.lower()][:3]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; there are {', '.join(names[:8])}{', …' if len(names) > 8 else ''}" if names else ""
