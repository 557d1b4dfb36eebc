"""URDF back and forth: what was read comes back, whatever it was; what URDF cannot say is refused."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.formats import Outcome, read_urdf, to_urdf
from motionc.model import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Robot,
    Role,
    Segment,
    Transmission,
    placed,
)
from motionc.model.compare import differences
from motionc.model.shapes import Box, Material, Mesh
from motionc.robots import robot_file, robot_names
from public_robots import every_public_file

EVERYTHING = """<?xml version="1.0"?>
<robot name="r &amp; &quot;all&quot;" version="1.0" xmlns:drake="http://drake.mit.edu">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <material name="wood"><texture filename="package://r/wood.png"/></material>
  <material name="broken"><color rgba="1 0"/></material>
  <link name="a" type="base">
    <inertial><origin xyz="0.1 0 0" rpy="0.3 -0.2 0.1"/><mass value="2"/>
      <inertia ixx="1" ixy="0.1" ixz="0.05" iyy="1.1" iyz="0.02" izz="0.9"/></inertial>
    <visual name="v"><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <visual><geometry><mesh filename="package://r/hand.stl" scale="0.001 0.001 0.001"/></geometry>
      <material name="own"><color rgba="0 1 0 0.5"/></material><shininess value="3"/></visual>
    <collision mood="grim"><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
    <collision><geometry><capsule radius="0.1" length="0.5"/></geometry></collision>
    <collision><verbose value="a convex hull"/></collision>
    <contact><lateral_friction value="1.0"/></contact>
  </link>
  <link name="b"><visual><geometry><sphere radius="0.2"/></geometry><material name="nowhere"/></visual></link>
  <link name="c"/><link name="d"/><link name="e"/><link name="f"/>
  <joint name="j" type="revolute"><origin xyz="0.1 -0.2 0.3" rpy="1.5707963 0 -2"/><parent link="a"/><child link="b"/>
    <axis xyz="0 0.6 0.8"/><limit lower="-1" upper="2.5" effort="10" velocity="3" jerk="7"/>
    <dynamics damping="0.1" friction="0.2" rotor_inertia="0.05"/>
    <safety_controller k_velocity="1" k_position="2" soft_lower_limit="-0.9" soft_upper_limit="2.4"/>
    <calibration rising="0.1"/></joint>
  <joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
    <limit effort="1" velocity="1" lower="0" upper="1"/><mimic joint="j" multiplier="-0.5" offset="0.1"/></joint>
  <joint name="l" type="continuous"><parent link="a"/><child link="d"/>
    <limit effort="1" velocity="1" lower="-3"/></joint>
  <joint name="m" type="fixed" color="blue"><parent link="d"/><child link="e"/><axis xyz="0 1 0"/></joint>
  <joint name="n" type="planar"><parent link="d"/><child link="f"/><axis xyz="0 1 0"/></joint>
  <transmission name="t"><type>x/SimpleTransmission</type><joint name="j"/><actuator name="m1"/></transmission>
  <gazebo reference="a"><mu1>0.2</mu1><self_collide>1 &lt; 2</self_collide></gazebo>
  <drake:note>&#10;text</drake:note>
