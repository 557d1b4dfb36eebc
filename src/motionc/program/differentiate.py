"""From a program to the programs of its derivatives.

    pushforward    inputs, dx  → dy = J dx
    pullback       inputs, ȳ   → x̄ = Jᵀ ȳ
    jacobian       inputs      → J, entry by entry, structural zeros known

There is one table of rules, that of changes going forward. They are linear in the changes of the inputs, so the
pullback is the pushforward transposed, instruction by instruction, last one first.

Where a function has a kink, one side is taken: |x| changes by 0 at 0, so does √x; of min and max of equal values, one
counts; a select changes as what it selects. atan2 changes by 0 at the origin. What only compares does not change.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.kernel_rules import RULES, Site
from motionc.program.passes import optimise
from motionc.program.program import Program, call_data
from motionc.program.sparsity import Sparsity
from motionc.program.writer import Scalar, Value, Writer
from motionc.sweeps.solver import Port

Partial = Callable[..., tuple[Scalar, ...]]

PARTIALS: dict[str, Partial] = {
    "add": lambda y, a, b: (1.0, 1.0),
    "sub": lambda y, a, b: (1.0, -1.0),
    "mul": lambda y, a, b: (b, a),
    "div": lambda y, a, b: (1.0 / b, -y * (1.0 / b)),
    "neg": lambda y, a: (-1.0,),
    "sqrt": lambda y, a: (y.select(0.5 / y, 0.0),),
    "sin": lambda y, a: (a.cos(),),
    "cos": lambda y, a: (-a.sin(),),
    "atan2": lambda y, a, b: _of_angle(a, b),
    "exp": lambda y, a: (y,),
    "log": lambda y, a: (1.0 / a,),
    "abs": lambda y, a: (a.sign(),),
}
"""How the result y of an instruction changes with each of its arguments."""

CHOICES: dict[str, Callable[..., tuple[Value, int, int]]] = {
    "select": lambda condition, *_: (condition, 1, 2),
    "min": lambda a, b: (a.less(b), 0, 1),
    "max": lambda a, b: (b.less(a), 0, 1),
}
"""Which of its arguments an instruction hands on: one if the condition holds, else the other."""


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
    given = tuple(change_port(port, question.size(port)) for port in question.wrt)
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
    flat = _Linear(question.writer, [seed for port in seeds for seed in port]).transposed(pairs)
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
            nonzero.append(np.array([not _is_zero(entry) for entry in results[-1]], bool).reshape(port.size, width))
            left += width
        top += port.size
    return Entries(question.finished("derivative", program.inputs, tuple(found), results), tuple(nonzero))


def nonzeros(program: Program, pattern: Sparsity) -> Program:
    """The program of a Jacobian with these of its entries alone."""
    places = pattern.rows * pattern.shape[1] + pattern.columns
    (port,), (entries,) = program.outputs, program.results
    few = replace(port, shape=(len(places),), meaning=f"{port.meaning}; entries that may differ from zero, by columns")
    return optimise(replace(program, outputs=(few,), results=(tuple(entries[place] for place in places),)))


def refusals(program: Program) -> dict[str, str]:
    """Outputs that have no derivative, and why."""
    why: list[str | None] = []
    for step in program.instructions:
        own = None
        if step.op == "pick":
            call = call_data(program.instructions[step.args[0]])
            own = RULES[call.kernel].refused(call).get(step.data)  # type: ignore[arg-type]
        why.append(own or next((why[arg] for arg in step.args if why[arg] is not None), None))
    found: dict[str, str] = {}
    for port, entries in zip(program.outputs, program.results, strict=True):
        reason = next((why[entry] for entry in entries if why[entry] is not None), None)
        if reason is not None:
            found[port.name] = reason
    return found


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
        return {entry.number: self.writer.value(value) for entry, value in pairs if not _is_zero(value)}

    def along(self, changes: list[list[Value]]) -> list[list[Scalar]]:
        """Changes of the outputs, port by port."""
        seeds: dict[int, Value] = {}
        for port, change in zip(self.wrt, changes, strict=True):
            seeds |= self.seeds(port, change)
        return _parted(_push(self.writer, seeds, self.outputs), [port.size for port in self.of])

    def columns(self) -> list[dict[int, Value]]:
        """Seeds of each direction alone."""
        return [self.seeds(port, list(unit)) for port in self.wrt for unit in np.eye(self.size(port))]

    def by_columns(self) -> Any:
        columns = [_push(self.writer, seeds, self.outputs) for seeds in self.columns()]
        return np.array([*columns, [0.0] * len(self.outputs)], object)[:-1].T

    def by_rows(self) -> Any:
        seeds = [self.fresh(port, k) for k, port in enumerate(self.wrt)]
        changes = [entry for port in self.along(seeds) for entry in port]
        flat = [seed for port in seeds for seed in port]
        linear = _Linear(self.writer, flat)
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
            for arg in step.args:
                down[i] |= down[arg]
        for bit, output in enumerate(self.outputs):
            up[output.number] |= 1 << bit
        for i in reversed(range(len(up))):
            for arg in steps[i].args:
                up[arg] |= up[i]
        used = [i for i in range(len(down)) if down[i] and up[i]]
        return sum(down[i].bit_count() for i in used) <= sum(up[i].bit_count() for i in used)

    def finished(
        self, what: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], results: Iterable[Sequence[Scalar]]
    ) -> Program:
        """What was written, as a program."""
        name = title(self.program.name, what, *([port.name for port in ports] for ports in (self.of, self.wrt)))
        numbers = tuple(tuple(self.writer.value(entry).number for entry in port) for port in results)
        equation = f"{what} of {self.program.equation}"
        return optimise(Program(name, equation, inputs, outputs, tuple(self.writer.steps), numbers))


# ---------------------------------------------------------------- forward


def _push(writer: Writer, seeds: Mapping[int, Value], outputs: Sequence[Value]) -> list[Scalar]:
    """Changes of outputs that depend on seeds, with the changes of these; 0 where nothing changes."""
    changes: dict[int, Value] = dict(seeds)
    calls: dict[int, Sequence[Scalar]] = {}
    for number in _between(writer, seeds, outputs):
        step = writer.steps[number]
        if step.op == "pick":
            found = calls[step.args[0]][step.data] if step.args[0] in calls else 0.0  # type: ignore[index]
        elif not any(arg in changes for arg in step.args):
            continue
        else:
            values = [Value(writer, arg) for arg in step.args]
            given: list[Scalar] = [changes.get(arg, 0.0) for arg in step.args]
            if step.op == "call":
                calls[number] = _of_call(writer, number, values, given)
                continue
            found = _of_instruction(writer, step.op, Value(writer, number), values, given)
        if not _is_zero(found):
            changes[number] = writer.value(found)
    return [changes.get(output.number, 0.0) for output in outputs]


def _of_instruction(writer: Writer, op: str, y: Value, values: list[Value], given: list[Scalar]) -> Scalar:
    if op in CHOICES:
        condition, yes, no = CHOICES[op](*values)
        return condition.select(given[yes], given[no])
    if op not in PARTIALS:
        return 0.0
    total: Scalar = 0.0
    for partial, change in zip(PARTIALS[op](y, *values), given, strict=True):
        if not _is_zero(change):
            total = total + change * partial
    return total


def _of_call(writer: Writer, number: int, values: list[Value], given: list[Scalar]) -> Sequence[Scalar]:
    call = call_data(writer.steps[number])
    found = [writer.write("pick", Value(writer, number), data=k) for k in range(call.outputs)]

    def through(inputs: list[Value], outputs: list[Value], changes: list[Scalar]) -> list[Scalar]:
        pairs = zip(inputs, changes, strict=True)
        return _push(writer, {value.number: writer.value(change) for value, change in pairs}, outputs)

    return RULES[call.kernel].push(Site(writer, call, values, found, through), given)


def _between(writer: Writer, seeds: Mapping[int, Value], outputs: Sequence[Value]) -> list[int]:
    """What outputs depend on, as far as seeds, in order."""
    needed, stack = set[int](), [output.number for output in outputs]
    while stack:
        number = stack.pop()
        if number not in needed and number not in seeds:
            needed.add(number)
            stack.extend(writer.steps[number].args)
    return sorted(needed)


def _of_angle(y: Value, x: Value) -> tuple[Scalar, Scalar]:
    square = x * x + y * y
    inverse = square.select(1.0 / square, 0.0)
    return x * inverse, -y * inverse


# ---------------------------------------------------------------- backward


class _Linear:
    """Instructions that are linear in seeds, to be transposed as often as is asked for."""

    def __init__(self, writer: Writer, seeds: Sequence[Value]) -> None:
        self.writer, self.seeds = writer, seeds
        self.known = {seed.number for seed in seeds}
        for number, step in enumerate(writer.steps):
            if any(arg in self.known for arg in step.args):
                self.known.add(number)
        self.order = sorted(self.known, reverse=True)

    def transposed(self, weights: Iterable[tuple[Scalar, Scalar]]) -> list[Scalar]:
        """Weights of the seeds, with weights of what depends on them: pairs (value, weight)."""
        bars: dict[int, Scalar] = {}
        picked: dict[int, dict[int, Scalar]] = {}
        for change, weight in weights:
            if not _is_zero(change):
                _gather(bars, change.number, weight)
        for number in self.order:
            step = self.writer.steps[number]
            if step.op == "call":
                if number in picked:
                    self._call(bars, number, picked[number])
            elif number not in bars or step.op == "input":
                continue
            elif step.op == "pick":
                _gather(picked.setdefault(step.args[0], {}), step.data, bars[number])  # type: ignore[arg-type]
            else:
                self._instruction(bars, number, bars[number])
        return [bars.get(seed.number, 0.0) for seed in self.seeds]

    def _instruction(self, bars: dict[int, Scalar], number: int, bar: Scalar) -> None:
        step = self.writer.steps[number]
        args = [Value(self.writer, arg) for arg in step.args]
        for place, arg in enumerate(step.args):
            if arg in self.known:
                match step.op:
                    case "add":
                        part = bar
                    case "sub":
                        part = -bar if place else bar
                    case "neg":
                        part = -bar
                    case "mul":
                        part = bar * args[1 - place]
                    case "div":
                        part = bar * (1.0 / args[1])
                    case "select":
                        part = args[0].select(*((bar, 0.0) if place == 1 else (0.0, bar)))
                    case _:
                        raise AssertionError(f"{step.op} is not linear")
                _gather(bars, arg, part)

    def _call(self, bars: dict[int, Scalar], number: int, picked: dict[int, Scalar]) -> None:
        step, call = self.writer.steps[number], call_data(self.writer.steps[number])
        size, transpose = call.size**2, RULES[call.kernel].transpose
        assert transpose is not None, f"{call.kernel} is called on changes and has no transpose"
        weights = [picked.get(k, 0.0) for k in range(call.outputs)]
        right = transpose(self.writer, call, [Value(self.writer, arg) for arg in step.args[:size]], weights)
        for arg, bar in zip(step.args[size:], right, strict=True):
            if arg in self.known:
                _gather(bars, arg, bar)


# ---------------------------------------------------------------- small words


def _gather(bars: dict[int, Scalar], number: int, bar: Scalar) -> None:
    bars[number] = bars[number] + bar if number in bars else bar


def _is_zero(value: Scalar) -> bool:
    return (value.constant if isinstance(value, Value) else value) == 0.0


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
