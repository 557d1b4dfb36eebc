"""A time step by MuJoCo, with the ports of ours: q, v, tau, what happens → q_next, v_next, forces and gaps of contacts.

A call is a function of its arguments: state and constants are set anew each time, and nothing is carried on inside.

    damping, servos   at the end of the step as ours; D + dt K where springs are, which is the same (mujoco_joints.py)
    smooth friction   d + c/√(v² + ε²) of this step, as damping: exactly ours
    stiction, brakes  frictionloss, a constraint that gives a little where ours does not
    pushes            xfrc_applied
    followers         equality constraints, set upright at the beginning of each step
"""

import threading
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.formats.mjcf import import_mujoco
from motionc.geometry.lie import Array
from motionc.model.orders import mujoco as mujoco_order
from motionc.program.port import State
from motionc.runtime.computation import Computation
from motionc.simulate.mujoco_constants import Constants, refuse_places
from motionc.simulate.mujoco_joints import Resistance, refuse_turning
from motionc.simulate.mujoco_model import REACH, Frames, built
from motionc.sweeps.parameters import Parameter

TAKES = ("q", "v", "tau", "target", "f_ext", "brake", "mu")
GIVES = ("q_next", "v_next")
TOUCHING = ("contact_force", "gap", "contact_normal", "contact_point")
ALONG_JOINTS = {"joint_stop_force": "mjCNSTR_LIMIT_JOINT", "joint_friction_force": "mjCNSTR_FRICTION_DOF"}
"""Forces along joints, and which of MuJoCo's constraints make them."""
LARGEST = 1e10
"""What MuJoCo takes for a state that diverged (mjMAXVAL)."""
UNKNOWN = "contact_residual"
"""What MuJoCo does not tell: it is NaN."""


class MujocoStep:
    """The step of a plant; any number of threads may call it."""

    def __init__(self, plant: Any, ours: Computation) -> None:
        self.plant, self.options = plant, ours.options
        self.built = built(plant)
        self.order = mujoco_order(plant.robot, self.built.model)
        self.parameters = [one for one in ours.solver.open if isinstance(one, Parameter)]
        refuse_places(self.parameters)
        refuse_turning(plant, ours.options)
        self.outputs = [port for port in ours.outputs if not isinstance(port, State)]
        self.states = [port.name for port in ours.states]
        self._own = threading.local()
        fields = (field.port for field in self.built.fields)
        known = {*TAKES, *GIVES, *TOUCHING, *ALONG_JOINTS, UNKNOWN, *fields, *(one.name for one in self.parameters)}
        for port in (*ours.inputs, *ours.outputs):
            if port.name not in known and port.name not in self.states:
                raise Error(f"MuJoCo's plant has nothing for {port.name} ({port.meaning}); leave it out of the plant")

    def __call__(self, **given: Any) -> dict[str, Any]:
        """All outputs by name; state of ours, which warms its solver, stays as it is."""
        if not hasattr(self._own, "bench"):
            self._own.bench = _Bench(self)
        carried = {name: given[name] for name in self.states}
        if not all((np.abs(given[name]) < LARGEST).all() for name in ("q", "v", "tau")):
            return carried | {port.name: np.full(port.shape, np.nan) for port in self.outputs}
        answers = self._own.bench.advance(given)
        return carried | {port.name: answers[port.name] for port in self.outputs}


