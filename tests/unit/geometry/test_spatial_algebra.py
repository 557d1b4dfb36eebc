"""The six-dimensional cross products and shifts of specs/multibody-methodology.md §2.1.3, on our relations.

Matrices are read off the operations, a unit vector at a time; Pinocchio (linear first) is the witness.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from motionc.geometry import (
    WORLD,
    WORLD_FRAME,
    Body,
    ClassicalAcceleration,
    Frame,
    Momentum,
    Pose,
    RigidInertia,
    SemanticError,
    SpatialAcceleration,
    Twist,
    Wrench,
)
from motionc.geometry import coordinates as c
from motionc.geometry.lie import pose_exp
from rows import row

Array = np.ndarray[Any, Any]

BODY = Body("hand")
HERE, THERE = Frame("here", BODY), Frame("there", BODY)
SWAP = np.roll(np.eye(6), 3, axis=0)  # between angular first and linear first
SEEDS = range(5)


def close(actual: Array, expected: Array) -> bool:
    return np.allclose(actual, expected, rtol=1e-12, atol=1e-12)


def six(relation: Any) -> Array:
    return np.vstack([relation.angular, relation.linear])


def twist(x: Array, frame: Frame = HERE) -> Twist:
    return Twist(BODY, WORLD, frame.origin, frame, x[:3].reshape(3, 1), x[3:].reshape(3, 1))


def momentum(x: Array) -> Momentum:
    return Momentum(BODY, WORLD, HERE.origin, HERE, x[:3].reshape(3, 1), x[3:].reshape(3, 1))


def columns(operation: Callable[[Array], Any]) -> Array:
    """The 6×6 matrix of a linear operation."""
    return np.hstack([six(operation(unit)) for unit in np.eye(6)])


def tilde(x: Array) -> Array:
    """X̃, from X × Y."""
    return columns(lambda y: twist(x).spatial_bias(twist(y)))


def drawn(seed: int, count: int) -> Array:
    return np.random.default_rng(seed).normal(size=(count, 6))


@row("multibody-methodology", 1)
@pytest.mark.parametrize("seed", SEEDS)
def test_identities_of_the_cross_product(seed: int):
    """B.3 to B.9."""
    p, q, a, b = np.random.default_rng(seed).normal(size=(4, 3, 1))
    assert close(c.skew(p), np.cross(np.eye(3), p.ravel()).T * -1)
    assert close(c.cross(p, p), np.zeros((3, 1)))
    assert close(c.skew(p).T, -c.skew(p))
    assert close(c.cross(p, q), -c.cross(q, p))
    assert close(c.cross(a + b, q), c.cross(a, q) + c.cross(b, q))
    assert close(c.skew(c.cross(p, q)), c.skew(p) @ c.skew(q) - c.skew(q) @ c.skew(p))
    assert close(c.skew(p) @ c.skew(q), q @ p.T - p.T @ q * np.eye(3))


@row("multibody-methodology", 1)
@pytest.mark.parametrize("seed", SEEDS)
def test_identities_of_the_spatial_cross_product(seed: int):
    """B.10 to B.15."""
    x, y = drawn(seed, 2)
    a, b = x[:3], x[3:]
    X, Y, O = tilde(x), tilde(y), np.zeros((3, 3))
    skew_a, skew_b = c.skew(a.reshape(3, 1)), c.skew(b.reshape(3, 1))
    assert close(X, np.block([[skew_a, O], [skew_b, skew_a]]))
    assert close(X, SWAP @ pin.Motion(b, a).action @ SWAP)
    assert close(X @ x, np.zeros(6))
    assert close(X @ y, -Y @ x)
    assert close(tilde(x + y), X + Y)
    assert close(tilde(X @ y), X @ Y - Y @ X)
    cube = np.block([[-a @ a * np.eye(3), O], [-2 * b @ a * np.eye(3), -a @ a * np.eye(3)]])
    assert close(X @ X @ X, X @ cube)


@row("multibody-methodology", 1)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_co_cross_product_is_the_dual_of_the_cross_product(seed: int):
    """B.16: X⊗ Y = Ỹᵀ X; our V ×* p is -Ṽᵀ p."""
    x, y = drawn(seed, 2)
    first, second = c.skew(x[:3].reshape(3, 1)), c.skew(x[3:].reshape(3, 1))
    co_cross = np.block([[first, second], [second, np.zeros((3, 3))]])
    assert close(co_cross @ y, tilde(y).T @ x)
    assert close(-six(momentum(x).rate(twist(y))).ravel(), tilde(y).T @ x)
    assert close(columns(lambda unit: momentum(unit).rate(twist(y))), -tilde(y).T)


@row("multibody-methodology", 1)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_shift_acts_on_cross_products_as_the_adjoint(seed: int):
    """φ X̃ φ⁻¹ = (φ X)~, for φ made of a change of point and a change of axes."""
    x, xi = drawn(seed, 2)
    pose = Pose.from_matrix(HERE, THERE, pose_exp(xi))
    position = pose.inverse().position  # of there's origin, wrt here

    def shift(values: Array) -> Twist:
        return twist(values).change_point(position).change_frame(pose.orientation)

    phi = columns(shift)
    assert close(phi @ tilde(x) @ np.linalg.inv(phi), tilde(phi @ x))
    matrix = pose_exp(xi)
    assert close(phi, SWAP @ pin.SE3(matrix[:3, :3], matrix[:3, 3]).action @ SWAP)
    forces = columns(lambda f: momentum(f).change_point(position).change_frame(pose.orientation))
    assert close(forces, np.linalg.inv(phi).T)


# ---------------------------------------------------------------- representations: reference point and basis


PLACE = Pose.from_matrix(HERE, WORLD_FRAME, pose_exp([0.3, -0.7, 0.5, 0.2, 0.9, -0.4]))


def inertial(relation: Any) -> Any:
    """⟨B⟩ → ⟨I⟩: the body's own point, inertial axes."""
    return relation.change_frame(PLACE.orientation)


