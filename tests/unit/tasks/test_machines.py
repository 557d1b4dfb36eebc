"""Machines of lazy tasks: every row of specs/lazy-control.md §2.13, every end from every mode, nothing else."""

from itertools import product

import numpy as np
import pytest

import motionc as mc
from motionc.tasks import (
    Align,
    Approach,
    Contact,
    Force,
    Goal,
    Hold,
    Moment,
    Move,
    Orientation,
    Path,
    Speed,
    Timeout,
    Tube,
)
from motionc.tasks.machines import BEHAVIOURS, machine_of
from rows import row

STOP, START, CRUISE = "STOP_MOTION", "START_TO_CRUISE", "CRUISE_THROUGH_TUBE"
TRANSITION, APPROACH, ALIGN = "TRANSITION_PATH_SECTION", "APPROACH_SURFACE", "ALIGN_WITH_SURFACE"
ENDS = [Goal(0.03), Contact(0.5), Timeout(9.0)]
TUBES = {"x": Speed(0.05, 0.005), "y": Tube(0.01), "z": Tube(0.01)}
MOVE = Move("link_7", "T", **TUBES, until=ENDS)
PATH = Path(MOVE, 4)
CLEAN = Move(
    *("link_7", "T"),
    force_frame="link_7",
    x=Speed(0.03, 0.003),
    y=Tube(0.07),
    z=Force(5.0, 0.5),
    ax=Moment(0.0, 0.05),
    ay=Moment(0.0, 0.05),
    approach=Approach(Speed(0.02, 0.005), 1.0),
    align=Align(0.5, 5.0),
    until=[Goal(0.03), Contact(3.0, along="xy"), Timeout(20.0)],
)
# what §2.13 says of each use case: from, what is seen, to
OF_A_MOVE = [
    (STOP, {"initialized", "out_of_goal_area", "out_of_tube"}, START),
    (STOP, {"initialized", "out_of_goal_area", "within_tube"}, CRUISE),
    (STOP, {"out_of_goal_area", "within_tube"}, STOP),
    (START, {"within_tube", "out_of_goal_area"}, CRUISE),
    (START, {"out_of_tube", "out_of_goal_area"}, START),
    (CRUISE, {"out_of_tube", "out_of_goal_area"}, START),
    (CRUISE, {"within_tube", "out_of_goal_area"}, CRUISE),
]
TABLES = {
    "move": (MOVE, [*OF_A_MOVE, (STOP, {"initialized", "goal_area"}, STOP), (CRUISE, {"goal_area"}, STOP)]),
    "path": (
        PATH,
        [
            *OF_A_MOVE,
            (CRUISE, {"section_covered", "within_tube"}, TRANSITION),
            (TRANSITION, {"section_changed", "out_of_tube"}, CRUISE),
            (CRUISE, {"final_goal_area"}, STOP),
            (STOP, {"initialized", "final_goal_area"}, STOP),
        ],
    ),
    "clean": (
        CLEAN,
        [
            (STOP, {"initialized", "out_of_goal_area", "no_contact", "within_tube"}, APPROACH),
            (APPROACH, {"no_contact", "within_tube"}, APPROACH),
            (APPROACH, {"contact_z"}, ALIGN),
            (ALIGN, {"contact_z"}, ALIGN),
            (ALIGN, {"align_done"}, START),
            (ALIGN, {"align_error"}, STOP),
            *OF_A_MOVE[3:],
            (CRUISE, {"goal_area"}, STOP),
        ],
    ),
}
LOST = "no_contact"
"""What must last before it counts."""


@row("lazy-control", 23)
@pytest.mark.parametrize("which", TABLES)
def test_every_row_of_the_table_is_taken_and_no_other(which) -> None:
    task, table = TABLES[which]
    machine = machine_of(task, dt=1 / 630)
    known = set(machine.events)
    for before, events, after in table:
        assert machine.next(before, events & known).state == after, (before, events)


@row("lazy-control", 23)
@pytest.mark.parametrize("which", TABLES)
def test_every_end_stops_from_every_mode_whatever_else_is_seen(which) -> None:
    task, _ = TABLES[which]
    machine = machine_of(task, guards=("too_fast", "sensor_lost"), dt=1 / 630)
    ends = {"timeout", "too_fast", "sensor_lost", "contact_x_y" if which == "clean" else "contact"}
    others = [event for event in machine.events if event not in ends and event != LOST]
    for mode, end in product(machine.states, ends):
        for also in ((), others):
            if (mode, end) != (STOP, "timeout"):
                assert machine.next(mode, [end, *also]).state == STOP, (mode, end)


@row("lazy-control", 23)
def test_contact_that_is_lost_while_cruising_is_come_to_again_where_it_lasts() -> None:
    machine = machine_of(CLEAN, dt=0.01)
    for mode in (START, CRUISE):
        now = machine.next(mode, [LOST])
        assert now.state == mode
        for _ in range(6):
            now = machine.next(now, [LOST])
        assert now.state == APPROACH


def test_a_joint_limit_stops_only_where_it_is_seen_for_longer_than_noise_lasts() -> None:
    machine = machine_of(MOVE, guards=("joint_limit",), dt=0.005)
    now, seen = machine.next(CRUISE, ["joint_limit"]), 1
    assert now.state == CRUISE
    while now.state == CRUISE:
        now, seen = machine.next(now, ["joint_limit"]), seen + 1
    assert (now.state, seen) == (STOP, 5)
    assert machine.next(machine.next(CRUISE, ["joint_limit"]), []).state == CRUISE
    assert machine.next(STOP, ["initialized", "out_of_goal_area", "joint_limit"]).state == START


def test_modes_differ_in_numbers_alone() -> None:
    assert BEHAVIOURS[STOP].rows == 0.0
    assert all(BEHAVIOURS[mode].rows == 1.0 for mode in BEHAVIOURS if mode != STOP)
    assert (BEHAVIOURS[START].pace, BEHAVIOURS[START].tolerant) == (0.0, 0.0)
    assert BEHAVIOURS[CRUISE] == BEHAVIOURS[TRANSITION]


def test_a_task_without_an_end_runs_on() -> None:
    machine = machine_of(Hold("link_7", "T", position=Tube(0.01), orientation=Orientation(0.1)), dt=1e-3)
    assert machine.next(STOP, ["initialized", "within_tube"]).state == CRUISE
    assert not any(row.to == STOP for row in machine.rows)


@row("lazy-control", 23)
@pytest.mark.parametrize(("beside", "mode"), [(0.0, CRUISE), (0.02, START)])
def test_who_starts_in_the_tube_cruises_in_the_first_cycle(beside, mode) -> None:
    """Half a metre before its goal, in the middle of the tube or beside it; the compiled machine, interpreted."""
    robot = mc.load("lwr4")
    cycle = mc.tasks.lazy(robot, Move("link_7", "T", **TUBES, until=[Goal(0.03)]), rate=630)
    q = np.array([0.2, 0.5, 0.1, -1.2, 0.3, 0.6, 0.0])
    T = mc.forward_kinematics(robot, "link_7").run(q)[0] @ mc.placed((0.5, beside, 0.0))
    out = cycle.run(q, np.zeros(7), T, *cycle.start())
    assert cycle.machine.states[int(out.mode)] == mode
    assert "initialized" in cycle.seen(out.events)
    again = cycle.run(q, np.zeros(7), T, *(out[state.name] for state in cycle.states))
    assert "initialized" not in cycle.seen(again.events)
