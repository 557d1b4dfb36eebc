"""An arm with a gripper on it is what one file with both in it says, and what Pinocchio makes of the two."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.formats.urdf import read_urdf
from motionc.model.compare import differences
from oracle import error

INERTIAL = """<inertial><origin xyz="{x} 0.02 0.1" rpy="0.1 0.2 0.3"/><mass value="{m}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial>"""


def link(name: str, m: float = 0.0, more: str = "") -> str:
    return f'<link name="{name}">{INERTIAL.format(m=m, x=m / 50) if m else ""}{more}</link>'


def joint(name: str, kind: str, parent: str, child: str, place: str, more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><origin {place}/><parent link="{parent}"/><child link="{child}"/>'
        f"{more}</joint>"
    )


TURN, NOD = '<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>'
MADE = '<dynamics damping="0.3" friction="0.1" rotor_inertia="0.2"/>'
BOUND = '<limit lower="{0}" upper="{1}" effort="{2}" velocity="{3}"/>'
STEEL = '<material name="steel"><color rgba="1 0 0 1"/></material>'
BOX = f'<visual><geometry><box size="0.1 0.1 0.2"/></geometry>{STEEL}</visual>'


def arm() -> str:
    return (
        link("base")
        + link("upper", 4, BOX)
        + link("lower", 3)
        + link("tool0")
        + joint("a1", "revolute", "base", "upper", 'xyz="0 0 0.3"', BOUND.format(-2, 2.5, 80, 3) + TURN)
        + joint(
            "a2",
            "revolute",
            "upper",
            "lower",
            'xyz="0.1 0 0.4" rpy="0.3 1.2 -0.4"',
            BOUND.format(-1, 1.5, 60, 2) + NOD + MADE,
        )
        + joint("flange", "fixed", "lower", "tool0", 'xyz="0 0.1 0.3" rpy="0 0 0.7"')
    )


def gripper(p: str = "") -> str:
    finger = '<axis xyz="0 1 0"/>'
    return (
        link(f"{p}hand", 0.7, BOX)
        + link(f"{p}left", 0.1)
        + link(f"{p}right", 0.12)
        + joint(f"{p}f1", "prismatic", f"{p}hand", f"{p}left", 'xyz="0 0 0.1"', finger + BOUND.format(0, 0.04, 20, 0.2))
        + joint(
            f"{p}f2",
            "prismatic",
            f"{p}hand",
            f"{p}right",
            'xyz="0 0 0.1" rpy="0 0 3.14159"',
            finger + BOUND.format(0, 0.04, 20, 0.2) + f'<mimic joint="{p}f1" multiplier="0.9" offset="0.001"/>',
        )
    )


def robot(name: str, text: str, **options) -> mc.Robot:
    return mc.Robot(read_urdf(f'<robot name="{name}">{text}</robot>').chain, **options)


MOUNT = {"xyz": (0.0, 0.01, 0.05), "rpy": (0.0, 0.0, -0.785)}
ONE = robot(
    "both",
    arm() + gripper("g_") + joint("tool0_to_g_hand", "fixed", "tool0", "g_hand", 'xyz="0 0.01 0.05" rpy="0 0 -0.785"'),
)


def both(**options) -> mc.Robot:
    return mc.attach(robot("arm", arm(), **options), robot("gripper", gripper()), "tool0", prefix="g_", **MOUNT)


