"""Which modes does a lazy task go through? Tables of specs/lazy-control.md §2.13, chosen by what a task asks.

    STOP_MOTION              joints are held where they were stopped; a task starts here and ends here
    START_TO_CRUISE          into the tube, at no speed along it; nothing is tolerated on the way
    CRUISE_THROUGH_TUBE      along the tube at its speed; what is inside is left alone
    TRANSITION_PATH_SECTION  one cycle: the next frame of a path counts from the cycle after it
    APPROACH_SURFACE         along z of the force frame at a speed, until something is touched
    ALIGN_WITH_SURFACE       pressed onto it without sliding, until moments have been nulled for a while

What differs from mode to mode are numbers (`Behaviour`), never structure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from motionc.control.machine import Machine
from motionc.control.row import ANY, Row
from motionc.tasks.directions import Task, stops_of
from motionc.tasks.forces import LOST, Forces
from motionc.tasks.specification import Contact, Goal, Path, Timeout

STOP, START, CRUISE = "STOP_MOTION", "START_TO_CRUISE", "CRUISE_THROUGH_TUBE"
TRANSITION = "TRANSITION_PATH_SECTION"
APPROACH, ALIGN = "APPROACH_SURFACE", "ALIGN_WITH_SURFACE"
SURE = {"joint_limit": 0.02}
"""For how long (s) some events are seen before they count: noise is no motion of a joint that rests at its limit."""


@dataclass(frozen=True)
class Behaviour:
    """What a mode has of what all have.

    Args:
        rows: whether rows of motion hold.
        pace: how much of the task's speed is asked for.
        tolerant: whether errors within a tube count as none.
        still: whether no motion is asked for across x, in place of a tube.
        presses: whether forces are asked for, in place of the speed with which a surface is come to.
    """

    rows: float = 1.0
    pace: float = 1.0
    tolerant: float = 1.0
    still: float = 0.0
    presses: float = 1.0


BEHAVIOURS: Mapping[str, Behaviour] = {
    STOP: Behaviour(rows=0.0, pace=0.0, tolerant=0.0),
    START: Behaviour(pace=0.0, tolerant=0.0),
    CRUISE: Behaviour(),
    TRANSITION: Behaviour(),
    APPROACH: Behaviour(pace=0.0, still=1.0, presses=0.0),
    ALIGN: Behaviour(pace=0.0, still=1.0),
}


def machine_of(task: Task, *, guards: Sequence[str] = (), dt: float) -> Machine:
    """The table of a task: what stops it comes first, or does not let it start, then what it waits for.

    Args:
        task: what is asked.
        guards: events of monitors that stop it from any mode, besides those of the task.
        dt: seconds a cycle.
    """
    forces = Forces.of(task)
    touched = "contact_x_y" if forces else "contact"
    endings = [name for name, kind in (("timeout", Timeout), (touched, Contact)) if stops_of(task, kind)]
    stops = [Row(ANY, event, STOP, held=SURE.get(event, 0.0)) for event in (*guards, *endings)]
    sudden = [event for event in (*guards, *endings) if event not in (*SURE, "timeout")]
    refused = [Row(STOP, (event, "initialized"), STOP) for event in sudden]
    outside = ("out_of_goal_area",) if stops_of(task, Goal) else ()
    rows = (
        *stops,
        *refused,
        *_surfaces(forces, outside),
        *([] if forces.align else [Row(STOP, ("initialized", *outside, "within_tube"), CRUISE)]),
        Row(STOP, ("initialized", *outside), ALIGN if forces.align else START),
        Row(START, "within_tube", CRUISE),
        *_goals(task),
        *([Row(mode, "no_contact", APPROACH, held=LOST) for mode in (START, CRUISE)] if forces.approach else []),
        Row(CRUISE, "out_of_tube", START),
    )
    resets = {ALIGN: ("align_error_ticks",)} if forces.align else {}
    named = dict.fromkeys(event for row in rows for event in row.events)
    known = {state for row in rows for state in (row.from_, row.to)}
    return Machine(tuple(state for state in BEHAVIOURS if state in known), rows, tuple(named), resets=resets, dt=dt)


def _surfaces(forces: Forces, outside: Sequence[str]) -> list[Row]:
    """How a surface is come to, and a tool laid on it."""
    rows = list[Row]()
    if forces.approach:
        rows.append(Row(STOP, ("initialized", *outside, "no_contact"), APPROACH))
        rows.append(Row(APPROACH, "contact_z", ALIGN if forces.align else START))
    if forces.align:
        rows += [Row(ALIGN, "align_done", START), Row(ALIGN, "align_error", STOP)]
    return rows


def _goals(task: Task) -> list[Row]:
    """Where cruising ends."""
    if isinstance(task, Path):
        return [
            Row(CRUISE, "final_goal_area", STOP),
            Row(CRUISE, "section_covered", TRANSITION),
            Row(TRANSITION, "section_changed", CRUISE),
        ]
    return [Row(CRUISE, "goal_area", STOP)] if stops_of(task, Goal) else []
