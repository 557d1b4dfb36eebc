"""What people get wrong first, and what they are told."""

from collections.abc import Callable

import numpy as np
import pytest

import motionc as mc

MISTAKES: dict[str, tuple[Callable[[mc.Robot], object], str]] = {
    "a name for a robot": (lambda r: mc.inverse_dynamics("lwr4"), r"asks of a robot, not of a str; load one: mc.load"),
    "no robot at all": (lambda r: mc.forward_dynamics(None), "asks of a robot, not of a NoneType"),
    "numbers for joints": (lambda r: mc.hybrid_dynamics(r, [0]), "prescribed: 0 is no name"),
    "accelerations too early": (
        lambda r: mc.constrained_dynamics(r, [], prescribed={"joint_0": 0.0}),
        "prescribed names joints; how they accelerate is the input a",
    ),
    "motors by number": (lambda r: mc.constrained_dynamics(r, [], actuated=[1]), "actuated: 1 is no name"),
    "a joint by number": (
        lambda r: mc.JointConstraint(3),
        r"JointConstraint: joints=3; give the name of a movable joint",
    ),
    "joints by number": (lambda r: mc.JointConstraint([1, 2]), r"JointConstraint: joints: 1 is no name; give the name"),
    "tokens in a list": (
        lambda r: mc.constrained_dynamics(r, [mc.Constraint("link_7", ["x", "y"])]),
        r"rows=\['x', 'y'\]; give tokens in one string, such as 'x y rz'",
    ),
    "rows that are not finite": (
        lambda r: mc.constrained_dynamics(r, [mc.Constraint("link_7", np.full((6, 1), np.nan))]),
        "give tokens in one string.*or a finite 6×m matrix",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_first_mistake_gets_a_sentence(mistake: str) -> None:
    make, said = MISTAKES[mistake]
    with pytest.raises(mc.Error, match=said):
        make(mc.load("lwr4"))


def test_one_constraint_needs_no_list() -> None:
    robot, hold = mc.load("planar2"), mc.Constraint("tip", "x")
    alone, listed = (mc.constrained_dynamics(robot, given) for given in (hold, [hold]))
    inputs = robot.random(0), [1, 2], [0, 0], [0.5]
    assert np.array_equal(alone.run(*inputs).a, listed.run(*inputs).a)


def test_an_answer_that_is_not_finite_says_so_instead_of_blaming_the_rows() -> None:
    robot = mc.load("hyq")
    hold, rest = mc.constrained_dynamics(robot, mc.Constraint("LF_foot", "xyz")), np.zeros(robot.nv)
    for q, b in ((np.zeros(robot.nq), np.zeros(3)), (robot.neutral(), [0, np.nan, 0])):
        with np.errstate(all="ignore"):
            (note,) = hold.run(q, rest, rest, b).notes
        assert "not finite" in note
        assert "quaternion in q is zero" in note
