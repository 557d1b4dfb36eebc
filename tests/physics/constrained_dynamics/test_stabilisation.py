"""Constraints over time: they hold where accelerations alone would drift (setup 1 of specs/motion-stack.md §3, X5).

Two links of 0.4 m with 0.3 kg at their ends and rotors of 0.01 kg m², gravity in the plane. Tip and tip rate are closed
forms; h = tip - target, and b = -2 α ḣ - β² h - η ∫h (4.5, 4.6).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm

import motionc as mc
from oracle import Array
from rows import row
from trials import some

DOWN = (0.0, -9.81, 0.0)
BENT = np.array([2.0, 1.2])
STILL = np.zeros(2)


@cache
def setup() -> mc.Robot:
    chain = mc.load("planar2").chain
    geared = mc.Transmission(rotor_inertia=0.01)
    joints = (
        replace(joint, transmission=geared) if joint.type is not mc.JointType.FIXED else joint for joint in chain.joints
    )
    return mc.Robot(mc.KinematicChain("setup_1", tuple(joints), chain.base))


@cache
def held(rows: str) -> mc.Computation:
    return mc.constrained_dynamics(setup(), [mc.Constraint("tip", rows)], gravity=DOWN)


def tip(q: Array) -> Array:
    return 0.4 * np.array([-np.sin([q[0], q[0] + q[1]]).sum(), np.cos([q[0], q[0] + q[1]]).sum()])


def tip_rate(q: Array, v: Array) -> Array:
    angles = np.array([q[0], q[0] + q[1]])
    return -0.4 * np.array([np.cos(angles), np.sin(angles)]) @ [v[0], v[0] + v[1]]


def integrated(x: Array, rate: Callable[[Array], Array], seconds: float, dt: float = 5e-3) -> Array:
    """All states of a motion, by Runge and Kutta's fourth order."""
    states = [x]
    for _ in range(round(seconds / dt)):
        k1 = rate(x)
        k2 = rate(x + dt / 2 * k1)
        k3 = rate(x + dt / 2 * k2)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + dt * k3))
        states.append(x)
    return np.array(states)


def roughly_integrated(x: Array, rate: Callable[[Array], Array], seconds: float, dt: float = 1e-3) -> Array:
    """The same by Euler, as the setup was first run."""
    states = [x]
    for _ in range(round(seconds / dt)):
        x = x + dt * rate(x)
        states.append(x)
    return np.array(states)


def moved(rows: str, law: Callable[[Array, Array], Array], q: Array, v: Array, seconds: float, by=integrated) -> Array:
    """The robot under b = law(h, ḣ), h being what the tip is off where it would be in the pose BENT."""
    asked = [["x", "y"].index(token) for token in rows.split()]

    def rate(x: Array) -> Array:
        h, h_rate = (tip(x[:2]) - tip(BENT))[asked], tip_rate(x[:2], x[2:])[asked]
        return np.concatenate([x[2:], held(rows)(x[:2], x[2:], STILL, law(h, h_rate)).a])

    return by(np.concatenate([q, v]), rate, seconds)


def off(states: Array) -> Array:
    return np.array([tip(x[:2]) - tip(BENT) for x in states])


def stabilised(alpha: float, beta: float) -> Callable[[Array, Array], Array]:
    return lambda h, h_rate: -2 * alpha * h_rate - beta**2 * h


def nothing(h: Array, _: Array) -> Array:
    return 0 * h


# ---------------------------------------------------------------- gravity


@row("motion-stack", 27)
def test_a_tip_told_not_to_accelerate_stays_where_it_is_and_the_motors_carry_the_weight() -> None:
    """b is the true acceleration: 0 is to stay, whatever pulls."""
    strays = np.abs(off(moved("x y", stabilised(10, 10), BENT, STILL, 5.0)))
    assert strays.max() < 1e-9
    q = BENT
    weight = -9.81 * 0.3 * 0.4 * np.array([2 * np.sin(q[0]) + np.sin(q.sum()), np.sin(q.sum())])
    assert np.allclose(held("x y")(q, STILL, STILL, [0, 0]).tau_command, weight, rtol=0, atol=1e-12)


