"""What resists the rates of joints, on a model of MuJoCo's: damping, friction, brakes, and springs of servos.

Dampers D that act at the end of a step are an armature dt D and a force -D v at its beginning, which is what
implicitfast makes of damping: (M + dt D) a = τ - h - D v. So contacts and stops are solved with M + dt D, as ours are;
given as dof_damping they would be solved with M, and shake where dt D is no longer small beside it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry.lie import Array
from motionc.model.order import PLACES
from motionc.model.robot import Robot
from motionc.simulate.mujoco_constants import Constants
from motionc.simulate.mujoco_model import Built
from motionc.solvers.gains import gains_in_order
from motionc.solvers.step import Step


def refuse_turning(plant: Any, step: Step) -> None:
    """What resists a joint along axes that turn with it, and not alike along all: MuJoCo's slides stay as they are."""
    robot, damping = plant.robot, gains_in_order(plant.robot, "damping", step.damping)
    for joint in robot.joints:
        along = [k for k, rate in enumerate(joint.type.rates) if rate in PLACES]
        if joint.name not in robot.v_index or len(along) < 2:
            continue
        what = f"MuJoCo's plant: {joint.type} joint {joint.name}"
        if joint.transmission.friction and plant.friction != "none":
            raise Error(f"{what} has Coulomb friction along axes that turn with it; leave damping alone there")
        if len({damping[robot.v_index[joint.name]][k] for k in along}) > 1:
            raise Error(f"{what} is damped more along one axis than along the other; damp it alike along both")


class Resistance:
    """Damping, friction, servos and brakes of a plant on a model of MuJoCo's; `put` writes those of one step.

    The plant's friction is "none", "smooth" or "stiction"; a joint's numbers hold at each of its coordinates.
    """

    def __init__(self, plant: Any, step: Step, built: Built, model: Any, order: Any, constants: Constants) -> None:
        self.robot, self.model, self.constants = plant.robot, model, constants
        self.kind, self.smoothing = plant.friction, step.friction_smoothing
        self.owners = [owner(plant.robot, model.joint(k).name) for k in model.dof_jntid]
        self.damping, self.friction = built.damping, built.friction
        self.armature, self.dt = model.dof_armature.copy(), plant.dt
        model.dof_damping[:] = 0.0
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

    def put(self, rates: Array, brake: Sequence[float]) -> Array:
        """Write those at these rates (qvel), brakes closed by these shares; gives the force of dampers."""
        resists, holds = self.servo.copy(), self.brakes @ np.asarray(brake, float)
        if self.kind != "none":
            resists += self._of("damping", self.damping)
        if self.kind == "smooth":
            resists += self._of("friction", self.friction) / np.sqrt(rates**2 + self.smoothing**2)
        if self.kind == "stiction":
            holds = holds + self._of("friction", self.friction)
        self.model.dof_armature[:] = self._of("rotor_inertia", self.armature) + self.dt * resists
        self.model.dof_frictionloss[:] = holds
        return -resists * rates

    def springs(self, q: Array, target: Any) -> Any:
        """What the servos' springs make, in the order of v."""
        return 0.0 if target is None else self.stiffness * self.robot.difference(q, target)

    def _of(self, kind: str, otherwise: Array) -> Array:
        """What is open of a kind at joints, and of all others what they are."""
        given = self.constants.opens(kind)
        if not given:
            return otherwise
        return np.array([given.get(name, value) for name, value in zip(self.owners, otherwise, strict=True)])


def owner(robot: Robot, joint: str) -> str:
    """The joint of ours that one of MuJoCo's is, or is a part of."""
    names = {one.name for one in robot.joints}
    return joint if joint in names or "/" not in joint else joint.rpartition("/")[0]
