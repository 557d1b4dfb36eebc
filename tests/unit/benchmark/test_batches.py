"""Who is an exception in the table of batches: arithmetic and memory account for it, or a reason does, with a floor."""

import pytest

from acceptance import MISSED, batches


@pytest.mark.parametrize(
    ("kind", "ratio", "share", "mark"),
    [
        ("energy", 4.9, 0.5, "accounted for"),
        ("energy", 0.79, 0.9, MISSED),
        ("energy", 4.9, 0.49, MISSED),
        ("integrate", 0.6, 0.1, "exception"),
        ("integrate", 0.59, 0.1, MISSED),
        ("constrained_dynamics", 2.2, 0.4, MISSED),
    ],
)
def test_an_exception_is_accounted_for_or_has_a_reason_and_a_floor(
    kind: str, ratio: float, share: float, mark: str
) -> None:
    assert batches.excused(kind, ratio, share) == mark
