"""tree_factor and tree_solve in lanes: numbers are vectors of states, so that each is a line of memory.

    factor    i from the last row:  A_i -= Σ_k L_ki A_k,  L_i = A_i / A_ii,  k beyond i
    solve     k from the last row:  Y_i -= L_ki Y_k;  then from the first:  Y_k = - Y_k / D_k - Σ_i L_ki Y_i

A solve goes chain by chain, and with each through its columns: rows of a chain and those before it stay in registers.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from motionc.program.kernels import Call
from motionc.targets.kernels.tree_solve_one import FEW, number_by_number
from motionc.targets.kernels.tree_walk import beyond, chains, filled, listed, starts, stretches, text, way

AT_ONCE = 8
"""Numbers of a row that are carried along at once: with those of another, and what is read, registers hold them."""

FACTOR = """\
    /* rows from the root on, with room for so many numbers at once */
    enum {{ D = {room}, T = {at_once} }};
    static const short depth[M] = {{{depths}}}, start[M] = {{{starts}}};
    /* of each row those beyond it, one row's behind the other's */
    static const short from[M + 1] = {{{firsts}}}, beyond[] = {{{beyond}}};
    static const short way[M][D] = {{
{ways}
    }};
    number u[M * D];
    for (int i = 0; i < M; ++i) {{
        for (int e = 0; e <= depth[i]; ++e) u[i * D + e] = a[i * M + way[i][e]];
        for (int e = depth[i] + 1; e < D; ++e) u[i * D + e] = splat(0);
    }}
    for (int i = M - 1; i >= 0; --i) {{
        for (int s = 0; s <= depth[i]; s += T) {{
            number p[T];
            for (int c = 0; c < T; ++c) p[c] = u[i * D + s + c];
            for (int j = from[i]; j < from[i + 1]; ++j) {{
                const int k = beyond[j];
                const number lower = x[start[k] + depth[i]];
                for (int c = 0; c < T; ++c) p[c] -= lower * u[k * D + s + c];
            }}
            for (int c = 0; c < T; ++c) u[i * D + s + c] = p[c];
        }}
        const number inverse = splat(1) / u[i * D + depth[i]];
        for (int e = 0; e < depth[i]; ++e) x[start[i] + e] = u[i * D + e] * inverse;
        x[start[i] + depth[i]] = inverse;
    }}
"""


def factor(call: Call) -> str:
    """Each row with what all that is beyond it takes off, then divided by its last number; of few rows written out."""
    if call.size <= FEW:
        return text(number_by_number(call))
    ways, after = [way(call.pattern, k) for k in range(call.size)], beyond(call.pattern)
    room = -(-max(len(each) + 1 for each in ways) // AT_ONCE) * AT_ONCE
    rows = [f"        {{{listed([*each, k])}}}" for k, each in enumerate(ways)]
    return FACTOR.format(
        room=room,
        at_once=AT_ONCE,
        depths=listed([len(each) for each in ways]),
        firsts=listed(accumulate(map(len, after), initial=0)),
        # no array is empty in C
        beyond=listed([k for rows in after for k in rows] or [0]),
        starts=listed(starts(call.pattern)),
        ways=",\n".join(rows),
    )


def solve(call: Call) -> str:
    """Y is x itself; columns in which a chain's rows are empty have nothing to pass on."""
    return text(_solved(call))


def _solved(call: Call) -> Iterator[str]:
    full, everywhere = filled(call), [range(call.columns)]
    yield f"enum {{ K = {call.columns} }};"
    yield "/* read anew each time: what a compiler would keep instead is more than registers hold */"
    yield "const number *volatile factor = a;"
    for chain in chains(call.pattern):
        if _hung_on(call, chain):
            yield f"for (int i = {chain.start} * K; i < {chain.stop} * K; ++i) x[i] = r[i];"
    for chain in reversed(chains(call.pattern)):
        there = [c for c in range(call.columns) if any(full[k][c] for k in chain)]
        yield from _through([range(start, end) for start, end, _ in stretches(there)], _passed_on(call, chain))
        if not _hung_on(call, chain):
            empty = [c for c in range(call.columns) if c not in there]
            zeros = [f"x[{k} * K + c] = splat(0);" for k in chain]
            yield from _through([range(start, end) for start, end, _ in stretches(empty)], zeros)
    for chain in chains(call.pattern):
        yield from _through(everywhere, _resolved(call, chain))


def _through(columns: Iterable[range], lines: Iterable[str]) -> Iterator[str]:
    """The same of some columns, one after the other."""
    said = list(lines)
    for some in columns:
        yield f"for (int c = {some.start}; c < {some.stop}; ++c) {{"
        yield from (f"    {line}" for line in said)
        yield "}"


def _hung_on(call: Call, chain: range) -> bool:
    """Whether some row hangs on the last one of a chain."""
    return chain[-1] in call.pattern


def _passed_on(call: Call, chain: range) -> Iterator[str]:
    """Y_i -= L_ki Y_k of the rows of a chain, the nearest i first; those on which nothing hangs are read here."""
    before, start = way(call.pattern, chain.start), starts(call.pattern)
    if before or len(chain) > 1:
        yield "const number *l = factor;"
    yield from (f"number y{i} = x[{i} * K + c];" for i in before)
    yield from (f"number y{k} = {'x' if _hung_on(call, chain) else 'r'}[{k} * K + c];" for k in chain)
    for k in reversed(chain):
        places = reversed([*enumerate(way(call.pattern, k), start[k])])
        yield from (f"y{i} -= l[{place}] * y{k};" for place, i in places)
    yield from (f"x[{k} * K + c] = y{k};" for k in (*before, *chain))


def _resolved(call: Call, chain: range) -> Iterator[str]:
    """Y_k = - Y_k / D_k - Σ_i L_ki Y_i of the rows of a chain, from the root: what is known last comes last."""
    start = starts(call.pattern)
    yield "const number *l = factor;"
    yield from (f"number y{k} = x[{k} * K + c];" for k in (*way(call.pattern, chain.start), *chain))
    for k in chain:
        before = way(call.pattern, k)
        yield f"y{k} *= -l[{start[k] + len(before)}];"
        yield from (f"y{k} -= l[{place}] * y{i};" for place, i in enumerate(before, start[k]))
    yield from (f"x[{k} * K + c] = y{k};" for k in chain)
