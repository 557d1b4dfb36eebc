"""How did a tool really move in its task frame? The true state of a run, seen from where a task looks at it.

    p = R_Tᵀ (x - x_T)      where the tool is, row by row, in the frame that was meant then
    ṗ = R_Tᵀ ẋ              how fast, in its axes; task frames stand still wrt what they are given with respect to
    R_Tᵀ R                  how it is turned

Nothing here is what a controller measured: q and v are the plant's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations import forward_kinematics, frame_motion
from motionc.computations.together import together
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.runtime.computation import Computation
from motionc.simulate.runs import Run
from motionc.tasks.specification import Hold, Move, Path, Sine, Speed

Array = np.ndarray[Any, np.dtype[Any]]
Task = Move | Path | Hold


@dataclass(frozen=True, eq=False)
class TaskMotion:
    """Where a tool was, in the frame that its task had then, lanes in front: N lanes of K rows.

    Args:
        task: what was to be done.
        times: of rows (s), (K,).
        frames: poses of task frames, (N or 1, n, 4, 4); of a path one a section, else n = 1.
        section: which of them was meant, (N, K).
        poses: of the tool wrt what task frames are given with respect to, (N, K, 4, 4).
        rates: of its origin, in the same axes (m/s), (N, K, 3).
    """

    task: Task
    times: Array
    frames: Array
    section: Array
    poses: Array
    rates: Array

    @cached_property
    def meant(self) -> Array:
        """The pose of the task frame in each row, (N or 1, K or 1, 4, 4)."""
        if self.frames.shape[1] == 1:
            return self.frames
        lanes = np.arange(len(self.section))[:, np.newaxis] if len(self.frames) > 1 else 0
        return self.frames[lanes, self.section]

    @cached_property
    def position(self) -> Array:
        """Of the tool in the task frame (m), (N, K, 3)."""
        return _turned(self.meant, self.poses[..., :3, 3] - self.meant[..., :3, 3])

    @cached_property
    def velocity(self) -> Array:
        """Of the tool, in axes of the task frame (m/s), (N, K, 3)."""
        return _turned(self.meant, self.rates)

    @cached_property
    def rotation(self) -> Array:
        """Of the tool in the task frame, (N, K, 3, 3)."""
        return np.swapaxes(self.meant[..., :3, :3], -1, -2) @ self.poses[..., :3, :3]

    @cached_property
    def angle(self) -> Array:
        """By how much the tool is turned from the task frame (rad), (N, K)."""
        cosine = (np.trace(self.rotation, axis1=-2, axis2=-1) - 1) / 2
        return np.arccos(np.clip(cosine, -1.0, 1.0))

    @property
    def remaining(self) -> Array:
        """What is left to go along X (m), (N, K)."""
        return -self.position[..., 0]

    @property
    def bands(self) -> Move | Hold:
        """What is asked in every section; the numbers of some may differ."""
        return self.task.move if isinstance(self.task, Path) else self.task

    def each(self, of: Callable[[Any], float]) -> float | Array:
        """A number of what is asked: one for all rows, or, where sections differ, that of each row's, (N, K)."""
        if not isinstance(self.task, Path):
            return of(self.task)
        numbers = np.array([of(self.task.section(k + 1)) for k in range(self.task.sections)])
        return float(numbers[0]) if np.all(numbers == numbers[0]) else numbers[self.section]


def task_motion(run: Run, task: Task) -> TaskMotion:
    """How the tool of a task moved in a run, which has logged q and v together (and, of a path, the section)."""
    checked.instance("task_motion: run", run, Run, "give what a closed loop returned")
    checked.instance("task_motion: task", task, (Move, Path, Hold), "give a mc.tasks.Move(…), Path(…) or Hold(…)")
    q, v = (lanes_of(run, name) for name in ("q", "v"))
    bands = task.move if isinstance(task, Path) else task
    poses, rates = _seen(run.plant.robot, bands.tool, bands.wrt, q, v)
    frames = _frames(run.given, task)
    section = np.zeros(q.shape[:2], int)
    if isinstance(task, Path):
        section = np.clip(lanes_of(run, "section").astype(int), 0, task.sections - 1)
    return TaskMotion(task, run.times["q"], frames, section, poses, rates)


