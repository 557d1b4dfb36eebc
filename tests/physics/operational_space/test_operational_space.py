"""Operational space against dense matrices of Pinocchio's M, J, J̇ v, h and g, and against the laws it stands for.

F = Lambda ẍ + mu + p,  tau = Jᵀ F
"""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import sqrtm

import motionc as mc
from all_joints import Moving
from dense import EPSILON, Real, Rows, all_rows, random_rows
from mutants import tree
from oracle import Array, error, load, oracle
from rows import row
from trials import some, trials

C = mc.Constraint
EVERYTHING = ("Lambda", "mu", "p", "J_bar", "rank", "conditioning", "N", "J", "bias", "coupling")
ALL = "rx ry rz x y z"
HANDS = ("gripper_left_base_link", "gripper_right_base_link")


def dense(x: Moving | Real, rows: list[Rows], rcond: float = 0.0) -> SimpleNamespace:
    """The same by matrices of all joints."""
    J, bias = all_rows(x.world, x.V, x.robot, x.G, rows)
    g = x.G.T @ x.world.gravity_forces(x.Q)
    sway = np.linalg.solve(x.M, J.T)
    coupling = J @ sway
    Lambda = np.linalg.pinv(coupling, rcond=rcond, hermitian=True) if rcond else np.linalg.inv(coupling)
    return SimpleNamespace(
        Lambda=Lambda,
        mu=Lambda @ (sway.T @ (x.h - g) - bias),
        p=Lambda @ sway.T @ g,
        J_bar=sway @ Lambda,
        N=np.eye(len(g)) - sway @ Lambda @ J,
        J=J,
        bias=bias,
        coupling=coupling,
    )


def worst(out, expected: SimpleNamespace) -> float:
    found = dict(out.items())
    return max(error(found[name], value) for name, value in vars(expected).items() if name in found)


# ---------------------------------------------------------------- against dense matrices


@pytest.mark.parametrize("seed", range(trials(10)))
def test_packed_symmetric_outputs_are_lower_triangles(seed: int) -> None:
    x = Moving(seed)
    rows = random_rows(x, int(x.rng.integers(1, x.robot.nv + 1)))
    whole, packed = (
        mc.operational_space(x.robot, rows, outputs=EVERYTHING, packed=p).run(x.q, x.v) for p in (False, True)
    )
    lower, expected = np.tril_indices(len(whole.mu)), dense(x, rows)
    for name in EVERYTHING:
        once = name in ("Lambda", "coupling")
        assert np.array_equal(packed[name], whole[name][lower] if once else whole[name])
    assert error(packed.coupling, expected.coupling[lower]) < 1e-10


def test_packed_is_refused_where_nothing_is_symmetric() -> None:
    with pytest.raises(mc.Error, match="packed=True is for Lambda and coupling, and neither is in outputs"):
        mc.operational_space(mc.load("lwr4"), "link_7", outputs=["mu", "p"], packed=True)


@row("multibody-methodology", 30)
@pytest.mark.parametrize("seed", range(trials(60)))
def test_rows_anywhere_on_a_tree_are_the_dense_matrices(seed: int) -> None:
    """Every joint type, followers, rotors, floating bases; rows of any bodies wrt any others, and along joints."""
    x = Moving(seed, mimic=seed % 3 == 0)
    rows = random_rows(x, int(x.rng.integers(1, x.robot.nv + 1)))
    out = mc.operational_space(x.robot, rows, outputs=EVERYTHING).run(x.q, x.v)
    expected = dense(x, rows)
    assert worst(out, expected) < max(1e-10, 10 * EPSILON * np.linalg.cond(expected.coupling))
    assert out.rank == len(expected.J)


TASKS = {
    "panda": (["panda_hand_tcp"], {}),
    "ur5_robot": (["tool0"], {"point": (0.1, 0, 0.2), "as_seen_by": "tool0"}),
    "anymal": (["LF_FOOT", "RH_FOOT"], {"rows": "xyz"}),
    "solo12": (["FL_FOOT", "HR_FOOT"], {"rows": "z x", "wrt": "FR_FOOT", "as_seen_by": "base_link"}),
    "talos_reduced": (HANDS, {"rows": "xyz"}),
}


@row("multibody-methodology", 30)
@pytest.mark.parametrize("name", some(TASKS, 2))
def test_of_robots_in_hundreds_of_states_they_are_the_dense_matrices(name: str, record_property: Callable) -> None:
    frames, options = TASKS[name]
    x = Real(name)
    rows = [C(frame, **({"rows": ALL} | options)) for frame in frames]
    task = mc.operational_space(x.robot, frames, outputs=("Lambda", "mu", "p", "J_bar", "coupling"), **options)
    states = []
    for _ in range(trials(1000)):
        x.place()
        states.append((x.q, x.v, dense(x, rows)))
    found = task.batch(*(np.array(column) for column in list(zip(*states, strict=True))[:2]))
    errors = []
    for k, (_, _, expected) in enumerate(states):
        condition = np.linalg.cond(expected.coupling)
        if condition < 1e8:
            errors.append(worst({each: value[k] for each, value in found.items()}, expected))
            assert errors[-1] < max(1e-10, EPSILON * condition)
    record_property("worst error", max(errors))
    assert len(errors) > 0.9 * len(states)


