"""ldlt_solve in C, MATLAB and Maxima: one text for one number and for lanes."""

from motionc.targets.kernels.text import FACTOR, SUBSTITUTE, KernelText, data, register

LDLT_SOLVE = (
    """\
    enum { S = 0, E = M };
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

register(KernelText("ldlt_solve", lambda call, form: LDLT_SOLVE, data("ldlt_solve.m"), data("ldlt_solve.mac")))
