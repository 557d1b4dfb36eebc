"""What is done where not all rows can be had: levels, weights, rank, damping, posture; by dense and printed answers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from all_joints import Kind, Moving, Piece, build
from dense import EPSILON, Dense, Question, Real, Rows, in_batches, mask, random_constraint, random_rows
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.kernels.scalars import substitute, updated
from motionc.program.kernels.semidefinite import RANGE_SOLVE, TRUNCATED_SOLVE
from oracle import Array, error
from rows import row
from trials import LONG, trials

C, J = mc.Constraint, mc.JointConstraint
ALL = "xyz rx ry rz"
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")


# ---------------------------------------------------------------- robots of few words


def link(name: str, parent: int, joint: dict, place: Sequence[float] = (0, 0, 0), com: Sequence[float] = (0, 0, 0)):
    """A link of 1 kg and 1 kg m² on a joint somewhere on its parent."""
    return Piece(name, parent, mc.placed(place), np.eye(4), 1.0, np.array(com), np.eye(3), joint)


def sliders(count: int) -> mc.Robot:
    """Bodies of 1 kg that slide along x, side by side: M = 1."""
    along = {"type": Kind.PRISMATIC, "axis": (1.0, 0.0, 0.0)}
    return build([link("base", -1, {}), *(link(f"s{k}", 0, along) for k in range(1, count + 1))])


def arms(*sizes: int, rotor: float = 0.0, length: float = 0.2, mass: float = 0.2) -> mc.Robot:
    """Planar arms about z from bases 0.5 m apart, links along y with a point mass at the end of each."""
    pieces = [link("base", -1, {})]
    turning = {"type": Kind.CONTINUOUS, "axis": (0.0, 0.0, 1.0), "transmission": mc.Transmission(rotor_inertia=rotor)}
    for arm, size in enumerate(sizes):
        for number in range(size):
            place = (0, length, 0) if number else (0.5 * arm, 0, 0)
            parent = len(pieces) - 1 if number else 0
            end = np.array((0, length, 0.0))
            pieces.append(
                Piece(f"l{arm}{number}", parent, mc.placed(place), np.eye(4), mass, end, np.zeros((3, 3)), turning)
            )
    return build(pieces)


# ---------------------------------------------------------------- levels and weights


def ranked_rows(x: Moving, count: int) -> list[Rows]:
    """Any rows on three levels, more than there are coordinates or fewer; each clearly depends on the others or not."""
    found: list[Rows] = []
    while len(found) < count:
        more = random_constraint(x, level=int(x.rng.integers(1, 4)), weight=float(np.exp(x.rng.normal())))
        question = Question(x, [*found, more])
        dense = question.put(x)
        strict, loose = (dense.levels(question.level, question.weight, limit)[2] for limit in (1e-12, 1e-4))
        if np.linalg.norm(dense.J, axis=1).min() > 0.05 and list(strict) == list(loose):
            found.append(more)
    return found


@row("itasc", 43)
@row("motion-stack", 30)
@pytest.mark.parametrize("seed", range(trials(60)))
def test_levels_and_weights_are_the_dense_solve_level_after_level(seed: int) -> None:
    """Motion, rank, residuals, and the least multipliers."""
    x = Moving(seed)
    rows = ranked_rows(x, 3 + seed % 4)
    question = Question(x, rows)
    dense = question.put(x)
    a, multipliers, ranks = dense.levels(question.level, question.weight, 1e-8)
    out = question.computation.run(*question.inputs)
    assert out.rank == ranks.sum()
    assert 1 <= out.conditioning < 1e7
    assert error(out.a, a) < 1e-9
    assert error(out.multipliers, multipliers) < 1e-9
    assert error(out.residual, dense.J @ a - dense.reach) < 1e-9
    assert error(out.tau_command + out.unactuated, question.motors(dense, a, multipliers)) < 1e-9
    # who asks for the motion alone gets the same motion
    q, v, tau, b, *_ = question.inputs
    alone = Dense(x.M, x.h, dense.J, dense.reach, tau).levels(question.level, question.weight, 1e-8)[0]
    motion = mc.constrained_dynamics(x.robot, rows, actuated=x.robot.joint_names, outputs=["a"])
    assert error(motion.run(q, v, tau, b), alone) < 1e-9


def test_those_rows_are_more_and_fewer_than_can_be_had() -> None:
    lost = {}
    for seed in range(20):
        x = Moving(seed)
        question = Question(x, ranked_rows(x, 3 + seed % 4))
        dense = question.put(x)
        ranks = dense.levels(question.level, question.weight, 1e-8)[2]
        lost[seed] = len(dense.J) - ranks.sum(), len(ranks)
    assert min(sum(loss == 0 for loss, _ in lost.values()), sum(loss > 0 for loss, _ in lost.values())) > 4
    assert max(levels for _, levels in lost.values()) == 3


@row("itasc", 43)
def test_priorities_of_the_printed_example() -> None:
    """A₁ = [1 1], y₁ = 1 before A₂ = 1, y₂ = (0, 0.2): (0.4, 0.6) (specs/itasc.md)."""
    robot = sliders(2)
    joints = robot.joint_names
    rows = [J(joints, level=2), J(joints, [[1], [1]], level=1)]
    out = mc.constrained_dynamics(robot, rows).run(np.zeros(2), np.zeros(2), np.zeros(2), [0, 0.2, 1])
    assert np.allclose(out.a, (0.4, 0.6), rtol=0, atol=1e-12)
    assert np.allclose(out.residual, (0.4, 0.4, 0), rtol=0, atol=1e-12)
    assert out.rank == 2


def test_nature_comes_before_tasks() -> None:
    """Four feet on the ground hold exactly; a task that pulls one of them off gets nothing of it, the torso does."""
    x = Real("anymal", seed=1)
    ground = [C(foot, "xyz", source="contact") for foot in FEET]
    dynamics = mc.constrained_dynamics(
        x.robot, [C("LF_FOOT", "z", level=2), *ground, C("base", "z rx", level=2)], outputs=["a", "residual", "rank"]
    )
    b = np.concatenate([[5.0], np.zeros(12), [0.3, -0.2]])
    out = dynamics.run(x.q, x.v, x.tau, b)
    assert np.abs(out.residual[1:13]).max() < 1e-9
    assert abs(out.residual[0] + 5.0) < 1e-9
    assert np.abs(out.residual[13:]).max() < 1e-9
    assert out.rank == 14


@row("motion-stack", 30)
def test_weights_share_a_conflict_out_by_their_squares() -> None:
    """One joint told two things: a = Σ w² b / Σ w²."""
    robot = sliders(1)
    reached = []
    for weight in (0.1, 0.5, 1.0, 3.0, 10.0):
        rows = [J("to_s1", weight=weight), J("to_s1", weight=2.0)]
        out = mc.constrained_dynamics(robot, rows).run([0.0], [0.0], [0.0], [1.0, 0.0])
        reached.append(out.a[0])
        assert np.isclose(out.a[0], weight**2 / (weight**2 + 4), rtol=0, atol=1e-12)
        assert out.rank == 1
    assert np.all(np.diff(reached) > 0)


@row("motion-stack", 30)
def test_weights_shift_misses_from_one_constraint_to_another() -> None:
    """Two feet told to part while rods hold them together: the heavier one misses less and less."""
    x = Real("anymal", seed=2)
    misses = []
    for weight in (0.3, 1.0, 3.0, 10.0):
        rows = [C("LF_FOOT", ALL, weight=weight), C("LF_SHANK", ALL, point=(0.1, 0, 0))]
        question = Question(x, rows)
        x.rng = np.random.default_rng(3)
        dense = question.put(x)
        out = question.computation.run(*question.inputs)
        a, multipliers, ranks = dense.levels(question.level, question.weight)
        assert out.rank == ranks[0] == 6
        assert error(out.a, a) < 1e-9
        assert error(out.multipliers, multipliers) < 1e-9
        misses.append([np.linalg.norm(out.residual[:6]), np.linalg.norm(out.residual[6:])])
    ours, theirs = np.array(misses).T
    assert np.all(np.diff(ours) < 0)
    assert np.all(np.diff(theirs) > 0)


@row("motion-stack", 25)
@pytest.mark.parametrize("levels", [(1, 1, 1), (1, 2, 3), (3, 1, 2)])
def test_no_other_motion_that_is_as_good_is_nearer_to_the_unconstrained(levels: tuple[int, ...]) -> None:
    """Gauss, with several segments: Z grows along every δ that changes no row; no level can be had better."""
    x = Real("talos_reduced", seed=4)
    frames = [("left_sole_link", "world"), ("gripper_left_base_link", "torso_2_link"), ("leg_left_4_link", "world")]
    rows = [C(f, ALL, wrt, level=level) for (f, wrt), level in zip(frames, levels, strict=True)]
    question = Question(x, rows)
    dense = question.put(x)
    a = question.computation.run(*question.inputs).a
    free = dense.pushed(np.zeros(len(dense.J)))

    def zwang(a: Array) -> float:
        return 0.5 * (a - free) @ x.M @ (a - free)

    def null(J: Array) -> Array:
        _, values, right = np.linalg.svd(J)
        return right[np.sum(values > 1e-9 * values[0]) :].T

    kept = null(dense.J)
    assert kept.shape[1] > 10
    for size in (1e-3, 1.0, 1e3):
        for delta in size * x.rng.normal(size=(50, kept.shape[1])):
            assert zwang(a + kept @ delta) > zwang(a)
    for level in sorted(set(levels)):
        # motions as good as this one on earlier levels
        before, own = question.level < level, question.level == level
        way = null(dense.J[before]) if before.any() else np.eye(len(a))
        best = np.linalg.norm(dense.J[own] @ a - dense.reach[own])
        for delta in x.rng.normal(size=(50, way.shape[1])):
            other = a + 1e-2 * way @ delta
            assert np.linalg.norm(dense.J[own] @ other - dense.reach[own]) > best - 1e-9


@row("itasc", 43)
@row("motion-stack", 30)
def test_compiled_all_of_it_together_is_the_dense_solve() -> None:
    """Levels, weights, rows that depend on each other, a prescribed joint, a share of the posture."""
    x, share = Real("solo12", seed=10), 0.25
    rows = [
        J(["HL_HAA", "HL_HFE", "HL_KFE"], level=3, weight=0.5),
        C("FL_FOOT", "xyz", source="contact"),
        C("HL_FOOT", "xyz", level=2, weight=2.0),
        C("HR_FOOT", "x y", "base_link", as_seen_by="base_link", level=2),
        C("FL_FOOT", "z rx", kind="spatial", level=2),
        C("base_link", "rz z", level=3),
    ]
    question = Question(x, rows, ["FR_KFE"], posture=share)
    compared = 0
    for dense, out in in_batches(question, x, trials(500)):
        free = ~dense.told
        pushed = dense.rows @ np.linalg.solve(dense.inertia, dense.tau[free])
        # contacts do not give way to a posture
        dense.missing = dense.missing + share * np.where(question.source == "task", pushed, 0)
        a, multipliers, ranks = dense.levels(question.level, question.weight, 1e-12)
        if list(ranks) == list(dense.levels(question.level, question.weight, 1e-4)[2]):
            assert out.rank == ranks.sum() < len(dense.J)
            assert error(out.a, a) < 1e-9
            assert error(out.multipliers, multipliers) < 1e-9
            assert error(out.tau_command + out.unactuated, question.motors(dense, a, multipliers)) < 1e-9
            compared += 1
    assert compared >= (200 if LONG else 40)


# ---------------------------------------------------------------- rank


@row("motion-stack", 30)
@row("itasc", 43)
def test_six_rows_on_four_joints_have_rank_four() -> None:
    """Said, finite, and the least squares answer."""
    kinds = [Kind.REVOLUTE, Kind.PRISMATIC, Kind.REVOLUTE, Kind.REVOLUTE]
    states = (Moving(seed, kinds) for seed in range(1, 100))
    x = next(x for x in states if x.robot.nv == 4 == np.linalg.matrix_rank(x.world.jacobian("link4"), 0.05))
    question = Question(x, [C("link4", ALL)])
    dense = question.put(x)
    out = question.computation.run(*question.inputs)
    rank = np.linalg.matrix_rank(dense.J)
    multipliers = np.linalg.pinv(dense.coupling, rcond=1e-10, hermitian=True) @ dense.missing
    assert out.rank == rank == 4
    assert f"rank {rank} of 6" in out.notes[0]
    assert error(out.multipliers, multipliers) < 1e-9
    assert error(out.a, dense.pushed(multipliers)) < 1e-9


def test_rows_given_twice_share_their_force() -> None:
    x = Real("panda", seed=5)
    once, twice = [C("panda_hand_tcp", "xyz")], [C("panda_hand_tcp", "xyz"), C("panda_hand_tcp", "zyx")]
    b = x.rng.normal(size=3)
    one = mc.constrained_dynamics(x.robot, once).run(x.q, x.v, x.tau, b)
    two = mc.constrained_dynamics(x.robot, twice).run(x.q, x.v, x.tau, [*b, *b[::-1]])
    assert error(two.a, one.a) < 1e-9
    assert error(two.multipliers, 0.5 * np.concatenate([one.multipliers, one.multipliers[::-1]])) < 1e-9
    assert (one.rank, two.rank) == (3, 3)


@row("motion-stack", 30)
@pytest.mark.parametrize("seed", [0, 1, 4, 7])
def test_zeroed_columns_equal_dropped_columns(seed: int) -> None:
    """On frames and along joints; all of them zero is forward dynamics."""
    x = Moving(seed)
    link, joint = x.links[-1], x.robot.joint_names[0]
    wrenches, k = x.rng.normal(size=(6, 2)), int(mask(x.robot, [joint]).sum())
    unit = x.rng.normal(size=(k, 1))
    none = np.zeros((6, 1)), np.zeros((k, 1))
    full = [
        C(link, np.hstack([none[0], wrenches[:, :1], none[0], wrenches[:, 1:]])),
        J(joint, np.hstack([unit, none[1]])),
    ]
    less = [C(link, wrenches), J(joint, unit)]
    b = x.rng.normal(size=6)
    kept = [1, 3, 4]
    motors = x.robot.joint_names
    one = mc.constrained_dynamics(x.robot, full, actuated=motors).run(x.q, x.v, x.tau, b)
    two = mc.constrained_dynamics(x.robot, less, actuated=motors).run(x.q, x.v, x.tau, b[kept])
    assert error(one.a, two.a) < 1e-9
    assert error(one.multipliers[kept], two.multipliers) < 1e-9
    assert np.all(np.delete(one.multipliers, kept) == 0)
    assert one.rank == two.rank == 3
    assert error(one.residual, np.where(np.isin(range(6), kept), np.zeros(6), -b)) < 1e-8
    nothing = mc.constrained_dynamics(x.robot, [C(link, np.zeros((6, 3)))], actuated=motors)
    nothing = nothing.run(x.q, x.v, x.tau, b[:3])
    assert error(nothing.a, mc.forward_dynamics(x.robot).run(x.q, x.v, x.tau)) < 1e-12
    assert error(nothing.tau_command + nothing.unactuated, x.tau) < 1e-12
    assert (nothing.rank, nothing.conditioning) == (0, 1)


def test_a_loop_in_the_plane_does_not_mind_rows_out_of_it() -> None:
    """Tips of two planar arms tied in all six directions: three of them cannot be moved, and take no force."""
    robot = arms(3, 4)
    rng = np.random.default_rng(6)
    q, v, tau = robot.random(rng), *rng.normal(size=(2, robot.nv))
    tied = {rows: mc.constrained_dynamics(robot, [C("l02", rows, "l13", (0, 0.2, 0))]) for rows in (ALL, "x y rz")}
    six, three = tied[ALL].run(q, v, tau, np.zeros(6)), tied["x y rz"].run(q, v, tau, np.zeros(3))
    assert (six.rank, three.rank) == (3, 3)
    assert error(six.a, three.a) < 1e-10
    assert error(six.multipliers, np.array([1, 1, 0, 0, 0, 1]) * six.multipliers) < 1e-10
    assert error(six.multipliers[[0, 1, 5]], three.multipliers) < 1e-10


def test_rows_that_nothing_free_can_move_have_no_rank() -> None:
    """All joints between the frame and the world are prescribed, or all there are."""
    x = Real("anymal", seed=7)
    told = ["root_joint", "LF_HAA", "LF_HFE", "LF_KFE"]
    question = Question(x, [C("LF_FOOT", "xyz"), C("RF_FOOT", "xyz")], told)
    dense = question.put(x)
    out = question.computation.run(*question.inputs)
    assert out.rank == 3
    assert np.all(out.multipliers[:3] == 0)
    assert np.array_equal(out.a[dense.told], x.a[dense.told])
    assert np.abs(out.residual[3:]).max() < 1e-9
    assert np.abs(out.residual[:3]).min() > 1e-3
    arm = Real("youbot_arm")
    all_told = Question(arm, [C("arm_link_5", "xyz")], arm.robot.joint_names)
    dense = all_told.put(arm)
    out = all_told.computation.run(*all_told.inputs)
    assert (out.rank, out.conditioning) == (0, 1)
    assert np.array_equal(out.a, arm.a)
    assert error(out.tau_command, all_told.motors(dense, arm.a, np.zeros(3))) < 1e-10


@pytest.mark.parametrize("gap", [1e-1, 1e-2, 1e-3])
def test_truncation_says_what_counts_as_dependent(gap: float) -> None:
    """Rows that differ by little: the second keeps about gap² of what it would do alone."""
    x = Real("panda", seed=8)
    wrenches = np.eye(6)[:, [3, 3]] + gap * np.eye(6)[:, [0, 4]]
    b = x.rng.normal(size=2)

    def out(truncation: float | None) -> mc.Results:
        rows = [C("panda_hand_tcp", wrenches)]
        return mc.constrained_dynamics(x.robot, rows, truncation=truncation).run(x.q, x.v, x.tau, b)

    kept, dropped = out(None), out(1e3 * gap**2 if gap < 1e-2 else 0.9)
    assert (kept.rank, dropped.rank) == (2, 1)
    assert error(kept.multipliers, out(0.0).multipliers) < 1e-12
    assert np.abs(kept.residual).max() < 1e-6
    assert np.linalg.norm(dropped.multipliers) < np.linalg.norm(kept.multipliers)
    assert 1 <= dropped.conditioning < kept.conditioning < 1e3 / gap**2


@row("motion-stack", 30)
def test_conditioning_is_one_where_rows_act_apart_and_grows_where_they_do_not() -> None:
    robot = sliders(2)
    found = []
    for angle in (np.pi / 2, 1.0, 0.3, 0.1, 0.01):
        rows = [J(robot.joint_names, np.array([[1, np.cos(angle)], [0, np.sin(angle)]]))]
        found.append(mc.constrained_dynamics(robot, rows).run(*np.zeros((3, 2)), [1, 1]).conditioning)
    assert np.allclose(found, 1 / np.sin([np.pi / 2, 1.0, 0.3, 0.1, 0.01]) ** 2, rtol=1e-9, atol=0)


@row("motion-stack", 30)
@pytest.mark.parametrize("m", [1, 2, 6, 12])
def test_the_factor_updated_joint_by_joint_is_that_of_all_rows_at_once(m: int) -> None:
    """Rank-one terms come in joint by joint: LDLᵀ goes on from the one before, and is LAPACK's of the whole."""
    rng = np.random.default_rng(m)
    terms, right = rng.normal(size=(m + 3, m)), rng.normal(size=(m, 1))
    coupling, lower, pivots = np.zeros((m, m)), np.zeros((m, m)).tolist(), [0.0] * m
    for joints, z in enumerate(terms, start=1):
        strength = rng.uniform(0.5, 2)
        coupling = coupling + strength * np.outer(z, z)
        lower, pivots = updated(lower, pivots, z.tolist(), strength)
        L, rank = np.tril(lower, -1) + np.eye(m), min(joints, m)
        limit = max(1e-9, 1e3 * EPSILON * np.linalg.cond(terms[:joints]) ** 2)
        assert error(L @ np.diag(pivots) @ L.T, coupling) < 1e-12
        assert np.count_nonzero(np.array(pivots) > 1e-9) == rank == np.linalg.matrix_rank(coupling)
        # the solves that do it at once, at full rank and below
        expected = np.linalg.pinv(coupling, rcond=1e-11, hermitian=True) @ right
        x, found, _ = TRUNCATED_SOLVE.numpy(coupling, right)
        assert found == rank
        assert error(x, expected) < limit
        assert error(coupling @ RANGE_SOLVE.numpy(coupling, right)[0], coupling @ expected) < limit
    root = np.linalg.cholesky(coupling)
    assert error(pivots, np.diag(root) ** 2) < limit
    assert error(L, root / np.diag(root)) < limit
    assert error(np.array(substitute(lower, [1 / d for d in pivots], right[:, 0].tolist())), expected[:, 0]) < limit
    assert error(LDLT_SOLVE.numpy(coupling, right)[0], np.linalg.solve(coupling, right)) < limit


