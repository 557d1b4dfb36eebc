"""`motionc picture`: joints that are set, directions, sizes, and sentences."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app
from motionc.cli.picture import configuration

RUN = CliRunner()


def test_what_is_set_is_drawn(tmp_path: Path) -> None:
    file, same = tmp_path / "out.png", tmp_path / "same.png"
    words = ["--set", "elbow=0.9", "--camera", "0,-1,0.3", "--size", "60x40", "--frame", "tip"]
    result = RUN.invoke(app, ["picture", "planar2", "-o", str(file), *words])
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == str(file)
    mc.view.picture(mc.load("planar2"), [0, 0.9], same, camera=(0, -1, 0.3), size=(60, 40), frames="tip")
    assert file.read_bytes() == same.read_bytes()


def test_entries_of_joints_with_several_are_set_by_name() -> None:
    q = configuration(mc.load("hyq"), ["root_joint.z=0.5", "LF_KFE=-1.4"])
    assert q[2] == 0.5
    assert q[mc.load("hyq").q_index["LF_KFE"]] == -1.4


@pytest.mark.parametrize("name", ["a.jpg", "a", "a.png.svg"])
def test_a_name_that_is_not_one_of_png_is_refused(tmp_path: Path, name: str) -> None:
    result = RUN.invoke(app, ["picture", "planar2", "-o", str(tmp_path / name)])
    assert result.exit_code == 1
    assert "pictures are PNG files; give a name that ends in .png" in str(result.exception)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "elbo=1"], "planar2 has no coordinate 'elbo'; did you mean elbow?"),
        (["--set", "elbow"], "say JOINT=VALUE, such as elbow=0.5"),
        (["--set", "elbow=up"], "'up' is no number"),
        (["--set", "elbow=nan"], "--set 'elbow=nan': 'nan' is no number that is finite"),
        (["--camera", "1,inf,0"], "--camera '1,inf,0': 'inf' is no number that is finite"),
        (["--camera", "1,2"], "give the direction x, y, z"),
        (["--size", "big"], "say WIDTHxHEIGHT in pixels, such as 900x600"),
        (["--size", "60"], "give width and height"),
    ],
)
def test_nonsense_gets_a_sentence(tmp_path: Path, words: list[str], said: str) -> None:
    result = RUN.invoke(app, ["picture", "planar2", "-o", str(tmp_path / "x.png"), *words])
    assert result.exit_code == 1
    assert said in str(result.exception)
    assert not (tmp_path / "x.png").exists()
