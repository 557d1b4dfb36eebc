"""Which files a model may lead to, and macros: within the folders given, or a sentence."""

import os
from pathlib import Path

import pytest

import motionc.formats.xacro as macros
from motionc.errors import Error
from motionc.formats.files import find_file
from motionc.formats.urdf import read_urdf
from motionc.formats.xml_tree import ReadError


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for name in ("share/arm/meshes/hand.stl", "share/arm/a b.stl", "model/own.stl", "secret/key.stl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    os.symlink(tmp_path / "secret/key.stl", tmp_path / "model/link.stl")
    return tmp_path


def test_names_lead_to_files_in_packages_and_beside_the_model(folders: Path) -> None:
    share, model = folders / "share", folders / "model"
    hand = (share / "arm/meshes/hand.stl").resolve()
    assert find_file("package://arm/meshes/hand.stl", roots=[share]) == hand
    assert find_file("package://arm/meshes/hand.stl", roots=[str(share / "arm")]) == hand
    assert find_file("model://arm/meshes/../meshes/hand.stl", roots=[share]) == hand
    assert find_file(f"file://{hand}", roots=[share]) == hand
    assert find_file("package://arm/a%20b.stl", roots=[share]).name == "a b.stl"
    assert find_file("own.stl", beside=model) == (model / "own.stl").resolve()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("package://arm/../../secret/key.stl", "outside the folders given"),
        ("package://../secret/key.stl", "outside the folders given"),
        ("package://arm/%2e%2e/%2e%2e/secret/key.stl", "outside the folders given"),
        ("../secret/key.stl", "outside the folders given"),
        ("link.stl", "outside the folders given"),
        ("package://leg/x.stl", "in none of the folders"),
        ("none.stl", "in none of the folders"),
        ("https://somewhere/x.stl", "not fetched by https"),
        ("own.stl\0", "names no file|in none of the folders"),
        ("file://[x", "names no file"),
        ("", "in none of the folders"),
    ],
)
def test_what_leads_elsewhere_is_not_opened(folders: Path, name: str, message: str) -> None:
    with pytest.raises(Error, match=message):
        find_file(name, beside=folders / "model", roots=[folders / "share"])


def test_an_absolute_name_is_not_opened_unless_it_is_inside(folders: Path) -> None:
    with pytest.raises(Error, match="outside the folders given"):
        find_file(f"file://{folders}/secret/key.stl", beside=folders / "model")
    with pytest.raises(Error, match="outside the folders given"):
        find_file(str(folders / "secret/key.stl"), beside=folders / "model")


# ---------------------------------------------------------------- macros

ARM = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="n" default="2"/>
<xacro:macro name="part" params="k"><link name="link${k}"/><xacro:if value="${k &lt; int(n)}">
<joint name="j${k}" type="fixed"><parent link="link${k}"/><child link="link${k + 1}"/></joint>
<xacro:part k="${k + 1}"/></xacro:if></xacro:macro><xacro:property name="n" value="$(arg n)"/>
<xacro:part k="0"/></robot>"""


def test_macros_are_expanded_with_arguments(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    file = tmp_path / "r.xacro"
    file.write_text(ARM)
    assert len(read_urdf(macros.expand(file)).chain.joints) == 2
    assert len(read_urdf(macros.expand(file, {"n": "4"})).chain.joints) == 4


def test_macros_that_fail_or_never_end_get_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xacro")
    file = tmp_path / "r.xacro"
    file.write_text(ARM.replace("int(n)", "nobody"))
    with pytest.raises(ReadError, match=r"r\.xacro: .*nobody"):
        macros.expand(file)
    monkeypatch.setattr(macros, "EXPAND", "while True: pass")
    monkeypatch.setattr(macros, "TIMEOUT", 0.5)
    with pytest.raises(ReadError, match=r"stopped after 0\.5 s"):
        macros.expand(file)
    monkeypatch.setattr(macros, "find_spec", lambda name: None)
    with pytest.raises(Error, match=r"pip install 'motionc\[xacro\]'"):
        macros.expand(file)
