"""What does a run of a task leave behind? Its recording, with what the task asked for beside what was: tubes, the speed
band, the goal area, modes and events.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionc.simulate.declarations import Band, Mark, Mode, Reference, Tube
from motionc.simulate.judged_tasks import CRUISING
from motionc.simulate.recording import Recording
from motionc.simulate.runs import Run
from motionc.simulate.signals import Signal, calm_rows
from motionc.simulate.task_motion import Task, TaskMotion, task_motion, wanted_speed
from motionc.tasks import bands as asked
from motionc.tasks.specification import Hold, Path

Array = np.ndarray[Any, np.dtype[Any]]
FRAME, SPEED, WANTED, LEAST, MOST = "task_frame", "speed", "speed_wanted", "speed_least", "speed_most"
"""Signals that are added: the frame of a section, the speed along X as it was measured, and what is asked of it."""
USUAL = 0.9
"""Share of the time while cruising in which a speed is to be in its band."""


def task_recording(
    run: Run, task: Task, modes: Sequence[str], events: Sequence[tuple[float, str]], name: str = ""
) -> Recording:
    """The recording of a run of a task.

    Args:
        run: of one lane, which has logged what its cycle tells.
        task: what was to be done.
        modes: names of the machine's states.
        events: when each began.
        name: what the tube is called.
    """
    motion, told = task_motion(run, task), Recording.of(run)
    mode = Mode.of(told["mode"], modes)
    added = {one.name: one for one in _signals(motion, mode, told["velocity"])}
    cruising = tuple(one for one in CRUISING if one in modes)
    return replace(
        told,
        signals={**told.signals, **added},
        modes=(*told.modes, mode),
        marks=(*told.marks, *(Mark(time, event) for time, event in events)),
        tubes=(*told.tubes, *_tubes(motion, cruising, name)),
        bands=(*told.bands, *_bands(motion, cruising)),
        references=(*told.references, *([Reference(WANTED, SPEED)] if WANTED in added else [])),
        task=str(task),
    )


def _signals(motion: TaskMotion, mode: Mode, velocity: Signal) -> Iterator[Signal]:
    times, bands = motion.times, motion.bands
    if isinstance(motion.task, Path):
        yield Signal(FRAME, times, motion.meant[0], "m, 1", meaning="pose of the task frame of the section")
    if getattr(bands, "x", None) is not None:
        cruising = np.array([mode.at(time) in CRUISING for time in times])
        wanted = np.where(cruising, wanted_speed(motion)[0], 0.0)
        tolerance = np.broadcast_to(motion.each(lambda one: one.x.tolerance), motion.section.shape)[0]
        yield Signal(SPEED, velocity.times, velocity.values[:, 0], "m/s", meaning="along X of the task frame, measured")
        told = {WANTED: wanted, LEAST: wanted - tolerance, MOST: wanted + tolerance}
        for name, values in told.items():
            yield Signal(name, times, values, "m/s", meaning="speed along X that the task asks for, and its tolerance")


def _tubes(motion: TaskMotion, cruising: tuple[str, ...], name: str) -> Iterator[Tube]:
    bands = motion.bands
    width = [bands.position.tolerance] * 2 if isinstance(bands, Hold) else [_wide(motion, axis) for axis in "yz"]
    if not np.isfinite(width).any():
        return
    pose: Any = FRAME if isinstance(motion.task, Path) else motion.frames[0, 0]
    along = np.abs(motion.position[0, :, 0])
    length = float(np.max(along[calm_rows(along)]))
    yield Tube(bands.tool, pose, width, length, wrt=bands.wrt, name=name, during=cruising)


def _bands(motion: TaskMotion, cruising: tuple[str, ...]) -> Iterator[Band]:
    bands = motion.bands
    if getattr(bands, "x", None) is not None:
        yield Band(SPEED, LEAST, MOST, "speed band", during=cruising, share=USUAL)
    for axis in "yz":
        if np.isfinite(wide := _wide(motion, axis)):
            yield Band("position", -wide, wide, f"tube along {axis.upper()}", ("xyz".index(axis),), during=cruising)


def _wide(motion: TaskMotion, axis: str) -> float:
    """The tube along an axis, the widest of sections that differ (m); infinite where there is none."""
    if not isinstance(getattr(motion.bands, axis, None), asked.Tube):
        return np.inf
    return float(np.max(motion.each(lambda one: getattr(one, axis).tolerance)))
