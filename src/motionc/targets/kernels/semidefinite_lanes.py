"""The semidefinite solves in C for lanes: rows keep their places, since an index would differ from lane to lane.

What is for rows that depend on each other vectors leave out where all their lanes are of full rank, `here` in this
block or in `all` of them.
"""

from motionc.targets.kernels.semidefinite_parts import FACTOR_NORMAL, SOLVE_NORMAL, Parts
from motionc.targets.kernels.text import indented

LANES_START = """\
    /* L and 1/D, the largest pivot next: row[j] is the j-th of them, and rows keep their places meanwhile */
    number rest[M * M], column[M * M], across[M], inverse[M], kept[M], bound[M], open[M];
    number normal[M * M], scaled[M * M], triangle[M * M], pivots[M];
    number rank = splat(0), condition = splat(1), largest = splat(0.01);
    place row[M];
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < M; ++k) rest[i * M + k] = a[i < k ? i * M + k : k * M + i];
        open[i] = splat(1);
    }
    BOUNDS
"""

LANES_TAKE = """\
    number left[M], y[M], direct[M], w[M];
    for (int i = 0; i < M; ++i) left[i] = r[i];
    int all = 1;
"""

LANES_NORMAL = (
    """\
    /* N = L^T L; columns that do not count keep a 1 on its diagonal and are silenced by their inverse pivot, 0 */
    for (int j = S; j < E; ++j)
        for (int i = S; i <= j; ++i) {
            number total = i < j ? at(column + i * M, M, row[j]) * kept[j] : splat(1);
            for (int k = S; k < E; ++k) total += column[i * M + k] * column[j * M + k];
            normal[i * M + j] = total;
        }
"""
    + FACTOR_NORMAL
)

LANES_FACTOR = """\
    number independent = splat(0);
    for (int j = S; j < E; ++j) {
        number best = splat(-INFINITY), own = splat(0), limit = splat(0);
        row[j] = spot(S);
        for (int i = S; i < E; ++i) {
            const number ahead = rest[i * M + i] * splat(1.0 - TIE * i) - bound[i];
            const number other = choose(open[i], ahead, splat(-INFINITY)), better = less(best, other);
            row[j] = choose_spot(better, spot(i), row[j]);
            own = choose(better, a[i * M + i], own);
            limit = choose(better, bound[i], limit);
            best = choose(better, other, best);
        }
        for (int i = 0; i < M; ++i) across[i] = at(rest + i * M, M, row[j]);
        kept[j] = less(splat(0), best)AT_MOST;
        inverse[j] = kept[j] / choose(kept[j], at(across, M, row[j]), splat(1));
        independent += kept[j];
        condition = larger(condition, own * inverse[j]);
        const number spread = (limit - splat(RANK_TOLERANCE - NOISE) * own) * inverse[j];
        put(open, M, row[j], splat(0));
        for (int i = 0; i < M; ++i) {
            column[j * M + i] = across[i] * inverse[j] * open[i];
            MOVED
            bound[i] += column[j * M + i] * across[i] * spread;
            for (int k = 0; k < M; ++k) rest[i * M + k] -= column[j * M + i] * across[k];
        }
    }
    rank += independent;

"""

LANES_MOVED = """\
    /* heavy rows make much of rounding: what depends on rows before is not moved by it */
    const number faint = (bound[i] - splat(RANK_TOLERANCE - NOISE) * a[i * M + i]) * spread;
    const number counts = less(faint, column[j * M + i] * across[i]);
    column[j * M + i] *= larger(less(bound[i], rest[i * M + i]), counts);
"""

LANES_RIGHT = (
    """\

    /* w = L^-1 r at full rank, N^-1 L^T r below it, r being what earlier blocks leave */
    const number full = less(splat(E - S - 0.5), independent);
    for (int i = 0; i < M; ++i) y[i] = left[i];
    for (int j = S; j < E; ++j) {
        direct[j] = at(y, M, row[j]);
        for (int i = S; i < E; ++i) y[i] -= column[j * M + i] * direct[j];
    }
    for (int j = S; j < E; ++j) w[j] = direct[j];
    const int here = everywhere(full);
    all &= here;
    if (!here) {
        NORMAL
        for (int j = S; j < E; ++j) {
            w[j] = at(left, M, row[j]);
            for (int i = S; i < E; ++i) w[j] += column[j * M + i] * left[i];
        }
"""
    + indented(SOLVE_NORMAL)
    + """\
        for (int j = S; j < E; ++j) w[j] = choose(full, direct[j], w[j]);
    }
    for (int j = S; j < E; ++j) {
        for (int i = E; i < M; ++i) left[i] -= column[j * M + i] * w[j];
        w[j] *= inverse[j];
    }
"""
)

