"""Controllers operated on robots: what is read, told and carried on, and that whatever goes wrong ends in a stop."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import Nameplate, Reading, Stopped, Tolerance, operate

Array = np.ndarray[Any, np.dtype[np.float64]]

ROBOT = mc.load("planar2")
LAW = mc.control.pd(ROBOT, 20.0, 5.0)
TARGET = {"target": np.array([0.3, 0.1])}


class Scripted:
    """A robot whose states are written down; it remembers what it was told, and in which order. Nobody is ever late."""

    def __init__(self, states: Sequence[Any], period: float = 60.0, **plate: Any) -> None:
        self.nameplate = Nameplate.of(ROBOT, plate.pop("command", "tau"), period, **plate)
        self.states, self.calls, self.told = list(states), list[str](), list[Array]()

    def open(self) -> None:
        self.calls.append("open")

    def read(self, timeout: float) -> Reading | None:
        return self.states.pop(0) if self.states else None

    def write(self, command: Array) -> None:
        self.told.append(command)

    def stop(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")


def state(number: int, **changes: Any) -> Reading:
    q = np.array([0.01 * number, 0.1])
    return Reading(number, 5.0 + 1e-3 * number, q, np.array([1.0, -1.0]))._replace(**changes)


STATES = [state(k) for k in range(10)]
NAN = np.array([np.nan, 0.0])


def test_each_state_is_answered_with_what_the_controller_makes_of_it() -> None:
    robot = Scripted(STATES)
    done = operate(robot, LAW, TARGET, cycles=10, log=["q", "tau"])
    expected = [20.0 * (TARGET["target"] - s.q) - 5.0 * s.v for s in STATES]
    np.testing.assert_allclose(robot.told, expected, atol=1e-12)
    np.testing.assert_array_equal(done["tau"], robot.told)
    np.testing.assert_array_equal(done["q"], [s.q for s in STATES])
    np.testing.assert_allclose(done.times, 1e-3 * np.arange(10), atol=1e-12)
    assert (done.ended, done.cycles, done.response.count, done.spacing.count) == ("done", 10, 10, 9)
    assert done.response.deadline == pytest.approx(60.0)
    assert robot.calls == ["open", "stop", "close"]


def summing() -> mc.Computation:
    """Motor forces that are the sum of all times so far."""
    total = mc.State("total", (), "s", "sum of times", start=100.0)
    ports = [mc.Port(name, (), "s", "a clock") for name in ("time", "stamp")]
    tau = mc.Port("tau", (2,), "N m", "told")
    ends = mc.Port("ends", (), "1", "1 where it ends")

    def tick(time: Any, stamp: Any, total: Any) -> dict[str, Any]:
        after = total + time + stamp
        return {"tau": [after, 1.0], "ends": after > 100.03, "total": after}

    return mc.block("summing", tick, [*ports, total], [tau, ends])


def test_state_is_carried_on_and_times_are_those_of_the_robot_in_lockstep() -> None:
    robot, controller = Scripted(STATES), summing()
    done = operate(robot, controller, cycles=10)
    sums = 100.0 + 2 * np.cumsum(1e-3 * np.arange(10))
    np.testing.assert_allclose([told[0] for told in robot.told], sums, atol=1e-9)
    again = Scripted(STATES)
    operate(again, controller, cycles=1, state=done.state)
    assert again.told[0][0] == robot.told[-1][0]
    ended = operate(Scripted(STATES), controller, cycles=10, until="ends")
    assert (ended.ended, ended.cycles) == ("until", 1 + int(np.argmax(sums > 100.03)))


def test_what_is_given_may_change_with_time() -> None:
    robot = Scripted(STATES)
    operate(robot, LAW, {"target": lambda time: [time, 0.0]}, cycles=10)
    expected = [20.0 * (np.array([1e-3 * s.number, 0.0]) - s.q) - 5.0 * s.v for s in STATES]
    np.testing.assert_allclose(robot.told, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("states", "tolerance", "ended", "cycles", "happened"),
    [
        (STATES[:4], Tolerance(timeout=0.01), "lost", 4, {"lost": 1}),
        ([*STATES[:2], None, None, *STATES[2:]], Tolerance(lost=2), "done", 10, {"lost": 2}),
        ([*STATES[:2], None, STATES[2], None, *STATES[3:]], Tolerance(lost=1), "done", 10, {"lost": 2}),
        ([*STATES[:2], None, None, *STATES[2:]], Tolerance(lost=1), "lost", 2, {"lost": 2}),
        ([STATES[0], *STATES[3:]], Tolerance(missed=1), "missed", 1, {"missed": 2}),
        ([STATES[0], *STATES[2:4], *STATES[5:]], Tolerance(missed=1, lost=0), "lost", 8, {"missed": 2, "lost": 1}),
        ([STATES[0], state(1, q=NAN), STATES[2]], Tolerance(), "not_finite", 1, {"not_finite": 1}),
        ([STATES[0], state(1, v=NAN), STATES[2]], Tolerance(), "not_finite", 1, {"not_finite": 1}),
        ([STATES[0], state(1, q=NAN), *STATES[2:4]], Tolerance(not_finite=1), "lost", 3, {"not_finite": 1, "lost": 1}),
        ([STATES[0], state(1, stopped=Stopped.NO_COMMAND)], Tolerance(), "stopped", 1, {"stopped": 1}),
    ],
)
def test_what_goes_wrong_is_an_event_and_ends_in_a_stop_where_it_is_not_tolerated(
    states: Any, tolerance: Tolerance, ended: str, cycles: int, happened: dict[str, int]
) -> None:
    robot = Scripted(states)
    done = operate(robot, LAW, TARGET, cycles=10, tolerance=tolerance)
    assert (done.ended, done.cycles, dict(done.happened)) == (ended, cycles, happened)
    assert {event.name for event in done.events} == {*happened}
    assert len(robot.told) == cycles
    assert robot.calls == ["open", "stop", "close"]


@pytest.mark.parametrize("broken", ["q", "v"])
def test_a_state_that_is_no_number_is_told_from_a_command_and_stops_who_does_not_read_it_too(broken: str) -> None:
    tau = mc.Port("tau", (2,), "N m", "of motors")
    blind = mc.block("blind", lambda start: {"tau": [start[0], 0.0]}, [mc.Port("start", (2,), "rad", "…")], [tau])
    robot = Scripted([STATES[0], state(1, **{broken: NAN}), *STATES[2:]])
    done = operate(robot, blind, {"start": [0.1, 0.2]}, cycles=10)
    assert (done.ended, len(robot.told), done.events[-1].words) == ("not_finite", 1, "a state is no number")


def test_a_command_that_is_no_number_is_not_written() -> None:
    tau = mc.Port("tau", (2,), "N m", "of motors")
    root = mc.block("root", lambda q: {"tau": [(0.035 - q[0]).sqrt(), 0.0]}, [LAW.inputs[0]], [tau])
    robot = Scripted(STATES)
    done = operate(robot, root, cycles=10)
    assert (done.ended, done.cycles, len(robot.told)) == ("not_finite", 4, 4)
    assert done.events[-1].words == "a command is no number; it was not written"
    assert np.all(np.isfinite(robot.told))


def test_commands_that_take_longer_than_a_period_are_late() -> None:
    slow = {5: 0.12, 6: 0.12}

    def target(time_: float) -> list[float]:
        time.sleep(slow.get(round(1e3 * time_), 0.0))
        return [0.0, 0.0]

    done = operate(Scripted(STATES, period=0.1), LAW, {"target": target}, cycles=10)
    assert (done.ended, done.response.missed, done.happened["late"]) == ("done", 2, 2)
    assert [event.cycle for event in done.events] == [6, 7]
    assert done.response.worst >= 0.12
    strict = operate(Scripted(STATES, period=0.1), LAW, {"target": target}, cycles=10, tolerance=Tolerance(late=1))
    assert (strict.ended, strict.cycles) == ("late", 7)


def test_by_the_clock_a_controller_reads_its_own_time_beside_the_stamp() -> None:
    clocks = mc.block(
        "clocks",
        lambda time, stamp: {"tau": [time, stamp]},
        [mc.Port(name, (), "s", "a clock") for name in ("time", "stamp")],
        [mc.Port("tau", (2,), "N m", "of motors")],
    )

    class Slow(Scripted):
        def read(self, timeout: float) -> Reading | None:
            time.sleep(0.01)
            return super().read(timeout)

    robot = Slow(STATES[:4], pace="clock")
    operate(robot, clocks, cycles=4)
    times, stamps = np.transpose(robot.told)
    np.testing.assert_allclose(stamps, 1e-3 * np.arange(4), atol=1e-12)
    assert times[0] == 0
    assert np.all(np.diff(times) >= 0.01)


def test_a_robot_is_stopped_whatever_a_controller_raises() -> None:
    def target(time: float) -> Any:
        raise RuntimeError("broken")

    robot = Scripted(STATES)
    with pytest.raises(RuntimeError, match="broken"):
        operate(robot, LAW, {"target": target}, cycles=10)
    assert robot.calls == ["open", "stop", "close"]


def test_rows_and_events_are_written_down_as_they_happen() -> None:
    class Book:
        def __init__(self) -> None:
            self.rows, self.marks = list[Any](), list[Any]()

        def log(self, time: float, **values: Any) -> None:
            self.rows.append((round(time, 9), sorted(values)))

        def mark(self, time: float, name: str) -> None:
            self.marks.append((round(time, 9), name))

    book = Book()
    operate(Scripted(STATES[:3]), LAW, TARGET, cycles=10, log=["tau", "v"], recorder=book)
    assert book.rows == [(1e-3 * k, ["tau", "v"]) for k in range(3)]
    assert book.marks == [(0.002, "lost")]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"controller": print}, "give a computation"),
        ({"given": {}}, "operate: target is missing, which pd reads: configuration to go to"),
        ({"given": {"target": [0.0]}}, r"operate: target=\[0.0\]; give finite numbers of shape \(2,\)"),
        ({"given": {**TARGET, "q": [0, 0]}}, "given: pd takes no 'q'"),
        ({"given": {**TARGET, "targets": 1}}, "takes no 'targets'; did you mean target"),
        ({"log": ["tua"]}, "nothing called 'tua'; did you mean tau"),
        ({"until": "end"}, "nothing called 'end'"),
        ({"state": {"bias": 1}}, "state: pd carries no 'bias'"),
        ({"seconds": 1.0}, "either cycles= or seconds="),
        ({"cycles": None}, "either cycles= or seconds="),
        ({"tolerance": 3}, "give mc.control.Tolerance"),
        ({"controller": mc.control.pd(mc.load("planar3"), 1.0, 1.0), "given": {"target": [0] * 3}}, "make it of the"),
        ({"controller": mc.gravity_forces(ROBOT), "given": {}}, "is told tau, and gravity_forces gives g"),
    ],
)
def test_what_cannot_be_operated_is_refused_and_leaves_the_robot_stopped(how: dict[str, Any], words: str) -> None:
    robot = Scripted(STATES)
    asked: dict[str, Any] = {"controller": LAW, "given": TARGET, "cycles": 1, **how}
    with pytest.raises(mc.Error, match=words):
        operate(robot, asked.pop("controller"), asked.pop("given"), **asked)
    assert robot.calls in ([], ["open", "stop", "close"])


def test_a_robot_that_is_told_velocities_takes_what_is_called_so() -> None:
    still = mc.block(
        "still",
        lambda v: {"tau": v, "v_command": -v},
        [LAW.inputs[1]],
        [mc.Port(name, (2,), "1", name) for name in ("tau", "v_command")],
    )
    robot = Scripted(STATES, command="v_target")
    operate(robot, still, cycles=3)
    np.testing.assert_array_equal(robot.told, [-s.v for s in STATES[:3]])


def test_a_wrench_is_read_where_the_robot_measures_one() -> None:
    push = mc.block(
        "push",
        lambda wrench: {"tau": wrench[:2]},
        [mc.Port("wrench", (6,), "N m, N", "felt")],
        [mc.Port("tau", (2,), "N m", "of motors")],
    )
    robot = Scripted([state(k, wrench=np.full(6, float(k))) for k in range(3)], wrench="tool")
    operate(robot, push, cycles=3)
    np.testing.assert_array_equal(robot.told, [[k, k] for k in range(3)])
    with pytest.raises(mc.Error, match="push reads a wrench, and planar2 measures none"):
        operate(Scripted(STATES), push, cycles=3)
    robot = Scripted(STATES)
    operate(robot, push, {"wrench": np.full(6, 2.0)}, cycles=3)
    np.testing.assert_array_equal(robot.told, np.full((3, 2), 2.0))


@pytest.mark.parametrize(("how", "words"), [({"lost": -1}, "lost=-1"), ({"timeout": 0}, "timeout=0")])
def test_tolerances_are_counts(how: dict[str, Any], words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        Tolerance(**how)
