"""Operation counts and public names against the commit before the issue: nothing grows but inside kernels."""

from collections.abc import Iterator

from acceptance.versus import ROBOTS, operations, public, versions

BEFORE = "d930d31a"
"""The commit before the issue."""


def figures(commit: str = BEFORE) -> Iterator[str]:
    """A line a computation whose count changed, and a total for each robot."""
    with versions(commit) as pair:
        yield from public(pair)
        yield from operations(pair, tuple(ROBOTS))
