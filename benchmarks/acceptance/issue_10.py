"""Whole bodies that stand, and code that says what it is."""

SECTIONS = {
    "optimal": "The best within limits: Talos on its feet, LWR 4; against daqp",
}
"""Module → heading."""
