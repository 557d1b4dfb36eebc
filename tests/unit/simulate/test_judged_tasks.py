"""Judges of tasks: what they say of runs whose every row is known by hand."""

import numpy as np
import pytest

import motionc as mc
from gantry import DT, carried, gantry
from motionc.simulate.judged_tasks import JudgedTask, horizon_law, judged_task
from motionc.simulate.task_motion import task_motion
from motionc.tasks import Goal, Move, Override, Path, Speed, Tube

MODES = ("STOP_MOTION", "START_TO_CRUISE", "CRUISE_THROUGH_TUBE")
EVENTS = ("timeout", "within_tube", "goal_area")
TASK = mc.tasks.Move(
    "tool",
    "T",
    x=mc.tasks.Speed(0.5, 0.05),
    y=mc.tasks.Tube(0.1),
    z=mc.tasks.Tube(0.1),
    until=[mc.tasks.Goal(0.0575), mc.tasks.Timeout(9.0)],
)
T = np.eye(4)
T[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]  # X of the task is y of the world, Y is z, Z is x
T[:3, 3] = (0.2, 0.5, 0.0)


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> mc.Robot:
    return gantry(tmp_path_factory.mktemp("gantry"))


def _there_and_along(swerve: float = 0.0) -> np.ndarray:
    """30 rows across, down the world's x, by 0.01 each: then 100 along its y at 0.5 m/s; then 10 at rest."""
    rates = np.zeros((140, 3))
    rates[:30, 0] = -1.0
    rates[30:130, 1] = 0.5
    rates[60:65, 1] = 0.6  # beyond its band for five rows
    rates[80:84, 0], rates[84:88, 0] = swerve, -swerve
    return rates


@pytest.fixture(scope="module")
def judged(robot: mc.Robot) -> JudgedTask:
    mode = np.repeat([1, 2, 0], [23, 107, 10])
    events = np.zeros(140)
    events[22:130], events[130:] = 2, 2 + 4
    run = carried(robot, _there_and_along(), (0.5, 0.0, 0.0), {"T": T}, {"mode": mode, "events": events})
    return judged_task(run, TASK, modes=MODES, events=EVENTS, horizon=2.0)


def test_entry_and_goal_are_when_the_true_place_comes_there(judged: JudgedTask) -> None:
    # 0.3 beside the axis, 0.01 nearer each row: 0.095 is passed in the 21st row; 0.5 m to go, of which 0.4425 count
    assert judged.tube_entry_s == pytest.approx([21 * DT])
    gone = np.cumsum(_there_and_along()[:, 1]) * DT
    assert judged.goal_s == pytest.approx([(np.argmax(gone >= 0.4425) + 1) * DT])
    assert judged.stopped_s == pytest.approx([131 * DT])
    assert judged.state == ("STOP_MOTION",)
    assert judged.transitions == [2]


def test_speed_counts_while_cruising_and_by_the_true_speed(judged: JudgedTask) -> None:
    # of 107 rows of cruising seven are across and still, five too fast
    assert judged.speed_in_band == pytest.approx([(107 - 7 - 5) / 107])


def test_a_robot_that_waits_before_it_starts_has_not_stopped(robot: mc.Robot) -> None:
    mode, events = np.repeat([0, 1, 2, 0], [5, 18, 107, 10]), np.zeros(140)
    events[135:] = 1  # a timeout that nobody waits for any more
    run = carried(robot, _there_and_along(), (0.5, 0.0, 0.0), {"T": T}, {"mode": mode, "events": events})
    told = judged_task(run, TASK, modes=MODES, events=EVENTS)
    assert told.stopped_s == pytest.approx([131 * DT])
    assert told.events == ((),)


def test_events_are_told_when_they_begin(judged: JudgedTask) -> None:
    assert judged.events == (((23 * DT, "within_tube"), (131 * DT, "goal_area")),)
    assert judged.lane(0)["events"] == [[23 * DT, "within_tube"], [131 * DT, "goal_area"]]


