"""The semidefinite solves in C for lanes and for a GPU's thread: rows change places by choosing, since no index may
depend on the numbers.

What is for rows that depend on each other is left out where all lanes, or a thread's one, are of full rank, `here` in
this block or in `all` of them: threads of a warp that differ in it wait for each other.
"""

from motionc.targets.kernels.semidefinite_parts import FACTOR_NORMAL, SOLVE_NORMAL, Parts
from motionc.targets.kernels.text import indented

EXCHANGE_START = """\
    /* L and 1/D, the largest pivot next: rest is the lower triangle of what is left, moved says which rows changed */
    number rest[M * M], lower[M * M], scaled[M * M], moved[M * M], inverse[M], kept[M];
    number bound[M], own[M], early[M];
    number normal[M * M], triangle[M * M], pivots[M];
    number rank = splat(0), condition = splat(1), largest = splat(0.01);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k <= i; ++k) rest[i * M + k] = a[k * M + i];
        for (int k = 0; k < M; ++k) moved[i * M + k] = splat(0);
        own[i] = a[i * M + i];
        early[i] = splat(1.0 - TIE * i);
    }
    BOUNDS
"""

EXCHANGE_TAKE = """\
    number left[M], direct[M], w[M];
    for (int i = 0; i < M; ++i) left[i] = r[i];
    int all = 1;
"""

EXCHANGE_FACTOR = """\
    number independent = splat(0);
    for (int j = S; j < E; ++j) {
        number best = rest[j * M + j] * early[j] - bound[j];
        for (int i = j + 1; i < E; ++i) {
            const number other = rest[i * M + i] * early[i] - bound[i], better = less(best, other);
            best = choose(better, other, best);
            moved[i * M + j] = better;
            exchange(better, rest + j * M + j, rest + i * M + i);
            for (int k = 0; k < j; ++k) exchange(better, lower + j * M + k, lower + i * M + k);
            for (int k = j + 1; k < i; ++k) exchange(better, rest + k * M + j, rest + i * M + k);
            for (int k = i + 1; k < M; ++k) exchange(better, rest + k * M + j, rest + k * M + i);
            exchange(better, bound + j, bound + i);
            exchange(better, own + j, own + i);
            exchange(better, early + j, early + i);
        }
        kept[j] = less(splat(0), best)AT_MOST;
        inverse[j] = kept[j] / choose(kept[j], rest[j * M + j], splat(1));
        independent += kept[j];
        condition = larger(condition, own[j] * inverse[j]);
        const number spread = (bound[j] - splat(RANK_TOLERANCE - NOISE) * own[j]) * inverse[j];
        for (int i = j + 1; i < M; ++i) {
            MOVED
            lower[i * M + j] = rest[i * M + j] * inverse[j];
            bound[i] += lower[i * M + j] * rest[i * M + j] * spread;
            for (int k = j + 1; k <= i; ++k) rest[i * M + k] -= lower[i * M + j] * rest[k * M + j];
        }
    }
    rank += independent;
"""

EXCHANGE_MOVED = """\
    /* heavy rows make much of rounding: what depends on rows before is not moved by it */
    const number entry = rest[i * M + j], faint = (bound[i] - splat(RANK_TOLERANCE - NOISE) * own[i]) * spread;
    const number counts = larger(less(bound[i], rest[i * M + i]), less(faint, entry * entry * inverse[j]));
    rest[i * M + j] = choose(counts, entry, splat(0));
"""

EXCHANGE_NORMAL = (
    """\
    /* N = L^T L; columns that do not count keep a 1 on its diagonal and are silenced by their inverse pivot, 0 */
    for (int j = S; j < E; ++j)
        for (int i = S; i <= j; ++i) {
            number total = i < j ? lower[j * M + i] * kept[j] : splat(1);
            for (int k = j + 1; k < E; ++k) total += lower[k * M + i] * lower[k * M + j];
            normal[i * M + j] = total;
        }
"""
    + FACTOR_NORMAL
)

