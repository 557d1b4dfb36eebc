"""Transforms and Jacobians as Maxima text: products of six primitives Tx Ty Tz Rx Ry Rz (specs/robcogen.md §2.5, §2.4).

A library of primitives has a convention of its own: "right" maps coordinates of the moved frame to those it started
from, "left" the other way round. Against a library of either, primitives or their inverses are emitted, and numbers are
the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from motionc.errors import Error
from motionc.targets.maxima import NAMES, block_comment, number

Convention = Literal["right", "left"]


@dataclass(frozen=True, slots=True)
class Primitive:
    """A motion along or about an axis: `amount` in Maxima's words; by which entry of v it changes, if by one, at what
    rate.
    """

    kind: str
    amount: str
    entry: int = -1
    rate: float | str = 0.0
    sign: int = 1

    def inverse(self) -> "Primitive":
        return Primitive(self.kind, self.amount, self.entry, self.rate, -self.sign)

    def signed_rate(self) -> str:
        """How fast it changes with its entry of v, in Maxima's words."""
        if isinstance(self.rate, str):
            return f"({self.rate})" if self.sign > 0 else f"(-({self.rate}))"
        return number(self.rate * self.sign)

    def text(self, library: Convention) -> str:
        """The call that maps from the moved frame, whatever the library's own way is."""
        negative = (self.sign < 0) == (library == "right")
        return f"{self.kind}({f'-({self.amount})' if negative else self.amount})"


@dataclass(frozen=True, slots=True)
class Way:
    """From one frame of a robot to another: primitives in order, how many entries v has, and which of q are whose."""

    robot: str
    base: str
    target: str
    steps: tuple[Primitive, ...]
    nv: int
    q_index: Mapping[str, slice]


# ---------------------------------------------------------------- what is emitted


def primitives(library: Convention = "right") -> str:
    """The library of this convention itself."""
    _known(library)
    s = "-" if library == "left" else ""
    back = "+" if library == "left" else "-"
    forth = "-" if library == "left" else ""
    lines = [block_comment([f"Six primitive transforms; the moved frame stands on the {library}."])]
    for k, axis in enumerate("xyz"):
        rows = [["1" if i == j else f"{s}d" if (i, j) == (k, 3) else "0" for j in range(4)] for i in range(4)]
        lines.append(f"T{axis}(d) := {_matrix(rows)}$")
    for k, axis in enumerate("xyz"):
        rows = [["1" if i == j else "0" for j in range(4)] for i in range(4)]
        i, j = (k + 1) % 3, (k + 2) % 3
        rows[i][i] = rows[j][j] = "cos(a)"
        rows[i][j], rows[j][i] = f"{back}sin(a)".lstrip("+"), f"{forth}sin(a)"
        lines.append(f"R{axis}(a) := {_matrix(rows)}$")
    return "\n".join([*lines, ""])


def transform(way: Way, library: Convention = "right", name: str = "") -> str:
    """A function of q: the pose of the target wrt the base, 4×4, as a product of primitives."""
    _known(library)
    base, target = way.base, way.target
    name = NAMES.identifier(name or f"{base}_X_{target}")
    product = " . ".join(step.text(library) for step in way.steps) or "ident(4)"
    said = [f"{base}_X_{target} of {way.robot}: coordinates of {target} into those of {base}", *_entries(way)]
    said.append(f"for primitives whose moved frame stands on the {library}")
    return f"{block_comment(said)}\n{name}(q) := {product}$\n"


def jacobian(way: Way, library: Convention = "right", name: str = "") -> str:
    """A function of q: the twist of the target wrt the base, 6×nv, angular first, as seen by base, at its origin."""
    _known(library)
    base, target = way.base, way.target
    name = NAMES.identifier(name or f"{base}_J_{target}")
    columns = [["0"] * 6 for _ in range(way.nv)]
    assigned, last, product = list[str](), "", list[str]()
    moves = list[tuple[Primitive, str]]()
    for step in way.steps:
        if step.rate:
            product = [last, *product] if last else product
            last = f"x{len(moves) + 1}"
            assigned.append(f"{last}: {' . '.join(product) or 'ident(4)'}")
            moves.append((step, last))
            product = []
        elif step.entry >= 0:
            raise Error(
                f"jacobian of {target} wrt {base}: a joint of several coordinates is on the way; "
                'emit the computation instead: mc.jacobian(…).emit("maxima", …)'
            )
        product.append(step.text(library))
    assigned.append(f"x: {' . '.join([last, *product] if last else product) or 'ident(4)'}")
    for step, before in moves:
        column, rate = columns[step.entry], step.signed_rate()
        for row, term in enumerate(_direction(step, before)):
            scaled = term if rate == "1.0" else f"{rate}*({term})"
            if term:
                column[row] = scaled if column[row] == "0" else f"{column[row]} + {scaled}"
    rows = [f"[{', '.join(column[row] for column in columns)}]" for row in range(6)]
    said = [f"{base}_J_{target} of {way.robot}: twist of {target} wrt {base}, angular first, as seen by {base}"]
    said += [f"at the origin of {target}", *_entries(way)]
    local = ", ".join(["x", *(before for _, before in moves)])
    lines = [f"{name}(q) := block([{local}],", *(f"    {step}," for step in assigned)]
    return "\n".join([block_comment(said), *lines, "    matrix(" + ",\n        ".join(rows) + "))$", ""])


def _direction(step: Primitive, before: str) -> Iterator[str]:
    """The twist of what comes after a primitive, entry by entry, while it changes at unit rate."""
    k = "xyz".index(step.kind[1]) + 1
    axis = [f"{before}[{i}][{k}]" for i in (1, 2, 3)]
    if step.kind[0] == "T":
        yield from ("", "", "", *axis)
        return
    arm = [f"(x[{i}][4] - {before}[{i}][4])" for i in (1, 2, 3)]
    yield from axis
    for i, j in ((1, 2), (2, 0), (0, 1)):
        yield f"{axis[i]}*{arm[j]} - {axis[j]}*{arm[i]}"


def _entries(way: Way) -> list[str]:
    return [f"q[{place.start + 1}..{place.stop}]: {name}" for name, place in way.q_index.items()]


def _matrix(rows: list[list[str]]) -> str:
    listed = ["[" + ", ".join(row) + "]" for row in rows]
    return f"matrix({', '.join(listed)})"


def _known(library: str) -> None:
    if library not in get_args(Convention):
        raise Error(f"library={library!r}; the moved frame of its primitives stands on the 'right' or on the 'left'")
