"""The URDF reader: what is mapped, the fate of every element, each finding Ur1 to Ur8, each refusal with its place."""

import math
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionc as mc
from motionc.formats import Document, Outcome, ReadError, read_urdf, urdf
from motionc.geometry.lie import rotation_from_rpy
from motionc.model.chain import JointType, Limits, Mimic, Role, Transmission
from motionc.model.findings import Findings, Severity
from public_robots import every_public_file

INERTIAL = """<inertial>
      <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
      <mass value="2.5"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/>
    </inertial>"""
ARM = f"""<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    {INERTIAL}
  </link>
  <link name="lower"/>
  <link name="tip"/>
  <joint name="elbow" type="continuous">
    <parent link="upper"/>
    <child link="lower"/>
    <axis xyz="0 3 4"/>
    <limit effort="7" velocity="8"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/>
  </joint>
  <joint name="wrist" type="fixed">
    <parent link="lower"/>
    <child link="tip"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 1.5"/>
    <limit lower="-1" upper="2" effort="3" velocity="4"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
</robot>
"""


def two_links(joint: str = "", link: str = "", type: str = "revolute") -> str:
    """A robot of two links, one joint; the joint's own lines start at line 6, the child's at line 3."""
    return f"""<robot name="r"><link name="a"/>
<link name="b">
{link}
</link>
<joint name="j" type="{type}"><parent link="a"/><child link="b"/>
{joint}
</joint></robot>"""


def chained(parents: list[int], type: str = "fixed") -> str:
    """A robot whose link i hangs on link parents[i] (its own number for none)."""
    links = "".join(f'<link name="l{i}"/>\n' for i in range(len(parents)))
    joints = "".join(
        f'<joint name="j{i}" type="{type}"><parent link="l{parent}"/><child link="l{i}"/></joint>\n'
        for i, parent in enumerate(parents)
        if parent != i
    )
    return f'<robot name="r">\n{links}{joints}</robot>'


def joined(parent: str, child: str) -> str:
    """One more joint, and the end of the robot."""
    return f'<joint name="more" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint></robot>'


def refusal(text: str | bytes) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read_urdf(text, "r.urdf")
    assert caught.value.remedy
    assert caught.value.file == "r.urdf"
    return caught.value


# ---------------------------------------------------------------- what is mapped


def test_links_carry_mass_inertia_and_the_frame_they_hold_in():
    segments = {segment.name: segment for segment in read_urdf(ARM).chain.segments}
    upper = segments["upper"].link
    assert (upper.mass, upper.reference) == (2.5, "upper")
    assert np.array_equal(upper.inertia, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]])
    frame = segments["upper"].frame("upper:inertia")
    assert frame is not None
    assert frame.role is Role.INERTIA
    assert np.array_equal(frame.pose[:3, 3], [1, 2, 3])
    assert np.allclose(frame.pose[:3, :3], rotation_from_rpy(0.1, 0.2, 0.3), rtol=0, atol=1e-15)
    assert segments["base"].link.mass is None
    assert [frame.name for frame in segments["upper"].frames] == ["shoulder:child", "elbow:parent"]


def test_joints_carry_axis_limits_mimic_and_transmission():
    joints = {joint.name: joint for joint in read_urdf(ARM).chain.joints}
    shoulder, elbow = joints["shoulder"], joints["elbow"]
    assert shoulder.axis == (1, 0, 0)  # the default of URDF
    assert shoulder.limits == Limits(-1, 2, velocity=4, effort=3)
    assert shoulder.transmission == Transmission(damping=0.5, friction=0.25)
    assert np.allclose(elbow.axis, (0, 0.6, 0.8), rtol=0, atol=1e-15)
    assert elbow.limits == Limits(velocity=8, effort=7)
    assert elbow.mimic == Mimic("shoulder", -2, 0.5)
    assert joints["wrist"].type is JointType.FIXED


