"""Joints that follow others: forward dynamics through M_r = GᵀMG, against Pinocchio's uncoupled model and itself."""

import numpy as np
import pytest

import motionc as mc
from mutants import tree
from oracle import error, load, oracle
from trials import trials


@pytest.mark.parametrize("floating", [False, True])
def test_forward_undoes_inverse_dynamics_on_a_coupled_tree(floating: bool) -> None:
    robot = tree(floating, coupled=True)
    assert robot.followers == {"hip": ("wrist", -0.5, 0.2)}
    inverse, forward = mc.inverse_dynamics(robot), mc.forward_dynamics(robot)
    rng = np.random.default_rng(0)
    for _ in range(50):
        q, v, a = robot.random(rng), *rng.normal(size=(2, robot.nv))
        assert error(forward.run(q, v, inverse.run(q, v, a)), a) < 1e-10
    assert error(forward(q, v, inverse(q, v, a)), a) < 1e-10


@pytest.mark.parametrize("name", ["panda", "baxter"])
def test_mimic_grippers_accelerate_with_the_reduced_mass_matrix(name: str) -> None:
    robot, free, witness = load(name, "follow"), load(name), oracle(name)
    assert robot.nv < free.nv
    gain, offset = np.zeros((free.nv, robot.nv)), np.zeros(free.nv)
    for joint in free.joint_names:
        leader, k, c = robot.followers.get(joint, (joint, 1.0, 0.0))
        gain[free.v_index[joint], robot.v_index[leader]] = k
        offset[free.v_index[joint]] = c
    forward = mc.forward_dynamics(robot)
    rng = np.random.default_rng(0)
    for _ in range(trials(1000)):
        q, v, tau = robot.random(rng), *rng.normal(size=(2, robot.nv))
        Q, V = gain @ q + offset, gain @ v
        M, h = witness.mass_matrix(Q), witness.bias_forces(Q, V, (0, 0, -9.81))
        expected = np.linalg.solve(gain.T @ M @ gain, tau - gain.T @ h)
        assert error(forward(q, v, tau), expected) < 1e-10
