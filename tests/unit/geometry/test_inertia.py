"""Inertias: parallel axes, what passes through a joint (2.1), and the two-body example X1 solved in three ways."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Turn

from motionc.geometry import (
    INERTIA,
    ApparentInertia,
    ArticulatedInertia,
    ArticulatedWrench,
    Body,
    Frame,
    JointForce,
    MotionBasis,
    Orientation,
    Pose,
    Position,
    Projector,
    RigidInertia,
    SpatialAcceleration,
    WrenchBasis,
)
from motionc.geometry.coordinates import UNKNOWN
from motionc.geometry.factors import PlanarRotation, Rotation
from rows import row
from symbols import Page

Array = np.ndarray[Any, Any]
PARENT, CHILD = Body("parent"), Body("child")
HERE, THERE = Frame("here", PARENT), Frame("there", CHILD)
REVOLUTE, PRISMATIC = np.eye(6)[:, [2]], np.eye(6)[:, [5]]
CYLINDRICAL, SPHERICAL, FREE, LOCKED = np.eye(6)[:, [2, 5]], np.eye(6)[:, :3], np.eye(6), np.zeros((6, 0))
SLANTED = np.array([[0.48, -0.6, 0.64, 0.1, -0.2, 0.3]]).T
JOINTS = {
    "revolute": REVOLUTE,
    "prismatic": PRISMATIC,
    "cylindrical": CYLINDRICAL,
    "spherical": SPHERICAL,
    "free": FREE,
    "locked": LOCKED,
}
seeds = st.integers(0, 2**32 - 1)


def skew(a: Array) -> Array:
    x, y, z = np.ravel(a)
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def close(actual: Any, expected: Array, tolerance: float = 1e-12) -> bool:
    actual = np.asarray(actual)
    assert actual.shape == expected.shape
    return actual.size == 0 or bool(np.abs(actual - expected).max() <= tolerance * max(1.0, np.abs(expected).max()))


def dense(inertia: RigidInertia | ArticulatedInertia | ApparentInertia) -> Array:
    """The inertia as one 6×6 matrix."""
    if isinstance(inertia, RigidInertia):
        inertia = inertia.articulated()
    return np.block([[inertia.angular, inertia.mixed], [inertia.mixed.T, inertia.linear]])


def six(relation: Any) -> Array:
    return np.vstack([relation.angular, relation.linear])


def blocks(H: Array, of: Body = CHILD, at: Frame = THERE) -> ArticulatedInertia:
    return ArticulatedInertia(of, of, at.origin, at, H[:3, :3], H[:3, 3:], H[3:, 3:])


def directions(S: Array) -> MotionBasis:
    joints = tuple(f"q{k}" for k in range(S.shape[1]))
    return MotionBasis(CHILD, PARENT, THERE.origin, THERE, S[:3], S[3:], joints=joints)


def physical(rng: np.random.Generator) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it, of a cloud of ten points."""
    points, masses = rng.normal(size=(10, 3)), rng.uniform(0.1, 1, 10)
    com = masses @ points / masses.sum()
    about = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points - com, strict=True))
    return float(masses.sum()), com, np.asarray(about)


def spread(rng: np.random.Generator) -> Array:
    """Some articulated inertia: symmetric, positive definite, of no rigid body."""
    root = rng.normal(size=(6, 6))
    return root @ root.T + 0.1 * np.eye(6)


def passing(H: Array, S: Array, d: float = 0.0) -> Array:
    """P = 1 - H S (Sᵀ H S + d)⁻¹ Sᵀ."""
    if not S.shape[1]:
        return np.eye(6)
    return np.eye(6) - H @ S @ np.linalg.solve(S.T @ H @ S + d * np.eye(S.shape[1]), S.T)


# ---------------------------------------------------------------- parallel axes


