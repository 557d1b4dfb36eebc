"""Channels: mailboxes in shared memory that nobody locks, and datagrams on loopback."""

import os
import stat
import time
from collections.abc import Iterator
from threading import Thread

import pytest

import motionc as mc
from motionc.control.channels import BOX, HEAD, ROOM, SLOT, SLOTS, Datagrams, Mailbox, Mailboxes
from motionc.control.messages import LONGEST


@pytest.fixture
def pair() -> Iterator[tuple[Mailboxes, Mailboxes]]:
    robot = Mailboxes.made()
    controller = Mailboxes.found(robot.address)
    yield robot, controller
    controller.close()
    robot.close()


def test_messages_arrive_once_in_their_order_and_the_last_ones_where_there_are_too_many(
    pair: tuple[Mailboxes, Mailboxes],
) -> None:
    robot, controller = pair
    robot.send(b"first")
    robot.send(b"second")
    assert [controller.receive(0.0) for _ in range(3)] == [(b"first", None), (b"second", None), None]
    controller.send(b"answer")
    assert robot.receive(0.0) == (b"answer", None)
    robot.send(b"x" * LONGEST)
    assert controller.receive(0.0) == (b"x" * LONGEST, None)
    for k in range(3 * SLOTS):
        robot.send(bytes([k]))
    found = [controller.receive(0.0) for _ in range(SLOTS)]
    assert [one[0][0] for one in found if one is not None] == list(range(3 * SLOTS))[-SLOTS + 1 :]
    assert found[-1] is None


def test_half_a_message_is_not_read() -> None:
    memory = memoryview(bytearray(BOX))
    writer, reader = Mailbox(memory), Mailbox(memory)
    writer.put(b"a whole one")
    place = HEAD.size + 1 % SLOTS * ROOM
    count, length, checksum = SLOT.unpack_from(memory, place)
    SLOT.pack_into(memory, place, count + 1, length, checksum)  # somebody writes
    assert reader.get() is None
    SLOT.pack_into(memory, place, count, length, checksum)
    memory[place + SLOT.size] ^= 1  # its bytes came after its count
    assert reader.get() is None
    memory[place + SLOT.size] ^= 1
    SLOT.pack_into(memory, place, count + 2 * SLOTS, length, checksum)  # the next one in that slot
    assert reader.get() is None
    SLOT.pack_into(memory, place, count, 2**32 - 1, checksum)  # longer than there is room
    assert reader.get() is None
    SLOT.pack_into(memory, place, count, length, checksum)
    assert reader.get() == b"a whole one"


def test_a_reader_sees_whole_messages_only_in_their_order_while_they_are_written(
    pair: tuple[Mailboxes, Mailboxes],
) -> None:
    robot, controller = pair
    last = 4000

    def write() -> None:
        for k in range(1, last + 1):
            robot.send(k.to_bytes(4, "little") * (1 + k % 97))

    thread, seen = Thread(target=write), [0]
    thread.start()
    while seen[-1] < last:
        found = controller.receive(5.0)
        assert found is not None
        k = int.from_bytes(found[0][:4], "little")
        assert found[0] == k.to_bytes(4, "little") * (1 + k % 97)
        assert k > seen[-1]
        seen.append(k)
    thread.join()


def test_shared_memory_is_for_this_user_alone_and_gone_in_the_end() -> None:
    robot = Mailboxes.made("test-of-channels")
    path = robot._path
    try:
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        with pytest.raises(
            mc.Error, match="'test-of-channels' is there already: another robot runs, or one was killed"
        ):
            Mailboxes.made("test-of-channels")
    finally:
        robot.close()
    assert not path.exists()
    with pytest.raises(mc.Error, match="there is no shared memory 'test-of-channels'; start the robot first"):
        Mailboxes.found("test-of-channels")
    with pytest.raises(mc.Error, match="give a name of letters"):
        Mailboxes.made("../etc")


def test_a_file_of_another_size_is_no_robot() -> None:
    robot = Mailboxes.made("test-of-sizes")
    os.truncate(robot._path, 100)
    with pytest.raises(mc.Error, match="is none of a robot"):
        Mailboxes.found("test-of-sizes")
    robot.close()


def test_datagrams_arrive_from_whom_they_are_expected_alone() -> None:
    robot = Datagrams("127.0.0.1", 0)
    host, _, port = robot.address.rpartition(":")
    assert host == "127.0.0.1"
    controller, stranger = (Datagrams("127.0.0.1", 0, to=(host, int(port))) for _ in range(2))
    controller.send(b"hello")
    found = robot.receive(1.0)
    assert found is not None
    assert found[0] == b"hello"
    stranger._to = found[1]  # who knows where the controller is
    stranger.send(b"a state that is none")
    robot.send(b"welcome", found[1])
    assert controller.receive(1.0) == (b"welcome", (host, int(port)))
    for one in (robot, controller, stranger):
        one.close()


def test_waiting_takes_as_long_as_it_is_told_and_nobody_there_is_no_error() -> None:
    robot = Datagrams("127.0.0.1", 0)
    port = int(robot.address.rpartition(":")[2])
    robot.close()
    controller = Datagrams("127.0.0.1", 0, to=("127.0.0.1", port))
    for _ in range(3):
        controller.send(b"hello")
        begun = time.monotonic()
        assert controller.receive(0.02) is None
        assert 0.015 < time.monotonic() - begun < 1.0
    with pytest.raises(mc.Error, match="cannot be listened on"):
        Datagrams("127.0.0.1", int(controller.address.rpartition(":")[2]))
    controller.close()
