"""Computations as functions of JAX: values, both products, batches, and what jit, vmap and grad make of each other."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import motionc as mc
from all_joints import Kind, Moving

jax.config.update("jax_enable_x64", True)


@pytest.fixture(scope="module")
def pair() -> tuple[mc.Computation, np.ndarray]:
    forward = mc.forward_dynamics(mc.load("planar3"))
    return forward, np.random.default_rng(0).normal(size=(3, 5, 3))


def test_values_are_the_computation_s(pair: tuple[mc.Computation, np.ndarray]) -> None:
    forward, (Q, V, TAU) = pair
    f, all_states = mc.to_jax(forward), forward.batch(Q, V, TAU)
    assert np.array_equal(f(Q[0], V[0], TAU[0]), forward(Q[0], V[0], TAU[0]))
    assert np.array_equal(jax.jit(f)(Q, V, TAU), all_states)
    assert np.array_equal(jax.vmap(f)(Q, V, TAU), all_states)
    mixed = jax.vmap(f, in_axes=(0, None, 1), out_axes=1)(Q, V[0], TAU.T)
    assert np.array_equal(mixed, forward.batch(Q, V[0], TAU).T)
    assert jax.vmap(jax.vmap(f))(Q[None], V[None], TAU[None]).shape == (1, 5, 3)
    assert f(Q[:0], V[:0], TAU[:0]).shape == (0, 3)
    assert f(*(jnp.asarray(x, jnp.float32) for x in (Q, V, TAU))).dtype == jnp.float32


def test_both_modes_are_right_to_second_order(pair: tuple[mc.Computation, np.ndarray]) -> None:
    forward, (Q, V, TAU) = pair
    f = mc.to_jax(forward)
    check_grads(f, (Q[0], V[0], TAU[0]), 2, modes=["fwd", "rev"], atol=1e-3, rtol=1e-3)
    for mode in (jax.jacfwd, jax.jacrev):
        expected = forward.derivative("a", "q")(Q[0], V[0], TAU[0])
        assert np.allclose(mode(f)(Q[0], V[0], TAU[0]), expected, rtol=1e-12, atol=1e-12)


def test_grad_jit_and_vmap_go_in_any_order(pair: tuple[mc.Computation, np.ndarray]) -> None:
    forward, (Q, V, TAU) = pair
    f = mc.to_jax(forward)

    def effort(q: jax.Array) -> jax.Array:
        return jnp.sum(f(q, V[0], TAU[0]) ** 2)

    one_by_one = np.array([jax.grad(effort)(q) for q in Q])
    for found in (
        jax.jit(jax.vmap(jax.grad(effort)))(Q),
        jax.vmap(jax.jit(jax.grad(effort)))(Q),
        jax.grad(lambda Q: jnp.sum(jax.vmap(effort)(Q)))(Q),
        jax.jit(jax.grad(effort))(Q),
    ):
        assert np.allclose(found, one_by_one, rtol=1e-12)


def test_quaternions_have_gradients_of_four_entries() -> None:
    """None along themselves; by the rates of q they become those per unit of v."""
    x = Moving(3, [Kind.FLOATING, Kind.SPHERICAL, Kind.PLANAR], mimic=False)
    energy = mc.energy(x.robot)
    gradient = jax.grad(lambda q: mc.to_jax(energy)(q, x.v).potential)(x.q)
    rates = np.array([x.robot.rates(x.q, unit) for unit in np.eye(x.robot.nv)]).T
    assert np.allclose(gradient @ rates, mc.gravity_forces(x.robot).run(x.q), atol=1e-10)
    ball = x.robot.q_index["to_link2"]
    assert abs(gradient[ball] @ x.q[ball]) < 1e-12


def test_reports_have_no_gradient_and_the_rest_does() -> None:
    robot = mc.load("planar3")
    asked = mc.constrained_dynamics(robot, [mc.Constraint(robot.link_names[-1], "x")])
    f, (q, v, tau) = mc.to_jax(asked), np.random.default_rng(0).normal(size=(3, 3))
    assert np.all(jax.grad(lambda q: f(q, v, tau, np.ones(1)).conditioning)(q) == 0)
    check_grads(lambda *x: f(*x).a, (q, v, tau, np.ones(1)), 1, modes=["fwd", "rev"], atol=1e-5, rtol=1e-5)


def test_what_does_not_fit_is_named(pair: tuple[mc.Computation, np.ndarray]) -> None:
    f, x = mc.to_jax(pair[0]), np.zeros(3)
    for given, words in (
        ((x, x), "takes 3 inputs"),
        ((x, x, np.zeros(4)), r"tau has shape \(4,\); it must be \(3,\), states in front"),
        ((np.zeros((2, 3)), np.zeros((5, 3)), x), "the axes of states do not go together"),
    ):
        with pytest.raises(mc.Error, match=words):
            f(*given)
    with pytest.raises(mc.Error, match="to_jax takes a computation"):
        mc.to_jax("forward_dynamics")


def test_a_floating_robot_rolls_out_inside_scan_and_has_gradients() -> None:
    """A loop of one's own in lax.scan: the numbers of a loop in Python, and gradients through it."""
    robot, dt = Moving(3, [Kind.REVOLUTE, Kind.SPHERICAL], mimic=False).robot, 0.01
    assert robot.nq > robot.nv
    motion, step, rng = mc.forward_dynamics(robot), mc.integrate(robot), np.random.default_rng(0)
    f, g = mc.to_jax(motion), mc.to_jax(step)
    q0, v0, TAU = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=(5, robot.nv))

    def advance(state: tuple[jax.Array, jax.Array], tau: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
        q, v = state
        v = v + dt * f(q, v, tau)
        return (g(q, v, dt), v), None

    @jax.jit
    def rolled(v: jax.Array) -> jax.Array:
        (q, _), _ = jax.lax.scan(advance, (jnp.asarray(q0), v), TAU)
        return q

    q, v = q0, v0
    for tau in TAU:
        v = v + dt * motion(q, v, tau)
        q = robot.integrate(q, v, dt)
    assert np.allclose(rolled(v0), q, rtol=1e-12, atol=1e-12)
    assert np.allclose(jax.vmap(rolled)(jnp.array([v0, v0]))[1], q, rtol=1e-12, atol=1e-12)
    check_grads(rolled, (v0,), 1, modes=["fwd", "rev"], atol=1e-5, rtol=1e-5)
