"""What came of a task? Numbers a lane, judged on the true state of a run: no controller is asked what it believes.

entry        the first row in which every tube is entered, at 0.95 of its tolerance
violations   how often a tube was left after that, in whatever mode
goal         the first row after entry in which no more is left to go than the goal's tolerance; what diverges has none
in band      the share of rows while cruising in which the speed along X was within its tolerance
force, tilt  of a task that presses: judged_contacts.py
effort       √mean(τ²) / τ_max, work ∫ Σ max(0, τ v) dt, activity Σ |Δτ| / τ_max a second; until the task stops
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from motionc import checked
from motionc.simulate.judged_contacts import judged_contact
from motionc.simulate.runs import Run
from motionc.simulate.task_motion import Task, TaskMotion, lanes_of, task_motion, wanted_speed
from motionc.tasks.specification import Angle, Goal, Hold, Orientation, Path, Tube

Array = np.ndarray[Any, np.dtype[Any]]

ENTER = 0.95
"""Share of a tube's tolerance at which it is entered; it is left at all of it."""
STOP, CRUISING = "STOP_MOTION", ("CRUISE_THROUGH_TUBE", "TRANSITION_PATH_SECTION")
"""Modes of lazy tasks that a judge knows."""


@dataclass(frozen=True, eq=False)
class JudgedTask:
    """What came of a task, a number a lane; NaN where it never came to that.

    Args:
        state: the mode of each lane at the end; empty where nobody has modes.
        tube_entry_s: when the tube was entered (s).
        goal_s: when the goal was reached (s).
        stopped_s: when it stopped, or the run ended (s).
        tube_violations_after_entry: how often the tube was left after that.
        tube_used: the farthest from a tube's middle after entry, as a share of its tolerance.
        speed_in_band: share of the time while cruising.
        torque_rms_share: of each joint's largest effort, in the order of v, (N, nv).
        work_J: what motors put in.
        activity: how much commands move about, of all joints, in shares of their largest effort (1/s).
        transitions: how often the mode changed after the first row.
        limit_margin: how near a joint came to its limits (rad, m); below 0 it was beyond, ∞ where none has any.
        path_m: the farthest from the path after entry (m); of paths alone.
        recovery_s: at each change of sections, until the speed was within its tolerance again (s), (N, n - 1).
        events: of each lane, when each event began, (time, name), until it stopped.
        force_in_band: share of the time while cruising; of tasks that press alone, as the next two.
        tilt: the largest angle between tool and surface while cruising (rad).
        losses: how often contact was lost while cruising.
        law_s: when the horizon's law says the tube is entered, t_p ln(r / 0.95 σ); NaN where no horizon is known.
    """

    state: tuple[str, ...]
    tube_entry_s: Array
    goal_s: Array
    stopped_s: Array
    tube_violations_after_entry: Array
    tube_used: Array
    speed_in_band: Array
    torque_rms_share: Array
    work_J: Array
    activity: Array
    transitions: Array
    limit_margin: Array
    path_m: Array
    recovery_s: Array
    events: tuple[tuple[tuple[float, str], ...], ...]
    force_in_band: Array
    tilt: Array
    losses: Array
    law_s: Array

    @property
    def lanes(self) -> int:
        return len(self.tube_entry_s)

    def lane(self, k: int) -> dict[str, Any]:
        """All of one lane, as plain numbers, lists and words; None for what it never came to."""
        number = checked.whole("JudgedTask: lane", k, 0, "give the number of a lane")
        if number >= self.lanes:
            raise checked.refusal("JudgedTask: lane", k, f"there are {self.lanes}, counted from 0")
        return {one.name: _plain(one.name, getattr(self, one.name), number) for one in fields(self)}

    @staticmethod
    def joined(several: Sequence["JudgedTask"]) -> "JudgedTask":
        """Lanes of several, one behind the other."""
        parts = {one.name: [getattr(each, one.name) for each in several] for one in fields(JudgedTask)}
        lanes: dict[str, Any] = {
            name: sum(own, ()) if isinstance(own[0], tuple) else np.concatenate(own) for name, own in parts.items()
        }
        return JudgedTask(**lanes)


