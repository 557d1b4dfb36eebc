"""Sensors that feel accelerations: inertial measurement units, and force/torque sensors.

    gyro            ω of the frame wrt the world, in its axes
    accelerometer   specific force: p̈ - g of the frame's origin, in its axes; (0, 0, 9.81) at rest, z up
    wrench          (n; f) that what is before a frame exerts on all that is beyond it, at its origin, in its axes:
                    Newton–Euler of the links beyond, less what contacts and other forces do there

Both are sweeps of inverse dynamics: outward with the world accelerating against free fall, and inward. A force/torque
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
)
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps.frames import attached
from motionc.sweeps.options import Check
from motionc.sweeps.output import Output
from motionc.sweeps.parameters import INERTIAL
from motionc.sweeps.schedule import Schedule

ACCELERATING = Schedule("specific_force", INVERSE_DYNAMICS.sweeps[:2])
"""Outward alone: how bodies move wrt the world, and accelerate wrt free fall."""
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
        acting = Acting.beyond(parted, self.frame, scene.contacts, scene.forces)
        wrench = Output("wrench", of=self.frame, as_seen_by="")
        carried = solve(
            parted,
            INVERSE_DYNAMICS,
            outputs={"wrench": wrench},
            external_forces=acting.forces,
            gravity=scene.gravity,
            parameters=scene.open("gravity", "origin", *INERTIAL, "inertial", "payload"),
            name="carried",
            precision=precision,
        )
        (true,) = carried.outputs
        read = Port(
            f"{self.name}_wrench",
            (6,),
            "N m, N",
            f"wrench (n; f) on all beyond {self.frame}, at its origin, in its axes",
            relation=true.relation,
        )
        deviation = (self.torque_noise,) * 3 + (self.force_noise,) * 3
        channel = Channel(true, slice(0, 6), read, self.bias, deviation)
        readings = Readings(self.name, dt, self.delay, (channel,)).computation(precision=precision)
        before = acting.parts(parted, scene.open("origin"), precision)
        feeds = {"carried.f_ext": "acting.felt"} if before else {}
        return wired({**before, "carried": carried, "readings": readings}, feeds=feeds, name=self.name)

    def _parted(self, robot: Robot) -> Robot:
        """The robot, its links beyond the frame's joint bodies of their own."""
        what = f"ForceTorque {self.name}: frame"
        attached(robot.mechanism, self.frame, what)
        joint = robot.carrier(self.frame)
        if joint is None:
            said = "the root of a robot that floats" if robot.floating else "the root of the robot"
            raise Error(f"{what}: {self.frame} belongs to {said}, and no joint carries it; name a frame beyond one")
        return robot.parted_at([joint])