def test_a_joint_frame_sits_at_the_origin_on_the_parent_and_at_zero_on_the_child():
    shoulder = next(joint for joint in read_urdf(ARM).chain.joints if joint.name == "shoulder")
    (parent, reference), (child, target) = shoulder.reference, shoulder.target
    assert (parent.name, reference, child.name, target) == ("base", "shoulder:parent", "upper", "shoulder:child")
    at, zero = parent.frame(reference), child.frame(target)
    assert at is not None
    assert zero is not None
    assert np.array_equal(at.pose[:3, 3], [0, 0, 1])
    assert np.allclose(at.pose[:3, :3], rotation_from_rpy(0, 0, 1.5), rtol=0, atol=1e-15)
    assert np.array_equal(zero.pose, np.eye(4))


def test_joints_come_depth_first_with_children_in_the_order_of_their_elements():
    assert [joint.name for joint in read_urdf(ARM).chain.joints] == ["shoulder", "elbow", "wrist"]
    #    0 ── 1 ── 3
    #     └── 2 ── 4
    order = [joint.child.name for joint in read_urdf(chained([0, 0, 0, 1, 2])).chain.joints]
    assert order == ["l1", "l3", "l2", "l4"]


def test_a_single_link_is_a_robot():
    document = read_urdf('<robot name="r"><link name="only"/></robot>')
    assert (document.chain.root.name, document.chain.joints, document.findings.ok) == ("only", (), True)


def test_a_quaternion_places_as_its_angles_do():
    quat = two_links('<origin xyz="1 0 0" quat_xyzw="0 0 0.6 0.8"/>')
    angles = two_links(f'<origin xyz="1 0 0" rpy="0 0 {2 * math.atan2(0.6, 0.8)!r}"/>')
    poses = [read_urdf(text).chain.joints[0].parent.frames[0].pose for text in (quat, angles)]
    assert np.allclose(*poses, rtol=0, atol=1e-15)


def test_links_and_joints_know_their_place_in_the_file():
    chain = read_urdf(ARM, "arm.urdf").chain
    assert str(chain.joints[0].place) == "arm.urdf:24:3: robot/joint[shoulder]"
    assert str(chain.root.link.place) == "arm.urdf:3:3: robot/link[base]"


@every_public_file
def test_robots_stand_in_space_as_pinocchio_says(file: Path):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.zeros(model.nq) if model.nq == model.nv else pin.neutral(model))
    chain = read_urdf(file).chain

    poses = {chain.root.name: np.eye(4)}
    for joint in chain.joints:
        frame = joint.parent.frame(joint.reference[1])
        assert frame is not None
        poses[joint.child.name] = poses[joint.parent.name] @ frame.pose
    for name, pose in poses.items():
        assert np.allclose(
            pose, data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous, rtol=0, atol=1e-12
        ), name

    # a fixed root is not part of Pinocchio's total
    masses = [segment.link.mass or 0.0 for segment in chain.segments]
    assert np.isclose(sum(masses), pin.computeTotalMass(model) + model.inertias[0].mass, rtol=0, atol=1e-12)
    for joint in chain.joints:
        if model.existJointName(joint.name) and model.joints[index := model.getJointId(joint.name)].nq == 1:
            at = model.joints[index].idx_q
            said = (model.lowerPositionLimit[at], model.upperPositionLimit[at], model.velocityLimit[at])
            assert said == (joint.limits.lower, joint.limits.upper, joint.limits.velocity)


# ---------------------------------------------------------------- fates


def fates(document: Document) -> dict[str, Outcome]:
    return {fate.element: fate.outcome for fate in document.fates}


@every_public_file
def test_every_element_of_a_real_robot_has_one_fate_in_document_order(file: Path):
    document = read_urdf(file)
    elements = [element.tag.split("}")[-1] for element in ElementTree.parse(file).iter()]
    tags = [fate.element.split("/")[-1].split("[")[0].split(":")[-1] for fate in document.fates]
    assert len(tags) == len(elements)
    assert tags == elements
    assert len({(fate.place.line, fate.place.column) for fate in document.fates}) == len(elements)
    assert all(fate.reason for fate in document.fates if fate.outcome is not Outcome.USED)
    assert not any(fate.outcome is Outcome.UNKNOWN for fate in document.fates)
    assert document.findings.ok


