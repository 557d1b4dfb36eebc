"""Whole bodies that stand, and code that says what it is."""

SECTIONS = {
    "undriven": "Undriven coordinates first: Talos, HyQ and a humanoid on rigid feet, on points and in flight",
}
"""Module → heading."""