def _plain(name: str, values: Any, lane: int) -> Any:
    own = values[lane] if len(values) else ""
    if name == "events":
        return [[time, event] for time, event in own]
    if isinstance(own, str):
        return own
    told = [None if not np.isfinite(x) else int(x) if name in COUNTS else float(x) for x in np.ravel(own)]
    return told if np.ndim(own) else told[0]


COUNTS = ("tube_violations_after_entry", "transitions", "losses")


def judged_task(
    run: Run, task: Task, *, modes: Sequence[str] = (), events: Sequence[str] = (), horizon: float | None = None
) -> JudgedTask:
    """What came of a task in a run that has logged q, v and motor_force; mode, events and section where it has them.

    Args:
        run: what a closed loop returned; its task frames are those it was given.
        task: what was to be done.
        modes: names of the states of the machine, whose number is logged as `mode`.
        events: names of the bits that are logged as `events`, the lowest first.
        horizon: how far the controller looks ahead (s), for the law of entry.
    """
    motion = task_motion(run, task)
    mode = lanes_of(run, "mode").astype(int) if modes else None
    inside, near = _within_tubes(motion, 1.0), _within_tubes(motion, ENTER)
    entry = _first(near)
    rows = np.arange(len(motion.times))
    after = rows > entry[:, np.newaxis]
    sound: Array = np.all(np.isfinite(lanes_of(run, "q")), axis=(1, 2))
    goal = _first(_at_goal(motion) & (rows >= entry[:, np.newaxis]) & sound[:, np.newaxis])
    stop = _stopped(mode, modes, goal, rows)
    on = rows < stop[:, np.newaxis]
    in_band = _in_band(motion)
    cruising = (after & on) if mode is None else np.isin(mode, [modes.index(m) for m in CRUISING if m in modes])
    left = ~inside & after
    return JudgedTask(
        state=() if mode is None else tuple(str(modes[int(last)]) for last in mode[:, -1]),
        tube_entry_s=_times(motion, entry),
        goal_s=_times(motion, goal),
        stopped_s=motion.times[np.minimum(stop, len(rows) - 1)],
        tube_violations_after_entry=np.sum(left & ~np.roll(left, 1, axis=1), axis=1),
        tube_used=_most(_used(motion), after),
        speed_in_band=_share(in_band, cruising),
        limit_margin=_margin(run),
        path_m=_most(_from_path(motion), after) if isinstance(task, Path) else np.full(len(entry), np.nan),
        recovery_s=_recovery(motion, in_band, on),
        transitions=np.zeros(len(entry)) if mode is None else np.sum(np.diff(mode, axis=1) != 0, axis=1),
        events=_events(run, events, motion.times, stop),
        law_s=np.full(len(entry), np.nan) if horizon is None else horizon_law(motion, horizon),
        **vars(judged_contact(run, task, cruising)),
        **_efforts(run, on),
    )


# ---------------------------------------------------------------- tubes and goals


def tubes(motion: TaskMotion) -> Iterator[tuple[str, Array, float | Array]]:
    """What is to stay small, row by row, and how small: |y|, |z| (m), angles (rad); section by section."""
    bands = motion.bands
    if isinstance(bands, Hold):
        for k, axis in enumerate("xyz"):
            yield axis, np.abs(motion.position[..., k]), bands.position.tolerance
    else:
        for axis in "yz":
            if isinstance(getattr(bands, axis), Tube):
                wide = motion.each(lambda one, axis=axis: getattr(one, axis).tolerance)
                yield axis, np.abs(motion.position[..., "xyz".index(axis)]), wide
        if isinstance(bands.az, Angle):
            R = motion.rotation
            about_z = np.arctan2(R[..., 1, 0], R[..., 0, 0]) - motion.each(lambda one: one.az.value)
            away = np.abs(np.arctan2(np.sin(about_z), np.cos(about_z)))
            yield "az", away, motion.each(lambda one: one.az.tolerance)
    if isinstance(bands.orientation, Orientation):
        yield "orientation", motion.angle, motion.each(lambda one: one.orientation.tolerance)


