"""One cycle of a controller on a robot: its arguments in place, what a state gives, what stays, what is carried on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.interfaces import Nameplate, Reading
from motionc.errors import Error, suggestion
from motionc.program.port import Port, State
from motionc.runtime.computation import Computation

Array = np.ndarray[Any, np.dtype[np.float64]]

STATE, CLOCKS = ("q", "v", "wrench"), ("time", "stamp")
"""Inputs that come with a state, and those that tell the time."""
COMMANDS: Mapping[str, Sequence[str]] = {
    "tau": ("tau", "tau_command"),
    "v_target": ("v_target", "v_command"),
    "q_target": ("q_target",),
}
"""What outputs that a robot is told may be called."""


class Ticking:
    """A controller with its arguments in place: what a state gives, what stays, what is carried on."""

    def __init__(
        self,
        nameplate: Nameplate,
        computation: Computation,
        given: Mapping[str, Any],
        state: Mapping[str, Any],
        log: Sequence[str],
        until: str,
    ) -> None:
        self.computation = computation
        inputs = {port.name: port for port in computation.inputs}
        outputs = [port.name for port in computation.outputs]
        self._places = {name: k for k, name in enumerate(inputs)}
        self._outputs, self._alone = {name: k for k, name in enumerate(outputs)}, len(outputs) == 1
        self.command = _expect_command(nameplate, computation)
        self._carried = [(self._places[port.name], self._outputs[port.name]) for port in computation.states]
        told = [name for name in STATE if name != "wrench" or nameplate.wrench]
        self._reads, self._clocks = (
            [(self._places[name], name) for name in names if name in inputs] for names in (told, CLOCKS)
        )
        self._fresh = list[tuple[int, Callable[[float], Any], Port]]()
        self.arguments: list[Any] = [None] * len(inputs)
        for port in computation.inputs:
            self._place(nameplate, port, given, state)
        carried = [port.name for port in computation.states]
        for name in state:
            if name not in carried:
                raise Error(f"operate: state: {computation.name} carries no {name!r}{suggestion(str(name), carried)}")
        for name in given:
            if name not in inputs or name in (*told, *CLOCKS) or isinstance(inputs[name], State):
                raise Error(f"operate: given: {computation.name} takes no {name!r}{suggestion(str(name), inputs)}")
        self.logged = checked.names("operate: log", log, "name inputs and outputs of the controller")
        for name in (*self.logged, *([until] if until else [])):
            if name not in self._places and name not in self._outputs:
                known = [*self._places, *self._outputs]
                raise Error(f"operate: {computation.name} has nothing called {name!r}{suggestion(name, known)}")
        self._until = self._outputs.get(checked.name("operate: until", until, "name an output", empty=True))
        self.answer: Any = ()

    def _place(self, nameplate: Nameplate, port: Port, given: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """What an input gets, or how."""
        sizes = {"q": (nameplate.nq,), "v": (nameplate.nv,), "wrench": (6,), "time": (), "stamp": ()}
        where = self._places[port.name]
        if isinstance(port, State):
            first = np.array(port.start, float).reshape(port.shape)
            self.arguments[where] = self._fitting(port, state.get(port.name, first))
        elif port.name in (*STATE, *CLOCKS) and not (port.name == "wrench" and port.name in given):
            if port.name == "wrench" and not nameplate.wrench:
                raise Error(
                    f"operate: {self.computation.name} reads a wrench, and {nameplate.robot} measures none; give it a "
                    "sensor, or say what is felt: given={'wrench': …}"
                )
            if port.shape != sizes[port.name]:
                raise Error(
                    f"operate: {port.name} of {self.computation.name} has shape {port.shape}, and that of "
                    f"{nameplate.robot} {sizes[port.name]}; make it of the robot's model"
                )
        elif port.name not in given:
            raise Error(f"operate: {port.name} is missing, which {self.computation.name} reads: {port.meaning}")
        elif callable(given[port.name]):
            self._fresh.append((where, given[port.name], port))
        else:
            self.arguments[where] = self._fitting(port, given[port.name])

    def _fitting(self, port: Port, value: Any) -> Any:
        wanted = f"give finite numbers of shape {port.shape} ({port.meaning})"
        return checked.numbers(f"operate: {port.name}", value, wanted, port.shape)

    def tick(self, reading: Reading, stamp: float, time: float) -> Array:
        """One call: the command."""
        arguments = self.arguments
        for where, name in self._reads:
            arguments[where] = getattr(reading, name)
        for where, name in self._clocks:
            arguments[where] = time if name == "time" else stamp
        for where, function, port in self._fresh:
            arguments[where] = self._fitting(port, function(time))
        answer = self.computation(*arguments)
        self.answer = answer = (answer,) if self._alone else answer
        for where, of in self._carried:
            arguments[where] = tuple.__getitem__(answer, of)
        return tuple.__getitem__(answer, self.command)

    @property
    def ended(self) -> bool:
        return self._until is not None and bool(np.any(self.answer[self._until]))

    def row(self) -> dict[str, Any]:
        """What is logged of this cycle: outputs, and inputs that are none."""
        found = dict[str, Any]()
        for name in self.logged:
            of = self._outputs.get(name)
            found[name] = self.arguments[self._places[name]] if of is None else self.answer[of]
        return found

    @property
    def state(self) -> dict[str, Any]:
        return {port.name: self.arguments[self._places[port.name]] for port in self.computation.states}


def _expect_command(nameplate: Nameplate, computation: Computation) -> int:
    """Which output is the command."""
    for k, port in enumerate(computation.outputs):
        if port.name in COMMANDS[nameplate.command]:
            if port.size != nameplate.entries:
                raise Error(
                    f"operate: {port.name} of {computation.name} has {port.size} numbers, and {nameplate.robot} is "
                    f"told {nameplate.entries}; make it of the robot's model"
                )
            return k
    names = ", ".join(port.name for port in computation.outputs)
    raise Error(
        f"operate: {nameplate.robot} is told {nameplate.command}, and {computation.name} gives {names}; take a "
        f"controller that gives {' or '.join(COMMANDS[nameplate.command])}"
    )
