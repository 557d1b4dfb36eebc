"""Independent answers about a robot in a URDF file: Pinocchio's, in our order of coordinates, angular first.

Also the dense solve of constrained dynamics, from nothing but M, h and Jacobians. None of it calls motionc to compute.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

import motionc as mc
from motionc.robots import robot_file
from public_robots import public_file

FLOATING = ("anymal", "humanoid", "hyq_no_sensors", "solo12", "talos_reduced")
SHIPPED_ROBOTS = ["humanoid", "lwr4", "planar2", "youbot_arm"]
Array = np.ndarray
Wrenches = Mapping[tuple[str, str], Array]
"""(frame, as_seen_by) → wrench (n; f) on the frame's body at the frame's origin."""


def error(x: Array, reference: Array) -> float:
    """Relative error as in design §3: max|x - ref| / max(1, max|ref|)."""
    x, reference = np.asarray(x), np.asarray(reference)
    assert x.shape == reference.shape
    assert np.all(np.isfinite(x))
    return float(np.abs(x - reference).max(initial=0.0) / max(1.0, np.abs(reference).max(initial=0.0)))


@cache
def load(name: str, mimic: str = "independent") -> mc.Robot:
    """A public or shipped robot, floating where the real one does; the test is skipped where the file is absent."""
    return mc.load(_path(name), floating=name in FLOATING, mimic=mimic)


@cache
def oracle(name: str) -> "Oracle":
    """Pinocchio's model of the same file, all joints independent."""
    return Oracle(_path(name), load(name))


def _path(name: str) -> Path:
    # a public file and one of ours may have the same name
    return robot_file(name) if name in SHIPPED_ROBOTS else public_file(name)


def rotors(path: Path) -> dict[str, float]:
    """Rotor inertia by joint, as the file has it; Pinocchio does not read it."""
    found = ElementTree.parse(path).findall("joint")
    said = {joint.get("name", ""): joint.find("dynamics[@rotor_inertia]") for joint in found}
    return {name: float(dynamics.get("rotor_inertia", "0")) for name, dynamics in said.items() if dynamics is not None}