def test_it_is_what_one_file_says() -> None:
    made, rng = both(), np.random.default_rng(0)
    assert made.joint_names == ONE.joint_names == ("a1", "a2", "g_f1")
    assert made.followers == ONE.followers
    assert made.followers == {"g_f2": ("g_f1", 0.9, 0.001)}
    for what in ("lower", "upper", "velocity", "effort"):
        assert (getattr(made.limits, what) == getattr(ONE.limits, what)).all()
    assert [joint.transmission for joint in made.joints] == [joint.transmission for joint in ONE.joints]
    (box,), (same,) = (one.segments[1].link.shapes for one in (made, ONE))
    assert (box.geometry, box.material) == (same.geometry, same.material)
    (box,) = next(segment.link.shapes for segment in made.segments if segment.name == "g_hand")
    assert (box.geometry, box.material and box.material.name) == (same.geometry, "g_steel")
    q, (v, a) = ONE.random(rng), rng.normal(size=(2, 3))
    links = list(ONE.link_names)
    assert error(mc.forward_kinematics(made, links)(q), mc.forward_kinematics(ONE, links)(q)) < 1e-14
    assert error(mc.inverse_dynamics(made)(q, v, a), mc.inverse_dynamics(ONE)(q, v, a)) < 1e-14
    assert error(mc.mass_matrix(made)(q), mc.mass_matrix(ONE)(q)) < 1e-14


def test_it_is_what_pinocchio_appends() -> None:
    """appendModel knows no mimics: fingers are free in both."""
    free = [mc.to_urdf(robot(name, text)) for name, text in (("arm", arm()), ("gripper", gripper()))]
    arm_model, gripper_model = (pin.buildModelFromXML(text.split("<mimic")[0] + rest(text)) for text in free)
    at = arm_model.getFrameId("tool0")
    place = pin.SE3(mc.placed(MOUNT["xyz"], MOUNT["rpy"]))
    whole = pin.appendModel(arm_model, gripper_model, at, place)
    hand = robot("gripper", gripper(), mimic="independent")
    made = mc.attach(robot("arm", arm()), hand, "tool0", prefix="g_", **MOUNT)
    assert made.nv == whole.nv == 4
    assert not made.followers
    rng = np.random.default_rng(1)
    order = [whole.joints[whole.getJointId(name.removeprefix("g_"))].idx_v for name in made.joint_names]
    q, v, a = made.random(rng), *rng.normal(size=(2, 4))
    theirs = [np.zeros(4) for _ in range(3)]
    for mine, vector in zip((q, v, a), theirs, strict=True):
        vector[order] = mine
    whole.armature[:] = 0
    whole.armature[whole.joints[whole.getJointId("a2")].idx_v] = 0.2
    tau = pin.rnea(whole, whole.createData(), *theirs)[order]
    assert error(mc.inverse_dynamics(made)(q, v, a), tau) < 1e-12


def rest(text: str) -> str:
    """What follows the only mimic element, if there is one."""
    return text.split("<mimic", 1)[1].split("/>", 1)[1] if "<mimic" in text else ""


def test_there_and_back_through_urdf() -> None:
    made = both()
    again = mc.Robot(read_urdf(mc.to_urdf(made)).chain)
    assert again.joint_names == made.joint_names
    assert again.followers == made.followers
    q, v = made.random(3), np.ones(3)
    assert error(mc.bias_forces(again)(q, v), mc.bias_forces(made)(q, v)) < 1e-13
    assert differences(again.chain, read_urdf(mc.to_urdf(again)).chain) == []


def test_shipped_robots_on_each_other() -> None:
    lwr, youbot = mc.load("lwr4"), mc.load("youbot_arm")
    tip = lwr.link_names[-1]
    made = mc.attach(lwr, youbot, tip, prefix="y_")
    assert made.joint_names == (*lwr.joint_names, *(f"y_{name}" for name in youbot.joint_names))
    assert (made.limits.lower == [*lwr.limits.lower, *youbot.limits.lower]).all()
    assert (made.limits.effort == [*lwr.limits.effort, *youbot.limits.effort]).all()
    q, end = made.random(0), youbot.link_names[-1]
    first = mc.forward_kinematics(lwr, [tip])(q[:7])[0]
    second = mc.forward_kinematics(youbot, [end])(q[7:])[0]
    assert error(mc.forward_kinematics(made, [f"y_{end}"])(q)[0], first @ second) < 1e-13
    twice = mc.attach(made, youbot, tip, prefix="z_")
    assert twice.nv == 17


