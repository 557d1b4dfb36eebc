"""Which value is equal and costs less? Identities of instructions whose arguments are constant, negated or the same."""

from typing import Protocol


class Numbers(Protocol):
    """Values by number, as identities see them: which are constant, which are another one negated, and new ones."""

    constants: list[float | None]
    negated: list[int | None]

    def constant(self, value: float) -> int: ...

    def value(self, op: str, args: tuple[int, ...]) -> int: ...

    def difference(self, value: int) -> tuple[int, int] | None: ...


def simpler_sum(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[a] == 0:
        return b
    if numbers.constants[b] == 0:
        return a
    if (x := numbers.negated[b]) is not None:
        return numbers.value("sub", (a, x))
    if (x := numbers.negated[a]) is not None:
        return numbers.value("sub", (b, x))
    return None


def simpler_difference(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[b] == 0:
        return a
    if numbers.constants[a] == 0:
        return numbers.value("neg", (b,))
    if a == b:
        return numbers.constant(0.0)
    if (x := numbers.negated[b]) is not None:
        return numbers.value("add", (a, x))
    if (x := numbers.negated[a]) is not None:
        return numbers.value("neg", (numbers.value("add", (x, b)),))
    return None


def simpler_product(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[b] is not None:
        a, b = b, a
    factor = numbers.constants[a]
    if factor == 0:
        return numbers.constant(0.0)
    if factor == 1:
        return b
    if factor is not None and factor < 0:
        return numbers.value("neg", (numbers.value("mul", (numbers.constant(-factor), b)),))
    if (x := numbers.negated[a]) is not None:
        return numbers.value("neg", (numbers.value("mul", (x, b)),))
    if (x := numbers.negated[b]) is not None:
        return numbers.value("neg", (numbers.value("mul", (a, x)),))
    return None


def simpler_quotient(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[b] == 1:
        return a
    return numbers.constant(0.0) if numbers.constants[a] == 0 else None


def simpler_negative(numbers: Numbers, a: int) -> int | None:
    if (x := numbers.negated[a]) is not None:
        return x
    sides = numbers.difference(a)
    return None if sides is None else numbers.value("sub", (sides[1], sides[0]))


def simpler_choice(numbers: Numbers, condition: int, yes: int, no: int) -> int | None:
    known = numbers.constants[condition]
    if known is not None:
        return yes if known else no
    return yes if yes == no else None
