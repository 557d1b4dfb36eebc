"""What resists the rates of joints, in MuJoCo's words: dof_damping, dof_frictionloss, dof_armature, springs of servos."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.geometry.lie import Array
from motionc.model.robot import Robot
from motionc.simulate.mujoco_constants import Constants
from motionc.solvers.gains import gains_in_order
from motionc.solvers.step import Step


class Resistance:
    """Damping, friction, servos and brakes of a plant on a model of MuJoCo's; `put` writes those of one step.

    The plant's friction is "none", "smooth" or "stiction"; a joint's numbers hold at each of its coordinates.
    """

    def __init__(self, plant: Any, step: Step, model: Any, order: Any, constants: Constants) -> None:
        self.robot, self.model, self.constants = plant.robot, model, constants
        self.kind, self.smoothing = plant.friction, step.friction_smoothing
        self.owners = [owner(plant.robot, model.joint(k).name) for k in model.dof_jntid]
        self.damping, self.friction = _damping(model).copy(), model.dof_frictionloss.copy()
        stiffness, damping = (
            np.array(gains_in_order(plant.robot, "", each)) for each in (step.stiffness, step.damping)
        )
        self.stiffness = stiffness
        turned = (
            order.matrix(plant.robot.neutral()) ** 2
        )  # a joint's numbers are those of its coordinates, however seen
        self.servo = turned @ (damping + step.dt * stiffness * step.implicit_stiffness)
        brakes = [(brake.joint, brake.force) for brake in plant.brakes]
        strengths = [[force * (owner == joint) for joint, force in brakes] for owner in self.owners]
        self.brakes = np.array(strengths).reshape(model.nv, len(brakes))

    def put(self, rates: Array, brake: Sequence[float]) -> None:
        """Those at these rates (qvel), brakes closed by these shares."""
        damping, friction = self._of("damping", self.damping), self._of("friction", self.friction)
        resists, holds = self.servo.copy(), self.brakes @ np.asarray(brake, float)
        if self.kind != "none":
            resists += damping
        if self.kind == "smooth":
            resists += friction / np.sqrt(rates**2 + self.smoothing**2)
        if self.kind == "stiction":
            holds = holds + friction
        _damping(self.model)[:], self.model.dof_frictionloss[:] = resists, holds
        if self.constants.opens("rotor_inertia"):
            self.model.dof_armature[:] = self._of("rotor_inertia", self.model.dof_armature)

    def springs(self, q: Array, target: Any) -> Any:
        """What the servos' springs make, in the order of v."""
        return 0.0 if target is None else self.stiffness * self.robot.difference(q, target)

    def _of(self, kind: str, otherwise: Array) -> Array:
        """What is open of a kind at joints, and of all others what they are."""
        given = self.constants.opens(kind)
        return np.array([given.get(name, value) for name, value in zip(self.owners, otherwise, strict=True)])


def owner(robot: Robot, joint: str) -> str:
    """The joint of ours that one of MuJoCo's is, or is a part of."""
    names = {one.name for one in robot.joints}
    return joint if joint in names or "/" not in joint else joint.rpartition("/")[0]


def _damping(model: Any) -> Array:
    """Linear damping, beside which newer models have coefficients of higher powers."""
    return model.dof_damping.reshape(model.nv, -1)[:, 0]