# ---------------------------------------------------------------- damping


def test_the_exact_answer_is_the_limit_of_damped_ones() -> None:
    x = Real("anymal", seed=9)
    rows = [C("LF_FOOT", "xyz"), C("RH_FOOT", "xyz", "base"), J("RF_KFE")]
    q, v, tau, b = x.q, x.v, x.tau, x.rng.normal(size=7)
    exact = mc.constrained_dynamics(x.robot, rows, outputs=["a"]).run(q, v, tau, b)
    misses = [
        error(mc.constrained_dynamics(x.robot, rows, regularisation=damping, outputs=["a"]).run(q, v, tau, b), exact)
        for damping in 10.0 ** np.arange(-1, -9, -1)
    ]
    assert np.all(np.diff(misses) < 0)
    assert misses[-1] < 1e-6


@row("motion-stack", 30)
@pytest.mark.parametrize("seed", range(8))
def test_damping_and_weights_are_the_dense_solve(seed: int) -> None:
    """(Λ + μ W⁻²) λ = what is missing: a heavier row gives way less. Followers too; no rank is reported."""
    x = Moving(seed)
    rows = [C(x.links[-1], ALL, weight=3.0), C(x.links[0], "x y", weight=0.2)]
    question = Question(x, rows, outputs=["a", "multipliers", "residual"], regularisation=0.1)
    dense = question.put(x)
    multipliers = np.linalg.solve(dense.coupling + 0.1 * np.diag(question.weight**-2), dense.missing)
    out = question.computation.run(*question.inputs)
    assert error(out.multipliers, multipliers) < 1e-9
    assert error(out.a, dense.pushed(multipliers)) < 1e-9
    assert error(out.residual, -0.1 * question.weight**-2 * multipliers) < 1e-9
    names = [port.name for port in mc.constrained_dynamics(x.robot, rows, regularisation=0.1).outputs]
    assert not {"rank", "conditioning"} & set(names)


