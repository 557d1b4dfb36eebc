"""tree_pairs, tree_symmetric, tree_factor and tree_solve in C, MATLAB and Maxima.

No index depends on the numbers. For one state factor and solve are written out (tree_written_out.py). In lanes, as many
columns as registers hold are carried through all rows of the tree. On a GPU every loop of few rows vanishes.
"""

from collections.abc import Sequence

from motionc.program.kernels import Call
from motionc.targets.kernels.text import Form, KernelText, data, register
from motionc.targets.kernels.tree_written_out import factor, solve

VECTORS = """\
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O3")))
#endif"""
"""Whatever effort the rest is worth, loops over columns are vectors."""

PAIRS = """\
    enum {{ W = {columns}, CUT = {cut} }};
    static const int from[M] = {{{starts}}}, beyond[M] = {{{beyond}}}, to[M] = {{{ends}}};
    for (int i = 0; i < M * M; ++i) x[i] = splat(0);
    for (int i = 0; i < M; ++i) {{
        for (int j = beyond[i]; j < to[i]; ++j) {{
            number sum = a[i * W] * r[j];
            for (int k = 1; k < CUT; ++k) sum += a[i * W + k] * r[k * M + j];
            x[i * M + j] = sum;
        }}
        for (int j = from[i]; j < to[i]; ++j) {{
            number sum = a[i * W + CUT] * r[CUT * M + j];
            for (int k = CUT + 1; k < W; ++k) sum += a[i * W + k] * r[k * M + j];
            x[j * M + i] = sum;
        }}
    }}
"""

SYMMETRIC = """\
    enum {{ W = {columns} }};
    static const int to[M] = {{{ends}}};
    for (int i = 0; i < M * M; ++i) x[i] = splat(0);
    for (int i = 0; i < M; ++i)
        for (int j = i; j < to[i]; ++j) {{
            number sum = a[i * W] * r[j];
            for (int k = 1; k < W; ++k) sum += a[i * W + k] * r[k * M + j];
            x[i * M + j] = sum;
            x[j * M + i] = sum;
        }}
"""

FACTOR = """\
    static const int parent[M] = {{{parents}}};
    number rest[M * M];
    for (int i = 0; i < M * M; ++i) {{
        rest[i] = a[i];
        x[i] = splat(0);
    }}
    for (int k = M - 1; k >= 0; --k) {{
        const number inverse = splat(1) / rest[k * M + k];
        x[k * M + k] = inverse;
        for (int i = parent[k]; i >= 0; i = parent[i]) {{
            const number lower = rest[k * M + i] * inverse;
            for (int j = i; j >= 0; j = parent[j]) rest[i * M + j] -= lower * rest[k * M + j];
            x[k * M + i] = lower;
        }}
    }}
"""

SOLVE = """\
    enum {{ K = {columns} }};
    static const int parent[M] = {{{parents}}};
    for (int i = 0; i < M * K; ++i) x[i] = r[i];
    for (int k = M - 1; k >= 0; --k)
        for (int i = parent[k]; i >= 0; i = parent[i]) {{
            const number lower = a[k * M + i];
            for (int c = 0; c < K; ++c) x[i * K + c] -= lower * x[k * K + c];
        }}
    for (int k = 0; k < M; ++k) {{
        const number inverse = -a[k * M + k];
        for (int c = 0; c < K; ++c) x[k * K + c] *= inverse;
        for (int i = parent[k]; i >= 0; i = parent[i]) {{
            const number lower = a[k * M + i];
            for (int c = 0; c < K; ++c) x[k * K + c] -= lower * x[i * K + c];
        }}
    }}
"""

