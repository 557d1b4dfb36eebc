"""How bounds are met: of all ways to go that leave bound entries where they are, the best, level after level.

Entries at their bounds are rows Vᵢ z = 0. What is cheapest meets them: the last level as far as its coordinates can,
what these leave the level before it.

    eliminate   a row v less those p that level k meets already:  row -= row_p (v·v_p / v_p·v_p)ₖ;  k meets it if it is
                distinct then, else levels before k do
    meet        from the first level on zₖ = tₖ + Σ v_p f_p of rows that k meets, whatever those before it do to them
    pull        f such that zₖ - tₖ = Vₖᵀ f, and no level after k has a part: how level k would not have it

Columns differ in length by as much as rows are dependent: what rounding has left along the longest is taken by doing it
twice.
"""

from dataclasses import dataclass

from motionc.program.kernels.box_basis import Basis
from motionc.program.kernels.scalars import Scalar, absolute, dot

DISTINCT = 1e-11
"""A row whose entries are all below this share of what was added up to them, at most, depends on those before it."""


@dataclass(slots=True)
class _Row:
    """Of a bound entry: what is left of its row, how exact that is, which level meets it, and how strongly; how much of
    it was taken from rows after it.
    """

    entry: int
    values: list[Scalar]
    rough: Scalar
    taken: dict[int, Scalar]
    level: int = -1
    force: Scalar = 0.0


@dataclass(slots=True)
class Met:
    """Rows of bound entries, and where meeting them leads."""

    rows: list[_Row]
    go: list[Scalar]

    def pull(self, k: int) -> list[Scalar]:
        """How level k would have each bound entry move, levels after it indifferent."""
        pull: list[Scalar] = [0.0] * len(self.go)
        levels = sorted({row.level for row in self.rows if row.level >= k})
        for row in [row for level in levels for row in reversed(self.rows) if row.level == level]:
            rest: Scalar = 0.0 - row.force if row.level == k else 0.0
            for i, share in row.taken.items():
                rest = rest - share * pull[i]
            pull[row.entry] = rest
        return pull


def meet(basis: Basis, bound: list[int], aims: list[Scalar]) -> Met:
    """The best with these entries at their bounds, in the order in which they came there, on the way to `aims`."""
    n, met = len(aims), list[_Row]()
    for i in bound:
        row = _Row(i, list(basis.V[i]), basis.alone[i], {})
        _find_level(basis, met, row)
        met.append(row)

    # from the first level on what that takes
    z: list[Scalar] = [0.0] * n
    for k, (start, end) in enumerate(basis.columns):
        mine = [row for row in met if row.level == k]
        left = [0.0 - dot(row.values, z) for row in mine]
        z[start:end] = aims[start:end]
        for row, rest in [*zip(mine, left, strict=True)] * 2:
            own = row.values[start:end]
            force = (rest - dot(own, z[start:end])) / dot(own, own)
            row.force = row.force + force
            z[start:end] = [entry + force * other for entry, other in zip(z[start:end], own, strict=True)]
    return Met(met, [dot(row, z) for row in basis.V])


def _find_level(basis: Basis, met: list[_Row], row: _Row) -> None:
    """Which level meets a row, those before it taken from it; none where it depends on them altogether."""
    for k in reversed(range(len(basis.columns))):
        start, end = basis.columns[k]
        for other in [other for other in met if other.level == k] * 2:
            own = other.values[start:end]
            share = dot(row.values[start:end], own) / dot(own, own)
            row.values = [entry - share * taken for entry, taken in zip(row.values, other.values, strict=True)]
            row.rough = row.rough + absolute(share) * other.rough
            other.taken[row.entry] = other.taken.get(row.entry, 0.0) + share
        if any(absolute(row.values[c]) > DISTINCT * row.rough * basis.scale[c] for c in range(start, end)):
            row.level = k
            return
