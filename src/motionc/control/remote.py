"""How is a robot reached that is another process? Both ends of the talk: who controls it, and the robot itself.

    hello    the controller says which robot it expects, the robot answers with its nameplate or a refusal
    ready    the controller waits for its first state: from then on the robot's clock runs
    cycle    the robot sends a state, the controller answers it with a command of the same number
    again    in lockstep the robot repeats a state that nobody answers, and the controller its answer: lost, late and
             doubled messages change no number

What arrives late, twice, out of order or malformed is dropped and counted, on both sides.
"""

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from motionc.control.channels import Channel
from motionc.control.interfaces import Nameplate, Reading
from motionc.control.messages import VERSION, Kind, Layout, Message, packed, unpacked
from motionc.errors import Error
from motionc.model.digest import robot_digest
from motionc.model.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]

AGAIN = 0.02
"""Seconds after which a message that nobody answered is sent once more."""


class RemoteRobot:
    """A robot in another process, as its controller reaches it (`Hardware`).

    `counts` are messages that were dropped: "malformed", "foreign" (of another session), "old" (late, or twice); and
    "missed", states that never came, or were passed over for newer ones.

    Args:
        connect: makes the channel to the robot, each time it is opened.
        where: its address, for sentences.
        robot: the model it is expected to have; None where any will do.
        timeout: seconds for which an answer to the hello is waited for.
    """

    def __init__(
        self, connect: Callable[[], Channel], where: str, robot: Robot | None = None, *, timeout: float = 1.0
    ) -> None:
        self._connect, self._where, self._robot, self._timeout = connect, where, robot, timeout
        self._channel: Channel | None = None
        self._session, self._number, self._answer = 0, -1, b""
        self._nameplate: Nameplate | None = None
        self._layout: Layout | None = None
        self.counts = Counter[str]()

    @property
    def nameplate(self) -> Nameplate:
        if self._nameplate is None:
            raise Error(f"the robot at {self._where} was not opened; open it first")
        return self._nameplate

    def open(self) -> None:
        """Say hello until it is answered; an Error where nobody is there, or the robot refuses, or is another."""
        self.close()
        self._channel, self._session, self._number = self._connect(), secrets.randbits(32), -1
        expected = "" if self._robot is None else robot_digest(self._robot)
        hello = packed(Kind.HELLO, self._session, 0, json.dumps({"digest": expected}).encode())
        ends = time.monotonic() + self._timeout
        while (message := self._answered(hello, ends)) is None:
            if time.monotonic() >= ends:
                raise Error(
                    f"no robot answers at {self._where} within {self._timeout:g} s; is it started, and is the address "
                    "its own?"
                )
        if message.kind == Kind.REFUSED:
            raise Error(f"the robot at {self._where} refuses: {message.body.decode(errors='replace')}")
        nameplate = Nameplate.from_json(message.body.decode(errors="replace"))
        if self._robot is not None:
            nameplate.expect(self._robot)
        self._nameplate, self._layout = nameplate, Layout.of(nameplate)
        self._answer = packed(Kind.READY, self._session)

    def _answered(self, hello: bytes, ends: float) -> Message | None:
        """What a hello is answered with, if soon."""
        self._say(hello)
        until = min(ends, time.monotonic() + AGAIN)
        while (left := until - time.monotonic()) > 0:
            message = self._received(left)
            if message is not None and message.kind in (Kind.WELCOME, Kind.REFUSED):
                return message
        return None

    def _received(self, timeout: float) -> Message | None:
        """A message for this session; all else is counted. A refusal may be of another version."""
        found = None if self._channel is None else self._channel.receive(timeout)
        if found is None:
            return None
        message = unpacked(found[0])
        if message is None or (message.version != VERSION and message.kind != Kind.REFUSED):
            self.counts["malformed"] += 1
        elif message.session != self._session:
            self.counts["foreign"] += 1
        else:
            return message
        return None

    def read(self, timeout: float) -> Reading | None:
        """The next state; by the clock, the newest."""
        reading = self._next(timeout)
        if reading is not None and self.nameplate.pace == "clock":
            while (newer := self._next(0.0)) is not None:
                reading = newer
                self.counts["missed"] += 1
        return reading

    def _next(self, timeout: float) -> Reading | None:
        """The next state; what was said last is said again to a robot that has not heard it."""
        layout = self._opened()
        ends = time.monotonic() + timeout
        if self._number < 0:
            self._say(self._answer)
        while (left := ends - time.monotonic()) >= 0 or not timeout:
            message = self._received(max(left, 0.0) if self._number >= 0 else min(left, AGAIN))
            if message is None and not timeout:
                return None
            if message is None or message.kind != Kind.STATE:
                if self._number < 0:
                    self._say(self._answer)
            elif message.number <= self._number:
                self.counts["old"] += 1
                if message.number == self._number and self._answer:
                    self._say(self._answer)
            elif (reading := layout.reading(message)) is None:
                self.counts["malformed"] += 1
            else:
                if self._number >= 0:
                    self.counts["missed"] += message.number - self._number - 1
                self._number, self._answer = message.number, b""
                return reading
        return None

    def write(self, command: Array) -> None:
        self._answer = self._opened().command(self._session, self._number, command)
        self._say(self._answer)

    def stop(self) -> None:
        self._say(packed(Kind.STOP, self._session, max(self._number, 0)))

    def close(self) -> None:
        if self._nameplate is not None:
            self._say(packed(Kind.BYE, self._session, max(self._number, 0)))
        if self._channel is not None:
            self._channel.close()
        self._nameplate = self._layout = self._channel = None

    def _say(self, data: bytes) -> None:
        if self._channel is not None:
            self._channel.send(data)

    def _opened(self) -> Layout:
        if self._layout is None:
            raise Error(f"the robot at {self._where} was not opened; open it first")
        return self._layout


