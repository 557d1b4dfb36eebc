"""Right in every case, identity as data, code at the bottom: what was wanted, section by section."""

SECTIONS = {
    "levels": "Levels, weights, scale and limits of several levels",
    "doors": "Files, macros and masses from outside",
    "identity": "What a computation is: the cache, pickling, copies, a second process",
    "yardstick": "Our C against Pinocchio's C++",
    "versus": "Nothing got slower or larger",
    "contracts": "Imports between rooms",
}
"""Module → heading."""
