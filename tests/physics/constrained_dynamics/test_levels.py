"""Levels, weights, units and limits of several levels: against hierarchical least squares of an independent kind.

Ranks are compared wherever they are beyond doubt for numbers as exact as the precision has them; how many states are
left out is counted. Answers may be as far off as rounding over the least share of a row that others leave.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from hierarchy import Units, Witness, gauss_short_of_best, random_states, short_of_best
from rows import row
from trials import LONG, some, trials

C, J = mc.Constraint, mc.JointConstraint
SIX = "rx ry rz x y z"
ROUNDING = {"double": 2.0**-52, "single": 2.0**-23}
EXACT = {"double": 1e-11, "single": 1e-4}
STATES = trials(480)
MOTION, LEAST = ("a", "rank"), ("a", "rank", "multipliers", "residual")


def legs(robot: mc.Robot) -> list[mc.Constraint | mc.JointConstraint]:
    """It stands on its feet, its base goes somewhere, its joints would like to go elsewhere."""
    feet = [C(link, "xyz", source="contact") for link in robot.link_names if link.endswith("_foot")]
    joints = [name for name in robot.joint_names if len(range(robot.nv)[robot.v_index[name]]) == 1]
    return [*feet, C(robot.link_names[0], SIX, level=2), J(joints, level=3)]


def arm(robot: mc.Robot) -> list[mc.Constraint | mc.JointConstraint]:
    """Its tip goes somewhere, its joints would like to go elsewhere."""
    return [C(robot.link_names[-1], SIX), J(robot.joint_names, level=2)]


CASES = {"ur5": arm, "fancy": arm, "quadruped": legs, "panda": arm}


@cache
def asked(name: str) -> Witness:
    robot = mc.load(name)
    return Witness(robot, CASES[name](robot))


@cache
def found_by(name: str, outputs: tuple[str, ...], precision: str) -> mc.Computation:
    witness = asked(name)
    return mc.constrained_dynamics(witness.robot, witness.constraints, outputs=outputs, precision=precision)


# ---------------------------------------------------------------- levels


def test_a_pose_of_the_ur5_at_which_everything_can_be_had() -> None:
    """Six rows at the tip take all six joints; what these would like is of no consequence."""
    robot = mc.load("ur5")
    q, still = np.array([0.95, -3.13, -1.11, -1.99, 3.08, 2.06]), np.zeros(6)
    b = np.concatenate([[0.1, -0.2, 0.3, 0.5, -0.4, 0.2], np.ones(6)])
    dynamics = mc.constrained_dynamics(robot, arm(robot))
    together = dynamics.batch(*(np.tile(x, (3, 1)) for x in (q, still, still, b)))
    for out in (dynamics.run(q, still, still, b), dynamics(q, still, still, b), together):
        assert np.all(np.asarray(out["rank"]) == 6)
        assert np.abs(np.atleast_2d(out["residual"])[:, :6]).max() < 1e-8
        assert np.abs(out["multipliers"]).max() < 1e5


@row("itasc", 43)
@pytest.mark.parametrize(
    ("name", "precision", "outputs"),
    [
        *((name, "double", LEAST) for name in some(CASES, 3)),
        *((name, "single", LEAST) for name in some(name for name in CASES if name != "fancy")),
        *(("ur5", precision, MOTION) for precision in some(("double", "single"))),
    ],
)
def test_levels_of_random_states_are_hierarchical_least_squares(
    name: str, precision: str, outputs: tuple[str, ...]
) -> None:
    witness = asked(name)
    q, v, tau, b = random_states(witness.robot, len(witness.levels), STATES, seed=1)
    witness.place(q, v)
    a, answer = witness.motion(tau, b)
    out = found_by(name, outputs, precision).batch(q, v, tau, b)
    assert np.all(out["rank"] <= min(witness.robot.nv, len(witness.levels)))
    clear = answer.clear(EXACT[precision])
    assert np.mean(clear) > (0.99 if precision == "double" else 0.7)
    assert np.array_equal(out["rank"][clear], answer.ranks.sum(axis=1)[clear])
    error = np.abs(out["a"] - a).max(axis=1) / np.maximum(1.0, np.abs(a).max(axis=1))
    assert np.all((error * answer.share)[clear] < 1000 * ROUNDING[precision])
    # what comes first is not disturbed
    first = witness.levels == 1
    reachable = clear & (witness.misses(a, b)[:, first].max(axis=1) < 1e-9)
    missed = witness.misses(np.asarray(out["a"], float), b)[:, first].max(axis=1)
    assert np.all((missed * answer.share)[reachable] < 1000 * ROUNDING[precision])
    if name != "fancy":
        assert reachable.sum() > 0.7 * STATES


def test_feet_do_not_slip_whatever_is_asked_of_the_rest() -> None:
    witness = asked("quadruped")
    q, v, tau, b = random_states(witness.robot, len(witness.levels), STATES, seed=2)
    b[:, :12] = 0.0
    out = found_by("quadruped", LEAST, "double").batch(q, v, tau, b)
    assert np.abs(out["residual"][:, :12]).max() < 1e-6 * max(1.0, np.abs(out["a"]).max())
    assert out["rank"].max() == 18


def test_other_solvers_never_rank_more_rows_than_there_are_joints() -> None:
    """Twelve rows on a robot of six joints."""
    robot = mc.load("ur5")
    q, v, *_ = random_states(robot, 12, STATES, seed=3)
    rows = [C(robot.link_names[-1], SIX), J(robot.joint_names)]
    space = mc.operational_space(robot, rows, outputs=["Lambda", "rank"]).batch(q)
    assert np.all(space["rank"] == 6)
    struck = mc.impact(robot, rows).batch(q, v)
    assert np.all(struck["rank"] == 6)
    assert np.abs(struck["v_after"]).max() < 1e-6
    frames = [robot.link_names[-1], robot.link_names[-2]]
    rank = mc.inverse_velocity(robot, frames, outputs=["rank"]).batch(q, np.ones((STATES, 12)))
    assert rank.max() <= 6


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize("levels", [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("weights", some([(1e6, 1e-6), (1e-6, 1e6), (1e8, 1e-8)], 2))
def test_weights_drop_no_row_that_can_be_had(weights: tuple[float, float], levels: tuple[int, int]) -> None:
    robot = mc.load("lwr4")
    rows = [
        J(joint, weight=weight, level=level)
        for joint, weight, level in zip(robot.joint_names[5:], weights, levels, strict=True)
    ]
    dynamics, still = mc.constrained_dynamics(robot, rows), np.zeros(7)
    for out in (dynamics.run(np.full(7, 0.4), still, still, [1, 1]), dynamics(np.full(7, 0.4), still, still, [1, 1])):
        assert np.allclose(out.a[5:], 1, rtol=1e-9)
        assert out.rank == 2


@pytest.mark.parametrize("spread", [1e2, 1e6] if LONG else [1e6])
def test_weights_change_nothing_where_all_rows_can_be_had(spread: float) -> None:
    """Also where rows are said twice, alike; on two levels, least multipliers asked for."""
    robot = mc.load("panda")
    q, v, tau, b = random_states(robot, 8, STATES, seed=4)
    tip, elbow = robot.link_names[-1], "panda_link4"
    # x y z of the tip are of both levels
    b = np.column_stack([b[:, :5], b[:, 2:5], b[:, 5:6]])

    def moved(one: float, two: float, three: float) -> np.ndarray:
        rows = [
            C(tip, "rx ry", weight=one),
            C(tip, "xyz", weight=two),
            C(tip, "xyz", weight=three, level=2),
            C(elbow, "z", weight=one, level=2),
        ]
        out = mc.constrained_dynamics(robot, rows, outputs=["a", "rank", "multipliers"]).batch(q, v, tau, b)
        return out["a"], out["rank"]

    plain, rank = moved(1.0, 1.0, 1.0)
    assert np.all(rank == 6)
    for weights in some([(spread, 1 / spread, 1.0), (1 / spread, 1.0, spread), (1.0, spread, 1 / spread)], 2):
        other, rank = moved(*weights)
        assert np.all(rank == 6)
        error = np.abs(other - plain).max(axis=1) / np.maximum(1.0, np.abs(plain).max(axis=1))
        assert np.quantile(error, 0.9) < 1e-10
        assert error.max() < 1e-6


def test_weights_where_not_all_rows_can_be_had_share_misses_out() -> None:
    """Five joints, six rows of very different weight, then the joints."""
    robot = mc.load("fancy")
    rng = np.random.default_rng(5)
    for _ in range(trials(6)):
        weights = [float(weight) for weight in 10.0 ** rng.uniform(-2, 2, 4)]
        tip = robot.link_names[-1]
        rows = [
            C(tip, "rx ry rz", weight=weights[0]),
            C(tip, "xyz", weight=weights[1]),
            C("link3", "xyz", weight=weights[2]),
            J(robot.joint_names, weight=weights[3], level=2),
        ]
        witness = Witness(robot, rows)
        q, v, tau, b = random_states(robot, len(witness.levels), 100, seed=6)
        witness.place(q, v)
        a, answer = witness.motion(tau, b)
        out = mc.constrained_dynamics(robot, rows).batch(q, v, tau, b)
        clear = answer.clear(1e-9)
        assert np.mean(clear) > 0.9
        assert np.array_equal(out["rank"][clear], answer.ranks.sum(axis=1)[clear])
        error = np.abs(out["a"] - a).max(axis=1) / np.maximum(1.0, np.abs(a).max(axis=1))
        assert np.all((error * answer.share)[clear] < 1e-10)


def test_mild_weights_near_singular_poses_are_weighted_least_squares() -> None:
    """Where a heavy row all but depends on others, it still moves lighter ones: the joints make the rank full."""
    robot = mc.load("ur5")
    rng = np.random.default_rng(8)
    q, v, tau, b = random_states(robot, 12, STATES, seed=8)
    elbow = 10.0 ** rng.uniform(-6, -2, STATES)
    q[:, 2] = elbow
    q[::3] = np.round(q[::3] / (np.pi / 2)) * (np.pi / 2) + elbow[::3, None] * rng.normal(size=(STATES // 3, 6))
    for tip, joints in ((7.0, 1.0), (1.0, 7.0), (100.0, 1.0)) if LONG else ((7.0, 1.0), (100.0, 1.0)):
        rows = [C("tool0", SIX, weight=tip), J(robot.joint_names, weight=joints)]
        witness = Witness(robot, rows)
        witness.place(q, v)
        heavy = witness.weights[:, None]
        best = [
            np.linalg.lstsq(heavy * one, heavy[:, 0] * missing, rcond=None)[0]
            for one, missing in zip(witness.J, b - witness.drift, strict=True)
        ]
        dynamics = mc.constrained_dynamics(robot, rows)
        out = dynamics.batch(q, v, tau, b)
        error = np.abs(out["a"] - best).max(axis=1) / np.maximum(1.0, np.abs(best).max(axis=1))
        assert error.max() < 1e-10 * max(10.0, tip**2)
        worst = int(np.argmax(error))
        for one in (dynamics.run, dynamics):
            assert np.allclose(one(q[worst], v[worst], tau[worst], b[worst]).a, best[worst], rtol=1e-6, atol=1e-6)


# ---------------------------------------------------------------- units


@pytest.mark.parametrize(("length", "mass"), [(1e3, 1e6), (1e-3, 1e-3)])
@pytest.mark.parametrize("name", some(["ur5", "fancy", "planar3"]))
def test_answers_do_not_depend_on_units(name: str, length: float, mass: float, tmp_path: Path) -> None:
    """Millimetres and milligrams, and robots of such a size: six rows where there are fewer joints, and joints behind.

    Misses count alike where rows along which lengths are counted weigh as much less.
    """
    robot, units = mc.load(name), Units(length, mass)
    other = units.robot(name, tmp_path)
    tip, inner = robot.link_names[-1], "link3" if name == "fancy" else robot.link_names[-2]

    def rows(unit: float) -> list[mc.Constraint | mc.JointConstraint]:
        turning, moving = C(tip, "rx ry rz"), C(tip, "xyz", weight=1 / unit)
        return [turning, moving, C(inner, "xyz", weight=1 / unit), J(robot.joint_names[-1:], level=2)]

    def ask(robot: mc.Robot, unit: float) -> mc.Computation:
        return mc.constrained_dynamics(robot, rows(unit), gravity=(0, 0, -9.81 * unit), outputs=["a", "rank"])

    witness = Witness(robot, rows(1.0))
    q, v, tau, b = random_states(robot, 10, STATES, seed=7)
    witness.place(q, v)
    _, answer = witness.motion(tau, b)
    here = ask(robot, 1.0).batch(q, v, tau, b)
    asked = b * np.array([1.0] * 3 + [length] * 6 + [1.0])
    there = ask(other, length).batch(*units.state(robot, q, v, tau), asked)
    clear = answer.clear(1e-9)
    assert np.mean(clear) > 0.9
    assert np.array_equal(here["rank"][clear], there["rank"][clear])
    same = there["a"] / units.rates(robot)
    error = np.abs(same - here["a"]).max(axis=1) / np.maximum(1.0, np.abs(here["a"]).max(axis=1))
    assert np.quantile(error[clear], 0.9) < 1e-10
    assert np.all((error * answer.share)[clear] < 1e-12)


# ---------------------------------------------------------------- limits of several levels


HARD = (257, 410, 425, 751, 1401)
"""States of those below that were missed by up to 20 m/s² more than it takes."""
MANY = trials(1500)


@cache
def limited(precision: str = "double") -> tuple[Witness, np.ndarray, mc.Computation]:
    robot = mc.load("lwr4")
    rows = [C(robot.link_names[-1], "xyz"), J(robot.joint_names, level=2)]
    limits = 0.4 * np.asarray(robot.limits.effort, float)
    return Witness(robot, rows), limits, mc.constrained_dynamics(robot, rows, limits=limits, precision=precision)


def hard_states(which: Sequence[int]) -> tuple[np.ndarray, ...]:
    """Of the LWR 4, asked for much."""
    witness, *_ = limited()
    q, v, tau, b = random_states(witness.robot, 10, 1500, seed=0)
    return tuple(x[list(which)] for x in (q, v, tau, 20 * b))


def test_limits_of_two_levels_are_the_best_there_is_or_a_note_says_so() -> None:
    witness, limits, dynamics = limited()
    q, v, tau, b = hard_states((*HARD, *range(MANY)))
    witness.place(q, v)
    out = dynamics.batch(q, v, tau, b)
    short = short_of_best(witness, out["tau_command"], limits, b)
    proven = out["steps"] < 24.5
    assert proven.mean() > 0.99
    assert short[proven, 0].max() < 1e-6
    assert short[proven, 1].max() < 1e-4
    assert np.mean(np.any(out["saturated"], axis=1)) > 0.3


def stretched_states(count: int) -> tuple[np.ndarray, ...]:
    """Of the LWR 4, asked for much: some joints in their middle or at quarter turns, all, or all but a little."""
    witness, *_ = limited()
    q, v, tau, b = random_states(witness.robot, 10, count, seed=5)
    rng, off = np.random.default_rng(6), np.array([0.0, 1e-3, 1e-6, 1e-9])[np.arange(count) // 3 % 4, None]
    some = rng.random(q.shape) < 0.6
    neat = np.where(some, 0.0, q), np.where(some, np.round(q / (np.pi / 2)) * (np.pi / 2), q), off * some * q
    v[::2], tau[1::2] = 0.0, 0.0
    return np.choose(np.arange(count)[:, None] % 3, neat), v, tau, 20 * b


def test_limits_of_a_stretched_arm_are_the_best_there_is_or_a_note_says_so() -> None:
    """Where the tip all but cannot be moved along the arm, little decides who is held by the first level."""
    witness, limits, dynamics = limited()
    q, v, tau, b = stretched_states(MANY)
    witness.place(q, v)
    out = dynamics.batch(q, v, tau, b)
    short = short_of_best(witness, out["tau_command"], limits, b)
    proven = out["steps"] < 24.5
    # of states within 1e-9 of being stretched a quarter are told, and hardly any else
    assert proven.mean() > 0.96
    assert short[proven, 0].max() < 1e-6
    assert short[proven, 1].max() < 1e-4


def test_limits_found_by_call_run_and_batch_are_the_same() -> None:
    _, _, dynamics = limited()
    states = hard_states(HARD)
    together = dynamics.batch(*states)
    for k, state in enumerate(zip(*states, strict=True)):
        for out in (dynamics(*state), dynamics.run(*state)):
            assert np.allclose(out.tau_command, together["tau_command"][k], rtol=1e-6, atol=1e-6)
            assert np.allclose(out.residual[:3], together["residual"][k, :3], rtol=1e-6, atol=1e-6)


NO_EFFECT = [
    ("planar3", [C("tip", "x"), C("link_3", "x rz", level=2)], (0.05, 0.001, np.inf), (0, 0, 0), (1, -2, 0.5)),
    ("planar3", [C("tip", "x"), C("link_3", "x rz", level=2)], (0.05, 0.001, np.inf), (0.3, 0, 0), (1, -2, 0.5)),
    ("planar2", [C("forearm", "rz x")], (0.0053, 0.0048), (np.pi / 2, np.pi / 2), (0.3, -0.7)),
    ("planar2", [C("forearm", "x")], (0.0053, 0.0048), (np.pi / 2, np.pi / 2), (-0.7,)),
]
"""Robot, rows, limits, q and b where what some motor does to the rows is rounding alone."""


@pytest.mark.parametrize(("name", "rows", "limits", "q", "b"), NO_EFFECT)
def test_motors_without_effect_on_any_row_are_as_gauss_would_have_them(
    name: str, rows: list[mc.Constraint], limits: tuple[float, ...], q: tuple[float, ...], b: tuple[float, ...]
) -> None:
    robot = mc.load(name)
    still, witness = np.zeros(robot.nv), Witness(robot, rows)
    dynamics = mc.constrained_dynamics(robot, rows, limits=limits)
    witness.place(np.array([q], float), still[None])
    for out in (dynamics(q, still, still, b), dynamics.run(q, still, still, b)):
        assert gauss_short_of_best(witness, out.tau_command[None], still[None], np.array(limits))[0] < 1e-6
        assert not any("not known to be the best" in note for note in out.notes)


@pytest.mark.parametrize("name", some(["planar3", "planar2"]))
def test_limits_at_neat_poses_are_the_best_there_is(name: str) -> None:
    """Quarter turns, where rows are out of reach and motors without effect on others."""
    robot = mc.load(name)
    rng, (inner, tip), joints = np.random.default_rng(9), robot.link_names[-2:], list(robot.joint_names)
    for rows in (
        [C(tip, "rz x")],
        [C(tip, "x"), C(inner, "x rz", level=2)],
        [C(inner, "y"), C(tip, "x", level=2), J(joints[:1], level=3)],
    ):
        witness = Witness(robot, rows)
        q, v, tau, b = random_states(robot, len(witness.levels), 40, seed=10)
        turns = rng.random(q.shape) < 0.8
        q = np.where(turns, np.round(q / (np.pi / 2)) * (np.pi / 2), q)
        v[::2], tau[::3] = 0.0, 0.0
        witness.place(q, v)
        limits = np.sqrt(np.median(np.einsum("sii->si", witness.M), axis=0) * witness.M.max())
        limits = limits * 10.0 ** rng.uniform(-2, 0, robot.nv)
        out = mc.constrained_dynamics(robot, rows, limits=limits).batch(q, v, tau, b)
        proven = out["steps"] < robot.nv * (1 + witness.levels.max()) + 3.5
        assert proven.mean() > 0.95
        assert short_of_best(witness, out["tau_command"], limits, b, levels=1)[proven].max() < 1e-5
        assert gauss_short_of_best(witness, out["tau_command"], tau, limits)[proven].max() < 1e-5
