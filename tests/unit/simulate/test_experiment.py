"""Experiments: what follows from the data, runs and studies, and what is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import experiment
from motionc.simulate.control_numbers import Control
from motionc.simulate.experiment import Experiment
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.rig import Rig, resisted
from motionc.simulate.shipped_experiments import shipped_experiment
from motionc.tasks.waypoints import frames_along
from small_experiment import small_experiment


@pytest.fixture(scope="module")
def along(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return read_experiment(small_experiment(tmp_path_factory.mktemp("along")))


def test_the_plant_has_what_the_model_has_not(along: Experiment) -> None:
    plant = along.plant
    assert plant.dt == pytest.approx(1 / 400)
    assert [joint.transmission.friction for joint in plant.robot.chain.joints] == [0.5, 0.4, 0.3]
    assert [joint.transmission.damping for joint in plant.robot.chain.joints] == [2.0, 2.0, 2.0]
    assert not any(joint.transmission.friction for joint in along.model.chain.joints)
    assert plant.actuators.delay == 2  # one cycle of two steps
    assert plant.sensors[0].noise == pytest.approx(1e-5)
    assert along.but(delay=3, substeps=4).plant.actuators.delay == 12
    slow = along.but(rig=replace(along.rig, delay=3))  # later than the controller is told
    assert (slow.plant.actuators.delay, slow.control.delay) == (6, 1)


def test_a_task_is_done_and_judged(along: Experiment) -> None:
    done = along.run()
    judged = done.judged.lane(0)
    # 0.045 m beside the axis: 0.3 ln(0.045 / 0.019) and what it takes to get going; then 0.26 m at 0.1 m/s
    offset = np.abs((np.array(along.frames["T"])[:3, :3].T @ (np.array([-0.5, -0.4, 0]) - [-0.3, -0.2, 0]))[1])
    assert judged["law_s"] == pytest.approx(0.3 * np.log(offset / 0.019), rel=1e-3)
    assert 0 < judged["tube_entry_s"] - judged["law_s"] < 0.2
    assert judged["goal_s"] - judged["tube_entry_s"] == pytest.approx(0.26 / 0.1, rel=0.1)
    assert judged["tube_violations_after_entry"] == 0
    assert judged["state"] == "STOP_MOTION"
    assert judged["events"][-1] == [judged["stopped_s"], "goal_area"]
    # judged on what is true: a run ends where its plant says the tool is
    assert done.run is not None
    assert np.abs(done.run.q[-1] - [-0.3, -0.2, 0]).max() < 0.05


def test_a_start_beyond_limits_is_told() -> None:
    (said,) = (each for each in shipped_experiment("clean").feared if "joint_3" in each)
    assert said == "joint_3 starts at -2.19, 0.0956 beyond its limit (rad, m)"  # 120 degrees
    assert not any("beyond its limit" in each for each in shipped_experiment("path").feared)


def test_plants_of_a_study_are_those_of_runs_alone(along: Experiment) -> None:
    many = along.study(3, seconds=1.0)
    assert many.judged.lanes == 3
    assert len({*many.judged.tube_entry_s}) > 1 or len({*many.judged.work_J}) == 3
    alone = along.run(plant=2, seconds=1.0).judged
    assert alone.tube_entry_s[0] == pytest.approx(many.judged.tube_entry_s[2], abs=0.006)
    assert alone.work_J[0] == pytest.approx(many.judged.work_J[2], rel=0.02)
    told = list[int]()
    along.study(3, seconds=0.05, tell=told.append, threads=1)
    assert told == [3]
    with pytest.raises(mc.Error, match="no logs are kept"):
        many.recording()


def test_a_study_in_chunks_is_of_the_same_plants(along: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = along.study(3, seconds=0.5).judged
    monkeypatch.setattr(experiment, "CHUNK", 2)
    assert along.study(3, seconds=0.5).judged.work_J == pytest.approx(whole.work_J, rel=1e-9)


def test_whatever_is_said_of_control_reaches_the_cycle(along: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "lazy", lambda robot, task, **told: told)
    said = {"rate": 100.0, "horizon": 0.7, "delay": 2, "maximum": {"x": 3.0}, "damping": {"z": 2.0}, "monitors": "all"}
    told: Any = along.but(**said, rest="fall", force_noise=0.3).cycle
    assert {name: told[name] for name in said} == said
    assert (told["rest"], told["force_noise"]) == ("fall", 0.3)
    assert told["controllers"] == along.control.controllers


def test_no_time_at_all_is_refused_and_not_taken_for_the_usual(along: Experiment) -> None:
    for tried in (lambda: along.run(seconds=0.0), lambda: along.study(2, seconds=0.0)):
        with pytest.raises(mc.Error, match="give seconds > 0"):
            tried()
    with pytest.raises(mc.Error, match=r"less than a cycle of 0\.005 s"):
        along.run(seconds=0.004)


def test_recordings_declare_what_the_task_asked(along: Experiment) -> None:
    recording = along.run(seconds=1.0).recording()
    (tube,) = recording.tubes
    assert (tube.frame, tube.width[0], tube.during) == ("tool", 0.02, ("CRUISE_THROUGH_TUBE",))
    assert tube.width[1] == np.inf
    assert tube.length == pytest.approx(0.28, abs=0.01)
    assert recording.modes[0].at(0.1) == "START_TO_CRUISE"
    assert recording.modes[0].at(0.9) == "CRUISE_THROUGH_TUBE"
    assert "within_tube" in [mark.name for mark in recording.marks]
    speed = next(band for band in recording.bands if band.signal == "speed")
    assert (speed.share, speed.during) == (0.9, ("CRUISE_THROUGH_TUBE",))
    wanted = recording["speed_wanted"]
    assert wanted.at(0.1) == 0.0
    assert wanted.at(0.9) == pytest.approx(0.1)
    assert recording["speed_most"].at(0.9) - recording["speed_least"].at(0.9) == pytest.approx(0.02)
    assert np.allclose(recording["speed"].values, recording["velocity"].values[:, 0])
    assert recording.task == str(along.task)


def test_of_a_path_the_tube_goes_with_the_section(tmp_path: Path) -> None:
    small_experiment(tmp_path)
    along = read_experiment(tmp_path / "along.yaml")
    assert isinstance(along.task, mc.tasks.Move)
    frames = frames_along([(-0.5, -0.4, 0), (-0.45, -0.4, 0), (-0.45, -0.3, 0)])
    path = mc.tasks.Path(replace(along.task, name="", pose=None), 2, name="corner")
    done = replace(along, task=path, frames={"frames": frames}, name="").run(seconds=2.0)
    assert np.isfinite(done.judged.goal_s[0])
    recording = done.recording()
    told = recording["task_frame"].values
    assert np.allclose(told[0], frames[0])
    assert np.allclose(told[-1], frames[1])
    assert recording.tubes[0].pose == "task_frame"
    assert done.judged.recovery_s.shape == (1, 1)
    assert 0 < done.judged.recovery_s[0, 0] < 0.2
    assert done.judged.path_m[0] < 0.02


def test_what_an_experiment_lacks_is_said(along: Experiment) -> None:
    with pytest.raises(mc.Error, match="nobody says where T is"):
        _ = replace(along, frames={}).given
    with pytest.raises(mc.Error, match="the task has no frame 'S'; it has T"):
        replace(along, frames={"S": np.eye(4)})
    with pytest.raises(mc.Error, match="Experiment: start"):
        replace(along, start="home")  # pyright: ignore[reportArgumentType]
    with pytest.raises(mc.Error, match="'weight' cannot differ"):
        Rig(vary={"weight": 0.1})
    with pytest.raises(mc.Error, match="cycles a second"):
        Control(rate=0)
    with pytest.raises(mc.Error, match="how many plants"):
        along.study(0)


def test_what_is_changed_reaches_its_part(along: Experiment) -> None:
    other = along.but(horizon=0.5, coulomb=0.1, seconds=1.0)
    assert (other.control.horizon, other.rig.coulomb, other.seconds) == (0.5, 0.1, 1.0)
    assert (along.control.horizon, along.seconds) == (0.3, 4.0)
    assert other.control.rate == along.control.rate


def test_friction_is_put_into_joints_that_move_and_into_no_other() -> None:
    robot = mc.load("panda")
    rough = resisted(robot, {"panda_joint1": 3.0}, 0.5)
    by_name = {joint.name: joint.transmission for joint in rough.chain.joints}
    assert by_name["panda_joint1"].damping == 3.0
    assert by_name["panda_joint2"].damping == 0.0
    moving = [name for name in robot.joint_names if name in robot.v_index]
    assert {name for name, one in by_name.items() if one.friction} == {*moving}
    assert by_name["panda_joint1"].rotor_inertia == next(
        joint.transmission.rotor_inertia for joint in robot.chain.joints if joint.name == "panda_joint1"
    )
    assert resisted(robot, 0.0, 0.0) is robot


def test_a_study_draws_its_plants_by_the_seed_that_is_said(along: Experiment) -> None:
    own, said, other = (along.but(seed=3).study(2), along.study(2, seed=3), along.study(2, seed=4))
    np.testing.assert_array_equal(said.judged.work_J, own.judged.work_J)
    assert np.all(said.judged.work_J != other.judged.work_J)
