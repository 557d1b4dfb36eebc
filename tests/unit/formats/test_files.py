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


# ---------------------------------------------------------------- packages that nobody named


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package arm with a model, one beside it called otherwise than its folder, and what is no package."""
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    files = ("arm/urdf/arm.urdf", "arm/meshes/hand.stl", "arm/meshes/hand.txt", "folder/package.xml", "folder/leg.dae")
    for name in (*files, "plain/x.stl", "elsewhere/share/far/package.xml", "elsewhere/share/far/x.stl", "secret.stl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<package><name> leg </name></package>" if path.name == "package.xml" else "x")
    os.symlink(tmp_path / "secret.stl", tmp_path / "arm/meshes/out.stl")
    return tmp_path


def found(workspace: Path, name: str) -> str:
    path = find_file(name, beside=workspace / "arm/urdf")
    return str(path.relative_to(workspace.resolve()))


def test_a_package_is_found_above_the_model_by_its_folder_or_its_own_name(workspace: Path) -> None:
    assert found(workspace, "package://arm/meshes/hand.stl") == "arm/meshes/hand.stl"
    assert found(workspace, "package:///arm/meshes/hand.stl") == "arm/meshes/hand.stl"
    assert found(workspace, "package://folder/leg.dae") == "folder/leg.dae"
    assert found(workspace, "../meshes/hand.stl") == "arm/meshes/hand.stl"
    assert found(workspace, "../urdf/%2e%2e/meshes/../meshes/hand.stl".replace("%2e", ".")) == "arm/meshes/hand.stl"
    assert found(workspace, f"file://{workspace}/arm/meshes/hand.stl") == "arm/meshes/hand.stl"
    own = find_file("package://leg/leg.dae", beside=workspace / "folder")
    assert own == (workspace / "folder/leg.dae").resolve()


def test_packages_are_found_where_the_environment_has_them(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Error, match="in none of the folders"):
        found(workspace, "package://far/x.stl")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/:relative:{workspace}/elsewhere")
    assert found(workspace, "package://far/x.stl") == "elsewhere/share/far/x.stl"
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/:{workspace}/elsewhere/share")
    assert found(workspace, "package://far/x.stl") == "elsewhere/share/far/x.stl"


@pytest.mark.parametrize(
    "name",
    [
        "package://plain/x.stl",  # a folder of the right name is no package
        "package:///etc/passwd",
        "package:///",
        "package://",
        "package:///secret.stl",
        "package://../secret.stl",
        "package://%2e%2e/secret.stl",
        "package://arm/../secret.stl",
        "package://arm/%2e%2e/secret.stl",
        "package://arm/meshes/out.stl",  # a link out of the package
        "package://arm/meshes/hand.txt",  # no mesh
        "package://arm/meshes",
        "package://arm",
        "../../secret.stl",
        "../meshes/hand.txt",
        "file:///etc/passwd",
        "file:///dev/zero",
        "/dev/zero",
        "package://" + "x" * 5000 + "/x.stl",
        "package://arm/" + "x" * 5000 + ".stl",
        "package://a\0b/x.stl",
    ],
)
def test_nothing_else_is_a_package(workspace: Path, name: str) -> None:
    with pytest.raises(Error, match=r"outside the folders|in none of the folders|names no file"):
        found(workspace, name)


def test_the_root_of_the_file_system_is_no_package(tmp_path: Path) -> None:
    (tmp_path / "x.stl").write_text("x")
    with pytest.raises(Error, match=r"outside the folders given|in none"):
        find_file(str(tmp_path / "x.stl"), beside=Path("/"))
