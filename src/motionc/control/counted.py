"""A robot whose encoders tell counts, as one that tells positions and velocities: encoders are configuration."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.encoders import EncoderModel, Encoders
from motionc.control.interfaces import Hardware, Nameplate, Reading
from motionc.errors import Error, suggestion
from motionc.model.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]


class CountedRobot:
    """A robot that tells counts of some joints, with the encoders it has (`Hardware`): who controls it sees none.

    Args:
        hardware: the robot as it is reached.
        robot: its model.
        encoders: {joint: encoder}, as they are built in.
    """

    def __init__(self, hardware: Hardware, robot: Robot, encoders: Mapping[str, EncoderModel]) -> None:
        self._hardware, self._robot = hardware, robot
        self._names = tuple(checked.instance("encoders", encoders, Mapping, "give {joint: EncoderModel(…)}"))
        for joint in self._names:
            if joint not in robot.q_index:
                raise Error(f"encoders: {robot.name} has no movable joint {joint!r}{suggestion(joint, robot.q_index)}")
        self._q, self._v = ([index[name].start for name in self._names] for index in (robot.q_index, robot.v_index))
        self._read = Encoders([encoders[name] for name in self._names]).computation()
        self._state, self._stamp = self._read.start(), 0.0

    @property
    def nameplate(self) -> Nameplate:
        return self._hardware.nameplate

    def open(self) -> None:
        """Reach it; an Error where other joints tell counts than have encoders here."""
        self._hardware.open()
        told = self.nameplate.encoders
        if {*told} != {*self._names}:
            self._hardware.close()
            raise Error(
                f"encoders: {self.nameplate.robot} tells counts of {', '.join(told) or 'no joint'}, and encoders are "
                f"given of {', '.join(self._names) or 'none'}; give one for each joint that counts"
            )
        self._state, self._stamp = self._read.start(), -np.inf

    def read(self, timeout: float) -> Reading | None:
        reading = self._hardware.read(timeout)
        if reading is None:
            return None
        elapsed = min(reading.stamp - self._stamp, 1.0)
        found = self._read(reading.q[self._q], elapsed, *self._state)
        self._state, self._stamp = found.state, reading.stamp
        q, v = reading.q.copy(), reading.v.copy()
        q[self._q], v[self._v] = found.position, found.velocity
        return reading._replace(q=q, v=v)

    def write(self, command: Array) -> None:
        self._hardware.write(command)

    def stop(self) -> None:
        self._hardware.stop()

    def close(self) -> None:
        self._hardware.close()
