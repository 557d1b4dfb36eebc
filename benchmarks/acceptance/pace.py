"""Nothing got slower by the rooms: `versus`, with the commit before them."""

from collections.abc import Iterator

from acceptance import versus

BEFORE = "f1fbac3"


def figures() -> Iterator[str]:
    """All of `versus`."""
    yield from versus.figures(BEFORE)
