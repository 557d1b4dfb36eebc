"""The command line: what it prints, and its exit codes."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.computations import KNOWN_AS, known
from motionc.cli.main import app, main
from motionc.cli.options import Said
from motionc.computations import CATALOGUE
from motionc.robots import robots
from repository import REPOSITORY

RUN = CliRunner()
FILES = {robot.name: robot.file for robot in robots()}
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
    assert "broken.urdf:2:19" in result.stdout
    assert "hinge" in result.stdout


def test_check_of_several_files_counts_for_each_and_exits_as_the_worst(tmp_path: Path) -> None:
    path, doubtful, other = tmp_path / "broken.urdf", tmp_path / "doubtful.urdf", tmp_path / "robot.txt"
    path.write_text(BROKEN)
    doubtful.write_text(FILES["ur5"].read_text().replace('velocity="3.141592653589793"', 'velocity="0"'))
    result = RUN.invoke(app, ["check", "ur5", str(doubtful), str(path), str(other)])
    assert result.exit_code == 1
    assert f"ur5: no findings\n{doubtful}:31:" in result.stdout
    assert result.stdout.count("warning Mg6") == 1
    assert "… and 5 more like it: lines 49, 69, 89, 107, 125" in result.stdout
    assert f"\n{doubtful}: 6 warnings\n" in result.stdout
    assert f"\n{path}: 1 error\n" in result.stdout
    assert "no such file" in result.stdout

    listed = json.loads(RUN.invoke(app, ["check", "ur5", str(doubtful), str(path), "--json"]).stdout)
    assert [finding["rule"] for finding in listed] == ["Mg6"] * 6 + ["Read"]


@pytest.mark.parametrize(("more", "code"), [([], 0), (["--strict"], 1)])
def test_warnings_fail_a_strict_check_alone(more: list[str], code: int, tmp_path: Path) -> None:
    path = tmp_path / "doubtful.urdf"
    path.write_text(FILES["ur5"].read_text().replace('effort="28"', ""))
    assert RUN.invoke(app, ["check", str(path), *more]).exit_code == code
    assert RUN.invoke(app, ["check", "ur5", "lwr4", *more]).exit_code == 0


def test_that_a_file_has_findings_is_a_line_beside_what_is_generated(tmp_path: Path) -> None:
    path = tmp_path / "doubtful.urdf"
    path.write_text(FILES["planar2"].read_text().replace("<robot ", "<robot colour='red' "))
    result = RUN.invoke(app, ["generate", str(path), "--compute", "energy", "--out", str(tmp_path), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)
    assert f"{path} has 1 warning: see" in result.stderr


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


def test_generate_knows_every_computation_and_target_that_words_can_ask_for(tmp_path: Path) -> None:
    told = {
        "jacobian": ["--frame", "tip", "--as-seen-by", "tip"],
        "operational_space": ["--frame", "tip", "--rows", "x y"],
        "hybrid_dynamics": ["--prescribed", "elbow", "--gravity", "0 -9.81 0"],
        "impact": ["--constraint", "tip: xy; as_seen_by=tip"],
        "inverse_velocity": ["--frame", "tip", "--rows", "x y", "--method", "damped", "--damping", "0.1"],
        "forward_dynamics": ["--external-force", "tip", "--precision", "single"],
        "centroidal_momentum": [],
        "transform": ["--frame", "tip", "--wrt", "world"],
        "inverse_dynamics": ["--parameter", "gravity"],
        "inverse_kinematics": ["--frame", "tip", "--rows", "x y", "--restarts", "3", "--tolerance", "1e-4"],
    }
    for name, options in told.items():
        languages = [word for target in ("c", "c_simd", "python") for word in ("--target", target)]
        out = ["--compute", name, "--out", str(tmp_path), *languages, "--json"]
        result = RUN.invoke(app, ["generate", "planar2", *out, *options])
        assert result.exit_code == 0, result.output
        (entry,) = json.loads(result.stdout)
        assert {Path(path).suffix for path in entry["files"]} == {".h", ".c", ".py"}
    assert "float" in (tmp_path / "planar2_forward_dynamics.h").read_text()
    assert CATALOGUE.keys() - known().keys() == {"solve"}


def test_computations_are_found_by_the_names_of_their_algorithms() -> None:
    """In the help and the refusal of the command line, in `help` of Python, in the glossary."""
    refused = RUN.invoke(app, ["generate", "planar2", "--compute", "rnea", "--out", "out"]).output
    refusal = " ".join(refused.replace("│", " ").split())
    glossary = (REPOSITORY / "docs" / "inside" / "glossary.md").read_text(encoding="utf-8")
    for name, word in KNOWN_AS.items():
        assert f"{name} ({word})" in refusal
        assert word in (CATALOGUE[name].__doc__ or "").splitlines()[0]
        assert word in glossary


def test_symmetric_outputs_are_generated_once_where_that_is_said(tmp_path: Path) -> None:
    asked = ["generate", "lwr4", "--compute", "mass_matrix", "--out", str(tmp_path)]
    assert RUN.invoke(app, [*asked, "--packed"]).exit_code == 0
    assert "M [28]" in (tmp_path / "lwr4_mass_matrix.h").read_text("utf-8")
    refused = RUN.invoke(app, ["generate", "lwr4", "--compute", "energy", "--packed", "--out", str(tmp_path)])
    assert "energy cannot be told --packed" in refused.output


def test_generate_explains_what_passes_did(tmp_path: Path) -> None:
    asked = ["generate", "planar2", "--compute", "inverse_dynamics", "--out", str(tmp_path), "--explain"]
    said = RUN.invoke(app, asked).stdout
    assert re.search(r"^ *after +instructions +operations +alive +chain +parts *$", said, re.MULTILINE)
    (entry,) = json.loads(RUN.invoke(app, [*asked, "--json"]).stdout)
    assert [row["after"] for row in entry["passes"]][:: len(entry["passes"]) - 1] == ["tracing", "schedule"]
    assert entry["passes"][-1]["operations"] == sum(entry["operations"].values())


def test_a_prefix_tells_several_computations_apart(tmp_path: Path) -> None:
    compute = ["--compute", "inverse_dynamics", "--compute", "energy", "--prefix", "mine"]
    assert RUN.invoke(app, ["generate", "planar2", *compute, "--out", str(tmp_path)]).exit_code == 0
    assert {path.name for path in tmp_path.glob("*.c")} == {"mine_inverse_dynamics.c", "mine_energy.c"}


def test_bundle_writes_a_package_or_a_wheel(tmp_path: Path) -> None:
    asked = ["bundle", "planar2", "--compute", "energy", "--out", str(tmp_path), "--no-library", "--json"]
    said = json.loads(RUN.invoke(app, [*asked, "--name", "arm"]).stdout)
    assert Path(said["bundle"]) == tmp_path / "arm"
    assert "figures from Smits 2010" in (tmp_path / "arm" / "README.md").read_text(encoding="utf-8")
    (wheel,) = json.loads(RUN.invoke(app, [*asked, "--wheel"]).stdout)["files"]
    assert Path(wheel).name.startswith("planar2-")
    assert "would hide another" in str(RUN.invoke(app, [*asked, "--name", "json"]).exception)


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
        ["generate", "lwr4", "--compute", "jacobian", "--frame", "a", "--frame", "b", "--out", "x"],
        ["generate", "lwr4", "--compute", "energy", "--compute", "energy", "--out", "x"],
        ["generate", "lwr4", "--compute", "energy", "--out", "x", "--target", "cobol"],
        ["generate", "lwr4", "--compute", "energy", "--out", "x", "--rows", "xyz"],
        ["generate", "lwr4", "--compute", "energy", "--out", "x", "--gravity", "down"],
        ["generate", "lwr4", "--compute", "impact", "--out", "x"],
        ["generate", "lwr4", "--compute", "impact", "--out", "x", "--constraint", "link_7"],
        ["generate", "lwr4", "--compute", "impact", "--out", "x", "--constraint", "link_7: xyz; colour=red"],
        ["generate", "lwr4", "--compute", "impact", "--out", "x", "--constraint", "link_7: xyz; level=high"],
        ["bundle", "lwr4", "--compute", "magic", "--out", "x"],
    ],
)
def test_usage_errors_exit_2(arguments: list[str]) -> None:
    assert RUN.invoke(app, arguments).exit_code == 2


@pytest.mark.parametrize("command", ["generate", "bundle"])
def test_help_cuts_no_name_on_a_screen_of_eighty_columns(command: str) -> None:
    text = RUN.invoke(app, [command, "--help"], env={"COLUMNS": "80"}).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    options = {each.name.replace("_", "-") for each in fields(Said)} | {"no-implicit-stiffness"}
    for word in (*known(), *(f"--{option}" for option in options)):
        assert re.search(rf"(?<![\w-]){word}(?![\w-])", text), word


@pytest.mark.parametrize("columns", [80, 40])
def test_a_report_of_functions_cuts_nothing(columns: int, tmp_path: Path) -> None:
    words = ["generate", "humanoid", "--compute", "forward_dynamics", "--report", "--out", str(tmp_path)]
    lines = RUN.invoke(app, words, env={"COLUMNS": str(columns)}).stdout.splitlines()
    table = [line for line in lines if line.startswith(" ")]
    assert not any("…" in line for line in table)
    assert any(re.match(r" humanoid_forward_dynamics_0 +[\d,]+ +([\d,]+|–) +([\d,]+|–)  \d", line) for line in table)
    assert columns < 80 or max(map(len, table)) <= 80


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