TILED_SOLVE = """\
    enum {{ K = {columns}, W = sizeof(number) / sizeof(number), N = (K + W - 1) / W, B = {blocks} }};
    enum {{ TILES = (N + {most} - 1) / {most}, T = (N + TILES - 1) / TILES }};
    static const int parent[M] = {{{parents}}}, to[M] = {{{ends}}};
    /* rows in pairs, the second the only one that hangs on the first; one that has none is taken twice */
    static const int first[B] = {{{firsts}}}, second[B] = {{{seconds}}};
    number y[M][TILES * T];
    for (int k = 0; k < M; ++k) {{
        number *row = (number *)y[k];
        for (int c = 0; c < K; ++c) row[c] = r[k * K + c];
        for (int c = K; c < TILES * T * W; ++c) row[c] = splat(0);
    }}
    for (int t = 0; t < TILES * T; t += T) {{
        for (int b = B - 1; b >= 0; --b) {{
            const int k = first[b], l = second[b];
            number p[T], q[T];
            for (int c = 0; c < T; ++c) p[c] = y[k][t + c];
            for (int c = 0; c < T; ++c) q[c] = y[l][t + c];
            for (int i = l + 1; i < to[l]; ++i) {{
                const number one = a[i * M + k], other = a[i * M + l];
                for (int c = 0; c < T; ++c) p[c] -= one * y[i][t + c];
                for (int c = 0; c < T; ++c) q[c] -= other * y[i][t + c];
            }}
            const number between = a[l * M + k];
            for (int c = 0; c < T; ++c) y[k][t + c] = p[c] - between * q[c];
            for (int c = 0; c < T; ++c) y[l][t + c] = q[c];
        }}
        for (int b = 0; b < B; ++b) {{
            const int k = first[b], l = second[b];
            const number inverse = -a[k * M + k], second_inverse = -a[l * M + l];
            number p[T], q[T];
            for (int c = 0; c < T; ++c) p[c] = inverse * y[k][t + c];
            for (int c = 0; c < T; ++c) q[c] = second_inverse * y[l][t + c];
            for (int i = parent[k]; i >= 0; i = parent[i]) {{
                const number one = a[k * M + i], other = a[l * M + i];
                for (int c = 0; c < T; ++c) p[c] -= one * y[i][t + c];
                for (int c = 0; c < T; ++c) q[c] -= other * y[i][t + c];
            }}
            const number between = a[l * M + k];
            for (int c = 0; c < T; ++c) y[l][t + c] = q[c] - between * p[c];
            for (int c = 0; c < T; ++c) y[k][t + c] = p[c];
        }}
    }}
    for (int k = 0; k < M; ++k) {{
        const number *row = (const number *)y[k];
        for (int c = 0; c < K; ++c) x[k * K + c] = row[c];
    }}
"""
"""Rows gather what others give, two at a time, so that what is loaded is used twice."""

TILE = 6
"""How many columns are carried along at most: those of two rows stay in registers."""


def _pairs(call: Call, _: Form) -> str:
    starts, beyond, ends = (_listed(call.pattern[k:-1:3]) for k in range(3))
    return PAIRS.format(columns=call.columns, cut=call.pattern[-1], starts=starts, beyond=beyond, ends=ends)


def _symmetric(call: Call, _: Form) -> str:
    return SYMMETRIC.format(columns=call.columns, ends=_listed(call.pattern))


def _factor(call: Call, form: Form) -> str:
    return factor(call) if form == "one" else FACTOR.format(parents=_listed(call.pattern))


def _solve(call: Call, form: Form) -> str:
    if form == "one":
        return solve(call)
    parents, columns = call.pattern, call.columns
    if form == "thread" or columns == 1:
        return SOLVE.format(columns=columns, parents=_listed(parents))
    ends = _ends(parents)
    pairs = _in_pairs(parents, ends)
    return TILED_SOLVE.format(
        columns=columns,
        most=TILE,
        blocks=len(pairs),
        parents=_listed(parents),
        ends=_listed(ends),
        firsts=_listed([first for first, _ in pairs]),
        seconds=_listed([second for _, second in pairs]),
    )


def _ends(parents: tuple[int, ...]) -> list[int]:
    """Of each row, where what is beyond it ends."""
    ends = [k + 1 for k in range(len(parents))]
    for k in reversed(range(len(parents))):
        if parents[k] >= 0:
            ends[parents[k]] = max(ends[parents[k]], ends[k])
    return ends


def _in_pairs(parents: tuple[int, ...], ends: list[int]) -> list[tuple[int, int]]:
    """Rows two by two where the next is the only one that hangs on a row; else a row with itself."""
    pairs, k = list[tuple[int, int]](), 0
    while k < len(parents):
        paired = k + 1 < len(parents) and parents[k + 1] == k and ends[k + 1] == ends[k]
        pairs.append((k, k + paired))
        k += 1 + paired
    return pairs


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


for _kernel, _body in {
    "tree_pairs": _pairs,
    "tree_symmetric": _symmetric,
    "tree_factor": _factor,
    "tree_solve": _solve,
}.items():
    register(KernelText(_kernel, _body, data("tree.m"), data("tree.mac"), before=VECTORS))
