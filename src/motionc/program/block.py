"""Programs without a robot: a filter, a controller, a machine, written in plain Python on values.

    def follow(error, filtered):
        filtered = 0.9 * filtered + 0.1 * error
        return {"command": -2.0 * filtered, "filtered": filtered}

    written("follow", follow, [Port("error", (3,), "m", "…"), State("filtered", (3,), "m", "…")], [Port("command", …)])

What is given are NumPy arrays of values in the shapes of the ports; what is returned goes by the ports' names, states
among them. Decisions are select, minimum, maximum and comparisons: a value has no truth before it has a number.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, NoReturn

import numpy as np

from motionc import checked
from motionc.code_digest import loaded_sources
from motionc.errors import Error, NoNumber, WrongType, suggestion
from motionc.program.build import Value, Writer
from motionc.program.derive.derived import Derived
from motionc.program.evaluate import evaluate
from motionc.program.passes import optimise
from motionc.program.port import Note, Port, Precision, as_columns, states_of
from motionc.program.program import Program
from motionc.program.source import Along, Kind, Named, Open, Source

Array = np.ndarray[Any, np.dtype[Any]]
Written = Callable[..., Mapping[str, Any]]
"""From arrays of values, one an input, to what each output is."""


@dataclass(frozen=True, slots=True)
class Nobody:
    """Whom a program is about that is about nobody."""

    name: str = ""


@dataclass(frozen=True)
class Code:
    """The options of what is known by its program alone."""

    own: ClassVar[bool] = True

    precision: Precision = "double"

    def said(self) -> dict[str, Any]:
        return {}

    def __str__(self) -> str:
        return ""


class Block:
    """A program as the source of a computation; nothing else is needed to know what it computes."""

    open: Sequence[Open] = ()
    own = True

    def __init__(
        self, program: Program, precision: Precision = "double", robot: Named | None = None, period: float = 0.0
    ) -> None:
        self.recording, self.robot, self.name = program, robot or Nobody(), program.name
        self.inputs, self.outputs = program.inputs, program.outputs
        self.precision: Precision = precision
        self.period = period
        self.options = Code(precision)
        self._program: Program | None = None

    @property
    def program(self) -> Program:
        if self._program is None:
            self._program = optimise(self.recording)
        return self._program

    def recorded(self) -> Program:
        return self.recording

    def identity(self, options: Any = None) -> str | None:
        """That of the program as it was written, and of the code that makes texts of it; None where a kernel is
        called, which others may have brought along.
        """
        code, own = loaded_sources(), self.recording
        if code is None or options is not None or any(step.op == "call" for step in own.instructions):
            return None
        ports = [(port, port.space, port.relation) for port in (*own.inputs, *own.outputs)]
        said = (own.name, own.equation, ports, own.instructions, own.results, self.precision, self.period)
        return hashlib.sha256(code + f"block {self.robot.name} {said!r}".encode()).hexdigest()

    def readable(self, program: Program) -> Program:
        return program

    def check(self) -> None:
        """Nothing is left to check: it was written on ports that fit."""

    def run(self, *values: Any, trace: Any = None, **_: Any) -> Mapping[str, Any]:
        """The program on NumPy's numbers."""
        if trace is not None:
            self.steps()
        return evaluate(self.program, as_columns(self.name, self.inputs, values))

    def steps(self, *_: Any, **__: Any) -> Iterator[Any]:
        return _no_sweeps(self.name)

    def derived(
        self, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, *, sparse: bool = False
    ) -> Source:
        return Derived(self, kind, of, wrt, coordinates, sparse=sparse, options=self.options)

    def notes(self, results: Mapping[str, Any], /) -> list[Note]:
        return []


def _no_sweeps(name: str) -> NoReturn:
    raise Error(f"{name} is made of instructions, not of sweeps; there is no trace to follow")


def written(
    name: str,
    function: Written,
    inputs: Sequence[Port],
    outputs: Sequence[Port] = (),
    equation: str = "",
) -> Program:
    """A function on values as a program; states are inputs, and outputs behind the others."""
    inputs, outputs = _ports(name, "inputs", inputs), (*_ports(name, "outputs", outputs), *states_of(inputs))
    for what, ports in (("input", inputs), ("output", outputs)):
        names = [port.name for port in ports]
        for twice in sorted({one for one in names if names.count(one) > 1}):
            raise Error(f"{name}: two {what}s are called {twice}; a state is an input and an output of itself")
    expect_something(name, outputs)
    _expect_function(name, function, inputs)
    writer = Writer()
    given = [shaped(writer.inputs(k, port.size), port.shape) for k, port in enumerate(inputs)]
    try:
        answers = function(*given)
    except NoNumber as error:
        raise Error(
            f"{name}: {error}, which has none before it runs; decide by select(yes, no), minimum and maximum instead "
            "of if, and, min"
        ) from error
    results = _answered(name, writer, answers, outputs)
    steps, numbers = writer.needed(results)
    return Program(name, equation or name, inputs, outputs, steps, numbers)


def expect_something(name: str, outputs: Sequence[Port]) -> None:
    """Refuse a program of which nothing comes out."""
    if not outputs:
        raise Error(f"{name}: outputs: nothing comes out of it; name an output, or state that it carries on")


def _expect_function(name: str, function: Any, inputs: Sequence[Port]) -> None:
    """Refuse what is no function of so many arguments."""
    if not callable(function) or isinstance(function, type):
        raise checked.refusal(f"{name}: function", function, "give a function of values", kind=WrongType)
    try:
        signature(function).bind(*inputs)
    except TypeError as error:
        names = ", ".join(port.name for port in inputs)
        raise WrongType(f"{name}: function: it takes its inputs ({names}) in order: {error}") from None
    except ValueError:  # one of those that do not say what they take
        return


def shaped(values: Sequence[Value], shape: tuple[int, ...]) -> Any:
    """Values as an array of a shape; one without axes by itself."""
    if not shape:
        return values[0]
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array.reshape(shape)


def _ports(name: str, what: str, ports: Any) -> tuple[Port, ...]:
    wanted = 'give ports, such as [Port("error", (3,), "m", "what is missing")]'
    found = checked.several(f"{name}: {what}", ports, wanted)
    for port in found:
        if not isinstance(port, Port):
            raise checked.refusal(f"{name}: {what}", port, wanted, kind=WrongType)
    return tuple(found)


def _answered(name: str, writer: Writer, answers: Any, outputs: Sequence[Port]) -> list[list[Value]]:
    """What a function has returned, entry by entry, in the order of the outputs."""
    if not isinstance(answers, Mapping):
        raise WrongType(f"{name}: the function returned {checked.shown(answers)}; return a dictionary by output names")
    known = [port.name for port in outputs]
    for extra in answers:
        if extra not in known:
            raise Error(f"{name}: the function returned {extra!r}, which is no output{suggestion(str(extra), known)}")
    results = list[list[Value]]()
    for port in outputs:
        if port.name not in answers:
            kind = "state" if states_of([port]) else "output"
            raise Error(f"{name}: the function returned nothing for {kind} {port.name}; return it by that name")
        array = np.asarray(answers[port.name], object)
        if array.shape != port.shape:
            raise Error(f"{name}: {port.name} has shape {port.shape}, what was returned for it {array.shape}")
        results.append([writer.value(entry) for entry in array.ravel()])
    return results
