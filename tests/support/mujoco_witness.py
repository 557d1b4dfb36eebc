"""MuJoCo's answers about a model of its own, for states of a robot of ours: poses, M, inverse dynamics, momentum.

Springs, dampers, contacts, limits, constraints and the medium are switched off. A free joint's velocity is that of the
origin as seen by the world, then ω; ours are ω, v as seen by the body. Joints MuJoCo has not are several of its own.
"""

import mujoco
import numpy as np

import motionc as mc
from motionc.geometry.lie import rotation_from_quaternion
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
        model, data, robot = self.model, self.data, self.robot
        v, a = np.zeros(robot.nv) if v is None else v, np.zeros(robot.nv) if a is None else a
        self._turned, bias = np.zeros((model.nv, robot.nv)), np.zeros(model.nv)
        moving = {joint.name: joint for joint in robot.joints}
        for name in (*robot.joint_names, *robot.followers):
            leader, gain, offset = robot.followers.get(name, (name, 1.0, 0.0))
            own, rates = gain * q[robot.q_index[leader]] + offset, robot.v_index[leader]
            for part, qpos, block, drift in _parts(name, moving.get(name), own, v[rates], name in self.joints):
                number = self.joints.index(part)
                at, dof = model.jnt_qposadr[number], model.jnt_dofadr[number]
                data.qpos[at : at + len(qpos)] = qpos
                self._turned[dof : dof + len(block), rates] = gain * block
                bias[dof : dof + len(block)] = drift
        data.qvel[:] = self._turned @ v
        data.qacc[:] = self._turned @ a + bias


def _parts(name: str, joint: mc.Joint | None, q: Array, v: Array, whole: bool):
    """The MuJoCo joints of a joint: name, qpos, the matrix G of qvel = G v, and Ġ v."""
    type, I, O = mc.JointType.FLOATING if joint is None else joint.type, np.eye(3), np.zeros((3, 3))
    turn = I if joint is None else joint.child.frame(joint.target[1]).pose[:3, :3]
    if type is mc.JointType.FLOATING and whole:  # d(R v)/dt = R (v̇ + ω × v)
        R = rotation_from_quaternion(q[3:])
        yield name, q, np.block([[O, R], [I, O]]), np.append(R @ np.cross(v[:3], v[3:]), np.zeros(3))
    elif type is mc.JointType.FLOATING:
        R = rotation_from_quaternion(q[3:])
        for number, axis in enumerate("xyz"):
            row = np.append(np.zeros(3), R[number])[None]
            yield f"{name}/{axis}", q[[number]], row, R[number] @ np.cross(v[:3], v[3:])
        yield f"{name}/turn", turned(q[3:], turn), np.hstack([turn, O]), np.zeros(3)
    elif type is mc.JointType.SPHERICAL:
        yield name, turned(q, turn), turn, np.zeros(3)
    elif type is mc.JointType.PLANAR:
        (s, c), (w, x, y) = (np.sin(q[2]), np.cos(q[2])), v
        yield f"{name}/x", q[[0]], np.array([[0, c, -s]]), -w * (s * x + c * y)
        yield f"{name}/y", q[[1]], np.array([[0, s, c]]), w * (c * x - s * y)
        yield f"{name}/angle", q[[2]], np.array([[1.0, 0, 0]]), 0.0
    elif type is mc.JointType.HELICAL:
        yield name, q, np.eye(1), 0.0
        yield f"{name}/slide", joint.pitch * q, joint.pitch * np.eye(1), 0.0
    elif len(q) == 2:
        words = ("first", "second") if type is mc.JointType.UNIVERSAL else ("angle", "slide")
        for number, word in enumerate(words):
            yield f"{name}/{word}", q[[number]], np.eye(2)[[number]], 0.0
    else:
        yield name, q, np.eye(1), 0.0


def turned(quaternion: Array, rotation: Array) -> Array:
    """The same rotation as seen by other axes."""
    return np.append(quaternion[0], rotation @ quaternion[1:]) / np.linalg.norm(quaternion)


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
