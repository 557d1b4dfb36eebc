"""From a program to the programs of its derivatives.

    pushforward    inputs, dx  → dy = J dx
    pullback       inputs, ȳ   → x̄ = Jᵀ ȳ
    jacobian       inputs      → J, entry by entry, structural zeros known

Changes go forward by rules (push.py). They are linear in the changes of the inputs, so the pullback is the pushforward
transposed (transpose.py).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.build import Scalar, Value, Writer, is_zero
from motionc.program.derive.push import push, refusals
from motionc.program.derive.sparsity import Sparsity
from motionc.program.derive.transpose import Linear
from motionc.program.passes import optimise
from motionc.program.port import Port
from motionc.program.program import Instruction, Program, table_data


@dataclass(frozen=True, slots=True)
class Tangent:
    """Directions in which an input may change: how many, and the change of its entries along a combination of them."""

    size: int
    change: Callable[[Any, Any], Any]


Tangents = Mapping[str, Tangent]
"""Of inputs that do not simply change entry by entry."""


# ---------------------------------------------------------------- three programs


def pushforward(program: Program, of: Sequence[str], wrt: Sequence[str], tangents: Tangents | None = None) -> Program:
    """Inputs and d<wrt> → d<of>, the change of outputs along a change of inputs."""
    question = _Question(program, of, wrt, tangents or {})
    given = change_ports(program.inputs, question.wrt, [question.size(port) for port in question.wrt])
    found = tuple(change_port(port) for port in question.of)
    changes = question.along([question.fresh(port, k) for k, port in enumerate(question.wrt)])
    return question.finished("jvp", program.inputs + given, found, changes)


def pullback(program: Program, of: Sequence[str], wrt: Sequence[str], tangents: Tangents | None = None) -> Program:
    """Inputs and <of>_bar → <wrt>_bar, the gradient of Σ <of>_bar · <of> with respect to inputs."""
    question = _Question(program, of, wrt, tangents or {})
    given = tuple(weight_port(port) for port in question.of)
    found = tuple(weight_port(port, question.size(port)) for port in question.wrt)
    seeds = [question.fresh(port, len(given) + k) for k, port in enumerate(question.wrt)]
    changes = question.along(seeds)
    places = [(len(program.inputs) + k, e) for k, port in enumerate(given) for e in range(port.size)]
    bars = [question.writer.write("input", data=place) for place in places]
    pairs = zip((entry for port in changes for entry in port), bars, strict=True)
    flat = Linear(question.writer, [seed for port in seeds for seed in port]).transposed(pairs)
    return question.finished("vjp", program.inputs + given, found, _parted(flat, [len(port) for port in seeds]))


@dataclass(frozen=True, slots=True)
class Entries:
    """A Jacobian's program, all of its entries dense in one output a pair (of, wrt), and which may differ from zero."""

    program: Program
    nonzero: tuple[np.ndarray[Any, np.dtype[np.bool_]], ...]


def jacobian(program: Program, of: Sequence[str], wrt: Sequence[str], tangents: Tangents | None = None) -> Entries:
    """Inputs → d<of>_d<wrt> of each pair, shape (*of, *wrt): column by column or row by row, whichever is less."""
    question = _Question(program, of, wrt, tangents or {})
    widths = [question.size(port) for port in question.wrt]
    table = question.by_columns() if question.columns_are_less() else question.by_rows()
    found, results, nonzero = list[Port](), list[list[Scalar]](), list[Any]()
    top = 0
    for port in question.of:
        left = 0
        for other, width in zip(question.wrt, widths, strict=True):
            entries = table[top : top + port.size, left : left + width]
            found.append(derivative_port(port, other, width))
            results.append(list(entries.ravel()))
            nonzero.append(np.array([not is_zero(entry) for entry in results[-1]], bool).reshape(port.size, width))
            left += width
        top += port.size
    return Entries(question.finished("derivative", program.inputs, tuple(found), results), tuple(nonzero))


