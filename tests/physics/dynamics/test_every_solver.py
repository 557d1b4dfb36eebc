"""Two hundred small trees of all joints, step by step, against Pinocchio: every solver that is not tried on as many."""

import numpy as np
import pytest

import motionc as mc
from all_joints import KINDS, Kind, Moving
from oracle import error, partition
from rows import row
from trials import trials

TREES = trials(200)
MOVING = [kind for kind in KINDS if kind is not Kind.FIXED]
POINT = (0.3, -0.1, 0.2)


def small(seed: int) -> Moving:
    """Three joints: one that moves, two of any type; now and then followers, rotors and a floating base."""
    rng = np.random.default_rng(seed)
    return Moving(seed, [MOVING[seed % len(MOVING)], *map(Kind, rng.choice(KINDS, 2))])


@pytest.mark.parametrize("seed", range(TREES))
def test_answers_of_all_joints_agree(seed: int) -> None:
    x = small(seed)
    robot, world, G = x.robot, x.world, x.G
    # motion of a point, in the axes of another link
    tool, axes = str(x.rng.choice(x.links)), str(x.rng.choice(x.links))
    J, bias = world.jacobian(tool, point=POINT, axes=axes) @ G, world.bias(tool, POINT, axes)
    where = {"point": POINT, "as_seen_by": axes}
    motion = mc.frame_motion(robot, [tool], **where).run(x.q, x.v, x.a)
    assert error(motion.twist[0], J @ x.v) < 1e-10
    assert error(motion.classical[0], J @ x.a + bias) < 1e-10
    assert error(motion.spatial[0], J @ x.a + world.bias(tool, POINT, axes, "spatial")) < 1e-10
    rate = mc.jacobian_rate(robot, tool, **where).run(x.q, x.v)
    assert error(rate.bias, bias) < 1e-10
    assert error(rate.J_dot @ x.v, bias) < 1e-10

    # masses and forces
    M, L, M_inv = (make(robot).run(x.q) for make in (mc.mass_matrix, mc.mass_matrix_factor, mc.mass_matrix_inverse))
    assert error(M, x.M) < 1e-10
    assert error(L.T @ L, x.M) < 1e-10
    assert error(M_inv, np.linalg.inv(x.M)) < max(1e-10, 1e-15 * np.linalg.cond(x.M))
    assert error(mc.bias_forces(robot).run(x.q, x.v), x.h) < 1e-10
    assert error(mc.gravity_forces(robot).run(x.q), G.T @ world.gravity_forces(x.Q)) < 1e-10

    # centre of mass, momentum, energy
    center, momentum = (
        mc.center_of_mass(robot, outputs=["com", "J"]),
        mc.centroidal_momentum(robot, outputs=["hG", "AG", "bias"]),
    )
    com, J_com = world.center_of_mass(x.Q)
    hG, AG, hG_rate = world.momentum(x.Q, x.V)
    for ours, theirs in zip(center.run(x.q).values(), (com, J_com @ G), strict=True):
        assert error(ours, theirs) < 1e-10
    for ours, theirs in zip(momentum.run(x.q, x.v).values(), (hG, AG @ G, hG_rate), strict=True):
        assert error(ours, theirs) < 1e-10
    # Pinocchio's own kinetic energy leaves out the rotors of revolute joints about oblique axes, its M does not
    energy = mc.energy(robot).run(x.q, x.v)
    assert error([*energy.values()], [x.v @ x.M @ x.v / 2, world.energy(x.Q, x.V)[1]]) < 1e-10


@row("itasc", 45)
@pytest.mark.parametrize("seed", range(TREES))
def test_forces_found_for_prescribed_joints_replay_the_acceleration(seed: int) -> None:
    """Some joints are told how to accelerate; forward dynamics under the forces that are found moves all of them so."""
    x = small(seed)
    names = [name for name in x.robot.joint_names if x.rng.random() < 0.5]
    told = np.zeros(x.robot.nv, bool)
    for name in names:
        told[x.robot.v_index[name]] = True
    f, pushed = x.rng.normal(size=(1, 6)), str(x.rng.choice(x.links))
    push = (x.world.jacobian(pushed, axes=pushed) @ x.G).T @ f[0]
    out = mc.hybrid_dynamics(x.robot, names, external_forces=[mc.Force(pushed, as_seen_by=pushed)]).run(
        x.q, x.v, x.tau, x.a, f
    )
    for ours, theirs in zip((out.tau, out.a), partition(x.M, x.h - push, x.tau, x.a, told), strict=True):
        assert error(ours, theirs) < 1e-10
    assert np.array_equal(out.a[told], x.a[told])
    replayed = mc.forward_dynamics(x.robot, external_forces=[mc.Force(pushed, as_seen_by=pushed)]).run(
        x.q, x.v, out.tau, f
    )
    assert error(replayed, out.a) < 1e-9


@pytest.mark.parametrize("seed", range(0, TREES, 4))
def test_no_rows_is_forward_and_all_joints_prescribed_is_inverse_dynamics(seed: int) -> None:
    x = small(seed)
    out = mc.constrained_dynamics(x.robot, []).run(x.q, x.v, x.tau, [])
    assert error(out.a, np.linalg.solve(x.M, x.tau - x.h)) < 1e-10
    assert error(out.a, mc.forward_dynamics(x.robot).run(x.q, x.v, x.tau)) < 1e-12
    every = mc.hybrid_dynamics(x.robot, x.robot.joint_names).run(x.q, x.v, x.tau, x.a)
    assert error(every.tau, x.M @ x.a + x.h) < 1e-10
    assert error(every.tau, mc.inverse_dynamics(x.robot).run(x.q, x.v, x.a)) < 1e-12
