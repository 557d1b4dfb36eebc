"""What is a task tried on? The plant of an experiment as data: friction, noise, delay, what differs between lanes.

A controller knows none of it: its model is the robot's file, the plant's is that file and what stands here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.model.chain import Joint
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.simulate.actuators import Torque, understood_delay
from motionc.simulate.encoder import Encoder
from motionc.simulate.mujoco_plant import MujocoPlant
from motionc.simulate.pads import Ground as Shape
from motionc.simulate.pads import Pad, surface_at
from motionc.simulate.plant import Plant, Resistance
from motionc.simulate.sensors import understood_deviation
from motionc.simulate.vary import understood_variations
from motionc.solvers.contact import Surface
from motionc.solvers.gains import Gains, gains_in_order, understood_gains
from motionc.sweeps.options import Check, Understood, optional

Engine = Literal["motionc", "mujoco"]

VARIED = {
    "mass": "*.mass",
    "rotor_inertia": "*.rotor_inertia",
    "viscous": "*.damping",
    "coulomb": "*.friction",
    "noise": "encoder.noise",
    "contact_friction": "contact.friction",
}
"""What differs from lane to lane, by its short name, and what a plant calls it."""


@dataclass(frozen=True)
class Ground(Understood):
    """What a pad is pressed onto, where a task frame is: level, sloping, or bent (`pads.surface_at`).

    Args:
        shape: "plane", "slope_x", "slope_y", "dome" or "bowl".
        angle: of a slope (rad).
        radius: of a dome or a bowl (m).
    """

    called: ClassVar[str] = "Ground"

    shape: Shape = "plane"
    angle: float = math.radians(5.0)
    radius: float = 1.0

    def under(self, frame: Any) -> Surface:
        """The surface, given the pose of the task frame."""
        return surface_at(self.shape, frame, angle=self.angle, radius=self.radius)


def _substeps(what: str, given: Any) -> int:
    return checked.whole(what, given, 1, "give how many steps of the plant a cycle has, ≥ 1")


def _varied(what: str, given: Any) -> dict[str, Any]:
    found: Mapping[Any, Any] = checked.instance(what, given, Mapping, "give {what: share}, such as {'mass': 0.1}")
    for name in found:
        word = checked.name(what, name, "name what differs")
        if word not in VARIED and "." not in word:
            raise Error(f"{what}: {word!r} cannot differ{suggestion(word, VARIED)}")
    return understood_variations(what, {VARIED.get(name, name): factors for name, factors in found.items()})


@dataclass(frozen=True)
class Rig(Understood):
    """The plant that a task is tried on: whose physics, what resists joints, what is measured, what differs.

    Numbers of joints are one for all, {joint: number}, or as many as the robot has velocities.

    Args:
        engine: whose physics: ours, or MuJoCo's.
        substeps: steps of the plant in a cycle of the controller.
        delay: cycles until a command arrives; as many as the controller is told of unless said.
        resistance: "smooth", "stiction" or "none": how friction acts.
        viscous: damping of joints (N m s/rad, N s/m).
        coulomb: dry friction of joints (N m, N).
        position_noise: standard deviation of positions as they are measured (rad, m).
        velocity_noise: of velocities (rad/s, m/s).
        force_noise: of forces that a pad feels (N).
        moment_noise: of moments (N m).
        limits: whether joints stop at their limits.
        pad: a flat tool that the robot has on, and a sensor at its bottom.
        ground: what that is pressed onto.
        vary: {what: share, or least and largest factor} from lane to lane: mass, rotor_inertia, viscous, coulomb,
            noise, contact_friction, or a constant as a Plant calls it.
        precision: "double", or "single".
    """

    called: ClassVar[str] = "Rig"
    understood: ClassVar[Mapping[str, Check]] = {
        "substeps": _substeps,
        "delay": optional(understood_delay),
        **dict.fromkeys(("viscous", "coulomb", "position_noise", "velocity_noise"), understood_gains),
        **dict.fromkeys(("force_noise", "moment_noise"), understood_deviation),
        "vary": _varied,
    }

    engine: Engine = "motionc"
    substeps: int = 4
    delay: int | None = None
    resistance: Resistance = "smooth"
    viscous: Gains = 0.0
    coulomb: Gains = 0.0
    position_noise: Gains = 0.0
    velocity_noise: Gains = 0.0
    force_noise: float = 0.0
    moment_noise: float = 0.0
    limits: bool = False
    pad: Pad | None = None
    ground: Ground | None = None
    vary: Mapping[str, Any] = field(default_factory=dict[str, Any])
    precision: Precision = "double"

    def worn(self, robot: Robot) -> Robot:
        """The robot with what it has on."""
        return robot if self.pad is None else self.pad.worn_by(robot)

    def plant(self, robot: Robot, rate: float, delay: int, frame: Any = None) -> Plant:
        """The plant of a robot whose controller runs so often (Hz), and is told of so many cycles of delay.

        Args:
            robot: as its controller knows it, with what it has on.
            rate: cycles a second.
            delay: of commands, in cycles, where the rig says none.
            frame: pose of the task frame, where there is ground.
        """
        late = delay if self.delay is None else self.delay
        noisy = [any(gains_in_order(robot, "Rig: noise", one)) for one in (self.position_noise, self.velocity_noise)]
        encoders = [Encoder(noise=self.position_noise, velocity_noise=self.velocity_noise)] * any(noisy)
        felt = [] if self.pad is None else [self.pad.sensor(self.force_noise, self.moment_noise)]
        touches = [] if self.pad is None or self.ground is None else self.pad.contacts(self.ground.under(frame))
        made = Plant(
            resisted(robot, self.viscous, self.coulomb),
            1.0 / (rate * self.substeps),
            contacts=touches,
            friction=self.resistance,
            limits=self.limits,
            actuators=Torque(delay=late * self.substeps, saturation=True),
            sensors=[*encoders, *felt],
            vary=self.vary,
            precision=self.precision,
        )
        return made if self.engine == "motionc" else MujocoPlant(made)


def resisted(robot: Robot, viscous: Gains, coulomb: Gains) -> Robot:
    """The robot with damping and dry friction in its joints, in the place of what its file says.

    >>> import motionc as mc
    >>> rough = resisted(mc.load("planar2"), 0.0, 0.5)
    >>> [joint.transmission.friction for joint in rough.chain.joints if joint.name in rough.v_index]
    [0.5, 0.5]
    """
    damping, friction = (
        gains_in_order(robot, f"Rig: {name}", gains) for name, gains in (("viscous", viscous), ("coulomb", coulomb))
    )
    if not any(damping) and not any(friction):
        return robot

    def rubs(joint: Joint) -> Joint:
        if joint.name not in robot.v_index:
            return joint
        at = robot.v_index[joint.name].start
        has = replace(joint.transmission, damping=damping[at], friction=friction[at])
        return replace(joint, transmission=has)

    chain = replace(robot.chain, joints=tuple(map(rubs, robot.chain.joints)))
    return Robot(chain, floating=robot.floating, fixed=robot.held, mimic=robot.mimic, findings=robot.findings)
