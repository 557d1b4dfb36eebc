"""Observed accelerations, rates of bases, momenta, energies, parts of joint vectors: what fits, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from motionc.geometry import (
    FREE_FALL,
    WORLD,
    WORLD_FRAME,
    Body,
    ClassicalAcceleration,
    Frame,
    JointAcceleration,
    JointForce,
    JointInertia,
    JointResponse,
    KineticEnergy,
    MotionBasis,
    PotentialEnergy,
    RigidInertia,
    SemanticError,
    SpatialAcceleration,
    Twist,
)
from motionc.geometry.coordinates import (
    factor,
    inverse_quadratic,
    invert_positive_definite,
    root_positive_definite,
    solve_positive_definite,
)

RNG = np.random.default_rng(0)
ARM, HAND = Body("arm"), Body("hand")
HERE = Frame("tool", HAND)


def parts() -> tuple[np.ndarray, np.ndarray]:
    return RNG.normal(size=(3, 1)), RNG.normal(size=(3, 1))


def twist(of: Body, wrt: Body = WORLD) -> Twist:
    return Twist(of, wrt, HERE.origin, HERE, *parts())


def classical(of: Body) -> ClassicalAcceleration:
    return ClassicalAcceleration(of, WORLD, HERE.origin, HERE, *parts())


def test_an_observer_needs_its_own_twist_and_the_relative_one() -> None:
    A, base, carrier, relative = classical(HAND), classical(ARM), twist(ARM), twist(HAND, ARM)
    seen = A.observed_from(base, carrier, relative)
    assert (seen.of, seen.wrt) == (HAND, ARM)
    coriolis = 2 * np.cross(carrier.angular[:, 0], relative.linear[:, 0])
    assert np.allclose(seen.linear[:, 0], (A.linear - base.linear)[:, 0] - coriolis, rtol=0, atol=1e-12)
    spatial = seen.spatial_linear(relative)
    assert np.allclose(
        spatial[:, 0], seen.linear[:, 0] - np.cross(relative.angular[:, 0], relative.linear[:, 0]), rtol=0, atol=1e-12
    )
    for wrong in (
        lambda: A.observed_from(base, twist(HAND), relative),
        lambda: A.observed_from(base, carrier, twist(HAND)),
        lambda: A.observed_from(base, carrier, twist(ARM, ARM)),
        lambda: A.observed_from(SpatialAcceleration(ARM, WORLD, HERE.origin, HERE, *parts()), carrier, relative),
        lambda: seen.spatial_linear(twist(HAND)),
    ):
        with pytest.raises(SemanticError):
            wrong()


def test_columns_turn_with_their_carrier_at_a_point_that_is_followed() -> None:
    basis = MotionBasis(ARM, WORLD, HERE.origin, HERE, *parts(), joints=("shoulder",))
    rate = basis.rate(twist(ARM), twist(HAND))
    assert rate.joints == ("shoulder",)
    for wrong in (
        lambda: basis.rate(twist(HAND), twist(HAND)),
        lambda: basis.rate(twist(ARM), twist(ARM)),
        lambda: rate.observed_from(twist(HAND), basis),
        lambda: rate.observed_from(twist(WORLD), replace(basis, of=HAND)),
        lambda: basis.give_way(basis, JointResponse(("wrist",), ("shoulder",))),
    ):
        with pytest.raises(SemanticError):
            wrong()


def test_momenta_and_energies_add_up_body_by_body_and_never_across_kinds() -> None:
    frame = Frame("origin", HAND)
    H = RigidInertia.about_center_of_mass(HAND, frame, 2.0, (0.1, 0, 0.3), np.eye(3))
    V = Twist(HAND, WORLD, frame.origin, frame, *parts())
    p = H @ V
    v = np.vstack([V.angular, V.linear])[:, 0]
    assert np.isclose(p.energy(V).value, v @ np.vstack([p.angular, p.linear])[:, 0] / 2, rtol=0, atol=1e-12)
    assert np.allclose(p.together(p).linear, 2 * p.linear, rtol=0, atol=1e-12)
    assert np.allclose(H.center_of_mass().xyz[:, 0], [0.1, 0, 0.3], rtol=0, atol=1e-12)
    kinetic = p.energy(V)
    for wrong in (
        lambda: p.energy(replace(V, wrt=ARM)),
        lambda: p.together(replace(p, wrt=ARM)),
        lambda: p.together(V),
        lambda: kinetic + PotentialEnergy(HAND, WORLD),
        lambda: kinetic + KineticEnergy(HAND, ARM),
    ):
        with pytest.raises(SemanticError):
            wrong()


def test_the_potential_is_of_free_fall_not_of_standing_still() -> None:
    H = RigidInertia.about_center_of_mass(WORLD, WORLD_FRAME, 2.0, (0, 0, 3.0), np.eye(3))
    still, g = np.zeros((3, 1)), np.array([[0], [0], [-9.81]])
    falling = ClassicalAcceleration(FREE_FALL, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, g)
    assert np.isclose(H.potential(falling).value, 2 * 3 * 9.81, rtol=0, atol=1e-12)
    with pytest.raises(SemanticError, match="freely falling body"):
        H.potential(falling.inverse())
    with pytest.raises(SemanticError):
        H.potential(SpatialAcceleration(FREE_FALL, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, g))


def test_parts_of_joint_vectors_make_a_whole_once() -> None:
    tau = JointForce(("a", "b", "c"), np.array([[1.0], [2.0], [3.0]]))
    assert np.array_equal(tau.among(("c", "a")).merge(tau.among(("b",)), tau.joints).values, tau.values)
    assert np.array_equal(tau.among(("b",)).spread(tau.joints).values[:, 0], [0, 2, 0])
    for wrong in (
        lambda: tau.among(("a", "b")).merge(tau.among(("b", "c")), tau.joints),
        lambda: tau.among(("a",)).merge(tau.among(("b",)), tau.joints),
        lambda: tau.among(("d",)),
        lambda: JointInertia(tau.joints, np.eye(3)).times(tau),
        lambda: JointInertia(("a", "b"), np.eye(2)).times(JointAcceleration(tau.joints)),
    ):
        with pytest.raises(SemanticError):
            wrong()


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_factor_root_inverse_and_solve_belong_to_one_matrix(size: int) -> None:
    half = RNG.normal(size=(size, size))
    a, b = half @ half.T + size * np.eye(size), RNG.normal(size=(size, 2))
    lower, pivots = factor(a)
    L = np.array(lower).reshape(size, size) + np.eye(size)
    assert np.allclose(L.T @ np.diag(pivots) @ L, a, rtol=0, atol=1e-12)
    root = root_positive_definite(a)
    assert np.allclose(root.T @ root, a, rtol=0, atol=1e-12)
    assert np.allclose(invert_positive_definite(a) @ a, np.eye(size), rtol=0, atol=1e-12)
    assert np.allclose(a @ solve_positive_definite(a, b), b, rtol=0, atol=1e-12)
    assert np.allclose(inverse_quadratic(a, b), b.T @ np.linalg.solve(a, b), rtol=0, atol=1e-12)
