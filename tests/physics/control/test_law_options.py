"""Options of control laws: another gravity, friction of joints, frames that move, and what steps of time can follow."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
from scipy.linalg import eigh

import motionc as mc
from motionc.control.stability import notes_of
from oracle import error

SIDEWAYS = (0.0, -9.81, 1.0)


def test_what_is_fed_forward_falls_as_it_is_told_and_overcomes_what_joints_resist() -> None:
    """A gravity of its own, by Pinocchio; damping and friction of the file, by their formula."""
    robot, rng = mc.load("youbot_arm"), np.random.default_rng(0)
    rubs = mc.Transmission(damping=0.3, friction=0.5)
    robot = mc.Robot(
        replace(robot.chain, joints=tuple(replace(joint, transmission=rubs) for joint in robot.chain.joints))
    )
    q, v, target, target_v, target_a = rng.normal(size=(5, 5))
    model = pin.buildModelFromXML(mc.to_urdf(robot))
    model.gravity.linear = np.array(SIDEWAYS)
    pull, told = 30.0 * (target - q) + 4.0 * (target_v - v), (q, v, target, target_v, target_a)
    fed = mc.control.pd(robot, 30.0, 4.0, feedforward="inverse_dynamics", gravity=SIDEWAYS).run(*told)
    assert error(fed, pull + pin.rnea(model, model.createData(), target, target_v, target_a)) < 1e-12
    held = mc.control.pd(robot, 30.0, 4.0, feedforward="gravity", gravity=SIDEWAYS, moving=True).run(*told[:4])
    assert error(held, pull + pin.computeGeneralizedGravity(model, model.createData(), q)) < 1e-12
    moved = pin.rnea(model, model.createData(), q, v, target_a + pull)
    for friction, more in ((False, 0.0), (True, 0.3 * v + 0.5 * v / np.sqrt(v**2 + 1e-6))):
        law = mc.control.computed_torque(robot, 30.0, 4.0, gravity=SIDEWAYS, friction=friction)
        assert error(law.run(*told), moved + more) < 1e-5


def test_an_impedance_with_respect_to_a_frame_that_moves_pulls_both_ends() -> None:
    """Power: what motors make is what the spring between two frames gives up, by differences of its energy."""
    robot, rng = mc.load("youbot_arm"), np.random.default_rng(2)
    q, goal = rng.uniform(-1, 1, 5), rng.normal(size=3)
    law = mc.control.impedance(robot, "arm_link_5", 50.0, 0.0, wrt="arm_link_2", as_seen_by="arm_link_2")
    places = mc.forward_kinematics(robot, ["arm_link_2", "arm_link_5"])

    def energy(q: np.ndarray) -> float:
        base, tip = places.run(q)
        return 25.0 * float(np.sum((base[:3, :3].T @ (tip[:3, 3] - base[:3, 3]) - goal) ** 2))

    slope = [(energy(q + h) - energy(q - h)) / 2e-6 for h in 1e-6 * np.eye(5)]
    assert error(law.run(q, np.zeros(5), goal), -np.array(slope)) < 1e-6
    assert np.abs(slope[2:4]).min() > 1e-3
    assert np.abs(slope[:2]).max() < 1e-6  # neither moves one end with respect to the other


def test_the_longest_step_is_the_one_at_which_gains_are_just_followed() -> None:
    """By SciPy's eigenvalues of 4 M = 2 dt D + dt² K; a base that nothing drives gives way."""
    robot, gains = mc.load("quadruped"), (300.0, 0.05)
    M = np.linalg.inv(np.linalg.inv(mc.mass_matrix(robot).run(robot.neutral()))[6:, 6:])

    def worth(dt: float) -> float:
        return float(eigh((dt**2 * gains[0] + 2 * dt * gains[1]) * np.eye(len(M)), 4 * M, eigvals_only=True)[-1])

    steps = np.geomspace(1e-8, 1e-1, 400)
    limit = steps[np.argmax([worth(dt) > 1 for dt in steps])]
    said = mc.control.stability_note(robot, *gains, 2 * limit)
    assert said is not None
    assert f"are {worth(2 * limit):.3g} times" in said
    longest = float(said.split("take steps below ")[1].split()[0])
    assert worth(0.97 * longest) < 1 < worth(1.06 * longest)
    assert mc.control.stability_note(robot, *gains, 0.95 * limit) is None


def test_notes_know_the_pose_the_frame_and_dampers_along_joints() -> None:
    arm, dt = mc.load("planar3"), 1e-3
    straight, bent = (mc.mass_matrix(arm).run(q) for q in (np.zeros(3), np.array([0.0, 2.0, 2.0])))
    limits = [4 / (2 * dt * eigh(np.eye(3), M, eigvals_only=True)[-1]) for M in (straight, bent)]
    between = float(np.mean(limits))
    assert limits[0] < between < limits[1]
    assert mc.control.stability_note(arm, 0.0, between, dt) is not None
    assert mc.control.stability_note(arm, 0.0, between, dt, q=[0.0, 2.0, 2.0]) is None
    # computed torque moves an inertia of 1: d dt < 2, whatever the arm weighs
    for damping, shakes in ((0.99 * 2 / dt, False), (1.01 * 2 / dt, True)):
        assert bool(list(notes_of(mc.control.computed_torque(arm, 0.0, damping).solver, dt))) == shakes
    for damping, shakes in ((0.9 * limits[0], False), (1.1 * limits[0], True)):
        law = mc.control.impedance(arm, "tip", 1.0, 0.0, rows="x y", joint_damping=damping)
        assert bool(list(notes_of(law.solver, dt))) == shakes
    # rows with respect to the link before move the last joint alone
    rows = mc.jacobian(arm, "tip", wrt="link_2").run(np.zeros(3))[3:5]
    for share, shakes in ((0.95, False), (1.05, True)):
        most = share * 4 / eigh(2 * dt * rows.T @ rows, straight, eigvals_only=True)[-1]
        law = mc.control.impedance(arm, "tip", 0.0, most, rows="x y", wrt="link_2")
        assert bool(list(notes_of(law.solver, dt))) == shakes