def test_what_plays_no_part_is_kept_with_all_inside_it():
    document = read_urdf(
        """<robot name="r">
        <link name="a">
          <contact><x/></contact></link>
        <link name="b"/><transmission name="t"><what a="b">text</what></transmission><gazebo><anything/></gazebo>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/><limit/>
          <safety_controller k_velocity="1"/><calibration rising="0"/></joint></robot>"""
    )
    found = fates(document)
    used = {element for element, outcome in found.items() if outcome is Outcome.USED}
    joint = "robot/joint[j]"
    assert used == {"robot", "robot/link[a]", "robot/link[b]", joint, f"{joint}/parent", f"{joint}/child"}
    assert set(found.values()) == {Outcome.USED, Outcome.KEPT}
    assert len(document.findings) == 0


def test_a_misspelt_inertial_is_unknown_with_all_inside_it():
    document = read_urdf(two_links(link=INERTIAL.replace("inertial", "inertail"), type="floating"))
    unknown = [fate.element for fate in document.fates if fate.outcome is Outcome.UNKNOWN]
    path = "robot/link[b]/inertail"
    assert unknown == [path, f"{path}/origin", f"{path}/mass", f"{path}/inertia"]
    assert len(document.findings.of_rule("Ur1")) == 1
    fate = next(fate for fate in document.fates if fate.element == path)
    assert str(fate) == f"<text>:3:1: {path}: unknown (URDF defines no <inertail> here)"


def test_a_stranger_inside_what_cannot_be_read_is_unknown_all_the_same():
    document = read_urdf(two_links(link="<visual><mash><x/></mash></visual>", type="floating"))
    found, visual = fates(document), "robot/link[b]/visual"
    assert found[visual] is Outcome.KEPT
    assert "no <geometry>" in document.findings.of_rule("Ur9")[0].message
    assert found[f"{visual}/mash"] is found[f"{visual}/mash/x"] is Outcome.UNKNOWN


# ---------------------------------------------------------------- findings: each rule has a file that breaks it

BALL = '<geometry><sphere radius="1"/></geometry>'
FULL = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


@pytest.mark.parametrize(
    ("rule", "severity", "line", "text", "said"),
    [
        ("Ur1", "warning", 3, two_links(FULL, "<inertail/>"), "no <inertail> in <link>"),
        ("Ur1", "warning", 6, two_links(FULL + "<Axis/>"), "no <Axis> in <joint>"),
        ("Ur1", "warning", 3, two_links(FULL, f"<visual>{BALL}<mesh/></visual>"), "no <mesh> in <visual>"),
        ("Ur9", "warning", 3, two_links(FULL, "<visual/>"), "no <geometry>"),
        ("Ur9", "warning", 3, two_links(FULL, f"<collision>{BALL.replace('1', '-1')}</collision>"), "a sphere of size"),
        (
            "Ur9",
            "warning",
            3,
            two_links(FULL, f"<visual>{BALL.replace('<geometry>', '<geometry><box/>')}</visual>"),
            "2 sh",
        ),
        ("Ur2", "warning", 6, two_links(FULL + '<origin xzy="0 0 1"/>'), "no attribute xzy = '0 0 1' of <origin>"),
        ("Ur2", "warning", 6, two_links(FULL.replace("/>", ' current="3"/>')), "no attribute current = '3'"),
        ("Ur3", "warning", 5, two_links(), "the revolute joint has no <limit>"),
        ("Ur3", "warning", 5, two_links(type="prismatic"), "the prismatic joint has no <limit>"),
        ("Ur3", "warning", 6, two_links('<limit lower="-1" upper="1" effort="1"/>'), "says no velocity"),
        ("Ur3", "warning", 6, two_links('<limit velocity="1"/>', type="continuous"), "says no effort"),
        ("Ur4", "error", 3, two_links(FULL, INERTIAL.replace('<mass value="2.5"/>', "")), "has no <mass>"),
        ("Ur4", "error", 3, two_links(FULL, '<inertial><mass value="1"/></inertial>'), "has no <inertia>"),
        ("Ur5", "warning", 6, two_links(FULL.replace('effort="1"', 'effort="-1"')), "effort = -1 is negative"),
        ("Ur6", "warning", 6, two_links(FULL + "<origin>0 0 1</origin>"), "the text '0 0 1'"),
        ("Ur7", "error", 3, chained([0, 1]), "link 'l1' hangs on no joint"),
        ("Ur7", "error", 4, chained([0, 0, 2]), "link 'l2' hangs on no joint"),
        ("Ur8", "note", 6, two_links(FULL + '<axis xyz="0 0 2"/>'), "the axis has the length 2"),
        ("Ur8", "note", 6, two_links(FULL, type="continuous"), "has no position limits"),
        ("Ur8", "note", 6, two_links(FULL.replace("/>", ' jerk="3"/>')), "limits of jerk"),
        ("Ur10", "warning", 6, two_links(FULL + '<origin rpy="0 90 0"/>'), "rpy = '0 90 0' turns more than once"),
        ("Ur10", "warning", 4, two_links(FULL, INERTIAL.replace('"0.1 0.2 0.3"', '"0 -7 0"')), "rpy = '0 -7 0'"),
        ("Ur10", "warning", 3, two_links(FULL, f'<visual><origin rpy="0 0 -45"/>{BALL}</visual>'), "rpy = '0 0 -45'"),
    ],
)
def test_each_rule_of_the_reader_finds_what_breaks_it(rule: str, severity: str, line: int, text: str, said: str):
    document = read_urdf(text, "r.urdf")
    (finding,) = document.findings.of_rule(rule)
    assert (finding.severity, finding.place.file, finding.place.line) == (severity, "r.urdf", line)
    assert finding.place.column >= 1
    assert said in finding.message
    assert finding.remedy
    assert document.findings.ok is (severity != "error")
    assert {item.rule for item in document.findings if item.rule.startswith("Ur")} == {rule}


