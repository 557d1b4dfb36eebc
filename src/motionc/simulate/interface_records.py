"""How is an interface to a robot written down? The `interface:` part of the table experiments are read by.

interface: {kind: udp, address: 127.0.0.1:9750, pace: clock, watchdog: 5, timeout: 0.1 s}
encoders: {joint_1: {counts_per_turn: 4096, gear: 100, sign: -1, reference: 0.5 rad, bits: 16}}
"""

from typing import Any

from motionc.control.encoders import EncoderModel
from motionc.control.interfaces import Interface
from motionc.formats.records import Amount, Key, Number, Record, Whole, Words
from motionc.geometry.units import Quantity
from motionc.simulate.experiment_records import ANGLES, ByName, Flag, Row


def _encoder(**parts: Any) -> EncoderModel:
    """Of positions with a unit behind them, one number."""
    return EncoderModel(**{name: one[0] if isinstance(one, tuple) else one for name, one in parts.items()})


ENCODER = Record(
    "an encoder",
    EncoderModel,
    {
        "counts_per_turn": Key(Number(), needed=True),
        "gear": Key(Number()),
        "sign": Key(Number()),
        "reference": Key(Row(ANGLES, count=1)),
        "raw_reference": Key(Number()),
        "bits": Key(Whole(0)),
        "travel": Key(Row(ANGLES, count=1)),
        "time_constant": Key(Amount(Quantity.TIME)),
    },
    make=_encoder,
)
INTERFACE = Record(
    "an interface",
    Interface,
    {
        "kind": Key(Words(("simulated", "shared_memory", "udp"))),
        "address": Key(Words()),
        "start": Key(Flag()),
        "pace": Key(Words(("lockstep", "clock"))),
        "watchdog": Key(Whole(1)),
        "timeout": Key(Amount(Quantity.TIME, positive=True)),
        "beyond_loopback": Key(Flag()),
        "encoders": Key(ByName("encoders of joints", ENCODER)),
    },
)
