"""tree_factor and tree_solve for one state, in vectors: which entries there are is known when they are written.

    factor    i from the last row:  A_i -= Σ_k L_ki A_k,  L_i = A_i / A_ii,  k beyond i
    solve     k from the last row:  Y_i -= L_ki Y_k;  then from the first:  Y_k = - Y_k / D_k - Σ_i L_ki Y_i

Rows of a factor are vectors along the way from the root. A solve has all rows of some columns at once, which are
`wide`, or `eight`, several numbers side by side; the last of them may overlap those before.
"""

from collections.abc import Container, Iterator

from motionc.program.kernels import Call
from motionc.targets.kernels.tree_walk import (
    beyond,
    chains,
    filled,
    inward,
    listed,
    next_set,
    starts,
    stretches,
    text,
    way,
)

WIDEST, EIGHT = 16, 8
"""Columns from which on they are as wide as registers are, and eight at once."""
FEW = 20
"""Rows up to which a factor is written out, number by number, and a solve passes over nothing."""


def factor(call: Call) -> str:
    """L and 1/D; of few rows number by number, since vectors would be mostly empty."""
    numbers = text(number_by_number(call))
    if call.size <= FEW:
        return numbers
    return f"#if defined(__GNUC__)\n{text(_row_by_row(call))}#else\n{numbers}#endif\n"


def number_by_number(call: Call) -> Iterator[str]:
    """Numbers of the lower half, each under a name of its own."""
    rows, start = range(call.size), starts(call.pattern)
    ways = [way(call.pattern, k) for k in rows]
    yield from (f"number a{k}_{i} = a[{k} * M + {i}];" for k in rows for i in (*ways[k], k))
    for k in reversed(rows):
        yield f"const number d{k} = splat(1) / a{k}_{k};"
        yield f"x[{start[k] + len(ways[k])}] = d{k};"
        for place, i in enumerate(ways[k]):
            lower = f"l{k}_{i}"
            yield f"const number {lower} = a{k}_{i} * d{k};"
            yield from (f"a{i}_{j} -= {lower} * a{k}_{j};" for j in (*ways[k][:place], i))
            yield f"x[{start[k] + place}] = {lower};"


ROW = """\
{{
        wide p[V], q[V];
        for (int v = 0; v < V; ++v) p[v] = *(const wide_at *)(u + {i} * D + v * W), q[v] = (wide){{0}};
{taken}
        for (int v = 0; v < V; ++v) *(wide_at *)(u + {i} * D + v * W) = p[v] += q[v];
        const number inverse = 1 / u[{i} * D + {e}];
        for (int v = 0; v < V; ++v) *(wide_at *)(l + {i} * D + v * W) = p[v] * inverse;
        l[{i} * D + {e}] = inverse;
        for (int k = 0; k <= {e}; ++k) x[{start} + k] = l[{i} * D + k];
    }}"""
TAKEN = "for (int v = 0; v < V; ++v) {sum}[v] -= l[{k} * D + {e}] * *(const wide_at *)(u + {k} * D + v * W);"


def _row_by_row(call: Call) -> Iterator[str]:
    """Each row with what all that is beyond it takes off, then divided by its last number."""
    ways, after, place = [way(call.pattern, k) for k in range(call.size)], beyond(call.pattern), starts(call.pattern)
    room = -(-max(len(each) + 1 for each in ways) // 16) * 16
    yield "/* rows from the root on, with room for vectors: as they are, and divided by their last number */"
    yield f"enum {{ D = {room}, W = sizeof(wide) / sizeof(number), V = D / W }};"
    yield "number u[M * D], l[M * D];"
    yield "for (int i = 0; i < M * D; ++i) u[i] = 0;"
    for chain in chains(call.pattern):
        for start, end, at in stretches([*ways[chain.start], *chain]):
            copied = f"for (int k = {chain.start}; k < {chain.stop}; ++k) for (int i = 0; i < {end - start}; ++i)"
            yield f"{copied} u[k * D + {at} + i] = a[k * M + {start} + i];"
    for i in inward(call.pattern):
        e, (chain,) = len(ways[i]), [each for each in chains(call.pattern) if i in each]
        taken = list[str]()
        for start, end, _ in stretches([k for k in after[i] if k >= chain.stop]):
            both = [TAKEN.format(sum=total, k=k, e=e) for total, k in (("p", "k"), ("q", "(k + 1)"))]
            taken += [f"for (int k = {start}; k + 1 < {end}; k += 2) {{", *(f"    {line}" for line in both), "}"]
            taken += [TAKEN.format(sum="p", k=end - 1, e=e)] * ((end - start) % 2)
        taken += [TAKEN.format(sum="pq"[k % 2], k=k, e=e) for k in reversed(range(i + 1, chain.stop))]
        yield ROW.format(i=i, e=e, start=place[i], taken="\n".join(f"        {line}" for line in taken))


# ---------------------------------------------------------------- solves


def solve(call: Call) -> str:
    """Columns by columns, all rows of some at once; chains of rows that are empty there have nothing to pass on."""
    if call.columns < EIGHT:
        return text(_solved(call, "number", "number", {}))
    kind = "wide" if call.columns >= WIDEST else "eight"
    spared, full = dict[int, list[int]](), filled(call)
    for chain in chains(call.pattern):
        there = [any(full[k][c] for k in chain) for c in range(call.columns)]
        passes_on = len(chain) > 1 or call.pattern[chain.start] >= 0
        if call.size > FEW and passes_on and not all(there):
            spared[chain.start] = next_set(there)[:-1]
    return text(_solved(call, kind, f"{kind}_at", spared))


def _solved(call: Call, kind: str, at: str, spared: dict[int, list[int]]) -> Iterator[str]:
    rows, start = range(call.size), starts(call.pattern)
    yield f"enum {{ K = {call.columns}, W = sizeof({kind}) / sizeof(number) }};"
    if spared:
        yield "/* of chains of rows, by the first one: from each column on, the next where they are not empty */"
        yield from (f"static const short from_{k}[K] = {{{listed(starts)}}};" for k, starts in spared.items())
    yield "/* read anew each time: what a compiler would keep instead, made wide, is more than registers hold */"
    yield "const number *volatile factor = a;"
    yield "for (int t = 0; t < K; t += W) {"
    yield "    const number *l = factor;"
    yield "    const int c = t + W <= K ? t : K - W;"
    yield from (f"    {kind} y{k} = *(const {at} *)(r + {k} * K + c);" for k in rows)
    yield from (f"    {line}" for line in _passed_on(call, spared))
    yield "    l = factor;"
    for k in rows:
        before = way(call.pattern, k)
        yield f"    y{k} *= -l[{start[k] + len(before)}];"
        # from the root: what is known last comes last
        yield from (f"    y{k} -= l[{start[k] + e}] * y{i};" for e, i in enumerate(before))
    yield from (f"    *({at} *)(x + {k} * K + c) = y{k};" for k in rows)
    yield "}"


def _passed_on(call: Call, spared: Container[int]) -> Iterator[str]:
    """What rows pass on to those before them, first to the nearest, which waits for it."""
    start = starts(call.pattern)
    for chain in reversed(chains(call.pattern)):
        places = [(k, e, i) for k in reversed(chain) for e, i in reversed([*enumerate(way(call.pattern, k))])]
        lines = [f"y{i} -= l[{start[k] + e}] * y{k};" for k, e, i in places]
        if chain.start in spared:
            yield f"if (from_{chain.start}[c] < c + W) {{"
            yield from (f"    {line}" for line in lines)
            yield "}"
        else:
            yield from lines
