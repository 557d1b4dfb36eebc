"""What an issue asked for, measured: `make acceptance ISSUE=7`.

An issue is a module `issue_<n>` with SECTIONS in order; a section is a module here with `figures() -> Iterator[str]`.
Every line is a figure as a person reads it, what is wanted beside what was measured. A line with ✗ is a bar that was
missed.
"""

from pathlib import Path

HELD, MISSED = "✓", "✗"
SEEDS: list[int] = [1, 2, 3]
"""Of random plants; one more is named on the day: --seed."""
ROOT = Path(__file__).resolve().parents[2]


def verdict(holds: bool) -> str:
    """The mark at the end of a line."""
    return HELD if holds else MISSED
