"""Closed loops: a plant and whoever controls it, wired by name and meaning, as one loop in time.

    turn    sensors → controller → happenings → actuators → step

What a controller calls q and v is what sensors measure of them, where some do. What nobody in the loop gives is held:
given once with a run, or streamed in.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations.wired import source_of
from motionc.control.stability import can_be_weighed, notes_of, stability_note
from motionc.errors import Error, suggestion
from motionc.program.foreign import Foreign
from motionc.program.looping import Course, LoopSource
from motionc.program.noise import Kind
from motionc.program.port import Port, State
from motionc.program.source import Source
from motionc.program.space import Near
from motionc.program.wiring import Wiring, outside_ports, parts_by_name, wiring
from motionc.runtime.arrays.device_loop import DeviceLoop
from motionc.runtime.computation import Computation
from motionc.runtime.loop_arguments import started
from motionc.runtime.loop_gradient import LoopGradient
from motionc.runtime.loops import LoopComputation
from motionc.simulate.drives import motors_of
from motionc.simulate.plant import Plant
from motionc.simulate.recording import Recording
from motionc.simulate.runs import Run

Controller = Computation | Sequence[Computation] | Mapping[str, Computation] | Callable[..., Any] | None

OFTEN = 0.01
"""Seconds from one row to the next, where nobody says what is logged."""
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
    name: str = "",
) -> "Loop":
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
        log: what is written down, every turn, or {name: turns between rows}; q, v, what motors make and contact forces
            every 0.01 s unless said.
        streamed: what is given anew each turn, (K, …); all else that nobody gives is held.
        feeds: {input: output} in one turn, where names do not tell.
        until: an output that ends a run where it is not 0.
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
    return Loop(plant, LoopComputation(LoopSource(wires, course)))


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
    """A controller's q and v are those that sensors measure."""
    found = dict[str, str]()
    for seen, of in (("q", "q_measured"), ("v", "v_measured")):
        givers = [name for name, part in plant.measuring.items() if any(port.name == of for port in part.outputs)]
        for part, source in deciding.items():
            if givers and any(port.name == seen for port in source.inputs):
                found[f"{part}.{seen}"] = f"{givers[0]}.{of}"
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
        return {name: rows for name in ("q", "v", "motor_force", "contact_force") if name in {"q", "v", *known}}
    if isinstance(log, Mapping):
        return {
            checked.name("closed: log", name, "name outputs"): checked.whole(f"closed: log: {name}", turns, 1)
            for name, turns in log.items()
        }
    return dict.fromkeys(checked.names("closed: log", log, "name outputs"), 1)


def _of_drives(plant: Any) -> Iterator[str]:
    """What drives ask that steps cannot follow; springs in the step, and forces that lag, are another matter."""
    if "servo" in plant.moving or not can_be_weighed(plant.robot):
        return
    stiffness, damping = np.zeros((2, plant.robot.nv))
    for motor in motors_of(plant.robot, plant.actuators):
        if not any(motor.lags):
            stiffness[motor.space.v] = motor.numbers.get("stiffness", 0.0)
            damping[motor.space.v] = motor.numbers.get("damping", motor.numbers.get("gain", 0.0))
    if said := stability_note(plant.robot, [*stiffness], [*damping], plant.dt):
        yield f"actuators: {said}"


# ---------------------------------------------------------------- the loop


