"""Stages: nothing computed twice or too early, and together they are the program."""

import numpy as np
import pytest

import motionc as mc
from motionc.program import Program
from motionc.program.compose import joined, only, split
from motionc.runtime.build.library import interpreted
from mutants import tree

COMPUTATIONS = {
    "inverse": lambda: mc.inverse_dynamics(tree(True)),
    "forward": lambda: mc.forward_dynamics(mc.load("hyl")),
    "kernels": lambda: mc.constrained_dynamics(mc.load("planar3"), [mc.Constraint("tip", "xy")]),
}


def numbers(program: Program, given: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs of a program on inputs by name."""
    found = np.empty(sum(port.size for port in program.outputs))
    interpreted(program)(np.concatenate([np.empty(0), *(np.ravel(given[port.name]) for port in program.inputs)]), found)
    return np.split(found, np.cumsum([port.size for port in program.outputs])[:-1])


def drawn(program: Program) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {port.name: rng.normal(size=port.shape) for port in program.inputs}


@pytest.mark.parametrize("kind", COMPUTATIONS)
@pytest.mark.parametrize("early", [["q"], ["q", "v"], ["v"], []])
def test_both_stages_are_the_program(kind: str, early: list[str]) -> None:
    program = COMPUTATIONS[kind]().program
    first, second = split(program, early)
    given = drawn(program)
    (state,) = numbers(first, given)
    assert [port.name for port in first.inputs] == early
    assert [port.name for port in second.inputs] == ["state", *(p.name for p in program.inputs if p.name not in early)]
    for one, other in zip(numbers(second, given | {"state": state}), numbers(program, given), strict=True):
        assert np.array_equal(one, other)
    assert first.operations + second.operations == program.operations


def test_what_is_known_early_is_computed_early() -> None:
    program = mc.inverse_dynamics(mc.load("lwr4")).program
    first, second = split(program, ["q"])
    assert first.operations["sin"] + first.operations["cos"] == 12  # the first joint stands upright
    assert not second.operations["sin"] + second.operations["cos"]
    assert len(first.results[0]) == len(set(first.results[0]))
    # of kinematics nothing is left, of values that no joint changes there are none
    first, second = split(mc.jacobian(mc.load("lwr4"), "link_7").program, ["q"])
    assert not sum(second.operations.values())
    assert not sum(split(program, [])[0].operations.values())


def test_joined_programs_share_what_they_have_in_common() -> None:
    robot = mc.load("hyl")
    parts = [mc.mass_matrix(robot).program, mc.mass_matrix_inverse(robot).program, mc.gravity_forces(robot).program]
    whole = joined("all", parts)
    assert [port.name for port in whole.outputs] == ["M", "M_inv", "g"]
    given = drawn(whole)
    expected = [values for part in parts for values in numbers(part, given)]
    for one, other in zip(numbers(whole, given), expected, strict=True):
        assert np.allclose(one, other, rtol=1e-13, atol=1e-13)
    assert sum(whole.operations.values()) < sum(sum(part.operations.values()) for part in parts)
    alone = only(whole, [2], "gravity")
    assert alone.operations == parts[2].operations
    assert [port.name for port in alone.inputs] == ["q"]


def test_an_input_nobody_has_cannot_be_early() -> None:
    with pytest.raises(mc.Error, match="has no input 'Q' that could be known early"):
        split(mc.inverse_dynamics(mc.load("planar2")).program, ["Q"])
    with pytest.raises(mc.Error, match=r"q has shape \(2,\) in one program and \(3,\) in another"):
        joined("x", [mc.mass_matrix(mc.load(name)).program for name in ("planar2", "planar3")])
