"""The simulated robot as a process of its own, and how a robot is reached that an interface names.

    serve      the robot's process: waits for a controller, moves as it is told, stops where that one leaves or vanishes
    reached    the controller's: the robot that an interface says, started where it is to be

A robot that is started dies with who started it: it ends as soon as the pipe between them is closed.
"""

import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Timer
from typing import Any

from motionc import checked
from motionc.control.channels import Datagrams, Mailboxes
from motionc.control.counted import CountedRobot
from motionc.control.interfaces import LOOPBACK, Hardware, Interface, Nameplate, Reading, Stopped
from motionc.control.remote import Endpoint, RemoteRobot
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.simulate.hardware import SimulatedRobot

WAITS = 0.05
"""Seconds from one look whether it is to end to the next, while nobody controls the robot."""
STARTING = 300.0
"""Seconds that a robot may take to start: its plant is compiled then."""


# ---------------------------------------------------------------- the robot's process


def serve(
    robot: SimulatedRobot, interface: Interface, *, until: Callable[[], bool], ready: Callable[[str], None]
) -> None:
    """Be a robot at the address of an interface, for one controller after the other.

    Args:
        robot: the simulated robot.
        interface: where it listens, "udp" or "shared_memory"; on this machine alone unless it says otherwise.
        until: whether it is to end, asked again and again.
        ready: told the address as soon as it can be reached.
    """
    robot.build()
    channel = _listening(interface)
    endpoint = Endpoint(channel, robot.nameplate)
    try:
        ready(channel.address)
        while not until():
            if endpoint.wait(WAITS):
                robot.moves.release()
                (_in_lockstep if robot.pace == "lockstep" else _by_the_clock)(robot, endpoint, interface.timeout, until)
                robot.moves.stop(Stopped.ASKED if endpoint.asked else Stopped.LEFT)
                robot.moves.settle()
                endpoint.leave()
    finally:
        endpoint.close()


def _listening(interface: Interface) -> Datagrams | Mailboxes:
    match interface.kind:
        case "udp":
            return Datagrams(*interface.host_and_port())
        case "shared_memory":
            return Mailboxes.made(interface.address)
        case _:
            raise Error("serve: kind='simulated' is the robot of this process; say 'udp' or 'shared_memory'")


def _in_lockstep(robot: SimulatedRobot, endpoint: Endpoint, timeout: float, until: Callable[[], bool]) -> None:
    """A period for each command, as long as they come."""
    moves = robot.moves
    while endpoint.controlled and not until():
        reading = moves.reading()
        command = endpoint.answer(reading, timeout)
        if command is None and endpoint.controlled:
            moves.stop(Stopped.NO_COMMAND)
        if command is None or moves.stopped:
            endpoint.tell(moves.reading())  # why, to whoever is there still
            return
        moves.advance(command)


def _by_the_clock(robot: SimulatedRobot, endpoint: Endpoint, timeout: float, until: Callable[[], bool]) -> None:
    """A period after the other, whoever answers; nobody is there who has said nothing for the timeout."""
    moves, due = robot.moves, time.monotonic()
    heard = due
    while endpoint.controlled and not until():
        reading = moves.reading()
        endpoint.tell(reading)
        due += moves.period
        command = endpoint.newest(reading, due)
        now = time.monotonic()
        heard = heard if command is None else now
        if now - heard > timeout:
            return
        moves.advance(command)
        due = max(due, now - timeout)  # a machine that stood still does not catch up for ever


# ---------------------------------------------------------------- the controller's


