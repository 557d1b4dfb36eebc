"""Resolved acceleration: what a frame really does under its forces, by Pinocchio's dynamics and SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

import motionc as mc
from oracle import Array, error, oracle
from trials import trials

K, D = 400.0, 40.0
SIX = "x y z rx ry rz"
FALL = mc.control.Rest("fall", springs=None)


def pose(rng: np.random.Generator) -> Array:
    there = np.eye(4)
    there[:3, :3], there[:3, 3] = Turn.random(random_state=int(rng.integers(1 << 30))).as_matrix(), rng.normal(size=3)
    return there


def reached(name: str, tool: str, law: mc.Computation, x: dict[str, Array]) -> tuple[Array, Array, Array]:
    """Where Pinocchio has the frame under the law, its twist and its classical acceleration, angular first."""
    world = oracle(name)
    a = world.forward_dynamics(x["q"], x["v"], law.run(*(x[port.name] for port in law.inputs)))
    twist, classical, _ = world.frame_motion(tool, x["q"], x["v"], a)
    world.place(x["q"])
    return world.pose(tool), twist, classical


def drawn(robot: mc.Robot, rng: np.random.Generator) -> dict[str, Array]:
    return {
        "q": robot.random(rng),
        "v": rng.normal(size=robot.nv),
        "target_pose": pose(rng),
        "target_twist": rng.normal(size=6),
        "target_acceleration": rng.normal(size=6),
    }


@pytest.mark.parametrize("rest", [mc.control.Rest("float"), FALL])
def test_six_rows_accelerate_a_tool_as_the_law_says_whatever_joints_do_at_rest(rest: mc.control.Rest) -> None:
    robot, rng = mc.load("lwr4"), np.random.default_rng(0)
    law = mc.control.resolved_acceleration(robot, "link_7", K, D, rows=SIX, rest=rest)
    for _ in range(trials(5)):
        x = drawn(robot, rng)
        here, twist, found = reached("lwr4", "link_7", law, x)
        turn = Turn.from_matrix(x["target_pose"][:3, :3] @ here[:3, :3].T).as_rotvec()
        missing = np.concatenate([turn, x["target_pose"][:3, 3] - here[:3, 3]])
        assert error(found, x["target_acceleration"] + K * missing + D * (x["target_twist"] - twist)) < 1e-8


def test_three_rows_leave_turning_to_what_joints_do_at_rest() -> None:
    robot, rng = mc.load("lwr4"), np.random.default_rng(1)
    laws = [mc.control.resolved_acceleration(robot, "link_7", K, D, rest=rest) for rest in (mc.control.Rest(), FALL)]
    for _ in range(trials(5)):
        x = drawn(robot, rng)
        x |= {"target_position": x["target_pose"][:3, 3], "target_velocity": x["target_twist"][3:]}
        x["target_acceleration"] = x["target_acceleration"][3:]
        turned = list[Array]()
        for law in laws:
            here, twist, found = reached("lwr4", "link_7", law, x)
            missing, moving = x["target_position"] - here[:3, 3], x["target_velocity"] - twist[3:]
            assert error(found[3:], x["target_acceleration"] + K * missing + D * moving) < 1e-8
            turned.append(found[:3])
        assert np.abs(turned[0] - turned[1]).max() > 0.1


@pytest.mark.parametrize("rows", [SIX, "rx ry rz x y z"])
def test_where_joints_do_not_suffice_for_six_rows_shifts_come_first(rows: str) -> None:
    robot, rng = mc.load("youbot_arm"), np.random.default_rng(2)
    law = mc.control.resolved_acceleration(robot, "arm_link_5", K, D, rows=rows)
    for _ in range(trials(5)):
        x = drawn(robot, rng)
        here, twist, found = reached("youbot_arm", "arm_link_5", law, x)
        missing = x["target_pose"][:3, 3] - here[:3, 3]
        asked = x["target_acceleration"][3:] + K * missing + D * (x["target_twist"][3:] - twist[3:])
        assert error(found[3:], asked) < 1e-6


def test_forces_stay_within_limits() -> None:
    robot, rng = mc.load("lwr4"), np.random.default_rng(3)
    law = mc.control.resolved_acceleration(robot, "link_7", K, D, rows=SIX, limits="robot")
    x = drawn(robot, rng)
    tau = law.run(*(x[port.name] for port in law.inputs))
    assert np.all(np.abs(tau) <= robot.limits.effort)
    assert np.any(np.abs(tau) == robot.limits.effort)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"rest": "float"}, "give mc.control.Rest"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"frame": "hand"}, "hand"),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(said: dict[str, object], wrong: str) -> None:
    asked = {"frame": "link_7", "stiffness": K, "damping": D} | said
    with pytest.raises(mc.Error, match=wrong):
        mc.control.resolved_acceleration(mc.load("lwr4"), **asked)