@row("multibody-methodology", 30)
def test_both_hands_of_a_humanoid_feel_each_other_through_the_trunk() -> None:
    """Λ⁻¹ between branches is not zero: block diagonal S would make it so (erratum E16)."""
    x = Real("talos_reduced", seed=3)
    rows = [C(hand, ALL) for hand in HANDS]
    out = mc.operational_space(x.robot, HANDS, outputs=EVERYTHING).run(x.q, x.v)
    expected = dense(x, rows)
    assert np.abs(expected.coupling[:6, 6:]).max() > 1e-2
    assert error(out.coupling[:6, 6:], expected.coupling[:6, 6:]) < 1e-12
    assert worst(out, expected) < 1e-10


def test_arms_on_a_base_that_is_held_do_not_feel_each_other() -> None:
    """Baxter's arms meet in the world alone: an exact zero, for which nothing is computed."""
    robot = load("baxter")
    both = mc.operational_space(robot, ["left_gripper", "right_gripper"], rows="xyz", outputs=["coupling"])
    assert np.all(both.run(robot.random(0))[:3, 3:] == 0)
    program = both.program
    steps = [program.instructions[value] for value in np.reshape(program.results[0], (6, 6))[:3, 3:].ravel()]
    assert all((step.op, step.data) == ("const", 0) for step in steps)


def test_the_two_links_of_the_text_have_the_printed_inertia() -> None:
    """specs/itasc.md §3 E3: coupling (20 10; 10 20)/9 at (0, π/4), so Lambda = (0.6 -0.3; -0.3 0.6)."""
    out = mc.operational_space(load("planar2"), "tip", rows="x y")(np.array([0, np.pi / 4]), np.zeros(2))
    assert np.allclose(out.Lambda, [[0.6, -0.3], [-0.3, 0.6]], rtol=0, atol=1e-12)
    assert np.allclose(out.mu, 0, rtol=0, atol=1e-12)


# ---------------------------------------------------------------- what it stands for


@row("robcogen", 34)
@pytest.mark.parametrize(("name", "frames"), [("panda", ["panda_hand_tcp"]), ("talos_reduced", HANDS)])
def test_the_null_space_leaves_the_task_alone(name: str, frames: list[str]) -> None:
    """J N = 0, N² = N, J J̄ = 1; joint forces Nᵀ τ do not move the frames, Pinocchio's own forward dynamics says."""
    x = Real(name, seed=4)
    out = mc.operational_space(x.robot, frames, outputs=EVERYTHING).run(x.q, x.v)
    nv, scale = x.robot.nv, np.abs(out.N).max()
    assert np.abs(out.J @ out.N).max() < 1e-12 * scale
    assert error(out.N @ out.N, out.N) < 1e-12 * scale
    assert error(out.J @ out.J_bar, np.eye(6 * len(frames))) < 1e-12 * scale
    assert np.linalg.matrix_rank(out.N, 1e-8) == nv - 6 * len(frames)
    moved = oracle(name).forward_dynamics(x.q, x.v, x.tau)
    posture = oracle(name).forward_dynamics(x.q, x.v, x.tau + out.N.T @ x.rng.normal(size=nv))
    assert error(posture, moved) > 1e-2
    for frame in frames:
        (_, before, _), (_, after, _) = (oracle(name).frame_motion(frame, x.q, x.v, a) for a in (moved, posture))
        assert error(after, before) < 1e-10


@pytest.mark.parametrize("name", ["panda", "anymal"])
def test_forces_of_the_law_make_the_accelerations_asked_for(name: str) -> None:
    """tau = Jᵀ (Lambda ẍ + mu + p), put to Pinocchio's forward dynamics, accelerates the frame by ẍ."""
    x, frame = Real(name, seed=5), TASKS[name][0][0]
    out = mc.operational_space(x.robot, frame, rows="xyz", outputs=EVERYTHING).run(x.q, x.v)
    wanted = x.rng.normal(size=3)
    a = oracle(name).forward_dynamics(x.q, x.v, out.J.T @ (out.Lambda @ wanted + out.mu + out.p))
    assert error(oracle(name).frame_motion(frame, x.q, x.v, a)[1][3:], wanted) < 1e-10