def absolute(relation: Any) -> Any:
    """⟨I⟩ → ⟨A⟩: the inertial origin."""
    return relation.change_point(PLACE.position.inverse())


def body_fixed(relation: Any) -> Any:
    """⟨A⟩ → ⟨B⟩."""
    return relation.change_point(PLACE.position).change_frame(PLACE.orientation.inverse())


def same(relation: Any) -> Any:
    return relation


def wrench(x: Array) -> Wrench:
    return Wrench(BODY, WORLD, HERE.origin, HERE, x[:3].reshape(3, 1), x[3:].reshape(3, 1))


def inertia() -> RigidInertia:
    return RigidInertia.about_center_of_mass(BODY, HERE, 2.0, (0.1, -0.2, 0.3), np.diag([0.3, 0.4, 0.5]))


REPRESENTATIONS = {"B": same, "I": inertial, "A": lambda relation: absolute(inertial(relation))}
PAIRS = [(one, other) for one in REPRESENTATIONS for other in REPRESENTATIONS if one != other]
X, Y = drawn(0, 2)


@row("multibody-methodology", 3)
@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("make", [twist, momentum, wrench], ids=lambda make: make.__name__)
def test_data_of_two_representations_do_not_mix(make: Callable[[Array], Any], one: str, other: str):
    left, right = REPRESENTATIONS[one](make(X)), REPRESENTATIONS[other](make(Y))
    differ = {"BI": {"as_seen_by"}, "AI": {"point"}, "AB": {"point", "as_seen_by"}}["".join(sorted(one + other))]
    with pytest.raises(SemanticError) as refused:
        left + right
    assert all(f"{name} of " in str(refused.value) for name in differ)
    assert "change_" in refused.value.remedy


@row("multibody-methodology", 3)
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_an_inertia_maps_motion_of_its_own_representation_alone(one: str, other: str):
    body, motion = REPRESENTATIONS[one](inertia()), REPRESENTATIONS[other](twist(X))
    with pytest.raises(SemanticError, match=r"(point|as_seen_by) differ"):
        body @ motion


@row("multibody-methodology", 3)
def test_kinds_of_derivatives_do_not_mix():
    """⟨I⟩ and ⟨A⟩ differ in what is differentiated: the body's own point, or the field at a point of space."""
    numbers = X[:3].reshape(3, 1), X[3:].reshape(3, 1)
    classical = ClassicalAcceleration(BODY, WORLD, HERE.origin, HERE, *numbers)
    spatial = SpatialAcceleration(BODY, WORLD, HERE.origin, HERE, *numbers)
    with pytest.raises(SemanticError):
        classical + spatial
    back = spatial.to_classical(twist(Y)).to_spatial(twist(Y))
    assert close(six(back), six(spatial))


@row("multibody-methodology", 3)
@pytest.mark.parametrize("make", [twist, momentum, wrench], ids=lambda make: make.__name__)
def test_representations_convert_as_the_formulas_say_and_back(make: Callable[[Array], Any]):
    """V_A = φ_{I,x} V_x, f_A = φ_{x,I}ᵀ f_x; B → I → A → B is where one started."""
    start = make(X)
    there = REPRESENTATIONS["A"](start)
    assert (there.point, there.as_seen_by) == (WORLD_FRAME.origin, WORLD_FRAME)
    action = SWAP @ pin.SE3(PLACE.matrix[:3, :3], PLACE.matrix[:3, 3]).action @ SWAP
    expected = action if make is twist else np.linalg.inv(action).T
    assert close(six(there).ravel(), expected @ X)
    back = body_fixed(there)
    assert (back.point, back.as_seen_by) == (start.point, start.as_seen_by)
    assert close(six(back), six(start))


@row("multibody-methodology", 3)
@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_momentum_is_the_same_in_every_representation(name: str):
    """M_A = φ_{x,I}ᵀ M φ_{x,I}: map, then convert, or convert, then map."""
    convert = REPRESENTATIONS[name]
    assert close(six(convert(inertia()) @ convert(twist(X))), six(convert(inertia() @ twist(X))))
