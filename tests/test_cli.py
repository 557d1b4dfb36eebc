"""The command line: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli import app, main

RUN = CliRunner()
BROKEN = """<robot name="r"> <link name="a"/> <link name="b"/>
  <joint name="j" type="hinge"> <parent link="a"/> <child link="b"/> </joint>
</robot>"""


def test_check_of_a_good_robot_is_quiet_and_exits_0() -> None:
    result = RUN.invoke(app, ["check", "lwr4"])
    assert result.exit_code == 0
    assert "no findings" in result.stdout


def test_check_of_a_broken_file_names_line_column_and_remedy_and_exits_1(tmp_path: Path) -> None:
    path = tmp_path / "broken.urdf"
    path.write_text(BROKEN)
    result = RUN.invoke(app, ["check", str(path)])
    assert result.exit_code == 1
    assert "broken.urdf:2:3" in result.stdout
    assert "hinge" in result.stdout


def test_show_draws_the_tree_and_the_fate_of_elements() -> None:
    result = RUN.invoke(app, ["show", "lwr4", "--fates"])
    assert result.exit_code == 0
    assert "└── joint_0 revolute [-170, 170] °  link_1  2.303 kg" in result.stdout
    assert result.stdout.count("used  ") >= 80


def test_generate_writes_sources_and_says_how_large_they_are(tmp_path: Path) -> None:
    compute = ["--compute", "inverse_dynamics", "--compute", "constrained_dynamics", "--frame", "tip", "--rows", "xy"]
    result = RUN.invoke(app, ["generate", "planar2", *compute, "--out", str(tmp_path), "--json"])
    assert result.exit_code == 0
    written = json.loads(result.stdout)
    assert [entry["computation"] for entry in written] == ["inverse_dynamics", "constrained_dynamics"]
    assert all(Path(path).is_file() for entry in written for path in entry["files"])
    assert {path.name for path in tmp_path.glob("*.c")} == {
        "planar2_inverse_dynamics.c",
        "planar2_constrained_dynamics.c",
    }


def test_json_says_what_the_text_says(tmp_path: Path) -> None:
    path = tmp_path / "broken.urdf"
    path.write_text(BROKEN)
    (finding,) = json.loads(RUN.invoke(app, ["check", str(path), "--json"]).stdout)
    assert (finding["rule"], finding["place"]["line"]) == ("Read", 2)
    shown = json.loads(RUN.invoke(app, ["show", "lwr4", "--json"]).stdout)
    assert shown["nv"] == 7
    assert shown["findings"] == []
    assert shown["limits"]["effort"][0] == 176


def test_robots_are_listed_and_show_lets_those_float_that_do() -> None:
    assert "HyQ, hydraulic quadruped" in RUN.invoke(app, ["robots"]).stdout
    listed = json.loads(RUN.invoke(app, ["robots", "--json"]).stdout)
    assert {robot["name"] for robot in listed} >= {"panda", "ur5", "youbot", "hyq", "humanoid"}
    assert json.loads(RUN.invoke(app, ["show", "hyq", "--json"]).stdout)["nv"] == 18
    assert json.loads(RUN.invoke(app, ["show", "hyq", "--fixed-base", "--json"]).stdout)["nv"] == 12


def test_cache_says_where_it_is_and_can_be_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path / "cache"))
    said = json.loads(RUN.invoke(app, ["cache", "--clear", "--json"]).stdout)
    assert said["folder"] == str(tmp_path / "cache")
    assert said["entries"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["show"],
        ["generate", "lwr4", "--compute", "magic", "--out", "x"],
        ["generate", "lwr4", "--compute", "jacobian", "--out", "x"],
    ],
)
def test_usage_errors_exit_2(arguments: list[str]) -> None:
    assert RUN.invoke(app, arguments).exit_code == 2


def test_an_error_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["motionc", "show", "lwr5"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 1
    assert "did you mean lwr4?" in capsys.readouterr().err


def test_convert_writes_other_formats_and_says_what_became_of_the_elements(tmp_path: Path) -> None:
    table = tmp_path / "arm.dh.csv"
    table.write_text("a, alpha, d, mass\n0.4, 0, 0, 1\n0.3, pi/2, 0, 1\n")
    for source, target in (("ur5", "a.xml"), (str(tmp_path / "a.xml"), "b.urdf"), (str(table), "c.dot")):
        result = RUN.invoke(app, ["convert", source, str(tmp_path / target), "--json"])
        assert result.exit_code == 0, result.output
        said = json.loads(result.stdout)
        assert Path(said["file"]).is_file()
        assert said["elements"]["used"] >= 2
    assert mc.load(tmp_path / "b.urdf").nv == 6
    result = RUN.invoke(app, ["convert", "ur5", str(tmp_path / "d.step")])
    assert "files ending in .step are not written" in str(result.exception)
    assert not (tmp_path / "d.step").exists()