def test_an_incomplete_inertial_gives_a_link_without_mass_never_one_with_a_default():
    for part in ('<mass value="2.5"/>', '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/>'):
        link = read_urdf(two_links(FULL, INERTIAL.replace(part, ""))).chain.joints[0].child.link
        assert (link.mass, link.inertia, len(link.frames)) == (None, None, 1)


def test_bounds_are_infinite_where_the_file_has_none():
    assert read_urdf(two_links()).chain.joints[0].limits == Limits()
    negative = two_links('<limit lower="-inf" upper="INF" effort="-1" velocity="inf"/>', type="prismatic")
    assert read_urdf(negative).chain.joints[0].limits == Limits()


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"Kc2"}, chained([2, 0, 1])),  # one loop, no root
        ({"Kc4"}, chained([0, 0, 3, 2])),  # a loop apart
        ({"Kc4"}, chained([0, 0, 2, 2])),  # two roots
        ({"Kc3"}, chained([0, 0, 0]).replace("</robot>", joined("l1", "l2"))),  # two ways to one link
        ({"Jt2"}, chained([0, 0]).replace("</robot>", joined("l1", "l1"))),  # a joint with one link
        ({"Jt3"}, two_links(FULL + '<axis xyz="0 0 0"/>')),
        ({"Lk4"}, two_links(FULL, INERTIAL.replace("2.5", "-2.5"))),
        ({"Kc6"}, two_links(FULL + '<mimic joint="nobody"/>')),
    ],
)
def test_what_the_models_rules_find_is_located_in_the_file(rules: set[str], text: str):
    document = read_urdf(text, "r.urdf")
    assert {finding.rule for finding in document.findings.errors} == rules
    for finding in document.findings.errors:
        assert finding.place.file == "r.urdf"
        assert finding.place.line > 1


def test_every_joint_is_in_the_chain_however_the_graph_is_made():
    for parents in ([2, 0, 1], [0, 0, 3, 2], [0, 0, 2, 2], [1, 0, 3, 2]):
        joints = read_urdf(chained(parents)).chain.joints
        assert len({joint.name for joint in joints}) == len(joints) == sum(p != i for i, p in enumerate(parents))


