"""One default frame: forces, Jacobians and constraints are as seen by the world at the frame's origin."""

import warnings

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.robots import robot_file
from oracle import error

Q, V, A = np.random.default_rng(0).normal(size=(3, 6))
F = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])


def test_with_all_defaults_a_wrench_takes_its_share_off_the_motors() -> None:
    """id_f - id_0 + Jᵀ f = 0, and Pinocchio's rnea under the same wrench."""
    robot = mc.load("ur5")
    free, pushed = mc.inverse_dynamics(robot), mc.inverse_dynamics(robot, external_forces=[mc.Force("tool0")])
    tau = pushed.run(Q, V, A, [F])
    assert error(tau, free.run(Q, V, A) - mc.jacobian(robot, "tool0").run(Q).T @ F) < 1e-12

    model = pin.buildModelFromUrdf(str(robot_file("ur5")))
    data = model.createData()
    pin.framesForwardKinematics(model, data, Q)
    tool = model.frames[model.getFrameId("tool0")]
    at, joint = data.oMf[model.getFrameId("tool0")], data.oMi[tool.parentJoint]
    wrench = pin.SE3(np.eye(3), at.translation).act(pin.Force(F[3:], F[:3]))
    acting = [pin.Force.Zero() for _ in range(model.njoints)]
    acting[tool.parentJoint] = joint.actInv(wrench)
    assert error(tau, pin.rnea(model, data, Q, V, A, pin.StdVec_Force(acting))) < 1e-10


def test_multipliers_of_a_contact_are_a_wrench_with_the_same_frame() -> None:
    """Rows in the order of a wrench: what holds the tool, given back as a force, moves the robot alike."""
    robot, rows = mc.load("ur5"), mc.Constraint("tool0", "rx ry rz x y z", source="contact")
    out = mc.constrained_dynamics(robot, rows).run(Q, V, A, F)
    replay = mc.forward_dynamics(robot, external_forces=[mc.Force("tool0")]).run(Q, V, A, [out.multipliers])
    assert error(replay, out.a) < 1e-8


def test_a_bare_name_says_once_what_has_changed() -> None:
    robot = mc.load("ur5")
    with pytest.warns(FutureWarning, match=r"mc\.Force\('tool0', as_seen_by='tool0'\) is what it was") as heard:
        named = mc.inverse_dynamics(robot, external_forces=["tool0"])
    assert [warning.filename for warning in heard] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world, own = (
            mc.inverse_dynamics(robot, external_forces=mc.Force("tool0", **axes))
            for axes in ({}, {"as_seen_by": "tool0"})
        )
    assert named.identity() == world.identity() != own.identity()
    turn = mc.forward_kinematics(robot, ["tool0"]).run(Q)[0, :3, :3]
    turned = np.concatenate([turn.T @ F[:3], turn.T @ F[3:]])
    assert error(own.run(Q, V, A, [turned]), named.run(Q, V, A, [F])) < 1e-12
    assert "as seen by world" in named.inputs[-1].meaning
