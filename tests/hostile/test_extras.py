"""Packages that are not installed: whoever needs one is told what to type, and nothing else breaks."""

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from collada_files import COLLADA
from motionc.model.shapes import Mesh, mass_properties

OBJ = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
URDF = '<robot name="r"><link name="base"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'


def drawn(folder: Path, name: str) -> str:
    """What a drawing says that it left out."""
    (folder / "r.urdf").write_text(URDF.format(name))
    return " ".join(mc.view.drawing(mc.load(folder / "r.urdf")).left_out)


def mesh(folder: Path) -> str:
    (folder / "m.obj").write_text(OBJ)
    return drawn(folder, "m.obj")


def texture(folder: Path) -> str:
    (folder / "plate.dae").write_text(COLLADA)
    (folder / "skin.png").write_bytes(b"whatever")
    return drawn(folder, "plate.dae")


def page(_: Path) -> Any:
    return mc.view.show(mc.load("planar2"), open_browser=False)


def plots(folder: Path) -> Any:
    return mc.view.plots(mc.simulate.Recording(signals=[mc.simulate.Signal("x", [0.0], [0.0])]), folder)


def parquet(folder: Path) -> Any:
    return mc.simulate.Recording().to_parquet(folder / "x.parquet")


def compressed(how: str) -> Callable[[Path], Any]:
    def opened(folder: Path) -> Any:
        whole = mc.simulate.Recording(signals=[mc.simulate.Signal("x", [0.0], [0.0])]).save(folder / "x.mcap")
        saved, word = whole.read_bytes(), struct.pack("<I", len(how)) + how.encode()
        body = struct.pack("<QQQI", 0, 1, 1000, 0) + word + struct.pack("<Q", 3) + b"abc"
        whole.write_bytes(saved[:8] + struct.pack("<BQ", 6, len(body)) + body + saved[8:])
        return mc.simulate.Recording.open(whole)

    return opened


def weight(name: str) -> Callable[[Path], Any]:
    return lambda folder: mass_properties(Mesh(str(folder / name)), density=1.0)


@pytest.mark.parametrize(
    ("package", "extra", "ask"),
    [
        ("viser", "view", page),
        ("trimesh", "view", mesh),
        ("PIL", "view", texture),
        ("matplotlib", "report", plots),
        ("pyarrow", "parquet", parquet),
        ("zstandard", "record", compressed("zstd")),
        ("lz4.frame", "record", compressed("lz4")),
        ("trimesh", "mesh", weight("x.stl")),
        ("collada", "mesh", weight("x.dae")),
    ],
)
def test_what_is_not_installed_is_named_with_its_pip_line(
    package: str, extra: str, ask: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    try:
        said = str(ask(tmp_path))
    except mc.Error as error:
        said = str(error)
    assert f"motionc[{extra}]" in said
    assert "pip install" in said


def test_a_picture_needs_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("viser", "trimesh", "PIL", "matplotlib", "collada"):
        monkeypatch.setitem(sys.modules, package, None)
    robot = mc.load("planar2")
    picture = mc.view.picture(robot, np.zeros(2), tmp_path / "x.png", size=(90, 60))
    assert picture.read_bytes().startswith(b"\x89PNG")
