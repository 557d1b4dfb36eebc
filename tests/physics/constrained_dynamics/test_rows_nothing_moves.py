"""Rows that no joint moves whatever the state, as a planar arm has them: against hierarchical least squares, SciPy."""

import numpy as np
import pytest
from scipy.linalg import lstsq

import motionc as mc
from hierarchy import Witness, random_states
from trials import trials

C, J = mc.Constraint, mc.JointConstraint
SIX = "rx ry rz x y z"
STATES = trials(240)


ASKED = {
    "one level": (C("tip", SIX), J(["joint_1"], level=2)),
    "weighted": (C("tip", SIX, weight=3.0), C("tip", "rz", weight=0.5), J(["joint_1", "joint_3"], weight=2.0)),
    "a level that is not moved at all": (C("tip", "rx z"), C("tip", "x y ry", level=2), J(["joint_2"], level=3)),
    "levels out of order": (
        J(["joint_2", "joint_3"], level=3),
        C("tip", "z x", level=2, weight=4.0),
        C("tip", "ry y rz"),
    ),
}


@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_of_them_is_of_no_consequence(name: str, *, least: bool) -> None:
    witness = Witness(mc.load("planar4"), ASKED[name])
    outputs = ("a", "rank", "multipliers", "residual") if least else ("a", "rank")
    dynamics = mc.constrained_dynamics(witness.robot, witness.constraints, outputs=outputs)
    q, v, tau, b = random_states(witness.robot, len(witness.levels), STATES, seed=3)
    witness.place(q, v)
    a, answer = witness.motion(tau, b)
    out = dynamics.batch(q, v, tau, b)
    clear = answer.clear(1e-11)
    assert np.mean(clear) > 0.98
    assert np.array_equal(out["rank"][clear], answer.ranks.sum(axis=1)[clear])
    error = np.abs(out["a"] - a).max(axis=1) / np.maximum(1.0, np.abs(a).max(axis=1))
    assert np.all((error * answer.share)[clear] < 1e-12)
    for one in range(3):
        called = dynamics(q[one], v[one], tau[one], b[one])
        read = dynamics.run(q[one], v[one], tau[one], b[one])
        assert np.allclose(np.asarray(called["a"]), out["a"][one], rtol=1e-9, atol=1e-9)
        assert np.allclose(np.asarray(read["a"]), out["a"][one], rtol=1e-9, atol=1e-9)
    if least:
        still = ~np.any(np.abs(witness.J) > 1e-12, axis=(0, 2))
        assert still.any()
        assert not np.asarray(out["multipliers"])[:, still].any()


@pytest.mark.parametrize("weights", [None, (1.0, 5.0, 0.3, 2.0, 0.7, 4.0)])
def test_rates_come_as_near_as_they_can(weights: tuple[float, ...] | None) -> None:
    robot = mc.load("planar4")
    resolved = mc.inverse_velocity(robot, "tip", **({"row_weights": weights} if weights else {}))
    random, jacobian = np.random.default_rng(4), mc.jacobian(robot, "tip")
    w = np.asarray(weights or np.ones(6))
    for q in robot.random(5, size=STATES):
        wanted = random.normal(size=6)
        best, *_ = lstsq(w[:, None] * jacobian(q), w * wanted, cond=1e-9)
        assert np.allclose(resolved(q, wanted), best, rtol=1e-7, atol=1e-7)


def test_blows_along_them_do_nothing() -> None:
    robot = mc.load("planar4")
    blow = mc.impact(robot, [C("tip", SIX, source="contact")])
    plane = mc.impact(robot, [C("tip", "rz x y", source="contact")])
    random = np.random.default_rng(6)
    for q in robot.random(7, size=STATES // 4):
        v = random.normal(size=4)
        both = [each(q, v) for each in (blow, plane)]
        assert np.allclose(both[0]["v_after"], both[1]["v_after"], rtol=1e-9, atol=1e-9)
        assert not np.asarray(both[0]["impulse"])[[0, 1, 5]].any()


def test_rows_of_which_none_is_moved_ask_nothing() -> None:
    robot = mc.load("planar4")
    held = mc.constrained_dynamics(robot, [C("tip", "rx z")])
    free, random = mc.forward_dynamics(robot), np.random.default_rng(8)
    for q in robot.random(9, size=4):
        v, tau = random.normal(size=(2, 4))
        out = held(q, v, tau, random.normal(size=2))
        assert (out.rank, out.conditioning) == (0, 1)
        assert not out.multipliers.any()
        assert np.allclose(out.a, free(q, v, tau), rtol=1e-9, atol=1e-9)
