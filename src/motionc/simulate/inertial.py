"""Sensors that feel accelerations: inertial measurement units, force/torque sensors, and torque sensors in joints.

    gyro            ω of the frame wrt the world, in its axes
    accelerometer   specific force: p̈ - g of the frame's origin, in its axes; (0, 0, 9.81) at rest, z up
    wrench          (n; f) that what is before a frame exerts on all that is beyond it, at its origin, in its axes:
                    Newton–Euler of the links beyond, less what contacts and other forces do there
    torque          Sᵀ of that at each joint, behind its gear: neither rotor nor friction of the motor is felt

All are sweeps of inverse dynamics: outward with the world accelerating against free fall, and inward. A force/torque
sensor sits on the joint that carries its frame's link; where that joint does not move, the links beyond it are taken
for a body of their own (`Robot.parted_at`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from motionc.computations import solve
from motionc.computations.wired import wired
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.program.relation import Relation
from motionc.runtime.computation import Computation
from motionc.simulate.acting import Acting
from motionc.simulate.sensors import (
    Channel,
    Readings,
    Scene,
    Sensor,
    understood_bias,
    understood_deviation,
    understood_offsets,
)
from motionc.solvers.arguments import tau_port
from motionc.solvers.gains import Gains, gains_in_order, understood_gains
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.steps.wrenches import hand_down
from motionc.sweeps.frames import attached
from motionc.sweeps.options import Check
from motionc.sweeps.output import Output
from motionc.sweeps.parameters import INERTIAL
from motionc.sweeps.schedule import Schedule, sweep

ACCELERATING = Schedule("specific_force", INVERSE_DYNAMICS.sweeps[:2])
"""Outward alone: how bodies move wrt the world, and accelerate wrt free fall."""
CARRYING = Schedule("carried", (*INVERSE_DYNAMICS.sweeps[:-1], sweep(hand_down)))
"""And inward: what joints carry, without what motors spend on themselves."""
NOWHERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Imu(Sensor):
    """An inertial measurement unit on a frame: NAME_gyro (rad/s) and NAME_accelerometer (m/s²), in the frame's axes.

    The accelerometer reads specific force, p̈ - g: at rest 9.81 m/s² upward. It reads `a`, dv/dt of the robot.

    Args:
        frame: where it is: name of a link, attachment or `joint:NAME`.
        gyro_noise: noise density, rad/s/√Hz, as data sheets have it.
        accelerometer_noise: noise density, m/s²/√Hz.
        gyro_bias: constant, rad/s.
        accelerometer_bias: constant, m/s².
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    called: ClassVar[str] = "Imu"
    understood: ClassVar[Mapping[str, Check]] = {
        **Sensor.understood,
        "gyro_noise": understood_deviation,
        "accelerometer_noise": understood_deviation,
        "gyro_bias": understood_bias(3),
        "accelerometer_bias": understood_bias(3),
    }

    frame: str = field(kw_only=False)
    gyro_noise: float = field(default=0.0, kw_only=True)
    accelerometer_noise: float = field(default=0.0, kw_only=True)
    gyro_bias: Sequence[float] = field(default=NOWHERE, kw_only=True)
    accelerometer_bias: Sequence[float] = field(default=NOWHERE, kw_only=True)
    name: str = field(default="imu", kw_only=True)

    def reading(self, robot: Robot, dt: float, scene: Scene, precision: Precision) -> Computation:
        attached(robot.mechanism, self.frame, f"Imu {self.name}: frame")
        outputs = {
            "twist": Output("twist", of=self.frame, as_seen_by=""),
            "specific_force": Output("classical_acceleration", of=self.frame, as_seen_by=""),
        }
        moving = solve(
            robot,
            ACCELERATING,
            outputs=outputs,
            gravity=scene.gravity,
            parameters=scene.open("gravity", "origin"),
            precision=precision,
        )
        twist, felt = moving.outputs
        seen = {"of": self.frame, "wrt": "world", "as_seen_by": self.frame}
        gyro = Port(
            f"{self.name}_gyro",
            (3,),
            "rad/s",
            f"angular velocity of {self.frame}, in its axes",
            relation=Relation("angular velocity", **seen),
        )
        accelerometer = Port(
            f"{self.name}_accelerometer",
            (3,),
            "m/s²",
            f"specific force p̈ - g at {self.frame}, in its axes",
            relation=Relation("specific force", **seen),
        )
        sharp = 1 / math.sqrt(dt)
        channels = (
            Channel(twist, slice(0, 3), gyro, self.gyro_bias, (self.gyro_noise * sharp,) * 3),
            Channel(felt, slice(3, 6), accelerometer, self.accelerometer_bias, (self.accelerometer_noise * sharp,) * 3),
        )
        readings = Readings(self.name, dt, self.delay, channels).computation(precision=precision)
        return wired({"motion": moving, "readings": readings}, name=self.name)


