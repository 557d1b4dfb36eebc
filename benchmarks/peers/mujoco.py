"""MuJoCo: mj_inverse and mj_forward, setting the state included. Both do more than was asked, contacts excepted.

It is given fused links, since it refuses files in which a single one has no physical inertia.
"""

from importlib import import_module
from typing import Any

import numpy as np

from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Array, Contender, State
from motionc.model import JointType, Robot, orders
from peers.fused import fused_bodies


def enter(question: Question) -> Contender:
    """One call sets q, v and the third, and runs the pipeline."""
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise Absent("mujoco is not installed; pip install mujoco") from None
    if "constrained" in question.kind:
        raise Absent("its constraints are soft, which is another question")
    if question.kind in (Kind.JACOBIAN, Kind.INVERSE_DERIVATIVES, Kind.FORWARD_DERIVATIVES):
        raise Absent("its Jacobians and derivatives are not compared")
    if question.kind in (Kind.KINEMATICS, Kind.MASS, Kind.FACTOR):
        return _of_positions(mujoco, question)
    model = _model(mujoco, question.robot)
    data, inverse, theirs = mujoco.MjData(model), question.kind is Kind.INVERSE, orders.mujoco(question.robot, model)
    states = [_turned(theirs, state, inverse) for state in question.states]
    run = mujoco.mj_inverse if inverse else mujoco.mj_forward
    q, v, x = data.qpos, data.qvel, data.qacc if inverse else data.qfrc_applied
    found = data.qfrc_inverse if inverse else data.qacc

    def block() -> None:
        for state in states:
            q[:], v[:], x[:] = state
            run(model, data)

    def answers() -> Array:
        rows: list[Array] = []
        for (place, rates, _), own in zip(question.states, states, strict=True):
            q[:], v[:], x[:] = own
            run(model, data)
            rows.append(theirs.our_tau(found, place) if inverse else theirs.our_a(found, rates, place))
        return np.array(rows)

    return Contender(len(states), block, answers)


def _of_positions(mujoco: Any, question: Question) -> Contender:
    """What depends on q alone: poses of bodies, the mass matrix, or its factor."""
    robot, kind = question.robot, question.kind
    model = _model(mujoco, robot)
    data, M = mujoco.MjData(model), np.zeros((robot.nv, robot.nv))
    q, poses = data.qpos, kind is Kind.KINEMATICS
    (assemble,) = [getattr(mujoco, name) for name in ("mj_makeM", "mj_crb") if hasattr(mujoco, name)][:1]
    steps = [mujoco.mj_kinematics] if poses else [mujoco.mj_kinematics, mujoco.mj_comPos, assemble]
    steps += [mujoco.mj_factorM] if kind is Kind.FACTOR else []
    ends = [robot.mechanism.frames[link] for link in question.bodies]
    theirs = orders.mujoco(robot, model)
    states = [theirs.q(value) for (value,) in question.states]

    def run(value: Array) -> None:
        q[:] = value
        for step in steps:
            step(model, data)
        if kind is Kind.MASS:
            _full(mujoco, model, data, M)

    def answer(value: Array) -> Array:
        run(theirs.q(value))
        if not poses:
            G = theirs.matrix(value)
            return (G.T @ _full(mujoco, model, data, M) @ G).ravel()
        found = np.tile(np.eye(4), (len(ends), 1, 1))
        for k, (body, pose) in enumerate(ends):
            own = np.eye(4)
            own[:3, :3], own[:3, 3] = data.xmat[body + 1].reshape(3, 3), data.xpos[body + 1]
            found[k] = own @ np.asarray(pose.matrix, float)
        return found.ravel()

    def block() -> None:
        for value in states:
            run(value)

    return Contender(len(question.states), block, lambda: np.array([answer(value) for (value,) in question.states]))


def _full(mujoco: Any, model: Any, data: Any, M: Array) -> Array:
    try:
        mujoco.mj_fullM(model, data, M)
    except TypeError:  # before release 4
        mujoco.mj_fullM(model, M, data.qM)
    return M


def _model(mujoco: Any, robot: Robot) -> Any:
    """Bodies and joints, and nothing that acts but inertia and gravity."""
    spec = mujoco.MjSpec()
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    made: list[Any] = []
    kinds = {JointType.PRISMATIC: mujoco.mjtJoint.mjJNT_SLIDE, JointType.FLOATING: mujoco.mjtJoint.mjJNT_FREE}
    for body in fused_bodies(robot):
        quaternion, I = np.zeros(4), body.inertia
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(body.pose[:3, :3]).ravel())
        own = (spec.worldbody if body.parent < 0 else made[body.parent]).add_body(
            pos=body.pose[:3, 3], quat=quaternion, mass=body.mass, ipos=body.com, explicitinertial=True
        )
        own.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        own.add_joint(
            name=body.name, type=kinds.get(body.type, mujoco.mjtJoint.mjJNT_HINGE), axis=[0, 0, 1], armature=body.rotor
        )
        made.append(own)
    try:
        return spec.compile()
    except ValueError as error:
        raise Absent(f"it refuses the robot: {' '.join(str(error).split())}") from None


def _turned(theirs: orders.Order, state: State, inverse: bool) -> State:
    """A state of ours in its coordinates: q, v, and accelerations or forces."""
    q, v, x = state
    return theirs.q(q), theirs.v(v, q), theirs.a(x, v, q) if inverse else theirs.tau(x, q)
