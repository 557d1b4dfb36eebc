"""One robot, its displacements written four ways: two Denavit–Hartenberg conventions, Euler angles, quaternions."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import motionc as mc
from motionc.formats import read_urdf
from motionc.model import Robot
from oracle import Array, error
from rows import row

# Universal Robots, "DH parameters for calculations of kinematics and dynamics": UR5, standard; a, alpha, d
UR5 = [
    (0.0, np.pi / 2, 0.089159),
    (-0.425, 0.0, 0.0),
    (-0.39225, 0.0, 0.0),
    (0.0, np.pi / 2, 0.10915),
    (0.0, -np.pi / 2, 0.09465),
    (0.0, 0.0, 0.0823),
]


def after(row: tuple[float, float, float]) -> tuple[Array, Rotation]:
    """Tz(d) Tx(a) Rx(α): what comes after the turn about z."""
    a, alpha, d = row
    return np.array([a, 0.0, d]), Rotation.from_euler("x", alpha)


def textbook(q: Array) -> Array:
    pose = np.eye(4)
    for row_, angle in zip(UR5, q, strict=True):
        xyz, turn = after(row_)
        about_z = Rotation.from_euler("z", angle)
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = (about_z * turn).as_matrix(), about_z.apply(xyz)
        pose = pose @ step
    return pose


def standard() -> Robot:
    return mc.from_dh([{"a": a, "alpha": alpha, "d": d} for a, alpha, d in UR5])


def modified() -> Robot:
    """Craig's rows have a and α of the link before; what is left of the last one does not move."""
    before = [(0.0, 0.0), *((a, alpha) for a, alpha, _ in UR5)]
    rows = [{"a": a, "alpha": alpha, "d": d} for (a, alpha), (_, _, d) in zip(before, UR5, strict=False)]
    return mc.from_dh([*rows, {"a": before[-1][0], "alpha": before[-1][1], "type": "F"}], "modified")


def urdf(attribute: str) -> Robot:
    """Links where their joints are, placed by roll, pitch and yaw or by a quaternion."""
    places = [(np.zeros(3), Rotation.identity()), *map(after, UR5)]
    lines = ['<robot name="ur5"><link name="base"/>']
    for number, (xyz, turn) in enumerate(places, start=1):
        values = turn.as_euler("xyz") if attribute == "rpy" else turn.as_quat()
        said = [" ".join(repr(float(x)) for x in vector) for vector in (xyz, values)]
        last = number == len(places)
        limit = "" if last else '<axis xyz="0 0 1"/>'
        lines.append(f'<link name="link_{number}"/>')
        lines.append(f'<joint name="joint_{number}" type="{"fixed" if last else "continuous"}">')
        lines.append(f'<parent link="{f"link_{number - 1}" if number > 1 else "base"}"/>')
        lines.append(f'<child link="link_{number}"/><origin xyz="{said[0]}" {attribute}="{said[1]}"/>{limit}</joint>')
    return Robot(read_urdf("\n".join([*lines, "</robot>"])).chain)


ROBOTS = {
    "standard": (standard, "link_6"),
    "modified": (modified, "link_7"),
    "Euler angles": (lambda: urdf("rpy"), "link_7"),
    "quaternions": (lambda: urdf("quat_xyzw"), "link_7"),
}


@row("multibody-methodology", 6)
@pytest.mark.parametrize("way", ROBOTS)
def test_every_way_to_write_a_robot_gives_the_same_poses_and_jacobian(way: str):
    make, tip = ROBOTS[way]
    robot, reference = make(), standard()
    pose, expected = mc.forward_kinematics(robot, [tip]), mc.jacobian(reference, "link_6")
    for q in np.random.default_rng(0).uniform(-np.pi, np.pi, (5, 6)):
        assert error(pose.run(q)[0], textbook(q)) < 1e-12
        assert error(mc.jacobian(robot, tip).run(q), expected.run(q)) < 1e-12