def _within_tubes(motion: TaskMotion, share: float) -> Array:
    inside = np.ones(motion.position.shape[:2], bool)
    for _, away, tolerance in tubes(motion):
        inside &= away <= share * tolerance
    return inside


def _used(motion: TaskMotion) -> Array:
    used = np.zeros(motion.position.shape[:2])
    for _, away, tolerance in tubes(motion):
        used = np.maximum(used, away / tolerance)
    return used


def horizon_law(motion: TaskMotion, horizon: float) -> Array:
    """When each lane should enter its tube: t_p ln(r / 0.95 σ) of the direction that takes longest (§2.11), r at the
    start; 0 where it starts inside.
    """
    law = np.zeros(len(motion.position))
    for _, away, tolerance in tubes(motion):
        first = np.broadcast_to(tolerance, away.shape)[:, 0]
        law = np.maximum(law, horizon * np.log(np.maximum(away[:, 0] / (ENTER * first), 1.0)))
    return law


def _at_goal(motion: TaskMotion) -> Array:
    """Where no more is left to go than the goal allows, in the last section."""
    task = motion.task
    last = task.section(task.sections) if isinstance(task, Path) else task
    goals = [one for one in last.until if isinstance(one, Goal)]
    if not goals:
        return np.zeros(motion.section.shape, bool)
    there = motion.section == motion.frames.shape[1] - 1
    return there & (motion.remaining <= max(goal.tolerance for goal in goals))


def _stopped(mode: Array | None, modes: Sequence[str], goal: Array, rows: Array) -> Array:
    """The row from which it stands; that of the goal where nobody has modes."""
    if mode is None:
        return np.minimum(goal, len(rows))
    stands = mode == modes.index(STOP)
    return _first(stands & (np.cumsum(~stands, axis=1) > 0))


# ---------------------------------------------------------------- speed


def _in_band(motion: TaskMotion) -> Array:
    if getattr(motion.bands, "x", None) is None:
        return np.ones(motion.section.shape, bool)
    return np.abs(motion.velocity[..., 0] - wanted_speed(motion)) <= motion.each(lambda one: one.x.tolerance)


def _recovery(motion: TaskMotion, in_band: Array, on: Array) -> Array:
    """From each change of sections until the speed is within its tolerance again, or the section ends."""
    changes = motion.frames.shape[1] - 1
    found = np.full((len(in_band), changes), np.nan)
    if not changes:
        return found
    rows = np.arange(in_band.shape[1])
    # from each row on, the next one in the band, and the next one of another section or at rest
    change = np.diff(motion.section, axis=1, append=motion.section[:, -1:]) > 0
    soon, end = (_next(which, rows) for which in (in_band, change | ~on))
    lanes, at = np.nonzero(change[:, :-1] & on[:, 1:])
    back = np.minimum(soon[lanes, at + 1], end[lanes, at + 1])
    found[lanes, motion.section[lanes, at]] = motion.times[back] - motion.times[at]
    return found


def _next(mask: Array, rows: Array) -> Array:
    """From each row on, the first one in which it holds; the last where it never does."""
    return np.minimum.accumulate(np.where(mask, rows, rows[-1])[:, ::-1], axis=1)[:, ::-1]


