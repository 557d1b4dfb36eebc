"""`motionc run --report --out`, `motionc report`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli import task_report
from motionc.cli.main import app
from motionc.simulate import Recording, closed
from motionc.simulate.doings import doing
from motionc.simulate.experiment import Experiment
from motionc.simulate.experiment_document import read_experiment
from motionc.tasks import Move, Orientation, Speed, Tube
from small_experiment import small_experiment

pytest.importorskip("matplotlib")
RUN = CliRunner()


def test_a_run_leaves_a_recording_and_a_report(tmp_path: Path) -> None:
    kept, page, again = tmp_path / "x.mcap", tmp_path / "x.html", tmp_path / "y.html"
    words = ["run", "planar2", "--do", "hold", "--seconds", "0.2", "--out", str(kept), "--report", str(page)]
    result = RUN.invoke(app, words)
    assert result.exit_code == 0, result.output
    assert f"{page}: " in result.output.replace("\n", "")
    assert "a tenth of their range" in page.read_text()
    assert Recording.open(kept).references[0].of == "q"
    told = RUN.invoke(app, ["report", str(kept), "-o", str(again), "--plots", str(tmp_path / "plots"), "--json"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["bytes"] == again.stat().st_size
    assert [Path(file).name for file in found["plots"]][:2] == ["positions.svg", "velocities.svg"]


@pytest.mark.parametrize("count", [1, 3])
def test_the_recording_of_a_run_replays_bit_for_bit(tmp_path: Path, count: int) -> None:
    words = ["run", "planar2", "--do", "hold", "--seconds", "0.2", "--seed", "3", "--count", str(count)]
    result = RUN.invoke(app, [*words, "--out", str(tmp_path / "x.mcap")])
    assert result.exit_code == 0, result.output
    kept = Recording.open(tmp_path / "x.mcap")
    assert kept.task.startswith("hold; posture: joints at 0")
    done = doing(mc.load("planar2"), "hold", count=count, seed=3)
    again = closed(done.plant, log=dict.fromkeys(done.log, 1 if count == 1 else 10)).replay(kept)
    for name in done.log:
        rows = again[name][0] if count > 1 else again[name]
        np.testing.assert_array_equal(rows, kept[name].values)
    assert len(kept["q"].times) == (200 if count == 1 else 20)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.mcap").write_bytes(b"no")
    result = RUN.invoke(app, ["report", str(tmp_path / "x.mcap"), "-o", str(tmp_path / "x.html")])
    assert result.exit_code == 1
    assert not (tmp_path / "x.html").exists()


# ---------------------------------------------------------------- of tasks


@pytest.fixture(scope="module")
def along(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return read_experiment(small_experiment(tmp_path_factory.mktemp("along")))


def test_a_task_is_checked_by_goal_tube_speed_and_limits(along: Experiment) -> None:
    done = along.run(seconds=0.05)

    def verdicts(**known: float) -> dict[str, bool]:
        told = {"goal_s": 3.0, "tube_violations_after_entry": 0.0, "speed_in_band": 0.95, "limit_margin": 0.1} | known
        judged = replace(done.judged, **{name: np.array([value]) for name, value in told.items()})
        return {check.name: check.passed for check in task_report.checks(replace(done, judged=judged))}

    goal, tube, speed, limits = fine = verdicts()
    assert (goal, speed) == ("the goal is reached", "speed in band while cruising")
    assert all(fine.values())
    assert verdicts(goal_s=np.nan) == fine | {goal: False}
    assert verdicts(tube_violations_after_entry=1.0) == fine | {tube: False}
    assert verdicts(speed_in_band=0.85) == fine | {speed: False}
    assert verdicts(limit_margin=-0.1) == fine | {limits: False}
    assert speed not in verdicts(speed_in_band=np.nan)  # which never cruises
    endless = replace(done, experiment=along.but(task=replace(along.task, until=())))
    assert goal not in [check.name for check in task_report.checks(endless)]


def test_a_report_says_delays_and_which_directions_are_free(along: Experiment) -> None:
    late = along.but(delay=2)
    said = task_report.said_of(late)
    assert said["controller"] == "200 Hz, looks 0.3 s ahead, 2 cycles of delay"
    assert (said["experiment"], said["note 1"]) == ("along", late.feared[0])
    assert said["free directions"] == "z, ax, ay, az"
    tube = Tube(0.01)
    whole = Move("link_7", "T", x=Speed(0.05, 0.005), y=tube, z=tube, orientation=Orientation(0.1), name="whole")
    assert task_report.said_of(Experiment("lwr4", whole, {"T": np.eye(4)}))["free directions"] == "none"


@pytest.mark.parametrize("plant", [None, 0, 1])
def test_trackers_run_on_the_plant_and_the_noise_of_the_run_beside_them(
    along: Experiment, plant: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = list[Any]()

    def laziness_of(experiment: Experiment, lazy: Any, **how: Any) -> mc.simulate.Laziness:
        heard.append(how)
        return mc.simulate.Laziness({"lazy": lazy}, experiment.model.limits.names)

    monkeypatch.setattr(task_report, "library_tool", lambda: "cc")
    monkeypatch.setattr(task_report, "laziness_of", laziness_of)
    (table,) = task_report.tables(along.run(plant=plant, seed=7, seconds=0.05))
    assert table.title == "Laziness, one plant"
    assert heard == [{"plant": plant, "seed": 7, "seconds": pytest.approx(0.05)}]
