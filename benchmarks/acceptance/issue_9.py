"""The state as computations, and what users write around it."""

SECTIONS = {
    "honesty": "Tests of rows fail where the feature is broken",
}
"""Module → heading."""
