"""Transforms and Jacobians for Maxima: the printed numbers, whatever the convention of the library they are for."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from all_joints import KINDS, Kind, Moving
from maxima_reader import Session
from motionc.packaging.transforms import jacobian, primitives, transform
from motionc.robots import robot_file
from mutants import tree
from oracle import Oracle
from rows import row

LIBRARIES = ("right", "left")
HYL = np.array([0.1, 0.2, 0.3, 0.4])


@row("robcogen", 15)
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_foot_of_hyl_is_where_it_is_printed_whatever_the_library(library: str) -> None:
    """specs/robcogen.md §3.4."""
    robot = mc.load("hyl")
    texts = [make(robot, "base", "foot", library=library) for make in (transform, jacobian)]
    session = Session("".join([primitives(library), *texts]))
    pose, J = session("base_X_foot", HYL), session("base_J_foot", HYL)
    printed = [
        [-0.6442176872, -0.7648421873, 0, -0.3160239091],
        [-0.1519506855, 0.1279862968, 0.9800665778, -0.132465894],
        [-0.7495962651, 0.6313762241, -0.1986693308, -0.553474771],
    ]
    assert np.max(np.abs(pose[:3] - printed)) < 1e-10
    assert np.max(np.abs(J[:, 1] - (-1, 0, 0, 0, -0.653474771, 0.132465894))) < 1e-9


@row("robcogen", 15)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_has_its_own_convention_and_a_text_is_for_that_one(library: str) -> None:
    """Primitives of the right are Pinocchio's SE3, of the left their inverses; a text for the other one is wrong."""
    robot, amount = mc.load("hyl"), 0.3
    session, other = Session(primitives(library)), Session(primitives("left" if library == "right" else "right"))
    for axis, unit in zip("xyz", np.eye(3), strict=True):
        for kind, moved in (
            ("T", pin.SE3(np.eye(3), amount * unit)),
            ("R", pin.SE3(pin.exp3(amount * unit), 0 * unit)),
        ):
            expected = moved if library == "right" else moved.inverse()
            assert np.max(np.abs(session(f"{kind}{axis}", amount) - expected.homogeneous)) < 1e-15
    text = transform(robot, "base", "foot", library=library)
    for reader in (session, other):
        reader.read(text)
    world = Oracle(robot_file("hyl"), robot)
    world.place(HYL)
    pose = np.linalg.inv(world.pose("base")) @ world.pose("foot")
    assert np.max(np.abs(session("base_X_foot", HYL) - pose)) < 1e-12
    assert np.max(np.abs(other("base_X_foot", HYL) - pose)) > 0.1


@row("robcogen", 15)
@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_any_joint_between_any_two_frames_is_a_product_of_six_primitives(seed: int) -> None:
    x = Moving(seed, [KINDS[seed], Kind.REVOLUTE, KINDS[(seed + 3) % len(KINDS)]])
    target, base = x.links[-1], x.links[1]
    poses = mc.forward_kinematics(x.robot, frames=[base, target]).run(x.q)
    expected = np.linalg.inv(poses[0]) @ poses[1]
    found = []
    for library in LIBRARIES:
        session = Session(primitives(library) + transform(x.robot, base, target, library=library, name="X"))
        found.append(session("X", x.q))
    assert np.max(np.abs(found[0] - expected)) < 1e-12
    assert np.max(np.abs(found[0] - found[1])) < 1e-14


@pytest.mark.parametrize("coupled", [False, True])
def test_a_jacobian_between_two_branches_is_that_of_the_computation(coupled: bool) -> None:
    robot = tree(floating=True, coupled=coupled)
    q = robot.random(np.random.default_rng(0))
    expected = mc.jacobian(robot, "tool", wrt="leg", as_seen_by="leg").run(q)
    for library in LIBRARIES:
        session = Session(primitives(library) + jacobian(robot, "leg", "tool", library=library, name="J"))
        assert np.max(np.abs(session("J", q) - expected)) < 1e-14


def test_what_cannot_be_said_is_refused() -> None:
    with pytest.raises(mc.Error, match=r"no frame 'foo'; did you mean foot"):
        transform(mc.load("hyl"), "base", "foo")
    with pytest.raises(mc.Error, match=r"several coordinates is on the way; emit the computation"):
        jacobian(tree(floating=True), "world", "tool")
    with pytest.raises(mc.Error, match=r"stands on the 'right' or on the 'left'"):
        primitives("middle")  # type: ignore[arg-type]


SYMBOLIC = """
load("right.mac")$ load("text.mac")$ load("p_energy.mac")$ load("p_gravity_forces.mac")$
X: world_X_tip([a, b])$
print("zero", expand(trigexpand(X[1][4] + 0.4*sin(a) + 0.4*sin(a + b))))$
U: p_energy([a, b], [0, 0])[2]$
off: [diff(U, a), diff(U, b)] - p_gravity_forces([a, b])$
print("slope", float(subst([a = 0.3, b = 0.7], off)))$
"""


@row("robcogen", 36)
@pytest.mark.skipif(not shutil.which("maxima"), reason="maxima is not on this machine; make tools installs it")
def test_maxima_simplifies_what_it_is_given_in_symbols(tmp_path: Path) -> None:
    """The tip of a planar arm by sums of angles; and gravity forces are the slope of the potential energy."""
    robot = mc.load("planar2")
    (tmp_path / "right.mac").write_text(primitives("right"))
    (tmp_path / "text.mac").write_text(transform(robot, "world", "tip"))
    gravity = (0, -9.81, 0)
    mc.energy(robot, gravity=gravity).emit("maxima", tmp_path, "p_energy")
    mc.gravity_forces(robot, gravity=gravity).emit("maxima", tmp_path, "p_gravity_forces")
    (tmp_path / "all.mac").write_text(SYMBOLIC)
    command = ["maxima", "--very-quiet", "-b", "all.mac"]
    said = subprocess.run(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout
    slope = next(line for line in said.splitlines() if line.startswith("slope"))
    assert np.max(np.abs([float(x) for x in slope[7:].strip(" []").replace(" ", "").split(",")])) < 1e-14
    zero = next(line for line in said.splitlines() if line.startswith("zero"))
    assert float(zero.split()[-1]) == 0.0