class Oracle:
    """Pinocchio on a URDF file; what goes in and comes out is in the order of `robot`."""

    def __init__(self, path: Path, robot: mc.Robot) -> None:
        root = [pin.JointModelFreeFlyer()] if "root_joint" in robot.v_index else []
        self.model = pin.buildModelFromUrdf(str(path), *root)
        for name, rotor in rotors(path).items():
            self.model.armature[self.model.joints[self.model.getJointId(name)].idx_v] = rotor
        self.data = self.model.createData()
        self.robot = robot
        self._read_order()

    def _read_order(self) -> None:
        """Entry i of our v is entry order[i] of Pinocchio's."""
        self.theirs = mc.orders.pinocchio(self.robot, self.model)
        places = self.theirs.matrix(self.robot.neutral())
        self.order = np.argmax(places, axis=0) if places.size else np.zeros(0, int)

    # ---------------------------------------------------------------- states

    def place(self, q: Array, v: Array | None = None) -> None:
        """Put Pinocchio into this state, accelerations zero: poses, velocities, bias accelerations, Jacobians."""
        self.placed = q, np.zeros(len(self.order)) if v is None else v
        q, v = self._q(q), self._v(self.placed[1])
        pin.forwardKinematics(self.model, self.data, q, v, 0 * v)
        pin.updateFramePlacements(self.model, self.data)
        pin.computeJointJacobians(self.model, self.data)

    def _q(self, q: Array) -> Array:
        return self.theirs.q(q)

    def _v(self, v: Array) -> Array:
        out = np.zeros(self.model.nv)
        out[self.order] = v
        return out

    # ---------------------------------------------------------------- kinematics, after place()

    def pose(self, frame: str) -> Array:
        """4×4, wrt world."""
        return self._pose(frame).homogeneous

    def jacobian(
        self, frame: str, wrt: str = "world", point: Sequence[float] = (0, 0, 0), axes: str = "world"
    ) -> Array:
        """6×nv: the motion of a point of a frame's body, minus that of wrt's body at the same place."""
        at = self._pose(frame).act(np.array(point, float))
        J = self._at(frame, at) - self._at(wrt, at)
        return self.turn(axes) @ J[:, self.order]

    def bias(
        self, frame: str, point: Sequence[float] = (0, 0, 0), axes: str = "world", kind: str = "classical"
    ) -> Array:
        """The acceleration (ω̇; p̈) of a point of a frame's body that velocities alone make, J̇ v."""
        id, r = self._id(frame), self._pose(frame).rotation @ np.array(point, float)
        world = pin.LOCAL_WORLD_ALIGNED
        twist = pin.getFrameVelocity(self.model, self.data, id, world)
        spatial = pin.getFrameAcceleration(self.model, self.data, id, world)
        linear = spatial.linear + np.cross(spatial.angular, r)
        if kind == "classical":
            linear = linear + np.cross(twist.angular, twist.linear + np.cross(twist.angular, r))
        return self.turn(axes) @ np.concatenate([spatial.angular, linear])

    def turn(self, axes: str) -> Array:
        """6×6, from world axes to those of a frame."""
        return np.kron(np.eye(2), self._pose(axes).rotation.T)

    def push(self, forces: Wrenches) -> Array:
        """Σ Jᵀ f in the order of v."""
        return sum(
            (self.jacobian(frame, axes=axes).T @ f for (frame, axes), f in forces.items()), np.zeros(self.robot.nv)
        )

    def _id(self, frame: str) -> int:
        name, kind = frame, pin.FrameType.BODY
        if frame.startswith("joint:"):
            name, kind = frame.removeprefix("joint:"), pin.FrameType.JOINT
            if not self.model.existFrame(name, kind):
                kind = pin.FrameType.FIXED_JOINT
        return self.model.getFrameId(name, kind)

    def _pose(self, frame: str) -> pin.SE3:
        return pin.SE3.Identity() if self._is_world(frame) else self.data.oMf[self._id(frame)]

    def _is_world(self, frame: str) -> bool:
        return frame == "world" and not self.model.existFrame("world", pin.FrameType.BODY)

    def _at(self, frame: str, at: Array) -> Array:
        """The Jacobian of a frame's body where it passes the place `at`, in world axes."""
        if self._is_world(frame):
            return np.zeros((6, self.model.nv))
        J = pin.getFrameJacobian(self.model, self.data, self._id(frame), pin.LOCAL_WORLD_ALIGNED)
        linear, angular = np.split(J.reshape(6, -1), 2)  # of one joint it is no matrix
        return np.vstack([angular, linear + np.cross(angular, at - self._pose(frame).translation, axis=0)])

    # ---------------------------------------------------------------- dynamics

    def mass_matrix(self, q: Array) -> Array:
        upper = np.triu(pin.crba(self.model, self.data, self._q(q)))
        M = upper + np.triu(upper, 1).T
        return M[np.ix_(self.order, self.order)]

    def bias_forces(self, q: Array, v: Array, gravity: Sequence[float]) -> Array:
        usual = self.model.gravity.linear.copy()
        self.model.gravity.linear = np.array(gravity, float)
        h = pin.nonLinearEffects(self.model, self.data, self._q(q), self._v(v))[self.order]
        self.model.gravity.linear = usual
        return h

    def gravity_forces(self, q: Array) -> Array:
        return pin.computeGeneralizedGravity(self.model, self.data, self._q(q))[self.order]

    def mass_matrix_inverse(self, q: Array) -> Array:
        upper = np.triu(pin.computeMinverse(self.model, self.data, self._q(q)))
        M_inv = upper + np.triu(upper, 1).T
        return M_inv[np.ix_(self.order, self.order)]

    def center_of_mass(self, q: Array) -> tuple[Array, Array]:
        """Where it is, and its Jacobian (3, nv)."""
        J = pin.jacobianCenterOfMass(self.model, self.data, self._q(q))
        return self.data.com[0].copy(), J[:, self.order]

    def momentum(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """About the centre of mass, angular first: hG, the matrix AG, and the rate of hG while v is constant."""
        q, v = self._q(q), self._v(v)
        pin.ccrba(self.model, self.data, q, v)
        angular_first = [3, 4, 5, 0, 1, 2]
        matrix = self.data.Ag[angular_first][:, self.order]
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, q, v, 0 * v)
        return self.data.hg.vector[angular_first], matrix, self.data.dhg.vector[angular_first]

    def momentum_matrix_rate(self, q: Array, v: Array) -> Array:
        """(6, nv). Pinocchio leaves out that the second axis of a universal joint turns."""
        return pin.dccrba(self.model, self.data, self._q(q), self._v(v))[[3, 4, 5, 0, 1, 2]][:, self.order]

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic and potential; that of rotors apart, which Pinocchio 4.1 does not count as its mass matrix does."""
        links = self.model.copy()
        links.armature[:] = 0.0
        kinetic = pin.computeKineticEnergy(links, links.createData(), self._q(q), self._v(v))
        kinetic += self.model.armature @ self._v(v) ** 2 / 2
        return kinetic, pin.computePotentialEnergy(self.model, self.data, self._q(q))

    def frame_motion(self, frame: str, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Twist, classical and spatial acceleration of a frame's origin, in world axes."""
        pin.forwardKinematics(self.model, self.data, self._q(q), self._v(v), self._v(a))
        pin.updateFramePlacements(self.model, self.data)
        ways = pin.getFrameVelocity, pin.getFrameClassicalAcceleration, pin.getFrameAcceleration
        found = [way(self.model, self.data, self._id(frame), pin.LOCAL_WORLD_ALIGNED) for way in ways]
        return tuple(np.concatenate([motion.angular, motion.linear]) for motion in found)

    def jacobian_rate(self, frame: str, q: Array, v: Array) -> Array:
        """(6, nv), of a frame's origin, in world axes."""
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self._q(q), self._v(v))
        pin.updateFramePlacements(self.model, self.data)
        rate = pin.getFrameJacobianTimeVariation(self.model, self.data, self._id(frame), pin.LOCAL_WORLD_ALIGNED)
        return rate[[3, 4, 5, 0, 1, 2]][:, self.order]

    def inverse_dynamics(self, q: Array, v: Array, a: Array, forces: Wrenches | None = None) -> Array:
        external = self._external(q, forces or {})
        return pin.rnea(self.model, self.data, self._q(q), self._v(v), self._v(a), external)[self.order]

    def forward_dynamics(self, q: Array, v: Array, tau: Array, forces: Wrenches | None = None) -> Array:
        external = self._external(q, forces or {})
        return pin.aba(self.model, self.data, self._q(q), self._v(v), self._v(tau), external)[self.order]

    def force_derivatives(self, q: Array, v: Array, a: Array) -> dict[str, Array]:
        """∂τ/∂q, ∂τ/∂v, ∂τ/∂a, columns in the tangent coordinates of v.

        Pinocchio leaves entries of joints on different branches as other functions have left them.
        """
        data = self.model.createData()
        pin.computeRNEADerivatives(self.model, data, self._q(q), self._v(v), self._v(a))
        M = np.triu(data.M) + np.triu(data.M, 1).T
        found = {"dtau_dq": data.dtau_dq, "dtau_dv": data.dtau_dv, "dtau_da": M}
        return {name: values[np.ix_(self.order, self.order)] for name, values in found.items()}

    def acceleration_derivatives(self, q: Array, v: Array, tau: Array) -> dict[str, Array]:
        """∂a/∂q, ∂a/∂v, ∂a/∂τ."""
        data = self.model.createData()
        pin.computeABADerivatives(self.model, data, self._q(q), self._v(v), self._v(tau))
        found = {"da_dq": data.ddq_dq, "da_dv": data.ddq_dv, "da_dtau": data.Minv}
        return {name: values[np.ix_(self.order, self.order)] for name, values in found.items()}

    def held_derivatives(self, frame: str, q: Array, v: Array, tau: Array) -> dict[str, Array]:
        """The same of the motion that holds a frame, six spatial rows in its own axes, and of the forces there."""
        at = self.model.frames[self._id(frame)]
        rows = pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, self.model, at.parentJoint, at.placement, pin.LOCAL)
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        models.append(rows)
        datas.append(rows.createData())
        pin.initConstraintDynamics(self.model, self.data, models, datas)
        settings = pin.ProximalSettings(1e-14, 0.0, 1)
        state = self._q(q), self._v(v), self._v(tau)
        pin.constraintDynamics(self.model, self.data, *state, models, datas, settings)
        pin.computeConstraintDynamicsDerivatives(self.model, self.data, models, datas, settings)
        data, rows_first = self.data, [3, 4, 5, 0, 1, 2]
        found = {"da_dq": data.ddq_dq, "da_dv": data.ddq_dv, "da_dtau": data.ddq_dtau}
        held = {"dmultipliers_dq": data.dlambda_dq, "dmultipliers_dv": data.dlambda_dv}
        return {name: values[np.ix_(self.order, self.order)] for name, values in found.items()} | {
            name: values[np.ix_(rows_first, self.order)] for name, values in held.items()
        }

    def regressor(self, q: Array, v: Array, a: Array) -> dict[str, Array]:
        """What motors feel of m, m c, Ixx Ixy Ixz Iyy Iyz Izz of all that a joint carries, by joint, at its frame."""
        Y = pin.computeJointTorqueRegressor(self.model, self.data, self._q(q), self._v(v), self._v(a))
        order = np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])
        return {self.model.names[k]: Y[self.order][:, 10 * (k - 1) + order] for k in range(1, self.model.njoints)}

    def _external(self, q: Array, forces: Wrenches) -> pin.StdVec_Force:
        """Wrenches on each of Pinocchio's joints, in its frame."""
        pin.framesForwardKinematics(self.model, self.data, self._q(q))
        found = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for (name, axes), wrench in forces.items():
            frame = self.model.frames[self._id(name)]
            n, f = np.split(self.turn(name) @ self.turn(axes).T @ wrench, 2)
            found[frame.parentJoint] += frame.placement.act(pin.Force(f, n))
        return pin.StdVec_Force(found)


