"""Messages: what is packed comes back bit for bit, and bytes that are none are refused."""

import random

import numpy as np
import pytest

import motionc as mc
from motionc.control import Nameplate, Reading, Stopped
from motionc.control.messages import HEADER, LONGEST, Kind, Layout, packed, unpacked

PLATE = Nameplate.of(mc.load("hyq"), "tau", 1e-3, wrench="foot")
LAYOUT = Layout.of(PLATE)


def reading(seed: int) -> Reading:
    rng = np.random.default_rng(seed)
    q, v, felt = (rng.normal(size=size) * 10.0 ** rng.integers(-300, 300) for size in (PLATE.nq, PLATE.nv, 6))
    return Reading(int(rng.integers(2**62)), rng.normal(), q, v, felt, Stopped(int(rng.integers(5))))


@pytest.mark.parametrize("seed", range(5))
def test_states_and_commands_come_back_bit_for_bit(seed: int) -> None:
    told = reading(seed)
    message = unpacked(LAYOUT.state(7, told))
    assert message is not None
    assert (message.kind, message.session, message.number) == (Kind.STATE, 7, told.number)
    back = LAYOUT.reading(message)
    assert back is not None
    assert (back.stamp, back.stopped) == (told.stamp, told.stopped)
    for name in ("q", "v", "wrench"):
        assert getattr(back, name).tobytes() == getattr(told, name).tobytes()
    answer = unpacked(LAYOUT.command(7, told.number, told.v))
    assert answer is not None
    command = LAYOUT.told(answer)
    assert command is not None
    assert command.tobytes() == told.v.tobytes()


def test_what_is_not_a_number_is_passed_on_as_it_is() -> None:
    """Whether it is believed is another's decision."""
    message = unpacked(LAYOUT.command(1, 1, np.full(PLATE.nv, np.nan)))
    assert message is not None
    command = LAYOUT.told(message)
    assert command is not None
    assert np.all(np.isnan(command))


def test_every_message_that_was_cut_or_has_more_is_refused() -> None:
    whole = LAYOUT.state(7, reading(0))
    for data in (*(whole[:cut] for cut in range(len(whole))), whole + b"\0", whole + bytes(8)):
        message = unpacked(data)
        assert message is None or LAYOUT.reading(message) is None
    command = LAYOUT.command(7, 3, np.zeros(PLATE.nv))
    for data in (*(command[:cut] for cut in range(len(command))), command + b"\0"):
        message = unpacked(data)
        assert message is None or LAYOUT.told(message) is None
    assert unpacked(packed(Kind.STOP, 7) + b"!") is None
    assert unpacked(bytes(LONGEST + 1)) is None


def test_noise_is_refused_and_raises_nothing() -> None:
    draw = random.Random(0)
    for _ in range(2000):
        data = draw.randbytes(draw.randrange(8 * PLATE.nv))
        assert unpacked(data) is None
        message = unpacked(HEADER.pack(b"mcrb", 1, draw.randrange(12), 7, 1) + data)
        if message is not None:
            state, command = LAYOUT.reading(message), LAYOUT.told(message)
            assert state is None
            assert command is None


def test_a_reason_to_stop_that_nobody_knows_is_refused() -> None:
    data = bytearray(LAYOUT.state(7, reading(0)))
    data[HEADER.size + 8] = 99
    message = unpacked(bytes(data))
    assert message is not None
    assert LAYOUT.reading(message) is None
