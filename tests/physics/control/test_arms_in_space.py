"""Rows by beta, a direction by impedance, joints by a posture: X7 and X8 of specs/motion-stack.md §3, on plants.

What a row misses dies down as b says, whatever else pulls: critically damped with K 100/s² and D 20/s.
"""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation as Turn

import motionc as mc
from oracle import Array
from references import cubic
from rows import row

K, D = 100.0, 20.0
SECONDS, STEPS = 3.0, 3000


def decay() -> Array:
    """ë + D ė + K e = 0 from rest, with e = 1 at first; SciPy is not needed for a double root."""
    time = 1e-3 * np.arange(1, STEPS + 1)
    return np.exp(-10 * time) * (1 + 10 * time)


def port(computation: mc.Computation, name: str) -> mc.Port:
    return next(port for port in computation.inputs if port.name == name)


def driven(robot: mc.Robot, task: mc.Computation, **parts: mc.Computation) -> mc.simulate.Loop:
    """Weight, whatever `parts` pull with, and a posture times its share, all beside the rows of a task."""
    g, tau = mc.gravity_forces(robot), port(task, "tau")
    pulls = [mc.Port(name, tau.shape, tau.unit, "of motors") for name in parts if "tau" in _outputs(parts[name])]
    share = mc.Port("share", (), "1", "of the posture")

    def add(g: Any, share: Any, *pulls: Any) -> dict[str, Any]:
        return {"tau": g + sum(pulls[:-1], 0.0 * g) + share * pulls[-1]}

    made = mc.block("made", add, [*g.outputs, share, *pulls], [tau])
    feeds = {f"made.{pull.name}": f"{pull.name}.tau" for pull in pulls}
    feeds |= {"task.tau": "made.tau", "actuators.tau": "task.tau_command"}
    whole = {**parts, "weight": g, "made": made, "task": task}
    return mc.simulate.closed(mc.simulate.Plant(robot), whole, feeds=feeds, log=["q", "v", "target"])


def _outputs(part: mc.Computation) -> list[str]:
    return [port.name for port in part.outputs]


def seen(robot: mc.Robot, frame: str, q: Array) -> Array:
    return mc.forward_kinematics(robot, frame).batch(q.reshape(-1, robot.nq))[:, 0].reshape(*q.shape[:-1], 4, 4)


@row("motion-stack", 36)
def test_five_joints_hold_x_and_y_and_follow_z_until_a_posture_wants_them() -> None:
    """X7: x and y converge as beta says with and without; z is tracked alone, and no longer beside a posture."""
    robot, tool = mc.load("youbot_arm"), "arm_link_5"
    start = np.array([1.0, 1.353, -0.549, 0.732, 2.962])
    (home,) = seen(robot, tool, start[None])
    goal, rise = home[:3, 3] + (0.02, -0.02, 0.0), np.array([0.0, 0.0, 0.08])
    pull = mc.control.impedance(robot, tool, 1000.0, 80.0, rows="z", moving=True)

    def along(time: Any) -> dict[str, Any]:
        s = (time / 2.0).minimum(1.0)
        return {"target_position": goal + rise * (3 * s * s - 2 * s * s * s), "target_velocity": rise * 3 * (s - s * s)}

    effort = robot.limits.effort
    loop = driven(
        robot,
        mc.constrained_dynamics(robot, [mc.Constraint(tool, "x y")], outputs=["tau_command"]),
        rise=mc.block("rise", along, [mc.Port("time", (), "s", "clock")], pull.inputs[2:]),
        beta=mc.control.beta(robot, tool, K, D, rows="x y"),
        pull=pull,
        reference=cubic(robot, start, start + np.array([0.2, -0.2, 0.3, -0.2, 0.3]), 2.0),
        hold=mc.control.pd(robot, 100 * effort, 10 * effort, moving=True),
    )
    runs = loop.batch({"q": start, "v": np.zeros(5)}, share=np.array([0.0, 1.0]), seconds=SECONDS)
    poses = seen(robot, tool, runs.q)
    s = np.minimum(1e-3 * np.arange(STEPS) / 2.0, 1.0)
    missed = goal + np.outer(3 * s**2 - 2 * s**3, rise) - poses[..., :3, 3]
    assert np.abs(missed[..., :2] - np.outer(decay(), (0.02, -0.02))).max() < 1e-3
    alone, beside = np.abs(missed[..., 2])
    assert alone.max() < 3e-3
    assert beside.max() > 0.05
    turned = [
        (Turn.from_matrix(home[:3, :3]).inv() * Turn.from_matrix(pose[..., :3, :3])).magnitude() for pose in poses
    ]
    assert turned[0].max() > 0.3
    off = np.abs(runs.q - runs.target)[:, -1]
    assert off[0, 4] > 0.2
    assert off[1, 4] < 1e-3
    assert off[1, 2] < off[0, 2] / 4


@row("motion-stack", 36)
def test_seven_joints_turn_about_z_stably_without_euler_angles() -> None:
    """X8: x, y and rz of Baxter's hand, up to nearly half a turn with nothing else; with its last two joints on cubics
    the others have to turn it, up to a radian.
    """
    robot = mc.load("baxter_arm")
    start, share = np.array([0.3, -0.5, 0.2, 1.2, 0.1, 0.8, 0.2]), np.repeat([0.0, 1.0], 3)
    turns = np.array([0.5, -2.0, 3.0, 0.5, -0.5, 1.0])
    (here,) = seen(robot, "hand", start[None])
    goals = np.tile(here, (6, 1, 1))
    goals[:, :3, :3] = Turn.from_euler("z", turns[:, None]).as_matrix() @ here[:3, :3]
    goals[:, :2, 3] += (0.05, -0.05)
    distal = {"w1": 50.0, "w2": 50.0}
    loop = driven(
        robot,
        mc.constrained_dynamics(robot, [mc.Constraint("hand", "x y rz")], outputs=["tau_command"]),
        beta=mc.control.beta(robot, "hand", K, D, rows="x y rz"),
        reference=cubic(robot, start, start + np.array([0, 0, 0, 0, 0, 0.4, -0.5]), 2.0),
        hold=mc.control.pd(robot, distal, {name: 0.1 * gain for name, gain in distal.items()}, moving=True),
    )
    runs = loop.batch({"q": start, "v": np.zeros(7)}, target_pose=goals, share=share, seconds=SECONDS)
    poses = seen(robot, "hand", runs.q)
    missed = goals[:, None, :2, 3] - poses[..., :2, 3]
    assert np.abs(missed - np.outer(decay(), (0.05, -0.05))).max() < 3e-3
    relative = goals[:, None, :3, :3] @ np.swapaxes(poses[..., :3, :3], -1, -2)
    left = Turn.from_matrix(relative.reshape(-1, 3, 3)).as_rotvec()[:, 2].reshape(6, STEPS)
    assert np.abs(left - np.outer(turns, decay())).max() < 0.05
    assert np.abs(left[:, -500:]).max() < 1e-3
    off = np.abs(runs.q - runs.target)[:, -1, -2:].max(axis=1)
    assert off[:3].min() > 0.1
    assert off[3:].max() < 1e-3
