"""What generating gains: a library for all robots says the same numbers, and operations compare as in the thesis."""

from collections.abc import Callable

import numpy as np
import pytest

import motionc as mc
from figures.latency import latency
from figures.shapes import Gain, Shape, computations, counted, gain
from motionc.benchmark import Absent
from motionc.runtime.build import compiler
from oracle import error
from peers import generic
from rows import row

needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="no C compiler on this machine")
pytestmark = needs_compiler

# joints: a leg on a slide, a chain R P R P R, the chain with a branch of two, a quadruped whose trunk is held
FRAMES = {"hyl": "foot", "fancy": "tip", "fancy_branch": "tip_of_branch", "hyq": "LF_foot"}
JOINTS = {"hyl": 4, "fancy": 5, "fancy_branch": 7, "hyq": 12}


def load(name: str) -> mc.Robot:
    return mc.load(name, floating=False)


def fewer(name: str, shape: Shape) -> float:
    own, other = counted(shape, load(name), FRAMES[name])
    return other / own


# ---------------------------------------------------------------- numbers


@row("robcogen", 42)
@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("name", FRAMES)
def test_the_library_for_all_robots_says_the_same(name: str, shape: Shape, record_property: Callable) -> None:
    robot = load(name)
    assert robot.nv == JOINTS[name]
    found = gain(robot, FRAMES[name], shape, rounds=1)
    record_property("gain", (found.fewer, found.faster))
    assert found.error < 1e-12
    assert (found.robot, found.joints, found.shape) == (name, robot.nv, shape)
    assert min(found.microseconds, found.generic_microseconds) > 0


def test_a_library_that_errs_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    spoilt = generic.SOURCE.read_text(encoding="utf-8").replace(
        "acceleration[i][0] += 2 *", "acceleration[i][0] += 1 *"
    )
    (tmp_path / "generic.c").write_text(spoilt, encoding="utf-8")
    monkeypatch.setattr(generic, "SOURCE", tmp_path / "generic.c")
    with pytest.raises(mc.Error, match=r"fancy, inverse dynamics: its answers differ"):
        gain(load("fancy"), "tip", Shape.INVERSE, rounds=1)


def test_its_trees_stand_and_have_some_joints() -> None:
    with pytest.raises(Absent, match="no floating base"):
        generic.tables(mc.load("hyq"), "LF_foot")


def test_a_state_is_asked_as_it_is_written() -> None:
    """Row by row, in the order of ports."""
    robot, rng = load("fancy"), np.random.default_rng(3)
    x = rng.normal(size=(4, 15))
    found = generic.answered("inverse_dynamics", robot, "tip", x, 5).answers()
    (inverse,) = computations(Shape.INVERSE, robot, "tip")
    assert error(found, np.array([inverse(*np.split(row, 3)) for row in x])) < 1e-13


# ---------------------------------------------------------------- shapes, in operations


@row("robcogen", 42)
@pytest.mark.parametrize("shape", [Shape.INVERSE, Shape.FORWARD])
@pytest.mark.parametrize("name", ["hyl", "fancy", "fancy_branch"])
def test_generated_code_does_a_third_of_the_operations_or_less(name: str, shape: Shape) -> None:
    assert fewer(name, shape) > 3


@row("robcogen", 42)
def test_operations_are_counted_where_they_are_done() -> None:
    """A body more is the same number of operations more, whoever counts; a sliding one is less than a turning one."""
    leg, arm, branched = (generic.operations("inverse_dynamics", load(name), FRAMES[name]) for name in list(FRAMES)[:3])
    assert leg < arm < branched
    once = generic.operations("inverse_dynamics", load("hyl"), "foot")
    assert generic.operations("mass_matrix", load("hyl"), "foot") == 4 * once


@row("robcogen", 43)
def test_a_quadrupeds_mass_matrix_gains_more_than_a_chains() -> None:
    """As many inverse dynamics as joints do not see that legs do not feel each other; 2.75 in the thesis."""
    assert fewer("hyq", Shape.MASS) / fewer("fancy", Shape.MASS) > 1.5


@row("robcogen", 44)
@pytest.mark.parametrize("name", ["hyl", "hyq"])
def test_the_inverse_and_a_jacobian_gain_more_than_the_mass_matrix(name: str) -> None:
    assert fewer(name, Shape.MASS_INVERSE) > fewer(name, Shape.MASS)


@pytest.mark.parametrize("name", ["fancy", "fancy_branch"])
def test_a_mass_matrix_that_is_all_but_constant_gains_more_than_its_inverse(name: str) -> None:
    """Fictitious links weigh 1 and their axes meet at right angles; in the thesis 72 and 36, in time."""
    assert 90 < fewer(name, Shape.MASS_INVERSE) < fewer(name, Shape.MASS)


def test_gains_are_quotients() -> None:
    found = Gain("r", 2, Shape.MASS, 10, 30, 0.5, 2.0, 0.0)
    assert (found.fewer, found.faster) == (3, 4)


# ---------------------------------------------------------------- a control cycle


@row("robcogen", 45)
@pytest.mark.parametrize("name", ["hyl", "hyq"])
def test_inverse_dynamics_fits_into_a_control_cycle_a_million_times(name: str, record_property: Callable) -> None:
    """A thousand times faster than a cycle of 1 ms; the longest call is kept, since it may be somebody else's."""
    found = latency(mc.inverse_dynamics(load(name)))
    record_property("microseconds: median, 99.9 %, longest", (found.median, found.rare, found.longest))
    assert found.calls == 1_000_000
    assert 0 < found.median <= found.rare <= found.longest
    assert found.median < 1000
