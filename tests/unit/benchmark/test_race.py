"""Our C against Pinocchio's C++: what is compiled and read. The race itself, minutes of compiling, is `make bench`."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionc as mc
from figures import race
from motionc.benchmark import Absent, Timing
from motionc.benchmark.questions import Kind, ask
from motionc.robots import robot_file
from motionc.runtime.build import compiler
from oracle import error
from peers import pinocchio
from tiers import needs_compiler

pin = pytest.importorskip("pinocchio")
SOURCE = race.SOURCE.read_text(encoding="utf-8")
ROBOTS = {"lwr4": False, "hyq": True}


def read(name: str, floating: bool) -> tuple[mc.Robot, pinocchio.Peer, Path]:
    path = robot_file(name)
    assert path
    robot = mc.load(path, floating=floating)
    return robot, pinocchio.Peer(pin, robot, path), path


# ---------------------------------------------------------------- the C++


def test_every_function_that_is_asked_is_there() -> None:
    (table,) = re.findall(r"FUNCTIONS\[\] = \{(.*?)\n\};", SOURCE, re.DOTALL)
    there = re.findall(r'\{"(.*?)",\s*ASK\(pin::(\w+)\(', table)
    asked = race.FUNCTIONS | race.FUNCTIONS_AT_FEET
    assert {name for name, _ in there} == {name for names in asked.values() for name in names}
    assert all(name.split(",")[0] == called for name, called in there)


def test_joint_types_are_numbered_as_in_the_source() -> None:
    (names,) = re.findall(r"enum Joint \{ (.*) \};", SOURCE)
    constructed = dict(re.findall(r"case (\w+): return pin::JointModel(\w+)", SOURCE)) | {"FREE": "FreeFlyer"}
    assert [constructed[name] for name in names.split(", ")] == list(race.JOINTS)
    assert list(race.JOINTS.values()) == list(range(len(race.JOINTS)))


def test_nothing_of_the_compiled_library_may_be_used() -> None:
    """Its definition would make the algorithms declarations, answered by a library with flags of its own."""
    assert "#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION\n#error" in SOURCE
    assert not [flag for flag in (*race.FLAGS, *race.THEIRS) if "INSTANTIATION" in flag or flag.startswith("-l")]


@pytest.mark.parametrize("name", ROBOTS)
def test_the_numbers_given_to_its_cpp_are_its_model(name: str) -> None:
    """Put together again from numbers alone, it has the same mass matrix and inverse dynamics."""
    robot, peer, _ = read(name, ROBOTS[name])
    tree, numbers = race.tables(peer.model)
    (width,) = re.findall(r"NUMBERS = (\d+)", SOURCE)
    assert numbers.shape == (len(tree), int(width))
    made, rng = again(tree, numbers), np.random.default_rng(0)
    q, v, a = peer.state(robot.random(rng), *rng.uniform(-1, 1, (2, robot.nv)))
    both = [(model, model.createData()) for model in (made, peer.model)]
    tau, expected = (np.array(pin.rnea(model, data, q, v, a)) for model, data in both)
    assert error(tau, expected) < 1e-12
    M, expected = (np.triu(pin.crba(model, data, q)) for model, data in both)
    assert error(M, expected) < 1e-12


def again(tree: Any, numbers: Any) -> Any:
    """A model of Pinocchio's, built as pinocchio.cpp builds it."""
    model, names = pin.Model(), list(race.JOINTS)
    for (kind, parent), row in zip(tree, numbers, strict=True):
        place, mass, lever, inertia, axis, armature = np.split(row, [12, 13, 16, 25, 28])
        make = getattr(pin, f"JointModel{names[kind]}")
        joint = make(axis) if "nal" in names[kind] else make()
        at = model.addJoint(int(parent), joint, pin.SE3(place[:9].reshape(3, 3), place[9:]), f"joint {model.njoints}")
        model.appendBodyToJoint(at, pin.Inertia(mass[0], lever, inertia.reshape(3, 3)), pin.SE3.Identity())
        here = model.joints[at]
        model.armature[here.idx_v : here.idx_v + here.nv] = armature[: here.nv]
    return model


