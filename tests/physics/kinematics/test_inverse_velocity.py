"""Joint rates for twists: against pseudo-inverses of Pinocchio's Jacobians, KKT systems, bounds at a stretched arm."""

import numpy as np
import pytest

import motionc as mc
from all_joints import Moving
from mutants import tree
from oracle import Array, error, kkt, load, oracle, unit_wrenches
from rows import row

POINT = (0.3, -0.1, 0.2)
ROWS = "z rx x ry"


def least(A: Array, twist: Array, M: Array, w: Array, damping: float = 0.0) -> Array:
    """specs/itasc.md §2.5 [OURS], word for word: an SVD of W A M^(-1/2), σ/(σ² + λ²)."""
    values, vectors = np.linalg.eigh(M)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    U, s, Vt = np.linalg.svd(np.diag(w) @ A @ root, full_matrices=False)
    kept = s > 1e-6 * s.max()
    gains = np.where(kept, s, 0) / np.where(kept, s**2 + damping**2, 1)
    return root @ Vt.T @ (gains * (U.T @ (w * twist)))


# ---------------------------------------------------------------- against Pinocchio


@row("itasc", 4)
@pytest.mark.parametrize("seed", range(20))
def test_rates_are_those_of_the_pseudo_inverse_whatever_the_joints_and_the_observer(seed: int) -> None:
    x = Moving(seed)
    tool, other = (str(name) for name in x.rng.choice(x.links, 2))
    for wrt, axes in (("world", "world"), ("world", tool), (other, other), (other, "world")):
        A = unit_wrenches(ROWS).T @ (x.world.jacobian(tool, wrt, POINT, axes) @ x.G)
        if not A.any():
            with pytest.raises(mc.Error, match="no joint moves it"):
                mc.inverse_velocity(x.robot, tool, wrt=wrt, rows=ROWS)
            continue
        solver = mc.inverse_velocity(
            x.robot, tool, wrt=wrt, point=POINT, as_seen_by=axes, rows=ROWS, outputs=["v", "residual", "rank"]
        )
        twist = x.rng.normal(size=4)
        found, v = solver.run(x.q, twist), np.linalg.pinv(A * (abs(A) > 1e-12), rcond=1e-6) @ twist
        assert found.rank == np.linalg.matrix_rank(A, 1e-6 * max(1e-3, np.linalg.norm(A)))
        assert error(found.v, v) < 1e-7
        assert error(found.residual, A @ v - twist) < 1e-7
        assert bool(found.notes) == (found.rank < 4)


@row("itasc", 4)
@pytest.mark.parametrize(("name", "frame"), [("lwr4", "link_7"), ("ur5_robot", "tool0"), ("anymal", "LF_FOOT")])
def test_off_singularity_the_twist_is_exact(name: str, frame: str) -> None:
    robot, world, rng = load(name), oracle(name), np.random.default_rng(1)
    solver, compared = mc.inverse_velocity(robot, frame), 0
    for _ in range(20):
        q, twist = robot.random(rng), rng.normal(size=6)
        world.place(q)
        J = world.jacobian(frame)
        if np.linalg.cond(J) < 1e3:
            assert error(J @ solver(q, twist), twist) < 1e-9
            compared += 1
    assert compared > 10


@row("itasc", 16)
@pytest.mark.parametrize("frames", [["link_7"], ["link_7", "link_4"], ["link_3", "link_3"]])
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_weights_of_rows_and_joints_are_those_of_the_singular_value_decomposition(
    frames: list[str], damping: float
) -> None:
    """Under-, over- and rank-deficiently constrained."""
    robot, world, rng = load("lwr4"), oracle("lwr4"), np.random.default_rng(2)
    q, m = robot.random(rng), 6 * len(frames)
    w, weights, twist = rng.uniform(0.5, 2, m), rng.uniform(0.5, 2, 7), rng.normal(size=m)
    options = {"method": "damped", "damping": damping} if damping else {}
    solver = mc.inverse_velocity(robot, frames, joint_weights=weights, row_weights=w, **options)
    world.place(q)
    A = np.vstack([world.jacobian(frame) for frame in frames])
    assert error(solver(q, twist), least(A, twist, np.diag(weights), w, damping)) < 1e-8