@row("motion-stack", 20)
@settings(deadline=None, max_examples=40)
@given(seeds)
def test_another_point_is_the_parallel_axis_theorem(seed: int):
    """About any point p: I = I_com + m (|d|² 1 - d dᵀ), m c = m d, with d from p to the centre of mass."""
    rng = np.random.default_rng(seed)
    m, com, about = physical(rng)
    first, second = rng.normal(size=(2, 3))
    inertia = RigidInertia.about_center_of_mass(PARENT, HERE, m, com, about)
    for name, p in (("first", first), ("second", second)):
        frame = Frame(name, PARENT)
        before = {HERE.origin: np.zeros(3), Frame("first", PARENT).origin: first}[inertia.point]
        inertia = inertia.change_point(Position(frame.origin, inertia.point, HERE, (p - before).reshape(3, 1)))
        d = com - p
        assert close(inertia.rotational, about + m * (d @ d * np.eye(3) - np.outer(d, d)))
        assert close(inertia.first_moment, (m * d).reshape(3, 1))
        assert close(inertia.mass, np.full((1, 1), m))


@row("motion-stack", 20)
@settings(deadline=None, max_examples=40)
@given(seeds)
def test_other_axes_turn_the_cloud_of_points(seed: int):
    """The inertia of turned points is the turned inertia, R applied factor by factor or at once."""
    rng = np.random.default_rng(seed)
    m, com, about = physical(rng)
    R, K = Turn.random(2, rng=rng).as_matrix()
    angle = rng.uniform(-4, 4, (1, 1))
    all_of_it = R @ Turn.from_euler("z", angle.item()).as_matrix() @ K
    factors = (Rotation(R), PlanarRotation(np.sin(angle), np.cos(angle)), Rotation(K))
    inertia = RigidInertia.about_center_of_mass(PARENT, HERE, m, com, about)
    expected = RigidInertia.about_center_of_mass(PARENT, THERE, m, all_of_it @ com, all_of_it @ about @ all_of_it.T)
    for turn in (factors, (Rotation(all_of_it),)):
        turned = inertia.change_frame(Orientation(HERE, THERE, turn))
        assert (turned.point, turned.as_seen_by) == (HERE.origin, THERE)
        assert close(dense(turned), dense(expected))
        assert np.array_equal(turned.rotational, turned.rotational.T)


@row("motion-stack", 20)
@settings(deadline=None, max_examples=40)
@given(seeds)
def test_inertia_changes_as_the_congruence_of_the_spec(seed: int):
    """H' = Tᵀ H T with T the motion transform back (spec §2.4), for rigid and articulated alike."""
    rng = np.random.default_rng(seed)
    R, r = Turn.random(rng=rng).as_matrix(), rng.normal(size=(3, 1))
    rigid = RigidInertia.about_center_of_mass(CHILD, THERE, *physical(rng))
    X = Pose.from_matrix(THERE, HERE, np.block([[R, r], [np.zeros((1, 3)), np.ones((1, 1))]]))
    T = np.block([[R.T, np.zeros((3, 3))], [-R.T @ skew(r), R.T]])  # motion at HERE in its axes → at THERE in its
    for inertia in (rigid, rigid.articulated(), blocks(spread(rng))):
        moved = inertia.change_frame(X.orientation).change_point(X.position.inverse())
        assert (moved.of, moved.point, moved.as_seen_by) == (CHILD, HERE.origin, HERE)
        assert close(dense(moved), T.T @ dense(inertia) @ T)
        assert np.array_equal(dense(moved), dense(moved).T)


def test_kinetic_energy_is_half_m_v_squared_of_the_points():
    """Against nothing but points: T = Σ ½ m_k |v + ω × p_k|² = ½ Vᵀ H V."""
    rng = np.random.default_rng(7)
    points, masses, w, v = rng.normal(size=(10, 3)), rng.uniform(0.1, 1, 10), *rng.normal(size=(2, 3))
    com = masses @ points / masses.sum()
    about = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points - com, strict=True))
    H = dense(RigidInertia.about_center_of_mass(PARENT, HERE, masses.sum(), com, about))
    V = np.concatenate([w, v])
    energy = sum(m * (u @ u) / 2 for m, u in zip(masses, v + np.cross(w, points), strict=True))
    assert np.isclose(V @ H @ V / 2, energy, rtol=1e-13)