# ---------------------------------------------------------------- constraints, densely


def constraint_rows(world, constraints: Sequence[mc.Constraint]) -> tuple[Array, Array, Array]:
    """J, J̇ v and who makes the force (True: motors), row by row.

    `world` is anything with a robot, and with jacobian(…) and bias(…) of its present state.
    """
    J, bias, task = [np.zeros((0, world.robot.nv))], [np.zeros(0)], [np.zeros(0, bool)]
    for c in constraints:
        W = unit_wrenches(c.rows)
        J.append(W.T @ world.jacobian(c.frame, point=c.point, axes=c.as_seen_by))
        bias.append(W.T @ world.bias(c.frame, c.point, c.as_seen_by, c.kind))
        task.append(np.full(W.shape[1], c.source == "task"))
    return np.vstack(J), np.concatenate(bias), np.concatenate(task)


def unit_wrenches(rows: str | Array) -> Array:
    """One column (n; f) a row."""
    if not isinstance(rows, str):
        return rows
    return np.eye(6)[:, [("rx", "ry", "rz", "x", "y", "z").index(token) for token in re.findall("r?[xyz]", rows)]]


def kkt(M: Array, J: Array, force: Array, reach: Array) -> tuple[Array, Array]:
    """a and λ with M a - Jᵀ λ = force and J a = reach: λ are forces on the constrained body."""
    n, m = len(M), len(J)
    K = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    x = np.linalg.solve(K, np.concatenate([force, reach]))
    return x[:n], x[n:]


def partition(M: Array, rest: Array, tau: Array, a: Array, told: Array) -> tuple[Array, Array]:
    """tau and a, complete, with M a + rest = tau: a is given where told, tau elsewhere."""
    free, a = ~told, a.copy()
    a[free] = np.linalg.solve(M[np.ix_(free, free)], (tau - rest)[free] - M[np.ix_(free, told)] @ a[told])
    return np.where(told, M @ a + rest, tau), a
