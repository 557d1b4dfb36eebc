"""What a task leaves free, over time: a tool goes to a place from specs/lazy-control.md §3.1, joint 1 on its limit."""

import numpy as np
import pytest

import motionc as mc
from motionc.control import LimitSprings, Rest

START = np.array([2.967, 1.023, -0.131, 1.612, 0.221, 0.177, 0.015])
GOAL = np.array([-0.2, -0.308, 0.632])


@pytest.mark.parametrize("springs", [None, LimitSprings()])
def test_what_falls_passes_its_limits_unless_springs_keep_it(springs: LimitSprings | None) -> None:
    """The tool comes to its goal as three rows ask, e'' + 2 e' + e = 0, whatever the elbow does meanwhile."""
    robot = mc.load("lwr4")
    parts = {
        "beta": mc.control.beta(robot, "link_7", 1.0, 2.0),
        "rest": Rest("fall", springs=springs).computation(robot),
        "task": mc.constrained_dynamics(robot, [mc.Constraint("link_7", "xyz")], outputs=["tau_command"]),
    }
    feeds = {"task.tau": "rest.tau", "actuators.tau": "task.tau_command"}
    loop = mc.simulate.closed(mc.simulate.Plant(robot, 2e-3), parts, feeds=feeds, log=["q"])
    run = loop({"q": START, "v": np.zeros(7)}, target_position=GOAL, seconds=8.0)
    tool = mc.forward_kinematics(robot, "link_7")
    first, last = (np.linalg.norm(GOAL - tool.run(q)[0, :3, 3]) for q in (START, run.q[-1]))
    assert last / first == pytest.approx(np.exp(-8) * 9, abs=4e-3)
    beyond = np.degrees(np.maximum(run.q - robot.limits.upper, robot.limits.lower - run.q)).max(axis=0)
    assert (beyond[0] > 5.0) if springs is None else (beyond.max() <= 0.0)
