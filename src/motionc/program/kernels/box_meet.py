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

DISTINCT = 1e-11
"""A row whose entries are all below this share of what was added up to them, at most, depends on those before it."""


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
    rough = {i: basis.alone[i] for i in rows}
    met = Met([], [], [], dict.fromkeys(rows, 0.0), [])
    met.taken = {i: {} for i in rows}
    for p in ORDER(rows, basis):
        for k in reversed(range(len(basis.columns))):
            columns = range(*basis.columns[k])
            mine = [q for q, level in zip(met.order, met.level) if level == k]
            for q in mine * 2:
                met.taken[q][p] = met.taken[q].get(p, 0.0) + _eliminated(rows, rough, p, q, columns)
            if any(absolute(rows[p][c]) > DISTINCT * rough[p] * basis.scale[c] for c in columns):
                met.order.append(p)
                met.level.append(k)
                break
    o = sorted(range(len(met.order)), key=lambda j: -met.level[j])
    met.order, met.level = [met.order[j] for j in o], [met.level[j] for j in o]
    met.taken = [met.taken[p] for p in met.order]

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


def _eliminated(rows: dict[int, list[Scalar]], rough: dict[int, Scalar], i: int, p: int, columns: range) -> Scalar:
    """Row i less its part along row p in these columns; how much of p that was."""
    own = rows[p][columns.start : columns.stop]
    share = dot(rows[i][columns.start : columns.stop], own) / dot(own, own)
    rows[i] = [entry - share * other for entry, other in zip(rows[i], rows[p], strict=True)]
    rough[i] = rough[i] + absolute(share) * rough[p]
    return share

import os
def ORDER(rows, basis):
    if os.environ.get("SORT"):
        return sorted(rows, key=lambda i: -max(abs(e) for e in rows[i]) / basis.alone[i])
    return list(rows)
