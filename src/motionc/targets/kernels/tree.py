"""tree_pairs, tree_symmetric, tree_factor and tree_solve in C, MATLAB and Maxima.

No index depends on the numbers. For one state they are vectors of their own (tree_pairs_one.py, tree_solve_one.py). In
lanes, as many columns as registers hold are carried through all rows of the tree. On a GPU every loop of few rows
vanishes.
"""

from motionc.program.kernels import Call
from motionc.targets.kernels.text import Form, KernelText, data, register
from motionc.targets.kernels.tree_pairs_one import Ranges, in_vectors
from motionc.targets.kernels.tree_solve_one import factor, solve
from motionc.targets.kernels.tree_walk import chains, ends, filled, listed, next_set

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
            number sum = a[i] * r[j];
            for (int k = 1; k < CUT; ++k) sum += a[k * M + i] * r[k * M + j];
            x[i * M + j] = sum;
        }}
        for (int j = from[i]; j < to[i]; ++j) {{
            number sum = a[CUT * M + i] * r[CUT * M + j];
            for (int k = CUT + 1; k < W; ++k) sum += a[k * M + i] * r[k * M + j];
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
            number sum = a[i] * r[j];
            for (int k = 1; k < W; ++k) sum += a[k * M + i] * r[k * M + j];
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
    enum {{ K = {columns}, T = {tile}, TILES = {tiles}, B = {blocks} }};
    static const int parent[M] = {{{parents}}}, to[M] = {{{ends}}};
    /* rows in pairs, the second the only one that hangs on the first; one that has none is taken twice */
    static const int first[B] = {{{firsts}}}, second[B] = {{{seconds}}};
    /* of each tile of columns, from each row on, the next that is not empty there */
    static const short next[TILES][M + 1] = {{
{next}
    }};
    for (int t = 0; t < TILES; ++t) {{
        const int s = t + 1 < TILES ? t * T : K - T;
        number y[M][T];
        for (int k = 0; k < M; ++k)
            for (int c = 0; c < T; ++c) y[k][c] = r[k * K + s + c];
        for (int b = B - 1; b >= 0; --b) {{
            const int k = first[b], l = second[b];
            number p[T], q[T];
            for (int c = 0; c < T; ++c) p[c] = y[k][c];
            for (int c = 0; c < T; ++c) q[c] = y[l][c];
            for (int i = next[t][l + 1]; i < to[l]; i = next[t][i + 1]) {{
                const number one = a[i * M + k], other = a[i * M + l];
                for (int c = 0; c < T; ++c) p[c] -= one * y[i][c];
                for (int c = 0; c < T; ++c) q[c] -= other * y[i][c];
            }}
            const number between = a[l * M + k];
            for (int c = 0; c < T; ++c) y[k][c] = p[c] - between * q[c];
            for (int c = 0; c < T; ++c) y[l][c] = q[c];
        }}
        for (int b = 0; b < B; ++b) {{
            const int k = first[b], l = second[b];
            const number inverse = -a[k * M + k], second_inverse = -a[l * M + l];
            number p[T], q[T];
            for (int c = 0; c < T; ++c) p[c] = inverse * y[k][c];
            for (int c = 0; c < T; ++c) q[c] = second_inverse * y[l][c];
            for (int i = parent[k]; i >= 0; i = parent[i]) {{
                const number one = a[k * M + i], other = a[l * M + i];
                for (int c = 0; c < T; ++c) p[c] -= one * y[i][c];
                for (int c = 0; c < T; ++c) q[c] -= other * y[i][c];
            }}
            const number between = a[l * M + k];
            for (int c = 0; c < T; ++c) y[l][c] = q[c] - between * p[c];
            for (int c = 0; c < T; ++c) y[k][c] = p[c];
        }}
        for (int k = 0; k < M; ++k)
            for (int c = 0; c < T; ++c) x[k * K + s + c] = y[k][c];
    }}
"""
"""Rows gather what others give, two at a time, so that what is loaded is used twice. The last tile may overlap the one
before it.
"""

TILE = 6
"""How many columns are carried along at most: those of two rows stay in registers."""


def _pairs(call: Call, form: Form) -> str:
    *numbers, cut = call.pattern
    rows = [Ranges(*numbers[k : k + 3]) for k in range(0, len(numbers), 3)]
    first, beyond, end = (listed(column) for column in zip(*rows, strict=True))
    loops = PAIRS.format(columns=call.columns, cut=cut, starts=first, beyond=beyond, ends=end)
    return in_vectors(rows, cut, call.columns - cut, cut, loops) if form == "one" else loops


def _symmetric(call: Call, form: Form) -> str:
    rows = [Ranges(k, k + 1, end) for k, end in enumerate(call.pattern)]
    loops = SYMMETRIC.format(columns=call.columns, ends=listed(call.pattern))
    return in_vectors(rows, call.columns, call.columns, 0, loops) if form == "one" else loops


def _factor(call: Call, form: Form) -> str:
    return factor(call) if form == "one" else FACTOR.format(parents=listed(call.pattern))


def _solve(call: Call, form: Form) -> str:
    if form == "one":
        return solve(call)
    parents, columns = call.pattern, call.columns
    if form == "thread" or columns == 1:
        return SOLVE.format(columns=columns, parents=listed(parents))
    pairs, tiles = _in_pairs(parents), -(-columns // TILE)
    tile, full = -(-columns // tiles), filled(call)
    starts = [min(t * tile, columns - tile) for t in range(tiles)]
    next_full = [next_set([any(row[start : start + tile]) for row in full]) for start in starts]
    return TILED_SOLVE.format(
        columns=columns,
        tile=tile,
        tiles=tiles,
        next=",\n".join(f"        {{{listed(row)}}}" for row in next_full),
        blocks=len(pairs),
        parents=listed(parents),
        ends=listed(ends(parents)),
        firsts=listed([first for first, _ in pairs]),
        seconds=listed([second for _, second in pairs]),
    )


def _in_pairs(parents: tuple[int, ...]) -> list[tuple[int, int]]:
    """Rows two by two where the next is the only one that hangs on a row; else a row with itself."""
    return [(k, min(k + 1, chain[-1])) for chain in chains(parents) for k in range(chain.start, chain.stop, 2)]


for _kernel, _body in {
    "tree_pairs": _pairs,
    "tree_symmetric": _symmetric,
    "tree_factor": _factor,
    "tree_solve": _solve,
}.items():
    register(KernelText(_kernel, _body, data("tree.m"), data("tree.mac"), before=VECTORS))
