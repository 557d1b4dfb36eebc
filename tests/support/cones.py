"""Problems of cone_solve: random ones, dependent rows, rows that nothing gives way to."""

import numpy as np

from motionc.program.kernels import Call
from motionc.program.kernels.cone_solve import KINDS

Array = np.ndarray


def rows_of(call: Call) -> list[tuple[str, slice]]:
    """The kinds of a call's blocks, and where their rows are."""
    found, start = list[tuple[str, slice]](), 0
    for number in call.pattern[1:]:
        kind = KINDS[number]
        found.append((kind, slice(start, start + (3 if kind == "cone" else 1))))
        start = found[-1][1].stop
    return found


def random_cones(rng: np.random.Generator, call: Call, special: str = "") -> Array:
    """All that a call takes: A, r, x0, n, b and c."""
    m = call.size
    rows = rng.normal(size=(m, m + 2))
    if special == "dependent":
        rows[:, max(1, m // 2) :] = 0.0
    if special == "nothing gives way":
        rows[: m // 2 + 1] = 0.0
    r, x, normal, bound = rng.normal(size=m), rng.normal(size=m), np.zeros(m), rng.uniform(0.0, 1.0, m)
    for kind, at in rows_of(call):
        if kind == "cone":
            direction = rng.normal(size=3)
            normal[at] = direction / np.linalg.norm(direction)
    compliance = rng.uniform(0.0, 0.1, m) * (special == "compliant")
    return np.concatenate([(rows @ rows.T).ravel(), r, x * (special != "cold"), normal, bound, compliance])
