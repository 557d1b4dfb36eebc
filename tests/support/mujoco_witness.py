"""MuJoCo's answers about a model of its own, for states of a robot of ours: poses, M, inverse dynamics, momentum.

Springs, dampers, contacts, limits, constraints and the medium are switched off.
"""

import mujoco
import numpy as np

import motionc as mc
from oracle import Array, error

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
        self.theirs = mc.orders.mujoco(robot, model)

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
        """Of all that moves; what is welded to the world belongs to it."""
        self._place(q)
        mujoco.mj_kinematics(self.model, self.data)
        mass = self.model.body_mass * (self.model.body_weldid != 0)
        return mass @ self.data.xipos / mass.sum()

    def momentum(self, q: Array, v: Array) -> Array:
        """About the centre of mass, angular first."""
        center, data = self.center_of_mass(q), self.data
        self._place(q, v)
        mujoco.mj_fwdPosition(self.model, data)
        mujoco.mj_fwdVelocity(self.model, data)
        mujoco.mj_subtreeVel(self.model, data)
        linear = self.model.body_subtreemass[0] * data.subtree_linvel[0]
        return np.append(data.subtree_angmom[0] + np.cross(data.subtree_com[0] - center, linear), linear)

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic and potential, of all that moves."""
        self._place(q, v)
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_fwdVelocity(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        mass = self.model.body_mass * (self.model.body_weldid != 0)
        return self.data.energy[1], -mass @ self.data.xipos @ self.model.opt.gravity

    def _place(self, q: Array, v: Array | None = None, a: Array | None = None) -> None:
        """Set qpos, qvel, qacc; `_turned` is then the matrix G of qvel = G v."""
        v, a = (np.zeros(self.robot.nv) if given is None else given for given in (v, a))
        self.data.qpos[:], self.data.qvel[:] = self.theirs.q(q), self.theirs.v(v, q)
        self.data.qacc[:], self._turned = self.theirs.a(a, v, q), self.theirs.matrix(q)


def _poses(positions: Array, rotations: Array) -> Array:
    poses = np.tile(np.eye(4), (len(positions), 1, 1))
    poses[:, :3, 3], poses[:, :3, :3] = positions, rotations.reshape(-1, 3, 3)
    return poses


def same(one: mc.Robot, other: mc.Robot) -> None:
    """The same names, types, numbers and frames."""
    assert (one.name, one.joint_names, one.link_names, one.followers) == (
        *(other.name, other.joint_names, other.link_names, other.followers),
    )
    assert set(one.frame_names) == set(other.frame_names)
    for name in ("lower", "upper", "velocity", "effort"):
        assert np.array_equal(getattr(one.limits, name), getattr(other.limits, name))
    for a, b in zip(one.links, other.links, strict=True):
        assert (a.mass or 0.0) == (b.mass or 0.0)
        assert error(a.com, b.com) < 1e-14
        assert np.abs(a.inertia - b.inertia).max() < 1e-13
    for a, b in zip(one.joints, other.joints, strict=True):
        assert (a.name, a.type, a.transmission) == (b.name, b.type, b.transmission)
    q = one.random(0)
    frames = [frame for frame in one.frame_names if not frame.startswith("joint:")]
    assert error(mc.forward_kinematics(one, frames).run(q), mc.forward_kinematics(other, frames).run(q)) < 1e-13
