"""Whole bodies that stand, and code that says what it is."""

SECTIONS = {
    "undriven": "Undriven coordinates first: Talos, HyQ and a humanoid on rigid feet, on points and in flight",
    "optimal": "The best within limits: Talos on its feet, LWR 4; against daqp",
}
"""Module → heading."""
