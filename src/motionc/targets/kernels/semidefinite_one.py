"""The semidefinite solves in C for one number: rows change places, and indices depend on the numbers.

What is for rows that depend on each other is left out at full rank.
"""

from motionc.targets.kernels.semidefinite_parts import FACTOR_NORMAL, SOLVE_NORMAL, Parts
from motionc.targets.kernels.text import indented

ONE_START = """\
    int order[M];
    number lower[M * M], scaled[M * M], inverse[M], kept[M], rest[M], bound[M], early[M];
    number rank = 0.0, condition = 1.0;
    number normal[M * M], triangle[M * M], pivots[M];
    number largest = 0.01;
    for (int i = 0; i < M; ++i) {
        order[i] = i;
        rest[i] = a[i * M + i];
        early[i] = 1.0 - TIE * i;
    }
    BOUNDS
"""

ONE_TAKE = """\
    number left[M], direct[M], w[M] = {0};
"""

ONE_NORMAL = (
    """\
    for (int j = S; j < E; ++j)
        for (int i = S; i <= j; ++i) {
            number total = i < j ? lower[j * M + i] * kept[j] : 1.0;
            for (int k = j + 1; k < E; ++k) total += lower[k * M + i] * lower[k * M + j];
            normal[i * M + j] = total;
        }
"""
    + FACTOR_NORMAL
)

ONE_FACTOR = """\
    number independent = 0.0;
    for (int j = S; j < E; ++j) {
        int at = j;
        number best = rest[j] * early[j] - bound[j];
        for (int i = j + 1; i < E; ++i) {
            const number other = rest[i] * early[i] - bound[i];
            at = other > best ? i : at;
            best = other > best ? other : best;
        }
        const int row = order[at];
        order[at] = order[j];
        order[j] = row;
        const number most = rest[at], limit = bound[at];
        rest[at] = rest[j];
        bound[at] = bound[j];
        early[at] = early[j];
        for (int k = 0; k < j; ++k) {
            const number low = lower[at * M + k], high = scaled[at * M + k];
            lower[at * M + k] = lower[j * M + k];
            lower[j * M + k] = low;
            scaled[at * M + k] = scaled[j * M + k];
            scaled[j * M + k] = high;
        }
        kept[j] = (number)(best > 0.0)AT_MOST;
        inverse[j] = kept[j] / (kept[j] != 0.0 ? most : 1.0);
        independent += kept[j];
        condition = peak(condition, a[row * M + row] * inverse[j]);
        const number spread = (limit - (RANK_TOLERANCE - NOISE) * a[row * M + row]) * inverse[j];
        for (int i = j + 1; i < M; ++i) {
            number value = a[row * M + order[i]];
            for (int k = 0; k < j; ++k) value -= scaled[i * M + k] * lower[j * M + k];
            MOVED
            scaled[i * M + j] = value;
            lower[i * M + j] = value * inverse[j];
            const number lost = lower[i * M + j] * value;
            rest[i] -= lost;
            bound[i] += lost * spread;
        }
    }
    rank += independent;
"""

ONE_MOVED = """\
    /* heavy rows make much of rounding: what depends on rows before is not moved by it */
    const number own = a[order[i] * M + order[i]];
    const number faint = (bound[i] - (RANK_TOLERANCE - NOISE) * own) * spread;
    value = rest[i] > bound[i] || value * value * inverse[j] > faint ? value : 0.0;
"""

ONE_RIGHT = (
    """\
    for (int i = S; i < E; ++i) {
        left[i] = r[order[i]];
        for (int k = 0; k < S; ++k) left[i] -= lower[i * M + k] * w[k];
    }
    if (independent > E - S - 0.5) {
        for (int i = S; i < E; ++i) {
            w[i] = left[i];
            for (int k = S; k < i; ++k) w[i] -= lower[i * M + k] * w[k];
        }
    } else {
        NORMAL
        for (int i = S; i < E; ++i) {
            w[i] = left[i];
            for (int k = i + 1; k < E; ++k) w[i] += lower[k * M + i] * left[k];
        }
"""
    + indented(SOLVE_NORMAL)
    + """\
    }
"""
)

ONE_ANSWER = """\
    for (int i = 0; i < M; ++i) direct[i] = w[i] *= inverse[i];
    for (int i = M - 1; i >= 0; --i)
        for (int k = i + 1; k < M; ++k) direct[i] -= lower[k * M + i] * direct[k];
    for (int i = 0; i < M; ++i) x[order[i]] = direct[i];
    x[M] = rank;
    x[M + 1] = condition;
"""

ONE_LEAST = (
    """\
    if (!(rank > M - 0.5)) {
        NORMAL
"""
    + indented(SOLVE_NORMAL)
    + """\
        number least[M];
        for (int i = S; i < E; ++i) {
            least[i] = w[i];
            for (int k = 0; k < i; ++k) least[i] += lower[i * M + k] * w[k];
        }
        number far = 0.0, whole = 1.0;
        MADE_UP
        for (int i = S; i < E; ++i) x[order[i]] = far < LOST * whole ? least[i] : direct[i];
    }
"""
)

ONE_MADE_UP = """\
    whole = 0.0;
    for (int k = M - 1; k >= 0; --k) {
        number more = direct[k] - least[k];
        for (int i = k + 1; i < M; ++i) more += lower[i * M + k] * (direct[i] - least[i]);
        more *= kept[k];
        least[k] += more;
        far = peak(far, magnitude(more));
        whole = peak(whole, magnitude(direct[k]));
    }
"""

ONE_INVERSE = (
    """\
    const int full = rank > M - 0.5;
    if (!full) {
        NORMAL
    }
    number h[M * M];
    for (int i = 0; i < M; ++i) {
        number *w = h + i * M;
        for (int k = 0; k < M; ++k) w[k] = k == i ? 1.0 : 0.0;
        if (full) {
            for (int k = i + 1; k < M; ++k)
                for (int l = i; l < k; ++l) w[k] -= lower[k * M + l] * w[l];
        } else {
            for (int k = 0; k < i; ++k) w[k] = lower[i * M + k];
"""
    + indented(indented(SOLVE_NORMAL))
    + """\
        }
        for (int j = 0; j <= i; ++j) {
            number total = 0.0;
            for (int k = 0; k < M; ++k) total += w[k] * inverse[k] * h[j * M + k];
            x[order[i] * M + order[j]] = total;
            x[order[j] * M + order[i]] = total;
        }
    }
    x[M * M] = rank;
    x[M * M + 1] = condition;
"""
)

ONE_MOST = " * (number)(rank + independent < {most} - 0.5)"

ONE = Parts(
    ONE_START,
    ONE_TAKE,
    ONE_FACTOR,
    ONE_NORMAL,
    ONE_RIGHT,
    ONE_ANSWER,
    ONE_LEAST,
    ONE_MADE_UP,
    ONE_INVERSE,
    ONE_MOVED,
    ONE_MOST,
)
