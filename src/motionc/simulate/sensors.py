"""What does a controller see of the truth? Sensors as data, and the block in which what is true becomes a reading.

    reading    true + bias + deviation · noise, some cycles later; no more than `most` where a sensor ends

Noise is an input NAME_noise of normal numbers of mean 0 and deviation 1, which a loop draws; scaled here. Where it
is given as a density (per √Hz) a reading deviates by density/√dt. What is true is computed by what is there already:
kinematics, motion of frames, inverse dynamics. A sensor that has read nothing yet was always where it is now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from motionc import checked
from motionc.control.part import Part, seconds
from motionc.control.trajectories import entries
from motionc.geometry.control_words import within
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, State
from motionc.runtime.computation import Computation
from motionc.simulate.actuators import understood_delay
from motionc.simulate.delay import arriving, begun_or
from motionc.solvers.arguments import checked_gravity
from motionc.solvers.constraint import FRAME, Force
from motionc.solvers.contact import Contact
from motionc.sweeps.options import Check, Understood
from motionc.sweeps.parameters import parameter_names, resolve_parameters
from motionc.sweeps.problem import STANDARD_GRAVITY


@dataclass(frozen=True)
class Scene:
    """What acts on a robot where its sensors are: contacts of a plant and its forces, in order, gravity, and which
    constants of the robot are inputs.
    """

    contacts: Sequence[Contact] = ()
    forces: Sequence[Force] = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Sequence[str] = ()

    def open(self, *kinds: str) -> tuple[str, ...]:
        """Those of the constants that are inputs that a sensor knows of."""
        return tuple(name for name in self.parameters if name.rpartition(".")[2] in kinds)


def understood_name(what: str, given: Any) -> str:
    wanted = "give a name of letters, digits and underscores, of which ports are called"
    if not checked.name(what, given, wanted).isidentifier():
        raise checked.refusal(what, given, wanted)
    return given


def understood_offsets(what: str, given: Any) -> Any:
    """Finite numbers of any sign: one, by joint, or in the order of v."""
    for value in given.values() if isinstance(given, Mapping) else (given,):
        checked.numbers(what, value, "give finite numbers")
    return given


def understood_joints(what: str, given: Any) -> tuple[str, ...]:
    found = checked.names(what, given, "give a list of joints' names")
    if not found or len({*found}) < len(found):
        raise checked.refusal(what, given, "name at least one joint, each once")
    return found


def understood_frame(what: str, given: Any) -> str:
    return checked.name(what, given, FRAME)


def understood_deviation(what: str, given: Any) -> float:
    return checked.number(what, given, "give a finite number ≥ 0", fits=lambda deviation: deviation >= 0)


def understood_bias(count: int) -> Check:
    def understood(what: str, given: Any) -> tuple[float, ...]:
        wanted = f"give {count} finite numbers"
        return tuple(map(float, checked.numbers(what, given, wanted, (count,))))

    return understood


@dataclass(frozen=True, kw_only=True)
class Sensor(Understood):
    """What all sensors have: a name, of which their ports are called, and readings that arrive late.

    Args:
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    understood: ClassVar[Mapping[str, Check]] = {
        "name": understood_name,
        "frame": understood_frame,
        "delay": understood_delay,
    }

    name: str
    delay: int = 0

    def __str__(self) -> str:
        return f"{self.called}({super().__str__()})"

    def computation(
        self,
        robot: Robot,
        dt: float,
        precision: Precision = "double",
        *,
        contacts: Sequence[Contact] = (),
        forces: Sequence[Force] = (),
        gravity: Sequence[float] = STANDARD_GRAVITY,
        parameters: Sequence[str] = (),
    ) -> Computation:
        """What it reads of a robot once a cycle, as a computation.

        Args:
            robot: the robot.
            dt: seconds a cycle.
            precision: "double", or "single" for float32 arrays.
            contacts: those that act on it, in the order of contact_force and contact_point.
            forces: other wrenches that do, in the order of f_ext.
            gravity: acceleration of free fall in world axes (m/s²).
            parameters: constants of the robot that are inputs, "LINK.mass", "FRAME.payload" …; those that it feels.
        """
        called = self.called
        checked.instance(f"{called}: robot", robot, Robot, "load one: mc.load(…)")
        fall = checked_gravity(f"{called}: gravity", gravity)
        named = parameter_names(f"{called}: parameters", parameters)
        scene = Scene(
            _several(f"{called}: contacts", contacts, Contact),
            _several(f"{called}: forces", forces, Force),
            fall,
            tuple(one.name for one in resolve_parameters(called, robot, named, fall)),
        )
        return self.reading(robot, seconds(f"{called}: dt", dt), scene, precision)

    def reading(self, robot: Robot, dt: float, scene: Scene, precision: Precision) -> Computation:
        """The computation, of arguments that are understood."""
        raise NotImplementedError