def test_a_planar_joint_moves_in_the_plane_normal_to_its_axis():
    """x of the plane is -z, y is y, for a normal along x: +z turned onto it by the shortest way."""
    limit = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'
    document = read_urdf(two_links('<axis xyz="1 0 0"/>\n' + limit, type="planar", link=INERTIAL))
    (joint,) = document.chain.joints
    assert (joint.type, joint.axis, joint.limits) == (JointType.PLANAR, (1, 0, 0), Limits(velocity=2, effort=3))
    assert "a planar joint has no position limits" in str(document.findings.of_rule("Ur8"))
    robot = mc.Robot(document.chain)
    assert (robot.nq, robot.nv) == (3, 3)
    pose = mc.forward_kinematics(robot, ["b"]).run([0.1, 0.2, np.pi / 2])[0]
    assert np.allclose(pose[:3, 3], (0, 0.2, -0.1), rtol=0, atol=1e-12)
    assert np.allclose(pose[:3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]], rtol=0, atol=1e-12)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("<sdf/>", (1, 1), "the root element is <sdf>, not <robot>"),
        ('<robot name="r">\n</robot>', (1, 1), "the robot has no links"),
        ('<robot><link name="a"/></robot>', (1, 1), "<robot> has no name"),
        ('<robot name="r">\n<link/></robot>', (2, 1), "<link> has no name"),
        ('<robot name="r">\n<link name=""/></robot>', (2, 7), "the name of <link> is empty: ''"),
        ('<robot name="r">\n<link name=" &#9;"/></robot>', (2, 7), "the name of <link> is empty"),
        ('<robot name="r"><link name="a"/>\n <link name="a"/></robot>', (2, 8), "a link named 'a' stands in line 1"),
        (chained([0, 0, 0]).replace("j1", "j2"), (6, 8), "a joint named 'j2' stands in line 5 already"),
        (two_links().replace(' type="revolute"', ""), (5, 1), "<joint> has no type"),
        (two_links(type="ball"), (5, 17), "URDF has no joint type 'ball'"),
        (two_links(type="spherical"), (5, 17), "URDF has no joint type 'spherical'"),
        (two_links().replace('<parent link="a"/>', ""), (5, 1), "the joint has no <parent>"),
        (two_links().replace('<child link="b"/>', ""), (5, 1), "the joint has no <child>"),
        (two_links().replace('<child link="b"/>', "\n<child/>"), (6, 1), "<child> has no link"),
        (two_links().replace('<child link="b"/>', '\n<child link="c"/>'), (6, 8), "there is no link 'c'"),
        (two_links('<origin/>\n <origin xyz="0 0 1"/>'), (7, 2), "a second <origin>; the first is in line 6"),
        (two_links("<axis/><axis/>", type="floating"), (6, 8), "a second <axis>"),
        (two_links(link=INERTIAL * 2), (7, 16), "a second <inertial>"),
        (two_links(link=INERTIAL.replace("</in", "<mass/></in")), (7, 5), "a second <mass>"),
        (two_links('<origin xyz="0 0 1,5"/>'), (6, 9), "xyz = '0 0 1,5': '1,5' is not a number"),
        (two_links('<origin xyz="0 nan 0"/>'), (6, 9), "'nan' is not a number"),
        (two_links('<origin rpy="0 inf 0"/>'), (6, 9), "'inf' is not a number"),
        (two_links('<origin xyz="0 0 1e999"/>'), (6, 9), "'1e999' is too large"),
        (two_links('<origin rpy="0 0 1e200"/>'), (6, 9), "'1e200' is too large"),
        (two_links('<origin xyz="0 0"/>'), (6, 9), "xyz = '0 0' holds 2 numbers, not 3"),
        (two_links('<origin xyz=""/>'), (6, 9), "the xyz of <origin> is empty"),
        (two_links('<origin xyz="0 0 1_0"/>'), (6, 9), "'1_0' is not a number"),
        (two_links('<origin xyz="0 0 ١"/>'), (6, 9), "'١' is not a number"),
        (two_links('<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), (6, 21), "both rpy and quat_xyzw"),
        (two_links('<origin quat_xyzw="0 0 0 0"/>'), (6, 9), "length zero"),
        (two_links('<axis xyz="0 0 1 0"/>'), (6, 7), "holds 4 numbers, not 3"),
        (two_links("<axis/>"), (6, 1), "<axis> has no xyz"),
        (two_links('<axis xyz="${a} 0 0"/>'), (6, 7), "'${a}' is not a number"),
        (two_links('<limit lower="nan"/>'), (6, 8), "'nan' is not a number"),
        (two_links(FULL + '<dynamics damping="x"/>'), (6, 64), "damping = 'x'"),
        (two_links(FULL + "<mimic/>"), (6, 54), "<mimic> has no joint"),
        (two_links(FULL + '<mimic joint="a" multiplier="inf"/>'), (6, 71), "'inf' is not a number"),
        (two_links(link=INERTIAL.replace("2.5", "inf")), (5, 13), "'inf' is not a number"),
        (two_links(link=INERTIAL.replace('"1"', '"NaN"')), (6, 16), "ixx = 'NaN'"),
        (two_links(link=INERTIAL.replace(' value="2.5"', "")), (5, 7), "<mass> has no value"),
        (two_links(link=INERTIAL.replace('ixy="0.1"', "")), (6, 7), "<inertia> has no ixy"),
        (two_links(f'<origin xyz="0 0 {"1" * 100_000}"/>'), (6, 9), "has 100004 characters"),
        ('<robot name="r">\n<xacro:macro name="m"/></robot>', (2, 1), "<xacro:macro> is a macro, not URDF"),
    ],
)
def test_what_cannot_be_mapped_is_refused_with_place_text_and_remedy(text: str, place: tuple[int, int], said: str):
    error = refusal(text)
    assert (error.line, error.column) == place
    assert said in error.message
    assert len(str(error)) < 1000


