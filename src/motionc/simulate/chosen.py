"""What is chosen by rule where nobody says it: a posture, what of a robot touches the ground, gains that hold it.

Rules, not knowledge of robots: each is a sentence, and whoever uses them prints what came out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from motionc.computations import forward_kinematics, jacobian, mass_matrix
from motionc.model.robot import Robot
from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from motionc.solvers.arguments import checked_actuated
from motionc.solvers.contact import Contact

Array = np.ndarray[Any, np.dtype[np.float64]]

INSIDE = 0.1
"""How much of its range a joint keeps from its limits that cannot be at 0."""
LEVEL = 0.05
"""Shares of a robot's height within which something is at the bottom of it."""
LOWEST = 0.05
"""How high a base is above its feet, at least (m)."""
CORNERS = 4
"""Contact points of a link, at most."""
FREQUENCY = 5.0
"""Hz, of a joint on its spring."""
FASTER = 3.0
"""How many times as fast as a robot topples, √(g/h), its joints swing on their springs where it stands on feet."""


def posture(robot: Robot) -> Array:
    """Every joint at 0 where its limits allow it, else a tenth of its range inside them; a base where it is at 0."""
    q, (low, high) = robot.neutral(), robot.reach
    for name in robot.joint_names:
        at, of = robot.q_index[name], robot.v_index[name]
        if at.stop - at.start == of.stop - of.start == 1:
            least, most = float(low[of][0]), float(high[of][0])
            if not least <= q[at] <= most:
                room = INSIDE * (most - least) if np.isfinite(most - least) else 0.0
                q[at] = np.clip(q[at], least + room, most - room)
    return q


# ---------------------------------------------------------------- what touches


@dataclass(frozen=True)
class _Tip:
    """A point of a link with so much around it: how a shape ends there."""

    link: str
    shape: int
    point: Array
    radius: float
    low: float


def feet(robot: Robot, q: Any, friction: float = 0.7) -> list[Contact]:
    """What of a robot touches the ground z = 0: corners, ends and spheres of its lowest links in this posture.

    Lowest are links whose shapes end within 5 % of the robot's height above its lowest point, and which carry no other
    such link; of each the shape that reaches lowest, and of that at most four points. A robot without shapes, or with
    meshes alone, ends where the frames of its last links are.
    """
    tips = list(_tips(robot, q))
    bottom, top = min(tip.low for tip in tips), max(tip.low + 2 * tip.radius for tip in tips)
    near = bottom + LEVEL * (top - bottom)
    chosen = list[Contact]()
    parents = {joint.child.name: joint.parent.name for joint in robot.joints}
    links = list(dict.fromkeys(tip.link for tip in tips if tip.low <= near))
    carrying = {above for link in links for above in _above(link, parents)}
    for link in (link for link in links if link not in carrying):
        lowest = min((tip for tip in tips if tip.link == link), key=lambda tip: tip.low)
        own = [tip for tip in tips if (tip.link, tip.shape) == (link, lowest.shape) and tip.low <= near]
        own.sort(key=lambda tip: tip.low)
        for k, tip in enumerate(own[:CORNERS]):
            name = link if len(own) == 1 else f"{link}_{k + 1}"
            shape = Sphere(tip.radius) if tip.radius else None
            x, y, z = map(float, tip.point)
            chosen.append(Contact(link, shape=shape, point=(x, y, z), friction=friction, name=name))
    return chosen


def _above(link: str, parents: Mapping[str, str]) -> Iterator[str]:
    """The links that carry this one."""
    while link in parents:
        link = parents[link]
        yield link


def _tips(robot: Robot, q: Any) -> Iterator[_Tip]:
    names = list(robot.link_names)
    poses = dict(zip(names, np.reshape(forward_kinematics(robot, names).run(q), (-1, 4, 4)), strict=True))
    whole = {segment.name: _ends(segment.link.shapes) for segment in robot.segments}
    known = any(whole.values())
    for name, ends in whole.items():
        leaf = not known and not any(joint.parent.name == name for joint in robot.joints)
        for shape, point, radius in ends or [(0, np.zeros(3), 0.0)] * leaf:
            height = float((poses[name] @ [*point, 1.0])[2])
            yield _Tip(name, shape, point, radius, height - radius)