</robot>
"""


def there_and_back(chain: KinematicChain) -> KinematicChain:
    return read_urdf(to_urdf(chain), "written").chain


def test_everything_a_file_can_hold_comes_back() -> None:
    document = read_urdf(EVERYTHING)
    again = read_urdf(to_urdf(document.chain))
    assert differences(document.chain, again.chain) == []
    assert to_urdf(again.chain) == to_urdf(document.chain)
    assert all(fate.outcome is not Outcome.UNUSED for fate in document.fates)
    # the same findings, but for where they stand
    said = [sorted((f.rule, f.message) for f in found.findings) for found in (document, again)]
    assert said[0] == said[1]
    texts = [piece.text for piece in again.chain.carried]
    assert any("SimpleTransmission" in text for text in texts)
    assert any("1 &lt; 2" in text for text in texts)
    link, joint = again.chain.root.link, again.chain.joints[0]
    assert link.shapes[0].material == Material("red", (1.0, 0.0, 0.0, 1.0))
    assert link.shapes[1].geometry == Mesh("package://r/hand.stl", (0.001,) * 3)
    assert {(piece.path, piece.attribute, piece.text) for piece in joint.carried if piece.attribute} == {
        ("/limit[0]", "jerk", "7")
    }
    assert joint.transmission == Transmission(0.05, 0.1, 0.2)


@every_public_file
def test_a_public_robot_comes_back_and_pinocchio_reads_it_alike(file: Path, tmp_path: Path) -> None:
    chain = read_urdf(file).chain
    text = to_urdf(chain)
    assert differences(chain, read_urdf(text).chain) == []
    written = tmp_path / "written.urdf"
    written.write_text(text, encoding="utf-8")
    models = [pin.buildModelFromUrdf(str(path)) for path in (written, file)]
    torques = [torque_by_joint(model) for model in models]
    assert torques[0].keys() == torques[1].keys()
    for name, tau in torques[0].items():
        assert np.allclose(tau, torques[1][name], rtol=1e-9, atol=1e-9)


def torque_by_joint(model: pin.Model) -> dict[str, np.ndarray]:
    """Pinocchio's inverse dynamics where each joint's numbers depend on its name alone."""
    q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    for name, joint in list(zip(model.names, model.joints, strict=True))[1:]:
        numbers = np.random.default_rng(list(name.encode())).uniform(-1, 1, (3, 6))
        step = np.zeros(model.nv)
        where = slice(joint.idx_v, joint.idx_v + joint.nv)
        step[where], v[where], a[where] = numbers[:, : joint.nv]
        q = pin.integrate(model, q, step)
    tau = pin.rnea(model, model.createData(), q, v, a)
    names = list(zip(model.names, model.joints, strict=True))[1:]
    return {name: tau[joint.idx_v : joint.idx_v + joint.nv] for name, joint in names}


@pytest.mark.parametrize("name", robot_names())
def test_a_robot_that_comes_along_comes_back(name: str) -> None:
    chain = read_urdf(Path(str(robot_file(name)))).chain
    assert differences(chain, there_and_back(chain)) == []


def test_frames_apart_from_their_joint_and_features_move_and_weigh_the_same() -> None:
    base = Segment("base", Link.rigid("base"), (Attachment("b", Role.JOINT, placed((0, 0, 1), (0.1, 0, 0))),))
    arm = Segment(
        "arm",
        Link.rigid("arm", 2.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.15), {"tool": placed((0, 0.5, 0), (0, 1, 0))}),
        (Attachment("a", Role.JOINT, placed((0.3, 0, 0.1), (0.2, -0.4, 0))),),
    )
    joint = Joint("j", JointType.REVOLUTE, (arm, "a"), (base, "b"), (0, 1, 0), Limits(-1, 1, 2, 3))
    chain = KinematicChain("r", (joint,))
    one, other = Robot(chain), Robot(there_and_back(chain))
    for frame in ("arm", "tool"):
        poses = [mc.forward_kinematics(robot, [frame]).run([0.7]) for robot in (one, other)]
        assert np.allclose(*poses, rtol=0, atol=1e-14)
    torques = [mc.inverse_dynamics(robot).run([0.7], [0.3], [-0.2]) for robot in (one, other)]
    assert np.allclose(*torques, rtol=0, atol=1e-14)


@pytest.mark.parametrize("type", ["spherical", "universal", "cylindrical", "helical"])
def test_what_urdf_cannot_say_is_refused_by_name(type: str) -> None:
    chain = read_urdf(EVERYTHING).chain
    wrist = replace(chain.joints[0], name="wrist", type=JointType(type))
    with pytest.raises(Error, match=f"URDF has no {type} joints; .* in the place of wrist"):
        to_urdf(replace(chain, joints=(wrist, *chain.joints[1:])))


def test_a_robot_that_floats_comes_back_floating() -> None:
    """And Pinocchio reads the same free flyer."""
    robot = mc.load("hyq")
    text = to_urdf(robot)
    again = Robot(read_urdf(text).chain)
    assert (again.nq, again.joint_names, again.link_names[1:]) == (robot.nq, robot.joint_names, robot.link_names)
    assert differences(again.chain, there_and_back(again.chain)) == []
    q, v, a = robot.random(0), *np.random.default_rng(0).normal(size=(2, robot.nv))
    tau = mc.inverse_dynamics(robot).run(q, v, a)
    assert np.allclose(mc.inverse_dynamics(again).run(q, v, a), tau, rtol=1e-12, atol=1e-12)
    theirs = pin.buildModelFromXML(text)
    assert (theirs.nv, theirs.joints[1].shortname()) == (robot.nv, "JointModelFreeFlyer")
    with pytest.raises(Error, match="floats already"):
        Robot(read_urdf(text).chain, floating=True)


def flown(type: JointType, **said) -> Robot:
    """A link on a joint of this type, and a hinge on it."""
    chain = read_urdf(EVERYTHING).chain
    first = replace(chain.joints[0], type=type, mimic=None, carried=(), **{"limits": Limits(), **said})
    return Robot(replace(chain, joints=(first,), carried=()))


def test_rotors_and_limits_come_back_whatever_the_joint() -> None:
    rotor, limits = Transmission(0.3, 0.2, 0.1), Limits(velocity=3.0, effort=40.0)
    for type in (JointType.FLOATING, JointType.PLANAR, JointType.CONTINUOUS):
        robot = flown(type, transmission=rotor, limits=limits)
        back = Robot(there_and_back(robot.chain))
        assert (back.joints[0].transmission, back.joints[0].limits) == (rotor, limits)
        q, v, a = robot.random(0), *np.random.default_rng(0).normal(size=(2, robot.nv))
        torques = [mc.inverse_dynamics(each, friction=True).run(q, v, a) for each in (robot, back)]
        assert np.allclose(*torques, rtol=1e-12, atol=1e-12)
    # a continuous joint that ends somewhere is a revolute one
    stopped = flown(JointType.CONTINUOUS, limits=Limits(-1.0, 2.0, 3.0, 4.0))
    (hinge,) = there_and_back(stopped.chain).joints
    assert (hinge.type, hinge.limits) == (JointType.REVOLUTE, stopped.joints[0].limits)
    alike = flown(JointType.REVOLUTE, coordinate_limits=(Limits(-1.0, 2.0, 3.0, 4.0),))
    assert there_and_back(alike.chain).joints[0].limits == alike.joints[0].coordinate_limits[0]


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ({"limits": Limits(-1.0, 1.0)}, "limits of position of planar joint j: not written"),
        ({"coordinate_limits": (Limits(), Limits(velocity=1.0), Limits())}, "differ from coordinate to coordinate"),
    ],
)
def test_limits_that_urdf_has_no_words_for_are_said(said: dict, lost: str) -> None:
    with pytest.warns(UserWarning, match=lost):
        to_urdf(flown(JointType.PLANAR, **said))


def test_differences_are_found() -> None:
    chain = read_urdf(EVERYTHING).chain
    joint = chain.joints[0]
    for other, said in (
        (replace(joint, axis=(0.0, 0.8, 0.6)), r"joint\[j\].axis\[1\]: 0\.\d+ and 0.8"),
        (replace(joint, limits=Limits(-1, 2, 10, 3)), r"joint\[j\].limits.upper"),
        (replace(joint, name="i"), "joints: "),
        (replace(joint, carried=()), r"joint\[j\].carried: 3 and 0 entries"),
        (replace(joint, mimic=chain.joints[1].mimic), r"joint\[j\].mimic: None and Mimic"),
    ):
        found = differences(chain, replace(chain, joints=(other, *chain.joints[1:])))
        assert re.search(said, "\n".join(found)), found
    root = chain.root
    shape = replace(root.link.shapes[0], geometry=Box((1.0, 2.0, 3.5)))
    link = replace(root.link, shapes=(shape, *root.link.shapes[1:]))
    moved = replace(joint, reference=(replace(root, link=link), joint.reference[1]))
    assert any("shapes[0].geometry" in line for line in differences(chain, replace(chain, joints=(moved,))))
