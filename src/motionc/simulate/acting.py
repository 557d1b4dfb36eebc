"""Which contacts and forces act on what is beyond a frame, and as which wrenches on frames there?

A contact's force f at a point p is the wrench ((p - o) × f; f) at the origin o of its frame; what it touches feels the
opposite, where that is a body of the robot too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.computations import forward_kinematics
from motionc.computations.block import block
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import wrench_ports
from motionc.solvers.constraint import Force
from motionc.solvers.contact import Contact, Solid
from motionc.sweeps.frames import attached

Touches = tuple[tuple[int, float], ...]
"""Rows of contact_force, and whether a frame feels them or their opposite."""


@dataclass(frozen=True)
class Acting:
    """Contacts and forces of a plant, of which some act beyond a frame."""

    contacts: Sequence[Contact]
    given: Sequence[Force]
    touched: Mapping[str, Touches]
    pushed: Sequence[int]

    @staticmethod
    def beyond(robot: Robot, frame: str, contacts: Sequence[Contact], forces: Sequence[Force]) -> "Acting":
        """Those beyond the joint that carries a frame; of "world", those on all that moves."""
        mechanism = robot.mechanism
        cut, _ = mechanism.frames[frame]

        def acts(name: str, what: str) -> bool:
            body = attached(mechanism, name, what).body
            return body >= 0 and cut in (-1, *mechanism.path(body))[cut >= 0 :]

        touched, row = dict[str, Touches](), 0
        for contact in contacts:
            rows = range(row, row + contact.places())
            row = rows.stop
            surface = contact.surface
            felt = [(contact.frame, 1.0), *([(surface.frame, -1.0)] if isinstance(surface, Solid) else [])]
            for name, side in felt:
                if acts(name, f"Contact on {contact.frame!r}"):
                    touched[name] = (*touched.get(name, ()), *((k, side) for k in rows))
        pushed = tuple(k for k, force in enumerate(forces) if acts(force.frame, f"force on {force.frame!r}"))
        return Acting(contacts, forces, touched, pushed)

    @property
    def forces(self) -> tuple[Force, ...]:
        """On which frames wrenches act: first those of contacts."""
        return (*map(Force, self.touched), *(self.given[k] for k in self.pushed))

    def parts(self, robot: Robot, parameters: Sequence[str], precision: Precision) -> dict[str, Computation]:
        """What computes these wrenches, `acting.felt`; nothing where there are none."""
        if not self.forces:
            return {}
        before, inputs = dict[str, Computation](), list[Port]()
        if self.touched:
            before["places"] = forward_kinematics(robot, list(self.touched), parameters=parameters, precision=precision)
            places = sum(contact.places() for contact in self.contacts)
            inputs = [
                *before["places"].outputs,
                Port("contact_force", (places, 3), "N", "on the robot, world axes, of each contact"),
                Port("contact_point", (places, 3), "m", "where each contact is, in the world"),
            ]
        inputs += wrench_ports("f_ext", self.given if self.pushed else ())
        (felt,) = wrench_ports("felt", self.forces)
        acting = block("acting", self._felt, inputs, [felt], precision=precision)
        return {**before, "acting": acting}

    def _felt(self, *given: Any) -> Mapping[str, Any]:
        rows = list[Any]()
        if self.touched:
            poses, forces, points = given[:3]
            for pose, touches in zip(poses, self.touched.values(), strict=True):
                wrenches = [_at(pose[:3, 3], points[k], side * forces[k]) for k, side in touches]
                rows.append(sum(wrenches[1:], wrenches[0]))
        rows += [given[-1][k] for k in self.pushed]
        return {"felt": np.array(rows, object)}


def _at(origin: Any, point: Any, force: Any) -> Any:
    """A force at a point as a wrench at an origin, in the same axes."""
    (x, y, z), (fx, fy, fz) = point - origin, force
    return np.array([y * fz - z * fy, z * fx - x * fz, x * fy - y * fx, fx, fy, fz], object)
