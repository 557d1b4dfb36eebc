"""Our robots against what others print about them: DH tables, public model files, the figures of the theses."""

import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.formats import read_urdf
from motionc.model.compare import differences
from motionc.model.shapes import inertia_matrix
from motionc.robots import robot_file
from oracle import error
from public_robots import needs_public, public_file
from rows import row

RIGHT = np.pi / 2
RNG = 11


def turn(axis: str, angle: float) -> np.ndarray:
    """4×4, a rotation about x, y or z."""
    pose, (i, j) = np.eye(4), {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    pose[i, i] = pose[j, j] = np.cos(angle)
    pose[j, i], pose[i, j] = np.sin(angle), -np.sin(angle)
    return pose


def shift(x: float = 0, y: float = 0, z: float = 0) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def pose(robot: mc.Robot, frame: str, q: np.ndarray) -> np.ndarray:
    return mc.forward_kinematics(robot, [frame]).run(q)[0]


# ---------------------------------------------------------------- DH tables: rows of a, alpha, d

LIGHTWEIGHT = np.array([1, -1, -1, 1, 1, -1, 0]) * RIGHT  # KUKA LWR; the iiwa turns the other way
UR = (RIGHT, 0, 0, RIGHT, -RIGHT, 0)
CLASSICAL = {
    "ur5": ("tool0", (0, -0.425, -0.39225, 0, 0, 0), UR, (0.089159, 0, 0, 0.10915, 0.09465, 0.0823)),
    "ur10": ("tool0", (0, -0.612, -0.5723, 0, 0, 0), UR, (0.1273, 0, 0, 0.163941, 0.1157, 0.0922)),
    "lwr4": ("link_7", (0,) * 7, LIGHTWEIGHT, (0.3105, 0, 0.4, 0, 0.39, 0, 0.078)),
    "iiwa": ("flange", (0,) * 7, -LIGHTWEIGHT, (0.36, 0, 0.42, 0, 0.4, 0, 0.126)),
}


@pytest.mark.parametrize("name", CLASSICAL)
def test_the_tool_is_where_the_dh_table_puts_it(name: str) -> None:
    robot, rng = mc.load(name), np.random.default_rng(RNG)
    frame, *table = CLASSICAL[name]
    for _ in range(5):
        q, expected = robot.random(rng), np.eye(4)
        for angle, a, alpha, d in zip(q, *table, strict=True):
            expected = expected @ turn("z", angle) @ shift(z=d) @ shift(x=a) @ turn("x", alpha)
        assert error(pose(robot, frame, q), expected) < 1e-12


def test_the_panda_is_where_frankas_modified_dh_table_puts_it() -> None:
    a, d = (0, 0, 0, 0.0825, -0.0825, 0, 0.088), (0.333, 0, 0.316, 0, 0.384, 0, 0)
    alpha = np.array([0, -1, 1, 1, -1, 1, 1]) * RIGHT
    robot, rng = mc.load("panda"), np.random.default_rng(RNG)
    for _ in range(5):
        q, expected = robot.random(rng), np.eye(4)
        for angle, *entry in zip(q, a, alpha, d, strict=True):
            expected = expected @ shift(x=entry[0]) @ turn("x", entry[1]) @ turn("z", angle) @ shift(z=entry[2])
        assert error(pose(robot, "panda_link8", q), expected @ shift(z=0.107)) < 1e-12


# ---------------------------------------------------------------- public model files


class Public:
    """Pinocchio's reading of a public file: where one frame is seen from another."""

    def __init__(self, name: str) -> None:
        self.model = pin.buildModelFromUrdf(str(public_file(name)))
        self.data = self.model.createData()

    def pose(self, frame: str, wrt: str, q: dict[str, float]) -> np.ndarray:
        full = pin.neutral(self.model)
        for joint, value in q.items():
            full[self.model.joints[self.model.getJointId(joint)].idx_q] = value
        pin.framesForwardKinematics(self.model, self.data, full)
        seen, base = (self.data.oMf[self.model.getFrameId(name, pin.FrameType.BODY)] for name in (frame, wrt))
        return base.actInv(seen).homogeneous


@needs_public
@pytest.mark.parametrize(
    ("name", "public", "frame", "their_frame", "their_base", "joint"),
    [
        ("panda", "panda", "panda_hand_tcp", "panda_hand_tcp", "panda_link0", "{}"),
        ("ur5", "ur5_robot", "tool0", "tool0", "base", "{}"),  # base is the controller's; their base_link is turned
        ("ur10", "ur10_robot", "tool0", "tool0", "base", "{}"),
        ("baxter_arm", "baxter", "hand", "left_hand_link", "left_arm_mount", "left_{}"),
        ("baxter_arm", "baxter", "hand", "right_hand_link", "right_arm_mount", "right_{}"),
    ],
)
def test_the_tool_is_where_a_public_file_puts_it(name, public, frame, their_frame, their_base, joint) -> None:
    robot, theirs, rng = mc.load(name), Public(public), np.random.default_rng(RNG)
    for _ in range(5):
        q = robot.random(rng)
        named = {joint.format(key): q[where.start] for key, where in robot.q_index.items()}
        assert error(pose(robot, frame, q), theirs.pose(their_frame, their_base, named)) < 1e-6


YOUBOT = (
    ((0.024, 0, 0.096), "z", 2.96705972839, -1),
    ((0.033, 0, 0.019), "y", -1.1344640138, 1),
    ((0, 0, 0.155), "y", 2.54818070791, 1),
    ((0, 0, 0.135), "y", -1.78896248329, 1),
    ((-0.002, 0, 0.130), "z", 2.92342649709, 1),
)
"""youbot-ros-pkg: where a joint is, its axis, the angle at zero, the sense in which it turns."""


def test_the_youbot_arm_differs_from_a_public_file_by_a_degree_at_joint_1_and_the_sense_of_joint_5() -> None:
    robot, rng = mc.load("youbot_arm"), np.random.default_rng(RNG)
    for _ in range(5):
        q, expected = robot.random(rng), np.eye(4)
        there = (q + np.deg2rad([1, 0, 0, 0, 0])) * [1, 1, 1, 1, -1]
        for angle, (place, axis, zero, sense) in zip(there, YOUBOT, strict=True):
            expected = expected @ shift(*place) @ turn(axis, zero + sense * angle)
        assert error(pose(robot, "arm_link_5", q), expected) < 1e-6


@needs_public
@pytest.mark.parametrize(("leg", "x", "y"), [("LF", 1, 1), ("RF", 1, -1), ("LH", -1, 1), ("RH", -1, -1)])
def test_hyq_differs_from_a_public_file_by_rounded_hips_and_a_shorter_shin(leg: str, x: int, y: int) -> None:
    robot, theirs, rng = mc.load("hyq", floating=False), Public("hyq_no_sensors"), np.random.default_rng(RNG)
    q = robot.random(rng)
    named = {f"{joint.lower()}_joint": q[where.start] for joint, where in robot.q_index.items()}
    shank = theirs.pose(f"{leg.lower()}_lowerleg", "trunk", named)
    assert error(shift(x * 0.0035, y * 0.007) @ pose(robot, f"{leg}_lowerleg", q), shank) < 1e-6
    foot = theirs.pose(f"{leg.lower()}_foot", "trunk", named)
    assert error((shank @ shift(x=0.016) @ shift(x=0.33))[:3, 3], foot[:3, 3]) < 1e-6


@needs_public
@pytest.mark.parametrize("name", ["panda", "baxter_arm"])
def test_masses_and_inertias_are_those_of_the_public_file(name: str) -> None:
    public, rename = ("panda", "{}") if name == "panda" else ("baxter", "left_{}")
    theirs = {link.name: link for link in mc.load(public_file(public)).links}
    compared = 0
    for link in mc.load(name).links:
        other = theirs.get(rename.format(link.name + "_link" * (link.name == "hand")))
        if link.mass and other and link.name != "panda_hand":  # ours has its fingers in it
            assert error(link.inertia, other.inertia) < 1e-6
            assert error(link.com * link.mass, other.com * other.mass) < 1e-6
            compared += 1
    assert compared == 8


# ---------------------------------------------------------------- the theses


def test_the_youbot_starts_where_the_chirp_of_lazy_control_starts() -> None:
    """specs/lazy-control.md §3.4: within the tube of 0.015 m from the first iteration on."""
    reached = pose(mc.load("youbot_arm"), "arm_link_5", np.array([1.0, 1.353, -0.549, 0.732, 2.962]))[:3, 3]
    assert np.max(np.abs(reached - (-0.085, 0.272, 0.238))) < 1e-3


def test_the_youbot_base_carries_the_arm() -> None:
    arm, mobile, rng = mc.load("youbot_arm"), mc.load("youbot"), np.random.default_rng(RNG)
    q, (x, y, yaw) = arm.random(rng), (1.2, -0.7, 0.4)
    base = shift(x, y) @ turn("z", yaw) @ shift(0.143, 0, 0.13)
    assert error(pose(mobile, "tool", np.array([x, y, yaw, *q])), base @ pose(arm, "tool", q)) < 1e-12


def test_the_rods_of_the_palletiser_keep_their_lengths_and_its_flange_stays_level() -> None:
    robot, rng = mc.load("palletiser"), np.random.default_rng(RNG)
    ends = ["rod_1_start", "rod_1_end", "rod_2_start", "rod_2_end", "flange"]
    kinematics = mc.forward_kinematics(robot, ends)
    for _ in range(5):
        R1, R2, R3, R5 = rng.uniform(-0.7, 0.7, 4)
        angles = {"R1": R1, "R2": R2, "R3": R3, "R4": -(R2 + R3), "R5": R5, "R6": -R2}
        poses = kinematics.run(np.array([angles[joint] for joint in robot.joint_names]))
        one, other = (np.linalg.norm(poses[k + 1][:3, 3] - poses[k][:3, 3]) for k in (0, 2))
        assert (one, other) == pytest.approx((1.25, 1.35), abs=1e-12)
        assert poses[4][:3, 2] == pytest.approx((0, 0, 1), abs=1e-12)


HYL = np.array([0.1, 0.2, 0.3, 0.4])


@row("robcogen", 16)
def test_the_foot_of_hyl_is_where_frigerio_has_it_in_eleven_updates_six_sines_and_five_constants(
    tmp_path: Path,
) -> None:
    robot = mc.load("hyl")
    kinematics = mc.forward_kinematics(robot, ["foot"])
    expected = [
        [-0.6442176872, -0.7648421873, 0, -0.3160239091],
        [-0.1519506855, 0.1279862968, 0.9800665778, -0.132465894],
        [-0.7495962651, 0.6313762241, -0.1986693308, -0.553474771],
        [0, 0, 0, 1],
    ]
    assert np.max(np.abs(kinematics.run(HYL)[0] - expected)) < 1e-10
    assert kinematics.run(np.zeros(4))[0][:3, 3] == pytest.approx((0, 0, -0.76), abs=1e-12)
    source = next(path for path in kinematics.emit("c", tmp_path) if path.suffix == ".c").read_text()
    assert len(re.findall(r"pose\[\d+\] = [a-z]\w+;", source)) == 11
    assert sorted(re.findall(r"pose\[\d+\] = ([\d.]+);", source)) == ["0.0"] * 4 + ["1.0"]
    assert kinematics.operations["sin"] + kinematics.operations["cos"] == 6
    assert len(set(re.findall(r"= (k\d+\[\d+\]);", source))) == 6


@row("robcogen", 21)
def test_jacobians_of_hyl_and_of_a_planar_arm_are_the_printed_ones() -> None:
    """specs/robcogen.md §3.4; random trees and relative motion are compared elsewhere."""
    columns = [
        (0, 0, 0, 0, 0, 1),
        (-1, 0, 0, 0, -0.653474771, 0.132465894),
        (0, 0.980066578, -0.198669331, -0.586765693, 0.062784259, 0.309724471),
        (0, 0.980066578, -0.198669331, -0.252397922, 0.042235478, 0.208354154),
    ]
    assert np.max(np.abs(mc.jacobian(mc.load("hyl"), "foot").run(HYL).T - columns)) < 1e-9
    # the printed arm has links of 1 m along x at zero, ours has links of 0.4 m along y
    J = mc.jacobian(mc.load("planar2"), "tip").run([-0.5 - RIGHT, 0.9])[3:5] / 0.4
    assert np.max(np.abs(J - [[0.0900071963, -0.3894183423], [1.7986435559, 0.921060994]])) < 1e-10


LEG = {  # specs/robcogen.md §3.4: with the thesis's figures alone the leg ends at the knee
    "hip and leg": (
        ([0.3, -0.5], [0.7, -1.1], [1.3, 0.4]),
        [1.98217271, -2.34896545],
        [1.88936936, -2.35622372],
        [-0.08992396, -0.02865051],
        [[0.1405688459, -3.047217e-5], [-3.047217e-5, 0.089871]],
    ),
    "hip, leg and lower leg": (
        ([0.3, -0.5, 0.9], [0.7, -1.1, 0.5], [1.3, 0.4, -0.8]),
        [3.477030637, -3.29251144, 0.455654395],
        [3.173511576, -3.334675061, 0.406997495],
        [-0.182342256, -0.026422546, 0.049563268],
        [[0.3737534, -4.5255e-5, 0], [-4.5255e-5, 0.271804658, 0.050096079], [0, 0.050096079, 0.026181]],
    ),
}


def hyq_leg(bodies: str) -> mc.Robot:
    if "lower" in bodies:
        return mc.load("hyq_leg")
    text = robot_file("hyq_leg").read_text(encoding="utf-8")
    cut = re.sub(r'(<link name="LF_lowerleg">.*?)<inertial>.*?</inertial>', r"\1", text, flags=re.DOTALL)
    return mc.Robot(read_urdf(cut).chain, fixed=["LF_KFE"])


@row("robcogen", 23)
@pytest.mark.parametrize("bodies", LEG)
def test_the_leg_of_hyq_needs_the_printed_torques(bodies: str) -> None:
    (q, v, a), tau, G, C, H = LEG[bodies]
    dynamics = mc.inverse_dynamics(hyq_leg(bodies)).run
    none = np.zeros(len(q))
    assert np.max(np.abs(dynamics(q, v, a) - tau)) < 1e-8
    gravity = dynamics(q, none, none)
    assert np.max(np.abs(gravity - G)) < 1e-8
    assert np.max(np.abs(dynamics(q, v, none) - gravity - C)) < 1e-8
    inertia = np.array([dynamics(q, none, unit) - gravity for unit in np.eye(len(q))])
    assert np.max(np.abs(inertia - H)) < 1e-8


@pytest.mark.parametrize(("leg", "bent"), [("RF", 1), ("LH", -1), ("RH", -1)])
def test_every_leg_of_hyq_is_the_left_front_one_again_bent_the_other_way_behind(leg: str, bent: int) -> None:
    robot, rng = mc.load("hyq", floating=False), np.random.default_rng(RNG)
    q, v, a = np.zeros((3, 12))
    for values in (q, v, a):  # hip flexion and knee; abduction would need mirrored parts, and these are turned ones
        flexion = rng.normal(size=2)
        values[robot.v_index["LF_HFE"].start :][:2] = flexion
        values[robot.v_index[f"{leg}_HFE"].start :][:2] = bent * flexion
    tau = mc.inverse_dynamics(robot).run(q, v, a)
    one, other = (tau[robot.v_index[f"{name}_HFE"].start :][:2] for name in ("LF", leg))
    assert error(bent * other, one) < 1e-12


# ---------------------------------------------------------------- the HyQ of the kinematics language

# specs/robcogen.md §2.2: mass, centre of mass, and Ix Iy Iz Ixy Ixz Iyz about the link's origin, products as integrals
HYQ = {
    "trunk": (47.376, (-0.0223, -0.0001, 0.0387), (1.209488, 5.5837, 6.056973, 0.00571, -0.190812, -0.012668)),
    "LF_hip": (2.93, (0.04263, 0.0, 0.16931), (0.134705, 0.144171, 0.011033, 0.000036, 0.022734, 0.000051)),
    "LF_leg": (2.638, (0.15074, -0.02625, 0.0), (0.005495, 0.087136, 0.089871, -0.007418, -0.000102, -0.000021)),
    "LF_lowerleg": (0.881, (0.1254, 0.0005, -0.0001), (0.000468, 0.026409, 0.026181, 0.0, 0.0, 0.0)),
}


def test_the_hyq_of_the_thesis_is_ours_and_comes_back_from_its_text() -> None:
    """The printed model, semantics without its grammar: the same masses and moments, and print → parse → equal."""
    robot = mc.load("hyq")
    links = {link.name: link for link in robot.links}
    for name, (mass, com, moments) in HYQ.items():
        r = np.array(com)
        about_origin = links[name].inertia + mass * (r @ r * np.eye(3) - np.outer(r, r))
        assert links[name].mass == mass
        assert np.allclose(links[name].com, com, rtol=0, atol=1e-12)
        assert np.allclose(about_origin, inertia_matrix(*moments, products="moments"), rtol=0, atol=2e-9)
    children = {joint.name: (joint.parent.name, joint.child.name) for joint in robot.joints}
    assert children["LF_HAA"] == ("trunk", "LF_hip")
    assert children["LF_HFE"] == ("LF_hip", "LF_leg")
    assert children["LF_KFE"] == ("LF_leg", "LF_lowerleg")
    assert differences(robot.chain, read_urdf(mc.to_urdf(robot.chain)).chain) == []
