"""Sums of products as chains of multiply-adds: one instruction a product, where the machine has such an instruction.

    (a*b + c*d) + (e*f + g*h)    two products, two multiply-adds, one sum
    ((a*b + c*d) + e*f) + g*h    one product, three multiply-adds

Only sums that nobody else needs are opened, so that nothing is computed twice. Numbers are the same but for rounding.
"""

from motionc.program.program import Instruction, Program

SUMS = frozenset(("add", "sub", "neg"))

Term = tuple[bool, int]
"""Whether it is subtracted, and which value it is."""


def chained(program: Program) -> Program:
    """The same program with every sum of products written as a chain: what is no product first, products behind it."""
    steps = program.instructions
    uses = [0] * len(steps)
    for value in [arg for step in steps for arg in step.args] + [value for port in program.results for value in port]:
        uses[value] += 1
    inner = _inner(steps, uses)
    new, made = [-1] * len(steps), list[Instruction]()

    def make(op: str, *args: int) -> int:
        made.append(Instruction(op, args))
        return len(made) - 1

    def copied(i: int) -> int:
        """A value as it was; a product in a sum is copied where the sum needs it."""
        if new[i] < 0:
            step = steps[i]
            made.append(step._replace(args=tuple([copied(arg) for arg in step.args])))
            new[i] = len(made) - 1
        return new[i]

    for i, step in enumerate(steps):
        if inner[i]:
            continue
        terms = _terms(steps, inner, i) if step.op in SUMS else []
        if not any(inner[value] for _, value in terms):
            copied(i)
            continue
        # what is added comes before what is subtracted, so that a chain does not start with a minus
        rest = sorted(term for term in terms if not inner[term[1]])
        products = [term for term in terms if inner[term[1]]]
        (minus, first), *others = [*rest, *products] if rest else sorted(products)
        total = make("neg", copied(first)) if minus else copied(first)
        for minus, value in others:
            total = make("sub" if minus else "add", total, copied(value))
        new[i] = total
    for port in program.results:
        for value in port:
            copied(value)
    return program.moved(made, new)


def _inner(steps: tuple[Instruction, ...], uses: list[int]) -> list[bool]:
    """Which values are terms of one sum and nothing else: products, sums and negations used once, by a sum."""
    inner = [False] * len(steps)
    for step in steps:
        if step.op in SUMS:
            for arg in step.args:
                inner[arg] = uses[arg] == 1 and (steps[arg].op in SUMS or steps[arg].op == "mul")
    return inner


def _terms(steps: tuple[Instruction, ...], inner: list[bool], root: int) -> list[Term]:
    """What a sum adds up, in order, each with its sign."""
    found, stack = list[Term](), [(False, root)]
    while stack:
        minus, value = stack.pop()
        step = steps[value]
        if value != root and not (inner[value] and step.op != "mul"):
            found.append((minus, value))
            continue
        signs = {"add": (minus, minus), "sub": (minus, not minus), "neg": (not minus,)}[step.op]
        stack += reversed(list(zip(signs, step.args, strict=True)))
    return found
