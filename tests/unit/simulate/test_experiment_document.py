"""Experiments in files: what they say, and where it stands when they say it wrongly."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

import motionc as mc
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.shipped_experiments import shipped_experiment, shipped_experiments, task_names
from motionc.simulate.weigh_experiment import weighs
from small_experiment import small_experiment


def test_a_file_says_the_same_in_yaml_and_json(tmp_path: Path) -> None:
    file = small_experiment(tmp_path)
    one = read_experiment(file)
    assert one.start == (-0.5, -0.4, 0.0)
    assert one.control.rate == 200.0
    assert one.control.maximum == {"x": 8.0, "y": 8.0}
    assert one.control.controllers["x"].gain_step == 0.01
    assert one.rig.viscous == 2.0
    assert one.rig.coulomb == (0.5, 0.4, 0.3)
    assert one.rig.velocity_noise == pytest.approx(1e-3)
    assert one.rig.position_noise == pytest.approx(1e-5)
    factors = one.rig.vary["*.mass"]
    assert (factors.least, factors.largest) == pytest.approx((0.9, 1.1))
    assert (one.seconds, one.seed, one.name) == (4.0, 3, "along")
    words = yaml.load(file.read_text(), yaml.BaseLoader)
    (tmp_path / "along.json").write_text(json.dumps(words))
    other = read_experiment(tmp_path / "along.json")
    assert (other.task, other.frames, other.control, other.rig) == (one.task, one.frames, one.control, one.rig)


def test_printed_rotations_are_projected_and_that_is_said(tmp_path: Path) -> None:
    one = read_experiment(small_experiment(tmp_path))
    turn = np.array(one.frames["T"])[:3, :3]
    assert np.abs(turn.T @ turn - np.eye(3)).max() < 1e-12
    assert np.allclose(turn[:2, :2], np.array([[0.799, -0.601], [0.601, 0.799]]) / np.hypot(0.799, 0.601))
    (note,) = one.notes
    assert note.startswith("along.yaml:6: the rows of T are no rotation: RᵀR misses the identity by 0.0004")


def test_waypoints_are_the_frames_of_a_path(tmp_path: Path) -> None:
    small_experiment(tmp_path)
    (tmp_path / "path.task").write_text(
        (tmp_path / "along.task")
        .read_text()
        .replace("frame T", "frames T")
        .replace(" {", " through 2 sections {", 1)
        .replace("task time", "total task time")
    )
    text = (tmp_path / "along.yaml").read_text().replace("along.task", "path.task")
    frames = text[text.index("frames:") : text.index("control:")]
    points = "waypoints:\n  normal: [0, 0, 1]\n  points: [0 0 0 m, 30 0 0 cm, 300 200 0 mm]\n"
    (tmp_path / "path.yaml").write_text(text.replace(frames, points))
    poses = np.array(read_experiment(tmp_path / "path.yaml").frames["frames"])
    assert np.allclose(poses[:, :3, 3], [(0.3, 0, 0), (0.3, 0.2, 0)])
    assert np.allclose(poses[:, :3, 0], [(1, 0, 0), (0, 1, 0)])
    (tmp_path / "both.yaml").write_text(text.replace(frames, frames + points))
    with pytest.raises(mc.Error, match=r"both\.yaml:7:1: .*both frames and waypoints"):
        read_experiment(tmp_path / "both.yaml")


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("seconds: 4 s", "second: 4 s", "19:1", "there is no 'second' in an experiment; did you mean seconds"),
        ("rate: 200 Hz", "rate: 200", "8:9", "200 has no unit\n  remedy: write it, such as 200 Hz"),
        ("rate: 200 Hz", "rate: 200 m", "8:9", "Frequency cannot be given in meter"),
        ("horizon: 0.3 s", "horizn: 0.3 s", "9:3", "there is no 'horizn' in a controller; did you mean horizon"),
        ("start: -0.5 -0.4 0 m", "start: -0.5 -0.4 0", "4:8", "has no unit"),
        ("start: -0.5 -0.4 0 m", "start: home", "4:8", "numbers are wanted"),
        ("robot: gantry.urdf", "robot: gantri.urdf", "2:8", "there is no robot 'gantri.urdf'"),
        ("task: along.task", "task: across.task", "3:7", "there is no task 'across.task'"),
        ("substeps: 2", "substeps: 0", "14:13", "0 is less than 1"),
        (
            "filter: 0.5, ignore: 0.15",
            "filter: 1.5, ignore: 0.15",
            "11:9",
            "Abag: filter=1.5\n  remedy: give a",
        ),
        ("filter: 0.5, ignore: 0.15", "ignore: 0.15", "11:8", "a law has no filter"),
        ("vary: {mass: 10 %,", "vary: {masses: 10 %,", "18:3", "'masses' cannot differ\n  remedy: did you mean mass"),
        ("T: {at", "S: {at", "5:1", "the task has no frame 'S'\n  remedy: it has T"),
        ("coulomb: 0.5 0.4 0.3 N", "coulomb: 0.5 0.4 0.3 kg", "16:12", "Torque cannot be given in kilogram"),
        ("velocity: 1 mm/s", "velocity: fast", "17:38", "numbers are wanted"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(tmp_path: Path, old: str, new: str, place: str, words: str) -> None:
    file = small_experiment(tmp_path, old, new)
    with pytest.raises(mc.Error) as raised:
        read_experiment(file)
    assert f"along.yaml:{place}: " in str(raised.value)
    assert words in str(raised.value)


def test_other_files_are_no_experiments(tmp_path: Path) -> None:
    with pytest.raises(mc.Error, match=r"ends in \.yaml"):
        read_experiment(tmp_path / "along.toml")
    with pytest.raises(mc.Error, match="no such file"):
        read_experiment(tmp_path / "nothing.yaml")


def test_experiments_that_come_along_fit_their_robots() -> None:
    known = {(one.task, one.robot) for one in shipped_experiments()}
    assert {(task, robot) for task in ("pregrasp", "path", "chirp") for robot in ("lwr4", "youbot_arm")} <= known
    going = [one for one in shipped_experiments() if not weighs(one.file)]
    assert len(going) < len(known)
    for one in going:
        experiment = shipped_experiment(one.task, one.robot)
        mc.tasks.must_fit(experiment.task, experiment.model)
        assert experiment.name in one.task
        assert one.about
        assert len(experiment.start or ()) == experiment.model.nq
        assert np.all(np.array(experiment.start) <= experiment.model.limits.upper)
        assert all(np.shape(pose)[-2:] == (4, 4) for pose in experiment.frames.values())
    assert shipped_experiment("pregrasp").model.name == "lwr4"
    with pytest.raises(mc.Error, match="read_weighing reads it"):
        shipped_experiment("weigh")
    with pytest.raises(mc.Error, match="did you mean pregrasp"):
        shipped_experiment("pregasp")
    with pytest.raises(mc.Error, match="pregrasp comes along for lwr4 and youbot_arm, not for ur5"):
        shipped_experiment("pregrasp", "ur5")
    assert task_names() == tuple(sorted(task_names()))
