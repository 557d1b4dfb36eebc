"""`motionc run TASK|FILE`: which experiment a word means, what is told of it, what is kept."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import motionc as mc
from gantry import URDF
from motionc.cli import demo, experiments, task_report
from motionc.cli.experiments import experiment_of, names_experiment
from motionc.cli.main import app
from motionc.cli.run import Engine
from motionc.cli.run_task import Asked, asked_of, figures, in_words, run_task
from motionc.runtime.build.compiler import find_compiler
from motionc.simulate import Recording
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.shipped_experiments import FOLDER
from small_experiment import small_experiment

RUN = CliRunner()
KEYS = {
    "task",
    "robot",
    "plant",
    "state",
    "tube_entry_s",
    "goal_s",
    "tube_violations_after_entry",
    "speed_in_band",
    "torque_rms_share",
    "work_J",
    "events",
}


@pytest.fixture(scope="module")
def along(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_experiment(tmp_path_factory.mktemp("along")))


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a robot that is as the one of `along`, but for its name."""
    file = tmp_path_factory.mktemp("portal") / "portal.urdf"
    file.write_text(URDF.replace('name="gantry"', 'name="portal"'))
    return str(file)


def ran(*words: str) -> dict:
    result = RUN.invoke(app, ["run", *words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(*words: str) -> str:
    result = RUN.invoke(app, list(words))
    assert result.exit_code != 0
    return " ".join((str(result.exception) + result.output).replace("│", " ").split())


def test_a_file_is_run_and_told_as_one_object(along: str) -> None:
    told = ran(along)
    assert told.keys() >= KEYS
    assert (told["task"], told["robot"], told["plant"], told["seed"]) == ("along", "gantry", "motionc", 3)
    assert (told["seconds"], told["dt"]) == (4.0, pytest.approx(1 / 200 / 2))
    assert told["state"] == "STOP_MOTION"
    assert told["tube_violations_after_entry"] == 0
    assert 0.2 < told["tube_entry_s"] < 0.5
    assert len(told["torque_rms_share"]) == len(told["joints"]) == 3
    assert [told["stopped_s"], "goal_area"] in told["events"]
    assert "path_m" not in told
    assert any("no rotation" in note for note in told["notes"])
    again = ran(along, "--seed", "4", "--seconds", "1")
    assert again["goal_s"] is None
    assert (again["seed"], again["seconds"], again["dt"]) == (4, 1.0, told["dt"])
    assert again["tube_entry_s"] != told["tube_entry_s"] or again["work_J"] != told["work_J"]


def test_many_plants_are_lists_and_a_table(along: str) -> None:
    told = ran(along, "--plants", "3")
    assert told["plants"] == 3
    assert len(told["goal_s"]) == len(told["events"]) == 3
    assert len({*told["work_J"]}) == 3
    text = RUN.invoke(app, ["run", along, "--plants", "3"]).stdout
    assert "3 of 3 reach the goal" in text
    assert "median" in text


def test_of_many_plants_seed_and_seconds_are_those_said_and_the_first_is_kept(along: str, tmp_path: Path) -> None:
    kept, how = tmp_path / "first.mcap", {"seed": 4, "seconds": 0.2}
    told = ran(along, "--plants", "2", "--seed", "4", "--seconds", "0.2", "--out", str(kept))  # JSON alone is printed
    own = read_experiment(Path(along))
    assert (told["plants"], told["seed"], told["seconds"]) == (2, 4, 0.2)
    assert told["work_J"] == own.study(2, **how).judged.work_J.tolist()
    first, other, said = (own.run(plant=plant, **how).recording()["q"].values for plant in (0, 1, None))
    np.testing.assert_array_equal(Recording.open(kept)["q"].values, first)
    assert not np.array_equal(first, other)
    assert not np.array_equal(first, said)


def test_a_run_is_kept_and_reported(along: str, tmp_path: Path) -> None:
    kept, page = tmp_path / "along.mcap", tmp_path / "along.html"
    words = ["run", along, "--seconds", "1", "--out", str(kept), "--report", str(page)]
    text = RUN.invoke(app, words).stdout
    assert "within_tube" in text
    assert "tube entered" in text
    assert str(page) in text.replace("\n", "")
    recording = Recording.open(kept)
    assert recording.tubes
    assert recording.task == str(read_experiment(Path(along)).task)
    report = page.read_text()
    for heading in ("Direction X", "Direction Y", "The way of tool in the world", "Timeline"):
        assert heading in report
    # trackers take long where nothing is compiled
    assert ("Laziness, one plant" in report) == ("stiff, three rows" in report) == (find_compiler() is not None)


def test_the_same_task_runs_on_the_physics_of_others(along: str) -> None:
    pytest.importorskip("mujoco")
    ours, theirs = (ran(along, "--seconds", "1.5", *more) for more in ((), ("--plant", "mujoco")))
    assert theirs["plant"] == "mujoco"
    assert theirs["tube_entry_s"] == pytest.approx(ours["tube_entry_s"], rel=0.05)
    assert theirs["tube_violations_after_entry"] == 0
    assert experiment_of(along).rig.resistance == "smooth"


def test_dry_friction_holds_what_is_at_rest_on_mujoco_and_is_else_as_said(along: str) -> None:
    own = read_experiment(Path(along))
    for said, theirs in (("smooth", "stiction"), ("stiction", "stiction"), ("none", "none")):
        one = own.but(resistance=said)
        other = asked_of(one, Asked(Engine.mujoco))
        assert (other.rig.engine, other.rig.resistance) == ("mujoco", theirs)
        assert asked_of(one, Asked()) is asked_of(one, Asked(Engine.motionc)) is one


def test_a_name_that_is_a_robot_and_a_task_is_refused_with_both_spellings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "task_names", lambda: ("lwr4", "pregrasp"))
    with pytest.raises(mc.Error) as raised:
        experiment_of("lwr4")
    assert "`motionc run lwr4 --do hold` for the robot" in str(raised.value)
    assert "`motionc run task:lwr4` for the task" in str(raised.value)
    asked = list[tuple[str, str]]()
    monkeypatch.setattr(experiments, "shipped_experiment", lambda task, robot: asked.append((task, robot)))
    experiment_of("task:lwr4", "youbot_arm")
    assert asked == [("lwr4", "youbot_arm")]


def test_words_that_mean_no_experiment_are_told_what_to_say(along: str, tmp_path: Path) -> None:
    assert "planar2 is a robot: say what it does, --do drop" in refused("run", "planar2")
    assert "'pregrsp' is no task; did you mean pregrasp" in refused("run", "pregrsp")
    assert "is a task alone" in refused("run", str(Path(along).with_name("along.task")))
    assert "--count is said of a task" in refused("run", along, "--count", "3")
    assert "--plants is said of --do" in refused("run", "planar2", "--do", "hold", "--plants", "3")
    assert "ask for 100 at most" in refused("run", along, "--plant", "mujoco", "--plants", "101")
    bad = small_experiment(tmp_path, "rate: 200 Hz", "rate: fast")
    assert "along.yaml:8:9" in refused("run", str(bad))


def test_the_cycle_of_a_task_is_written_as_c(along: str, tmp_path: Path) -> None:
    result = RUN.invoke(app, ["generate", along, "--target", "c", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    header = (tmp_path / "gantry_along.h").read_text()
    assert "0 STOP_MOTION, 1 START_TO_CRUISE, 2 CRUISE_THROUGH_TUBE" in header
    assert "void gantry_along(" in header
    assert "--compute is about a robot" in refused("generate", along, "--compute", "energy", "--out", str(tmp_path))
    assert "--compute says what of a robot" in refused("generate", "planar2", "--out", str(tmp_path))


def test_what_is_about_a_robot_is_refused_beside_the_cycle_of_a_task(along: str, tmp_path: Path) -> None:
    for words, option in ((["--floating"], "floating"), (["--fixed-base"], "floating"), (["--fixed", "x"], "fixed")):
        told = refused("generate", along, *words, "--out", str(tmp_path))
        assert f"--{option} is about a robot" in told
    assert not [*tmp_path.iterdir()]


def test_what_is_written_is_the_cycle_of_the_robot_that_is_said(along: str, portal: str, tmp_path: Path) -> None:
    weigh = str(FOLDER / "weigh.lwr4.yaml")
    for source, robot, name in (
        (along, portal, "portal_along"),
        ("task:pregrasp", "youbot_arm", "youbot_arm_pregrasp"),
        (weigh, "iiwa", "iiwa_weigh"),
    ):
        result = RUN.invoke(app, ["generate", source, "--robot", robot, "--out", str(tmp_path)])
        assert result.exit_code == 0, result.output
        assert f"void {name}(" in (tmp_path / f"{name}.h").read_text()
    assert "weighed_mass" in (tmp_path / "iiwa_weigh.h").read_text()


def test_a_robot_that_is_said_runs_in_the_place_of_the_one_in_a_file(along: str, portal: str) -> None:
    assert ran(along, "--robot", portal, "--seconds", "0.05")["robot"] == "portal"


def test_tasks_by_name_also_behind_their_prefix_and_files_mean_experiments() -> None:
    assert all(map(names_experiment, ("pregrasp", "task:pregrasp", "own.yaml", "own.JSON")))
    assert not any(map(names_experiment, ("lwr4", "task:lwr4", "own.urdf", "pregrsp")))


def test_tasks_that_come_along_are_listed() -> None:
    listed = json.loads(RUN.invoke(app, ["tasks", "--json"]).stdout)
    assert {"task": "pregrasp", "robot": "youbot_arm"}.items() <= next(
        one for one in listed if (one["task"], one["robot"]) == ("pregrasp", "youbot_arm")
    ).items()
    assert "pregrasp" in RUN.invoke(app, ["tasks"]).stdout


def test_the_demo_prints_and_writes_and_says_where(along: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = read_experiment(Path(along)).but(seconds=1.0)
    monkeypatch.setattr(demo, "shipped_experiment", lambda task: small)
    monkeypatch.setattr(task_report, "library_tool", lambda: None)  # as where nothing compiles
    console = Console(record=True, width=100)
    files = demo.demo(tmp_path / "demo", console)
    told = console.export_text()
    assert [file.suffix for file in files] == [".mcap", ".png", ".html"]
    assert all(file.stat().st_size > 1000 for file in files)
    assert "within_tube" in told
    assert "work of motors" in told
    assert "pregrasp.html" in told
    assert "Laziness" not in files[-1].read_text()


def test_the_tour_still_leads_through_three_rooms() -> None:
    told = RUN.invoke(app, ["tour"]).stdout
    for room in ("1. A robot, read and checked", "2. A frame mistake", "3. One solver, three readings"):
        assert room in told


def test_what_is_feared_of_a_run_stands_beside_its_numbers(tmp_path: Path) -> None:
    """Dampers that somebody says, far beyond what joints bear: steps cannot follow."""
    wild = small_experiment(
        tmp_path, "  horizon: 0.3 s\n", "  horizon: 0.3 s\n  rest: {policy: float, damping: 99999 Ns/m}\n"
    )
    shown = Console(record=True, width=300)
    assert run_task(read_experiment(wild), Asked(seconds=0.1), shown) == 0
    assert "rest: gains of z are" in shown.export_text()


def test_plants_that_diverge_are_counted_and_left_out(along: str) -> None:
    done = read_experiment(along).study(2, seconds=0.1)
    one = replace(done, judged=replace(done.judged, limit_margin=np.array([0.3, np.nan])))
    shown = Console(record=True, width=100)
    shown.print(in_words(one))
    assert "1 of 2 diverged" in shown.export_text()
    fine = Console(record=True, width=100)
    fine.print(in_words(done))
    assert "diverged" not in fine.export_text()


def test_of_plants_that_reach_the_goal_those_that_never_left_the_tube_are_counted(along: str) -> None:
    done = read_experiment(Path(along)).study(4, seconds=0.05)
    goal, left = np.array([1.0, 2.0, 3.0, np.nan]), np.array([0, 0, 2, 0])
    shown = Console(record=True, width=100)
    shown.print(in_words(replace(done, judged=replace(done.judged, goal_s=goal, tube_violations_after_entry=left))))
    assert "3 of 4 reach the goal, 2 without leaving the tube they were in" in shown.export_text()


def test_the_table_is_in_per_cent_millimetres_and_degrees(along: str) -> None:
    done = read_experiment(Path(along)).run(seconds=0.05)
    known = {"tube_used": 0.4, "speed_in_band": 0.9, "path_m": 0.003, "force_in_band": 0.8, "tilt": np.pi / 60}
    judged = replace(done.judged, **{name: np.array([value]) for name, value in known.items()})
    judged = replace(judged, losses=np.array([2.0]), torque_rms_share=np.array([[0.25, 0.125, 0.0]]))
    shown = Console(record=True, width=100)
    shown.print(in_words(replace(done, judged=judged)))
    lines = [" ".join(line.split()) for line in shown.export_text().splitlines()]
    for line in (
        "tube used, most 40 %",
        "speed in band 90 % cruising",
        "from the path, most 3 mm",
        "force in band 80 % cruising",
        "tilted, most 3 °",
        "contact lost 2 times",
        "effort of x 25 % of limit",
        "effort of y 12.5 %",
        "effort of z 0 %",
    ):
        assert line in lines


@pytest.mark.parametrize(
    ("types", "line", "unit"),
    [
        ("prismatic prismatic prismatic", "nearest to a joint limit 250 mm", "m"),
        ("prismatic prismatic revolute", "nearest to a joint limit 0.25 rad, m", "rad, m"),
        ("continuous revolute continuous", "nearest to a joint limit 14.32 °", "rad"),
        ("continuous continuous continuous", "", ""),
    ],
)
def test_how_near_limits_came_is_told_as_joints_turn_or_slide(
    along: str, tmp_path: Path, types: str, line: str, unit: str
) -> None:
    done, text = read_experiment(Path(along)).run(seconds=0.05), URDF
    for kind in types.split():
        text = text.replace('type="prismatic"', f'type="{kind}:"', 1)
    (tmp_path / "other.urdf").write_text(text.replace(':"', '"'))
    own = done.experiment.but(robot=str(tmp_path / "other.urdf"))
    margin = np.array([0.25 if unit else np.inf])
    one = replace(done, run=None, experiment=own, judged=replace(done.judged, limit_margin=margin))
    told = [f"{words} {values[0]:.4g} {shown}" for words, values, shown, _ in figures(one) if "limit" in words]
    assert told == [line] * bool(line)
    seen = [check.unit for check in task_report.checks(one) if "limits" in check.name]
    assert seen == [unit] * bool(unit)
    assert one.judged.lane(0)["limit_margin"] == (0.25 if unit else None)  # JSON knows no ∞


def test_a_run_that_diverges_is_kept_with_a_tube_as_long_as_its_way_was(along: str) -> None:
    done = read_experiment(along).run(seconds=0.1)
    assert done.run is not None
    whole = done.recording().tubes[0]
    done.run.q[-3:] = np.nan
    assert done.recording().tubes[0].length == pytest.approx(whole.length, rel=0.05)


def test_of_many_events_the_first_and_the_last_are_told(along: str) -> None:
    done = read_experiment(along).run(seconds=0.1)
    seen = tuple((0.001 * k, f"event_{k}") for k in range(200))
    many = replace(done, judged=replace(done.judged, events=(seen,)))
    shown = Console(record=True, width=100)
    shown.print(in_words(many))
    lines = shown.export_text().splitlines()
    assert sum("event_" in line for line in lines) == 39
    assert any("161 more" in line for line in lines)
    assert any(line.endswith("event_0") for line in lines)
    assert any(line.endswith("event_199") for line in lines)
