"""MuJoCo: mj_inverse and mj_forward, setting the state included. Both do more than was asked, contacts excepted.

It is given fused links, since it refuses files in which a single one has no physical inertia.
"""

from importlib import import_module
from typing import Any

import numpy as np

from motionc.benchmark.fused import floats, fused_bodies
from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Array, Contender, State
from motionc.model import JointType, Robot


def enter(question: Question) -> Contender:
    """One call sets q, v and the third, and runs the pipeline."""
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise Absent("mujoco is not installed; pip install mujoco") from None
    if question.kind is Kind.CONSTRAINED:
        raise Absent("its constraints are soft, which is another question")
    model = _model(mujoco, question.robot)
    data, inverse = mujoco.MjData(model), question.kind is Kind.INVERSE
    turn = _turned if floats(question.robot) else _same
    states = [turn(state, inverse) for state in question.states]
    run = mujoco.mj_inverse if inverse else mujoco.mj_forward
    q, v, x = data.qpos, data.qvel, data.qacc if inverse else data.qfrc_applied
    found = data.qfrc_inverse if inverse else data.qacc

    def block() -> None:
        for state in states:
            q[:], v[:], x[:] = state
            run(model, data)

    def answers() -> Array:
        rows: list[Array] = []
        for state, own in zip(question.states, states, strict=True):
            q[:], v[:], x[:] = own
            run(model, data)
            rows.append(_turned_back(state, found.copy(), inverse) if turn is _turned else found.copy())
        return np.array(rows)

    return Contender(len(states), block, answers)


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
        own.add_joint(type=kinds.get(body.type, mujoco.mjtJoint.mjJNT_HINGE), axis=[0, 0, 1], armature=body.rotor)
        made.append(own)
    try:
        return spec.compile()
    except ValueError as error:
        raise Absent(f"it refuses the robot: {' '.join(str(error).split())}") from None


# ---------------------------------------------------------------- a floating base: ours in its own axes, angular first


def _same(state: State, _: bool) -> State:
    return state


def _turned(state: State, inverse: bool) -> State:
    """A state of ours in its coordinates: linear parts in world axes and first. x are accelerations or forces."""
    q, v, x = state
    R = _rotation(q[3:7])
    drift = np.cross(v[:3], v[3:6]) if inverse else 0.0
    return q, np.concatenate([R @ v[3:6], v[:3], v[6:]]), np.concatenate([R @ (x[3:6] + drift), x[:3], x[6:]])


def _turned_back(state: State, found: Array, inverse: bool) -> Array:
    """Its forces or accelerations in our coordinates."""
    q, v, _ = state
    drift = 0.0 if inverse else np.cross(v[:3], v[3:6])
    return np.concatenate([found[3:6], _rotation(q[3:7]).T @ found[:3] - drift, found[6:]])


def _rotation(quaternion: Array) -> Array:
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * k + 2 * k @ k
