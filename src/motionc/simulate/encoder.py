"""Encoders: positions of joints in steps, with noise, an offset and delay; velocities from them, as a drive gets them.

    read       θ_m = R ⌊(θ + offset + deviation · noise) / R⌋          R the resolution; as it is where there is none
    velocity   true: v        difference: (θ_m ⊖ θ_m of a cycle before) / dt
               filtered: v_m ← v_m + (1 - exp(-dt/T)) (difference - v_m)
               and noise of its own, where it has some

A floating base has no encoder: it is passed on as it is, as if somebody knew it exactly.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from motionc.control.part import Part, seconds
from motionc.control.trajectories import entries
from motionc.errors import Error, suggestion
from motionc.geometry.symbols import Symbols
from motionc.model.manifold import Space
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, State
from motionc.runtime.computation import Computation
from motionc.simulate.sensors import (
    Scene,
    Sensor,
    begun_state,
    late,
    late_states,
    understood_joints,
    understood_offsets,
)
from motionc.solvers.arguments import checked_actuated, q_port, v_port
from motionc.solvers.gains import Gains, gains_in_order, understood_gains
from motionc.sweeps.options import Check, optional

Rate = Literal["true", "difference", "filtered"]


@dataclass(frozen=True)
class Encoder(Sensor):
    """Encoders on joints: q_measured and v_measured, in the place of q and v.

    Numbers are one for all joints, {joint: number}, or as many as the robot has velocities.

    >>> import motionc as mc
    >>> reads = Encoder(resolution=0.25).computation(mc.load("planar2"), 1e-3)
    >>> reads([0.3, -0.1], [1.0, 2.0]).q_measured
    array([ 0.25, -0.25])

    Args:
        noise: standard deviation of a reading, before it is rounded (rad, m).
        resolution: what one step is (rad, m): readings are rounded down to whole steps; 0 for none.
        offset: by which it is mounted wrongly (rad, m).
        velocity: "true", "difference" of two readings over a cycle, or that "filtered" by a first-order low-pass.
        velocity_noise: standard deviation of a velocity, beyond what readings make of theirs (rad/s, m/s).
        time_constant: of the filter (s).
        joints: which have one; all that have motors unless said. Others are passed on as they are.
        name: of the sensor.
        delay: cycles until a reading arrives.
    """

    called: ClassVar[str] = "Encoder"
    understood: ClassVar[Mapping[str, Check]] = {
        **Sensor.understood,
        "noise": understood_gains,
        "velocity_noise": understood_gains,
        "resolution": understood_gains,
        "offset": understood_offsets,
        "time_constant": seconds,
        "joints": optional(understood_joints),
    }

    noise: Gains = field(default=0.0, kw_only=True)
    resolution: Gains = field(default=0.0, kw_only=True)
    offset: Gains = field(default=0.0, kw_only=True)
    velocity: Rate = field(default="true", kw_only=True)
    velocity_noise: Gains = field(default=0.0, kw_only=True)
    time_constant: float = field(default=5e-3, kw_only=True)
    joints: Sequence[str] | None = field(default=None, kw_only=True)
    name: str = field(default="encoder", kw_only=True)

    def reading(self, robot: Robot, dt: float, scene: Scene, precision: Precision) -> Computation:
        return Encoded(self, robot, dt, self._dials(robot)).computation(precision=precision)

    def _dials(self, robot: Robot) -> "tuple[Dial, ...]":
        """The joints that have one; refused of those that are not there or turn freely in steps."""
        driven = checked_actuated(robot, None)
        for name in self.joints or ():
            if name not in driven:
                known = suggestion(name, [joint for joint in robot.joint_names if joint in driven])
                raise Error(f"Encoder: joints: {robot.name} has no joint {name!r} that has a motor{known}")
        numbers = {what: self._in_order(robot, what) for what in ("noise", "resolution", "offset", "velocity_noise")}
        found = list[Dial]()
        for name, space in zip(robot.joint_names, robot.spaces(), strict=True):
            if name in (driven if self.joints is None else self.joints):
                own = {what: values[space.v] for what, values in numbers.items()}
                if space.type.nq != space.type.nv and any(own["resolution"]):
                    raise Error(
                        f"Encoder: resolution of {name}: a {space.type} joint has no angles to be read in steps; leave "
                        "it out: {joint: number}"
                    )
                found.append(Dial(space, *own.values()))
        return tuple(found)

    def _in_order(self, robot: Robot, what: str) -> Sequence[float]:
        return gains_in_order(robot, f"Encoder: {what}", getattr(self, what))


@dataclass(frozen=True)
class Dial:
    """The encoder of a joint, its numbers for each coordinate."""

    space: Space
    noise: Sequence[float]
    resolution: Sequence[float]
    offset: Sequence[float]
    velocity_noise: Sequence[float]

    def read(self, q: Sequence[Any], noise: Sequence[Any]) -> list[Any]:
        """What it reads; of normal numbers it takes one for each coordinate that has noise."""
        drawn, off = iter(noise), list[Any]()
        for deviation, offset in zip(self.noise, self.offset, strict=True):
            off.append(offset + deviation * next(drawn) if deviation else offset)
        moved = list(q)
        if any(self.noise) or any(self.offset):
            moved = self.space.type.advance(Symbols.of(list(q)), Symbols.of(off)).flat
        steps = self.resolution if any(self.resolution) else [0.0] * len(moved)
        return [step * (value / step).floor() if step else value for value, step in zip(moved, steps, strict=True)]


@dataclass(frozen=True)
class Encoded(Part):
    """The encoders of a robot, ticked once a cycle."""

    encoder: Encoder
    robot: Robot
    dt: float
    dials: Sequence[Dial]

    @property
    def called(self) -> str:
        return self.encoder.name

    @property
    def equation(self) -> str:
        return f"q_measured = q + offset + noise in whole steps, v_measured: {self.encoder.velocity}"

    @property
    def noisy(self) -> int:
        return sum(deviation > 0 for dial in self.dials for deviation in (*dial.noise, *dial.velocity_noise))

    @property
    def states(self) -> Sequence[State]:
        name, kind = self.encoder.name, self.encoder.velocity
        nq, nv = (sum(getattr(dial.space.type, what) for dial in self.dials) for what in ("nq", "nv"))
        late = self.encoder.delay * (nq + (nv if kind == "true" else 0))
        before = State(f"{name}_last", (nq,), "rad, m", "what arrived in the cycle before")
        rate = State(f"{name}_rate", (nv,), "rad/s, m/s", "the filtered velocity")
        return (
            *late_states(name, late, "rad, m, rad/s, m/s" if kind == "true" else "rad, m"),
            *((begun_state(name),) if late or kind != "true" else ()),
            *((before,) if kind != "true" else ()),
            *((rate,) if kind == "filtered" else ()),
        )

    @property
    def inputs(self) -> Sequence[Port]:
        noise = Port(f"{self.encoder.name}_noise", (self.noisy,), "1", "noise of encoders: mean 0, deviation 1")
        return (q_port(self.robot), v_port(self.robot), *((noise,) if self.noisy else ()), *self.states)

    @property
    def outputs(self) -> Sequence[Port]:
        return (
            q_port(self.robot, "q_measured", "configuration as encoders read it"),
            v_port(self.robot, "v_measured", f"joint velocities as encoders tell them: {self.encoder.velocity}"),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        name, q, v = self.encoder.name, list(given["q"]), list(given["v"])
        noise, read, rates = list(given.get(f"{name}_noise", ())), list[Any](), list[Any]()
        for dial in self.dials:
            count = sum(deviation > 0 for deviation in dial.noise)
            read += dial.read(given["q"][dial.space.q], noise[:count])
            rates += list(given["v"][dial.space.v])
            noise = noise[count:]
        true = self.encoder.velocity == "true"
        arrived, states = late(name, [*read, *rates] if true else read, self.encoder.delay, given)
        places = arrived[: len(read)]
        if true:
            rates = arrived[len(read) :]
        else:
            rates, more = self._rates(places, given)
            states |= more
        rates = self._off(rates, noise)
        for dial in self.dials:
            where, along = dial.space.q, dial.space.v
            count, rate_count = dial.space.type.nq, dial.space.type.nv
            q[where], places = places[:count], places[count:]
            v[along], rates = rates[:rate_count], rates[rate_count:]
        return {"q_measured": entries(q), "v_measured": entries(v), **states}

    def _off(self, rates: Sequence[Any], noise: Sequence[Any]) -> list[Any]:
        """Velocities with their own noise; of normal numbers they take one for each coordinate that has some."""
        drawn, deviations = iter(noise), (deviation for dial in self.dials for deviation in dial.velocity_noise)
        return [
            rate + deviation * next(drawn) if deviation else rate
            for rate, deviation in zip(rates, deviations, strict=True)
        ]

    def _rates(self, places: Sequence[Any], given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Velocities by difference, filtered where that is asked, and what is kept for the next cycle."""
        name, rates, k = self.encoder.name, list[Any](), 0
        begun, last = given[f"{name}_begun"], given[f"{name}_last"]
        for dial in self.dials:
            count = dial.space.type.nq
            here = list(places[k : k + count])
            before = [begun.select(*pair) for pair in zip(last[k : k + count], here, strict=True)]
            way = dial.space.type.difference(Symbols.of(before), Symbols.of(here)).flat
            rates += [change / self.dt for change in way]
            k += count
        kept = {f"{name}_last": entries(places), f"{name}_begun": 1.0}
        if self.encoder.velocity == "filtered":
            share = -math.expm1(-self.dt / self.encoder.time_constant)
            smooth = given[f"{name}_rate"]
            rates = [old + share * (new - old) for old, new in zip(smooth, rates, strict=True)]
            kept[f"{name}_rate"] = entries(rates)
        return rates, kept
