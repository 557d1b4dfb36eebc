"""Sums: what several products of one sum, or several sums, have in common is computed once.

    a*b + d + a*c                       →        d + a*(b + c)                                common factors
    x + y - z   w - y + z               →        s = y - z   x + s   w - s                    common sums

A sum is looked at as a whole: all additions and subtractions whose results nobody else needs. Only sums that gain are
written anew; rounding aside their values are the same.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from motionc.program.passes.dead_code import without_dead_code
from motionc.program.passes.numbering import Numbering, rewritten
from motionc.program.program import Instruction, Program

Term = tuple[int, int]
"""Sign, 1 or -1, and value."""

LONGEST = 64
"""Terms up to which pairs are looked for: their number grows with the square."""


def with_common_factors(program: Program) -> Program:
    """Products in a sum that nobody else needs are grouped by what most of them share."""
    steps, uses = program.instructions, _uses(program)
    gains: dict[int, _Grouped] = {}
    for root, terms in _sums(program, uses).items():
        products = [term for term in terms if steps[term[1]].op == "mul" and uses[term[1]] == 1]
        groups: dict[int, list[Term]] = {}
        while len(products) > 1:
            counts = Counter([factor for _, i in products for factor in dict.fromkeys(steps[i].args)])
            factor, count = max(counts.items(), key=lambda item: item[1])
            if count == 1:
                break
            groups[factor] = [term for term in products if factor in steps[term[1]].args]
            products = [term for term in products if factor not in steps[term[1]].args]
        if groups or sum([steps[i].op == "const" for _, i in terms]) > 1:
            taken = {i for group in groups.values() for _, i in group}
            gains[root] = _Grouped(groups, [term for term in terms if term[1] not in taken])

    def write(numbering: Numbering, new: list[int], i: int, step: Instruction) -> int:
        if i not in gains:
            return numbering.again(new, step)
        terms = [(sign, new[value]) for sign, value in gains[i].rest]
        for factor, group in gains[i].groups.items():
            sign = max([sign for sign, _ in group])  # one that is not subtracted, if there is any
            inner = _total(numbering, [(sign * own, new[_other(steps[value], factor)]) for own, value in group])
            terms.append((sign, numbering.value("mul", (new[factor], inner))))
        return _total(numbering, terms)

    return _if_shorter(program, rewritten(program, write)) if gains else program


def with_common_sums(program: Program) -> Program:
    """Two terms that stand in several sums, as they are or both with the opposite sign, the most frequent first; and
    once more, for what then stands in several sums.
    """
    shorter = _with_common_pairs(program)
    return program if shorter is program else _with_common_pairs(shorter)


def _with_common_pairs(program: Program) -> Program:
    sums = {
        root: _Paired({value: sign for sign, value in terms})
        for root, terms in _sums(program, _uses(program)).items()
        if len(terms) <= LONGEST and len({value for _, value in terms}) == len(terms)
    }
    often = Counter([value for found in sums.values() for value in found.rest])
    pairs: dict[tuple[int, int, bool], list[_Paired]] = {}
    for found in sums.values():
        shared = sorted([value for value in found.rest if often[value] > 1])
        for k, a in enumerate(shared):
            for b in shared[k + 1 :]:
                pairs.setdefault((a, b, found.rest[a] == found.rest[b]), []).append(found)
    # what a frequent pair takes, others go without
    often_met = [(-len(several), Pair(*pair)) for pair, several in pairs.items() if len(several) > 1]
    for _, pair in sorted(often_met):
        ready = [found for found in pairs[pair] if found.allows(pair)]
        if len(ready) > 1:
            for found in ready:
                found.take(pair)

    def write(numbering: Numbering, new: list[int], i: int, step: Instruction) -> int:
        if i not in sums or not sums[i].pairs:
            return numbering.again(new, step)
        terms = [(sign, new[value]) for value, sign in sums[i].rest.items()]
        for sign, (a, b, alike) in sums[i].pairs:
            terms.append((sign, numbering.value("add" if alike else "sub", (new[a], new[b]))))
        return _total(numbering, terms)

    gain = any(found.pairs for found in sums.values())
    return _if_shorter(program, rewritten(program, write)) if gain else program


class Pair(NamedTuple):
    """a + b, or a - b."""

    a: int
    b: int
    alike: bool


@dataclass(slots=True)
class _Grouped:
    """A sum with groups of products that share a factor, and the rest of its terms."""

    groups: dict[int, list[Term]]
    rest: list[Term]


@dataclass(slots=True)
class _Paired:
    """A sum with pairs taken out, and the signs of its other terms."""

    rest: dict[int, int]
    pairs: list[tuple[int, Pair]] = field(default_factory=list[tuple[int, Pair]])

    def allows(self, pair: Pair) -> bool:
        """Whether both are there still, and without them something would be left that is not subtracted."""
        if pair.a not in self.rest or pair.b not in self.rest:
            return False
        others = [sign for value, sign in self.rest.items() if value not in pair[:2]] + [sign for sign, _ in self.pairs]
        return max([self.rest[pair.a], *others]) > 0

    def take(self, pair: Pair) -> None:
        sign = self.rest.pop(pair.a)
        del self.rest[pair.b]
        self.pairs.append((sign, pair))


# ---------------------------------------------------------------- sums as lists of terms


def _sums(program: Program, uses: list[int]) -> dict[int, list[Term]]:
    """The terms of every sum, by its last addition."""
    found: dict[int, list[Term]] = {}
    for i, step in enumerate(program.instructions):
        if step.op in ("add", "sub"):
            (a, b), second = step.args, 1 if step.op == "add" else -1
            terms = found.pop(a) if a in found and uses[a] == 1 else [(1, a)]
            inner = found.pop(b) if b in found and uses[b] == 1 else [(1, b)]
            found[i] = terms + [(second * sign, value) for sign, value in inner]
    return found


def _total(numbering: Numbering, terms: list[Term]) -> int:
    """The sum of some terms: all constants as one, then others in the order in which they are there; one that is not
    subtracted comes first.
    """
    known = [(sign, constant) for sign, value in terms if (constant := numbering.constants[value]) is not None]
    if len(known) > 1:
        total = sum(sign * constant for sign, constant in known)
        others = [term for term in terms if numbering.constants[term[1]] is None]
        terms = [(-1 if total < 0 else 1, numbering.constant(abs(total))), *others]
    terms = sorted(terms, key=lambda term: (numbering.steps[term[1]].op != "const", term[1]))
    start = next((k for k, (sign, _) in enumerate(terms) if sign > 0), None)
    if start is None:
        return numbering.value("neg", (_total(numbering, [(-sign, value) for sign, value in terms]),))
    total = terms.pop(start)[1]
    for sign, value in terms:
        total = numbering.value("add" if sign > 0 else "sub", (total, value))
    return total


def _other(product: Instruction, factor: int) -> int:
    a, b = product.args
    return b if a == factor else a


def _uses(program: Program) -> list[int]:
    uses = [0] * len(program.instructions)
    for step in program.instructions:
        for arg in step.args:
            uses[arg] += 1
    for port in program.results:
        for value in port:
            uses[value] += 1
    return uses


def _if_shorter(program: Program, other: Program) -> Program:
    shorter = without_dead_code(other)
    return shorter if len(shorter.instructions) < len(program.instructions) else program
