"""Closed loops: a plant and whoever controls it, wired by name and meaning, as one loop in time.

    turn    sensors → controller → happenings → actuators → step

What a controller calls q, v and wrench is what sensors measure of them, where some do. What nobody in the loop gives
is held: given once with a run, or streamed in.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations.wired import source_of
from motionc.errors import Error, suggestion
from motionc.program.foreign import Foreign
from motionc.program.looping import Course, LoopSource
from motionc.program.noise import Kind
from motionc.program.port import Port, State
from motionc.program.source import Source
from motionc.program.space import Near
from motionc.program.wiring import Wiring, outside_ports, parts_by_name, wiring
from motionc.runtime.computation import Computation
from motionc.runtime.loops import LoopComputation
from motionc.simulate.declarations import Declared
from motionc.simulate.drives import motors_of
from motionc.simulate.loops import Loop
from motionc.simulate.plant import Plant

Controller = Computation | Sequence[Computation] | Mapping[str, Computation] | Callable[..., Any] | None

OFTEN = 0.01
"""Seconds from one row to the next, where nobody says what is logged."""
USUAL = ("q", "v", "motor_force", "contact_force", "contact_point")
"""What is logged then."""
NOISE = "_noise"
"""How what sensors draw is called at its end."""
BACK = {
    "q": "q_next",
    "v": "v_next",
    "a": "a_mean",
    "f_ext": "happenings.f_ext",
    "contact_force": "contact_force",
    "contact_point": "contact_point",
}
"""What parts read of the turn before, and what gave it there."""


def closed(
    plant: Plant,
    controller: Controller = None,
    *,
    rate: int = 1,
    log: Mapping[str, int] | Sequence[str] | None = None,
    streamed: Sequence[str] = (),
    feeds: Mapping[str, str] | None = None,
    until: str = "",
    declared: Declared | None = None,
    name: str = "",
) -> Loop:
    """A plant with its controller as one loop in time: sensors, controller, happenings, actuators, step.

    >>> import motionc as mc
    >>> plant = mc.simulate.Plant(mc.load("planar2"))
    >>> loop = mc.simulate.closed(plant, mc.control.pd(plant.robot, 10.0, 1.0))
    >>> run = loop({"q": [0.3, 0.1], "v": [0.0, 0.0]}, target=[0.3, 0.1], seconds=0.1)
    >>> run.q.shape, run.finite
    ((10, 2), True)

    Args:
        plant: what is controlled.
        controller: a computation, several in the order in which they run, or a function in Python whose arguments
            have the names of what it reads, and which returns the command; None where that comes from outside.
        rate: steps of the plant from one run of the controller to the next.
        log: what is written down, every turn, or {name: turns between rows}; q, v, what motors make, contact forces
            and where they act every 0.01 s unless said.
        streamed: what is given anew each turn, (K, …); all else that nobody gives is held.
        feeds: {input: output} in one turn, where names do not tell.
        until: an output that ends a run where it is not 0.
        declared: bands, tubes, modes and events of its runs, which the viewer and reports show.
        name: of the loop.
    """
    checked.instance("closed: plant", plant, Plant, "give a mc.simulate.Plant(…) or MujocoPlant(…)")
    deciding = _deciding(plant, controller)
    parts: dict[str, Source] = {
        **{key: part.solver for key, part in plant.measuring.items()},
        **deciding,
        **{key: source_of("closed", part) for key, part in plant.moving.items()},
    }
    for taken in {*deciding} & {*plant.measuring, *plant.moving}:
        raise Error(f"closed: a controller is called {taken!r}, and so is a part of the plant; give it another name")
    called = checked.name("closed: name", name, "give a name", empty=True) or "closed"
    said = checked.instance("closed: feeds", {} if feeds is None else feeds, Mapping, "give {input: output}")
    wires = wiring(called, parts, {**_measured(plant, deciding), **plant.feeds, **said})
    _expect_command(plant, wires, deciding)
    every = checked.whole("closed: rate", rate, 1, "give a whole number of steps ≥ 1")
    course = _course(plant, wires, dict.fromkeys(deciding, every), _logged(plant, wires, log), streamed, until)
    if declared is not None:
        checked.instance("closed: declared", declared, Declared, "give mc.simulate.Declared(bands=[…], tubes=[…])")
    return Loop(plant, LoopComputation(LoopSource(wires, course)), declared)


# ---------------------------------------------------------------- who decides


def _deciding(plant: Any, controller: Controller) -> dict[str, Source]:
    """The controller's parts, by name."""
    if controller is None:
        return {}
    if isinstance(controller, Computation):
        return {controller.name: controller.solver}
    if callable(controller):
        return {"controller": _function(plant, controller)}
    return parts_by_name("closed: controller", controller, partial(source_of, "closed: controller"))