def _from_path(motion: TaskMotion) -> Array:
    """How far the tool is from the path: the pieces of it about the section that is meant (m)."""
    ends = motion.frames[..., :3, 3]
    way = np.einsum("ni,ni->n", motion.frames[:, 0, :3, 0], ends[:, 0] - motion.poses[:, 0, :3, 3])
    first = ends[:, 0] - way[:, np.newaxis] * motion.frames[:, 0, :3, 0]
    corners = np.concatenate(
        [
            np.broadcast_to(first[:, np.newaxis], (len(first), 1, 3)),
            np.broadcast_to(ends, (len(first), *ends.shape[1:])),
        ],
        axis=1,
    )
    lanes, least = np.arange(len(corners))[:, np.newaxis], np.full(motion.section.shape, np.inf)
    for beside in (-1, 0, 1):
        piece = np.clip(motion.section + beside, 0, corners.shape[1] - 2)
        start, end = corners[lanes, piece], corners[lanes, piece + 1]
        along = end - start
        share = np.sum((motion.poses[..., :3, 3] - start) * along, -1) / np.maximum(np.sum(along**2, -1), 1e-18)
        nearest = start + np.clip(share, 0.0, 1.0)[..., np.newaxis] * along
        least = np.minimum(least, np.linalg.norm(motion.poses[..., :3, 3] - nearest, axis=-1))
    return least


# ---------------------------------------------------------------- what it took


def _efforts(run: Run, on: Array) -> dict[str, Array]:
    """Of motors, until it stops."""
    tau, v, times = lanes_of(run, "motor_force"), lanes_of(run, "v"), run.times["q"]
    effort = np.asarray(run.plant.robot.limits.effort, float)
    limits = np.where(effort > 0, effort, np.inf)
    span = times[0] if len(times) < 2 else times[1] - times[0]
    count = np.maximum(on.sum(axis=1), 1)
    squares = np.sum(np.where(on[..., np.newaxis], tau, 0.0) ** 2, axis=1)
    moved = np.abs(np.diff(tau, axis=1)) @ (1 / limits)
    return {
        "torque_rms_share": np.sqrt(squares / count[:, np.newaxis]) / limits,
        "work_J": span * np.sum(np.where(on, np.maximum(tau * v, 0.0).sum(axis=-1), 0.0), axis=1),
        "activity": np.sum(np.where(on[:, 1:], moved, 0.0), axis=1) / (span * count),
    }


def _margin(run: Run) -> Array:
    """How near joints of one coordinate came to their limits."""
    robot, q = run.plant.robot, lanes_of(run, "q")
    single = [name for name, at in robot.q_index.items() if at.stop - at.start == 1]
    at, along = [robot.q_index[name].start for name in single], [robot.v_index[name].start for name in single]
    low, high = robot.limits.lower[along], robot.limits.upper[along]
    return np.minimum(q[..., at] - low, high - q[..., at]).min(axis=(1, 2), initial=np.inf)


def _events(run: Run, names: Sequence[str], times: Array, stop: Array) -> tuple[tuple[tuple[float, str], ...], ...]:
    """When each began, lane by lane, until it stops."""
    if not names:
        return ((),) * len(stop)
    bits = lanes_of(run, "events").astype(np.int64)
    found: list[list[tuple[float, str]]] = [[] for _ in stop]
    for k, name in enumerate(names):
        seen = (bits >> k) & 1
        for lane, row in zip(*np.nonzero(np.diff(seen, axis=1, prepend=0) > 0), strict=True):
            if row <= stop[lane]:
                found[lane].append((float(times[row]), name))
    return tuple(tuple(sorted(own)) for own in found)


# ---------------------------------------------------------------- rows


def _first(mask: Array) -> Array:
    """The first row of each lane in which it holds; the number of rows where it never does."""
    return np.where(mask.any(axis=1), mask.argmax(axis=1), mask.shape[1])


def _times(motion: TaskMotion, rows: Array) -> Array:
    return np.append(motion.times, np.nan)[rows]


def _most(values: Array, rows: Array) -> Array:
    """The largest in these rows; NaN where there is none."""
    return np.where(rows.any(axis=1), np.max(np.where(rows, values, -np.inf), axis=1), np.nan)


def _share(held: Array, rows: Array) -> Array:
    """In how many of these rows it held; NaN where there is none."""
    count = rows.sum(axis=1)
    return np.where(count > 0, np.sum(held & rows, axis=1) / np.maximum(count, 1), np.nan)
