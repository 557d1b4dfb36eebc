"""The centre of mass as a target: a humanoid on both feet, and joint rates, against Pinocchio's."""

import numpy as np
import pytest

import motionc as mc
from all_joints import Moving
from motionc.robots import robot_file
from oracle import Array, Oracle, error
from trials import trials

SOLES = ["left_sole", "right_sole"]
BENT = {"hip_pitch": -0.5, "knee": 1.0, "ankle_pitch": -0.5}


def bent(robot: mc.Robot) -> Array:
    """On both feet, knees bent."""
    q = robot.neutral()
    for side in ("left", "right"):
        for joint, angle in BENT.items():
            q[robot.q_index[f"{side}_{joint}"]] = angle
    return q


def test_a_humanoid_stands_on_both_feet_and_holds_its_center_of_mass() -> None:
    """Ten places of the centre of mass, the feet where they are; the knees bend and the hips shift."""
    robot = mc.load("humanoid")
    world = Oracle(robot_file("humanoid"), robot)
    start, rng = bent(robot), np.random.default_rng(3)
    feet = mc.forward_kinematics(robot, SOLES)(start)
    place = np.eye(4)
    place[:3, 3] = world.center_of_mass(start)[0]
    targets = np.tile(np.stack([*feet, place]), (10, 1, 1, 1))
    targets[:, 2, :3, 3] += rng.uniform([-0.03, -0.04, -0.05], [0.03, 0.04, 0.02], (10, 3))
    ik = mc.inverse_kinematics(robot, [*SOLES, mc.CenterOfMass()], tolerance=1e-9)
    for wanted in targets:
        out = ik(start, wanted)
        assert out.success
        assert np.abs(world.center_of_mass(out.q)[0] - wanted[2, :3, 3]).max() < 1e-8
        world.place(out.q)
        for sole, pose in zip(SOLES, wanted, strict=False):
            assert np.abs(world.pose(sole) - pose).max() < 1e-8
        assert np.all((out.q >= ik.lower - 1e-12) & (out.q <= ik.upper + 1e-12))


def test_rows_in_axes_that_move_are_reached_as_fast() -> None:
    """Two rows as seen by a link: joints move the centre of mass, and turn the rows."""
    robot = mc.load("ur5")
    axes = robot.link_names[3]
    ik = mc.inverse_kinematics(robot, mc.CenterOfMass("xy", as_seen_by=axes), tolerance=1e-9, restarts=10)
    goal = np.eye(4)
    goal[:3, 3] = 0.1, -0.15, 0.3
    out = ik(0.5 * np.ones(6), goal)
    assert out.success
    turn = mc.forward_kinematics(robot, axes)(out.q)[0, :3, :3]
    missing = turn.T @ (goal[:3, 3] - mc.center_of_mass(robot)(out.q))
    assert np.abs(missing[:2]).max() < 1e-8
    # close to where nothing is missing, steps are Newton's own: how joints move rows is exact
    assert out.iterations < 10


@pytest.mark.parametrize("seed", range(trials(6)))
def test_rates_move_the_center_of_mass_and_make_momentum(seed: int) -> None:
    x = Moving(seed)
    _, J = x.world.center_of_mass(x.Q)
    _, AG, _ = x.world.momentum(x.Q, x.V)
    rows = np.vstack([(J @ x.G)[[2, 0]], (AG @ x.G)[[1]]])
    asked = [mc.CenterOfMass("zx"), mc.Momentum("ry")]
    twist = rows @ x.v
    out = mc.inverse_velocity(x.robot, asked, outputs=["v", "residual", "rank"]).run(x.q, twist)
    assert error(out.v, np.linalg.pinv(rows, rcond=1e-10) @ twist) < 1e-8
    assert error(rows @ out.v - twist, out.residual) < 1e-10
    by_inertia = mc.inverse_velocity(x.robot, asked, joint_weights="inertia").run(x.q, twist)
    root = np.linalg.cholesky(np.linalg.inv(x.M))
    assert error(by_inertia, root @ np.linalg.pinv(rows @ root, rcond=1e-10) @ twist) < 1e-7


def test_where_not_all_can_be_had_a_miss_of_the_center_of_mass_counts_by_its_weight() -> None:
    robot = mc.load("planar2")
    q, v, twist = np.array([0.3, 0.8]), np.zeros(2), np.array([1.0, 2.0, -1.0, 0.5])
    world = Oracle(robot_file("planar2"), robot)
    world.place(q, v)
    rows = np.vstack([world.center_of_mass(q)[1][:2], world.jacobian("tip")[3:5]])
    weighed = np.array([3.0, 3.0, 1.0, 1.0])
    ours = mc.inverse_velocity(robot, [mc.CenterOfMass("xy", weight=3.0), mc.Target("tip", "xy")]).run(q, twist)
    assert error(ours, np.linalg.lstsq(weighed[:, None] * rows, weighed * twist, rcond=None)[0]) < 1e-10


def test_momentum_is_no_place() -> None:
    robot = mc.load("planar2")
    with pytest.raises(mc.Error, match=r"no place to be at.*CenterOfMass"):
        mc.inverse_kinematics(robot, mc.Momentum())
    with pytest.raises(mc.Error, match="level 1"):
        mc.inverse_kinematics(robot, mc.CenterOfMass("xy", level=2))
    assert "center_of_mass wrt world" in mc.inverse_kinematics(robot, mc.CenterOfMass("xy")).inputs[1].meaning
    far = np.eye(4)
    far[0, 3] = 9.0
    note = mc.inverse_kinematics(robot, mc.CenterOfMass("xy"), restarts=1)([0.1, 0.2], far).notes
    assert any("center_of_mass does not arrive" in str(sentence) for sentence in note)
