"""Which inputs a schedule of one's own has: those that it reads or a user names, and constants in their place."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry.coordinates import Coordinates
from motionc.model.robot import Robot
from motionc.program.names import is_word
from motionc.program.port import Port
from motionc.solvers.arguments import a_port, q_port, tau_port, v_port, wrench_ports
from motionc.sweeps.problem import STANDARD_GRAVITY

INPUTS = "give names of inputs, or a Port of your own"
WRENCHES = ("f_ext", "f_art")
MADE_BY = {"f_ext": "external_forces", "f_art": "artificial_forces", "b": "constraints"}
"""Inputs that are there where somebody says so, and what says it."""


def known_ports(robot: Robot, asked: Any, *of_rows: Port) -> tuple[Port, ...]:
    """Every input there is, in order; optional ones last."""
    return (
        q_port(robot),
        v_port(robot),
        tau_port(robot, "force each motor makes"),
        a_port(robot),
        *of_rows,
        *wrench_ports("f_ext", asked.external_forces),
        tau_port(robot, "joint forces that act anyway", "tau_physical"),
        *wrench_ports("f_art", asked.artificial_forces),
    )


def held_constant(name: str, port: str, value: Any, known: Mapping[str, Port]) -> Coordinates:
    if port not in known:
        raise Error(f"{name}: constants={port!r}: there is no such input{suggestion(port, known)}")
    size = known[port].size
    wanted = f"give one finite number, or {size} of them"
    values = checked.numbers(f"{name}: constants: {port}", value, wanted).ravel()
    if values.size not in (1, size):
        raise checked.refusal(f"{name}: constants: {port}", value, wanted)
    return np.broadcast_to(values, (size,)).reshape(-1, 1)


def told_ports(name: str, inputs: Sequence[str | Port], known: Mapping[str, Port]) -> dict[str, Port]:
    """The inputs a user named; wrenches come last unless they were named too."""
    ports: dict[str, Port] = {}
    for said in inputs:
        checked.instance(f"{name}: inputs", said, (str, Port), INPUTS)
        if isinstance(said, str) and said not in known:
            hint = f"; {MADE_BY[said]}=[…] makes it" if said in MADE_BY else suggestion(said, known)
            raise Error(
                f"{name}: inputs={checked.shown(said)}: there is no such input{hint}; a Port(…) of your own is one, too"
            )
        port = known[said] if isinstance(said, str) else said
        if port.name in ports or (port.name in known and port != known[port.name]):
            raise Error(f"{name}: there is an input {port.name!r} already; give each a name of its own")
        if not is_word(port.name):
            raise Error(f"{name}: an input cannot be called {port.name!r}; take a plain word such as stiffness")
        ports[port.name] = port
    return ports | {name: known[name] for name in WRENCHES if name in known and name not in ports}


def read_ports(name: str, asked: set[str], known: Mapping[str, Port], fixed: Mapping[str, Any]) -> tuple[Port, ...]:
    """The inputs that were read, and wrenches wherever some act."""
    for port in sorted(asked - known.keys() - fixed.keys() - {"gravity"}):
        raise Error(
            f"{name}: the schedule reads an input {port!r} that is not one of {', '.join(known)}; say what it is: "
            f'inputs=["q", …, Port("{port}", shape, unit, meaning)]'
        )
    return tuple(port for port in known.values() if port.name in asked - fixed.keys() or port.name in WRENCHES)


def refuse_unread(
    name: str, asked: set[str], ports: tuple[Port, ...], fixed: Mapping[str, Any], gravity: Sequence[float]
) -> None:
    """What is given is read, what is read is given."""
    given = {port.name for port in ports}
    for port in sorted(given & fixed.keys()):
        raise Error(f"{name}: {port!r} is both an input and a constant; say one of them")
    for port in sorted(asked - given - fixed.keys() - {"gravity"}):
        raise Error(f"{name}: the schedule reads {port!r}; add it to inputs=, or hold it: constants={{{port!r}: 0}}")
    for port in sorted((given | fixed.keys()) - asked):
        raise Error(f"{name}: no operation of the schedule reads {port!r}; leave it out{READERS.get(port, '')}")
    if tuple(gravity) != STANDARD_GRAVITY and "gravity" not in asked:
        raise Error(f"{name}: no operation of the schedule asks how things fall; leave out gravity=")


READERS = {"f_ext": ', or let schedules.INVERSE_DYNAMICS["apply_wrenches"] bring the external_forces to their bodies'}


def at_rest(robot: Robot, ports: tuple[Port, ...]) -> dict[str, Coordinates]:
    """Some numbers for every input: the robot at rest in its neutral configuration."""
    return {port.name: (robot.neutral() if port.name == "q" else np.zeros(port.size)).reshape(-1, 1) for port in ports}
