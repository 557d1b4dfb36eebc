"""A recording as viewers of ROS 2 know it: the robot's description, joint states, transforms of its links.

These repeat in their words what the signals say; nobody here reads them back.
"""

from collections.abc import Mapping

import numpy as np

from motionc.computations import forward_kinematics
from motionc.geometry.lie import quaternions_from_rotations
from motionc.model.robot import Robot
from motionc.simulate.recorded_file import Channels, nanoseconds, text_rows
from motionc.simulate.ros_messages import Array, Layout, joint_states_layout, transforms_layout
from motionc.simulate.signals import WILD, Signal, calm_rows

TF_RATE = 60.0
"""Poses a second."""
WORLD = "world"


class Views:
    """What viewers want of a robot, for one file: each topic is opened when it is first needed."""

    def __init__(self, robot: Robot, text: str) -> None:
        self._text = text
        single = [name for name, at in robot.q_index.items() if at.stop - at.start == 1]
        self._joints = tuple(single)
        self._in_q = [robot.q_index[name].start for name in single]
        self._in_v = [robot.v_index[name].start for name in single]
        links = list(robot.link_names)
        parents = {joint.target[0].name: joint.reference[0].name for joint in robot.chain.joints}
        edges = [(parents.get(link, WORLD), link) for link in links if link != WORLD]
        self._ends = [(links.index(above) if above in links else -1, links.index(link)) for above, link in edges]
        self._transforms = transforms_layout(edges)
        self._poses = forward_kinematics(robot, links)
        self._joint_states = dict[tuple[str, ...], Layout]()
        self._channels, self._next = dict[str, int](), 0.0

    def build(self) -> "Views":
        """Build now what the first poses would."""
        self._poses.build(batch=True)
        return self

    def described(self, channels: Channels) -> dict[int, tuple[Array, Array]]:
        return text_rows(self._channel(channels, "/robot_description", "std_msgs/msg/String"), 0.0, self._text)

    def _channel(self, channels: Channels, topic: str, kind: str) -> int:
        if topic not in self._channels:
            self._channels[topic] = channels.open(topic, kind)
        return self._channels[topic]

    def of(self, channels: Channels, signals: Mapping[str, Signal]) -> list[tuple[int, Array, Array]]:
        """Rows of joint states and transforms for these rows of q."""
        found, q = list[tuple[int, Array, Array]](), signals.get("q")
        if q is None or not len(q.times):
            return found
        times = nanoseconds(q.times)
        parts = {"position": np.asarray(q.values, float)[:, self._in_q]}
        for part, name in (("velocity", "v"), ("effort", "motor_force"), ("effort", "tau")):
            other = signals.get(name)
            if other is not None and part not in parts and np.array_equal(other.times, q.times):
                parts[part] = np.asarray(other.values, float)[:, self._in_v]
        if self._joints:
            layout = self._joint_states.setdefault(tuple(parts), joint_states_layout(self._joints, tuple(parts)))
            channel = self._channel(channels, "/joint_states", layout.kind)
            found.append((channel, times, layout.rows(channel, times, **parts)))
        picked = self._picked(q)
        if len(picked) and self._ends:
            channel = self._channel(channels, "/tf", self._transforms.kind)
            values = self._values(np.asarray(q.values, float)[picked])
            found.append((channel, times[picked], self._transforms.rows(channel, times[picked], **values)))
        return found

    def _picked(self, q: Signal) -> Array:
        """Rows that are 1/60 s apart, or as far as they are; what diverged is no pose."""
        picked = list[int]()
        for k in map(int, np.flatnonzero(calm_rows(q.values, WILD))):
            if q.times[k] >= self._next - 1e-9:
                picked.append(k)
                self._next = max(self._next + 1 / TF_RATE, q.times[k] + 0.5 / TF_RATE)
        return np.array(picked, int)

    def _values(self, q: Array) -> dict[str, Array]:
        """Where each child is wrt its parent."""
        poses = np.asarray(self._poses.batch(q, threads=1)).reshape(len(q), -1, 4, 4)
        values = dict[str, Array]()
        for k, (parent, child) in enumerate(self._ends):
            above = poses[:, parent] if parent >= 0 else np.broadcast_to(np.eye(4), (len(q), 4, 4))
            turn = np.swapaxes(above[:, :3, :3], 1, 2)
            values[f"at {k}"] = np.einsum("nij,nj->ni", turn, poses[:, child, :3, 3] - above[:, :3, 3])
            four = quaternions_from_rotations(turn @ poses[:, child, :3, :3])
            values[f"turn {k}"] = np.roll(four, -1, axis=1)  # w comes last in ROS
        return values