EXCHANGE_RIGHT = (
    """\

    /* w = L^-1 r at full rank, N^-1 L^T r below it, r being what earlier blocks leave */
    for (int j = S; j < E; ++j)
        for (int i = j + 1; i < E; ++i) exchange(moved[i * M + j], left + j, left + i);
    for (int i = S; i < E; ++i) {
        for (int k = 0; k < S; ++k) left[i] -= lower[i * M + k] * w[k];
        direct[i] = left[i];
        for (int k = S; k < i; ++k) direct[i] -= lower[i * M + k] * direct[k];
        w[i] = direct[i];
    }
    const number full = less(splat(E - S - 0.5), independent);
    const int here = everywhere(full);
    all &= here;
    if (!here) {
        NORMAL
        for (int i = S; i < E; ++i) {
            w[i] = left[i];
            for (int k = i + 1; k < E; ++k) w[i] += lower[k * M + i] * left[k];
        }
"""
    + indented(SOLVE_NORMAL)
    + """\
        for (int i = S; i < E; ++i) w[i] = choose(full, direct[i], w[i]);
    }
"""
)

BACK = """\
    for (int j = M - 1; j >= 0; --j)
        for (int i = M - 1; i > j; --i) exchange(moved[i * M + j], x + j, x + i);
"""
"""Rows of x back to where they came from."""

EXCHANGE_ANSWER = (
    """\
    /* x = L^-T D^-1 w */
    for (int i = M - 1; i >= 0; --i) {
        direct[i] = w[i] *= inverse[i];
        for (int k = i + 1; k < M; ++k) direct[i] -= lower[k * M + i] * direct[k];
        x[i] = direct[i];
    }
"""
    + BACK
    + """\
    x[M] = rank;
    x[M + 1] = condition;
    (void)all;
"""
)

EXCHANGE_LEAST = (
    """\
    /* below full rank the least x: L N^-1 D^-1 w */
    if (!all) {
        NORMAL
"""
    + indented(SOLVE_NORMAL)
    + """\
        number least[M];
        for (int i = 0; i < M; ++i) {
            least[i] = w[i];
            for (int k = 0; k < i; ++k) least[i] += lower[i * M + k] * w[k];
        }
        number far = splat(0), whole = splat(1);
        MADE_UP
        const number stays = larger(less(splat(M - 0.5), rank), splat(1) - less(far, splat(LOST) * whole));
        for (int i = 0; i < M; ++i) x[i] = choose(stays, direct[i], least[i]);
"""
    + indented(BACK)
    + """\
    }
"""
)

EXCHANGE_MADE_UP = """\
    /* what that does otherwise than x is made up for */
    whole = splat(0);
    for (int k = M - 1; k >= 0; --k) {
        number more = direct[k] - least[k];
        for (int i = k + 1; i < M; ++i) more += lower[i * M + k] * (direct[i] - least[i]);
        more *= kept[k];
        least[k] += more;
        far = larger(far, magnitude(more));
        whole = larger(whole, magnitude(direct[k]));
    }
"""

EXCHANGE_INVERSE = (
    """\
    /* H = L^-1 at full rank, N^-1 L^T below it; A^+ = H^T D^-1 H, its rows where they came from */
    number order[M], h[M * M];
    for (int i = 0; i < M; ++i) order[i] = splat(i);
    for (int j = 0; j < M; ++j)
        for (int i = j + 1; i < M; ++i) exchange(moved[i * M + j], order + j, order + i);
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < M; ++k) {
            h[i * M + k] = equal(order[k], splat(i));
            for (int l = 0; l < k; ++l) h[i * M + k] -= lower[k * M + l] * h[i * M + l];
        }
    const number full = less(splat(M - 0.5), rank);
    if (!everywhere(full)) {
        NORMAL
        for (int i = 0; i < M; ++i) {
            number w[M];
            for (int k = 0; k < M; ++k) {
                w[k] = equal(order[k], splat(i));
                for (int l = k + 1; l < M; ++l) w[k] += lower[l * M + k] * equal(order[l], splat(i));
            }
"""
    + indented(indented(SOLVE_NORMAL))
    + """\
            for (int k = 0; k < M; ++k) h[i * M + k] = choose(full, h[i * M + k], w[k]);
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

EXCHANGE_MOST = " * less(rank + independent, splat({most} - 0.5))"

EXCHANGE = Parts(
    EXCHANGE_START,
    EXCHANGE_TAKE,
    EXCHANGE_FACTOR,
    EXCHANGE_NORMAL,
    EXCHANGE_RIGHT,
    EXCHANGE_ANSWER,
    EXCHANGE_LEAST,
    EXCHANGE_MADE_UP,
    EXCHANGE_INVERSE,
    EXCHANGE_MOVED,
    EXCHANGE_MOST,
)
