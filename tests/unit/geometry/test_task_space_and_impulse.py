"""How things give way to forces and impulses along rows: equal to plain matrices, refused where meanings do not fit."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from motionc.geometry import (
    WORLD,
    ArticulatedInertia,
    Body,
    Coupling,
    Frame,
    Impulses,
    JointForce,
    JointImpulse,
    JointInertia,
    JointRows,
    JointSway,
    JointVelocity,
    MotionBasis,
    OperationalInertia,
    RowStack,
    RowSway,
    RowTwist,
    RowVelocity,
    SemanticError,
    Twist,
    TwistJump,
    WrenchBasis,
)
from motionc.geometry.coordinates import UNKNOWN
from motionc.program.kernels.semidefinite import TRUNCATED_INVERSE
from motionc.sweeps.problem import call_numpy
from rows import row
from symbols import Page

Array = np.ndarray
PARENT, CHILD = Body("parent"), Body("child")
F = Frame("f", CHILD)
HERE = F.origin, F
ROWS, JOINTS = ("x", "y", "rz"), ("slide", "turn")

rng = np.random.default_rng(0)
H6 = (lambda a: a @ a.T + np.eye(6))(rng.normal(size=(6, 6)))
S6, X6, A6 = rng.normal(size=(6, 2)), rng.normal(size=(6, 2)), rng.normal(size=(6, 3))
V6 = rng.normal(size=(6, 1))
Z, f, rate = rng.normal(size=(2, 3)), rng.normal(size=(3, 1)), rng.normal(size=(2, 1))
L = (lambda a: a @ a.T + np.eye(3))(rng.normal(size=(3, 3)))
D = S6.T @ H6 @ S6


def halves(values: Array) -> tuple[Array, Array]:
    return values[:3], values[3:]


basis = MotionBasis(CHILD, PARENT, *HERE, *halves(S6), joints=JOINTS)
inertia = ArticulatedInertia(CHILD, CHILD, *HERE, H6[:3, :3], H6[:3, 3:], H6[3:, 3:])
projector = inertia.projector(basis)
felt = JointRows(JOINTS, ROWS, Z)
sway = RowSway(PARENT, WORLD, *HERE, *halves(X6), rows=("rz", "a"))
jump = TwistJump(PARENT, WORLD, *HERE, *halves(V6))
coupling, impulses = Coupling(ROWS, L), Impulses(ROWS, f)
rows = WrenchBasis(CHILD, WORLD, *HERE, *halves(A6), rows=ROWS)
twist = Twist(CHILD, WORLD, *HERE, *halves(V6))
system = JointInertia(JOINTS, D)
# the columns of X among x, y, rz and a
X_wide = np.hstack([np.zeros((6, 2)), X6])[:, [2, 3, 0, 1]]
Z_wide = np.hstack([Z[:, 2:], np.zeros((2, 1)), Z[:, :2]])


def six(relation) -> Array:
    return np.vstack([relation.angular, relation.linear])


CASES: dict[str, tuple[Callable[[], Array], Array]] = {
    "sway of a joint": (
        lambda: JointSway.of_joint(projector, felt, sway.beyond(basis)).values,
        np.linalg.solve(D, Z_wide - S6.T @ H6 @ X_wide),
    ),
    "sway of a body": (
        lambda: six(sway.beyond(basis).driven(basis, JointSway(JOINTS, ("rz", "a"), Z[:, :2]))),
        X6 + S6 @ Z[:, :2],
    ),
    "sway of all joints": (lambda: JointSway.of_all(system, felt).values, np.linalg.solve(D, Z)),
    "rows under joint forces": (
        lambda: JointSway(JOINTS, ROWS, Z).along(JointForce(JOINTS, rate)).values,
        Z.T @ rate,
    ),
    "inertia of rows": (
        lambda: OperationalInertia.of(coupling, TRUNCATED_INVERSE, call_numpy)[0].values,
        np.linalg.inv(L),
    ),
    "forces along rows": (lambda: OperationalInertia(ROWS, L).times(RowStack(ROWS, f)).values, L @ f),
    "consistent inverse": (
        lambda: OperationalInertia(ROWS, L).consistent_inverse(JointSway(JOINTS, ROWS, Z)).values,
        Z @ L,
    ),
    "velocity along rows": (lambda: RowTwist.of_body(rows, twist).values, A6.T @ V6),
    "velocity of two bodies": (
        lambda: RowTwist(ROWS, PARENT, WORLD, f).inverse().compose(RowTwist(ROWS, CHILD, WORLD, 3 * f)).values,
        2 * f,
    ),
    "jump along rows": (lambda: impulses.jump(coupling).values, L @ f),
    "work": (lambda: impulses.work(RowVelocity(ROWS, f), RowVelocity(ROWS, 2 * f)), 1.5 * f.T @ f),
    "what a joint feels": (lambda: JointImpulse.of(felt, impulses).values, Z @ f),
    "jump of a joint": (
        lambda: JointImpulse(JOINTS, rate).through(projector, jump.beyond(basis)).values,
        np.linalg.solve(D, rate - S6.T @ H6 @ V6),
    ),
    "jump of all joints": (lambda: JointImpulse(JOINTS, rate).through_all(system).values, np.linalg.solve(D, rate)),
    "jump of a body": (lambda: six(jump.beyond(basis).driven(basis, JointVelocity(JOINTS, rate))), V6 + S6 @ rate),
    "rows together": (
        lambda: (
            RowVelocity.gather(("a", *ROWS), [RowTwist(("rz", "a"), CHILD, WORLD, rate), RowVelocity(ROWS, f)])
            .scaled(np.array([[1.0], [2], [3], [4]]))
            .plus(RowVelocity(("a", *ROWS), np.ones((4, 1))))
            .values
        ),
        np.array([[rate[1, 0]], [2 * f[0, 0]], [3 * f[1, 0]], [4 * (f[2, 0] + rate[0, 0])]]) + 1,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_they_are_plain_matrices(case: str) -> None:
    compute, expected = CASES[case]
    assert np.allclose(compute(), expected, rtol=0, atol=1e-12)


def test_symbols_and_nothing_flow_through() -> None:
    page = Page()
    found = JointSway.of_all(JointInertia(JOINTS, D), JointRows(JOINTS, ROWS, page.symbols(2, 3))).values
    assert np.allclose(page.evaluated([found], Z)[0], np.linalg.solve(D, Z), rtol=0, atol=1e-12)
    nothing = replace(sway, angular=None, linear=None).beyond(basis)
    empty = JointSway.of_joint(projector, JointRows(JOINTS, ROWS), nothing)
    assert empty.values is UNKNOWN
    assert set(empty.rows) == {*ROWS, "a"}
    assert nothing.driven(basis, empty).angular is UNKNOWN


ELSEWHERE = Frame("elsewhere", CHILD)
WRONG: dict[str, Callable[[], object]] = {
    "a joint that hangs on another body": lambda: replace(sway, of=CHILD).beyond(basis),
    "a sway in other axes": lambda: replace(sway, as_seen_by=ELSEWHERE).beyond(basis),
    "a sway at another point": lambda: replace(jump, point=ELSEWHERE.origin).beyond(basis),
    "what the parent does, not yet carried": lambda: JointSway.of_joint(projector, felt, sway),
    "a jump not yet carried": lambda: JointImpulse(JOINTS, rate).through(projector, jump),
    "another joint's rows": lambda: JointSway.of_joint(projector, JointRows(("other",), ROWS), sway.beyond(basis)),
    "another joint's impulse": lambda: JointImpulse(("other",), rate).through(projector, jump.beyond(basis)),
    "accelerations struck": lambda: Impulses.balance(coupling, RowStack(ROWS, f), None, call_numpy, range(3), [1] * 3),
    "velocities forced": lambda: OperationalInertia(ROWS, L).times(RowVelocity(ROWS, f)),
    "forces taken for impulses": lambda: JointImpulse.of(felt, JointForce(JOINTS, rate)),
    "other rows": lambda: JointImpulse.of(felt, Impulses(("x",), f[:1])),
    "two bodies that do not meet": lambda: RowTwist(ROWS, PARENT, WORLD, f).compose(RowTwist(ROWS, CHILD, WORLD, f)),
    "a body at another place": lambda: RowTwist.at_place(rows, replace(twist, point=ELSEWHERE.origin)),
    "another body's rows": lambda: RowTwist.of_body(rows, replace(twist, of=PARENT)),
}


@row("motion-stack", 1)
@pytest.mark.parametrize("mistake", WRONG)
def test_meanings_that_do_not_fit_are_refused(mistake: str) -> None:
    with pytest.raises(SemanticError) as refusal:
        WRONG[mistake]()
    assert refusal.value.reasons
    assert len(refusal.value.remedy) > 10