class Loop:
    """A closed loop: `run = loop(start, seconds=3.0)`, `many = loop.batch(starts, plants=1000, seconds=3.0)`."""

    def __init__(self, plant: Any, runs: LoopComputation) -> None:
        self.plant, self.runs = plant, runs

    @property
    def inputs(self) -> tuple[Port, ...]:
        """What a run is given: where it starts, what is held, what is streamed in."""
        return self.runs.inputs

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is to be feared: gains that steps of this length cannot follow, each in a sentence."""
        source = self.runs.source
        own = {*self.plant.measuring, *self.plant.moving}
        deciding = {name: part for name, part in source.wires.parts.items() if name not in own}
        spans = {name: self.plant.dt * source.course.rates.get(name, 1) for name in deciding}
        laws = [note for name, part in deciding.items() for note in notes_of(part, spans[name])]
        return *laws, *_of_drives(self.plant)

    @property
    def operations(self) -> Mapping[str, int]:
        """Arithmetic of a turn in which everything runs."""
        return self.runs.operations

    def __repr__(self) -> str:
        return repr(self.runs)

    def __call__(
        self,
        start: Any = None,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        lane: int = 0,
        turn: int = 0,
        plant: int | None = None,
        **given: Any,
    ) -> Run:
        """One run.

        Args:
            start: where it starts: {"q": …, "v": …}, what `plant.start()` gives, or the `state` of another run; with
                `turn=run.turns` the clock and the noise of that run go on, too.
            steps: so many, or
            seconds: so long.
            seed: of noise, and of plants that differ.
            lane: whose noise it is.
            turn: how many turns were made before.
            plant: which of the plants that differ, and its noise; the one in the file unless said, whatever `vary` is.
        """
        given = started("closed", start) | given
        if plant is not None:
            lane = checked.whole("closed: plant", plant, 0, "give the number of a plant ≥ 0")
            given = {name: value[0] for name, value in self._plants(seed, [lane]).items()} | given
        turns = self.runs.asked.turns(steps, seconds)
        record = self.runs(steps=turns, seed=seed, lane=lane, turn=turn, **given)
        return Run(self.plant, record, seed, self.notes, lane=lane, turn=turn, steps=turns, loop=self.runs, given=given)

    def batch(
        self,
        start: Any = None,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        plants: int | None = None,
        lanes: int | None = None,
        seed: int = 0,
        lane: int = 0,
        turn: int = 0,
        threads: int | None = None,
        **given: Any,
    ) -> Run:
        """Many runs at once, lanes in front; `plants=1000` are as many plants that differ as `vary` says."""
        given = started("closed", start) | given
        if plants is not None:
            lanes = checked.whole("closed: plants", plants, 1, "give how many plants, ≥ 1")
            first = checked.whole("closed: lane", lane, 0, "say which lane is the first")
            given = self._plants(seed, range(first, first + lanes)) | given
        turns = self.runs.asked.turns(steps, seconds)
        record = self.runs.batch(steps=turns, lanes=lanes, seed=seed, lane=lane, turn=turn, threads=threads, **given)
        return Run(self.plant, record, seed, self.notes, lane=lane, turn=turn, steps=turns, loop=self.runs, given=given)

    def replay(self, recording: Recording) -> Run:
        """The run of a recording once more, bit for bit: from the same start, with what was held and streamed in."""
        checked.instance("replay: recording", recording, Recording, "give a mc.simulate.Recording")
        given, how = recording.given(self.runs.source.course.streamed)
        return self.batch(given, lanes=1, **how) if recording.batch else self(given, **how)

    def on(self, device: str) -> DeviceLoop:
        """The same on a GPU, `"cuda"`: a lane a thread; it is called as `loop.runs` is, with arrays by name."""
        return self.runs.on(device)

    def emit(self, target: str, folder: str | Path, prefix: str = "", *, force: bool = False) -> list[Path]:
        """Write standalone sources of the whole loop: plant, controller and all."""
        return self.runs.emit(target, folder, prefix, force=force)

    def vjp(self, of: str | Sequence[str], wrt: str | Sequence[str]) -> LoopGradient:
        """The gradient of a weighted sum of logs, and of what is carried at the end."""
        return self.runs.vjp(of, wrt)

    def to_jax(self, *, steps: int | None = None, seconds: float | None = None, seed: int = 0) -> Callable[..., Any]:
        """So many turns as a function of JAX, under jit, vmap and reverse mode (`mc.loop(…).to_jax`)."""
        return self.runs.to_jax(steps=steps, seconds=seconds, seed=seed)

    def build(self, *, batch: bool = False) -> "Loop":
        """Build now what the first run would; with `batch`, what the first batch would, too."""
        self.runs.build(batch=batch)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Loop, (self.plant, self.runs)

    def _plants(self, seed: int, lanes: Any) -> dict[str, Any]:
        if not self.plant.varied:
            raise Error("closed: plants that differ, but the plant says in nothing: Plant(…, vary={'*.mass': 0.1})")
        return self.plant.plants(seed, lanes)
