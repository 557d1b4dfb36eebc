"""Meshes and drawings: how many are found without options, what is drawn of known robots, how long that takes.

Robots of example-robot-data 6, and models that come along with MJX, where these are installed.
"""

import time
import warnings
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc.benchmark.timing import Absent
from motionc.errors import Error
from motionc.formats import ReadError, read_urdf
from motionc.formats.files import find_file
from motionc.model.shapes import Mesh

PUBLIC = "cmeel.prefix/share/example-robot-data/robots"
ROBOTS = {
    "Panda": "panda_description/urdf/panda.urdf",
    "ANYmal C": "anymal_c_simple_description/urdf/anymal.urdf",
    "Talos": "talos_data/robots/talos_full_v2.urdf",
    "Go2": "go2_description/urdf/go2.urdf",
}
MUJOCO = {
    "Shadow hand (MuJoCo)": "shadow_hand/right_hand.xml",
    "Barkour (MuJoCo)": "barkour_v0/assets/barkour_v0_mjx.xml",
}
NAMED, LOADED, PLACED = 1321, 5.0, 3e-3
"""Meshes; seconds of CPU to load a robot with its meshes; seconds to place 40 bodies."""


def figures() -> Iterator[str]:
    """Meshes found; a line a robot; a line for placing."""
    folder = installed("example-robot-data", PUBLIC)
    if folder is None:
        raise Absent("example-robot-data is not installed; pip install 'example-robot-data~=6.0'")
    yield from _found(folder)
    for title, file in ROBOTS.items():
        yield _drawn(title, folder / file)
    models = installed("mujoco-mjx", "mujoco/mjx/test_data")
    for title, file in MUJOCO.items():
        yield f"  {title:<24} mujoco-mjx is not installed" if models is None else _drawn(title, models / file)
    yield _placed(folder / ROBOTS["ANYmal C"])


def installed(package: str, below: str) -> Path | None:
    """A folder of a package's files; None where it is not installed."""
    try:
        return Path(str(distribution(package).locate_file(below)))
    except PackageNotFoundError:
        return None


def _found(folder: Path) -> Iterator[str]:
    named = found = files = 0
    for path in sorted(folder.rglob("*.urdf")):
        try:
            chain = read_urdf(path).chain
        except ReadError:
            continue
        shapes = [shape for segment in chain.segments for shape in segment.link.shapes if shape.purpose == "visual"]
        meshes = [shape.geometry.file for shape in shapes if isinstance(shape.geometry, Mesh)]
        files += bool(meshes)
        named += len(meshes)
        found += sum(_is_found(name, path.parent) for name in meshes)
    yield (
        f"  meshes to look at, found without options: {found} of {named} in {files} files "
        f"(wanted all of ≥ {NAMED}) {verdict(found == named >= NAMED)}"
    )


def _is_found(name: str, beside: Path) -> bool:
    try:
        return find_file(name, beside=beside).is_file()
    except Error:
        return False


def _drawn(title: str, path: Path) -> str:
    begin, busy = time.perf_counter(), time.process_time()
    drawn = mc.view.drawing(_loaded(path))
    waited, took = time.perf_counter() - begin, time.process_time() - busy
    faces = sum(len(piece.triangles) for piece in drawn.pieces)
    textures = sum(piece.texture is not None for piece in drawn.pieces)
    return (
        f"  {title:<24} {len(drawn.pieces):3} pieces on {len(drawn.links):2} links, {faces:7,} triangles, {textures:2} "
        f"textured, {len(drawn.left_out)} left out (wanted 0), {took:.2f} s of CPU (wanted ≤ {LOADED:g}), "
        f"{waited:.2f} s by the clock "
        f"{verdict(not drawn.left_out and bool(drawn.pieces) and took <= LOADED)}"
    )


def _loaded(path: Path) -> mc.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.ModelWarning)
        return mc.load(path)


def _placed(path: Path) -> str:
    robot = _loaded(path)
    drawn, q = mc.view.drawing(robot), robot.neutral()
    drawn.place(q)
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        drawn.place(q)
        times.append(time.perf_counter() - begin)
    middle = float(np.median(times))
    return (
        f"  {len(drawn.links)} bodies placed in {middle * 1e3:.3f} ms (wanted ≤ {PLACED * 1e3:g}, 40 bodies) "
        f"{verdict(len(drawn.links) >= 40 and middle <= PLACED)}"
    )
