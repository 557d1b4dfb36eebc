"""An impedance leg of HyQ, retargeted by the name of the leg alone: the same experiment, its mirror image."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import operate
from motionc.simulate import Plant, Push, SimulatedRobot
from rows import row

Array = np.ndarray[Any, np.dtype[np.float64]]

MIRRORED = np.array([1.0, -1.0, 1.0])
STIFFNESS, DAMPING = np.array([900.0, 700.0, 500.0]), 60.0
PUSH = np.array([12.0, 15.0, -10.0])
POSE = {"F": (-0.1, 0.6, -1.2), "H": (-0.1, -0.6, 1.2)}
"""Hip and knee bend outwards: what fore and hind legs differ in."""


def side(leg: str) -> Array:
    """What is the same on both sides: right is left, seen in a mirror."""
    return np.ones(3) if leg[0] == "L" else MIRRORED


@cache
def experiment(leg: str) -> tuple[Array, Array, Array]:
    """The foot of a leg yields to a push, its trunk held, and comes back: positions and forces from its own side."""
    robot = mc.load("hyq", floating=False)
    foot, joints = f"{leg}_foot", [f"{leg}_{joint}" for joint in ("HAA", "HFE", "KFE")]
    rest = np.concatenate([POSE[one[1]] for one in ("LF", "RF", "LH", "RH")])
    place = mc.forward_kinematics(robot, foot)
    target = place(rest)[0, :3, 3]
    law = mc.control.impedance(robot, foot, STIFFNESS, DAMPING, feedforward="gravity")
    plant = Plant(robot, pushes=[Push(foot, force=(side(leg) * PUSH).tolist(), start=0.1, seconds=0.6)])
    there = SimulatedRobot(plant, start={"q": rest, "v": np.zeros(robot.nv)})
    done = operate(there, law, {"target_position": target}, seconds=1.2, log=["q", "tau"])
    feet = (place.batch(done["q"])[:, 0, :3, 3] - target) * side(leg)
    own = done["tau"][:, [robot.v_index[joint].start for joint in joints]]
    others = np.delete(done["tau"], [robot.v_index[joint].start for joint in joints], axis=1)
    return feet, own, others


@row("robcogen", 49)
@pytest.mark.parametrize(("leg", "mirror"), [("LF", "RF"), ("LH", "RH")])
def test_a_leg_of_another_name_moves_as_its_mirror_image(leg: str, mirror: str) -> None:
    (feet, tau, _), (other_feet, other_tau, _) = experiment(leg), experiment(mirror)
    assert np.abs(feet).max() > 0.01  # it does yield
    # to 1e-4 of the way: products of inertia of the upper legs are the same left and right, and no mirror images
    np.testing.assert_allclose(other_feet, feet, atol=4e-6)
    np.testing.assert_allclose(other_tau, tau, atol=6e-3)


@row("robcogen", 49)
@pytest.mark.parametrize("leg", ["LF", "RF", "LH", "RH"])
def test_whichever_leg_is_named_yields_by_force_over_stiffness_and_comes_back(leg: str) -> None:
    feet, tau, others = experiment(leg)
    np.testing.assert_allclose(feet[690], PUSH / STIFFNESS, atol=1e-3)
    np.testing.assert_allclose(feet[-1], 0.0, atol=1e-3)
    assert np.abs(tau).max() > 5.0
    np.testing.assert_allclose(others, np.broadcast_to(others[0], others.shape), atol=1e-6)  # their weight alone