def _ends(shapes: Sequence[Any]) -> list[tuple[int, Array, float]]:
    """Where shapes to collide with end, or those to look at where there are none others."""
    kind = "collision" if any(shape.purpose == "collision" for shape in shapes) else "visual"
    found = list[tuple[int, Array, float]]()
    for number, shape in enumerate(shapes):
        if shape.purpose == kind:
            pose = np.asarray(shape.pose, float)
            found += [(number, (pose @ [*point, 1.0])[:3], radius) for point, radius in _points(shape.geometry)]
    return found


def _points(geometry: Geometry) -> list[tuple[Array, float]]:
    """Corners and ends of a shape in its own frame, with the radius of what is round about them."""
    match geometry:
        case Sphere(radius):
            return [(np.zeros(3), radius)]
        case Capsule(radius, length):
            return [(np.array([0.0, 0.0, side * length / 2]), radius) for side in (-1, 1)]
        case Box(size):
            return [(np.array(signs) * size / 2, 0.0) for signs in product((-1.0, 1.0), repeat=3)]
        case Cylinder(radius, length):
            around = [(radius, 0.0), (0.0, radius), (-radius, 0.0), (0.0, -radius)]
            return [(np.array([x, y, side * length / 2]), 0.0) for x, y in around for side in (-1, 1)]
        case Mesh():
            return []


# ---------------------------------------------------------------- what holds


def holding_frequency(robot: Robot, q: Any, contacts: Sequence[Contact] = ()) -> float:
    """Hz at which joints swing on the springs that hold them: 5, or three times what a robot on its feet topples with.

    That is √(g/h) of an inverted pendulum as high as the base is above its feet: soft where a robot is tall, so that
    it lands softly, and stiff where it is small.
    """
    if not (robot.floating and contacts):
        return FREQUENCY
    frames = [robot.links[0].name, *(contact.frame for contact in contacts)]
    poses = np.reshape(forward_kinematics(robot, list(dict.fromkeys(frames))).run(q), (-1, 4, 4))
    low = [(poses[list(dict.fromkeys(frames)).index(one.frame)] @ [*one.point, 1.0])[2] for one in contacts]
    height = max(float(poses[0, 2, 3] - min(low)), LOWEST)
    return FASTER * float(np.sqrt(9.81 / height)) / (2 * np.pi)


def holding_gains(
    robot: Robot, q: Any, contacts: Sequence[Contact] = (), *, frequency: float = FREQUENCY
) -> tuple[Array, Array]:
    """Stiffness and damping, in the order of v: of each joint what moves what it feels at a frequency (Hz), critically
    damped.

    A joint feels its entry of the diagonal of the mass matrix: all that it carries. One that leads to a contact feels
    what is on its other side too, all the rest of a floating robot about its axis, shared among the links that touch.
    """
    masses = np.asarray(mass_matrix(robot).run(q), float)
    felt = np.diag(masses).copy()
    links = list(dict.fromkeys(contact.frame for contact in contacts)) if robot.floating else []
    for link in links:
        rows = np.asarray(jacobian(robot, link).run(q), float)
        for k in np.flatnonzero(np.abs(rows).max(axis=0) > 0)[6:]:
            # the link that touches stays where it is, and the base moves
            change = np.zeros(robot.nv)
            change[k], change[:6] = 1.0, -np.linalg.solve(rows[:, :6], rows[:, k])
            felt[k] = max(felt[k], change @ masses @ change / len(links))
    motors = np.zeros(robot.nv)
    for name in checked_actuated(robot, None):
        motors[robot.v_index[name]] = 1.0
    speed = 2 * np.pi * frequency
    return motors * felt * speed**2, motors * 2 * felt * speed
