"""The state as computations, and what users write around it."""

SECTIONS = {
    "stepping": "A loop of one's own, step by step in Python, beside Pinocchio's; many random states",
    "honesty": "Tests of rows fail where the feature is broken",
}
"""Module → heading."""