@row("itasc", 16)
@pytest.mark.parametrize("seed", range(8))
def test_by_inertia_the_kinetic_energy_is_least(seed: int) -> None:
    """min ½ vᵀ M v with A v = twist: the KKT system of the quadratic program, with Pinocchio's M, followers too."""
    x = Moving(seed)
    frame = max(x.links, key=lambda name: np.linalg.matrix_rank(x.world.jacobian(name) @ x.G))
    J = x.world.jacobian(frame, point=POINT) @ x.G
    rank, rows = 0, list[int]()
    for k in range(6):
        if np.linalg.matrix_rank(J[[*rows, k]], 0.05) > rank:
            rows, rank = [*rows, k], rank + 1
    twist, unit = x.rng.normal(size=rank), np.eye(6)[:, rows]
    solver = mc.inverse_velocity(x.robot, frame, point=POINT, rows=unit, joint_weights="inertia")
    v, _ = kkt(x.M, J[rows], np.zeros(x.robot.nv), twist)
    assert error(solver.run(x.q, twist), v) < 1e-8


@row("itasc", 17)
def test_two_conflicting_rows_meet_at_the_mean_weighted_by_their_squares() -> None:
    robot = mc.load("planar2")
    for weigh in (
        mc.inverse_velocity(robot, ["tip", "tip"], rows="x", row_weights=[2.0, 1.0], outputs=["v", "residual"]),
        mc.inverse_velocity(
            robot, [mc.Target("tip", "x", weight=2.0), mc.Target("tip", "x")], outputs=["v", "residual"]
        ),
    ):
        out = weigh([0.3, 0.8], [1.0, 0.0])
        assert np.allclose(out.residual + np.array([1.0, 0.0]), (4 * 1.0 + 1 * 0.0) / 5, rtol=0, atol=1e-12)


# ---------------------------------------------------------------- singular poses


@row("itasc", 4)
@pytest.mark.parametrize("damping", [0.5, 0.05, 1e-3])
def test_rates_stay_bounded_at_a_straightened_arm(damping: float) -> None:
    robot, rng = mc.load("planar2"), np.random.default_rng(3)
    damped = mc.inverse_velocity(robot, "tip", "damped", rows="x y", damping_factor=damping)
    plain = mc.inverse_velocity(robot, "tip", rows="x y")
    largest = 0.0
    for bend in (0.0, 1e-9, 1e-6, 1e-4, 1e-2, 0.1, np.pi):
        for _ in range(20):
            q, twist = np.array([rng.uniform(-3, 3), bend]), rng.normal(size=2)
            largest = max(largest, np.linalg.norm(damped(q, twist)) / np.linalg.norm(twist))
    assert largest <= 1 / (2 * damping) * (1 + 1e-9)
    # somewhere on the way the bound is nearly met, and without damping it is not
    assert largest > 0.5 if damping > 0.01 else largest > 20
    assert np.linalg.norm(plain([0.3, 1e-4], [1.0, 1.0])) > 1e3


@row("itasc", 20)
def test_damping_is_felt_near_a_singularity_alone() -> None:
    """Along each singular direction rates shrink by λ²/(σ² + λ²): nothing at σ ≫ λ, everything at σ ≪ λ."""
    robot, world, rng = load("lwr4"), oracle("lwr4"), np.random.default_rng(4)
    plain, damped = (mc.inverse_velocity(robot, "link_7", method) for method in ("pseudo_inverse", "damped"))
    near, far = list[float](), list[float]()
    for k in range(300):
        q, twist = robot.random(rng), rng.normal(size=6)
        if k % 2:
            q[3] = rng.normal() * 1e-3  # the elbow stretched
        world.place(q)
        sigma = np.linalg.svd(world.jacobian("link_7"))[1].min()
        v = plain(q, twist)
        change = np.linalg.norm(damped(q, twist) - v) / np.linalg.norm(v)
        assert change <= 0.01**2 / (sigma**2 + 0.01**2) * (1 + 1e-6)
        (near if sigma < 0.01 else far if sigma > 0.1 else []).append(change)
    assert max(far) < 0.01
    assert np.median(near) > 0.4
    assert min(len(near), len(far)) > 20