class Endpoint:
    """The robot's end: waits for a hello, tells states, takes the commands of one controller at a time.

    Args:
        channel: by which it is reached.
        nameplate: what the robot says of itself.
    """

    def __init__(self, channel: Channel, nameplate: Nameplate) -> None:
        self._channel, self._nameplate, self._layout = channel, nameplate, Layout.of(nameplate)
        self._session, self._peer, self._greeted, self._used = 0, None, False, -1
        self.controlled, self.asked = False, False
        """Whether somebody is there, and whether who was there asked it to stop."""
        self.counts = Counter[str]()

    def wait(self, timeout: float) -> bool:
        """Wait so long for a controller."""
        ends = time.monotonic() + timeout
        while not self.controlled and (left := ends - time.monotonic()) > 0:
            self._received(left)
        return self.controlled

    def tell(self, reading: Reading) -> None:
        """Send a state."""
        self._channel.send(self._layout.state(self._session, reading), self._peer)

    def answer(self, reading: Reading, timeout: float) -> Array | None:
        """The command that answers a state, which is repeated until it is answered or it takes too long (lockstep)."""
        ends = time.monotonic() + timeout
        while self.controlled and (left := ends - time.monotonic()) > 0:
            self.tell(reading)
            until = time.monotonic() + min(left, AGAIN)
            while self.controlled and (left := until - time.monotonic()) > 0:
                command = self._command(left, reading.number, reading.number)
                if command is not None:
                    return command
        return None

    def newest(self, reading: Reading, until: float) -> Array | None:
        """The newest command until a time of time.monotonic(), to this state or one before; None for none (clock)."""
        found: Array | None = None
        while self.controlled and (left := until - time.monotonic()) > 0:
            command = self._command(left, self._used + 1, reading.number)
            found = found if command is None else command
        return found

    def leave(self) -> None:
        """Take the controller for gone."""
        self.controlled = self._greeted = False

    def close(self) -> None:
        self._channel.close()

    def _command(self, timeout: float, first: int, last: int) -> Array | None:
        """A command to one of these states."""
        message = self._received(timeout)
        if message is None or message.kind != Kind.COMMAND:
            return None
        command = self._layout.told(message)
        if command is None:
            self.counts["malformed"] += 1
            return None
        if not first <= message.number <= last:
            self.counts["old"] += 1
            return None
        self.counts["late"] += message.number < last
        self._used = message.number
        return command

    def _received(self, timeout: float) -> Message | None:
        """A message of this session; greetings and farewells are done with here."""
        found = self._channel.receive(timeout)
        if found is None:
            return None
        data, peer = found
        message = unpacked(data)
        if message is None or (message.version != VERSION and message.kind != Kind.HELLO):
            self.counts["malformed"] += 1
        elif message.kind == Kind.HELLO:
            self._greet(message, peer)
        elif not self._greeted or message.session != self._session or peer != self._peer:
            self.counts["foreign"] += 1
        elif message.kind == Kind.READY:
            self.controlled = True
        elif message.kind in (Kind.STOP, Kind.BYE):
            self.controlled, self._greeted, self.asked = False, False, message.kind == Kind.STOP
        else:
            return message
        return None

    def _greet(self, message: Message, peer: Any) -> None:
        """Welcome a controller that expects this robot, if there is no other."""
        if refusal := self._refusal(message):
            self.counts["refused"] += 1
            answer = packed(Kind.REFUSED, message.session, 0, refusal.encode())
        else:
            self._session, self._peer, self._greeted, self._used, self.asked = message.session, peer, True, -1, False
            answer = packed(Kind.WELCOME, message.session, 0, self._nameplate.to_json().encode())
        self._channel.send(answer, peer)

    def _refusal(self, message: Message) -> str:
        """Why a hello is not welcome; nothing where it is."""
        mine = self._nameplate
        if message.version != VERSION:
            return f"it speaks version {VERSION} of the protocol, and you {message.version}; install the same motionc"
        try:
            said = json.loads(message.body)
            digest = said["digest"]
        except (ValueError, TypeError, KeyError):
            return "the hello names no digest of a robot"
        if digest and digest != mine.digest:
            return (
                f"it is a {mine.robot}, digest {mine.digest[:12]}, and you expect {str(digest)[:12]}; load the file "
                "that the robot was started with"
            )
        if self.controlled and message.session != self._session:
            return "somebody else controls it; wait until they leave"
        return ""
