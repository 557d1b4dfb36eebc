"""What robots answer about their states: many at once, in any shape, refused in a sentence, drawn within all limits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import motionc as mc
from all_joints import Kind, build, random_tree
from motionc.model import manifold, state_space
from motionc.model.state_space import Numeric
from oracle import Array, error, load
from tiers import needs_compiler

BALL = build(random_tree(0, [Kind.REVOLUTE, Kind.SPHERICAL, Kind.PLANAR]), mimic="independent")
ZERO = "a quaternion of length zero is no rotation"


def without_turn() -> Array:
    q = BALL.neutral()
    q[1:5] = 0.0
    return q


@pytest.mark.parametrize(
    "call",
    [
        lambda q: BALL.integrate(q, np.zeros(BALL.nv), 0.1),
        lambda q: BALL.integrate(np.array([BALL.neutral(), q]), np.zeros(BALL.nv)),
        lambda q: BALL.rates(q, np.zeros(BALL.nv)),
        lambda q: BALL.difference(q, BALL.neutral()),
        lambda q: BALL.difference(BALL.neutral(), q),
        lambda q: BALL.interpolate(q, BALL.neutral(), 0.5),
        lambda q: BALL.configuration(q),
    ],
)
def test_a_zero_quaternion_is_refused_by_every_call(call: Callable[[Array], Any]) -> None:
    for _ in range(2):  # compiled functions take over after the first
        with pytest.raises(mc.Error, match=f"joint to_link2: {ZERO}"):
            call(without_turn())


@pytest.mark.parametrize("length", [1e160, 1e149, 1e-149, 1e-161])
def test_quaternions_whose_squares_do_not_fit_are_refused_by_the_first_call_and_all_others(length: float) -> None:
    q, q0, v = BALL.neutral(), BALL.neutral(), np.zeros(BALL.nv)
    q[1:5] = length, 0, 0, length
    for _ in range(2):
        for call in (
            lambda: BALL.integrate(q, v, 0.1),
            lambda: BALL.integrate(list(q), v, dt=0.1),
            lambda: BALL.difference(q, q),
            lambda: BALL.difference(q0, q),
            lambda: BALL.interpolate(q, q0, 0.5),
        ):
            with pytest.raises(mc.Error, match="joint to_link2: a quaternion"):
                call()


def test_quaternions_of_any_other_length_turn_as_those_of_length_one() -> None:
    """Against SciPy."""
    rng, v = np.random.default_rng(0), np.zeros(BALL.nv)
    q, q0, turns = BALL.neutral(), BALL.neutral(), Rotation.random(2, random_state=3)
    q[1:5], q0[1:5] = 1e74 * turns[0].as_quat(scalar_first=True), 1e-74 * turns[1].as_quat(scalar_first=True)
    v[1:4] = rng.normal(size=3)
    for _ in range(2):
        found = BALL.integrate(q, v, 0.3)[1:5]
        assert abs(np.linalg.norm(found) - 1) < 1e-15
        moved = turns[0] * Rotation.from_rotvec(0.3 * v[1:4])
        assert (Rotation.from_quat(found, scalar_first=True).inv() * moved).magnitude() < 1e-14
        for start, end, (one, other) in ((q0, q, (1, 0)), (q, q, (0, 0)), (q0, q0, (1, 1))):
            way = (turns[one].inv() * turns[other]).as_rotvec()
            assert error(BALL.difference(start, end)[1:4], way) < 1e-13


def test_computations_answer_a_zero_quaternion_with_what_is_no_number() -> None:
    q, v = without_turn(), np.ones(BALL.nv)
    with np.errstate(all="ignore"):
        for answer in (mc.integrate(BALL)(q, v, 1.0), mc.integrate(BALL).run(q, v, 1.0)):
            assert np.isnan(answer[1:5]).all()
        assert np.isnan(mc.difference(BALL)(q, BALL.neutral())[1:4]).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda r: r.integrate(r.neutral(), [np.nan] * r.nv), "finite numbers, or rows of so many"),
        (lambda r: r.integrate(r.neutral(), np.zeros(r.nv), "soon"), "dt='soon'; give a finite time in s"),
        (lambda r: r.integrate(r.neutral(), np.zeros(r.nv), np.inf), "dt=inf; give a finite time in s"),
        (lambda r: r.interpolate(r.neutral(), r.neutral(), np.nan), "share=nan; give 0 for q0, 1 for q1"),
        (lambda r: r.integrate(np.array([r.neutral()] * 2), np.zeros((3, r.nv))), "do not go together: (2,), (3,)"),
        (lambda r: r.difference(r.neutral(), 3), "q1 has shape ()"),
    ],
)
def test_what_is_wrong_is_a_sentence_before_and_after_the_first_call(
    call: Callable[[mc.Robot], Any], said: str
) -> None:
    for _ in range(2):
        with pytest.raises(mc.Error) as refusal:
            call(BALL)
        assert said in str(refusal.value)


def test_axes_of_states_stand_in_front_of_anything() -> None:
    rng = np.random.default_rng(0)
    Q, V, times = BALL.random(rng, size=(2, 3)), rng.normal(size=(3, BALL.nv)), np.array([[0.1], [0.5]])
    found = BALL.integrate(Q, V, times)
    for i, j in np.ndindex(2, 3):
        assert error(found[i, j], BALL.integrate(Q[i, j], V[j], float(times[i, 0]))) < 1e-14
    assert error(BALL.rates(Q, V)[1, 2], BALL.rates(Q[1, 2], V[2])) == 0
    assert BALL.difference(Q[0, 0], Q).shape == (2, 3, BALL.nv)
    assert BALL.interpolate(Q[0, 0], Q[0, 1], np.linspace(0, 1, 7)).shape == (7, BALL.nq)
    assert BALL.integrate(Q[:, :0], V[:0]).shape == (2, 0, BALL.nq)
    assert np.array_equal(BALL.integrate(q=Q[0, 0], v=V[0], dt=1.0), BALL.integrate(Q[0, 0], V[0]))


@pytest.mark.parametrize("tier", [pytest.param("compiled", marks=needs_compiler), "interpreted"])
def test_every_tier_moves_alike(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    q, v = BALL.random(rng), rng.normal(size=BALL.nv)
    want = manifold.integrate(BALL.spaces(), q, v, 0.3)
    assert error(BALL.integrate(q, v, 0.3), want) < 1e-14
    monkeypatch.setenv("MOTIONC_TIER", tier)
    other = build(random_tree(0, [Kind.REVOLUTE, Kind.SPHERICAL, Kind.PLANAR]), mimic="independent")
    for _ in range(2):
        assert error(other.integrate(q, v, 0.3), want) < 1e-14
        with pytest.raises(mc.Error, match=ZERO):
            other.integrate(without_turn(), v, 0.3)


def test_a_robot_moves_on_numbers_where_no_computation_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_space, "_answers", [Numeric])
    free, rng = mc.load("planar2", floating=True), np.random.default_rng(2)
    (q0, q1), v = free.random(rng, size=2), rng.normal(size=free.nv)
    for _ in range(2):
        assert error(free.integrate(q0, v, 0.3), mc.integrate(free).run(q0, v, 0.3)) < 1e-15
        assert error(free.difference(q0, q1), mc.difference(free).run(q0, q1)) < 1e-15
        assert error(free.interpolate(q0, q1, 0.3), mc.interpolate(free).run(q0, q1, 0.3)) < 1e-15
    assert free.integrate(np.array([q0, q1]), v).shape == (2, free.nq)


# ---------------------------------------------------------------- at random


def test_many_at_random_are_as_one_and_the_first_is_as_ever() -> None:
    """The stream of one configuration is that of every release; many are drawn joint by joint."""
    hyq = load("hyq_no_sensors")
    rng, turn = np.random.default_rng(7), np.random.default_rng(7)
    quaternion, place = turn.normal(size=4), turn.uniform(-1, 1, 3)
    one = hyq.random(rng)
    assert error(one[:7], np.append(place, quaternion / np.linalg.norm(quaternion))) == 0
    many = hyq.random(7, size=(50, 40))
    lower, upper = (hyq.limits.lower[6:], hyq.limits.upper[6:])
    assert many.shape == (50, 40, hyq.nq)
    assert error(np.linalg.norm(many[..., 3:7], axis=-1), np.ones((50, 40))) < 1e-15
    assert ((many[..., 7:] >= lower) & (many[..., 7:] <= upper)).all()
    spread = (many[..., 7:].reshape(-1, 12) - lower) / (upper - lower)
    assert np.abs(spread.mean(axis=0) - 0.5).max() < 0.03
    assert np.abs(np.cov(spread.T) - np.eye(12) / 12).max() < 0.012


def test_followers_stay_within_their_limits_at_random() -> None:
    pieces = random_tree(0, [Kind.REVOLUTE, Kind.REVOLUTE])
    lead, follow = (piece.joint for piece in pieces[1:])
    lead.pop("mimic", None)
    lead["limits"] = mc.Limits(-2.0, 2.0, 1.0, 1.0)
    follow |= {"limits": mc.Limits(-0.5, 0.1, 1.0, 1.0), "mimic": mc.Mimic("to_link1", -0.5, 0.2)}
    drawn = build(pieces).random(0, size=500)[:, 0]
    assert drawn.min() >= 0.2  # 0.2 - q/2 is at most 0.1
    assert 1.3 < drawn.max() <= 1.4  # and at least -0.5
    follow["limits"] = mc.Limits(5.0, 6.0, 1.0, 1.0)
    with pytest.raises(mc.Error, match=r"to_link2 follows to_link1 as .*, and nowhere are both"):
        build(pieces).random(0)


def test_joints_with_endless_limits_in_words_of_numbers_are_drawn() -> None:
    arm = mc.from_dh([{"a": 0.1, "lower": -1e308, "upper": 1e308}] * 2)
    drawn = arm.random(0, size=100)
    assert np.isfinite(drawn).all()
    assert np.abs(drawn).max() > 1e307


def test_a_follower_that_stands_still_outside_its_limits_is_refused_as_any_other() -> None:
    pieces = random_tree(0, [Kind.REVOLUTE, Kind.REVOLUTE])
    lead, follow = (piece.joint for piece in pieces[1:])
    lead.pop("mimic", None)
    for offset, fits in ((0.05, True), (0.3, False)):
        follow |= {"limits": mc.Limits(-0.5, 0.1, 1.0, 1.0), "mimic": mc.Mimic("to_link1", 0.0, offset)}
        if fits:
            build(pieces).random(0)
            continue
        with pytest.raises(mc.Error, match=r"to_link2 follows to_link1 as .*, and nowhere are both"):
            build(pieces).random(0)
