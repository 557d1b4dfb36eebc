"""The command line: what it prints, and its exit codes."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

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


def test_usage_errors_exit_2() -> None:
    assert RUN.invoke(app, ["show"]).exit_code == 2


def test_an_error_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["motionc", "show", "lwr5"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 1
    assert "did you mean lwr4?" in capsys.readouterr().err
