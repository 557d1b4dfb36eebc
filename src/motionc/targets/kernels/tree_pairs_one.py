"""tree_pairs and tree_symmetric for one state, in vectors along rows.

    P_ki = c_i · d_k   of columns i up to those of the joint of row k
    P_kj = a_k · b_j   of columns j beyond it

Rows go chain by chain. All rows of one have the same columns before them and beyond them, which are multiplied as they
are; its own columns are on either side, row by row another one. What a vector has of other columns is left out before
anything is multiplied. Where vectors are not known it is plain loops.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from motionc.targets.kernels.tree_walk import chains, listed, stretches, text, way

LEAST = 16
"""Rows from which on there are enough for any vector."""

VECTORS = """\
#if defined(__GNUC__)
    enum {{ A = {above}, C = {below}, S = {shift}, W = sizeof(wide) / sizeof(number) }};
    typedef integer bits __attribute__((vector_size(sizeof(wide))));
    typedef bits bits_at __attribute__((aligned(sizeof(integer)), may_alias));
    static const integer count[] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
    /* of each row, the first column beyond its joint */
    static const short beyond[M] = {{{beyond}}};
    const bits lane = *(const bits_at *)count;
    /* read anew each time: what a compiler would keep instead is more than registers hold */
    const number *volatile left = a, *volatile right = r;
    for (int i = 0; i < M * M; ++i) x[i] = 0;
{segments}#else
{loops}#endif
"""


class Ranges(NamedTuple):
    """Of a row: where its joint's columns start, where those beyond it start, and where they end."""

    first: int
    beyond: int
    end: int


def in_vectors(rows: Sequence[Ranges], above: int, below: int, shift: int, loops: str) -> str:
    """The body of a kernel whose columns are `above` numbers that meet those beyond, `below` that meet those before;
    the latter stand behind `shift` of the former. `loops` are what it is where there are no vectors.
    """
    m = len(rows)
    if m < LEAST:
        return loops
    parents = [max((i for i in range(k) if k < rows[i].end), default=-1) for k in range(m)]
    lines = [line for chain in chains(parents) for line in _chain(parents, rows, chain)]
    beyond = listed([row.beyond for row in rows])
    return VECTORS.format(above=above, below=below, shift=shift, beyond=beyond, segments=text(lines), loops=loops)


LEFT = "p[k] = (wide)((bits)*(const wide_at *)(f + (S + k) * M + c) & here)"
RIGHT = "q[k] = (wide)((bits)*(const wide_at *)(g + k * M + c) & here)"
BEFORE = ("wide s = p[0] * g[S * M + j];", "for (int k = 1; k < C; ++k) s += p[k] * g[(S + k) * M + j];")
BEYOND = ("wide u = q[0] * f[j];", "for (int k = 1; k < A; ++k) u += q[k] * f[k * M + j];")
OWN = ("const bits own = (bits)(column < beyond[j]);",)


def _chain(parents: Sequence[int], rows: Sequence[Ranges], chain: range) -> Iterator[str]:
    """From left to right: a vector may write zeros beyond its columns, where others come or nothing is."""
    for start, end, _ in stretches(way(parents, chain.start)):
        yield from _columns(chain, start, end, [LEFT], BEFORE, "s")
    both = "(wide)(((bits)s & own) | ((bits)u & ~own))"
    yield from _columns(chain, chain.start, chain.stop, [LEFT, RIGHT], (*BEFORE, *BEYOND, *OWN), both)
    end = rows[chain[-1]].end
    if end > chain.stop:
        yield from _columns(chain, chain.stop, end, [RIGHT], BEYOND, "u")


def _columns(
    chain: range, start: int, end: int, read: Sequence[str], multiplied: Sequence[str], product: str
) -> Iterator[str]:
    """Some columns of all rows of a chain, vector by vector; the last ones of all keep what is before them."""
    yield f"for (int t = {start}; t < {end}; t += W) {{"
    yield "    const int c = t <= M - W ? t : M - W;"
    yield "    const number *f = left, *g = right;"
    yield "    const bits column = lane + c;"
    yield f"    const bits here = (bits)(column >= t) & (bits)(column < {end});"
    if LEFT in read:
        yield f"    wide p[C];\n        for (int k = 0; k < C; ++k) {LEFT};"
    if RIGHT in read:
        yield f"    wide q[A];\n        for (int k = 0; k < A; ++k) {RIGHT};"
    yield f"    for (int j = {chain.start}; j < {chain.stop}; ++j) {{"
    yield from (f"        {line}" for line in multiplied)
    yield f"        wide product = {product};"
    yield "        if (c < t) {"
    yield "            const bits kept = (bits)(column < t);"
    yield "            product = (wide)(((bits)*(const wide_at *)(x + j * M + c) & kept) | ((bits)product & ~kept));"
    yield "        }"
    yield "        *(wide_at *)(x + j * M + c) = product;"
    yield "    }"
    yield "}"