def test_what_is_held_floats_or_is_free_stays_so() -> None:
    hand = robot("gripper", gripper(), fixed={"f1": 0.02})
    made = mc.attach(robot("arm", arm(), fixed={"a1": 0.4}, floating=True), hand, "tool0", prefix="g_")
    assert made.joint_names == ("root_joint", "a2")
    assert made.held == pytest.approx({"a1": 0.4, "g_f1": 0.02, "g_f2": 0.019})
    floating = robot("gripper", gripper(), floating=True)
    assert mc.attach(robot("arm", arm()), floating, "tool0").joint_names == ("a1", "a2", "f1")
    with pytest.raises(mc.Error, match="arm floats, and nothing of it is there"):
        mc.attach(robot("arm", arm(), floating=True), hand, "world")


def test_chains_give_a_chain_with_pitches_and_axes() -> None:
    base, part = (mc.Segment(name, mc.Link.rigid(name, 1.0, inertia=(1, 1, 1)), frames) for name, frames in (
        ("base", (mc.Attachment("b", mc.Role.JOINT),)), ("part", (mc.Attachment("p", mc.Role.JOINT),))))  # fmt: skip
    screw = mc.Joint("screw", mc.JointType.HELICAL, (part, "p"), (base, "b"), axis=(1.0, 2.0, 0.0), pitch=0.3)
    hook = mc.Joint("screw", mc.JointType.UNIVERSAL, (part, "p"), (base, "b"), second_axis=(1.0, 0.0, 0.2))
    made = mc.attach(mc.KinematicChain("a", (screw,)), mc.KinematicChain("b", (hook,)), "joint:screw", prefix="x_")
    assert isinstance(made, mc.KinematicChain)
    assert [joint.name for joint in made.joints] == ["screw", "joint:screw_to_x_base", "x_screw"]
    assert (made.joints[0].pitch, made.joints[0].axis) == (0.3, (1.0, 2.0, 0.0))
    assert made.joints[2].second_axis == (1.0, 0.0, 0.2)
    assert mc.Robot(made).nv == 3


def test_names_that_both_have_are_refused() -> None:
    hand = robot("gripper", gripper())
    with pytest.raises(mc.Error, match="attach arm at tool0 of arm: both have base, lower, tool0, upper, a1, a2"):
        mc.attach(robot("arm", arm()), robot("arm", arm()), "tool0")
    once = mc.attach(robot("arm", arm()), hand, "tool0", prefix="g_")
    with pytest.raises(mc.Error, match="both have g_hand, g_left, g_right"):
        mc.attach(once, hand, "lower", prefix="g_")
    with pytest.raises(mc.Error, match="arm has no frame 'tool1'; did you mean tool0"):
        mc.attach(robot("arm", arm()), hand, "tool1")


def test_a_frame_is_added_where_it_is_said() -> None:
    made = both()
    more = made.with_frame("tcp", "g_hand", xyz=(0.1, 0, 0.2), rpy=(0, 0.5, 0)).with_frame("eye", "tcp", xyz=(0, 0, 1))
    q = made.random(2)
    hand, tcp, eye = mc.forward_kinematics(more, ["g_hand", "tcp", "eye"])(q)
    assert error(tcp, hand @ mc.placed((0.1, 0, 0.2), (0, 0.5, 0))) < 1e-14
    assert error(eye, tcp @ mc.placed((0, 0, 1))) < 1e-14
    assert (more.followers, more.held, more.nv) == (made.followers, made.held, made.nv)
    free = robot("gripper", gripper(), mimic="independent").with_frame("tcp", "hand")
    assert free.nv == 2
    with pytest.raises(mc.Error, match="there is a frame tcp already"):
        more.with_frame("tcp", "tool0")
    with pytest.raises(mc.Error, match="has no frame 'hands'"):
        made.with_frame("tcp", "hands")


def test_attaching_leaves_both_as_they_were() -> None:
    first, second = robot("arm", arm()), robot("gripper", gripper())
    before = replace(first.chain), replace(second.chain)
    mc.attach(first, second, "tool0", prefix="g_")
    assert differences(first.chain, before[0]) == []
    assert differences(second.chain, before[1]) == []
