"""The kernels of sweeps/kernels.py in C, in two forms: for one number, where an index may depend on the numbers, and
for lanes, where it may not, since it differs from lane to lane.

Both are written on `number`; lanes also need the words at the end of `lanes.h`. What does not pivot is shared.
"""

import re

from motionc.sweeps.kernels import KERNELS, RANK_TOLERANCE
from motionc.sweeps.solver import Precision

TOLERANCE = {"double": RANK_TOLERANCE, "single": 1e-5}
"""The rank tolerance; in single precision, rounding alone leaves pivots near 1e-6."""

# ---------------------------------------------------------------- shared

FACTOR = """\
    for (int j = 0; j < M; ++j) {{
        number pivot = {matrix}[j * M + j];
        for (int k = 0; k < j; ++k) pivot -= {lower}[j * M + k] * scaled[j * M + k];
        {limit}
        for (int i = j + 1; i < M; ++i) {{
            number rest = {matrix}[j * M + i];
            for (int k = 0; k < j; ++k) rest -= scaled[i * M + k] * {lower}[j * M + k];
            scaled[i * M + j] = rest;
            {lower}[i * M + j] = rest * {inverse}[j];
        }}
    }}
"""

SUBSTITUTE = """\
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < i; ++k) {x}[i] -= {lower}[i * M + k] * {x}[k];
    for (int i = M - 1; i >= 0; --i) {{
        {x}[i] *= {inverse}[i];
        for (int k = i + 1; k < M; ++k) {x}[i] -= {lower}[k * M + i] * {x}[k];
    }}
"""

LDLT_SOLVE = (
    """\
    number lower[M * M], scaled[M * M], inverse[M];
"""
    + FACTOR.format(
        matrix="a",
        lower="lower",
        inverse="inverse",
        limit="inverse[j] = splat(1) / larger(pivot, splat(RANK_TOLERANCE) * a[j * M + j]);",
    )
    + """\
    for (int i = 0; i < M; ++i) x[i] = r[i];
"""
    + SUBSTITUTE.format(x="x", lower="lower", inverse="inverse")
)

# ---------------------------------------------------------------- one number

ONE_SEMIDEFINITE = (
    """\
    int order[M];
    number lower[M * M], scaled[M * M], inverse[M], kept[M], rest[M], share[M], rank = 0.0;
    for (int i = 0; i < M; ++i) {
        order[i] = i;
        rest[i] = a[i * M + i];
        share[i] = 1.0 / (rest[i] > 0.0 ? rest[i] : 1.0);
    }
    for (int j = 0; j < M; ++j) {
        int at = j;
        number best = rest[order[j]] * share[order[j]];
        for (int i = j + 1; i < M; ++i) {
            const number other = rest[order[i]] * share[order[i]];
            at = other > best ? i : at;
            best = other > best ? other : best;
        }
        const int row = order[at];
        order[at] = order[j];
        order[j] = row;
        for (int k = 0; k < j; ++k) {
            const number low = lower[at * M + k], high = scaled[at * M + k];
            lower[at * M + k] = lower[j * M + k];
            lower[j * M + k] = low;
            scaled[at * M + k] = scaled[j * M + k];
            scaled[j * M + k] = high;
        }
        kept[j] = (number)(best > RANK_TOLERANCE);
        inverse[j] = kept[j] / (kept[j] != 0.0 ? rest[row] : 1.0);
        rank += kept[j];
        for (int i = j + 1; i < M; ++i) {
            number value = a[row * M + order[i]];
            for (int k = 0; k < j; ++k) value -= scaled[i * M + k] * lower[j * M + k];
            scaled[i * M + j] = value;
            lower[i * M + j] = value * inverse[j];
            rest[order[i]] -= lower[i * M + j] * value;
        }
    }
    number normal[M * M], triangle[M * M], pivots[M], direct[M], w[M];
    for (int j = 0; j < M; ++j)
        for (int i = 0; i <= j; ++i) {
            number total = i < j ? lower[j * M + i] * kept[j] : 1.0;
            for (int k = j + 1; k < M; ++k) total += lower[k * M + i] * lower[k * M + j];
            normal[i * M + j] = total;
        }
"""
    + FACTOR.format(matrix="normal", lower="triangle", inverse="pivots", limit="pivots[j] = 1.0 / pivot;")
    + """\
    for (int i = 0; i < M; ++i) {
        direct[i] = w[i] = r[order[i]];
        for (int k = 0; k < i; ++k) direct[i] -= lower[i * M + k] * direct[k];
        for (int k = i + 1; k < M; ++k) w[i] += lower[k * M + i] * r[order[k]];
    }
"""
    + SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")
    + """\
    for (int i = 0; i < M; ++i) direct[i] = w[i] = (rank > M - 0.5 ? direct[i] : w[i]) * inverse[i];
    for (int i = M - 1; i >= 0; --i)
        for (int k = i + 1; k < M; ++k) direct[i] -= lower[k * M + i] * direct[k];
"""
)

ONE_RANGE_SOLVE = (
    ONE_SEMIDEFINITE
    + """\
    for (int i = 0; i < M; ++i) x[order[i]] = direct[i];
    x[M] = rank;
"""
)

ONE_TRUNCATED_SOLVE = (
    ONE_SEMIDEFINITE
    + SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")
    + """\
    for (int i = 0; i < M; ++i) {
        number least = w[i];
        for (int k = 0; k < i; ++k) least += lower[i * M + k] * w[k];
        x[order[i]] = rank > M - 0.5 ? direct[i] : least;
    }
    x[M] = rank;
"""
)

