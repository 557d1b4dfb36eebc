"""What do a robot and its controller say to each other? Messages as bytes, the same in shared memory and in datagrams.

    header     "mcrb", version, kind, session, number                   little-endian, 20 bytes
    hello      JSON: which robot is expected, what it is to be told     controller → robot; a session of its choice
    welcome    JSON: the nameplate                                      robot → controller
    refused    a sentence                                               robot → controller
    state      stamp, why it stopped, q, v (, wrench)                   robot → controller, numbered
    command    as many numbers as the nameplate says                    controller → robot, the number of its state
    ready, stop, bye   nothing                                          controller → robot

Whatever is too short, too long, of another version or session, or has no meaning is malformed: it is dropped and
counted, and nothing of it is believed.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from motionc.control.interfaces import Nameplate, Reading, Stopped

Array = np.ndarray[Any, np.dtype[np.float64]]

MAGIC = b"mcrb"
VERSION = 1
LONGEST = 60_000
"""Bytes of a message: what a datagram holds."""
HEADER = struct.Struct("<4sHHIQ")
STATE = struct.Struct("<dB7x")


class Kind(IntEnum):
    """What a message is."""

    HELLO = 1
    WELCOME = 2
    REFUSED = 3
    STATE = 4
    COMMAND = 5
    READY = 6
    STOP = 7
    BYE = 8


class Message(NamedTuple):
    """A message whose header was understood."""

    kind: Kind
    session: int
    number: int
    body: bytes
    version: int = VERSION


KINDS = {int(kind): kind for kind in Kind}
EMPTY = (Kind.READY, Kind.STOP, Kind.BYE)


def packed(kind: Kind, session: int, number: int = 0, body: bytes = b"") -> bytes:
    """A message as bytes."""
    return HEADER.pack(MAGIC, VERSION, kind, session, number) + body


def unpacked(data: bytes) -> Message | None:
    """A message from bytes; None where they are none."""
    if not HEADER.size <= len(data) <= LONGEST:
        return None
    magic, version, kind, session, number = HEADER.unpack_from(data)
    if magic != MAGIC or kind not in KINDS or (kind in EMPTY and len(data) > HEADER.size):
        return None
    return Message(KINDS[kind], session, number, data[HEADER.size :], version)


@dataclass(frozen=True)
class Layout:
    """How states and commands of one robot lie in their messages."""

    nq: int
    nv: int
    entries: int
    wrench: bool

    @staticmethod
    def of(nameplate: Nameplate) -> "Layout":
        return Layout(nameplate.nq, nameplate.nv, nameplate.entries, bool(nameplate.wrench))

    @property
    def longest(self) -> int:
        """Bytes of the longer of both."""
        return HEADER.size + STATE.size + 8 * max(self.nq + self.nv + 6, self.entries)

    def state(self, session: int, reading: Reading) -> bytes:
        felt = _doubles(reading.wrench) if self.wrench and reading.wrench is not None else b""
        body = STATE.pack(reading.stamp, reading.stopped) + _doubles(reading.q) + _doubles(reading.v) + felt
        return packed(Kind.STATE, session, reading.number, body)

    def reading(self, message: Message) -> Reading | None:
        """A state; None where it has not as many numbers as the robot."""
        body, nq, nv = message.body, self.nq, self.nv
        if len(body) != STATE.size + 8 * (nq + nv + 6 * self.wrench):
            return None
        stamp, stopped = STATE.unpack_from(body)
        if stopped not in STOPS:
            return None
        values = np.frombuffer(body, "<f8", offset=STATE.size)
        felt = values[nq + nv :] if self.wrench else None
        return Reading(message.number, stamp, values[:nq], values[nq : nq + nv], felt, STOPS[stopped])

    def command(self, session: int, number: int, command: Array) -> bytes:
        return packed(Kind.COMMAND, session, number, _doubles(command))

    def told(self, message: Message) -> Array | None:
        """A command; None where it has not as many numbers as the robot is told."""
        return np.frombuffer(message.body, "<f8") if len(message.body) == 8 * self.entries else None


def _doubles(values: Any) -> bytes:
    """Numbers as they lie in messages, whatever precision they have."""
    return np.asarray(values, "<f8").tobytes()


STOPS = {int(stop): stop for stop in Stopped}
