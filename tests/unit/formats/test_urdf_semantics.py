"""What a robot's file means, whatever its grammar: order is free, mistakes are named and located, export keeps all."""

from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import motionc as mc
from broken_chains import BASE, chain, joint
from motionc.formats import ReadError, read_urdf, to_urdf
from motionc.model import Attachment, JointType, Limits, Link, ModelError, Role, Segment
from motionc.model.compare import differences
from oracle import Array, error
from rows import row

MOMENTS = {"ixx": 1.0, "ixy": 0.1, "ixz": 0.2, "iyy": 2.0, "iyz": 0.3, "izz": 2.5}


def with_inertia(attributes: str) -> str:
    return f"""<robot name="r">
  <link name="a"/>
  <link name="b">
    <inertial> <mass value="2"/> <inertia {attributes}/> </inertial>
  </link>
  <joint name="j" type="fixed"> <parent link="a"/> <child link="b"/> </joint>
</robot>"""


def said(names: tuple[str, ...]) -> str:
    return " ".join(f'{name}="{MOMENTS[name]}"' for name in names)


# ---------------------------------------------------------------- inertia, in any order


def test_the_six_moments_come_in_any_order():
    first = read_urdf(with_inertia(said(tuple(MOMENTS)))).chain
    assert first.segments[1].link.inertia.tolist() == [[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.5]]
    for order in list(permutations(MOMENTS))[::7]:
        assert differences(first, read_urdf(with_inertia(said(order))).chain, tolerance=0.0) == []


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_that_is_missing_or_said_twice_is_an_error_where_it_stands(name: str):
    some = tuple(other for other in MOMENTS if other != name)
    with pytest.raises(ReadError, match=f"has no {name}") as missing:
        read_urdf(with_inertia(said(some)))
    assert (missing.value.line, missing.value.column) == (4, 34)
    with pytest.raises(ReadError, match="duplicate attribute") as twice:
        read_urdf(with_inertia(said((*MOMENTS, name))))
    assert twice.value.line == 4
    assert twice.value.quote is not None


# ---------------------------------------------------------------- mistakes


ROBOT = """<robot name="r">
  <link name="a"/> <link name="b"/> <link name="c"/>
  <joint name="j" type="continuous"> <parent link="a"/> <child link="b"/> </joint>
  <joint name="k" type="continuous"> <parent link="b"/> <child link="c"/> </joint>
</robot>"""
LINK_D = '<link name="d"/>\n</robot>'


@pytest.mark.parametrize(
    ("old", "new", "rule", "place", "word"),
    [
        ('<joint name="k"', '<jiont name="k"', "Read", (4, 3), "mismatched tag"),
        ('  <link name="a"/>', '<lnik name="x"/><link name="a"/>', "Ur1", (2, 1), "lnik"),
        ('<parent link="b"/>', '<parent link="bb"/>', "Read", (4, 46), "no link 'bb'"),
        ('<child link="c"/>', '<child link="c"/> <mimic joint="i"/>', "Kc6", (4, 82), "mimics i, which is no joint"),
    ],
    ids=["keyword", "element", "link", "joint"],
)
def test_a_misspelt_word_is_found_by_line_and_column(
    old: str, new: str, rule: str, place: tuple[int, int], word: str, tmp_path: Path
):
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.replace(old, new))
    (finding,) = mc.check(path).of_rule(rule)
    line, _ = place
    if rule == "Read" and "mismatched" in word:
        assert finding.place.line == line  # expat stops where the element should have ended
    else:
        assert (finding.place.line, finding.place.column) == place
    assert word in finding.message
    assert finding.quote is not None
    assert finding.quote.under(line) in str(finding)


@row("robcogen", 5)
@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (ROBOT.replace('<parent link="b"/> <child link="c"/>', '<parent link="c"/> <child link="b"/>'), {"Kc3"}),
        (ROBOT.replace('<parent link="a"/>', '<parent link="c"/>'), {"Kc2", "Ur7"}),
        (ROBOT.replace("</robot>", LINK_D), {"Ur7"}),
        (ROBOT.replace('"k"', '"j"'), {"Read"}),
        (ROBOT.replace('<link name="c"/>', '<link name="c"/> <link name="c"/>'), {"Read"}),
    ],
    ids=["two parents", "cycle", "orphan link", "reused joint", "duplicate name"],
)
def test_a_graph_that_is_no_robot_is_rejected_by_a_named_error(text: str, rules: set[str], tmp_path: Path):
    path = tmp_path / "r.urdf"
    path.write_text(text)
    assert {finding.rule for finding in mc.check(path).errors} >= rules
    with pytest.raises(ModelError if "Read" not in rules else ReadError):
        mc.load(path)