def test_damped_forces_stay_bounded_where_an_arm_is_stretched() -> None:
    """Undamped they grow without bound on the way there."""
    robot = mc.load("planar2")
    forces = {damping: [] for damping in (0.0, 1e-3)}
    for bend in 10.0 ** -np.arange(1, 6):
        for damping, found in forces.items():
            dynamics = mc.constrained_dynamics(robot, [C("tip", "x y")], regularisation=damping, gravity=(0, 0, 0))
            found.append(np.abs(dynamics.run([0.3, bend], np.zeros(2), np.zeros(2), [1, 1]).multipliers).max())
    assert forces[0.0][-1] > 1e6
    assert max(forces[1e-3]) <= np.sqrt(2) / 1e-3


# ---------------------------------------------------------------- posture


@row("motion-stack", 32)
@pytest.mark.parametrize("seed", range(trials(24)))
def test_how_much_of_a_posture_passes(seed: int) -> None:
    """0: constraints win. 1: tau acts in full beside what constraints take without it. Between: linear."""
    x = Moving(seed)
    told = [] if x.robot.followers else [name for name in x.robot.joint_names[1:] if x.rng.random() < 0.3]
    rows = random_rows(x, max(1, int((~mask(x.robot, told)).sum()) - 2), told, 1e4)
    rows = [replace(constraint, source="task") for constraint in rows]
    state, found = x.rng.bit_generator.state, []
    for share in (0.0, 1.0, 0.3):
        x.rng.bit_generator.state = state
        question = Question(x, rows, told, posture=share)
        dense = question.put(x)
        found.append(question.computation.run(*question.inputs))
    won, lost, between = found
    # without tau: what constraints take on their own
    still = Dense(x.M, x.h, dense.J, dense.reach + dense.J @ dense.given, 0 * x.tau, dense.acts, told=dense.told, a=x.a)
    _, before = still.kkt()
    exact, multipliers = dense.kkt()
    free = ~dense.told
    pushed = dense.rows @ np.linalg.solve(dense.inertia, x.tau[free])
    limit = max(1e-10, EPSILON * dense.condition)
    assert error(won.a, exact) < limit
    assert error(won.multipliers, multipliers) < limit
    assert error(lost.multipliers, before) < limit
    assert error(lost.a, dense.pushed(before)) < limit
    assert error(lost.residual, pushed) < 10 * limit
    assert error(between.residual, 0.3 * pushed) < 10 * limit
    assert error(between.a, won.a + 0.3 * (lost.a - won.a)) < limit


