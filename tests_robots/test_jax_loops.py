"""Loops in time as functions of JAX: the runs of the loop, and gradients through them."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import motionc as mc

jax.config.update("jax_enable_x64", True)

ROBOT, STEPS = mc.load("planar2"), 20
DYNAMICS = mc.forward_dynamics(ROBOT)
Q, V, TAU = DYNAMICS.inputs


def like(port: mc.Port, name: str) -> mc.Port:
    return mc.Port(name, port.shape, port.unit, port.meaning, port.space)


def law(q, v, target, push, shake, effort):
    return {"tau": 5.0 * (target - q) - v + push + 0.1 * shake, "effort": effort + (push * push).sum()}


def move(q, v, a):
    return {"q_next": q + 0.01 * (v + 0.01 * a), "v_next": v + 0.01 * a}


EFFORT = mc.State("effort", (), "1", "so far")
LAW = mc.block("law", law, [Q, V, like(Q, "target"), like(TAU, "push"), like(TAU, "shake"), EFFORT], [TAU])
MOVE = mc.block("move", move, [Q, V, DYNAMICS.outputs[0]], [like(Q, "q_next"), like(V, "v_next")])
FED = {"feedback": {"q": "q_next", "v": "v_next"}, "held": ["target"], "streamed": ["push"], "period": 0.01}


@pytest.fixture(scope="module")
def loop() -> Any:
    return mc.loop([LAW, DYNAMICS, MOVE], drawn={"shake": "normal"}, log={"q": 5}, **FED)


@pytest.fixture(scope="module")
def given() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = {"q": (3, 2), "v": (3, 2), "target": (3, 2), "push": (3, STEPS, 2)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def test_runs_are_the_loop_s_under_jit_and_vmap(loop, given) -> None:
    f, runs = loop.to_jax(steps=STEPS, seed=7), loop.batch(**given, steps=STEPS, seed=7)
    one = {name: array[1] for name, array in given.items()}
    for found, expected in (
        (f(**given), runs),
        (jax.jit(f)(**given), runs),
        (jax.vmap(lambda lane, x: f(lane=lane, **x))(jnp.arange(3), given), runs),
        (f(**one, effort=2.0), loop(**one, steps=STEPS, seed=7, effort=2.0)),
        (f(lane=1, **one), [run[1] for run in runs]),
    ):
        assert found._fields == ("q", "last_q", "v", "effort", "turns", "finite")
        for theirs, ours in zip(found, expected, strict=True):
            assert np.array_equal(theirs, ours)
    # as a function has it, lanes of vmap draw the same unless they are told apart
    same = jax.vmap(lambda x: f(**x))(given)
    assert np.array_equal(same.last_q[2], f(**{name: array[2] for name, array in given.items()}).last_q)
    assert not np.array_equal(same.last_q[2], runs.last_q[2])


def test_single_precision_and_no_lanes_at_all(loop, given) -> None:
    f = loop.to_jax(seconds=STEPS * 0.01)
    small = {name: jnp.asarray(array, jnp.float32) for name, array in given.items()}
    assert f(**small).q.dtype == jnp.float32
    assert np.allclose(f(**small).q, f(**given).q, atol=1e-5)
    assert f(**{name: array[:0] for name, array in given.items()}).q.shape == (0, 4, 2)


def test_gradients_are_those_of_differences_in_any_order(loop, given) -> None:
    f = loop.to_jax(steps=STEPS, seed=7)
    one = {name: array[0] for name, array in given.items()}

    def cost(x):
        run = f(**x)
        return jnp.sum(run.q[-1] ** 2) + jnp.sum(run.last_q * run.v) + run.effort

    check_grads(cost, (one,), 1, modes=["rev"], atol=1e-6, rtol=1e-6)
    one_by_one = [jax.grad(cost)({name: array[k] for name, array in given.items()}) for k in (0, 1, 2)]
    found = jax.vmap(jax.jit(jax.grad(cost)))(given)
    for name in given:
        assert np.allclose(found[name], [each[name] for each in one_by_one], rtol=1e-12)
    # one weight at a time: only these are batched
    jacobian = jax.jacrev(lambda x: f(**x, lane=1).last_q)(one)
    expected = loop.vjp("last_q", [*one])
    for k, unit in enumerate(np.eye(2)):
        bars = expected(**one, last_q_bar=unit, steps=STEPS, seed=7, lane=1)
        assert np.allclose(jacobian["target"][k], bars.target_bar, rtol=1e-12)


def test_what_does_not_fit_is_named(loop, given) -> None:
    f = loop.to_jax(steps=STEPS)
    for change, words in (
        ({"target": np.zeros(3)}, r"target has shape \(3,\); it must be \(2,\), states in front"),
        ({"push": np.zeros((3, 2, 2))}, r"push has shape \(3, 2, 2\); it must be \(20, 2\), states in front"),
        ({"aim": 1.0}, "takes no input 'aim'"),
        ({"v": np.zeros((2, 2))}, "the axes of states do not go together"),
    ):
        with pytest.raises(mc.Error, match=words):
            f(**given | change)
    with pytest.raises(mc.Error, match="input v is missing"):
        f(q=given["q"])
    with pytest.raises(mc.Error, match="either steps= or seconds="):
        loop.to_jax()
    with pytest.raises(mc.Error, match=r"a loop has loop\.to_jax\(steps=…\)"):
        mc.to_jax(loop)