# ---------------------------------------------------------------- lanes

LANES_SEMIDEFINITE = (
    """\
    /* L and 1/D, the most independent row next: row[j] is the j-th of them, and rows keep their places meanwhile */
    number rest[M * M], column[M * M], across[M], inverse[M], kept[M], share[M], open[M], rank = splat(0);
    place row[M];
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < M; ++k) rest[i * M + k] = a[i < k ? i * M + k : k * M + i];
        share[i] = splat(1) / choose(less(splat(0), a[i * M + i]), a[i * M + i], splat(1));
        open[i] = splat(1);
    }
    for (int j = 0; j < M; ++j) {
        number best = splat(-INFINITY);
        row[j] = spot(0);
        for (int i = 0; i < M; ++i) {
            const number other = choose(open[i], rest[i * M + i] * share[i], splat(-INFINITY));
            row[j] = choose_spot(less(best, other), spot(i), row[j]);
            best = choose(less(best, other), other, best);
        }
        for (int i = 0; i < M; ++i) across[i] = at(rest + i * M, M, row[j]);
        kept[j] = less(splat(RANK_TOLERANCE), best);
        inverse[j] = kept[j] / choose(kept[j], at(across, M, row[j]), splat(1));
        rank += kept[j];
        put(open, M, row[j], splat(0));
        for (int i = 0; i < M; ++i) {
            column[j * M + i] = across[i] * inverse[j] * open[i];
            for (int k = 0; k < M; ++k) rest[i * M + k] -= column[j * M + i] * across[k];
        }
    }

    /* N = L^T L; columns that do not count keep a 1 on its diagonal and are silenced by their inverse pivot, 0 */
    number normal[M * M], scaled[M * M], triangle[M * M], pivots[M];
    for (int j = 0; j < M; ++j)
        for (int i = 0; i <= j; ++i) {
            number total = i < j ? at(column + i * M, M, row[j]) * kept[j] : splat(1);
            for (int k = 0; k < M; ++k) total += column[i * M + k] * column[j * M + k];
            normal[i * M + j] = total;
        }
"""
    + FACTOR.format(matrix="normal", lower="triangle", inverse="pivots", limit="pivots[j] = splat(1) / pivot;")
    + """\

    /* w = D^-1 L^-1 r at full rank, D^-1 N^-1 L^T r below it */
    const number full = less(splat(M - 0.5), rank);
    number y[M], direct[M], w[M];
    for (int i = 0; i < M; ++i) y[i] = r[i];
    for (int j = 0; j < M; ++j) {
        direct[j] = at(y, M, row[j]);
        w[j] = at(r, M, row[j]);
        for (int i = 0; i < M; ++i) {
            y[i] -= column[j * M + i] * direct[j];
            w[j] += column[j * M + i] * r[i];
        }
    }
"""
    + SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")
    + """\
    for (int j = 0; j < M; ++j) w[j] = choose(full, direct[j], w[j]) * inverse[j];

    /* x = L^-T w */
    for (int i = 0; i < M; ++i) x[i] = splat(0);
    for (int j = M - 1; j >= 0; --j) {
        number total = w[j];
        for (int i = 0; i < M; ++i) total -= column[j * M + i] * x[i];
        put(x, M, row[j], total);
    }
    x[M] = rank;
"""
)

LANES_LEAST = (
    """\

    /* below full rank the least x: L N^-1 w */
"""
    + SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")
    + """\
    for (int j = 0; j < M; ++j) put(y, M, row[j], w[j]);
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < M; ++j) y[i] += column[j * M + i] * w[j];
        x[i] = choose(full, x[i], y[i]);
    }
"""
)

# ---------------------------------------------------------------- in print

ONE = {"ldlt_solve": LDLT_SOLVE, "range_solve": ONE_RANGE_SOLVE, "truncated_solve": ONE_TRUNCATED_SOLVE}
LANES = {
    "ldlt_solve": LDLT_SOLVE,
    "range_solve": LANES_SEMIDEFINITE,
    "truncated_solve": LANES_SEMIDEFINITE + LANES_LEAST,
}


def for_one(kernel: str, size: int, precision: Precision) -> str:
    """A kernel for this many rows as a static C function on one state's numbers."""
    words = {"number": "double", "larger": "fmax", "splat": "", "RANK_TOLERANCE": repr(TOLERANCE[precision])}
    if precision == "single":
        words |= {"number": "float", "larger": "fmaxf", "RANK_TOLERANCE": f"{TOLERANCE[precision]!r}f"}
        words |= {text: f"{text}f" for text in ("0.0", "0.5", "1.0")}
    return re.sub(r"\b[\w.]+\b", lambda match: words.get(match[0], match[0]), _function(ONE, kernel, size))


def for_lanes(kernel: str, size: int) -> str:
    """The same on lanes; `#define RANK_TOLERANCE` must stand before it."""
    return _function(LANES, kernel, size)


def _function(bodies: dict[str, str], kernel: str, size: int) -> str:
    return "\n".join(
        [
            f"/* {KERNELS[kernel].meaning}; {size} rows */",
            f"static void {kernel}_{size}(const number *restrict a, const number *restrict r, number *restrict x)",
            "{",
            f"    enum {{ M = {size} }};",
            bodies[kernel] + "}",
            "",
        ]
    )
