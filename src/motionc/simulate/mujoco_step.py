"""A time step by MuJoCo, with the ports of ours: q, v, tau, what happens → q_next, v_next, forces and gaps of contacts.

A call is a function of its arguments: state and constants are set anew each time, and nothing is carried on inside.

    damping, servos   dof_damping, implicit as ours; D + dt K where springs are implicit, which is the same
    smooth friction   d + c/√(v² + ε²) of this step, as dof_damping: exactly ours
    stiction, brakes  frictionloss, a constraint that gives a little where ours does not
    pushes            xfrc_applied
    followers         equality constraints, set upright at the beginning of each step
"""

import threading
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.formats.mjcf import import_mujoco
from motionc.geometry.lie import Array
from motionc.model.orders import mujoco as mujoco_order
from motionc.program.port import Port, State
from motionc.simulate.mujoco_constants import Constants
from motionc.simulate.mujoco_joints import Resistance
from motionc.simulate.mujoco_model import REACH, Frames, built
from motionc.solvers.step import Step
from motionc.sweeps.parameters import Parameter

TAKES = {"q", "v", "tau", "target", "f_ext", "brake", "mu"}
GIVES = {"q_next", "v_next", "contact_force", "gap", "contact_normal", "contact_point", "contact_residual"}


class MujocoStep:
    """The step of a plant; any number of threads may call it."""

    def __init__(self, plant: Any, step: Step, parameters: Sequence[Parameter], ports: Sequence[Port]) -> None:
        self.plant, self.step, self.parameters = plant, step, parameters
        self.built = built(plant)
        self.order = mujoco_order(plant.robot, self.built.model)
        self._own = threading.local()
        fields = {field.port for field in self.built.fields}
        known = {*TAKES, *GIVES, *fields, *(one.name for one in parameters)}
        for port in ports:
            if port.name not in known and not isinstance(port, State):
                raise Error(f"MuJoCo's plant has nothing for {port.name} ({port.meaning}); leave it out of the plant")

    def __call__(self, **given: Any) -> dict[str, Any]:
        """All outputs by name."""
        if not hasattr(self._own, "bench"):
            self._own.bench = _Bench(self)
        return self._own.bench.advance(given)

    def __reduce__(self) -> Any:
        return _again, (self.plant,)


def _again(plant: Any) -> MujocoStep:
    return plant.moving["step"].advance


class _Bench:
    """A model and its data for one thread."""

    def __init__(self, step: MujocoStep) -> None:
        self.mujoco, self.plant, self.order = import_mujoco(), step.plant, step.order
        self.model = copy(step.built.model)
        self.data = self.mujoco.MjData(self.model)
        self.places, self.fields = step.built.places, step.built.fields
        self.constants = Constants(step.plant, self.model, step.parameters)
        self.resistance = Resistance(step.plant, step.step, self.model, self.order, self.constants)
        names = [self.model.body(k).name for k in range(self.model.nbody)]
        frames = Frames(self.plant.robot, names)
        pushed = [frames[frame] for frame in step.step.external_forces]
        self.pushed = [(names.index(body), pose[:3, 3]) for body, pose in pushed]
        self.where = {(place.surface, place.robot): k for k, place in enumerate(self.places)}

    def advance(self, given: Mapping[str, Any]) -> dict[str, Any]:
        q, v = np.asarray(given["q"], float), np.asarray(given["v"], float)
        tau = np.asarray(given["tau"], float)
        if not (np.isfinite(q).all() and np.isfinite(v).all() and np.isfinite(tau).all()):
            return self._lost(given)
        mujoco, model, data, order = self.mujoco, self.model, self.data, self.order
        self.constants.put(given)
        self._ground(given)
        data.qpos[:], data.qvel[:] = order.q(q), order.v(v, q)
        self.resistance.put(data.qvel, given.get("brake", ()))
        data.qfrc_applied[:] = order.tau(tau + self.resistance.springs(q, given.get("target")), q)
        if self.pushed:
            self._push(np.asarray(given["f_ext"], float))
        mujoco.mj_forward(model, data)
        touching = self._touching() if self.places else {}
        mujoco.mj_implicit(model, data)
        q_next = order.our_q(data.qpos)
        carried = {name: value for name, value in given.items() if name == "impulses"}
        return {"q_next": q_next, "v_next": order.our_v(data.qvel, q_next), **touching, **carried}

    def _lost(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What follows from a state that is none."""
        count = len(self.places)
        touching = {
            "contact_force": (count, 3),
            "gap": (count,),
            "contact_normal": (count, 3),
            "contact_point": (count, 3),
            "contact_residual": (),
        }
        lost = {"q_next": np.shape(given["q"]), "v_next": np.shape(given["v"]), **(touching if count else {})}
        carried = {name: value for name, value in given.items() if name == "impulses"}
        return {name: np.full(shape, np.nan) for name, shape in lost.items()} | carried

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

    def _touching(self) -> dict[str, Array]:
        """Of each place of each contact: the force on the robot, how far away, from where to where."""
        count, data, force = len(self.places), self.data, np.zeros(6)
        forces, gaps, normals, points = (
            np.zeros((count, 3)),
            np.full(count, REACH),
            np.zeros((count, 3)),
            np.zeros((count, 3)),
        )
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
        return {
            "contact_force": forces,
            "gap": gaps,
            "contact_normal": normals,
            "contact_point": points,
            "contact_residual": np.array(np.nan),
        }
