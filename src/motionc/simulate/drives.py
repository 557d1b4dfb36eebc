"""Which forces do motors make of their commands? The actuators of a robot as one computation, ticked once a cycle.

Equations are in actuators.py. Joints that nothing drives, such as a floating base, have no motor: their force is 0.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.part import Part, seconds
from motionc.control.trajectories import entries
from motionc.errors import Error, suggestion
from motionc.geometry.control_words import within
from motionc.model.manifold import Space
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, State
from motionc.runtime.computation import Computation
from motionc.simulate.actuators import Actuator, Position
from motionc.simulate.delay import arriving, begun_or
from motionc.solvers.arguments import checked_actuated, q_port, tau_port, v_port
from motionc.solvers.gains import Gains, gains_in_order

Actuators = Actuator | Mapping[str, Actuator]
WANTED = "give Torque(), Velocity(…), Position(…), or {joint: one of these}"


def actuators_of(
    robot: Robot, dt: float, actuators: Actuators, *, name: str = "actuators", precision: Precision = "double"
) -> Computation:
    """The actuators of a robot as one computation: q, v and a command → motor_force, with what is late as state.

    The command is `tau`, `v_target` or `q_target`; where kinds are mixed it is `command`, in the order of v.

    >>> import motionc as mc
    >>> from motionc.simulate import Torque
    >>> motors = actuators_of(mc.load("planar2"), 1e-3, Torque(saturation=5.0))
    >>> motors([0, 0], [0, 0], [3.0, -7.0])
    array([ 3., -5.])

    Args:
        robot: the robot.
        dt: seconds a cycle.
        actuators: one for all joints that have motors, or {joint: actuator}; joints that are not named have none.
        name: of the computation.
        precision: "double", or "single" for float32 arrays.
    """
    return Drives(robot, seconds("actuators: dt", dt), motors_of(robot, actuators)).computation(
        name, precision=precision
    )


# ---------------------------------------------------------------- who drives what


@dataclass(frozen=True)
class Motor:
    """The motor of one joint: who drives it, its numbers for each coordinate."""

    actuator: Actuator
    space: Space
    numbers: Mapping[str, Sequence[float]]

    @property
    def lags(self) -> list[bool]:
        return [constant > 0 for constant in self.numbers["time_constant"]]


def motors_of(robot: Robot, actuators: Any) -> tuple[Motor, ...]:
    """The motors of a robot in the order of v; refused of joints that are not there, follow others, or have none."""
    checked.instance("actuators: robot", robot, Robot, "load one: mc.load(…)")
    driven = checked_actuated(robot, None)
    named = isinstance(actuators, Mapping)
    by_joint: dict[str, Any] = dict(actuators) if named else dict.fromkeys(driven, actuators)
    for joint, actuator in by_joint.items():
        checked.name("actuators: a joint", joint, WANTED)
        checked.instance(f"actuators: {joint}" if named else "actuators", actuator, Actuator, WANTED)
        if joint in robot.followers:
            raise Error(f"actuators: {joint} follows {robot.followers[joint][0]}; name that joint instead")
        if joint not in robot.v_index:
            raise Error(f"actuators: {robot.name} has no movable joint {joint!r}{suggestion(joint, robot.v_index)}")
        if joint not in driven:
            raise Error(f"actuators: no motor drives {joint} of {robot.name}; leave it out")
    if not by_joint and not named:
        checked.instance("actuators", actuators, Actuator, WANTED)
    found, numbers = list[Motor](), dict[Actuator, Mapping[str, Sequence[float]]]()
    for joint, space in zip(robot.joint_names, robot.spaces(), strict=True):
        if joint in by_joint:
            actuator = by_joint[joint]
            if named or actuator not in numbers:
                numbers[actuator] = _numbers(robot, actuator, joint if named else "")
            own = {name: values[space.v] for name, values in numbers[actuator].items()}
            found.append(Motor(actuator, space, own))
    return tuple(found)


def _numbers(robot: Robot, actuator: Actuator, joint: str) -> dict[str, Sequence[float]]:
    """Every number of an actuator in the order of v, which is of one joint or of all."""

    def in_order(name: str, given: Gains) -> Sequence[float]:
        what = f"{actuator.called}: {name}"
        if joint and isinstance(given, Mapping):
            raise Error(f"{what} of {joint}: {checked.shown(given)} names joints again; give one number")
        return gains_in_order(robot, what, given if isinstance(given, Mapping) or not joint else {joint: given})

    curve, most = actuator.speed_torque, actuator.saturation
    if most is True and not np.any(np.isfinite(robot.limits.effort)):
        raise Error(f"{actuator.called}: saturation=True, but {robot.name} has no limits of effort; give numbers")
    for name in checked_actuated(robot, None) if most is True else ():
        if (not joint or name == joint) and np.any(robot.limits.effort[robot.v_index[name]] == 0):
            raise Error(
                f"{actuator.called}: saturation=True, but {robot.name} gives {name} an effort of 0, so that its motor "
                "could make nothing; give numbers"
            )
    endless = (math.inf,) * robot.nv
    limits = {
        "saturation": tuple(robot.limits.effort) if most is True else _where_given(in_order, "saturation", most),
        "stall": _where_given(in_order, "speed_torque: stall", curve and curve.stall),
        "no_load_speed": _where_given(in_order, "speed_torque: no_load_speed", curve and curve.no_load_speed),
    }
    gains = {name: in_order(name, getattr(actuator, name)) for name in (*actuator.gains, "time_constant")}
    return {**gains, **{name: endless if values is None else values for name, values in limits.items()}}


def _where_given(in_order: Any, name: str, given: Any) -> Sequence[float] | None:
    """Limits in the order of v; who has none is not limited."""
    return None if given is None else tuple(value or math.inf for value in in_order(name, given))


# ---------------------------------------------------------------- a cycle


@dataclass(frozen=True)
class Drives(Part):
    """The motors of a robot, ticked once a cycle."""

    robot: Robot
    dt: float
    motors: Sequence[Motor]

    @property
    def called(self) -> str:
        return "actuators"

    @property
    def equation(self) -> str:
        laws = dict.fromkeys(motor.actuator.law for motor in self.motors) or ["0"]
        return f"motor_force = {' or '.join(laws)}, late, lagging and within limits"

    @property
    def command(self) -> Port:
        """What motors are told: of one kind, or in the order of v of several."""
        ports = {motor.actuator.command: motor.actuator for motor in self.motors}
        if len(ports) == 1:
            return next(iter(ports.values())).port(self.robot)
        if not ports:
            return tau_port(self.robot, "nothing reads it: there are no motors")
        for motor in self.motors:
            if motor.space.type.nq != motor.space.type.nv and isinstance(motor.actuator, Position):
                raise Error(
                    f"actuators: of several kinds, commands stand in the order of v, where a {motor.space.type} joint "
                    "has no position; drive all joints by position, or this one by torque or velocity"
                )
        labels = self.robot.configurations.rate_labels
        meaning = ", ".join(f"{label}: {self._told(k)}" for k, label in enumerate(labels))
        return Port("command", (self.robot.nv,), "various", f"what motors are told: {meaning}")

    def _told(self, k: int) -> str:
        named = (motor.actuator.command for motor in self.motors if motor.space.v.start <= k < motor.space.v.stop)
        return next(named, "nothing")

    def where(self, motor: Motor) -> slice:
        """Of a command, what a motor is told."""
        return motor.space.q if self.command.name == Position.command else motor.space.v

    @property
    def pending(self) -> list[int]:
        """Of each motor, entries of its command that are on their way."""
        places = [self.where(motor) for motor in self.motors]
        return [
            motor.actuator.delay * (place.stop - place.start) for motor, place in zip(self.motors, places, strict=True)
        ]

    @property
    def holds(self) -> bool:
        """Whether some motor keeps its position until the first command has arrived."""
        return any(isinstance(motor.actuator, Position) and motor.actuator.delay for motor in self.motors)

    @property
    def inputs(self) -> Sequence[Port]:
        late, lagging = sum(self.pending), sum(sum(motor.lags) for motor in self.motors)
        on_their_way = "commands on their way, joint by joint, newest first"
        return (
            q_port(self.robot),
            v_port(self.robot),
            self.command,
            *((State("commands_before", (late,), self.command.unit, on_their_way),) if late else ()),
            *((State("drives_begun", (), "1", "1 as soon as the first command was given"),) if self.holds else ()),
            *((State("lagging_force", (lagging,), "N m, N", "of motors that lag"),) if lagging else ()),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (tau_port(self.robot, "force each motor makes", "motor_force"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        command = given[self.command.name]
        line, lagging = list(given.get("commands_before", ())), list(given.get("lagging_force", ()))
        forces: list[Any] = [0.0] * self.robot.nv
        line_next, lagging_next = list[Any](), list[Any]()
        for motor, pending in zip(self.motors, self.pending, strict=True):
            q, v = given["q"][motor.space.q], given["v"][motor.space.v]
            before, line = line[:pending], line[pending:]
            if isinstance(motor.actuator, Position) and pending:
                before = begun_or(given["drives_begun"], before, list(q))
            told, after = arriving(list(command[self.where(motor)]), before)
            asked = motor.actuator.demand(motor.space.type, motor.numbers, told, q, v)
            made = list[Any]()
            for k, demand in enumerate(asked):
                number = {name: values[k] for name, values in motor.numbers.items()}
                most = number["saturation"]
                force = demand if math.isinf(most) else within(demand, -most, most)
                if number["time_constant"] > 0:
                    now, *lagging = lagging
                    force = now - math.expm1(-self.dt / number["time_constant"]) * (force - now)
                made.append(_driven(force, v[k], number["stall"], number["no_load_speed"]))
            forces[motor.space.v] = made
            line_next += after
            lagging_next += [force for force, lags in zip(made, motor.lags, strict=True) if lags]
        states = {"commands_before": line_next, "lagging_force": lagging_next}
        return {
            "motor_force": entries(forces),
            **{name: entries(values) for name, values in states.items() if values},
            **({"drives_begun": 1.0} if self.holds else {}),
        }


def _driven(force: Any, speed: Any, stall: float, no_load: float) -> Any:
    """What a motor can make at its speed: the torque–speed curve on the side it drives to, all of it on the other."""
    if math.isinf(stall):
        return force
    least, most = (stall * (1.0 - side * speed / no_load).maximum(0.0).minimum(1.0) for side in (-1.0, 1.0))
    return within(force, -least, most)