def test_no_posture_is_the_same_program() -> None:
    """And one that is asked for costs less than twice the rest."""
    robot = mc.load("lwr4")
    rows = [C("link_7", "xyz")]
    plain, none, some = (
        sum(mc.constrained_dynamics(robot, rows, **options).operations.values())
        for options in ({}, {"posture": 0.0}, {"posture": 0.5})
    )
    assert plain == none < some < 1.5 * plain


# setup 2 of the thesis (specs/motion-stack.md §3, X6), without impedance; gains over T_inertia = 0.5 s
START, END = np.array((1.8, -0.8, -0.9, -0.8)), np.array((1.2, -0.9, -1.0, -0.9))
STIFF, DAMPED = np.array((30.5, 30.2, 5.1, 10.1)) / 0.25, np.array((12, 10, 3, 3)) / 0.5
BETA = 70.345 / 0.25, 95.598 / 0.5


def worst_stray(tracked: int, posture: float) -> float:
    """How far x of the tip strays in three seconds, while joints track cubics in 2.5 s: three of them, or all four."""
    robot, down = arms(4, rotor=0.01), (0.0, -9.81, 0.0)
    names = robot.joint_names
    follow = mc.hybrid_dynamics(robot, names[:tracked], gravity=down)
    tip = C("l03", "x", point=(0, 0.2, 0))
    dynamics = mc.constrained_dynamics(robot, [tip], posture=posture, gravity=down, outputs=["a"])
    q, v, dt, strays = START.copy(), np.zeros(4), 1e-3, []
    home = -0.2 * np.sin(np.cumsum(q)).sum()
    for step in range(3000):
        s = min(step * dt / 2.5, 1.0)
        way = END - START
        wanted = START + way * (3 * s**2 - 2 * s**3), way * 6 * (s - s**2) / 2.5, way * (6 - 12 * s) / 2.5**2 * (s < 1)
        aim = wanted[2] + STIFF * (wanted[0] - q) + DAMPED * (wanted[1] - v)
        tau = follow(q, v, np.zeros(4), aim).tau
        angles, rates = np.cumsum(q), np.cumsum(v)
        strays.append(-0.2 * np.sin(angles).sum() - home)
        rate = -0.2 * np.cos(angles) @ rates
        v = v + dt * dynamics(q, v, tau, [-BETA[0] * strays[-1] - BETA[1] * rate])
        q = q + dt * v
    return float(np.abs(strays).max())


@row("motion-stack", 32)
@pytest.mark.parametrize(
    ("tracked", "posture", "least", "most"), [(3, 0, 0, 1e-3), (3, 1, 1e-3, 25e-3), (4, 0, 0, 1e-3), (4, 1, 25e-3, 0.1)]
)
def test_a_planar_arm_holds_x_as_well_as_its_priority_lets_it(
    tracked: int, posture: float, least: float, most: float
) -> None:
    """Five things asked of four joints: with priority x is held still, without it is not."""
    assert least <= worst_stray(tracked, posture) < most
