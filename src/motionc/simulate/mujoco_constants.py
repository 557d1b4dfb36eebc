"""Constants of a robot that are given with a call, as MuJoCo's model has them: masses, payloads, rotors, friction.

Names are those of sweeps/parameters.py. Places of joints stay as they are in the model: they are refused.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.formats.mjcf import import_mujoco
from motionc.geometry.lie import Array, quaternion_from_rotation
from motionc.model.robot import Robot
from motionc.model.shapes import MassProperties, combined
from motionc.simulate.mujoco_model import Frames, tie
from motionc.sweeps.parameters import INERTIAL, MOMENTS, Parameter

SMALLEST = 1e-14
"""Moments that MuJoCo takes for some (kg m²)."""

NOTHING = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))


def refuse_places(parameters: Sequence[Parameter]) -> None:
    """What cannot be open there."""
    for parameter in parameters:
        if parameter.kind == "origin":
            raise Error(
                f"MuJoCo's plant: {parameter.name} is open, and joints stay where they are there; vary masses, "
                "payloads, rotors or friction"
            )


class Constants:
    """Open parameters of a robot on a model: `put` writes what has changed."""

    def __init__(self, robot: Robot, model: Any, parameters: Sequence[Parameter]) -> None:
        self.model, self.parameters = model, parameters
        self._mujoco = import_mujoco()
        names = [model.body(k).name for k in range(model.nbody)]
        self._numbers = {name: k for k, name in enumerate(names)}
        self._frames = Frames(robot, names)
        self._links = {link.name: link for link in robot.links}
        self._last = dict[str, Array]()

    def put(self, values: Mapping[str, Array]) -> None:
        """Their values of this call."""
        last = self._last
        changed = [
            one
            for one in self.parameters
            if one.name not in last or not np.array_equal(values[one.name], last[one.name])
        ]
        if not changed:
            return
        self._last = {one.name: np.array(values[one.name], float) for one in self.parameters}
        if any(one.kind in (*INERTIAL, "inertial", "payload") for one in changed):
            self._weigh()
        for one in changed:
            if one.kind == "gravity":
                self.model.opt.gravity[:] = self._last[one.name]

    def opens(self, kind: str) -> dict[str, float]:
        """What is open of a kind at joints, by name."""
        return {one.owner: float(self._last[one.name]) for one in self.parameters if one.kind == kind}

    def _weigh(self) -> None:
        """Masses, centres and moments of bodies of which something is open."""
        parts = dict[str, list[MassProperties]]()
        opened = dict[str, Array]()
        for one in self.parameters:
            if one.kind in INERTIAL:
                ten = opened.setdefault(one.owner, self._ten(one.owner))
                ten[INERTIAL[one.kind]] = self._last[one.name]
            elif one.kind == "inertial":
                opened[one.owner] = self._last[one.name].copy()
            elif one.kind == "payload":
                body, pose = self._frames[one.owner]
                parts.setdefault(body, []).append(_seen_from(pose, self._last[one.name]))
        for link in {*opened, *parts}:
            own = opened[link] if link in opened else self._ten(link)
            heavy = [part for part in (_seen_from(np.eye(4), own), *parts.get(link, [])) if part.mass]
            _write(self.model, self._numbers[link], combined(heavy) if heavy else NOTHING)
        self._mujoco.mj_setConst(self.model, self._mujoco.MjData(self.model))
        tie(self.model)

    def _ten(self, link: str) -> Array:
        info = self._links[link]
        return np.array([info.mass or 0.0, *info.com, *(info.inertia[entry] for entry in MOMENTS)], float)


def _seen_from(pose: Array, ten: Array) -> MassProperties:
    """Ten numbers of something in a frame, as the body sees it."""
    moments, turn = np.zeros((3, 3)), pose[:3, :3]
    for entry, value in zip(MOMENTS, ten[INERTIAL["inertia"]], strict=True):
        moments[entry] = moments[entry[::-1]] = value
    return MassProperties(float(ten[0]), pose[:3, 3] + turn @ ten[INERTIAL["com"]], turn @ moments @ turn.T)


def _write(model: Any, body: int, properties: MassProperties) -> None:
    moments, axes = np.linalg.eigh(properties.inertia)
    axes = axes * [1.0, 1.0, np.linalg.det(axes)]
    least = SMALLEST if properties.mass else 0.0
    model.body_mass[body], model.body_ipos[body] = properties.mass, properties.com
    model.body_inertia[body], model.body_iquat[body] = np.maximum(moments, least), quaternion_from_rotation(axes)
    model.body_sameframe[body] = model.body_simple[body] = 0