LANES_ANSWER = """\
    /* x = L^-T D^-1 w */
    for (int i = 0; i < M; ++i) x[i] = splat(0);
    for (int j = M - 1; j >= 0; --j) {
        number total = w[j];
        for (int i = 0; i < M; ++i) total -= column[j * M + i] * x[i];
        put(x, M, row[j], total);
    }
    x[M] = rank;
    x[M + 1] = condition;
    (void)all;
"""

LANES_LEAST = (
    """\
    /* below full rank the least x: L N^-1 D^-1 w */
    const number full = less(splat(M - 0.5), rank);
    if (!all) {
        NORMAL
"""
    + indented(SOLVE_NORMAL)
    + """\
        for (int j = 0; j < M; ++j) put(y, M, row[j], w[j]);
        for (int i = 0; i < M; ++i) {
            for (int j = 0; j < M; ++j) y[i] += column[j * M + i] * w[j];
        }
        number far = splat(0), whole = splat(1);
        MADE_UP
        const number stays = larger(full, splat(1) - less(far, splat(LOST) * whole));
        for (int i = 0; i < M; ++i) x[i] = choose(stays, x[i], y[i]);
    }
"""
)

LANES_MADE_UP = """\
    /* what that does otherwise than x is made up for */
    whole = splat(0);
    for (int j = M - 1; j >= 0; --j) {
        const number own = at(y, M, row[j]);
        number more = at(x, M, row[j]) - own;
        for (int i = 0; i < M; ++i) more += column[j * M + i] * (x[i] - y[i]);
        more *= kept[j];
        put(y, M, row[j], own + more);
        far = larger(far, magnitude(more));
        whole = larger(whole, magnitude(x[j]));
    }
"""

LANES_INVERSE = (
    """\
    /* H = L^-1 at full rank, N^-1 L^T below it; A^+ = H^T D^-1 H */
    const number full = less(splat(M - 0.5), rank);
    number h[M * M];
    for (int i = 0; i < M; ++i) {
        number y[M];
        for (int k = 0; k < M; ++k) y[k] = splat(k == i);
        for (int j = 0; j < M; ++j) {
            h[i * M + j] = at(y, M, row[j]);
            for (int k = 0; k < M; ++k) y[k] -= column[j * M + k] * h[i * M + j];
        }
    }
    const int all = everywhere(full);
    if (!all) {
        NORMAL
        for (int i = 0; i < M; ++i) {
            number y[M], w[M];
            for (int k = 0; k < M; ++k) y[k] = splat(k == i);
            for (int j = 0; j < M; ++j) w[j] = column[j * M + i] + at(y, M, row[j]);
"""
    + indented(indented(SOLVE_NORMAL))
    + """\
            for (int j = 0; j < M; ++j) h[i * M + j] = choose(full, h[i * M + j], w[j]);
        }
    }
    for (int i = 0; i < M; ++i)
        for (int j = 0; j <= i; ++j) {
            number total = splat(0);
            for (int k = 0; k < M; ++k) total += h[i * M + k] * inverse[k] * h[j * M + k];
            x[i * M + j] = total;
            x[j * M + i] = total;
        }
    x[M * M] = rank;
    x[M * M + 1] = condition;
"""
)

LANES_MOST = " * less(rank + independent, splat({most} - 0.5))"

LANES = Parts(
    LANES_START,
    LANES_TAKE,
    LANES_FACTOR,
    LANES_NORMAL,
    LANES_RIGHT,
    LANES_ANSWER,
    LANES_LEAST,
    LANES_MADE_UP,
    LANES_INVERSE,
    LANES_MOVED,
    LANES_MOST,
)
