"""Encoders that count: an angle from counts, θ = θ_ref + (raw - raw_ref) R (specs/robcogen.md §4.1).

    absolute    raw = raw_ref + ⌊(θ - θ_ref) / R⌋                   references are built in: it knows where it is
    relative    raw = ⌊(θ - θ_on) / R⌋, 0 where it was switched on  references are set at any time, raw_ref = raw then

A relative encoder tells how far a joint has gone since its reference was set, as in homing: until then it takes where
it was switched on for 0. An absolute reading at the start may set it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from motionc import checked
from motionc.control.encoders import counts, position
from motionc.control.part import Part
from motionc.control.trajectories import entries
from motionc.errors import Error, suggestion
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, State
from motionc.program.space import Choices
from motionc.runtime.computation import Computation
from motionc.simulate.sensors import Scene, Sensor, begun_state, late, late_states, understood_joints
from motionc.solvers.arguments import q_port
from motionc.sweeps.options import Check


def _each(what: str, given: Any, wanted: str, *, positive: bool = False) -> Any:
    """One number for all joints, or one each."""
    values = checked.numbers(what, given, wanted)
    if values.ndim > 1 or (positive and np.any(values <= 0)):
        raise checked.refusal(what, given, wanted)
    return given


def _resolution(what: str, given: Any) -> Any:
    return _each(what, given, "give one finite number > 0 (rad, m), or one a joint", positive=True)


def _numbers(what: str, given: Any) -> Any:
    return _each(what, given, "give one finite number, or one a joint")


@dataclass(frozen=True)
class CountingEncoder(Sensor):
    """What encoders that count have: joints, and what a count is.

    Args:
        joints: names of joints of one coordinate.
        resolution: R, what one count is (rad, m): one number, or one a joint.
    """

    understood: ClassVar[Mapping[str, Check]] = {
        **Sensor.understood,
        "joints": understood_joints,
        "resolution": _resolution,
        "reference": _numbers,
        "raw_reference": _numbers,
    }

    joints: Sequence[str] = field(kw_only=False)
    resolution: float | Sequence[float] = field(kw_only=False)

    def reading(self, robot: Robot, dt: float, scene: Scene, precision: Precision) -> Computation:
        return self.counting(robot, dt).computation(precision=precision)

    def counting(self, robot: Robot, dt: float) -> "Counting":
        raise NotImplementedError

    def places(self, robot: Robot) -> tuple[int, ...]:
        """Where the joints' coordinates are in q."""
        spaces = dict(zip(robot.joint_names, robot.spaces(), strict=True))
        for name in self.joints:
            if name not in spaces:
                raise Error(
                    f"{self.called}: joints: {robot.name} has no movable joint {name!r}{suggestion(name, spaces)}"
                )
            if not spaces[name].type.single:
                raise Error(
                    f"{self.called}: joints: {name} is a {spaces[name].type} joint; name joints of one coordinate"
                )
        return tuple(spaces[name].q.start for name in self.joints)

    def numbers(self, what: str) -> tuple[float, ...]:
        """One a joint."""
        given, count = getattr(self, what), len(self.joints)
        if np.size(given) not in (1, count):
            raise Error(f"{self.called}: {what}: {np.size(given)} numbers for {count} joints; give one, or one a joint")
        return tuple(map(float, np.broadcast_to(np.ravel(given), (count,))))


@dataclass(frozen=True)
class AbsoluteEncoder(CountingEncoder):
    """An absolute encoder: NAME_raw, its counts, and NAME_angle = reference + (raw - raw_reference) R, of each joint.

    >>> import motionc as mc
    >>> dial = AbsoluteEncoder("elbow", 0.25, raw_reference=100).computation(mc.load("planar2"), 1e-3)
    >>> dial([0.0, 0.6])
    Results(absolute_raw=[102], absolute_angle=[0.5])

    Args:
        joints: names of joints of one coordinate.
        resolution: R, what one count is (rad, m): one number, or one a joint.
        reference: the angle (rad, m) at which it counts
        raw_reference: so many.
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    called: ClassVar[str] = "AbsoluteEncoder"

    reference: float | Sequence[float] = field(default=0.0, kw_only=True)
    raw_reference: float | Sequence[float] = field(default=0.0, kw_only=True)
    name: str = field(default="absolute", kw_only=True)

    def counting(self, robot: Robot, dt: float) -> "Counting":
        built_in = self.numbers("reference"), self.numbers("raw_reference")
        return Counting(self, robot, dt, self.places(robot), self.numbers("resolution"), built_in)


@dataclass(frozen=True)
class RelativeEncoder(CountingEncoder):
    """A relative encoder: NAME_raw, counts since it was switched on, and NAME_angle = θ_ref + (raw - raw_ref) R.

    In a cycle in which the input NAME_set is 1, θ_ref becomes NAME_reference and raw_ref what it counts.

    Args:
        joints: names of joints of one coordinate.
        resolution: R, what one count is (rad, m): one number, or one a joint.
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    called: ClassVar[str] = "RelativeEncoder"

    name: str = field(default="relative", kw_only=True)

    def counting(self, robot: Robot, dt: float) -> "Counting":
        return Counting(self, robot, dt, self.places(robot), self.numbers("resolution"), None)