def nonzeros(program: Program, pattern: Sparsity) -> Program:
    """The program of a Jacobian with these of its entries alone."""
    places = pattern.rows * pattern.shape[1] + pattern.columns
    (port,), (entries,) = program.outputs, program.results
    meaning = f"{port.meaning}; entries that may differ from zero, by columns"
    few = Port(port.name, (len(places),), port.unit, meaning)
    return optimise(replace(program, outputs=(few,), results=(tuple(entries[place] for place in places),)))


# ---------------------------------------------------------------- what is asked, on a copy of the program


class _Question:
    """Outputs, inputs, and the program they belong to, copied into a writer."""

    def __init__(self, program: Program, of: Sequence[str], wrt: Sequence[str], tangents: Tangents) -> None:
        self.program, self.tangents, self.writer = program, tangents, Writer()
        self.of = named(program.name, "output", of, program.outputs)
        self.wrt = named(program.name, "input", wrt, program.inputs)
        refused = refusals(program)
        for port in self.of:
            if port.name in refused:
                raise Error(f"{program.name}: {port.name} has no derivative: {refused[port.name]}")
        results = self.writer.copy(program)
        self.outputs = [entry for port in self.of for entry in results[program.outputs.index(port)]]
        # entries of tables are values too, though only one of them is read
        for step in program.instructions:
            if step.op == "entry":
                self.writer.table(table_data(step))

    def size(self, port: Port) -> int:
        """In how many directions an input changes."""
        return self.tangents[port.name].size if port.name in self.tangents else port.size

    def fresh(self, port: Port, place: int) -> list[Value]:
        """A change of an input, itself an input at this place behind the program's own."""
        place += len(self.program.inputs)
        return [self.writer.write("input", data=(place, k)) for k in range(self.size(port))]

    def seeds(self, port: Port, change: Sequence[Scalar]) -> dict[int, Value]:
        """The changes of an input's entries, along combined directions; none where there is none."""
        place = self.program.inputs.index(port)
        entries = [self.writer.write("input", data=(place, k)) for k in range(port.size)]
        if port.name in self.tangents:
            change = self.tangents[port.name].change(np.array(entries, object), np.array([*change], object))
        pairs = zip(entries, change, strict=True)
        return {entry.number: self.writer.value(value) for entry, value in pairs if not is_zero(value)}

    def along(self, changes: list[list[Value]]) -> list[list[Scalar]]:
        """Changes of the outputs, port by port."""
        seeds: dict[int, Value] = {}
        for port, change in zip(self.wrt, changes, strict=True):
            seeds |= self.seeds(port, change)
        return _parted(push(self.writer, seeds, self.outputs), [port.size for port in self.of])

    def columns(self) -> list[dict[int, Value]]:
        """Seeds of each direction alone."""
        return [self.seeds(port, list(unit)) for port in self.wrt for unit in np.eye(self.size(port))]

    def by_columns(self) -> Any:
        columns = [push(self.writer, seeds, self.outputs) for seeds in self.columns()]
        return np.array([*columns, [0.0] * len(self.outputs)], object)[:-1].T

    def by_rows(self) -> Any:
        seeds = [self.fresh(port, k) for k, port in enumerate(self.wrt)]
        changes = [entry for port in self.along(seeds) for entry in port]
        flat = [seed for port in seeds for seed in port]
        linear = Linear(self.writer, flat)
        rows = [linear.transposed([(change, 1.0)]) for change in changes]
        return np.array([*rows, [0.0] * len(flat)], object)[:-1]

    def columns_are_less(self) -> bool:
        """Whether instructions depend on fewer directions than outputs depend on them."""
        steps = self.writer.steps
        down, up = [0] * len(steps), [0] * len(steps)
        for bit, seeds in enumerate(self.columns()):
            for number in seeds:
                if number < len(down):
                    down[number] |= 1 << bit
        for i, step in enumerate(steps[: len(down)]):
            for arg in self._needed(step):
                down[i] |= down[arg]
        for bit, output in enumerate(self.outputs):
            up[output.number] |= 1 << bit
        for i in reversed(range(len(up))):
            for arg in self._needed(steps[i]):
                up[arg] |= up[i]
        used = [i for i in range(len(down)) if down[i] and up[i]]
        return sum(down[i].bit_count() for i in used) <= sum(up[i].bit_count() for i in used)

    def _needed(self, step: Instruction) -> Sequence[int]:
        """The values that an instruction needs; of a table all entries that are there."""
        if step.op != "entry":
            return step.args
        return [entry.number for entry in self.writer.table(table_data(step))]

    def finished(
        self, what: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], results: Iterable[Sequence[Scalar]]
    ) -> Program:
        """What was written, as a program."""
        name = title(self.program.name, what, *([port.name for port in ports] for ports in (self.of, self.wrt)))
        numbers = tuple(tuple(self.writer.value(entry).number for entry in port) for port in results)
        equation = f"{what} of {self.program.equation}"
        return optimise(Program(name, equation, inputs, outputs, tuple(self.writer.steps), numbers))