# ---------------------------------------------------------------- hostile files


def test_a_file_cut_anywhere_gives_a_located_error():
    data = ARM.strip().encode()
    for end in [*range(0, len(data), 50), len(data) - 1]:
        error = refusal(data[:end])
        assert error.line == data[:end].count(b"\n") + 1
        assert error.column >= 1


def test_entities_never_expand():
    laughs = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;"><link name="a"/></robot>'
    assert "document types are refused" in refusal(laughs).message


@pytest.mark.parametrize("parent", [lambda i: max(i - 1, 0), lambda i: (i - 1) % 5_000], ids=["chain", "cycle"])
def test_long_chains_and_cycles_end(parent: Callable[[int], int]):
    document = read_urdf(chained([parent(i) for i in range(5_000)]))
    assert len(document.fates) == 1 + 5_000 + 3 * len(document.chain.joints)
    assert {finding.rule for finding in document.findings} <= {"Kc2"}


def test_tens_of_thousands_of_links_are_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(urdf, "check_chain", lambda chain, read: Findings())  # the reader alone
    document = read_urdf(chained([max(i - 1, 0) for i in range(20_000)]))
    assert [joint.name for joint in document.chain.joints[::10_000]] == ["j1", "j10001"]
    assert len(document.fates) == 1 + 20_000 + 3 * 19_999


XML_TEXT = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
NAMES = st.text(XML_TEXT, min_size=1, max_size=40).filter(str.strip)
ODD_NAMES = ['a;system("x")//', "größe/…[1]", "x" * 300, "*/ #include <x>", "a:inertia", "关节", "'\"&<>", " a "]


@settings(max_examples=50)
@given(NAMES, NAMES, NAMES, NAMES)
def test_names_survive(robot: str, parent: str, child: str, joint: str):
    if parent == child:
        child += "2"
    chain = read_urdf(
        f"<robot name={quoteattr(robot)}><link name={quoteattr(parent)}/><link name={quoteattr(child)}/>"
        f"<joint name={quoteattr(joint)} type='fixed'><parent link={quoteattr(parent)}/>"
        f"<child link={quoteattr(child)}/></joint></robot>"
    ).chain
    (only,) = chain.joints
    assert (chain.name, chain.root.name, only.child.name, only.name) == (robot, parent, child, joint)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_survive_as_they_are(name: str):
    document = read_urdf(two_links(FULL).replace('"b"', quoteattr(name)).replace('"j"', quoteattr(name)))
    (joint,) = document.chain.joints
    assert joint.name == joint.child.name == joint.child.link.reference == name
    assert document.findings.ok
    assert all(finding.severity is Severity.WARNING for finding in document.findings)  # Dy1: it moves no inertia
