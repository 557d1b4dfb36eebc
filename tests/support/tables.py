"""Programs that look up entries of tables, and what NumPy says that they are."""

import numpy as np

from motionc.geometry.control_words import entry
from motionc.program import Program
from motionc.program.build import Writer
from motionc.program.port import Port

Array = np.ndarray
PATH, AT = Port("path", (4, 2, 3), "m", "waypoints"), Port("at", (2,), "1", "where on the path")
INDICES = [-1e9, -0.5, 0.0, 0.99, 1.0, 1.7, 2.0, 2.999, 3.0, 1e30]


def looking_up() -> Program:
    """The waypoint at at[0], the second row of that at at[0] + at[1], and a look back along the path."""
    writer = Writer()
    path = np.array(writer.inputs(0, PATH.size), object).reshape(PATH.shape)
    first, second = writer.inputs(1, AT.size)
    found = [*entry(path, first).ravel(), *entry(path[:, 1], first + second), entry(path[::-1, 0, 2], first)]
    steps, results = writer.needed([found])
    out = Port("seen", (10,), "m", "what is there")
    return Program("looking_up", "seen = path[at]", (PATH, AT), (out,), steps, results)


def meant(path: Array, at: Array) -> Array:
    """The same by NumPy, one state."""

    def place(index: float) -> int:
        return 0 if np.isnan(index) else int(np.clip(np.floor(index), 0, len(path) - 1))

    one, other = place(at[0]), place(at[0] + at[1])
    return np.array([*path[one].ravel(), *path[other, 1], path[::-1, 0, 2][one]])