@dataclass(frozen=True)
class ForceTorque(Sensor):
    """A six-axis force/torque sensor: NAME_wrench (n; f), N m and N, that what is before a frame exerts on all beyond.

    At the frame's origin, in its axes, the weight and inertia of what is beyond included. It sits on the joint that
    carries the frame's link, fixed or not; `joint:NAME` says it plainly. It reads `a`, dv/dt of the robot, and
    `contact_force`, `contact_point` and `f_ext` where contacts and forces act beyond it.

    Args:
        frame: where it is: name of a link, attachment or `joint:NAME`.
        force_noise: standard deviation of a reading (N).
        torque_noise: standard deviation of a reading (N m).
        bias: constant, (n; f).
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    called: ClassVar[str] = "ForceTorque"
    understood: ClassVar[Mapping[str, Check]] = {
        **Sensor.understood,
        "force_noise": understood_deviation,
        "torque_noise": understood_deviation,
        "bias": understood_bias(6),
    }

    frame: str = field(kw_only=False)
    force_noise: float = field(default=0.0, kw_only=True)
    torque_noise: float = field(default=0.0, kw_only=True)
    bias: Sequence[float] = field(default=(0.0,) * 6, kw_only=True)
    name: str = field(default="force_torque", kw_only=True)

    def reading(self, robot: Robot, dt: float, scene: Scene, precision: Precision) -> Computation:
        parted = self._parted(robot)
        wrench = Output("wrench", of=self.frame, as_seen_by="")
        parts = carried_by(parted, self.frame, wrench, scene, precision)
        (true,) = parts["carried"].outputs
        read = Port(
            f"{self.name}_wrench",
            (6,),
            "N m, N",
            f"wrench (n; f) on all beyond {self.frame}, at its origin, in its axes",
            relation=true.relation,
        )
        deviation = (self.torque_noise,) * 3 + (self.force_noise,) * 3
        return read_off(self, parts, Channel(true, slice(0, 6), read, self.bias, deviation), dt, precision)

    def _parted(self, robot: Robot) -> Robot:
        """The robot, its links beyond the frame's joint bodies of their own."""
        what = f"ForceTorque {self.name}: frame"
        attached(robot.mechanism, self.frame, what)
        joint = robot.carrier(self.frame)
        if joint is None:
            said = "the root of a robot that floats" if robot.floating else "the root of the robot"
            raise Error(f"{what}: {self.frame} belongs to {said}, and no joint carries it; name a frame beyond one")
        return robot.parted_at([joint])


@dataclass(frozen=True)
class JointTorque(Sensor):
    """Torque sensors in joints, behind their gears: NAME_force (N m, N) of all joints, in the order of v.

    What the links beyond each joint ask of it, without rotor and friction of its motor. Nothing carries a floating
    base: its entries are what `a` leaves unexplained, about 0. It reads `a`, dv/dt of the robot, and `contact_force`,
    `contact_point` and `f_ext` where contacts and forces act.

    Args:
        noise: standard deviation of a reading (N m, N).
        bias: constant; one number, {joint: number}, or numbers in the order of v.
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    called: ClassVar[str] = "JointTorque"
    understood: ClassVar[Mapping[str, Check]] = {
        **Sensor.understood,
        "noise": understood_gains,
        "bias": understood_offsets,
    }

    noise: Gains = field(default=0.0, kw_only=True)
    bias: Gains = field(default=0.0, kw_only=True)
    name: str = field(default="joint_torque", kw_only=True)

    def reading(self, robot: Robot, dt: float, scene: Scene, precision: Precision) -> Computation:
        parts = carried_by(robot, "world", Output("joint_force"), scene, precision)
        (true,) = parts["carried"].outputs
        noise, bias = (gains_in_order(robot, f"JointTorque: {name}", getattr(self, name)) for name in ("noise", "bias"))
        read = tau_port(robot, "force that each joint carries", f"{self.name}_force")
        return read_off(self, parts, Channel(true, slice(0, robot.nv), read, bias, noise), dt, precision)


# ---------------------------------------------------------------- what joints carry


def carried_by(
    robot: Robot, frame: str, quantity: Output, scene: Scene, precision: Precision
) -> dict[str, Computation]:
    """A quantity of inverse dynamics under all that acts beyond a frame, `carried`, and what is computed before."""
    acting = Acting.beyond(robot, frame, scene.contacts, scene.forces)
    carried = solve(
        robot,
        CARRYING,
        outputs={"carried": quantity},
        external_forces=acting.forces,
        gravity=scene.gravity,
        parameters=scene.open("gravity", "origin", *INERTIAL, "inertial", "payload"),
        precision=precision,
    )
    return {**acting.parts(robot, scene.open("origin"), precision), "carried": carried}


def read_off(
    sensor: Sensor, parts: Mapping[str, Computation], channel: Channel, dt: float, precision: Precision
) -> Computation:
    """What is true as a sensor reads it, behind what computes it."""
    readings = Readings(sensor.name, dt, sensor.delay, (channel,)).computation(precision=precision)
    feeds = {"carried.f_ext": "acting.felt"} if "acting" in parts else {}
    return wired({**parts, "readings": readings}, feeds=feeds, name=sensor.name)