class _Bench:
    """A model and its data for one thread."""

    def __init__(self, step: MujocoStep) -> None:
        self.mujoco, self.plant, self.order = import_mujoco(), step.plant, step.order
        self.model = copy(step.built.model)
        self.data = self.mujoco.MjData(self.model)
        self.places, self.fields = step.built.places, step.built.fields
        self.constants = Constants(step.plant.robot, self.model, step.parameters)
        self.resistance = Resistance(step.plant, step.options, step.built, self.model, self.order, self.constants)
        names = [self.model.body(k).name for k in range(self.model.nbody)]
        frames = Frames(self.plant.robot, names)
        pushed = [frames[force.frame] for force in step.options.external_forces]
        self.pushed = [(names.index(body), pose[:3, 3]) for body, pose in pushed]
        self.where = {(place.surface, place.robot): k for k, place in enumerate(self.places)}
        here = self.plant.robot.neutral()
        self.last = here, self.order.matrix(here)
        self.leads = np.any(self.order.tau(np.eye(self.plant.robot.nv), here), axis=0)  # all but followers
        wanted = {port.name for port in step.outputs}
        kinds = self.mujoco.mjtConstraint
        self.along = {name: int(getattr(kinds, kind)) for name, kind in ALONG_JOINTS.items() if name in wanted}

    def advance(self, given: Mapping[str, Any]) -> dict[str, Any]:
        mujoco, model, data, order = self.mujoco, self.model, self.data, self.order
        q, v = np.asarray(given["q"], float), np.asarray(given["v"], float)
        self.constants.put(given)
        self._ground(given)
        turned = self._turned(q)
        data.qpos[:], data.qvel[:] = order.q(q), turned @ v
        dampers = self.resistance.put(data.qvel, given.get("brake", ()))
        tau = given["tau"] + self.resistance.springs(q, given.get("target"))
        data.qfrc_applied[:] = self.leads * (turned @ tau) + dampers
        if self.pushed:
            self._push(np.asarray(given["f_ext"], float))
        mujoco.mj_forward(model, data)
        forces = self._touching() | {name: order.our_tau(self._made(kind), q) for name, kind in self.along.items()}
        mujoco.mj_implicit(model, data)
        q_next = order.our_q(data.qpos)
        v_next = (self.leads * data.qvel) @ self._turned(q_next)
        return {"q_next": q_next, "v_next": v_next, **forces, UNKNOWN: np.array(np.nan)}

    def _turned(self, q: Array) -> Array:
        """Their velocities from ours at q: the next step mostly begins where one ended."""
        if not np.array_equal(q, self.last[0]):
            self.last = q.copy(), self.order.matrix(q)
        return self.last[1]

    def _ground(self, given: Mapping[str, Any]) -> None:
        """Heights and friction of this call."""
        for field in self.fields:
            start, model = self.model.hfield_adr[field.number], self.model
            count = model.hfield_nrow[field.number] * model.hfield_ncol[field.number]
            if field.port in given:
                model.hfield_data[start : start + count] = field.data(np.asarray(given[field.port], float)).ravel()
        if "mu" in given:
            for place, mu in zip(self.places, np.ravel(given["mu"]), strict=True):
                self.model.pair_friction[place.pair, :2] = mu

    def _push(self, wrenches: Array) -> None:
        """Wrenches (n; f) at frames' origins, in world axes, as forces at bodies' centres of mass."""
        data = self.data
        self.mujoco.mj_kinematics(self.model, data)
        data.xfrc_applied[:] = 0.0
        for (body, at), wrench in zip(self.pushed, wrenches, strict=True):
            arm = data.xpos[body] + data.xmat[body].reshape(3, 3) @ at - data.xipos[body]
            data.xfrc_applied[body, :3] += wrench[3:]
            data.xfrc_applied[body, 3:] += wrench[:3] + np.cross(arm, wrench[3:])

    def _made(self, kind: int) -> Array:
        """What constraints of a kind make along joints, in MuJoCo's order."""
        data, made = self.data, np.zeros(self.model.nv)
        if data.nefc:
            self.mujoco.mj_mulJacTVec(self.model, data, made, np.where(data.efc_type == kind, data.efc_force, 0.0))
        return made

    def _touching(self) -> dict[str, Array]:
        """Of each place of each contact: the force on the robot, how far away, from where to where."""
        count, data, force = len(self.places), self.data, np.zeros(6)
        forces, normals, points = np.zeros((3, count, 3))
        gaps = np.full(count, REACH)
        for k in range(data.ncon):
            contact = data.contact[k]
            one, other = map(int, contact.geom)
            side = 1.0 if (one, other) in self.where else -1.0
            place = self.where[(one, other) if side > 0 else (other, one)]
            axes = contact.frame.reshape(3, 3)
            self.mujoco.mj_contactForce(self.model, data, k, force)
            forces[place] += side * axes.T @ force[:3]
            if contact.dist < gaps[place]:
                gaps[place], normals[place], points[place] = contact.dist, side * axes[0], contact.pos
        return dict(zip(TOUCHING, (forces, gaps, normals, points), strict=True))