def reached(interface: Interface, robot: Robot, simulated: SimulatedRobot | None = None) -> Hardware:
    """The robot that an interface names, to be operated: `mc.control.operate(reached(interface, …), controller, …)`.

    Args:
        interface: which, and how.
        robot: the model that the controller is made of; a robot that is another is refused.
        simulated: the robot that is simulated, in this process or in one that is started; its pace, watchdog and
            encoders are those of the interface. None where it is there already.
    """
    checked.instance("reached: interface", interface, Interface, "give mc.control.Interface(…)")
    if interface.start:
        wanted = "say what is simulated, mc.simulate.SimulatedRobot(…), or start=False where a robot is there"
        checked.instance("reached: simulated", simulated, SimulatedRobot, wanted)
    hardware: Hardware
    if simulated is not None:
        how = {"pace": interface.pace, "watchdog": interface.watchdog, "encoders": interface.encoders}
        simulated = replace(simulated, **how)
    if interface.kind == "simulated" and simulated is not None:
        simulated.nameplate.expect(robot)
        hardware = simulated
    elif interface.start and simulated is not None:
        hardware = StartedRobot(interface, robot, simulated)
    else:
        hardware = _remote(interface, interface.address, robot)
    return CountedRobot(hardware, robot, interface.encoders) if interface.encoders else hardware


def _remote(interface: Interface, address: str, robot: Robot) -> RemoteRobot:
    """A robot at an address."""
    if interface.kind == "shared_memory":
        return RemoteRobot(partial(Mailboxes.found, address), address, robot, timeout=interface.timeout)
    there = replace(interface, address=address).host_and_port()
    own = LOOPBACK if there[0].startswith("127.") else "0.0.0.0"
    return RemoteRobot(partial(Datagrams, own, 0, to=there), address, robot, timeout=interface.timeout)


class StartedRobot:
    """A simulated robot that is started as a process of its own when it is opened (`Hardware`)."""

    def __init__(self, interface: Interface, robot: Robot, simulated: SimulatedRobot) -> None:
        self._interface, self._robot, self._simulated = interface, robot, simulated
        self.process: subprocess.Popen[bytes] | None = None
        self._remote: RemoteRobot | None = None
        self._address = ""

    @property
    def nameplate(self) -> Nameplate:
        return self._opened.nameplate

    @property
    def counts(self) -> Any:
        """Messages that were dropped, by why."""
        return self._opened.counts

    def open(self) -> None:
        """Start it, and reach it."""
        self.process, self._address = _started(self._simulated, self._interface)
        try:
            self._remote = _remote(self._interface, self._address, self._robot)
            self._remote.open()
        except Error:
            self._ended()
            raise

    def read(self, timeout: float) -> Reading | None:
        return self._opened.read(timeout)

    def write(self, command: Any) -> None:
        self._opened.write(command)

    def stop(self) -> None:
        self._opened.stop()

    def close(self) -> None:
        if self._remote is not None:
            self._remote.close()
        self._remote = None
        self._ended()

    @property
    def _opened(self) -> RemoteRobot:
        if self._remote is None:
            raise Error(f"the simulated {self._robot.name} was not opened; open it first")
        return self._remote

    def _ended(self) -> None:
        """The pipe is closed: it ends by itself, and if not soon, it is made to."""
        process, self.process = self.process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            process.wait(5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._interface.kind == "shared_memory" and self._address:
            Mailboxes.remove(self._address)  # a robot that was killed left it there


def _started(simulated: SimulatedRobot, interface: Interface) -> tuple["subprocess.Popen[bytes]", str]:
    """A process that is the robot, and where it can be reached."""
    try:
        told = pickle.dumps((simulated, interface))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Error(
            f"the simulated robot cannot be handed to another process ({error}); make it of plain data"
        ) from None
    module = "motionc.simulate.robot_process"
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen([sys.executable, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=where)
    assert process.stdin is not None
    assert process.stdout is not None
    patience = Timer(STARTING, process.kill)
    patience.start()
    with suppress(BrokenPipeError):
        process.stdin.write(len(told).to_bytes(8, "little") + told)
        process.stdin.flush()
    said = process.stdout.readline()
    patience.cancel()
    if not said:
        raise Error(f"the simulated robot did not start (its process ended with {process.wait()}); it says why above")
    answer = json.loads(said)
    if "refused" in answer:
        process.stdin.close()
        process.wait()
        raise Error(answer["refused"])
    return process, answer["address"]
