"""How bounds are met: of all ways to go that leave bound entries where they are, the best, level after level.

Entries at their bounds are rows Vᵢ z = 0. What is cheapest meets them: the last level as far as its coordinates can,
what these leave the level before it.

    eliminate   the longest row v_p that level k can tell from those met; from all others l:
                row_l -= row_p (v_l·v_p / v_p·v_p)ₖ
    meet        from the first level on zₖ = tₖ + Σ v_p f_p of rows that k has met, whatever those before it do to them
    pull        f such that zₖ - tₖ = Vₖᵀ f, and no level after k has a part: how level k would not have it

Columns differ in length by as much as rows are dependent: what rounding has left along the longest is taken by doing it
twice.
"""

from dataclasses import dataclass

from motionc.program.kernels.box_basis import Basis
from motionc.program.kernels.scalars import Scalar, absolute, dot, holds, root

FAINT = 0.1
"""Entries of a row are as exact as ones of this share of its length: roundings of what came before them are in them,
however small they are.
"""
DISTINCT = 1e-10
"""A row whose entries are all below this share of their parts depends on those before it."""


@dataclass(slots=True)
class Met:
    """Bound entries in the order in which they were eliminated, with the level that meets each, and how much of each
    was taken from those after it; how strongly each is met; and where that leads.
    """

    order: list[int]
    level: list[int]
    taken: list[dict[int, Scalar]]
    force: dict[int, Scalar]
    go: list[Scalar]

    def pull(self, k: int, n: int) -> list[Scalar]:
        """How level k would have each bound entry move, levels after it indifferent."""
        pull: list[Scalar] = [0.0] * n
        for p, level, taken in reversed([*zip(self.order, self.level, self.taken, strict=True)]):
            pull[p] = 0.0 - self.force[p] if level == k else 0.0
            for i, share in taken.items():
                pull[p] = pull[p] - share * pull[i]
        return pull


def meet(basis: Basis, side: list[Scalar], aims: list[Scalar]) -> Met:
    """The best with these entries at their bounds, on the way to `aims`."""
    n = len(side)
    rows = {i: list(basis.V[i]) for i in range(n) if holds(absolute(side[i]), False)}
    parts = {
        i: [absolute(entry) + FAINT * basis.alone[i] * scale for entry, scale in zip(row, basis.scale, strict=True)]
        for i, row in rows.items()
    }
    met, unmet = Met([], [], [], dict.fromkeys(rows, 0.0), []), set(rows)
    for k in reversed(range(len(basis.columns))):
        columns, first, tried = range(*basis.columns[k]), len(met.order), set[int]()
        while columns and unmet - tried:
            p = max(sorted(unmet - tried), key=lambda i: _length(rows[i], columns) / basis.alone[i])
            tried.add(p)
            if all(absolute(rows[p][c]) <= DISTINCT * parts[p][c] for c in columns):
                continue
            unmet.remove(p)
            # once more, now that little is left of it
            for q, taken in zip(met.order[first:], met.taken[first:], strict=True):
                taken[p] += _eliminated(rows, parts, p, q, columns)
            met.order.append(p)
            met.level.append(k)
            met.taken.append({i: _eliminated(rows, parts, i, p, columns) for i in unmet})

    # from the first level on what that takes; once more, now that little is left of it
    z: list[Scalar] = [0.0] * n
    for k, (start, end) in enumerate(basis.columns):
        mine = [p for p, level in zip(met.order, met.level, strict=True) if level == k]
        left = [0.0 - dot(rows[p], z) for p in mine]
        z[start:end] = aims[start:end]
        for p, rest in [*zip(mine, left, strict=True)] * 2:
            own = rows[p][start:end]
            force = (rest - dot(own, z[start:end])) / dot(own, own)
            met.force[p] = met.force[p] + force
            z[start:end] = [entry + force * other for entry, other in zip(z[start:end], own, strict=True)]
    met.go = [dot(row, z) for row in basis.V]
    return met


def _length(row: list[Scalar], columns: range) -> Scalar:
    return root(dot(row[columns.start : columns.stop], row[columns.start : columns.stop]))


def _eliminated(
    rows: dict[int, list[Scalar]], parts: dict[int, list[Scalar]], i: int, p: int, columns: range
) -> Scalar:
    """Row i less its part along row p in these columns; how much of p that was."""
    own = rows[p][columns.start : columns.stop]
    share = dot(rows[i][columns.start : columns.stop], own) / dot(own, own)
    rows[i] = [entry - share * other for entry, other in zip(rows[i], rows[p], strict=True)]
    parts[i] = [entry + absolute(share) * other for entry, other in zip(parts[i], parts[p], strict=True)]
    return share