@row("robcogen", 5)
def test_an_inertia_that_is_not_positive_definite_is_named_and_rejected_where_it_is_divided_by():
    """Public robots have such links, so the model is accepted with a finding; what a joint feels must be positive."""
    hand = Segment("hand", Link.rigid("hand", 1.0, (0, 0, 0.1), (2, 2, -1)), (Attachment("near", Role.JOINT),))
    robot = mc.Robot(chain(joint("two", (BASE, "b1"), (hand, "near"))))
    (finding,) = robot.findings.of_rule("Lk4")
    assert "-1, 2, 2 kg m² (none may be negative)" in finding.message
    assert robot.findings.of_rule("Dy1")
    with pytest.raises(mc.Error, match="two"):
        mc.forward_dynamics(robot)


# ---------------------------------------------------------------- export


ANGLES = np.array([[0.3, -0.5, 0.9], [-1.1, 0.4, 0.7], [0.2, 1.2, -0.6]])


def language_pose(xyz: Array, angles: Array) -> Array:
    """The kinematics language: a translation, then turns about x, y and z of the current frame."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.from_euler("XYZ", angles).as_matrix(), xyz
    return pose


def three_angle_arm() -> mc.Robot:
    rng = np.random.default_rng(3)
    before, end, made = BASE, "b1", []
    for number, angles in enumerate(ANGLES):
        half = rng.normal(size=(3, 3)) / 3
        inertia = np.trace(half @ half.T) * np.eye(3) - half @ half.T
        link = Link.rigid(f"link{number}", rng.uniform(1, 2), rng.normal(size=3), inertia)
        near = Attachment("near", Role.JOINT)
        far = Attachment("far", Role.JOINT, language_pose(rng.normal(size=3), angles))
        segment = Segment(f"link{number}", link, (near, far) if number < 2 else (near,))
        kind = JointType.PRISMATIC if number == 1 else JointType.CONTINUOUS
        limits = Limits(-9, 9, 9, 9) if number == 1 else Limits()  # URDF wants them of a slide
        made.append(joint(f"joint{number}", (before, end), (segment, "near"), type=kind, limits=limits))
        before, end = segment, "far"
    return mc.Robot(chain(*made))


@row("robcogen", 40)
@pytest.mark.parametrize("seed", range(5))
def test_a_robot_written_as_urdf_moves_as_before(seed: int, tmp_path: Path):
    """Poses, H and τ: ours before, ours after reading it again, Pinocchio's of the file."""
    robot, path = three_angle_arm(), tmp_path / "arm.urdf"
    path.write_text(to_urdf(robot.chain), encoding="utf-8")
    again, model = mc.load(path), pin.buildModelFromUrdf(str(path))
    data, rng = model.createData(), np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, 3))
    frames = ["link0", "link1", "link2"]
    names = [model.names[1 + k] for k in range(3)]
    assert names == ["joint0", "joint1", "joint2"]
    unbounded = np.concatenate([[np.cos(q[0]), np.sin(q[0])], [q[1]], [np.cos(q[2]), np.sin(q[2])]])  # continuous
    H = pin.crba(model, data, unbounded)
    H = np.triu(H) + np.triu(H, 1).T
    tau = pin.rnea(model, data, unbounded, v, a)
    pin.framesForwardKinematics(model, data, unbounded)
    poses = np.array([data.oMf[model.getFrameId(frame)].homogeneous for frame in frames])
    for each in (robot, again):
        torque = mc.inverse_dynamics(each).run
        rest, zero = torque(q, np.zeros(3), np.zeros(3)), np.zeros(3)
        columns = np.array([torque(q, zero, unit) - rest for unit in np.eye(3)])
        assert error(mc.forward_kinematics(each, frames).run(q), poses) < 1e-12
        assert error(columns, H) < 1e-10
        assert error(torque(q, v, a), tau) < 1e-10


@row("robcogen", 40)
def test_three_angles_are_not_copied_from_one_convention_to_the_other():
    """The trap: (rx, ry, rz) about the current axes, written as URDF's rpy, would be another robot."""
    robot = ElementTree.fromstring(to_urdf(three_angle_arm().chain))
    origins = {joint.get("name"): joint.find("origin") for joint in robot.findall("joint")}
    rpy = np.array(origins["joint1"].get("rpy").split(), float)
    expected = language_pose(np.zeros(3), ANGLES[0])[:3, :3]
    assert error(Rotation.from_euler("xyz", rpy).as_matrix(), expected) < 1e-14
    assert error(Rotation.from_euler("xyz", ANGLES[0]).as_matrix(), expected) > 0.1