def test_what_no_joint_can_do_is_left_and_said() -> None:
    robot = mc.load("planar2")
    solver = mc.inverse_velocity(robot, "tip", outputs=["v", "residual", "rank"])
    out = solver([0.0, 0.8], [0, 0, 0, 0, 0, 1.0])
    assert np.allclose(out.v, 0, rtol=0, atol=1e-12)
    assert np.allclose(out.residual, [0, 0, 0, 0, 0, -1], rtol=0, atol=1e-12)
    assert out.notes == [
        "rank 2 of 6: some rows depend on each other or are out of reach here; "
        "the rates come nearest to the twist, see residual"
    ]
    both = solver.batch(np.array([[0.0, 0.8], [0.1, 0.0]]), np.ones(6))
    assert list(both.rank) == [2, 2]


# ---------------------------------------------------------------- one computation, read three ways


@pytest.mark.parametrize("options", [{}, {"method": "damped"}, {"joint_weights": "inertia"}])
def test_called_batched_and_stepwise_it_is_the_same(options: dict) -> None:
    robot, rng = tree(floating=True), np.random.default_rng(5)
    hands = [mc.Target(name, "xyz", wrt="leg", as_seen_by="arm") for name in ("tool", "slide")]
    solver = mc.inverse_velocity(robot, [*hands, "arm"], rows="z rz", outputs=["v", "residual"], **options)
    q, twist = robot.random(rng), rng.normal(size=8)
    stepwise, called, batched = solver.run(q, twist), solver(q, twist), solver.batch(q[np.newaxis], twist)
    assert error(called.v, stepwise.v) < 1e-11
    assert error(batched.v[0], stepwise.v) < 1e-11
    assert error(called.residual, stepwise.residual) < 1e-11


def test_in_single_precision_it_is_float32() -> None:
    robot = mc.load("lwr4")
    q, twist = robot.random(1), np.ones(6)
    single = mc.inverse_velocity(robot, "link_7", "damped", precision="single")(q, twist)
    assert single.dtype == np.float32
    assert error(single, mc.inverse_velocity(robot, "link_7", "damped")(q, twist)) < 1e-3


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"frame": "tipp"}, "no frame 'tipp'; did you mean tip"),
        ({"frame": []}, "frames is empty; give the name of a frame"),
        ({"frame": ["tip", 3]}, "frames=3; give the name of a frame"),
        ({"frame": "world"}, "no joint moves it with respect to 'world'"),
        ({"frame": "tip", "wrt": "tip"}, "no joint moves it with respect to 'tip'"),
        ({"wrt": "moon"}, "wrt: there is no frame 'moon'"),
        ({"as_seen_by": "moon"}, "as_seen_by: there is no frame 'moon'"),
        ({"point": (0, 0)}, "three finite coordinates"),
        ({"rows": "xw"}, "rows='xw'"),
        ({"rows": 7}, "6×m matrix"),
        ({"method": "magic"}, "say 'pseudo_inverse' or 'damped'"),
        ({"damping": 0.1}, "not read by the pseudo-inverse"),
        ({"method": "damped", "damping": 0.0}, "finite number > 0"),
        ({"joint_weights": [1.0]}, "give (2 )?finite numbers > 0"),
        ({"joint_weights": [1.0, -1.0]}, "give (2 )?finite numbers > 0"),
        ({"joint_weights": "mass"}, "say 'inertia'"),
        ({"row_weights": "x"}, "row_weights='x'; give finite numbers > 0"),
        ({"outputs": ["rank"], "method": "damped"}, "no such output"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_by_name(options: dict, said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        mc.inverse_velocity(mc.load("planar2"), **{"frame": "tip", **options})


def test_joints_that_move_no_inertia_are_refused_where_inertia_weighs() -> None:
    base = mc.Segment("base", mc.Link.rigid("base"), (mc.Attachment("b", mc.Role.JOINT),))
    tip = mc.Segment("tip", mc.Link.rigid("tip"), (mc.Attachment("t", mc.Role.JOINT),))
    robot = mc.Robot(mc.KinematicChain("idle", (mc.Joint("hinge", mc.JointType.REVOLUTE, (tip, "t"), (base, "b")),)))
    assert mc.inverse_velocity(robot, "tip", rows="rz")([0.0], [2.0]) == pytest.approx([2.0])
    with pytest.raises(mc.Error, match="joint hinge moves no inertia"):
        mc.inverse_velocity(robot, "tip", rows="rz", joint_weights="inertia")
