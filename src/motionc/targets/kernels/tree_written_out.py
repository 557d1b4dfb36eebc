"""tree_factor and tree_solve for one state, written out row by row: which entries there are is known, and all rows of a
few columns stay in registers, or near them.

    factor    k from the last row:  L_ki = A_ki / A_kk,  A_ij -= L_ki A_kj,  i and j on its way to the root
    solve     k from the last row:  Y_i -= L_ki Y_k;  then from the first:  Y_k = - Y_k / D_k - Σ_i L_ki Y_i

Columns are `wide`, several numbers side by side; the last of them may overlap those before.
"""

from collections.abc import Iterator

from motionc.program.kernels import Call

ONE_BY_ONE = 16
"""Columns from which on they are wide."""


def factor(call: Call) -> str:
    """Numbers of the lower half, each under a name of its own."""
    lines = ["for (int i = 0; i < M * M; ++i) x[i] = 0;"]
    rows = range(call.size)
    ways = [_way(call.pattern, k) for k in rows]
    lines += [f"number a{k}_{i} = a[{k} * M + {i}];" for k in rows for i in (*ways[k], k)]
    for k in reversed(rows):
        lines.append(f"const number d{k} = 1 / a{k}_{k};")
        lines.append(f"x[{k} * M + {k}] = d{k};")
        for place, i in enumerate(ways[k]):
            lower = f"l{k}_{i}"
            lines.append(f"const number {lower} = a{k}_{i} * d{k};")
            lines += [f"a{i}_{j} -= {lower} * a{k}_{j};" for j in (*ways[k][:place], i)]
            lines.append(f"x[{k} * M + {i}] = {lower};")
    return "".join(f"    {line}\n" for line in lines)


def solve(call: Call) -> str:
    """Columns by columns, all rows of some at once."""
    wide = call.columns >= ONE_BY_ONE
    kind, at = ("wide", "wide_at") if wide else ("number", "number")
    rows, columns = range(call.size), call.columns
    head = [
        f"enum {{ K = {columns}, W = sizeof({kind}) / sizeof(number) }};",
        "/* read anew each time: what a compiler would keep instead, made wide, is more than registers hold */",
        "const number *volatile factor = a;",
        "for (int t = 0; t < K; t += W) {",
        "    const number *l = factor;",
        "    const int c = t + W <= K ? t : K - W;",
        *(f"    {kind} y{k} = *(const {at} *)(r + {k} * K + c);" for k in rows),
    ]
    tail = [*(f"    *({at} *)(x + {k} * K + c) = y{k};" for k in rows), "}"]
    return "".join(f"    {line}\n" for line in (*head, *(f"    {line}" for line in _solved(call)), *tail))


def _solved(call: Call) -> Iterator[str]:
    for k in reversed(range(call.size)):
        for i in _way(call.pattern, k):
            yield f"y{i} -= l[{k} * M + {i}] * y{k};"
    yield "l = factor;"
    for k in range(call.size):
        yield f"y{k} *= -l[{k} * M + {k}];"
        # from the root: what is known last comes last
        for i in _way(call.pattern, k):
            yield f"y{k} -= l[{k} * M + {i}] * y{i};"


def _way(parents: tuple[int, ...], k: int) -> list[int]:
    """The rows before row k, from the root on."""
    way = list[int]()
    while parents[k] >= 0:
        k = parents[k]
        way.insert(0, k)
    return way
