"""tree_pairs, tree_factor and tree_solve in C, MATLAB and Maxima.

No index depends on the numbers, so one text serves one state and lanes alike. The innermost loops run over columns
that lie side by side: compilers make vectors of them.
"""

from motionc.program.kernels import Call
from motionc.targets.kernels.text import Form, KernelText, data, register

VECTORS = """\
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O3")))
#endif"""
"""Whatever effort the rest is worth, loops over columns are vectors."""

PAIRS = """\
    enum {{ W = {columns} }};
    static const int from[M] = {{{starts}}}, to[M] = {{{ends}}};
    for (int i = 0; i < M * M; ++i) x[i] = splat(0);
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < W; ++k) {{
            const number left = a[i * W + k];
            for (int j = from[i]; j < to[i]; ++j) x[i * M + j] += left * r[k * M + j];
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
        const number inverse = a[k * M + k];
        for (int c = 0; c < K; ++c) x[k * K + c] *= inverse;
        for (int i = parent[k]; i >= 0; i = parent[i]) {{
            const number lower = a[k * M + i];
            for (int c = 0; c < K; ++c) x[k * K + c] -= lower * x[i * K + c];
        }}
    }}
"""


def _body(call: Call, _: Form) -> str:
    """With the pattern written into it."""
    if call.kernel != "tree_pairs":
        text = FACTOR if call.kernel == "tree_factor" else SOLVE
        return text.format(columns=call.columns, parents=_listed(call.pattern))
    starts, ends = call.pattern[::2], call.pattern[1::2]
    return PAIRS.format(columns=call.columns, starts=_listed(starts), ends=_listed(ends))


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


for _kernel in ("tree_pairs", "tree_factor", "tree_solve"):
    register(KernelText(_kernel, _body, data("tree.m"), data("tree.mac"), before=VECTORS))