@row("motion-stack", 27)
def test_a_tip_told_not_to_accelerate_against_free_fall_falls() -> None:
    """The naive b = 0 of (3.23) with gravity as an acceleration of the base (E4): asked of us, it is b = g."""
    states = moved("x y", lambda h, _: np.array(DOWN[:2]), BENT, STILL, 0.1)
    time = np.linspace(0, 0.1, len(states))
    fallen = np.outer(time**2 / 2, DOWN[:2])
    assert np.abs(off(states) - fallen).max() < 1e-8


# ---------------------------------------------------------------- drift and decay


@row("motion-stack", 35)
def test_without_stabilisation_the_tip_drifts_and_with_it_it_does_not() -> None:
    """x is held, y free to swing, and integration makes its errors."""
    along = lever(BENT)[0]
    kick = np.array([along[1], -along[0]])
    free, kept = (
        np.abs(off(moved("x", law, BENT, kick, 5.0, roughly_integrated))[:, 0]) for law in (nothing, stabilised(20, 20))
    )
    seconds = [free[second * 1000] for second in range(6)]
    assert np.all(np.diff(seconds) > 0)
    assert seconds[-1] > 1e-2
    assert kept.max() < 1e-3


def lever(q: Array) -> Array:
    """∂(tip)/∂q."""
    return np.array([tip_rate(q, unit) for unit in np.eye(2)]).T


@row("motion-stack", 35)
@pytest.mark.parametrize(("alpha", "beta"), some([(3.0, 10.0), (5.0, 5.0), (10.0, 8.0)]))
@pytest.mark.parametrize("rows", ["x", "x y"])
def test_an_error_decays_as_alpha_and_beta_say(rows: str, alpha: float, beta: float) -> None:
    """ḧ + 2 α ḣ + β² h = 0, row by row: critically damped, oscillating, and creeping."""
    start, v = BENT + np.array([0.03, -0.05]), np.array([0.2, 0.1])
    states = moved(rows, stabilised(alpha, beta), start, v, 1.0)
    flow = np.array([expm(t * np.array([[0, 1], [-(beta**2), -2 * alpha]])) for t in np.linspace(0, 1.0, len(states))])
    for axis in range(len(rows.split())):
        h = flow @ [off(states[:1])[0, axis], tip_rate(start, v)[axis]]
        assert np.abs(off(states)[:, axis] - h[:, 0]).max() < 1e-7
        assert np.abs(off(states)[0, axis]) > 1e-3
    assert np.abs(off(states)[-1, : len(rows.split())]).max() < 2e-3


# ---------------------------------------------------------------- what the model does not know


@row("motion-stack", 35)
@pytest.mark.parametrize("eta", [0.0, 300.0])
def test_an_integral_removes_what_a_constant_push_leaves(eta: float) -> None:
    """The plant is pushed, the controller's model is not: h ends at Λ f / β², or at zero with ∫h fed back."""
    alpha, beta, push = 10.0, 10.0, np.array([0, 0, 0, 0.4, -0.3, 0])
    plant = mc.forward_dynamics(setup(), external_forces=[mc.Force("tip", as_seen_by="world")], gravity=DOWN)
    command = mc.constrained_dynamics(setup(), [mc.Constraint("tip", "x y")], gravity=DOWN, outputs=["tau_command"])

    def rate(x: Array) -> Array:
        q, v, total = np.split(x, 3)
        h = tip(q) - tip(BENT)
        tau = command(q, v, STILL, -2 * alpha * tip_rate(q, v) - beta**2 * h - eta * total)
        return np.concatenate([v, plant(q, v, tau, [push]), h])

    end = integrated(np.concatenate([BENT, STILL, STILL]), rate, 5.0)[-1]
    M = mc.mass_matrix(setup()).run(end[:2])
    left = lever(end[:2]) @ np.linalg.solve(M, lever(end[:2]).T) @ push[3:5] / beta**2
    assert np.abs(left).max() > 5e-3
    assert np.abs(off(end[None])[0] - (0 if eta else left)).max() < 1e-6
    assert np.abs(end[2:4]).max() < 1e-5
