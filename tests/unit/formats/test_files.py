"""Which files a model may lead to: within the folders given, or a sentence."""

import os
from pathlib import Path

import pytest

from motionc.errors import Error
from motionc.formats.files import find_file


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