def _several(what: str, given: Any, kind: type[Any]) -> tuple[Any, ...]:
    wanted = f"give a list of {kind.__name__}(…)"
    return tuple(checked.instance(what, one, kind, wanted) for one in checked.several(what, given, wanted, kind))


# ---------------------------------------------------------------- from what is true to what is read


@dataclass(frozen=True)
class Channel:
    """What of an input is read, as what, how far off and within which limits; a number an entry."""

    true: Port
    entries: slice
    read: Port
    bias: Sequence[float]
    deviation: Sequence[float]
    most: float | None = None


@dataclass(frozen=True)
class Readings(Part):
    """What is true as a sensor reads it: off by a bias and by noise, and late."""

    name: str
    dt: float
    delay: int
    channels: Sequence[Channel]

    @property
    def called(self) -> str:
        return self.name

    @property
    def equation(self) -> str:
        return f"reading = true + bias + deviation * noise, {self.delay} cycles late"

    @property
    def noisy(self) -> int:
        """How many entries have noise."""
        return sum(deviation > 0 for channel in self.channels for deviation in channel.deviation)

    @property
    def inputs(self) -> Sequence[Port]:
        line = self.delay * sum(channel.read.size for channel in self.channels)
        true = {channel.true.name: replace(channel.true) for channel in self.channels}
        noise = Port(f"{self.name}_noise", (self.noisy,), "1", f"noise of {self.name}: mean 0, deviation 1")
        return (
            *true.values(),
            *((noise,) if self.noisy else ()),
            *late_states(self.name, line, "various"),
            *((begun_state(self.name),) if line else ()),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return [channel.read for channel in self.channels]

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        noise = list(given.get(f"{self.name}_noise", ()))
        read = list[Any]()
        for channel in self.channels:
            true = np.ravel(given[channel.true.name])[channel.entries]
            for value, bias, deviation in zip(true, channel.bias, channel.deviation, strict=True):
                if deviation > 0:
                    drawn, *noise = noise
                    value = value + deviation * drawn
                value = value + bias
                read.append(value if channel.most is None else within(value, 0.0, channel.most))
        arrived, states = late(self.name, read, self.delay, given)
        found = dict[str, Any]()
        for channel in self.channels:
            own, arrived = arrived[: channel.read.size], arrived[channel.read.size :]
            found[channel.read.name] = entries(own).reshape(channel.read.shape) if channel.read.shape else own[0]
        return {**found, **states}


def late_states(name: str, count: int, unit: str) -> tuple[State, ...]:
    """The state of readings that are late, so many entries; none where they are not."""
    return (State(f"{name}_before", (count,), unit, "readings on their way, newest first"),) if count else ()


def begun_state(name: str) -> State:
    return State(f"{name}_begun", (), "1", "1 as soon as the first reading was taken")


def late(name: str, read: Sequence[Any], delay: int, given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """What arrives of readings after so many cycles, and the state then."""
    if not delay:
        return list(read), {}
    before = begun_or(given[f"{name}_begun"], list(given[f"{name}_before"]), read)
    arrived, after = arriving(read, before)
    return arrived, {f"{name}_before": entries(after), f"{name}_begun": 1.0}