# ---------------------------------------------------------------- (2.1): what passes through a joint


@row("motion-stack", 20)
@pytest.mark.parametrize("S", JOINTS.values(), ids=JOINTS)
@pytest.mark.parametrize("seed", range(5))
def test_bodies_under_a_joint_compose_as_in_2_1(S: Array, seed: int):
    """H_A = H' + H'' - H''S (Sᵀ H'' S)⁻¹ Sᵀ H'', at one point in one set of axes."""
    rng = np.random.default_rng(seed)
    near, far = spread(rng), spread(rng)
    child = blocks(far)
    apparent = child.projector(directions(S)) @ child
    total = blocks(near, PARENT, THERE) + apparent
    schur = far @ S @ np.linalg.solve(S.T @ far @ S, S.T @ far) if S.shape[1] else 0.0
    assert isinstance(apparent, ApparentInertia)
    assert (apparent.of, apparent.wrt, total.of) == (CHILD, PARENT, PARENT)
    assert close(dense(total), near + far - schur)


@row("motion-stack", 20)
@pytest.mark.parametrize("seed", range(5))
def test_a_locked_joint_is_a_plain_sum_and_a_free_one_drops_the_child(seed: int):
    rng = np.random.default_rng(seed)
    near, far = spread(rng), spread(rng)
    child, parent = blocks(far), blocks(near, PARENT, THERE)
    assert np.array_equal(dense(parent + child.projector(directions(LOCKED)) @ child), near + far)
    assert np.array_equal(dense(parent + child.projector(directions(FREE)) @ child), near)


@row("motion-stack", 20)
@pytest.mark.parametrize("seed", range(5))
def test_two_bodies_at_rest_give_the_same_in_3d_vectors_in_six_vectors_and_by_articulated_inertia(seed: int):
    """Spec X1: a wrench on the first of two bodies that share a revolute joint, everything at rest."""
    rng = np.random.default_rng(seed)
    (m1, c1, I1), (m2, c2, I2) = physical(rng), physical(rng)
    s, pivot, n, f = rng.normal(size=(4, 3))
    s /= np.linalg.norm(s)
    zero, one = np.zeros((3, 3)), np.eye(3)

    # 3D: Newton and Euler of each body about its centre of mass, the pivot shared, no moment along s
    # unknowns: a1, α1, a2, α2, f_j, n_j (on the second body), q̈;  n, f act on the first at the origin
    d1, d2 = pivot - c1, pivot - c2
    column, line = (lambda x: x.reshape(3, 1)), np.zeros((1, 3))
    none = column(np.zeros(3))
    equations = np.block(
        [
            [m1 * one, zero, zero, zero, one, zero, none],
            [zero, I1, zero, zero, skew(d1), one, none],
            [zero, zero, m2 * one, zero, -one, zero, none],
            [zero, zero, zero, I2, -skew(d2), -one, none],
            [zero, -one, zero, one, zero, zero, -column(s)],
            [one, -skew(d1), -one, skew(d2), zero, zero, none],
            [line, line, line, line, line, s.reshape(1, 3), np.zeros((1, 1))],
        ]
    )
    right = np.concatenate([f, n - np.cross(c1, f), np.zeros(13)])
    solved = np.linalg.solve(equations, right)
    a1, alpha1, rate = solved[:3], solved[3:6], solved[-1]
    vectors = np.concatenate([alpha1, a1 + np.cross(alpha1, -c1)])  # at the origin, where the wrench acts

    # six-vectors: F - F_j = H1 Ẍ1, F_j = H2 Ẍ2, Ẍ2 = Ẍ1 + S α, Sᵀ F_j = 0
    H1, H2 = (dense(RigidInertia.about_center_of_mass(CHILD, THERE, *body)) for body in ((m1, c1, I1), (m2, c2, I2)))
    S = np.concatenate([s, np.cross(pivot, s)]).reshape(6, 1)
    F = np.concatenate([n, f])
    system = np.block([[H1, np.eye(6), np.zeros((6, 1))], [H2, -np.eye(6), H2 @ S], [np.zeros((1, 6)), S.T, 0.0]])
    sixes = np.linalg.solve(system, np.concatenate([F, np.zeros(7)]))
    assert close(sixes[:6], vectors, 1e-9)
    assert np.isclose(sixes[-1], rate, rtol=1e-9)

    # relations: F = H^A Ẍ1 with (2.1), then q̈ from what the second body feels
    second = RigidInertia.about_center_of_mass(CHILD, THERE, m2, c2, I2).articulated()
    basis = directions(S)
    projector = second.projector(basis)
    whole = RigidInertia.about_center_of_mass(PARENT, THERE, m1, c1, I1).articulated() + projector @ second
    acceleration = np.linalg.solve(dense(whole), F).reshape(6, 1)
    assert close(acceleration.ravel(), vectors, 1e-9)
    carried = SpatialAcceleration(CHILD, PARENT, THERE.origin, THERE, acceleration[:3], acceleration[3:])
    felt = JointForce(basis.joints, np.zeros((1, 1))) - basis.pair(second @ carried)
    assert np.isclose(projector.inertia.solve(felt).values.item(), rate, rtol=1e-9)