def test_effort_work_and_activity_are_those_of_sums_done_by_hand(judged: JudgedTask, robot: mc.Robot) -> None:
    # 1 kg: each change of speed dv takes dv / dt in one row, until the 130th; work is done where force and speed agree
    rates = _there_and_along()
    tau = np.diff(np.concatenate([np.zeros((1, 3)), rates]), axis=0)[:130] / DT
    limits = np.array([400.0, 200.0, 100.0])
    assert judged.torque_rms_share[0] == pytest.approx(np.sqrt(np.mean(tau**2, axis=0)) / limits, rel=1e-6)
    # 100 N · 1 m/s, then 50 N · 0.5 m/s and 10 N · 0.6 m/s, a row each
    assert judged.work_J[0] == pytest.approx((100 * 1.0 + 50 * 0.5 + 10 * 0.6) * DT, rel=1e-6)
    # up to full in the first row is no change between rows: 100 and 50 in, out, 10 in, out …
    moved = (100 + 100 + 100) / 400 + (50 + 50 + 10 + 10 + 10 + 10) / 200
    assert judged.activity[0] == pytest.approx(moved / (130 * DT), rel=1e-6)


def test_the_margin_of_limits_is_that_of_the_nearest_joint(judged: JudgedTask) -> None:
    assert judged.limit_margin == pytest.approx([1 - 0.505], abs=1e-9)


def test_a_lower_limit_is_as_near_as_an_upper_one(robot: mc.Robot) -> None:
    down = judged_task(carried(robot, np.zeros((3, 3)), (-1.7, 0.5, 0.0), {"T": T}), TASK)
    assert down.limit_margin == pytest.approx([0.3], abs=1e-9)


def test_leaving_the_tube_counts_once_each_time_in_whatever_mode(robot: mc.Robot) -> None:
    for mode in (np.full(140, 2), np.full(140, 1)):
        run = carried(robot, _there_and_along(swerve=3.0), (0.5, -0.5, 0.0), {"T": T}, {"mode": mode})
        found = judged_task(run, TASK, modes=MODES)
        assert found.tube_violations_after_entry == [1]
        assert found.tube_used == pytest.approx([1.2])  # 12 cm at most in a tube of 10
    run = carried(robot, _there_and_along(swerve=2.0), (0.5, -0.5, 0.0), {"T": T})
    assert judged_task(run, TASK).tube_violations_after_entry == [0]


def test_the_law_of_the_horizon_takes_the_slowest_direction(robot: mc.Robot) -> None:
    run = carried(robot, np.zeros((3, 3)), (0.5, -0.5, 0.2), {"T": T})
    assert horizon_law(task_motion(run, TASK), 2.0) == pytest.approx([2.0 * np.log(0.3 / 0.095)])
    assert judged_task(run, TASK, horizon=2.0).law_s == pytest.approx([2.0 * np.log(0.3 / 0.095)])
    never = judged_task(run, TASK).lane(0)
    assert never["tube_entry_s"] is None
    assert never["goal_s"] is None
    assert never["tube_violations_after_entry"] == 0


def test_a_profile_is_asked_for_where_the_tool_is(robot: mc.Robot) -> None:
    wave = mc.tasks.Sine(0.1, 0.2, 3.0)
    way, rates = 1.0, np.zeros((100, 3))
    for k in range(100):
        rates[k, 1] = 0.1 + 0.2 * np.sin(3.0 * way) + (0.02 if k >= 60 else 0.0)
        way -= rates[k, 1] * DT
    task = mc.tasks.Move("tool", "T", x=mc.tasks.Speed(wave, 0.01))
    run = carried(robot, rates, (0.2, -0.5, 0.0), {"T": T})
    assert judged_task(run, task).speed_in_band == pytest.approx([(60 - 1) / 99])


def test_a_frame_that_is_told_wrt_a_link_goes_along_with_it(robot: mc.Robot) -> None:
    """The beam goes along x, and the tool along y of it: seen by the beam it never leaves the axis."""
    frame = T.copy()
    frame[:3, 3] = (0.0, 0.5, 0.0)
    task = Move("tool", "T", wrt="beam", x=Speed(0.5, 0.01), z=Tube(0.01), until=[Goal(0.101)])
    rates = np.zeros((100, 3))
    rates[:, 0], rates[:, 1] = 0.7, 0.5
    found = judged_task(carried(robot, rates, (-0.9, 0.0, 0.0), {"T": frame}), task)
    assert found.tube_entry_s == pytest.approx([DT])
    assert (found.tube_violations_after_entry, found.speed_in_band) == ([0], [1.0])
    assert found.tube_used == pytest.approx([0.0], abs=1e-9)
    assert found.goal_s == pytest.approx([80 * DT])