@dataclass(frozen=True)
class Counting(Part):
    """Encoders that count, ticked once a cycle; `built_in` are reference angles and counts of absolute ones."""

    encoder: CountingEncoder
    robot: Robot
    dt: float
    places: Sequence[int]
    resolution: Sequence[float]
    built_in: tuple[Sequence[float], Sequence[float]] | None

    @property
    def called(self) -> str:
        return self.encoder.name

    @property
    def equation(self) -> str:
        return "angle = reference + (raw - raw_reference) * resolution"

    @property
    def inputs(self) -> Sequence[Port]:
        name, shape, delay = self.encoder.name, (len(self.places),), self.encoder.delay
        line = late_states(name, delay * len(self.places), "1")
        if self.built_in is not None:
            return (q_port(self.robot), *line, *((begun_state(name),) if line else ()))
        return (
            q_port(self.robot),
            Port(f"{name}_set", shape, "1", "1 where the reference is set in this cycle", space=Choices(shape[0], 2)),
            Port(f"{name}_reference", shape, "rad, m", "what the angle is then"),
            *line,
            begun_state(name),
            State(f"{name}_on", shape, "rad, m", "where it was switched on"),
            State(f"{name}_angle_reference", shape, "rad, m", "reference angles"),
            State(f"{name}_raw_reference", shape, "1", "counts at reference angles"),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        name, shape = self.encoder.name, (len(self.places),)
        joints = ", ".join(self.encoder.joints)
        return (
            Port(f"{name}_raw", shape, "1", f"counts of {joints}"),
            Port(f"{name}_angle", shape, "rad, m", f"positions of {joints} as counted"),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        there = given["q"][list(self.places)]
        return self._since_set(there, given) if self.built_in is None else self._from(*self.built_in, there, given)

    def _from(
        self, reference: Sequence[float], raw_reference: Sequence[float], there: Any, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Absolute: where a joint is, from references that stay."""
        counted = list(np.array(raw_reference) + self._counts(there - np.array(reference)))
        raw, line = late(self.encoder.name, counted, self.encoder.delay, given)
        return {**self._read(entries(raw), np.array(reference), np.array(raw_reference)), **line}

    def _since_set(self, there: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """Relative: how far it has gone since references were set."""
        name = self.encoder.name
        begun, told = given[f"{name}_begun"], given[f"{name}_set"]
        on = _selected([begun] * len(there), given[f"{name}_on"], there)
        arrived, line = late(name, self._counts(there - on), self.encoder.delay, given)
        raw = entries(arrived)
        reference = _selected(told, given[f"{name}_reference"], given[f"{name}_angle_reference"])
        raw_reference = _selected(told, raw, given[f"{name}_raw_reference"])
        states = {"on": on, "angle_reference": reference, "raw_reference": raw_reference, "begun": 1.0}
        kept = {f"{name}_{key}": value for key, value in states.items()}
        return {**self._read(raw, reference, raw_reference), **kept, **line}

    def _counts(self, way: Any) -> list[Any]:
        return [counts(part, step) for part, step in zip(way, self.resolution, strict=True)]

    def _read(self, raw: Any, reference: Any, raw_reference: Any) -> dict[str, Any]:
        angle = position(raw, raw_reference, reference, np.array(self.resolution))
        return {f"{self.encoder.name}_raw": raw, f"{self.encoder.name}_angle": angle}


def _selected(flags: Any, yes: Any, no: Any) -> Any:
    return entries([flag.select(*either) for flag, *either in zip(flags, yes, no, strict=True)])
