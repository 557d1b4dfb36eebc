"""What machines, monitors and trajectories have in common: ports, and one tick written on values, as a computation."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from motionc import checked
from motionc.errors import Error
from motionc.program.block import Block, written
from motionc.program.port import Port, Precision
from motionc.program.space import Choices
from motionc.runtime.computation import Computation


class Part(ABC):
    """Something that is ticked: data with ports."""

    @property
    @abstractmethod
    def called(self) -> str:
        """What its function is called unless said."""

    @property
    @abstractmethod
    def equation(self) -> str:
        """What it computes, in a line."""

    @property
    @abstractmethod
    def inputs(self) -> Sequence[Port]:
        """What it reads, and what it carries from tick to tick."""

    @property
    @abstractmethod
    def outputs(self) -> Sequence[Port]:
        """What it gives besides."""

    @abstractmethod
    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """One tick: from the values of all inputs by name to those of outputs and states."""

    def computation(self, name: str = "", *, precision: Precision = "double") -> Computation:
        """One tick as a computation, to be wired with others; its state is carried from call to call.

        Args:
            name: what the function is called in emitted code.
            precision: "double", or "single" for float32 arrays.
        """
        name = checked.name("computation: name", name, "give a name", empty=True) or self.called
        checked.one_of("computation: precision", precision, get_args(Precision))
        names = [port.name for port in self.inputs]
        program = written(
            name,
            lambda *given: self.tick(dict(zip(names, given, strict=True))),
            self.inputs,
            self.outputs,
            self.equation,
        )
        return Computation(Block(program, precision))


def event_port(name: str) -> Port:
    """An event as an input or output."""
    return Port(name, (), "1", "event: 1 where it is seen in this tick, else 0", space=Choices(1, 2))


def reset_name(port: str) -> str:
    return f"reset_{port}"


def reset_port(port: str) -> Port:
    """What tells a block that one of its state ports begins anew."""
    return Port(reset_name(port), (), "1", f"1 where {port} begins anew in this tick, else 0", space=Choices(1, 2))


def seconds(what: str, value: Any) -> float:
    """A time that passes."""
    return checked.number(what, value, "give seconds > 0", fits=lambda time: time > 0)


def ticks(what: str, held: float, dt: float | None) -> int:
    """How many ticks a time is, the last one begun."""
    if not held:
        return 0
    if dt is None:
        raise Error(f"{what}: held for {held:g} s, but how long is a tick? Say dt= (s)")
    if held / dt > 1e6:
        raise Error(f"{what}: {held:g} s are more than a million ticks of {dt:g} s; choose less")
    return math.ceil(held / dt - 1e-9)
