"""What do counts of an encoder mean? Positions from a register that wraps, and back (specs/robcogen.md §4.1).

    resolution    R = sign · travel / (counts_per_turn · gear)
    position      θ = reference + (raw - raw_reference) R                     raw as it would be without an end
    register      raw mod 2^bits; a step of it is taken the shorter way       |step| < 2^(bits - 1)
    velocity      v = (θ - θ before) / elapsed, low-passed

An encoder as it is bought (counts), as it is built in (gear, sign, reference) and its register (bits) are one piece of
configuration: who reads positions does not know which encoder there is. Where a register is first read it counts the
turn that is nearest to the reference.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from motionc import checked
from motionc.control.part import Part
from motionc.control.trajectories import entries
from motionc.errors import Error, suggestion
from motionc.program.port import Port, State
from motionc.sweeps.options import Check, Understood

MOST_BITS = 48
"""Of a register: whole numbers that doubles add without rounding."""


def counts(way: Any, resolution: Any) -> Any:
    """Whole counts of a way, rounded down: ⌊way / R⌋."""
    return np.floor(way / resolution)


def position(raw: Any, raw_reference: Any, reference: Any, resolution: Any) -> Any:
    """Where a joint is that counts so much: reference + (raw - raw_reference) R."""
    return reference + (raw - raw_reference) * resolution


def unwrapped(ahead: Any, before: Any, wrap: float) -> Any:
    """Counts as they would be without an end, of a register that shows so many: nearest to those before."""
    return ahead - wrap * np.floor((ahead - before) / wrap + 0.5) if wrap else ahead


def _positive(what: str, given: Any) -> float:
    return checked.number(what, given, "give a finite number > 0", fits=lambda x: x > 0)


def _sign(what: str, given: Any) -> int:
    if given not in (1, -1):
        raise checked.refusal(what, given, "say 1, or -1 where it counts down as the joint moves on")
    return int(given)


def _bits(what: str, given: Any) -> int:
    wanted = f"give the bits of its register, from 2 to {MOST_BITS}, or 0 where it never wraps"
    if checked.whole(what, given, 0, wanted) == 1 or given > MOST_BITS:
        raise checked.refusal(what, given, wanted)
    return int(given)


def _not_negative(what: str, given: Any) -> float:
    return checked.number(what, given, "give seconds ≥ 0", fits=lambda x: x >= 0)


@dataclass(frozen=True)
class EncoderModel(Understood):
    """An encoder as it is bought and built in: what a count is, and at which position it counts how many.

    >>> motor_side = EncoderModel(4096, gear=100, sign=-1, reference=0.5, bits=16)
    >>> float(motor_side.raw(0.5 + 1e-3))
    65470.0
    >>> abs(float(motor_side.position(65470.0)) - 0.501) < abs(motor_side.resolution)
    True

    Args:
        counts_per_turn: of the shaft it sits on; four times its lines, where edges are counted.
        gear: turns of that shaft for one of the joint; below 1 where it turns slower.
        sign: -1 where it counts down as the joint moves on.
        reference: where the joint is (rad, m)
        raw_reference: when it counts so many.
        bits: of its register, in which counts wrap; 0 where they never do.
        travel: what a turn of the joint is, 2π rad; of a spindle, its lead (m).
        time_constant: of the low-pass behind velocities (s).
    """

    called: ClassVar[str] = "EncoderModel"
    understood: ClassVar[Mapping[str, Check]] = {
        **dict.fromkeys(("counts_per_turn", "gear", "travel"), _positive),
        "sign": _sign,
        "bits": _bits,
        "time_constant": _not_negative,
    }

    counts_per_turn: float
    gear: float = 1.0
    sign: int = 1
    reference: float = 0.0
    raw_reference: float = 0.0
    bits: int = 0
    travel: float = 2 * math.pi
    time_constant: float = 0.0

    @classmethod
    def from_mapping(cls, what: str, given: Any) -> Self:
        """As a file has it."""
        known = [one.name for one in fields(cls)]
        items: Mapping[Any, Any] = checked.instance(what, given, Mapping, f"give {', '.join(known)} by name")
        for name in items:
            if name not in known:
                raise Error(f"{what}: there is no {name!r}{suggestion(str(name), known)}")
        if "counts_per_turn" not in items:
            raise Error(f"{what}: counts_per_turn is missing; say how many counts a turn of its shaft is")
        return cls(**items)

    @property
    def resolution(self) -> float:
        """What a count is of the joint (rad, m); negative where it counts down."""
        return self.sign * self.travel / (self.counts_per_turn * self.gear)

    @property
    def wrap(self) -> float:
        """Counts of its register; 0 where it has no end."""
        return float(2**self.bits) if self.bits else 0.0

    def raw(self, positions: Any) -> Any:
        """What its register shows at positions of the joint (rad, m), arrays of any shape."""
        shown = counts(np.asarray(positions, float) - self.reference, self.resolution) + self.raw_reference
        return np.mod(shown, self.wrap) if self.wrap else shown

    def position(self, raw: Any) -> Any:
        """The position that is nearest to the reference of all at which its register shows so much."""
        ahead = unwrapped(np.asarray(raw, float) - self.raw_reference, 0.0, self.wrap)
        return position(ahead, 0.0, self.reference, self.resolution)

    def homed(self, raw: float, at: float) -> Self:
        """The same with its reference set: at this position (rad, m) it shows so much, as in homing."""
        return replace(self, reference=at, raw_reference=raw)


@dataclass(frozen=True)
class Encoders(Part):
    """Encoders of several joints, read each cycle: registers in, positions and velocities out.

    >>> one = EncoderModel(1000, bits=8)
    >>> read = Encoders([one]).computation()
    >>> state = read.start()
    >>> for shown in (250.0, 4.0):                                    # past the end of the register, ten further
    ...     out = read([shown], 0.01, state=state)
    ...     state = out.state
    >>> round(float(out.position[0] / one.resolution), 9), round(float(out.velocity[0] / one.resolution), 9)
    (4.0, 1000.0)

    Args:
        models: one a joint, in order.
        name: of its state ports.
    """

    models: Sequence[EncoderModel]
    name: str = "encoders"

    def __post_init__(self) -> None:
        given = checked.several("Encoders: models", self.models, "give a list of EncoderModel(…)", EncoderModel)
        for one in given:
            checked.instance("Encoders: models", one, EncoderModel, "give a list of EncoderModel(…)")
        object.__setattr__(self, "models", given)

    @property
    def called(self) -> str:
        return self.name

    @property
    def equation(self) -> str:
        return "position = reference + (raw - raw_reference) R, velocity = change / elapsed, low-passed"

    @property
    def inputs(self) -> Sequence[Port]:
        shape = (len(self.models),)
        return (
            Port("raw", shape, "1", "what registers show"),
            Port("elapsed", (), "s", "since they were read before"),
            State(f"{self.name}_counts", shape, "1", "counts from the reference, as if registers had no end"),
            State(f"{self.name}_velocity", shape, "rad/s, m/s", "low-passed velocities"),
            State(f"{self.name}_begun", (), "1", "1 as soon as they were read"),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        shape = (len(self.models),)
        return (
            Port("position", shape, "rad, m", "positions of joints"),
            Port("velocity", shape, "rad/s, m/s", "velocities of joints"),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        begun, elapsed = given[f"{self.name}_begun"], given["elapsed"]
        totals, positions, rates = list[Any](), list[Any](), list[Any]()
        each = zip(self.models, given["raw"], given[f"{self.name}_counts"], given[f"{self.name}_velocity"], strict=True)
        for model, raw, before, rate in each:
            total = unwrapped(raw - model.raw_reference, before, model.wrap)
            moved = begun.select(total - before, 0.0)
            fresh = moved * model.resolution / begun.select(elapsed, 1.0)
            if model.time_constant:
                share = 1.0 - (-elapsed / model.time_constant).exp()
                fresh = rate + share * (fresh - rate)
            totals.append(total)
            rates.append(fresh)
            positions.append(position(total, 0.0, model.reference, model.resolution))
        return {
            "position": entries(positions),
            "velocity": entries(rates),
            f"{self.name}_counts": entries(totals),
            f"{self.name}_velocity": entries(rates),
            f"{self.name}_begun": 1.0,
        }
