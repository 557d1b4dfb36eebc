"""The semidefinite solves in C where rows are far from depending on each other: L D Lᵀ in the order rows come in.

In any order the pivot of a row is at least what all others leave of it, and the shares that pivots keep of their
diagonal entries multiply to the same: det A / Π a_ii. So no pivot in any order keeps less than that product. While it
is clearly more than what counts as dependent, and than rounding can have left, the search for the largest pivot finds
full rank, and x = A⁻¹ r is the same for all orders. Lanes do it in this way each for itself: only where one of them is
in doubt all are pivoted, for that one.

How much a pivot has lost at most does depend on the order: who asks for that has rows pivoted.
"""

from textwrap import wrap

from motionc.program.kernels import Call
from motionc.targets.kernels.text import FACTOR, SUBSTITUTE

WRITTEN_OUT = 12
"""Rows up to which loops are written out: compilers do not unroll them all, and then search memory for every entry."""

SAID = """\
    /* in the order rows come in: no pivot in any order keeps less of its diagonal entry than all of them multiplied */
"""

DECIDED = """\
    const number certain = less(splat(0), slightest) * less(splat(0), lowest)
        * less(splat(4 * RANK_TOLERANCE) * lost, splat(1)) * less(splat(8 * NOISE) * lost, splat(1))
        * less(splat(4 * NOTHING) * largest * lost, slightest);
    x[M] = splat(M);
    if (!everywhere(certain)) {
        number other[M + 2];
        PIVOTED(a, r, other);
        for (int i = 0; i <= M; ++i) x[i] = choose(certain, x[i], other[i]);
    }
"""


def in_order(call: Call) -> str:
    """The body of a function that takes rows as they come, and calls the one that searches where it must."""
    m = call.size
    body = _written_out(m) if m <= WRITTEN_OUT else _loops()
    weights = call.weights or (1.0,) * m
    scales = ["" if weight == 1.0 else f"splat({1 / (weight * weight)!r}) * " for weight in weights]
    own = [f"{scale}a[{i * m + i}]" for i, scale in enumerate(scales)]
    sizes = [f"    number largest = splat(0.01), slightest = {own[0]};\n"]
    sizes += [f"    largest = peak(largest, {each});\n" for each in own]
    sizes += [f"    slightest = trough(slightest, {each});\n" for each in own[1:]]
    return SAID + body + "".join(sizes) + DECIDED


def _loops() -> str:
    kept = "\n        ".join(
        [
            "inverse[j] = splat(1) / pivot;",
            "lost *= a[j * M + j] * inverse[j];",
            "lowest = trough(lowest, pivot);",
        ]
    )
    return (
        "    enum { S = 0, E = M };\n"
        "    number lower[M * M], scaled[M * M], inverse[M], lost = splat(1), lowest = a[0];\n"
        + FACTOR.format(matrix="a", lower="lower", inverse="inverse", limit=kept)
        + "    for (int i = 0; i < M; ++i) x[i] = r[i];\n"
        + SUBSTITUTE.format(x="x", lower="lower", inverse="inverse")
    )


def _written_out(m: int) -> str:
    """The same loops, statement by statement: w = L⁻¹ r beside L, then x = L⁻ᵀ D⁻¹ w."""
    lines = list[str]()
    for j in range(m):
        row = [f"lower_{j}_{k}" for k in range(j)]
        lines.append(_less(f"pivot_{j}", f"a[{j * m + j}]", row, [f"scaled_{j}_{k}" for k in range(j)]))
        lines.append(f"inverse_{j} = splat(1) / pivot_{j}")
        for i in range(j + 1, m):
            lines.append(_less(f"scaled_{i}_{j}", f"a[{j * m + i}]", row, [f"scaled_{i}_{k}" for k in range(j)]))
            lines.append(f"lower_{i}_{j} = scaled_{i}_{j} * inverse_{j}")
        lines.append(_less(f"w_{j}", f"r[{j}]", row, [f"w_{k}" for k in range(j)]))
    for j in reversed(range(m)):
        later = range(j + 1, m)
        column = [f"lower_{i}_{j}" for i in later]
        lines.append(_less(f"x_{j}", f"w_{j} * inverse_{j}", column, [f"x_{i}" for i in later]))
    lines += [f"lost = {' * '.join(f'(a[{j * m + j}] * inverse_{j})' for j in range(m))}"]
    text = "".join(map(_statement, lines))
    text += "".join(f"    x[{j}] = x_{j};\n" for j in range(m))
    text += "    number lowest = pivot_0;\n"
    return text + "".join(f"    lowest = trough(lowest, pivot_{j});\n" for j in range(1, m))


def _less(name: str, start: str, first: list[str], second: list[str]) -> str:
    """A value less products."""
    return f"{name} = {start}" + "".join(f" - {p} * {q}" for p, q in zip(first, second, strict=True))


def _statement(line: str) -> str:
    """A constant, on as many lines as it needs."""
    told = wrap(
        f"const number {line};", 116, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False
    )
    return "\n".join(told) + "\n"