def test_answers_come_back_in_our_order() -> None:
    order = np.array([2, 0, 1])
    assert race.in_our_order(np.array([10.0, 11, 12]), order).tolist() == [12, 10, 11]
    square = np.arange(18.0).reshape(2, 3, 3)
    expected = [matrix[np.ix_(order, order)] for matrix in square]
    assert race.in_our_order(square.ravel(), order).tolist() == np.ravel(expected).tolist()


# ---------------------------------------------------------------- ours


@needs_compiler
@pytest.mark.parametrize("name", ROBOTS)
def test_the_emitted_c_in_its_loop_says_what_pinocchio_says(name: str) -> None:
    robot, peer, _ = read(name, ROBOTS[name])
    question = ask(Kind.INVERSE, robot, robot.link_names[-1], 3)
    tool = compiler.find_compiler()
    assert tool
    answers = race.emitted(question.computation, question.states, race.Tools(tool, "c++", ())).answers()
    data = peer.model.createData()
    expected = [np.array(pin.rnea(peer.model, data, *peer.state(*state)))[peer.order] for state in question.states]
    assert error(answers, np.array(expected)) < 1e-12


def test_ports_lie_one_after_the_other_in_the_loop() -> None:
    robot = mc.load("planar2")
    question = ask(Kind.FORWARD_DERIVATIVES, robot, robot.link_names[-1], 1)
    text = race.loop(question.computation)
    assert "x += 6, y += apart" in text
    assert "raced(x + 0, x + 2, x + 4, y + 0, y + 4, y + 8);" in text


# ---------------------------------------------------------------- who cannot race says so


def test_without_a_compiler_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    with pytest.raises(Absent, match="there is no C compiler"):
        race.find_tools()


@needs_compiler
def test_without_a_cpp_compiler_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(Absent, match=r"has no C\+\+ compiler beside it; install g\+\+"):
        race.find_tools()


def test_without_headers_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(race, "import_module", lambda _: SimpleNamespace(__file__=str(tmp_path / "pinocchio.py")))
    with pytest.raises(Absent, match="has no headers"):
        race.headers()
    (tmp_path / "include/pinocchio/algorithm").mkdir(parents=True)
    (tmp_path / "include/pinocchio/algorithm/pv.hpp").touch()
    monkeypatch.setattr(race, "EIGEN", ("include/eigen3",))
    with pytest.raises(Absent, match="Eigen's headers are not here"):
        race.headers()
    (tmp_path / "include/eigen3/Eigen").mkdir(parents=True)
    assert race.headers() == (tmp_path / "include", tmp_path / "include/eigen3")


def test_without_pinocchio_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise ImportError

    monkeypatch.setattr(race, "import_module", missing)
    with pytest.raises(Absent, match="pip install pin"):
        race.headers()


@needs_compiler
def test_what_cannot_be_compiled_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = mc.load("planar2")
    question = ask(Kind.INVERSE, robot, robot.link_names[-1], 1)
    tool = compiler.find_compiler()
    assert tool
    monkeypatch.setattr(race, "LOOP", "{given} {arguments} is no C")
    with pytest.raises(Absent, match=r"could not compile inverse_dynamics: .*error"):
        race.emitted(question.computation, question.states, race.Tools(tool, "c++", ()))


# ---------------------------------------------------------------- what comes of it


def test_the_faster_of_its_functions_counts() -> None:
    lines = [
        Timing("q", name, time)
        for name, time in ((race.OURS, 0.5), (race.OURS_BUILT, 0.6), ("aba, local", 3.0), ("aba, world", 2.0))
    ]
    found = race.times(lines)
    assert found
    assert (found.ours, found.built, found.ratio) == (0.5, 0.6, 4.0)
    assert found.theirs == {"aba, local": 3.0, "aba, world": 2.0}


def test_who_disagrees_leaves_no_ratio() -> None:
    lines = [Timing("q", race.OURS, 0.5), Timing("q", race.OURS_BUILT, 0.5), Timing("q", "pv", None, 0.1, "differs")]
    assert race.times(lines) is None
    assert race.times([]) is None
