"""Every robot that comes along: well formed, its sources named, as heavy as it should be, moving as Pinocchio says."""

import re
import xml.etree.ElementTree as ET
from importlib import import_module

import numpy as np
import pytest

import motionc as mc
from motionc.robots import ShippedRobot, robot_names, robots
from oracle import Oracle, error

every_robot = pytest.mark.parametrize("robot", mc.robots(), ids=lambda robot: robot.name)

# kg: data sheets (UR), theses (planar arms, HyQ with the public lower leg of 0.881), sums of published tables
MASSES = {
    "planar2": 0.6,
    "planar3": 0.75,
    "planar4": 0.8,
    "fancy": 5,
    "fancy_branch": 7,
    "lwr4": 13.626328,
    "iiwa": 22.5,
    "panda": 16.691901 + 0.76,
    "ur5": 18.4,
    "ur10": 28.9,
    "baxter_arm": 19.71082,
    "youbot_arm": 6.594,
    "youbot": 26.594,
    "palletiser": 1160,
    "hyl": 3 + 2.93 + 2.638 + 0.881,
    "hyq_leg": 2.93 + 2.638 + 0.881,
    "hyq": 47.376 + 4 * (2.93 + 2.638 + 0.881),
    "quadruped": 1.34,
    "biped": 60,
    "humanoid": 60,
}


def test_the_list_is_what_lies_in_the_folder() -> None:
    folder = mc.robots()[0].file.parent
    assert sorted(robot_names()) == sorted(path.stem for path in folder.glob("*.urdf"))


def test_the_room_of_the_same_name_gives_the_same_list() -> None:
    assert import_module("motionc.robots")() is robots()


def test_the_list_prints_as_a_table() -> None:
    lines = str(mc.robots()).splitlines()
    assert len(lines) == 1 + len(mc.robots())
    assert re.match(r"hyq +12 \+ 6 +HyQ, hydraulic quadruped +Frigerio 2013$", lines[1 + robot_names().index("hyq")])


@pytest.mark.parametrize(("wrong", "right"), [("pandda", "panda"), ("UR-55", "ur5"), ("huminoid", "humanoid")])
def test_a_misspelt_name_is_answered_with_the_right_one(wrong: str, right: str) -> None:
    with pytest.raises(mc.Error, match=f"did you mean .*{right}"):
        mc.load(wrong)


def test_capitals_and_hyphens_do_not_matter() -> None:
    assert mc.load("Youbot-Arm").joint_names == mc.load("youbot_arm").joint_names


@pytest.mark.parametrize("name", ["hyq", "quadruped", "biped"])
def test_what_walks_floats_with_18_degrees_of_freedom_unless_told_otherwise(name: str) -> None:
    assert mc.load(name).nv == 18
    assert mc.load(name, floating=False).nv == 12


# ---------------------------------------------------------------- each file


@every_robot
def test_it_loads_without_a_finding(robot: ShippedRobot) -> None:
    loaded = mc.load(robot.name)
    assert [str(finding) for finding in mc.check(robot.name)] == []
    assert loaded.name == robot.name
    assert loaded.nv == robot.joints + 6 * robot.floating
    assert sum(link.mass or 0 for link in loaded.links) == pytest.approx(MASSES[robot.name], rel=1e-9)


@every_robot
def test_its_file_says_where_its_figures_come_from(robot: ShippedRobot) -> None:
    text = robot.file.read_text(encoding="utf-8")
    (top,) = re.findall(r"<!--(.*?)-->", text, re.DOTALL)
    for about in (
        "(Kinematics|Structure|Lengths|kinematics).*:",
        "[Mm]asses.*:",
        "[Ii]nertias",
        "[Ll]imits",
        "[Ss]hapes",
    ):
        assert re.search(about, top), about
    assert text.index(top) < text.index("<robot")


@every_robot
def test_it_can_be_looked_at(robot: ShippedRobot) -> None:
    root = ET.parse(robot.file).getroot()
    colours = {material.get("name") for material in root.findall("material")}
    for link in root.findall("link"):
        shapes = link.findall("visual/geometry/*")
        assert {shape.tag for shape in (*shapes, *link.findall("collision/geometry/*"))} <= {
            "box",
            "cylinder",
            "sphere",
        }
        assert {material.get("name") for material in link.findall("visual/material")} <= colours
        assert shapes or link.find("inertial") is None, f"nothing shows where {link.get('name')} is"


@every_robot
def test_its_joints_have_limits(robot: ShippedRobot) -> None:
    # the planar arms turn on forever, as in the theses; so does the youBot's base
    endless = robot.name.startswith("planar")
    for joint in mc.load(robot.name).joints:
        if joint.type in ("revolute", "prismatic"):
            assert np.all(np.isfinite([joint.limits.lower, joint.limits.upper])), joint.name
        if joint.type != "fixed" and not endless:
            assert np.all(np.isfinite([joint.limits.velocity, joint.limits.effort])), joint.name


@every_robot
def test_its_masses_lie_within_its_shapes(robot: ShippedRobot) -> None:
    """A centre of mass is not further from the middle of a link's shapes than these reach (and 5 cm for wires)."""
    root = ET.parse(robot.file).getroot()
    for link in root.findall("link[inertial]"):
        com = _xyz(link.find("inertial/origin"))
        reach = [
            np.linalg.norm(com - _xyz(visual.find("origin"))) - _radius(visual) for visual in link.findall("visual")
        ]
        assert min(reach) < 0.05, link.get("name")


def _xyz(origin: ET.Element | None) -> np.ndarray:
    return np.zeros(3) if origin is None else np.array(origin.get("xyz", "0 0 0").split(), float)


def _radius(visual: ET.Element) -> float:
    """Of the ball around a shape."""
    (shape,) = visual.findall("geometry/*")
    if shape.tag == "box":
        return float(np.linalg.norm(np.array(shape.get("size", "").split(), float))) / 2
    return float(np.hypot(float(shape.get("radius", 0)), float(shape.get("length", 0)) / 2))


@every_robot
def test_it_moves_as_pinocchio_says(robot: ShippedRobot) -> None:
    loaded = mc.load(robot.name)
    world, rng = Oracle(robot.file, loaded), np.random.default_rng(7)
    inverse, forward = mc.inverse_dynamics(loaded), mc.forward_dynamics(loaded)
    poses = mc.forward_kinematics(loaded, loaded.link_names)
    for _ in range(3):
        q, v, a = loaded.random(rng), rng.normal(size=loaded.nv), rng.normal(size=loaded.nv)
        tau = world.inverse_dynamics(q, v, a)
        assert error(inverse.run(q, v, a), tau) < 1e-10
        assert error(forward.run(q, v, tau), a) < 1e-10 * np.linalg.cond(world.mass_matrix(q))
        world.place(q)
        assert error(poses.run(q), np.array([world.pose(link) for link in loaded.link_names])) < 1e-12
