"""MuJoCo's answers about a model of its own, for states of a robot of ours: poses, M, inverse and forward dynamics.

Springs, dampers, contacts, limits, constraints and the medium are switched off. Coordinates agree joint by joint, but
for a free joint: MuJoCo has the velocity of the origin first and as seen by the world, ours are ω, v as seen by the body.
"""

import mujoco
import numpy as np

import motionc as mc
from oracle import Array

FREE, BALL = mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL
OFF = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "SPRING", "DAMPER", "PASSIVE")


class MujocoWitness:
    """A compiled model; followers move as the robot says."""

    def __init__(self, model: mujoco.MjModel, robot: mc.Robot) -> None:
        self.model, self.robot = model, robot
        for name in OFF:  # PASSIVE became SPRING and DAMPER
            if bit := getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", None):
                model.opt.disableflags |= bit
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        # centres of mass a nanometre off the body's frame it takes for its origin
        self.rounding = float(np.abs(model.body_ipos[model.body_sameframe != 0]).max(initial=0.0))
        model.opt.density = model.opt.viscosity = 0.0
        model.body_gravcomp[:] = 0.0
        if hasattr(model, "tendon_armature"):
            model.tendon_armature[:] = 0.0
        self.data = mujoco.MjData(model)
        self.joints = [model.joint(number).name or f"joint_{number}" for number in range(model.njnt)]

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """tau for an acceleration, by mj_inverse."""
        self._place(q, v, a)
        mujoco.mj_inverse(self.model, self.data)
        return self._turned.T @ self.data.qfrc_inverse

    def mass_matrix(self, q: Array) -> Array:
        self._place(q)
        mujoco.mj_forward(self.model, self.data)
        columns = np.zeros((self.robot.nv, self.model.nv))
        for number, direction in enumerate(self._turned.T):
            mujoco.mj_mulM(self.model, self.data, columns[number], np.ascontiguousarray(direction))
        return columns @ self._turned

    def poses(self, q: Array) -> tuple[Array, Array]:
        """4×4, of all bodies and of all sites."""
        self._place(q)
        mujoco.mj_kinematics(self.model, self.data)
        data = self.data
        return _poses(data.xpos, data.xmat), _poses(data.site_xpos, data.site_xmat)

    def center_of_mass(self, q: Array) -> Array:
        self._place(q)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        return self.data.subtree_com[0].copy()

    def _place(self, q: Array, v: Array | None = None, a: Array | None = None) -> None:
        """Set qpos, qvel, qacc; `_turned` is then the matrix G of qvel = G v."""
        model, data, robot = self.model, self.data, self.robot
        v, a = np.zeros(robot.nv) if v is None else v, np.zeros(robot.nv) if a is None else a
        self._turned, bias = np.zeros((model.nv, robot.nv)), np.zeros(model.nv)
        for number, name in enumerate(self.joints):
            at, dof, kind = model.jnt_qposadr[number], model.jnt_dofadr[number], model.jnt_type[number]
            leader, gain, offset = robot.followers.get(name, (name, 1.0, 0.0))
            own, rates = q[robot.q_index[leader]], robot.v_index[leader]
            data.qpos[at : at + len(own)] = gain * own + offset
            size = rates.stop - rates.start
            block = gain * np.eye(size)
            if kind == FREE:
                R, w, p = np.zeros(9), v[rates][:3], v[rates][3:]
                mujoco.mju_quat2Mat(R, own[3:] / np.linalg.norm(own[3:]))
                R = R.reshape(3, 3)
                block = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
                bias[dof : dof + 3] = R @ np.cross(w, p)  # d(R v)/dt = R (v̇ + ω × v)
            self._turned[dof : dof + size, rates] = block
        data.qvel[:] = self._turned @ v
        data.qacc[:] = self._turned @ a + bias


def _poses(positions: Array, rotations: Array) -> Array:
    poses = np.tile(np.eye(4), (len(positions), 1, 1))
    poses[:, :3, 3], poses[:, :3, :3] = positions, rotations.reshape(-1, 3, 3)
    return poses
