"""The convention of joint frames, on every robot: where the file puts them, and about which axis they turn."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.model import Robot
from motionc.robots import robot_file, robot_names
from oracle import Array, error
from public_robots import PUBLIC_ROBOTS, public_file
from rows import row

FILES = {name: Path(str(robot_file(name))) for name in robot_names()} | {
    f"public {name}": public_file(name) for name in PUBLIC_ROBOTS
}


def numbers(text: str | None, default: str) -> Array:
    return np.array((text or default).split(), float)


def origin(joint: ElementTree.Element) -> Array:
    """The joint's frame on its parent, by Pinocchio's rotations."""
    element = joint.find("origin")
    said = {} if element is None else element.attrib
    pose = np.eye(4)
    pose[:3, :3] = pin.rpy.rpyToMatrix(*numbers(said.get("rpy"), "0 0 0"))
    pose[:3, 3] = numbers(said.get("xyz"), "0 0 0")
    return pose


def body_poses(robot: Robot) -> dict[str, Array]:
    """Where the bodies the sweeps compute with are at q = 0, by the joint that moves them."""
    poses: list[Array] = []
    for body in robot.mechanism.bodies:
        before = np.eye(4) if body.parent < 0 else poses[body.parent]
        poses.append(before @ body.joint.reference.matrix)
    return {body.joint.name: pose for body, pose in zip(robot.mechanism.bodies, poses, strict=True)}


@row("robcogen", 8)
@pytest.mark.parametrize("name", FILES)
def test_a_link_is_at_its_joints_frame_at_zero_and_turns_about_z(name: str):
    robot = mc.load(FILES[name], floating=False, mimic="independent")
    tree = ElementTree.parse(FILES[name]).getroot()
    joints = tree.findall("joint")
    links = [link.get("name") for link in tree.findall("link")]
    frames = [*links, *(f"joint:{joint.get('name')}" for joint in joints)]
    at = dict(zip(frames, mc.forward_kinematics(robot, frames).run(robot.neutral()), strict=True))
    bodies = body_poses(robot)
    assert joints
    for joint in joints:
        parent, child = (joint.find(end).get("link") for end in ("parent", "child"))
        # the joint's frame is constant on the parent, and the child's own frame coincides with it
        assert error(at[f"joint:{joint.get('name')}"], at[parent] @ origin(joint)) < 1e-12
        assert error(at[child], at[f"joint:{joint.get('name')}"]) < 1e-12
        if joint.get("type") in ("revolute", "continuous", "prismatic", "planar"):
            element = joint.find("axis")
            axis = numbers(None if element is None else element.get("xyz"), "1 0 0")
            along = at[child][:3, :3] @ axis / np.linalg.norm(axis)
            assert error(bodies[joint.get("name")][:3, 2], along) < 1e-12
