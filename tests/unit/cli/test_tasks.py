"""Tasks on the command line: checked for a robot, shown with what each number is about, converted."""

import json
from pathlib import Path

from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app

RUN = CliRunner()
BROKEN = str(mc.tasks.read("uc1_ex1")).replace("0.03 m", "0.03 N")


def test_check_tells_what_a_task_is_without_its_robot_and_with_it(tmp_path: Path) -> None:
    assert RUN.invoke(app, ["check", "uc1_ex1"]).stdout == "no findings\n"
    result = RUN.invoke(app, ["check", "uc1_ex1", "--robot", "lwr4"])
    assert result.exit_code == 1
    assert "uc1_ex1.task:3:6: task/tool: error Tool: lwr4 has no frame 'tool'" in result.stdout
    assert "    3 | tool tool\n      |      ^\n" in result.stdout
    file = tmp_path / "broken.task"
    file.write_text(BROKEN)
    both = RUN.invoke(app, ["check", "lwr4", str(file)])
    assert both.exit_code == 1
    assert "lwr4: no findings\n" in both.stdout
    assert "broken.task:11:32: task/until/goal: error Read: Length cannot be given in newton" in both.stdout


def test_show_tells_of_wrt_and_as_seen_by_of_every_number(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["show", "clean_lwr4"], env={"COLUMNS": "150"})
    assert result.exit_code == 0
    row = next(line for line in result.stdout.split("\n") if line.startswith("force along Z"))
    assert row.split() == ["force", "along", "Z", "pad", "what", "it", "touches", "pad", "5", "±", "0.5", "N"]
    assert "free: az" in result.stdout
    told = json.loads(RUN.invoke(app, ["show", "clean_lwr4", "--json"]).stdout)
    assert told["document"]["move"]["z"] == {"force": "5 N", "tolerance": "0.5 N"}
    assert told["quantities"][2]["as_seen_by"] == "pad"
    assert (told["quantities"][2]["wrt"], told["quantities"][2]["quantity"]) == ("what it touches", "Force")
    assert RUN.invoke(app, ["show", "uc1_ex1"]).exit_code == 0
    misfit = RUN.invoke(app, ["show", "uc1_ex1", "--robot", "lwr4"])
    assert (misfit.exit_code, "lwr4 has no frame 'tool'" in misfit.stdout) == (1, True)
    file = tmp_path / "broken.task"
    file.write_text(BROKEN)
    broken = RUN.invoke(app, ["show", str(file)])
    assert broken.exit_code == 1
    assert "1 error" in broken.stdout


def test_convert_goes_from_every_spelling_to_every_other(tmp_path: Path) -> None:
    task = mc.tasks.read("clean_lwr4")
    at = "clean_lwr4"
    for name in ("a.yaml", "b.json", "c.task", "d.yml"):
        result = RUN.invoke(app, ["convert", at, str(tmp_path / name)])
        assert result.exit_code == 0
        at = str(tmp_path / name)
        assert result.stdout.strip() == at
        assert mc.tasks.read(at) == task
    refused = RUN.invoke(app, ["convert", at, str(tmp_path / "e.urdf")])
    assert "is a task; name a file ending in .task" in str(refused.exception)


def test_show_tells_of_each_phase_what_it_leaves_free(tmp_path: Path) -> None:
    tube = mc.tasks.Tube(0.01)
    reach = mc.tasks.Move("link_7", "T", y=tube, z=tube, name="reach")
    wait = mc.tasks.Move("link_7", "T", z=tube, orientation=mc.tasks.Orientation(0.1), name="wait")
    file = mc.tasks.write(mc.tasks.Phases([reach, wait]), tmp_path / "both.task")
    shown = RUN.invoke(app, ["show", str(file)], env={"COLUMNS": "150"}).stdout
    assert "free: reach: x, ax, ay, az\nfree: wait: x, y\n" in shown
