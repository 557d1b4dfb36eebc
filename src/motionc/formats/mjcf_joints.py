"""What joints does MuJoCo's model have: type, limits, transmission, who drives them, and whom they follow.

What has no place in the model is a finding; how bodies hang together is in mjcf_bodies.py.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.formats.document import Outcome
from motionc.formats.mjcf_handover import Handover
from motionc.formats.xml_tree import Element
from motionc.model.chain import (
    Array,
    Joint,
    JointType,
    Limits,
    Mimic,
    Segment,
    Transmission,
)

FREE, BALL, SLIDE, HINGE = range(4)  # mujoco.mjtJoint
UNBOUNDED = 1e10  # rad or m; a range that ends there has no end


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One joint to be: its name, MuJoCo's number for it (None: a weld), the links and the frames it connects."""

    name: str
    number: int | None
    parent: str
    child: str
    reference: Array
    target: Array
    element: Element


class JointReader:
    """MuJoCo's joints, actuators and equality constraints, with the elements behind them and their names here."""

    def __init__(
        self, out: Handover, model: Any, names: list[str], actuators: list[Element], equalities: list[Element]
    ) -> None:
        self.out, self.model, self.names = out, model, names
        self.actuators, self.equalities = actuators, equalities
        self.driving = self._driving()

    def joints(self, steps: list[Step], segments: dict[str, Segment]) -> list[Joint]:
        """The joints between segments."""
        mimics, efforts = self._mimics(), self._efforts()
        return [self._joint(step, segments, mimics, efforts) for step in steps]

    def _joint(
        self, step: Step, segments: dict[str, Segment], mimics: dict[int, Mimic], efforts: dict[int, float]
    ) -> Joint:
        target, reference = (segments[step.child], f"{step.name}:child"), (segments[step.parent], f"{step.name}:parent")
        if (number := step.number) is None:
            return Joint(step.name, JointType.FIXED, target, reference, place=step.element.place)
        model = self.model
        kind, limited = int(model.jnt_type[number]), bool(model.jnt_limited[number])
        axis, limits = (0.0, 0.0, 1.0), Limits()
        if kind in (SLIDE, HINGE):
            x, y, z = map(float, model.jnt_axis[number])
            (lower, upper), limited = self._range(number, step.name)
            (speed,) = self._noted(f"velocity/{step.name}", math.inf)
            (effort,) = self._noted(f"effort/{step.name}", efforts[number])
            axis, limits = (x, y, z), Limits(lower, upper, speed, min(effort, efforts[number]))
        elif limited:
            message = f"joint {step.name} is bounded by an angle about any axis, for which the model has no place"
            self.out.note("Mj7", step.element.place, message, "bound it where the motion is planned")
        transmission = self._transmission(number, step)
        mimic = mimics.get(number)
        return Joint(
            step.name, _type(kind, limited), target, reference, axis, limits, mimic, transmission, step.element.place
        )

    def _range(self, number: int, name: str) -> tuple[tuple[float, ...], bool]:
        """Lower and upper, and whether the file speaks of them."""
        if not self.model.jnt_limited[number]:
            return self._noted(f"range/{name}", -math.inf, math.inf), f"range/{name}" in self.out.annotations
        lower, upper = map(float, self.model.jnt_range[number])
        return (-math.inf if lower <= -UNBOUNDED else lower, math.inf if upper >= UNBOUNDED else upper), True

    def _noted(self, key: str, *default: float) -> tuple[float, ...]:
        """The numbers of an annotation, or the default where it gives no such numbers."""
        try:
            numbers = tuple(float(word) for word in self.out.annotations.get(key, "").split())
        except ValueError:
            return default
        return numbers if len(numbers) == len(default) and not any(map(math.isnan, numbers)) else default

    def _transmission(self, number: int, step: Step) -> Transmission:
        """Armature, damping and friction loss, with what geared actuators add."""
        model, dof, element = self.model, self.model.jnt_dofadr[number], step.element
        rotor, damping = float(model.dof_armature[dof]), float(model.dof_damping[dof])
        bent = bool(np.any(getattr(model, "dof_dampingpoly", np.zeros((model.nv, 1)))[dof]))
        for actuator, gear in self.driving.get(number, ()):
            if hasattr(model, "actuator_armature"):
                rotor += gear**2 * float(model.actuator_armature[actuator])
                damping += gear**2 * float(model.actuator_damping[actuator])
                bent = bent or bool(np.any(model.actuator_dampingpoly[actuator]))
        if self.out.disabled & {"damper", "passive"}:
            damping, bent = 0.0, False
        if bent:
            message = f"the damping of joint {step.name} is not linear; its linear part alone is kept"
            self.out.note("Mj4", element.place, message, "add the rest as a force")
        if model.jnt_stiffness[number] and not self.out.disabled & {"spring", "passive"}:
            message = f"joint {step.name} has a spring of stiffness {model.jnt_stiffness[number]:g}, not in the model"
            self.out.note("Mj4", element.place, message, "add its force where the motion is computed")
        if model.jnt_type[number] == FREE and rotor:
            message = f"free joint {step.name} has the armature {rotor:g}; a body that flies has no rotor"
            self.out.warn("Mj4", element.place, message, 'use <freejoint/>, or say armature="0"')
            rotor = 0.0
        smooth = bool(self.out.disabled & {"frictionloss", "constraint"})
        friction = 0.0 if smooth else float(model.dof_frictionloss[dof])
        if damping or friction:
            self.out.decide(element, Outcome.USED, "its damping and friction act with friction=True")
        return Transmission(rotor, damping, friction)

    def _driving(self) -> dict[int, list[tuple[int, float]]]:
        """The actuators of each joint with their gears."""
        model = self.model
        targets = np.where(model.actuator_trntype <= 1, model.actuator_trnid[:, 0], -1)  # joint, jointinparent
        return {
            joint: [(actuator, float(model.actuator_gear[actuator, 0])) for actuator in on_it]
            for joint, on_it in grouped(targets).items()
        }

    def _efforts(self) -> dict[int, float]:
        """What the actuators of each one-coordinate joint can do together, no more than the joint allows."""
        model, found = self.model, dict[int, float]()
        for joint in range(model.njnt):
            driving = self.driving.get(joint, [])
            if model.jnt_type[joint] not in (SLIDE, HINGE):
                for actuator, _ in driving:
                    reason = "its joint has several coordinates: no one bound of effort"
                    self.out.decide(self.actuators[actuator], Outcome.UNUSED, reason)
                continue
            bounds = [abs(gear) * self._force(actuator) for actuator, gear in driving]
            if self.names[joint] in self.out.unbounded or not bounds:
                bounds.append(math.inf)
            allowed = _largest(model.jnt_actfrcrange[joint]) if model.jnt_actfrclimited[joint] else math.inf
            found[joint] = min(sum(bounds), allowed)
        self._say_laws()
        return found

    def _say_laws(self) -> None:
        """Actuators whose force is not their control times a constant push by laws that the model does not have."""
        model = self.model
        laws = model.actuator_gaintype.astype(bool) | (model.actuator_biastype != 0) | (model.actuator_dyntype != 0)
        if len(own := np.flatnonzero(laws)):
            message = (
                f"{len(own)} actuators (servos, dampers, muscles, …) push by laws of their own, which are not in the "
                "model: of each it has the bound of its force, and tau is what acts at the joint"
            )
            remedy = "compute their forces where the motion is computed, and give them as tau"
            self.out.note("Mj4", self.actuators[own[0]].place, message, remedy)

    def _force(self, actuator: int) -> float:
        """The largest force of an actuator: its range, or that of its control where force = gain · control."""
        model, element = self.model, self.actuators[actuator]
        plain = not (
            model.actuator_gaintype[actuator] or model.actuator_biastype[actuator] or model.actuator_dyntype[actuator]
        )
        bound = math.inf
        if model.actuator_forcelimited[actuator]:
            bound = _largest(model.actuator_forcerange[actuator])
            if abs(sum(model.actuator_forcerange[actuator])) > 1e-9 * bound:
                said = model.actuator_forcerange[actuator].tolist()
                message = f"the force range {said} is not symmetric; {bound:g} is kept"
                self.out.note("Mj7", element.place, message, "bound it where the motion is computed")
        if plain and np.any(model.actuator_ctrllimited[actuator]):
            control = _largest(np.atleast_2d(model.actuator_ctrlrange)[actuator])
            bound = min(bound, abs(float(model.actuator_gainprm[actuator, 0])) * control)
        if math.isinf(bound):
            self.out.decide(element, Outcome.UNUSED, "it says no bound of its force")
        return bound

    def _mimics(self) -> dict[int, Mimic]:
        """Joints that follow another: y - y0 = c0 + c1 (x - x0), each from its `ref`."""
        model, found, ways = self.model, dict[int, Mimic](), dict[int, int]()
        for number in range(model.neq):
            follower, leader = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            c, why = model.eq_data[number][:5].tolist(), ""
            if off := sorted(self.out.disabled & {"equality", "constraint"}):
                why = f'is switched off by <flag {off[0]}="disable"/>'
            elif not model.eq_active0[number]:
                why = "is not active"
            elif leader < 0:
                why = f"holds joint {self.names[follower]}; hold it with fixed={{name: value}}"
            elif any(c[2:]):
                why = "is a polynomial of order two or more"
            elif follower in found or _end(leader, ways) == follower:
                why = f"is one too many for joint {self.names[follower]}"
            if why:
                self.out.decide(self.equalities[number], Outcome.UNUSED, "the constraint " + why)
                message = f"the constraint {why}: the model moves as if it were absent"
                self.out.warn("Mj2", self.equalities[number].place, message, "add it where the motion is computed")
                continue
            ways[follower] = leader
            y0, x0 = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (follower, leader))
            found[follower] = Mimic(self.names[leader], c[1], c[0] + y0 - c[1] * x0)
        return found


def _end(joint: int, ways: dict[int, int]) -> int:
    """Where a way from follower to leader to leader ends; all on it are led there directly from now on."""
    passed = list[int]()
    while joint in ways:
        passed.append(joint)
        joint = ways[joint]
    ways.update(dict.fromkeys(passed, joint))
    return joint


def grouped(owners: Any) -> dict[int, list[int]]:
    """The numbers of what belongs to each owner."""
    found: dict[int, list[int]] = {}
    for number, owner in enumerate(owners.tolist()):
        found.setdefault(owner, []).append(number)
    return found


def _type(kind: int, limited: bool) -> JointType:
    if kind == HINGE:
        return JointType.REVOLUTE if limited else JointType.CONTINUOUS
    return {FREE: JointType.FLOATING, BALL: JointType.SPHERICAL, SLIDE: JointType.PRISMATIC}[kind]


def _largest(range: Any) -> float:
    return float(np.max(np.abs(range)))