def arguments_of(what: str, function: Any, wanted: str) -> Mapping[str, inspect.Parameter]:
    """What a function takes, by name; refused where nobody can know."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        raise checked.refusal(what, function, wanted) from None


def _function(plant: Any, function: Callable[..., Any]) -> Foreign:
    """A function in Python as a part: its arguments are inputs by name, its answer the command."""
    known = {port.name: port for part in plant.parts.values() for port in (*part.inputs, *part.outputs)}
    inputs = list[Port]()
    for argument in arguments_of("closed: controller", function, "give a function whose arguments have names").values():
        if argument.kind not in (argument.POSITIONAL_OR_KEYWORD, argument.KEYWORD_ONLY):
            raise Error("closed: controller: its arguments must have names, those of what it reads: def control(q, v)")
        if argument.name not in known and argument.name != "time":
            if argument.default is not argument.empty:
                continue
            raise Error(
                f"closed: controller: it reads {argument.name!r}, which the plant does not have"
                f"{suggestion(argument.name, known)}; a function knows what is around it, and an mc.block may read "
                "what a run is given"
            )
        inputs.append(known.get(argument.name) or Port("time", (), "s", "since the run began"))
    command = plant.command

    def advance(**given: Any) -> Mapping[str, Any]:
        answer = function(**given)
        return answer if isinstance(answer, Mapping) else {command.name: answer}

    plain = [Port(p.name, p.shape, p.unit, p.meaning, p.space, p.relation) for p in inputs]
    return Foreign("controller", advance, plain, [command], who="a function in Python", robot=plant.robot)


def _measured(plant: Any, deciding: Mapping[str, Source]) -> dict[str, str]:
    """A controller's q and v are those that sensors measure, its wrench that of a force/torque sensor."""
    found = dict[str, str]()
    given = [(name, port.name) for name, part in plant.measuring.items() for port in part.outputs]
    for seen, end in (("q", "q_measured"), ("v", "v_measured"), ("wrench", "_wrench")):
        givers = [f"{name}.{port}" for name, port in given if port.endswith(end)]
        for part, source in deciding.items():
            if givers and any(port.name == seen for port in source.inputs):
                found[f"{part}.{seen}"] = givers[0]
    return found


def _expect_command(plant: Any, wires: Wiring, deciding: Mapping[str, Source]) -> None:
    """A controller must tell the actuators something."""
    command = plant.command.name
    if deciding and ("actuators", command) not in wires.feeds:
        given = [port.name for source in deciding.values() for port in source.outputs]
        raise Error(
            f"closed: {plant.robot.name}'s actuators want {command} ({plant.command.meaning}), and the controller "
            f"gives {', '.join(given)}; say feeds={{'actuators.{command}': …}}, or take other actuators"
        )


# ---------------------------------------------------------------- what comes from where


def _course(
    plant: Any, wires: Wiring, rates: dict[str, int], log: Mapping[str, int], streamed: Sequence[str], until: str
) -> Course:
    outside = {port.name: port for port in outside_ports(wires)}
    outputs = {port.name for source in wires.parts.values() for port in source.outputs if not isinstance(port, State)}
    lifted = {payload.parameter: f"happenings.{payload.parameter}" for payload in plant.payloads}
    known = {name: of for name, of in BACK.items() if of.rpartition(".")[2] in outputs} | lifted
    back = {name: of for name, of in known.items() if name in outside}
    read = [port.name for part in plant.measuring.values() for port in part.inputs]
    drawn: dict[str, Kind] = {name: "normal" for name in read if name in outside and name.endswith(NOISE)}
    flows = checked.names("closed: streamed", streamed, "name inputs") if streamed else ()
    for name in flows:
        if name not in outside:
            raise Error(f"closed: streamed: nothing reads {name!r} from outside{suggestion(name, outside)}")
    clock = "time" if "time" in outside else ""
    held = [name for name in outside if name not in {*back, *drawn, *flows, clock}]
    first = {name: (0.0,) * outside[name].size for name in back if name not in ("q", "v")}
    usual = {name: port.space.usual for name, port in outside.items() if isinstance(port.space, Near)}
    if not motors_of(plant.robot, plant.actuators):
        usual[plant.command.name] = np.zeros(plant.command.shape)  # nothing reads it
    nominal = {name: value for name, value in {**usual, **plant.nominal}.items() if name in held}
    start = {**first, **{name: tuple(map(float, value.ravel())) for name, value in nominal.items()}}
    return Course(back, held, flows, drawn, clock, rates, log, until, plant.dt, start)


def _logged(plant: Any, wires: Wiring, log: Mapping[str, int] | Sequence[str] | None) -> Mapping[str, int]:
    if log is None:
        known = {port.name for source in wires.parts.values() for port in source.outputs}
        rows = max(1, round(OFTEN / plant.dt))
        return {name: rows for name in USUAL if name in {"q", "v", *known}}
    if isinstance(log, Mapping):
        return {
            checked.name("closed: log", name, "name outputs"): checked.whole(f"closed: log: {name}", turns, 1)
            for name, turns in log.items()
        }
    return dict.fromkeys(checked.names("closed: log", log, "name outputs"), 1)
