"""Loading says in one line that a file has findings, where it was asked to; what repeats among them is told once."""

import warnings
from pathlib import Path

import pytest

import motionc as mc

UR5 = next(robot.file for robot in mc.robots() if robot.name == "ur5").read_text(encoding="utf-8")


def test_loading_a_file_with_warnings_says_so_where_it_is_loaded(tmp_path: Path):
    path = tmp_path / "ur5.urdf"
    path.write_text(UR5.replace("-6.283185307179586", "-360"))
    with pytest.warns(mc.ModelWarning, match=f"^{path} has 5 warnings: see print.*`motionc check {path}`$") as heard:
        robot = mc.load(path)
    assert [each.filename for each in heard] == [__file__]
    assert [finding.rule for finding in robot.findings] == ["Mg2"] * 5


def test_loading_what_comes_along_and_files_with_notes_alone_says_nothing(tmp_path: Path):
    path = tmp_path / "ur5.urdf"
    path.write_text(UR5.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 2"/>'))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(mc.load(path).findings) == 6
        for robot in mc.robots():
            mc.load(robot.name)


def test_findings_that_say_the_same_are_told_once_with_the_places_of_the_others(tmp_path: Path):
    path = tmp_path / "ur5.urdf"
    path.write_text(UR5.replace("<axis ", '<axis colour="red" ').replace("-6.283185307179586", "-360"))
    findings = mc.check(path)
    assert len(findings) == 11
    assert findings.summary == "11 warnings"
    assert [[finding.rule for finding in group] for group in findings.groups] == [["Ur2"] * 6, ["Mg2"] * 5]
    told = str(findings)
    assert told.count("warning Ur2") == told.count("warning Mg2") == 1
    assert "… and 5 more like it: lines 48, 68, 88, 106, 124" in told
    assert "… and 4 more like it: lines 49, 89, 107, 125" in told


def test_findings_that_differ_are_told_each(tmp_path: Path):
    path = tmp_path / "ur5.urdf"
    path.write_text(UR5.replace("<axis ", '<axis colour="red" shade="dark" '))
    assert [len(group) for group in mc.check(path).groups] == [6, 6]
    with pytest.raises(mc.ModelError) as caught:
        mc.Robot(mc.KinematicChain("none", ()))
    assert "more like it" not in str(caught.value)


def test_a_model_with_many_errors_of_a_kind_is_refused_in_few_words(tmp_path: Path):
    path = tmp_path / "ur5.urdf"
    path.write_text(UR5.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>'))
    with pytest.raises(mc.ModelError, match="… and 5 more like it: lines 48, 68, 88, 106, 124") as caught:
        mc.load(path)
    assert str(caught.value).count("Jt3") == 1
    assert len(caught.value.findings) == 6


@pytest.mark.parametrize("before", ["\n", "\ufeff", "\ufeff \r\n\t"])
@pytest.mark.parametrize("declared", ["", "<?xml version='1.0' encoding='latin-1'?>\n"])
def test_a_text_may_have_white_space_and_a_mark_of_bytes_in_front(before: str, declared: str) -> None:
    text = before + declared + "<robot name='ä'>\n<link name='b'/><link name='b'/></robot>"
    assert mc.load(text.replace("<link name='b'/><", "<", 1)).name == "ä"
    (found,) = mc.check(text)
    assert found.place.line == text.count("\n") + 1


def test_a_folder_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="it is a folder"):
        mc.load(tmp_path)
