"""tree_pairs, tree_symmetric, tree_factor and tree_solve in C, MATLAB and Maxima.

No index depends on the numbers. For one state they are vectors of their own (tree_pairs_one.py, tree_solve_one.py). In
lanes, as many columns as registers hold are carried through all rows of the tree. On a GPU every loop of few rows
vanishes.
"""

from motionc.program.kernels import Call
from motionc.targets.kernels import tree_lanes, tree_solve_one
from motionc.targets.kernels.text import Form, KernelText, data, register
from motionc.targets.kernels.tree_pairs_one import Ranges, in_vectors
from motionc.targets.kernels.tree_walk import listed, starts, way

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
    static const int parent[M] = {{{parents}}}, last[M] = {{{lasts}}};
    number rest[M * M];
    for (int i = 0; i < M * M; ++i) rest[i] = a[i];
    for (int k = M - 1; k >= 0; --k) {{
        const number inverse = splat(1) / rest[k * M + k];
        x[last[k]] = inverse;
        for (int i = parent[k], e = last[k] - 1; i >= 0; i = parent[i], --e) {{
            const number lower = rest[k * M + i] * inverse;
            for (int j = i; j >= 0; j = parent[j]) rest[i * M + j] -= lower * rest[k * M + j];
            x[e] = lower;
        }}
    }}
"""

SOLVE = """\
    enum {{ K = {columns} }};
    static const int parent[M] = {{{parents}}}, last[M] = {{{lasts}}};
    for (int i = 0; i < M * K; ++i) x[i] = r[i];
    for (int k = M - 1; k >= 0; --k)
        for (int i = parent[k], e = last[k] - 1; i >= 0; i = parent[i], --e)
            for (int c = 0; c < K; ++c) x[i * K + c] -= a[e] * x[k * K + c];
    for (int k = 0; k < M; ++k) {{
        const number inverse = -a[last[k]];
        for (int c = 0; c < K; ++c) x[k * K + c] *= inverse;
        for (int i = parent[k], e = last[k] - 1; i >= 0; i = parent[i], --e)
            for (int c = 0; c < K; ++c) x[k * K + c] -= a[e] * x[i * K + c];
    }}
"""
"""What is on the ways of rows stands from the root on: the diagonal last."""


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
    match form:
        case "one":
            return tree_solve_one.factor(call)
        case "lanes":
            return tree_lanes.factor(call)
        case "thread":
            return FACTOR.format(parents=listed(call.pattern), lasts=_lasts(call))


def _solve(call: Call, form: Form) -> str:
    match form:
        case "one":
            return tree_solve_one.solve(call)
        case "lanes":
            return tree_lanes.solve(call)
        case "thread":
            return SOLVE.format(columns=call.columns, parents=listed(call.pattern), lasts=_lasts(call))


def _lasts(call: Call) -> str:
    """Where the diagonal is."""
    return listed([start + len(way(call.pattern, k)) for k, start in enumerate(starts(call.pattern))])


for _kernel, _body in {
    "tree_pairs": _pairs,
    "tree_symmetric": _symmetric,
    "tree_factor": _factor,
    "tree_solve": _solve,
}.items():
    register(KernelText(_kernel, _body, data("tree.m"), data("tree.mac"), before=VECTORS))