# ---------------------------------------------------------------- the projector


def scene(seed: int, S: Array, d: float) -> tuple[Array, ArticulatedInertia, Projector, WrenchBasis, ArticulatedWrench]:
    rng = np.random.default_rng(seed)
    H, A, F = spread(rng), rng.normal(size=(6, 4)), rng.normal(size=(6, 1))
    inertia = blocks(H)
    wrenches = WrenchBasis(
        CHILD, PARENT, THERE.origin, THERE, A[:3], A[3:], rows=("a", "b", "c", "d"), kind=ArticulatedWrench
    )
    bias = ArticulatedWrench(CHILD, INERTIA, THERE.origin, THERE, F[:3], F[3:])
    return H, inertia, inertia.projector(directions(S), d), wrenches, bias


@pytest.mark.parametrize("d", [0.0, 0.3])
@pytest.mark.parametrize("S", [*JOINTS.values(), SLANTED], ids=[*JOINTS, "slanted"])
@pytest.mark.parametrize("seed", range(3))
def test_the_projector_equals_the_dense_formula(S: Array, d: float, seed: int):
    """P H^A, P A and P F^A + H^A S D⁻¹ τ, with and without rotor inertia."""
    H, inertia, projector, wrenches, bias = scene(seed, S, d)
    P, D = passing(H, S, d), S.T @ H @ S + d * np.eye(S.shape[1])
    tau = np.arange(1.0, S.shape[1] + 1).reshape(-1, 1)
    motor = JointForce(projector.basis.joints, tau)
    assert close(projector.inertia.values, D)
    assert close(dense(projector @ inertia), P @ H, 1e-11)
    assert close(six(projector.basis_of(wrenches)), P @ six(wrenches), 1e-11)
    driven = H @ S @ np.linalg.solve(D, tau) if S.shape[1] else 0.0
    assert close(six(projector.wrench(bias, motor)), P @ six(bias) + driven, 1e-11)


@pytest.mark.parametrize("S", JOINTS.values(), ids=JOINTS)
@pytest.mark.parametrize("seed", range(3))
def test_without_rotor_nothing_passes_along_the_joint_exactly(S: Array, seed: int):
    """Sᵀ P = 0 in every bit: Sᵀ P H = 0, Sᵀ P A = 0, and of a wrench the motor's force alone."""
    _, inertia, projector, wrenches, bias = scene(seed, S, 0.0)
    apparent = dense(projector @ inertia)
    assert not (S.T @ apparent).any()
    assert not (apparent @ S).any()
    assert not (S.T @ six(projector.basis_of(wrenches))).any()
    tau = np.arange(1.0, S.shape[1] + 1).reshape(-1, 1)
    assert np.array_equal(S.T @ six(projector.wrench(bias, JointForce(projector.basis.joints, tau))), tau)
    assert np.array_equal(apparent, apparent.T)


