"""lu_solve in C, MATLAB and Maxima. Rows change places by choosing: nothing branches on numbers."""

from motionc.program.kernels import Call
from motionc.program.kernels.lu_solve import NOT_ZERO
from motionc.targets.kernels.text import Form, KernelText, data, register

UNROLLED = 12
"""Rows up to which a GPU keeps them in registers, its loops unrolled."""

START = """\
    enum {{ K = {columns}, W = M + K }};
    number w[M * W], bound[M], inverse[M], rank = splat(0.0);
    for (int i = 0; i < M; ++i) {{
        for (int c = 0; c < M; ++c) w[i * W + c] = a[i * M + c];
        for (int c = 0; c < K; ++c) w[i * W + M + c] = r[i * K + c];
    }}
    for (int c = 0; c < M; ++c) {{
        number largest = splat(NOT_ZERO / RANK_TOLERANCE);
        for (int i = 0; i < M; ++i) {{
            const number size = magnitude(a[i * M + c]);
            largest = choose(less(largest, size), size, largest);
        }}
        bound[c] = splat(RANK_TOLERANCE) * largest;
    }}

    /* to an upper triangle, the largest entry of each column first */
    for (int {j} = 0; {j} < M; ++{j}) {{
        for (int i = {j} + 1; i < M; ++i) {{
"""

CHOOSE = """\
            const number better = less(magnitude(w[{j} * W + {j}]), magnitude(w[i * W + {j}]));
            for (int c = {j}; c < W; ++c) {{
                const number one = w[{j} * W + c], other = w[i * W + c];
                w[{j} * W + c] = choose(better, other, one);
                w[i * W + c] = choose(better, one, other);
            }}
"""

END = """\
        }}
        const number pivot = w[{j} * W + {j}], gone = less(magnitude(pivot), bound[{j}]);
        const number counts = choose(gone, splat(0.0), splat(1.0));
        inverse[{j}] = counts / choose(gone, splat(1.0), pivot);
        rank += counts;
        for (int i = {j} + 1; i < M; ++i) {{
            const number share = w[i * W + {j}] * inverse[{j}];
            for (int c = {j} + 1; c < W; ++c) w[i * W + c] -= share * w[{j} * W + c];
        }}
    }}

    /* and back */
    for (int i = M - 1; i >= 0; --i)
        for (int c = 0; c < K; ++c) {{
            number value = w[i * W + M + c];
            for (int k = i + 1; k < M; ++k) value -= w[i * W + k] * x[k * K + c];
            x[i * K + c] = value * inverse[i];
        }}
    x[M * K] = rank;
"""


def _body(call: Call, form: Form) -> str:
    """A loop over steps stays one on a GPU (cuda.py)."""
    long = form == "thread" and call.size > UNROLLED
    return (START + CHOOSE + END).format(columns=call.columns, j="step" if long else "j")


register(
    KernelText(
        "lu_solve",
        _body,
        data("lu_solve.m"),
        data("lu_solve.mac"),
        {"double": {"NOT_ZERO": NOT_ZERO}, "single": {"NOT_ZERO": 1e-37}},
        single=1e-20,
        chooses=True,
    )
)
