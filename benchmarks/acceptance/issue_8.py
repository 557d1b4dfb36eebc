"""The rooms, redrawn: everything computed and emitted as before, in one file a computation and one file a joint."""

SECTIONS = {
    "contracts": "Imports between rooms",
    "emitted": "Operation counts and emitted text as before",
    "pace": "Nothing got slower",
    "house": "Files: how long, how many to touch, how long CI takes",
}
"""Module → heading."""
