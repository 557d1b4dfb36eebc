"""Robots in another process: greetings that are refused, messages that are lost, late, doubled, cut or foreign."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import numpy as np
import pytest

import motionc as mc
from bad_channels import BadChannel
from motionc.control import Endpoint, Nameplate, Reading, RemoteRobot
from motionc.control.channels import Datagrams, Mailboxes
from motionc.control.messages import HEADER, Kind, Layout, packed
from motionc.model.digest import robot_digest

Array = np.ndarray[Any, np.dtype[np.float64]]

ROBOT = mc.load("planar2")
PLATE = Nameplate.of(ROBOT, "tau", 1e-3)
CLOCKED = Nameplate.of(ROBOT, "tau", 1e-3, pace="clock")


def state(number: int, x: Array) -> Reading:
    return Reading(number, number * 1e-3, x[:2], x[2:])


class Counter:
    """A robot that is arithmetic alone: x ← x/2 + (tau, tau), in lockstep."""

    def __init__(self, channel: Any) -> None:
        self.endpoint, self.x, self.told = Endpoint(channel, PLATE), np.arange(1.0, 5.0), list[Array]()
        self.ending = False
        self.thread = Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self.ending:
            if not self.endpoint.wait(0.01):
                continue
            number = 0
            while self.endpoint.controlled and not self.ending:
                command = self.endpoint.answer(state(number, self.x), 0.3)
                if command is None:
                    self.endpoint.leave()
                    break
                self.told.append(command)
                self.x, number = self.x / 2 + np.tile(command, 2), number + 1


@contextmanager
def running(channel: Any) -> Iterator[Counter]:
    robot = Counter(channel)
    robot.thread.start()
    try:
        yield robot
    finally:
        robot.ending = True
        robot.thread.join()
        robot.endpoint.close()


def both(kind: str) -> tuple[Any, Any]:
    """Both ends of a channel."""
    if kind == "udp":
        robot = Datagrams("127.0.0.1", 0)
        host, _, port = robot.address.rpartition(":")
        return robot, Datagrams("127.0.0.1", 0, to=(host, int(port)))
    robot = Mailboxes.made()
    return robot, Mailboxes.found(robot.address)


def controlled(remote: RemoteRobot, cycles: int) -> list[Array]:
    """Commands that are a function of all states so far."""
    seen, told = np.zeros(2), list[Array]()
    for number in range(cycles):
        reading = remote.read(2.0)
        assert reading is not None
        assert reading.number == number
        seen = 0.9 * seen + np.sin(reading.q - reading.v)
        remote.write(seen)
        told.append(seen)
    return told


def expected(cycles: int) -> list[Array]:
    x, seen, told = np.arange(1.0, 5.0), np.zeros(2), list[Array]()
    for _ in range(cycles):
        seen = 0.9 * seen + np.sin(x[:2] - x[2:])
        x = x / 2 + np.tile(seen, 2)
        told.append(seen)
    return told


@pytest.mark.parametrize("kind", ["udp", "shared_memory"])
def test_in_lockstep_both_sides_compute_what_one_would(kind: str) -> None:
    theirs, mine = both(kind)
    with running(theirs) as robot:
        remote = RemoteRobot(lambda: mine, kind, ROBOT)
        remote.open()
        assert remote.nameplate == PLATE
        told = controlled(remote, 50)
        remote.close()
        robot.thread.join(0.05)
    np.testing.assert_array_equal(told, expected(50))
    np.testing.assert_array_equal(robot.told[:50], told)


@pytest.mark.parametrize("seed", [1, 2])
def test_lost_doubled_reordered_and_cut_datagrams_change_no_command(seed: int) -> None:
    theirs, mine = both("udp")
    worse = BadChannel(mine, 0.05, seed)
    with running(theirs) as robot:
        remote = RemoteRobot(lambda: worse, "udp", ROBOT, timeout=5.0)
        remote.open()
        told = controlled(remote, 40)
        time.sleep(0.05)
        remote.close()
    np.testing.assert_array_equal(told, expected(40))
    np.testing.assert_array_equal(robot.told[:39], told[:39])
    assert worse.mistakes > 5
    assert remote.counts["old"] + robot.endpoint.counts["old"] > 0
    assert remote.counts["malformed"] + robot.endpoint.counts["malformed"] > 0
    assert remote.counts["missed"] == 0


def test_malformed_and_foreign_datagrams_are_counted_and_nothing_of_them_is_believed() -> None:
    theirs, mine = both("udp")
    with running(theirs) as robot:
        remote = RemoteRobot(lambda: mine, "udp", ROBOT)
        remote.open()
        assert remote.read(1.0) is not None
        mine.send(b"")
        mine.send(b"what is that")
        mine.send(packed(Kind.COMMAND, remote._session, 0, bytes(8)))  # one number of two
        mine.send(HEADER.pack(b"mcrb", 9, Kind.COMMAND, remote._session, 0) + bytes(16))  # of another version
        mine.send(packed(Kind.COMMAND, remote._session + 1, 0, bytes(16)))  # of another session
        stranger = Datagrams("127.0.0.1", 0, to=mine._to)
        stranger.send(packed(Kind.COMMAND, remote._session, 0, bytes(16)))  # of somebody who heard its number
        stranger.close()
        mine.send(packed(Kind.COMMAND, remote._session, 5, bytes(16)))  # to a state that was not told yet
        remote.write(np.array([3.0, 4.0]))
        assert remote.read(1.0) is not None
        remote.close()
    assert dict(robot.endpoint.counts) == {"malformed": 4, "foreign": 2, "old": 1, "late": 0}
    np.testing.assert_array_equal(robot.told[0], [3.0, 4.0])


def test_a_state_of_another_version_is_not_believed() -> None:
    theirs, mine = both("udp")
    remote = RemoteRobot(lambda: mine, "udp", ROBOT)
    with running(theirs):
        remote.open()
        first = remote.read(1.0)
        assert first is not None
        told = Layout.of(PLATE).state(remote._session, first._replace(number=first.number + 1, q=first.q + 1.0))
        other = HEADER.pack(b"mcrb", 9, Kind.STATE, remote._session, first.number + 1) + told[HEADER.size :]
        remote._channel = Queued([other])
        assert remote.read(0.05) is None
        remote._channel = Queued([told])
        assert remote.read(0.05) is not None
        remote._channel = mine
        remote.close()
    assert remote.counts["malformed"] == 1


class Queued:
    """A channel by which these datagrams come, and nothing goes."""

    def __init__(self, waiting: list[bytes]) -> None:
        self.waiting = waiting

    def send(self, data: bytes, to: Any = None) -> None:
        pass

    def receive(self, timeout: float) -> tuple[bytes, Any] | None:
        return (self.waiting.pop(0), None) if self.waiting else None

    def close(self) -> None:
        pass


def refused_by(hello: bytes) -> str:
    theirs, mine = both("udp")
    with running(theirs):
        mine.send(hello)
        found = mine.receive(1.0)
        mine.close()
    assert found is not None
    assert found[0][6] == Kind.REFUSED
    return found[0][HEADER.size :].decode()


def test_a_robot_refuses_who_speaks_another_version_or_expects_another_robot() -> None:
    version = HEADER.pack(b"mcrb", 2, Kind.HELLO, 1, 0) + b"{}"
    assert "it speaks version 1 of the protocol, and you 2" in refused_by(version)
    other = json.dumps({"digest": robot_digest(mc.load("planar3"))}).encode()
    assert "it is a planar2, digest" in refused_by(packed(Kind.HELLO, 1, 0, other))
    for body in (b"", b"[]", b"{}", b"\xff"):
        assert "names no digest" in refused_by(packed(Kind.HELLO, 1, 0, body))


def test_who_comes_second_is_told_so_and_gets_the_robot_when_it_is_left() -> None:
    theirs, mine = both("udp")
    there = mine._to
    with running(theirs):
        first, second, third = (
            RemoteRobot(connect, "udp", ROBOT)
            for connect in (lambda: mine, *[lambda: Datagrams("127.0.0.1", 0, to=there)] * 2)
        )
        first.open()
        first.read(1.0)
        with pytest.raises(mc.Error, match="refuses: somebody else controls it"):
            second.open()
        second.close()
        first.write(np.zeros(2))
        assert first.read(1.0) is not None  # it was not disturbed
        first.close()
        third.open()
        assert third.read(1.0) is not None
        third.close()


def test_a_robot_that_nobody_started_and_one_of_another_model_are_refused_in_a_sentence() -> None:
    alone = RemoteRobot(lambda: Datagrams("127.0.0.1", 0, to=("127.0.0.1", 9)), "127.0.0.1:9", ROBOT, timeout=0.05)
    with pytest.raises(mc.Error, match=r"no robot answers at 127.0.0.1:9 within 0.05 s; is it started"):
        alone.open()
    with pytest.raises(mc.Error, match="was not opened; open it first"):
        alone.read(0.0)
    alone.close()
    theirs, mine = both("udp")
    with running(theirs):
        other = RemoteRobot(lambda: mine, "there", mc.load("planar3"))
        with pytest.raises(mc.Error, match="the robot at there refuses: it is a planar2"):
            other.open()
        other.close()


def test_commands_that_are_late_count_by_the_clock_and_those_before_them_do_not() -> None:
    theirs, mine = both("udp")
    endpoint, remote = Endpoint(theirs, CLOCKED), RemoteRobot(lambda: mine, "udp", ROBOT)
    greets = Thread(target=endpoint.wait, args=(2.0,))
    greets.start()
    remote.open()
    assert remote.read(0.02) is None  # it is ready, and no state came yet
    greets.join()
    x = np.arange(4.0)
    for number in range(4):
        endpoint.tell(state(number, x))
        if number == 1:
            reading = remote.read(1.0)
            assert reading is not None
            assert reading.number == 1  # the newest
    remote.write(np.array([1.0, 1.0]))  # to state 1, while state 3 is there
    command = endpoint.newest(state(3, x), time.monotonic() + 0.05)
    np.testing.assert_array_equal(command, [1.0, 1.0])
    remote.write(np.array([2.0, 2.0]))  # to the same state once more
    assert endpoint.newest(state(3, x), time.monotonic() + 0.02) is None
    reading = remote.read(1.0)
    assert reading is not None
    remote.write(np.array([3.0, 3.0]))
    np.testing.assert_array_equal(endpoint.newest(state(3, x), time.monotonic() + 0.05), [3.0, 3.0])
    assert (endpoint.counts["late"], endpoint.counts["old"], remote.counts["missed"]) == (1, 1, 2)  # states 0 and 2
    remote.stop()
    assert endpoint.newest(state(3, x), time.monotonic() + 0.05) is None
    assert (endpoint.controlled, endpoint.asked) == (False, True)
    remote.close()
    endpoint.close()


def test_a_robot_is_opened_again_and_told_in_any_precision() -> None:
    theirs, mine = both("udp")
    there = mine._to
    mine.close()
    with running(theirs) as robot:
        remote = RemoteRobot(lambda: Datagrams("127.0.0.1", 0, to=there), "udp", ROBOT)
        for told in (np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0])):
            remote.open()
            assert remote.read(1.0) is not None
            remote.write(told)
            assert remote.read(1.0) is not None
            remote.close()
            with pytest.raises(mc.Error, match="was not opened"):
                remote.read(0.0)
            while robot.endpoint.controlled:
                time.sleep(1e-3)
    np.testing.assert_array_equal(robot.told, [[1.0, 2.0], [3.0, 4.0]])


def test_states_that_never_came_are_counted() -> None:
    theirs, mine = both("shared_memory")
    endpoint, remote = Endpoint(theirs, PLATE), RemoteRobot(lambda: mine, "memory", ROBOT)
    greets = Thread(target=endpoint.wait, args=(2.0,))
    greets.start()
    remote.open()
    assert remote.read(0.02) is None  # it is ready, and no state came yet
    greets.join()
    for number in (0, 4, 3):
        endpoint.tell(state(number, np.zeros(4)))
        reading = remote.read(0.05)
        assert (None if reading is None else reading.number) == {0: 0, 4: 4, 3: None}[number]
    assert (remote.counts["missed"], remote.counts["old"]) == (3, 1)
    remote.close()
    endpoint.close()
