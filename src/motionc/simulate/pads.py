"""A flat tool that is pressed onto a surface: four corners that give way, and what is felt at its bottom.

    pad = Pad("link_7")
    robot = pad.worn_by(mc.load("lwr4"))
    plant = Plant(robot, contacts=pad.contacts(surface_at("dome", T)), sensors=[pad.sensor(0.1, 0.01)], …)

Z of the pad's frame leads out of its bottom; pressed onto something, the sensor reads a force along +Z.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.chain import KinematicChain, Link, Segment, placed
from motionc.model.mount import attach
from motionc.model.robot import Robot
from motionc.model.shapes import Box, Shape, Sphere
from motionc.simulate.inertial import ForceTorque
from motionc.simulate.sensors import understood_deviation, understood_frame, understood_name
from motionc.solvers.contact import Compliant, Contact, HeightField, Plane, Solid, Surface
from motionc.sweeps.options import Check, Understood

Ground = Literal["plane", "slope_x", "slope_y", "dome", "bowl"]
CORNERS = ((1, 1), (1, -1), (-1, -1), (-1, 1))
BOWL, GRID = 0.4, 5e-3
"""Half of the side of a bowl's grid, and between neighbours of it (m): heights miss the ball by h²/8R, 3 µm of 1 m."""
HEIGHT = 0.02
"""Of the box that is shown (m)."""


def _positive(what: str, given: Any) -> float:
    return checked.number(what, given, "give a finite number > 0", fits=lambda value: value > 0)


@dataclass(frozen=True)
class Pad(Understood):
    """A flat square pad on a frame of a robot, without a mass of its own: its frame is in the middle of its bottom.

    >>> import motionc as mc
    >>> pad = Pad("link_7", size=0.08)
    >>> robot = pad.worn_by(mc.load("lwr4"))
    >>> [contact.point for contact in pad.contacts(mc.simulate.Plane())][0]
    (0.04, 0.04, 0.0)

    Args:
        on: the robot's frame whose origin and axes are those of the pad's bottom; Z leads out of it.
        size: of its side (m).
        stiffness: of the whole pad, a quarter a corner (N/m).
        damping: of Hunt and Crossley's law (s/m).
        friction: Coulomb's μ on what it slides over.
        slip_speed: below which friction is smooth (m/s).
        name: of its frame.
    """

    called: ClassVar[str] = "Pad"
    understood: ClassVar[Mapping[str, Check]] = {
        "on": understood_frame,
        "name": understood_name,
        **dict.fromkeys(("size", "stiffness", "slip_speed"), _positive),
        **dict.fromkeys(("damping", "friction"), understood_deviation),
    }

    on: str
    size: float = field(default=0.1, kw_only=True)
    stiffness: float = field(default=5e3, kw_only=True)
    damping: float = field(default=2.0, kw_only=True)
    friction: float = field(default=0.3, kw_only=True)
    slip_speed: float = field(default=2e-3, kw_only=True)
    name: str = field(default="pad", kw_only=True)

    def worn_by(self, robot: Robot) -> Robot:
        """The robot with the pad on it."""
        shown = Shape(Box((self.size, self.size, HEIGHT)), placed((0, 0, -HEIGHT / 2)))
        link = replace(Link.rigid(self.name), shapes=(shown,))
        return attach(robot, KinematicChain(self.name, (), Segment(self.name, link)), self.on, name=robot.name)

    def contacts(self, surface: Surface) -> list[Contact]:
        """Its corners, on a surface."""
        law = Compliant(self.stiffness / 4, self.damping, slip_speed=self.slip_speed)
        half = self.size / 2
        return [
            Contact(
                self.name, surface, point=(half * x, half * y, 0.0), friction=self.friction, name=f"corner_{k}", law=law
            )
            for k, (x, y) in enumerate(CORNERS)
        ]

    def sensor(self, force_noise: float = 0.0, torque_noise: float = 0.0) -> ForceTorque:
        """A force/torque sensor that reads what it presses with: (n; f) at its bottom, in its axes."""
        return ForceTorque(self.name, force_noise=force_noise, torque_noise=torque_noise, name=self.name)


def surface_at(ground: Ground, frame: Any, *, angle: float = math.radians(5.0), radius: float = 1.0) -> Surface:
    """What is wiped along -X of a frame whose Z is up: level, sloping, or bent.

    >>> slope = surface_at("slope_y", np.eye(4), angle=0.1)
    >>> np.round(slope.normal, 3).tolist()
    [-0.1, 0.0, 0.995]

    Args:
        ground: "plane" through the frame's origin; "slope_x" turned about X, "slope_y" about -Y; "dome", the top of a
            ball, and "bowl", the bottom of one from inside, crest and trough a tenth of the radius before the origin.
        frame: pose in the world (4, 4).
        angle: of slopes (rad).
        radius: of the dome and the bowl (m).
    """
    checked.one_of("surface_at: ground", ground, get_args(Ground))
    pose = np.asarray(checked.numbers("surface_at: frame", frame, "give a pose (4, 4)", (4, 4)), float)
    turn, origin = pose[:3, :3], pose[:3, 3]
    if ground == "dome":
        crest = _positive("surface_at: radius", radius)
        return Solid(Sphere(crest), "world", _three(origin + turn @ (-0.1 * crest, 0.0, -crest)))
    if ground == "bowl":
        return _bowl(origin, origin + turn @ (-0.1 * radius, 0.0, radius), _positive("surface_at: radius", radius))
    tilt = checked.number("surface_at: angle", angle, "give an angle (rad)") if ground != "plane" else 0.0
    sideways = {"plane": (0.0, 0.0), "slope_x": (0.0, -math.sin(tilt)), "slope_y": (-math.sin(tilt), 0.0)}[ground]
    return Plane(_three(turn @ (*sideways, math.cos(tilt))), _three(origin))


def _bowl(origin: Any, center: Any, radius: float) -> HeightField:
    """The bottom of a ball around a centre, over a grid about a place."""
    if radius <= 2 * BOWL:
        raise Error(f"surface_at: radius={radius:g}: a bowl is {2 * BOWL:g} m wide, and its ball larger; take more")
    along = np.arange(-BOWL, BOWL + GRID / 2, GRID)
    x, y = (origin[k] + along - center[k] for k in (0, 1))
    heights = center[2] - np.sqrt(radius**2 - x[:, np.newaxis] ** 2 - y**2)
    return HeightField(heights - origin[2], GRID, _three(origin - (BOWL, BOWL, 0.0)), name="bowl")


def _three(vector: Any) -> tuple[float, float, float]:
    x, y, z = map(float, vector)
    return x, y, z