def test_of_a_path_sections_count_each_in_its_own_frame(robot: mc.Robot) -> None:
    """0.4 m along x, then 0.4 m along y, at 0.5 m/s; it rests for three rows at the corner, and swings wide by 3 cm."""
    second = np.eye(4)
    second[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    frames = np.array([np.eye(4), second])
    frames[0, :3, 3], frames[1, :3, 3] = (0.0, 0.0, 0.0), (0.0, 0.4, 0.0)
    move = mc.tasks.Move("tool", "T", x=mc.tasks.Speed(0.5, 0.05), y=mc.tasks.Tube(0.05), until=[mc.tasks.Goal(0.001)])
    rates = np.zeros((170, 3))
    rates[:80, 0], rates[83:163, 1] = 0.5, 0.5
    rates[100, 0], rates[120, 0] = 3.0, -3.0
    section = np.repeat([0, 1], [80, 90])
    run = carried(robot, rates, (-0.4, 0.0, 0.0), {"frames": frames}, {"section": section, "mode": np.full(170, 2)})
    found = judged_task(run, mc.tasks.Path(move, 2), modes=MODES)
    assert found.tube_entry_s == pytest.approx([DT])
    assert found.goal_s == pytest.approx([163 * DT])
    assert found.tube_violations_after_entry == [0]
    assert found.path_m == pytest.approx([0.03])
    assert found.recovery_s == pytest.approx(np.array([[4 * DT]]))
    wider = judged_task(
        carried(robot, 2 * rates, (-0.8, 0.0, 0.0), {"frames": frames * [[[1, 1, 1, 2]]]}, {"section": section}),
        mc.tasks.Path(move, 2),
    )
    assert wider.tube_violations_after_entry == [1]
    assert wider.path_m == pytest.approx([0.06])


def test_of_sections_that_differ_each_is_judged_by_its_own_numbers(robot: mc.Robot) -> None:
    """0.4 m at 0.5 m/s, then 0.2 m at 0.25 m/s, where the tube is half as wide, and the goal is a larger one."""
    frames = np.array([np.eye(4), np.eye(4)])
    frames[1, :3, 3] = (0.2, 0.0, 0.0)
    move = Move("tool", "T", x=Speed(0.5, 0.05), y=Tube(0.1), until=[Goal(0.001)])
    rates = np.zeros((160, 3))
    rates[:80, 0], rates[80:, 0] = 0.5, 0.25
    rates[20, 1], rates[40, 1] = 7.0, -7.0  # 7 cm beside it for 20 rows, in each of both
    rates[100, 1], rates[120, 1] = 7.0, -7.0
    logged = {"section": np.repeat([0, 1], [80, 80]), "mode": np.full(160, 2)}
    run = carried(robot, rates, (-0.4, 0.0, 0.0), {"frames": frames}, logged)
    alike = judged_task(run, Path(move, 2), modes=MODES)
    assert alike.tube_violations_after_entry == [0]
    assert alike.speed_in_band == pytest.approx([0.5])
    own = Override(2, x=Speed(0.25, 0.02), y=Tube(0.05), goal=Goal(0.051))
    found = judged_task(run, Path(move, 2, overrides=[own]), modes=MODES)
    assert found.speed_in_band == pytest.approx([1.0])
    assert found.tube_violations_after_entry == [1]
    assert found.tube_used == pytest.approx([1.4])
    assert found.goal_s == pytest.approx([(80 + 60) * DT])
    last = judged_task(run, Path(move, 2, last=Goal(0.101)), modes=MODES)
    assert last.goal_s == pytest.approx([(80 + 40) * DT])


def test_turning_away_counts_as_much_as_moving_away() -> None:
    arm = mc.load("planar2")
    plant = mc.simulate.Plant(arm, 0.01, gravity=(0, 0, 0))
    start = mc.forward_kinematics(arm, "tip")([0.3, 0.2])[0]
    task = mc.tasks.Move("tip", "T", orientation=mc.tasks.Orientation(0.1))
    loop = mc.simulate.closed(
        plant,
        mc.block(
            "still",
            lambda tau_in, T: {"tau": tau_in},
            [mc.Port("tau_in", (2,), "N m, N", "…"), mc.Port("T", (4, 4), "1", "…")],
            [plant.command],
        ),
        log=["q", "v", "motor_force"],
    )
    run = loop(plant.start([0.3, 0.2], [0.05, 0.05]), tau_in=[0.0, 0.0], T=start, seconds=2.0)
    turned = np.abs(run.q.sum(axis=1) - 0.5)
    found = judged_task(run, task)
    assert found.tube_violations_after_entry == [1]
    assert found.tube_used == pytest.approx([turned.max() / 0.1], rel=1e-6)


def test_many_lanes_are_each_what_they_are_alone(robot: mc.Robot) -> None:
    plant = mc.simulate.Plant(robot, DT, gravity=(0, 0, 0))
    frame = mc.Port("T", (4, 4), "1", "…")
    pushed = mc.block(
        "pushed", lambda push, T: {"tau": push}, [mc.Port("push", (3,), "N m, N", "…"), frame], [plant.command]
    )
    loop = mc.simulate.closed(plant, pushed, log=["q", "v", "motor_force"])
    starts = {"q": np.array([[0.25, -0.5, 0.0], [0.2, 0.0, 0.05]]), "v": np.zeros((2, 3))}
    pushes = np.array([[0.0, 0.4, 0.1], [0.1, 0.2, 0.0]])
    many = judged_task(loop.batch(starts, push=pushes, T=T, seconds=1.0, lanes=2), TASK)
    for k in range(2):
        start = {name: values[k] for name, values in starts.items()}
        alone = judged_task(loop(start, push=pushes[k], T=T, seconds=1.0), TASK)
        assert _alike(many.lane(k), alone.lane(0))
    both = JudgedTask.joined([many, many])
    assert both.lanes == 4
    assert _alike(both.lane(3), many.lane(1))
    with pytest.raises(mc.Error, match="there are 2"):
        many.lane(2)


def _alike(one: dict, other: dict) -> bool:
    return all(
        np.allclose(value, other[name], rtol=1e-9, equal_nan=True)
        if isinstance(value, float | list) and name != "events"
        else value == other[name]
        for name, value in one.items()
    )


def test_what_was_not_logged_or_given_is_said(robot: mc.Robot) -> None:
    run = carried(robot, np.zeros((3, 3)), (0.5, -0.5, 0.2), {"T": T})
    with pytest.raises(mc.Error, match="mode, which was not logged"):
        judged_task(run, TASK, modes=MODES)
    with pytest.raises(mc.Error, match="frame S, which the run was not given"):
        judged_task(run, mc.tasks.Move("tool", "S", y=mc.tasks.Tube(0.1)))


def test_a_lane_that_diverges_has_reached_no_goal(robot: mc.Robot) -> None:
    rates = _there_and_along()
    mode = {"mode": np.repeat([1, 2, 0], [23, 107, 10])}
    assert np.isfinite(judged_task(carried(robot, rates, (0.5, 0.0, 0.0), {"T": T}, mode), TASK, modes=MODES).goal_s)
    rates[-3:] = np.nan
    flung = judged_task(carried(robot, rates, (0.5, 0.0, 0.0), {"T": T}, mode), TASK, modes=MODES)
    assert np.isnan(flung.goal_s)
    assert np.isnan(flung.limit_margin)


def test_a_goal_counts_after_entry_alone(robot: mc.Robot) -> None:
    # along first, 0.3 beside the axis, then across into the tube: it is there when the tube is entered, not before
    rates = np.zeros((140, 3))
    rates[:100, 1], rates[100:130, 0] = 0.5, -1.0
    told = judged_task(carried(robot, rates, (0.5, 0.0, 0.0), {"T": T}), TASK)
    assert told.tube_entry_s == pytest.approx([121 * DT])
    assert told.goal_s == pytest.approx([121 * DT])


def test_an_angle_is_counted_from_the_one_that_is_asked_for(robot: mc.Robot) -> None:
    # the gantry's tool has the world's axes: seen by a frame that is turned by 0.3 about z it points to -0.3
    turned = mc.placed((0.5, 0.0, 0.0), (0.0, 0.0, 0.3))
    run = carried(robot, np.zeros((5, 3)), (0.5, 0.0, 0.0), {"T": turned})
    entries = [
        judged_task(
            run, mc.tasks.Move("tool", "T", x=mc.tasks.Speed(0.5, 0.05), az=mc.tasks.Angle(angle, 0.1))
        ).tube_entry_s
        for angle in (-0.3, 0.3)
    ]
    assert np.isfinite(entries).ravel().tolist() == [True, False]