# ---------------------------------------------------------------- names and ports


def _parted(values: Sequence[Scalar], sizes: Sequence[int]) -> list[list[Scalar]]:
    ends = list(accumulate(sizes, initial=0))
    return [list(values[start:end]) for start, end in pairwise(ends)]


def named(what: str, kind: str, names: Sequence[str], ports: tuple[Port, ...]) -> tuple[Port, ...]:
    """Ports by their names; refused where there is no such, or one is named twice."""
    known = {port.name: port for port in ports}
    for name in names:
        if name not in known:
            raise Error(f"{what} has no {kind} {name!r}; it has {', '.join(known)}")
    if not names or len(set(names)) < len(names):
        raise Error(f"{what}: name each {kind} once, and at least one: {', '.join(known)}")
    return tuple(known[name] for name in names)


def title(name: str, what: str, of: Sequence[str], wrt: Sequence[str]) -> str:
    """What a derivative is called, as a word: forward_dynamics_jvp_a_q."""
    return "_".join([name, what, *of, *wrt])


def change_port(port: Port, size: int | None = None) -> Port:
    """A change of a port, along its directions where it has some."""
    shape = port.shape if size in (None, port.size) else (size,)
    return Port(f"d{port.name}", shape, port.unit, f"change of {port.name}{_directions(port, shape)}")


def change_ports(known: Sequence[Port], ports: Sequence[Port], sizes: Sequence[int]) -> tuple[Port, ...]:
    """Changes of ports, as inputs beside known ones: where a name is taken, it is counted (dq, dq_2, …)."""
    taken, found = {port.name for port in known}, list[Port]()
    for port, size in zip(ports, sizes, strict=True):
        change = change_port(port, size)
        names = (f"{change.name}_{count}" if count > 1 else change.name for count in range(1, len(taken) + 2))
        found.append(replace(change, name=next(name for name in names if name not in taken)))
        taken.add(found[-1].name)
    return tuple(found)


def weight_port(port: Port, size: int | None = None) -> Port:
    """The weight of a port in a sum, or how that sum changes with it."""
    shape = port.shape if size in (None, port.size) else (size,)
    return Port(f"{port.name}_bar", shape, f"1/({port.unit})", f"gradient wrt {port.name}{_directions(port, shape)}")


def derivative_port(port: Port, other: Port, size: int) -> Port:
    shape = other.shape if size == other.size else (size,)
    meaning = f"derivative of {port.name} wrt {other.name}{_directions(other, shape)}"
    return Port(f"d{port.name}_d{other.name}", port.shape + shape, f"{port.unit} per {other.unit}", meaning)


def _directions(port: Port, shape: tuple[int, ...]) -> str:
    return "" if shape == port.shape else ", per unit of v"
