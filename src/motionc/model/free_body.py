"""One body alone, to be thrown, dropped or pushed: a ball, a box."""

from dataclasses import replace

from motionc import checked
from motionc.errors import Error
from motionc.model.chain import KinematicChain, Link, Segment
from motionc.model.robot import Robot
from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Shape, Sphere, checked_shape, mass_properties


def free_body(name: str, shape: Geometry, *, mass: float | None = None, density: float | None = None) -> Robot:
    """A homogeneous rigid body that moves freely: a robot of one link, with its frame in the middle.

    Args:
        name: of the robot, of its link, and of the link's frame.
        shape: Sphere(radius), Box((x, y, z)), Cylinder(radius, length) or Capsule(radius, length), along z.
        mass: kg; or
        density: kg/m³.

    >>> from motionc.model.shapes import Sphere
    >>> ball = free_body("ball", Sphere(0.1), mass=0.5)
    >>> ball.nv, ball.links["ball"].inertia.diagonal().round(12).tolist()
    (6, [0.002, 0.002, 0.002])
    """
    what = f"free_body {checked.name('free_body: name', name)}"
    shape = checked_shape(f"{what}: shape", shape, Sphere, Box, Cylinder, Capsule)
    if (mass is None) == (density is None):
        raise Error(f"{what}: say either mass= (kg) or density= (kg/m³)")
    for key, given in (("mass", mass), ("density", density)):
        if given is not None:
            checked.number(f"{what}: {key}", given, "give a finite number > 0", fits=lambda value: value > 0)
    weighed = mass_properties(shape, mass=mass, density=density)
    shapes = Shape(shape), Shape(shape, purpose="collision")
    link = replace(Link.rigid(name, weighed.mass, weighed.com, weighed.inertia), shapes=shapes)
    return Robot(KinematicChain(name, (), Segment(name, link)), floating=True)