@pytest.mark.parametrize("weighing", ["Gauss", "torques", "any"])
def test_it_is_the_reference_law_of_least_control(weighing: str) -> None:
    """(4.1)-(4.4): least uᵀ W u with J a + J̇ v = b. C is added, not taken away as (4.3) prints it."""
    x, rows = Real("panda", seed=6), C("panda_hand_tcp", "xyz rz")
    task = mc.operational_space(x.robot, rows, outputs=EVERYTHING).run(x.q, x.v)
    J, M, C_, b, nv = task.J, x.M, x.h, x.rng.normal(size=4), x.robot.nv
    half = x.rng.normal(size=(nv, nv))
    W = {"Gauss": np.linalg.inv(M), "torques": np.eye(nv), "any": half @ half.T + np.eye(nv)}[weighing]
    root = np.linalg.inv(np.real(sqrtm(W)))

    def law(sign: float) -> Array:
        reach = J @ np.linalg.inv(M)
        return root @ np.linalg.pinv(reach @ root) @ (b - task.bias + sign * reach @ C_)

    def reached(u: Array) -> Array:
        return J @ np.linalg.solve(M, u - C_) + task.bias

    u = law(+1)
    assert error(reached(u), b) < 1e-10
    assert error(reached(law(-1)), b) > 0.1
    # any other control that reaches b weighs more
    for step in x.rng.normal(size=(20, nv)):
        other = u + task.N.T @ step
        assert error(reached(other), b) < 1e-9
        assert other @ W @ other > u @ W @ u
    # the operational-space form: forces of the task, and of the rest what leaves the task alone
    F = task.Lambda @ b + task.mu + task.p
    assert error(J.T @ F + task.N.T @ u, u) < 1e-10
    printed = J.T @ task.Lambda @ (b - task.bias) + C_ + M @ task.N @ np.linalg.solve(M, half[0])
    assert error(printed, J.T @ F + task.N.T @ (C_ + half[0])) < 1e-10
    if weighing == "Gauss":
        solved = mc.constrained_dynamics(x.robot, [rows]).run(x.q, x.v, np.zeros(nv), b)
        assert error(solved.tau_command, u) < 1e-10
        assert error(solved.multipliers, F) < 1e-10


# ---------------------------------------------------------------- when rank is lost

LOST = {
    "six rows, two joints": ("planar2", ["tip"], slice(0), 2),
    "an arm stretched": ("lwr4", ["link_7"], slice(None), 3),
    "an arm upright": ("panda", ["panda_link8"], slice(7), 5),
    "rows given twice": ("panda", [C("panda_hand_tcp", "xyz"), C("panda_hand_tcp", "z x")], slice(0), 3),
}


@pytest.mark.parametrize("case", LOST)
def test_dependent_rows_have_the_pseudo_inverse_and_it_is_said(case: str) -> None:
    name, frames, zeroed, rank = LOST[case]
    x = Real(name, seed=7)
    q = x.q.copy()
    q[zeroed] = 0.0
    x.place(q)
    task = mc.operational_space(x.robot, frames, outputs=EVERYTHING)
    expected = dense(x, [C(one, ALL) if isinstance(one, str) else one for one in frames], rcond=1e-9)
    for out in (task.run(x.q, x.v), task(x.q, x.v)):
        assert out.rank == rank
        assert f"rank {rank} of {len(expected.J)}" in out.notes[0]
        assert "pseudo-inverse" in out.notes[0]
        assert worst(out, expected) < 1e-9
        assert error(out.N @ out.N, out.N) < 1e-9


def test_what_counts_as_dependent_can_be_said() -> None:
    robot, q = load("planar2"), np.array([0.3, 1e-3])
    usual, coarse = (mc.operational_space(robot, "tip", rows="x y", truncation=t)(q, q) for t in (None, 1e-3))
    assert (usual.rank, coarse.rank) == (2, 1)
    assert usual.conditioning > 1e4


# ---------------------------------------------------------------- how it is asked


def test_names_and_constraints_ask_the_same() -> None:
    robot = tree(True)
    options = {"rows": "x rz", "wrt": "leg", "point": (0.1, 0, 0.2), "as_seen_by": "arm"}
    q, v = robot.random(0), np.random.default_rng(0).normal(size=robot.nv)
    named = mc.operational_space(robot, "tool", **options).run(q, v)
    for given in (C("tool", **options), [C("tool", **options)]):
        same = mc.operational_space(robot, given).run(q, v)
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(same, named, strict=True))


def test_velocities_are_an_input_where_they_matter() -> None:
    robot = load("lwr4")
    still = mc.operational_space(robot, "link_7", outputs=["Lambda", "p"])
    assert [port.name for port in still.inputs] == ["q"]
    q = robot.random(1)
    out, both = still(q), mc.operational_space(robot, "link_7")(q, np.ones(7))
    assert error(out.Lambda, both.Lambda) < 1e-12
    assert error(out.p, both.p) < 1e-12
    weightless = mc.operational_space(robot, "link_7", gravity=(0, 0, 0))(q, np.ones(7))
    assert np.all(weightless.p == 0)
    assert error(weightless.mu, both.mu) < 1e-12


def test_a_wrong_question_gets_a_sentence() -> None:
    robot = load("lwr4")
    for arguments, options, sentence in (
        (["link_77"], {}, "no frame 'link_77'"),
        ([], {}, "frames is empty"),
        (["link_7"], {"rows": "xx"}, "at most once"),
        ([C("link_7", "x", level=2)], {}, "level=2.*constrained_dynamics knows levels"),
        ([7], {}, "frames=7; give the name of a frame"),
        (["link_7"], {"truncation": 2}, "a share between 0 and 1"),
        (["link_7"], {"outputs": ["lambda"]}, "no such output; did you mean Lambda"),
    ):
        with pytest.raises(mc.Error, match=sentence):
            mc.operational_space(robot, arguments, **options)
