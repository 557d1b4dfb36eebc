"""The gradient through a loop in time: the same loop backwards, over the states that a run has recorded.

    forward    s_k+1, y_k = f(s_k, h, u_k)              every s_k is written down
    backward   s̄_k, h̄_k, ū_k = fᵀ(s_k, …) (s̄_k+1, ȳ_k)    from the last turn to the first; h̄_k add up

f is a turn of all parts wired into one program, fᵀ its pullback, entry by entry. Both ways are loops like any other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from motionc.errors import Error
from motionc.program.block import Block, written
from motionc.program.derive.derived import Derived
from motionc.program.looping import Course, LoopSource
from motionc.program.port import Port, State
from motionc.program.program import Program
from motionc.program.wired import Wired
from motionc.program.wiring import wiring

TURN, WEIGHTS, SUMS = "turn", "weights", "sums"


@dataclass(frozen=True)
class Backward:
    """Both ways of a loop, and how they hang together.

    `recorded` are inputs of a turn that the way back is given again, turn by turn; `logged` says of each log which
    input of the way back its weights are, and `carried` the same of what is carried on.
    """

    forward: LoopSource
    back: LoopSource
    recorded: tuple[str, ...]
    logged: Mapping[str, str]
    carried: Mapping[str, str]


def backward(source: LoopSource, wrt: Sequence[str]) -> Backward:
    """The way back through a loop, with respect to what is carried, and to these of what is held and streamed in."""
    loop, course, wires = source.program, source.course, source.wires
    _expect_plain(loop.name, course)
    states = [buffer.name for _, buffer in loop.states]
    own = [name for name in states if name not in course.feedback]
    between = [log.name for log in loop.logs if loop.buffers[log.buffer].role == "local"]

    # a turn, and what of it each name is
    fed = {name: _address(source, output) for name, output in course.feedback.items()}
    asked = list(dict.fromkeys([*fed.values(), *(_address(source, name) for name in between)]))
    turn = Wired(wires, asked)
    called = dict(zip(asked, (port.name for port in turn.outputs), strict=False))
    next_of = {**{name: called[address] for name, address in fed.items()}, **{name: name for name in own}}
    outputs = {port.name: port for port in turn.outputs}
    inputs = {port.name: port for port in turn.inputs}
    weighed = list(dict.fromkeys([*next_of.values(), *(called[_address(source, name)] for name in between)]))
    changed = [*states, *(name for name in wrt if name not in states)]
    pulled = Derived(turn, "vjp", tuple(weighed), tuple(changed), "ambient", options=turn.options)

    # weights of what is carried: from the turn after, and from rows that were logged
    carried = {name: f"{name} after" for name in states}
    rows, logged = dict[str, str](), dict[str, str]()
    becomes = {output: name for name, output in next_of.items()}
    for log in loop.logs:
        buffer = loop.buffers[log.buffer]
        output = called[_address(source, log.name)] if log.name in between else next_of.get(buffer.name, "")
        if output in becomes:
            rows[becomes[output]] = logged[log.name] = f"{becomes[output]} weights"
        elif output:
            logged[log.name] = f"{output}_bar"
    held = [name for name in wrt if name in course.held]
    parts: dict[str, Any] = (
        {WEIGHTS: Block(_weights(outputs, next_of, carried, rows), source.precision)} if states else {}
    )
    parts[TURN] = pulled
    known = {port.name for part in parts.values() for port in part.inputs}
    if held:
        parts[SUMS] = Block(_sums([inputs[name] for name in held]), source.precision)
    recorded = [name for name in inputs if name not in course.held]
    streamed = [*recorded, *logged.values()]
    back = Course(
        feedback={after: f"{TURN}.{name}_bar" for name, after in carried.items()},
        held=[name for name in course.held if name in known],
        streamed=[name for name in dict.fromkeys(streamed) if name in known],
        logged={f"{TURN}.{name}_bar": 1 for name in wrt if name in course.streamed},
        period=course.period,
    )
    every = dict.fromkeys([*states, *(b.name for _, b in loop.of("drawn", "clock"))], 1)
    every = every if states else {**course.logged, **every}  # there is no loop of which nothing is heard
    return Backward(
        LoopSource(wires, replace(course, logged=every)),
        LoopSource(wiring(f"{loop.name}_back", parts, {}), back),
        tuple(name for name in recorded if name in known),
        logged,
        carried,
    )


def _expect_plain(name: str, course: Course) -> None:
    if slow := [part for part, every in course.rates.items() if every > 1]:
        raise Error(f"{name}: a gradient goes through parts that run every turn, and {slow[0]} does not")
    if course.until:
        raise Error(f"{name}: a gradient goes through runs of one length; leave until= out")


def _address(source: LoopSource, output: str) -> str:
    (address,) = source.wires.find("vjp", output, "output")
    return ".".join(address)


def _weights(
    outputs: Mapping[str, Port], next_of: Mapping[str, str], carried: Mapping[str, str], rows: Mapping[str, str]
) -> Program:
    """s̄_k+1: what the turn after says, and the row that was logged."""
    after = [Port(carried[name], outputs[to].shape, "", f"gradient of {name}") for name, to in next_of.items()]
    logged = [Port(port, outputs[next_of[name]].shape, "", f"weights of rows of {name}") for name, port in rows.items()]
    found = {to: Port(f"{to}_bar", outputs[to].shape, "", f"gradient of {to}") for to in next_of.values()}

    def add(*values: Any) -> dict[str, Any]:
        given = dict(zip((port.name for port in (*after, *logged)), values, strict=True))
        bars = dict.fromkeys((port.name for port in found.values()), 0.0)
        for name, to in next_of.items():  # one output may become several states
            bars[f"{to}_bar"] += given[carried[name]] + (given[rows[name]] if name in rows else 0.0)
        return bars

    return written(WEIGHTS, add, [*after, *logged], list(found.values()))


def _sums(ports: Sequence[Port]) -> Program:
    """h̄, turn by turn."""
    totals = [State(f"{port.name} total", port.shape, "", f"gradient of {port.name}") for port in ports]
    given = [Port(f"{port.name}_bar", port.shape, "", f"gradient of {port.name} in a turn") for port in ports]

    def add(*values: Any) -> dict[str, Any]:
        count = len(ports)
        return {total.name: values[count + k] + values[k] for k, total in enumerate(totals)}

    return written(SUMS, add, [*given, *totals])
