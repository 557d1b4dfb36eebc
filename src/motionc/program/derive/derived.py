"""A derivative of a solver, before it is code: what is asked, its ports, and its program when that is needed.

It stands where a solver stands; its readings are the program's: checked as the solver it comes from, and run on NumPy's
numbers one instruction after the other. It has no sweeps of its own to show.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn, get_args

import numpy as np

from motionc.errors import Error
from motionc.program.derive import differentiate
from motionc.program.derive.differentiate import (
    Tangent,
    change_port,
    change_ports,
    derivative_port,
    named,
    title,
    weight_port,
)
from motionc.program.derive.sparsity import Sparsity, nonzero
from motionc.program.evaluate import evaluate
from motionc.program.port import Note, Port, Precision, as_columns, uncarried
from motionc.program.program import Program
from motionc.program.source import Along, Kind, Programmed, Source
from motionc.program.space import Flat

Array = np.ndarray[Any, np.dtype[np.float64]]


class Derived:
    """J dx (jvp), Jᵀ ȳ (vjp) or J itself, of outputs with respect to inputs.

    In tangent coordinates q changes per unit of v; in ambient ones entry by entry, as every other input does.
    `table` has the program of J, where sweeps know it. `options` say the same as data.
    """

    def __init__(
        self,
        source: Source,
        kind: Kind,
        of: tuple[str, ...],
        wrt: tuple[str, ...],
        coordinates: Along = "tangent",
        *,
        sparse: bool = False,
        table: Programmed | None = None,
        options: Any = None,
    ) -> None:
        if coordinates not in get_args(Along):
            known = " or ".join(map(repr, get_args(Along)))
            raise Error(f"{source.name}: coordinates is {coordinates!r}; say {known}")
        if sparse and (len(of), len(wrt)) != (1, 1):
            raise Error(f"{source.name}: sparse=True takes one output and one input at a time, each by its name")
        self.source, self._table = source, table
        self.kind: Kind = kind
        self.coordinates: Along = coordinates
        self.of, self.wrt, self.sparse, self.options = of, wrt, sparse, options
        self.name = title(source.name, kind, of, wrt)
        self.robot, self.own, self.open = source.robot, source.own, source.open
        self.precision: Precision = source.precision
        found = named(source.name, "output", of, source.outputs)
        given = named(source.name, "input", wrt, source.inputs)
        sizes = {p.name: self._tangents[p.name].size if p.name in self._tangents else p.size for p in given}
        self.inputs, self.outputs = uncarried(source.inputs), tuple[Port, ...]()
        if kind == "jvp":
            self.inputs += change_ports(source.inputs, given, [*sizes.values()])
            self.outputs = tuple(change_port(port) for port in found)
        elif kind == "vjp":
            self.inputs += tuple(weight_port(port) for port in found)
            self.outputs = tuple(weight_port(port, sizes[port.name]) for port in given)
        else:
            pairs = [(port, other) for port in found for other in given]
            self.outputs = tuple(derivative_port(a, b, sizes[b.name]) for a, b in pairs)
        if sparse:
            self.outputs = self.program.outputs

    @property
    def program(self) -> Program:
        """Its program, written when it is first asked for."""
        return self._program

    @cached_property
    def _program(self) -> Program:
        program = self._written()
        return replace(program, inputs=uncarried(program.inputs))

    def _written(self) -> Program:
        asked = self.source.program, self.of, self.wrt, self._tangents
        if self.kind == "jvp":
            return differentiate.pushforward(*asked)
        return differentiate.pullback(*asked) if self.kind == "vjp" else self._entries[0]

    @property
    def sparsity(self) -> Sparsity:
        """Where the derivative may differ from zero, rows counted through the output and columns through the input."""
        if self.kind != "derivative" or len(self.of) != 1 or len(self.wrt) != 1:
            raise Error(
                f"{self.name} is not the derivative of one output with respect to one input: it has no sparsity"
            )
        return self._entries[1]

    @cached_property
    def _entries(self) -> tuple[Program, Sparsity]:
        if self._table is None:
            found = differentiate.jacobian(self.source.program, self.of, self.wrt, self._tangents)
        else:
            found = differentiate.Entries(self._table.program, nonzero(self._table.program))
        pattern = Sparsity.of(found.nonzero[0])
        return differentiate.nonzeros(found.program, pattern) if self.sparse else found.program, pattern

    @cached_property
    def _tangents(self) -> Mapping[str, Tangent]:
        """The directions of inputs that do not simply change entry by entry: configurations."""
        if self.coordinates == "ambient":
            return {}
        curved = [port for port in self.source.inputs if not isinstance(port.space, Flat)]
        return {port.name: Tangent(port.space.tangent, port.space.change) for port in curved}

    def recorded(self) -> Program:
        """Its program: it is written from one that has been through the passes."""
        return self.program

    def readable(self, program: Program) -> Program:
        """Names are those of whom it is a derivative."""
        return self.source.readable(program)

    def identity(self, options: Any = None) -> str | None:
        """That of whom it is a derivative, and what is asked; None where that was not said as data."""
        asked = self.options if options is None else options
        return None if asked is None else self.source.identity(asked)

    def derived(
        self, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, *, sparse: bool = False
    ) -> "Derived":
        """A derivative of this derivative."""
        asked = {"kind": kind, "of": of, "wrt": wrt, "coordinates": coordinates, "sparse": sparse}
        told = hasattr(self.options, "source")  # others are known by their programs alone
        options = replace(self.options, source=self.options, **asked) if told else self.options
        return Derived(self, kind, of, wrt, coordinates, sparse=sparse, options=options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.source, self.kind, self.of, self.wrt, self.coordinates, self.sparse)

    # ---------------------------------------------------------------- readings

    def check(self) -> None:
        """The check reading of the solver it comes from."""
        self.source.check()

    def run(self, *values: Any, trace: Any = None, **_: Any) -> dict[str, Array]:
        """The program on NumPy's numbers."""
        if trace is not None:
            self.steps()
        return evaluate(self.program, as_columns(self.name, self.inputs, values))

    def steps(self, *_: Any, **__: Any) -> NoReturn:
        raise Error(f"{self.name} is made of instructions, not of sweeps; step through {self.source.name} instead")

    def notes(self, _: Mapping[str, Any]) -> list[Note]:
        return []


def _again(
    source: Source, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, sparse: bool
) -> Source:
    """What was pickled or copied."""
    return source.derived(kind, of, wrt, coordinates, sparse=sparse)
