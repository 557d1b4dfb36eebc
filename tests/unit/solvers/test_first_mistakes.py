"""What people get wrong first, and what they are told."""

from collections.abc import Callable
from typing import Any

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


@pytest.mark.parametrize("smoothing", [1e-170, 1e-30, 1e160])
def test_smoothing_whose_powers_no_float_holds_is_refused(smoothing: float) -> None:
    with pytest.raises(mc.Error, match="give a speed from 1e-12 to 1e12"):
        mc.forward_dynamics(mc.load("planar2"), friction=True, friction_smoothing=smoothing)


@pytest.mark.parametrize(
    "ask",
    [
        lambda r, many: mc.forward_dynamics(r, gravity=many),
        lambda r, many: mc.jacobian(r, "tip", point=many),
        lambda r, many: mc.impact(r, "tip", restitution=many),
        lambda r, many: mc.inverse_kinematics(r, "tip", limits=(many, many)),
        lambda r, many: mc.forward_kinematics(r).run(many),
        lambda r, many: r.integrate(many, many),
        lambda r, many: mc.orders.ros(r).q(many),
    ],
)
@pytest.mark.parametrize("many", [range(10**12), range(10**20)])
def test_more_entries_than_anybody_reads_are_one_sentence(ask: Any, many: range) -> None:
    with pytest.raises(mc.Error, match=r"range|numbers"):
        ask(mc.load("planar2"), many)


def test_findings_of_one_number_are_refused() -> None:
    with pytest.raises(mc.Error, match="give a tuple"):
        mc.Findings(np.array(3.0))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "ask",
    [
        lambda r, name: mc.jacobian(r, name),
        lambda r, name: mc.load("planar2", fixed=[name]),
        lambda r, name: mc.forward_dynamics(r, external_forces=name),
        lambda r, name: mc.forward_dynamics(r, parameters=name),
        lambda r, name: mc.forward_dynamics(r).derivative(name, "q"),
        lambda r, name: mc.Target(name),
    ],
)
def test_a_name_without_end_is_not_repeated(ask: Any) -> None:
    with pytest.raises(mc.Error) as refused:
        ask(mc.load("planar2"), "y" * 100_000)
    assert len(str(refused.value)) < 300


def test_a_target_of_six_rows_is_a_force_too() -> None:
    robot, rng = mc.load("planar2"), np.random.default_rng(0)
    given = (*rng.normal(size=(3, 2)), rng.normal(size=(1, 6)))
    for said in ({}, {"as_seen_by": "tip"}):
        want = mc.forward_dynamics(robot, external_forces=mc.Force("tip", **said)).run(*given)
        for force in (mc.Target("tip", **said), [mc.Constraint("tip", **said)]):
            assert np.array_equal(mc.forward_dynamics(robot, external_forces=force).run(*given), want)
    for other in (mc.Target("tip", "xyz"), mc.Target("tip", point=(0, 0, 1)), mc.Constraint("tip", wrt="upper_arm")):
        with pytest.raises(mc.Error, match="a wrench has all six rows"):
            mc.forward_dynamics(robot, external_forces=other)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r: mc.forward_dynamics(r).derivative(["a", "a"], "q"), "of=a, a; name each once"),
        (lambda r: mc.forward_dynamics(r).derivative("a", ["q", "q"]), "wrt=q, q; name each once"),
        (lambda r: mc.inverse_dynamics(r).vjp("tau", ["q", "q"]), "wrt=q, q; name each once"),
        (lambda r: mc.frame_motion(r, "tip", outputs=["twist", "twist"]), "outputs='twist' is there twice"),
    ],
)
def test_two_outputs_of_one_name_are_refused(ask: Callable[[mc.Robot], Any], said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        ask(mc.load("planar2"))


def test_a_free_body_on_an_arm_is_not_called_the_base() -> None:
    (_, v, _) = mc.inverse_dynamics(mc.load("planar2", floating=True)).inputs
    assert "root_joint: angular, then linear, as seen by its child" in v.meaning
