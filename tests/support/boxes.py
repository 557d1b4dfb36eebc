"""Random boxes for the box active set, with what they are made of, and an answer from SciPy and qpOASES."""

from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.optimize import lsq_linear

Array = np.ndarray


@dataclass(frozen=True)
class Box:
    """lower ≤ y ≤ upper, C y nearest to r level after level, then (y + s)ᵀ P (y + s) least; P and C after contacts."""

    blocks: tuple[int, ...]
    matrix: Array
    right: Array
    P: Array
    C: Array
    kind: str

    @property
    def rows(self) -> Array:
        """What the kernel takes."""
        return np.hstack([self.matrix[:, : self.blocks[0]], self.right])

    @property
    def bounds(self) -> Array:
        return self.right[: self.blocks[0], :2]

    @property
    def shift(self) -> Array:
        return self.right[: self.blocks[0], 2]

    @property
    def wanted(self) -> Array:
        return self.right[sum(self.blocks[:2]) :, 0]

    def costs(self, y: Array) -> list[float]:
        """How far each level is missed, and what is least at last.

        Where a level can only just be had, a rounding decides whether anything is left to choose: then not the last.
        """
        miss, found = self.C @ y - self.wanted, list[float]()
        for size in self.blocks[2:]:
            found.append(float(np.linalg.norm(miss[:size])))
            miss = miss[size:]
        last = float(np.sqrt(max(0.0, (y + self.shift) @ self.P @ (y + self.shift))))
        return [*found, 0.0 if self.kind == "just possible" else last]


def random_box(rng: np.random.Generator, blocks: tuple[int, ...], kind: str = "") -> Box:
    """As limits make them: y = 0 is a clipped answer. Kinds are degenerate: see below."""
    n, contacts, *levels = blocks
    m = sum(levels)
    half = rng.normal(size=(n, n))
    Q = 10.0 ** rng.uniform(-1, 1) * half @ half.T + 0.3 * np.eye(n)
    held, rows = rng.normal(size=(contacts, n)), rng.normal(size=(m, n))
    if kind == "rows twice":
        rows[-1] = rows[0]
    if kind == "rows that nothing moves":
        rows[rng.integers(m)] = 0.0
    if kind == "few numbers":
        Q, rows, held = np.eye(n), np.round(rows), np.round(held)
    P = Q - Q @ held.T @ np.linalg.pinv(held @ Q @ held.T) @ held @ Q
    C = rows @ P
    meant, limits = rng.normal(size=n), 10.0 ** rng.uniform(-1, 0.5, n)
    if kind == "nothing free":
        limits *= 0.0
    if kind == "few numbers":
        meant, limits = np.round(meant), np.ceil(limits)
    if kind in ("dead", "rows twice"):
        limits[rng.random(n) < 0.3] = 0.0
    if kind == "unlimited":
        limits[rng.random(n) < 0.4] = np.inf
    far = 10.0 ** rng.uniform(-1, 1)
    r = far * (C @ rng.normal(size=n) if rng.random() < 0.5 else rng.normal(size=m))
    if kind == "just possible":
        r = C @ (np.sign(rng.normal(size=n)) * limits - meant)
    asked = meant + rows.T @ (np.linalg.pinv(rows @ P @ rows.T, rcond=1e-9) @ r)
    clipped = np.clip(asked, -limits, limits)
    units = np.vstack([np.eye(n), held, rows])
    right = np.zeros((sum(blocks), 3))
    right[:n] = np.column_stack([-limits - clipped, limits - clipped, clipped - meant])
    right[n + contacts :, 0] = r - C @ (clipped - meant)
    return Box(blocks, units @ Q @ units.T, right, P, C, kind)


KINDS = (
    "",
    "rows twice",
    "rows that nothing moves",
    "few numbers",
    "dead",
    "nothing free",
    "unlimited",
    "just possible",
)


def doubtful_box() -> Box:
    """Blocks (5, 0, 2, 2): the free entries all but cannot tell the rows of the first level apart, so that little of
    what is missing there holds an entry at its bound.
    """
    rng, n = np.random.default_rng(14), 5
    C = rng.normal(size=(4, n))
    C[1] = 0.7 * C[0] + np.concatenate([[1.0, 1e-4], 1e-6 * rng.normal(size=3)])
    limits, right = 10.0 ** rng.uniform(-0.5, 0.5, n), np.zeros((n + 4, 3))
    right[:n] = np.column_stack([-limits, limits, rng.normal(size=n)])
    right[n:, 0] = 2 * rng.normal(size=4)
    return Box((n, 0, 2, 2), np.block([[np.eye(n), C.T], [C, C @ C.T]]), right, np.eye(n), C, "")


def reference(box: Box) -> Array:
    """y by SciPy's bounded least squares for the first level, and then by qpOASES."""
    low, high = np.clip(box.bounds, -1e4, 1e4).T
    free = high > low
    y, done, reached, start = low.copy(), np.zeros((0, len(low))), np.zeros(0), 0
    if not free.any():
        return y
    for k, size in enumerate(box.blocks[2:]):
        rows = box.C[start : start + size]
        r = box.wanted[start : start + size]
        start += size
        if k:
            y = _qp(rows.T @ rows, -rows.T @ r, done, reached, low, high)
        else:
            left = r - rows[:, ~free] @ low[~free]
            y[free] = lsq_linear(rows[:, free], left, (low[free], high[free]), method="bvls", tol=1e-15).x
        done, reached = np.vstack([done, rows]), np.concatenate([reached, rows @ y])
    return _qp(box.P, box.P @ box.shift, done, reached, low, high)


def _qp(H: Array, g: Array, A: Array, b: Array, low: Array, high: Array) -> Array:
    """The least of ½ xᵀHx + gᵀx with A x = b. H may be singular: from each answer on to the next."""
    options = {"printLevel": "none", "print_time": False, "error_on_fail": True}
    shapes = {"h": ca.Sparsity.dense(*H.shape), "a": ca.Sparsity.dense(*A.shape)}
    solve, ease, x = ca.conic("qp", "qpoases", shapes, options), 1e-6 * np.trace(H) / len(g), np.zeros(len(g))
    slack = 1e-10 * max(1.0, np.abs(b).max())
    for _ in range(4):
        more = ease * np.eye(len(g))
        found = solve(h=H + more, g=g - ease * x, a=A, lba=b - slack, uba=b + slack, lbx=low, ubx=high)
        x = np.array(found["x"])[:, 0]
    return x


def no_worse(found: list[float], expected: list[float], exact: float = 1e-9) -> bool:
    """Whether the first cost that differs is less, beyond how exact the other is; a little more of any is forgiven."""
    forgiven = [1e-7] * (len(found) - 1) + [1e-5]
    for one, other, more in zip(found, expected, forgiven, strict=True):
        if one < other - exact * max(1.0, other):
            return True
        if one > other + more * max(1.0, other):
            return False
    return True