def test_along_a_slanted_axis_nothing_passes_to_rounding():
    _, inertia, projector, wrenches, _ = scene(1, SLANTED, 0.0)
    assert np.abs(SLANTED.T @ dense(projector @ inertia)).max() < 1e-12
    assert np.abs(SLANTED.T @ six(projector.basis_of(wrenches))).max() < 1e-12


def test_a_rotor_holds_something_back():
    """With rotor inertia P is no projection (spec E7): something passes along the joint."""
    H, inertia, projector, _, _ = scene(2, REVOLUTE, 0.3)
    along = (REVOLUTE.T @ dense(projector @ inertia) @ REVOLUTE).item()
    felt = (REVOLUTE.T @ H @ REVOLUTE).item()
    assert np.isclose(along, 0.3 * felt / (felt + 0.3), rtol=1e-12)  # two inertias in series


@pytest.mark.parametrize("d", [0.0, 0.3])
@pytest.mark.parametrize("S", JOINTS.values(), ids=JOINTS)
def test_symbols_pass_through_a_joint_as_numbers_do(S: Array, d: float):
    H, _, projector, wrenches, bias = scene(3, S, d)
    page = Page()
    h, a, f, tau = (page.symbols(*shape) for shape in ((6, 6), (6, 4), (6, 1), (S.shape[1], 1)))
    inertia = blocks(h)
    symbolic = inertia.projector(directions(S), d)
    apparent = symbolic @ inertia
    through = symbolic.basis_of(
        WrenchBasis(CHILD, PARENT, THERE.origin, THERE, a[:3, :], a[3:, :], rows=wrenches.rows, kind=ArticulatedWrench)
    )
    wrench = symbolic.wrench(
        ArticulatedWrench(CHILD, INERTIA, THERE.origin, THERE, f[:3, :], f[3:, :]),
        JointForce(projector.basis.joints, tau),
    )
    numbers = (H, six(wrenches), six(bias), np.arange(1.0, S.shape[1] + 1).reshape(-1, 1))
    outputs = (apparent.angular, apparent.mixed, apparent.linear, *parts(through), *parts(wrench))
    evaluated = page.evaluated(outputs, *numbers)
    reference = projector @ blocks(H)
    motor = JointForce(projector.basis.joints, numbers[3])
    expected = [
        *(reference.angular, reference.mixed, reference.linear),
        *parts(projector.basis_of(wrenches)),
        *parts(projector.wrench(bias, motor)),
    ]
    assert all(close(ours, theirs) for ours, theirs in zip(evaluated, expected, strict=True))


def test_directions_may_be_symbols_too():
    page = Page()
    s = page.symbols(6, 1)
    basis = MotionBasis(CHILD, PARENT, THERE.origin, THERE, s[:3, :], s[3:, :], joints=("q0",))
    H, inertia, projector, _, _ = scene(1, SLANTED, 0.0)
    apparent = inertia.projector(basis) @ inertia
    (evaluated,) = page.evaluated([apparent.angular], SLANTED)
    assert close(evaluated, (projector @ inertia).angular)
    assert close(dense(projector @ inertia), passing(H, SLANTED) @ H)


def test_a_projector_without_coordinates_knows_whose_it_is():
    nothing = ArticulatedInertia(CHILD, CHILD, THERE.origin, THERE)
    projector = nothing.projector(directions(REVOLUTE))
    apparent = projector @ nothing
    assert (apparent.of, apparent.wrt, apparent.point, apparent.as_seen_by) == (CHILD, PARENT, THERE.origin, THERE)
    assert (apparent.angular, apparent.mixed, apparent.linear) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert projector.inertia.joints == ("q0",)
    assert projector.inertia.values is UNKNOWN


def parts(relation: Any) -> tuple[Any, Any]:
    return relation.angular, relation.linear
