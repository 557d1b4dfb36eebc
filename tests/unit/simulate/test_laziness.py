"""Laziness: a lazy task beside stiff trackers on the same plants; work against the energy that plants really have."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import LimitSprings, Rest
from motionc.geometry.lie import nearest_rotation
from motionc.simulate.control_numbers import Control
from motionc.simulate.experiment import Experiment
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.judged_tasks import judged_task
from motionc.simulate.laziness import LAZY, Laziness, laziness_of, tracked
from motionc.simulate.rig import Rig
from rows import row
from small_experiment import small_experiment

PLANTS = 8
SIX, THREE = "stiff, six rows", "stiff, three rows"
START = [2.967, 1.023, -0.131, 1.612, 0.221, 0.177, 0.015]
T = np.eye(4)
T[:3, :3] = nearest_rotation([[-0.432, 0.730, 0.527], [-0.730, 0.058, -0.679], [-0.527, -0.679, 0.508]])
T[:3, 3] = (-0.200, -0.308, 0.632)
RUBS = {"viscous": (5, 5, 3, 3, 2, 1, 1), "coulomb": (2, 2, 1, 1, 1, 0.5, 0.5)}
NOISE = {"position_noise": 1e-5, "velocity_noise": 1e-3}
VARIED = {"mass": 0.1, "rotor_inertia": 0.1, "viscous": (0, 2), "coulomb": (0, 2), "noise": (0, 2)}
SPRINGS = Rest("float", damping=0.003 * mc.load("lwr4").limits.effort, springs=LimitSprings(0.1, 0.15))
"""Joint 1 starts on its limit: springs that bring it away from there."""


def pregrasp(tube: float = 0.01, **said: Any) -> Experiment:
    speed, wide = mc.tasks.Speed(mc.tasks.Sine(0.05, 0.12, 5.0), 0.005), mc.tasks.Tube(tube)
    until = [mc.tasks.Goal(0.03), mc.tasks.Timeout(9.0)]
    task = mc.tasks.Move("link_7", "T", x=speed, y=wide, z=wide, until=until, name="pregrasp")
    rig, control = Rig(**RUBS, **NOISE, vary=VARIED), Control(rest=SPRINGS)
    return Experiment("lwr4", task, {"T": T}, start=START, rig=rig, control=control, seconds=9.0, seed=1).but(**said)


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    return pregrasp()


@pytest.fixture(scope="module")
def narrow(experiment: Experiment) -> Laziness:
    return laziness_of(experiment, plants=PLANTS, kinds=("six", "three"))


@pytest.fixture(scope="module")
def wide() -> Laziness:
    return laziness_of(pregrasp(0.05), plants=PLANTS, kinds=("three",))


@row("lazy-control", 34)
def test_a_task_that_leaves_turning_free_takes_less_work_than_six_rows_and_leaves_joints_alone(narrow: Any) -> None:
    assert narrow.share(SIX) <= 0.75
    shares, stiff = (narrow.judged[name].torque_rms_share for name in (LAZY, SIX))
    assert np.all(shares[:, [4, 6]] < 0.005)
    assert np.all(shares[:, 0] < 0.03)
    assert np.all(np.median(shares, axis=0)[[4, 6]] <= 0.2 * np.median(stiff, axis=0)[[4, 6]])


@row("lazy-control", 34)
def test_a_wide_tube_takes_less_work_and_time_than_three_rows_that_know_no_tube(wide: Any) -> None:
    assert wide.share(THREE) <= 0.8
    assert np.all(wide.judged[LAZY].goal_s < wide.judged[THREE].goal_s - 3.0)


def test_what_saves_is_the_rows_left_out_not_the_law(narrow: Any) -> None:
    """A stiff tracker of the same three rows takes as much work as the lazy task in its narrow tube."""
    assert 0.9 < narrow.share(THREE) < 1.1


@row("lazy-control", 34)
def test_where_gravity_assists_less_work_is_taken_than_where_it_opposes(experiment: Experiment) -> None:
    start = np.array([0.3, 0.6, 0.0, -1.4, 0.0, 0.9, 0.0])
    here = mc.forward_kinematics(experiment.model, "link_7").run(start)[0, :3, 3]
    logged = dict.fromkeys(("q", "v", "motor_force", "mode", "events"), 4)
    loop = mc.simulate.closed(experiment.plant, experiment.cycle, rate=4, log=logged, name=experiment.cycle.name)
    work = list[Any]()
    for up in (1.0, -1.0):
        frame = np.eye(4)
        frame[:3, :3] = np.column_stack([[0, 0, up], [1, 0, 0], [0, up, 0]])
        frame[:3, 3] = here + np.array([0, 0, 0.2 * up])
        run = loop.batch(experiment.plant.start(start), T=frame, seconds=4.0, plants=PLANTS, seed=1)
        judged = judged_task(run, experiment.task, modes=experiment.cycle.machine.states)
        assert np.all(np.isfinite(judged.goal_s))
        work.append(judged.work_J)
    assert np.all(work[1] < 0.5 * work[0])


@row("lazy-control", 37)
def test_friction_and_noise_that_the_model_lacks_do_not_keep_a_task_from_being_done(
    experiment: Experiment, narrow: Any
) -> None:
    model, plant = (
        [joint.transmission for joint in robot.chain.joints if joint.name in robot.v_index]
        for robot in (experiment.model, experiment.plant.robot)
    )
    assert not any(one.damping or one.friction for one in model)
    assert all(one.damping and one.friction for one in plant)
    judged = narrow.judged[LAZY]
    assert np.all(judged.tube_violations_after_entry == 0)
    assert np.all(np.abs(judged.goal_s - 8.6) < 0.3)
    assert np.all(judged.speed_in_band >= 0.9)


def test_trackers_do_the_task_within_its_tube(narrow: Any) -> None:
    for name in (SIX, THREE):
        judged = narrow.judged[name]
        assert np.all(judged.tube_violations_after_entry == 0)
        assert np.all(np.abs(judged.goal_s - 8.45) < 0.1)


def test_work_put_in_less_what_is_taken_out_is_what_a_plant_without_friction_gains() -> None:
    """The first law: forces along the way they act are the change of kinetic and potential energy."""
    still = pregrasp(rig=Rig(), seconds=3.0)
    run = tracked(still, "three")(still.plant.start(START), seconds=3.0, **still.given)
    work, gained = run.motor_force[1:] * np.diff(run.q, axis=0), mc.simulate.judges.energy(run)
    assert work.sum() == pytest.approx(gained[-1] - gained[0], abs=0.01)
    assert judged_task(run, still.task).work_J[0] == pytest.approx(np.maximum(work, 0).sum(), rel=0.01)


def test_the_same_seed_is_the_same_plants_and_noise_whatever_the_tube(narrow: Any, wide: Any) -> None:
    """A tracker knows no tube: all it does is the same to the last bit."""
    assert np.array_equal(narrow.judged[THREE].work_J, wide.judged[THREE].work_J)
    assert len({*narrow.judged[THREE].work_J}) == PLANTS


@pytest.mark.parametrize("how", [{"plants": 2}, {"plant": 1}])
def test_trackers_run_on_the_plants_and_the_noise_of_the_lazy_task(
    how: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = list[Any]()

    def judging(run: Any, *task: Any, **known: Any) -> Any:
        heard.append(run)
        return judged_task(run, *task, **known)

    for where in ("experiment", "laziness"):
        monkeypatch.setattr(f"motionc.simulate.{where}.judged_task", judging)
    small = read_experiment(small_experiment(tmp_path))
    laziness_of(small, kinds=("three",), seed=5, seconds=0.05, **how)
    lazy, stiff = heard
    assert lazy.seed == stiff.seed == 5
    assert len(lazy.given.keys() & small.plant.nominal.keys()) > 3
    for name in small.plant.nominal:
        np.testing.assert_array_equal(lazy.given[name], stiff.given[name])


def test_joints_below_a_two_hundredth_of_their_effort_are_idle(narrow: Any) -> None:
    """And those below three hundredths hardly do anything."""
    used = np.tile([0.0049, 0.0051, 0.029, 0.031, 0.04, 0.06, 0.3], (PLANTS, 1))
    one = Laziness({LAZY: replace(narrow.judged[LAZY], torque_rms_share=used)}, "abcdefg")
    assert one.idle(LAZY) == ("a",)
    assert one.rows[0][-2:] == ("1 of 7", "3 of 7")


def test_a_table_says_each_controller_in_a_line_also_as_html(narrow: Any) -> None:
    title, head, *lines = str(narrow).splitlines()
    assert title == "Laziness, medians of 8 plants"
    assert len({len(line) for line in (head, *lines)}) == 1
    assert [line.split("  ")[0] for line in lines] == [LAZY, SIX, THREE]
    assert {f"{narrow.work(SIX):.2f}", f"{narrow.share(SIX):.2f}"} <= {*lines[1].split()}
    assert narrow._repr_html_().count("<tr>") == 4


def test_what_cannot_be_compared_is_refused(narrow: Any) -> None:
    with pytest.raises(mc.Error, match="give as many plants"):
        laziness_of(pregrasp(), narrow.judged[LAZY], plants=3)
    with pytest.raises(mc.Error, match="kinds"):
        laziness_of(pregrasp(), narrow.judged[LAZY], plants=PLANTS, kinds=("soft",))
