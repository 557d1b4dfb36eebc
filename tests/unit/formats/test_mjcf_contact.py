"""Robots written for MuJoCo do not collide with themselves where all joints are at 0; elsewhere they may."""

import mujoco
import numpy as np
import pytest

import motionc as mc
from motionc.geometry.lie import rotation_from_rpy
from motionc.model.overlap import touch
from motionc.model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from motionc.robots import robot_names
from oracle import error


def simulated(name: str) -> tuple[mc.Robot, mujoco.MjModel, mujoco.MjData]:
    robot = mc.load(name)
    model = mc.to_mjspec(robot).compile()
    return robot, model, mujoco.MjData(model)


@pytest.mark.parametrize("name", robot_names())
def test_no_shipped_robot_touches_itself_at_neutral(name: str) -> None:
    _, model, data = simulated(name)
    mujoco.mj_forward(model, data)
    assert data.ncon == 0


def test_contacts_switched_on_mujoco_accelerates_the_arm_as_we_do() -> None:
    robot, model, data = simulated("lwr4")
    data.qvel[:], data.ctrl[:] = np.random.default_rng(0).normal(size=(2, 7))
    mujoco.mj_forward(model, data)
    assert error(data.qacc, mc.forward_dynamics(robot).run(data.qpos, data.qvel, data.ctrl)) < 1e-9


def test_links_that_are_no_neighbours_still_collide() -> None:
    _, model, data = simulated("ur5")
    data.qpos[:] = [0, 0, 2.9, 0, 0, 0]  # folded at the elbow: the wrist goes into the shoulder
    mujoco.mj_forward(model, data)
    assert data.ncon > 0


def test_shapes_touch_where_mujoco_says_so() -> None:
    """Random pairs near each other, against the distance of MuJoCo's geoms."""
    rng, counts = np.random.default_rng(1), [0, 0]
    for _ in range(60):
        kinds = [Box((0.3, 0.2, 0.1)), Sphere(0.12), Cylinder(0.1, 0.3), Capsule(0.06, 0.25)]
        shapes, poses, geoms = [], [], []
        for geometry in (kinds[k] for k in rng.integers(4, size=2)):
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = rotation_from_rpy(*rng.uniform(-3, 3, 3)), rng.uniform(-0.17, 0.17, 3)
            shapes.append(Shape(geometry, purpose="collision"))
            poses.append(pose)
            kind = {Box: "box", Sphere: "sphere", Cylinder: "cylinder", Capsule: "capsule"}[type(geometry)]
            size = {
                "box": lambda g: [edge / 2 for edge in g.size],
                "sphere": lambda g: [g.radius],
            }.get(kind, lambda g: [g.radius, g.length / 2])(geometry)
            quaternion = np.zeros(4)
            mujoco.mju_mat2Quat(quaternion, pose[:3, :3].flatten())
            words = [" ".join(map(repr, map(float, values))) for values in (size, pose[:3, 3], quaternion)]
            geoms.append('<body><geom type="{}" size="{}" pos="{}" quat="{}"/></body>'.format(kind, *words))
        model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{''.join(geoms)}</worldbody></mujoco>")
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        away = mujoco.mj_geomDistance(model, data, 0, 1, 1.0, None)
        if abs(away - 1e-3) > 1e-5:
            assert touch(shapes[0], poses[0], shapes[1], poses[1]) == (away < 1e-3), (shapes, away)
            counts[away < 1e-3] += 1
    assert min(counts) > 10


def test_of_meshes_nothing_is_known() -> None:
    mesh, ball = (Shape(geometry, purpose="collision") for geometry in (Mesh("arm.stl"), Sphere(1.0)))
    assert not touch(mesh, np.eye(4), ball, np.eye(4))
