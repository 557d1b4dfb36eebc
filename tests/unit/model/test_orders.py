"""States in the orders of others: Pinocchio's and MuJoCo's dynamics through the maps, and JointState by names."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from all_joints import Coupled, Kind, random_tree
from oracle import Array, error, load, oracle
from public_robots import public_file

STATES = 7


@pytest.fixture(scope="module")
def state() -> tuple[mc.Robot, Array, Array, Array, Array]:
    """A floating robot with branches, in several states."""
    robot, rng = load("solo12"), np.random.default_rng(0)
    q = robot.random(rng, size=STATES)
    q[:, 3:7] *= 3.0  # quaternions of any length
    return robot, q, *rng.normal(size=(3, STATES, robot.nv))


def test_pinocchios_dynamics_through_the_maps(state) -> None:
    robot, q, v, a, tau = state
    world = oracle("solo12")
    order, model, data = mc.orders.pinocchio(robot, world.model), world.model, world.data
    Q, V, A = order.q(q), order.v(v, q), order.a(a, v, q)
    forces = [pin.rnea(model, data, *each).copy() for each in zip(Q, V, A, strict=True)]
    assert (
        error(order.our_tau(forces, q), [mc.inverse_dynamics(robot).run(*each) for each in zip(q, v, a, strict=True)])
        < 1e-10
    )
    given = zip(Q, V, order.tau(tau, q), strict=True)
    found = order.our_a([pin.aba(model, data, *each).copy() for each in given], v, q)
    assert error(found, [mc.forward_dynamics(robot).run(*each) for each in zip(q, v, tau, strict=True)]) < 1e-9
    _there_and_back(order, state)


def test_mujocos_dynamics_through_the_maps(state) -> None:
    """Its free joint moves as the world sees it: accelerations have a term more."""
    robot, q, v, a, tau = state
    model = mc.to_mjspec(robot).compile()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = model.jnt_stiffness[:] = model.dof_frictionloss[:] = 0.0
    data, order = mujoco.MjData(model), mc.orders.mujoco(robot, model)
    inverse, forward, M = mc.inverse_dynamics(robot), mc.forward_dynamics(robot), np.zeros((model.nv, model.nv))
    accelerations = np.array([forward.run(*each) for each in zip(q, v, tau, strict=True)])
    for k in range(STATES):
        data.qpos[:], data.qvel[:] = order.q(q)[k], order.v(v, q)[k]
        data.qacc[:] = order.a(a, v, q)[k]
        mujoco.mj_inverse(model, data)
        assert error(order.our_tau(data.qfrc_inverse, q[k]), inverse.run(q[k], v[k], a[k])) < 1e-9
        data.qfrc_applied[:] = order.tau(tau, q)[k]
        mujoco.mj_forward(model, data)
        assert error(order.our_a(data.qacc, v[k], q[k]), accelerations[k]) < 1e-8
        for column in range(model.nv):
            mujoco.mj_mulM(model, data, M[column], np.eye(model.nv)[column])
        G = order.matrix(q[k])
        assert error(G.T @ M @ G, mc.mass_matrix(robot).run(q[k])) < 1e-10
    _there_and_back(order, state)


def _there_and_back(order: mc.orders.Order, state) -> None:
    """Every map has its inverse, power is kept, and one state is as many."""
    _, q, v, a, tau = state
    assert order.our_q(order.q(q)) == pytest.approx(_unit(q), abs=1e-14)
    assert error(order.our_v(order.v(v, q), q), v) < 1e-14
    assert error(order.our_a(order.a(a, v, q), v, q), a) < 1e-14
    assert error(order.our_tau(order.tau(tau, q), q), tau) < 1e-14
    power = (order.tau(tau, q) * order.v(v, q)).sum(-1)
    assert error(power, (tau * v).sum(-1)) < 1e-13
    assert error(order.v(v[0], q[0]), order.v(v, q)[0]) < 1e-15
    assert error(order.q(q[0]), order.q(q)[0]) < 1e-15


def _unit(q: Array) -> Array:
    q = q.copy()
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return q


def test_followers_and_held_joints_stand_where_they_are_in_pinocchios_model() -> None:
    """Its model knows no followers: each is a joint like any other, and forces on it count for its leader."""
    x = Coupled(random_tree(2, [Kind.REVOLUTE, Kind.PRISMATIC, Kind.SPHERICAL, Kind.REVOLUTE, Kind.HELICAL]))
    order, rng = mc.orders.pinocchio(x.robot, x.world.model), np.random.default_rng(1)
    q, (v, a) = x.robot.random(rng), rng.normal(size=(2, x.robot.nv))
    assert error(order.q(q), x.world._q(x.whole(q))) < 1e-15
    given = order.q(q), order.v(v, q), order.a(a, v, q)
    found = pin.rnea(x.world.model, x.world.data, *given)
    assert error(order.our_tau(found, q), mc.inverse_dynamics(x.robot).run(q, v, a)) < 1e-10
    assert error(order.our_q(order.q(q)), q) < 1e-15
    finger = mc.load(public_file("panda"), fixed={"panda_finger_joint1": 0.03, "panda_finger_joint2": 0.01})
    theirs = mc.orders.pinocchio(finger, oracle("panda").model)
    assert theirs.q(finger.neutral())[-2:].tolist() == [0.03, 0.01]


def test_a_joint_state_is_read_and_written_by_names() -> None:
    """Positions in any order; a base in front as Odometry has it, quaternion last w, twist linear first."""
    arm = mc.load("lwr4")
    names = list(arm.joint_names[::-1])
    order, q = mc.orders.ros(arm, names), np.arange(7.0)
    assert order.q(q).tolist() == [6, 5, 4, 3, 2, 1, 0]
    assert order.our_v([*range(7)], q).tolist() == [6, 5, 4, 3, 2, 1, 0]
    free = mc.load("planar2", floating=True)
    base = mc.orders.ros(free)
    q, v = np.array([1, 2, 3, 0.5, 0.5, -0.5, 0.5, 0.1, 0.2]), np.arange(8.0)
    assert base.q(q) == pytest.approx([1, 2, 3, 0.5, -0.5, 0.5, 0.5, 0.1, 0.2])
    assert base.v(v, q).tolist() == [3, 4, 5, 0, 1, 2, 6, 7]
    assert base.our_tau(base.tau(v, q), q).tolist() == v.tolist()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: mc.orders.ros(mc.load("planar2"), ["shoulder"]), "joint elbow is not among its names; hold it here"),
        (lambda: mc.orders.ros(mc.load("planar2"), ["sholder", "elbow"]), "no movable joint 'sholder' here"),
        (lambda: mc.orders.pinocchio(mc.load("planar2"), oracle("lwr4").model), "no movable joint 'joint_0' here"),
        (lambda: mc.orders.ros(mc.load("planar2")).q([1, 2, 3]), "ROS' order of planar2: q has shape (3,)"),
        (lambda: mc.orders.ros(mc.load("planar2")).q("ab"), "q must be 2 numbers, not str"),
    ],
)
def test_what_does_not_fit_is_a_sentence(make, said: str) -> None:
    with pytest.raises(mc.Error) as refusal:
        make()
    assert said in str(refusal.value)


def test_a_name_twice_and_a_quaternion_of_length_zero_are_refused() -> None:
    arm, free = mc.load("planar2"), mc.load("planar2", floating=True)
    with pytest.raises(mc.Error, match="joint elbow is there twice"):
        mc.orders.ros(arm, [*arm.joint_names, "elbow"])
    order = mc.orders.ros(free)
    with pytest.raises(mc.Error, match="a quaternion of length zero is no rotation"):
        order.our_q(np.zeros(order.nq))
