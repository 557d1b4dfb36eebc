"""Sliders, and a frame to drag: where a user says what q should be.

What is dragged is followed by inverse kinematics from where the robot stands, without restarts: what is out of reach is
followed as far as it goes, and nothing jumps.
"""

from collections.abc import Callable
from math import ceil, floor, isfinite, pi
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from motionc.computations import forward_kinematics
from motionc.computations.inverse_kinematics import inverse_kinematics
from motionc.errors import Error
from motionc.geometry.lie import quaternion_from_rotation, rotation_from_quaternion
from motionc.model.robot import Robot
from motionc.tables import short

Array = np.ndarray[Any, np.dtype[np.float64]]
STEPS = 1000
"""To a radian or a metre: sliders stop at thousandths, limits are rounded inward to them."""
FAR = 1.0
"""How far a slider goes along a joint that slides and has no limits (m)."""
NOTHING = "nothing"


def slider_ends(lower: float, upper: float, *, turns: bool) -> tuple[float, float]:
    """Least and most of a slider, in thousandths within limits; half a turn, or a metre, where there are none.

    >>> slider_ends(-2.96706, 2.96706, turns=True), slider_ends(float("-inf"), float("inf"), turns=True)
    ((-2.967, 2.967), (-3.141, 3.141))
    """
    far = pi if turns else FAR
    low, high = (end if isfinite(end) else sign * far for end, sign in ((lower, -1), (upper, 1)))
    if not isfinite(lower) and high < low:
        low = high - 2 * far
    if not isfinite(upper) and high < low:
        high = low + 2 * far
    ends = ceil(low * STEPS - 1e-9) / STEPS, floor(high * STEPS + 1e-9) / STEPS
    return ends if ends[0] < ends[1] else (low, high)


class Sliders:
    """A slider for each joint of one coordinate; what a user moves becomes q.

    Args:
        gui: of a viser server.
        robot: whose joints.
        q: where it stands.
        chosen: called with the place in q and the value that a user gives it.
    """

    def __init__(self, gui: Any, robot: Robot, q: Array, chosen: Callable[[int, float], None]) -> None:
        self._of = dict[int, tuple[Any, float, float]]()
        for name, space in zip(robot.joint_names, robot.spaces(), strict=True):
            at, where = robot.q_index[name], robot.v_index[name]
            if at.stop - at.start != 1:
                continue
            turns = bool(space.type.turns[0])
            low, high = slider_ends(*(float(ends[where.start]) for ends in robot.reach), turns=turns)
            now = min(max(float(q[at.start]), low), high)
            slider = gui.add_slider(
                short(name), min=low, max=high, step=1 / STEPS, initial_value=now, hint="rad" if turns else "m"
            )
            self._of[at.start] = slider, low, high

            def moved(event: Any, place: int = at.start) -> None:
                if event.client is not None:  # by a user, not by `show`
                    chosen(place, float(event.target.value))

            slider.on_update(moved)

    def show(self, q: Array) -> None:
        """Stand where q is, as far as limits let them."""
        for place, (slider, low, high) in self._of.items():
            slider.value = min(max(float(q[place]), low), high)


class Drag:
    """A frame to drag by hand, and the search that lets the robot follow.

    Args:
        server: of viser.
        robot: that follows.
        stands: where it stands now.
        follow: called with what q becomes.
    """

    def __init__(self, server: Any, robot: Robot, stands: Callable[[], Array], follow: Callable[[Array], None]) -> None:
        self._scene, self._robot, self._stands, self._follow = server.scene, robot, stands, follow
        self._lock, self._handle = Lock(), None
        self._search: Any = None
        self._poses: Any = None
        self.frame, self.seconds = "", list[float]()
        names = [NOTHING, *(name for name in robot.link_names if self._moves(name))]
        self._choice = server.gui.add_dropdown("drag", names, initial_value=NOTHING, hint="the robot follows its frame")
        self._choice.on_update(self._chosen)

    def _chosen(self, event: Any) -> None:
        if event.client is not None:
            self.choose(event.target.value)

    def _moves(self, link: str) -> bool:
        return self._robot.mechanism.frames[link][0] >= 0

    def choose(self, frame: str) -> None:
        """Show the handle at a frame; at none for "nothing"."""
        with self._lock:
            if self._handle is not None:
                self._handle.remove()
                self._handle = None
            self.frame = "" if frame == NOTHING else frame
            self._choice.value = self.frame or NOTHING
            if not self.frame:
                return
            # a base that floats stays where it is while a leg is dragged
            base = self._robot.link_names[0]
            seen_from = base if self._robot.floating and self._body(frame) != self._body(base) else "world"
            self._search = inverse_kinematics(self._robot, frame, wrt=seen_from, restarts=0).build()
            self._poses = forward_kinematics(self._robot, [frame, seen_from]).build()
            handle = self._scene.add_transform_controls("/drag", scale=0.25, line_width=3.0, depth_test=False)
            self._handle = handle
        self.show()
        handle.on_update(self._dragged)

    def show(self) -> None:
        """Put the handle where the frame is, unless a hand holds it."""
        if self._handle is not None:
            pose = np.asarray(self._poses(self._stands()))[0]
            self._handle.position, self._handle.wxyz = pose[:3, 3], quaternion_from_rotation(pose[:3, :3])

    def _body(self, link: str) -> int:
        return self._robot.mechanism.frames[link][0]

    def _dragged(self, event: Any) -> None:
        if event.client is None:
            return
        with self._lock:
            if event.target is not self._handle:
                return
            q, goal = self._stands(), np.eye(4)
            goal[:3, :3], goal[:3, 3] = rotation_from_quaternion(event.target.wxyz), event.target.position
            origin = np.asarray(self._poses(q))[1]
            begin = perf_counter()
            try:
                found = self._search(q, np.linalg.inv(origin) @ goal).q
            except Error:  # nowhere: a handle dragged to infinity
                return
            self.seconds.append(perf_counter() - begin)
            self._follow(np.asarray(found))
        if event.phase == "end":
            self.show()