def wanted_speed(motion: TaskMotion) -> Array:
    """The speed along X that is asked for where the tool really is (m/s), (N, K)."""
    offset, amplitude, rate = (motion.each(lambda one, k=k: _profile(one.x)[k]) for k in range(3))
    return offset + amplitude * np.sin(rate * motion.remaining)


def _profile(speed: Speed) -> tuple[float, float, float]:
    """Offset, amplitude and rate of a speed over what is left to go."""
    value = speed.value if isinstance(speed.value, Sine) else Sine(speed.value, 0.0, 0.0)
    return value.offset, value.amplitude, value.rate


def lanes_of(run: Run, name: str) -> Array:
    """What was logged under a name, lanes in front; refused where it was not, or has other rows than q."""
    for one in dict.fromkeys(("q", name)):
        if one not in run.record.names:
            raise Error(f"a task is judged by {one}, which was not logged; say closed(…, log={{{one!r}: 1, …}})")
    if not np.array_equal(run.times[name], run.times["q"]):
        raise Error(f"a task is judged by {name} and q of the same times; log both equally often")
    values = np.asarray(run[name], float)
    return values if run.many else values[np.newaxis]


def _seen(robot: Robot, tool: str, wrt: str, q: Array, v: Array) -> tuple[Array, Array]:
    """Poses of a frame wrt another, and rates of its origin in the other's axes."""
    seen = _watching(robot, tool, wrt).batch(q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]))
    poses = seen.pose[:, 0]
    if wrt != "world":
        base = seen.pose[:, 1]
        turned = np.swapaxes(base[:, :3, :3], -1, -2)
        poses = poses.copy()
        poses[:, :3, 3] = np.einsum("nij,nj->ni", turned, poses[:, :3, 3] - base[:, :3, 3])
        poses[:, :3, :3] = turned @ poses[:, :3, :3]
    return poses.reshape(*q.shape[:2], 4, 4), seen.twist[:, 0, 3:].reshape(*q.shape[:2], 3)


def frame_poses(robot: Robot, frame: str, q: Array) -> Array:
    """Poses of a frame in the world, at so many configurations (N, K, nq): (N, K, 4, 4)."""
    return _where(robot, frame).batch(q.reshape(-1, q.shape[-1])).reshape(*q.shape[:2], 4, 4)


@lru_cache(8)
def _where(robot: Robot, frame: str) -> Computation:
    return forward_kinematics(robot, [frame])


@lru_cache(8)
def _watching(robot: Robot, tool: str, wrt: str) -> Computation:
    """Poses of a tool, and of what it is seen from, and its twist: the same for all lanes of a study."""
    frames = [tool] if wrt == "world" else [tool, wrt]
    return together(
        forward_kinematics(robot, frames), frame_motion(robot, tool, wrt, as_seen_by=wrt, outputs=["twist"])
    )


def _frames(given: Mapping[str, Any], task: Task) -> Array:
    """Task frames as a run was given them, (N or 1, n, 4, 4)."""
    name = "frames" if isinstance(task, Path) else task.frame
    if name not in given:
        raise Error(f"a task is judged in its frame {name}, which the run was not given; loop(…, {name}=…)")
    poses = np.asarray(given[name], float)
    own = 3 if isinstance(task, Path) else 2
    poses = poses if poses.ndim == own + 1 else poses[np.newaxis]
    return poses if isinstance(task, Path) else poses[:, np.newaxis]


def _turned(poses: Array, vectors: Array) -> Array:
    """Vectors in axes of these poses: Rᵀ x."""
    return np.einsum("...ij,...i->...j", poses[..., :3, :3], vectors)
