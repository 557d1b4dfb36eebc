"""Gradients through runs of loops, against differences."""

import numpy as np
import pytest

import motionc as mc

ROBOT = mc.load("planar2")
DYNAMICS = mc.forward_dynamics(ROBOT)
Q, V, TAU = DYNAMICS.inputs


def like(port, name):
    return mc.Port(name, port.shape, port.unit, port.meaning, port.space)


def law(q, v, target, push, shake, effort):
    return {"tau": 5.0 * (target - q) - v + push + 0.1 * shake, "effort": effort + (push * push).sum()}


LAW = mc.block(
    "law",
    law,
    [Q, V, like(Q, "target"), like(TAU, "push"), like(TAU, "shake"), mc.State("effort", (), "1", "so far")],
    [TAU],
)


def move(q, v, a):
    return {"q_next": q + 0.01 * (v + 0.01 * a), "v_next": v + 0.01 * a}


MOVE = mc.block("move", move, [Q, V, DYNAMICS.outputs[0]], [like(Q, "q_next"), like(V, "v_next")])
LOOP = mc.loop(
    [LAW, DYNAMICS, MOVE],
    feedback={"q": "q_next", "v": "v_next"},
    held=["target"],
    streamed=["push"],
    drawn={"shake": "normal"},
    log={"q": 10, "tau": 25},
    period=0.01,
)


def test_gradients_of_a_roll_out_of_a_hundred_turns_are_those_of_differences():
    steps, rng = 100, np.random.default_rng(1)
    given = {"q": rng.normal(size=2), "v": rng.normal(size=2), "target": rng.normal(size=2)}
    given["push"] = rng.normal(size=(steps, 2))
    shapes = {"q": (10, 2), "tau": (4, 2), "last_q": (2,), "v": (2,), "effort": ()}
    bars = {name: rng.normal(size=shape) for name, shape in shapes.items()}

    def cost(**change):
        run = LOOP(**given | change, steps=steps, seed=4)
        return sum(np.sum(run[name] * bar) for name, bar in bars.items())

    gradient = LOOP.vjp([*bars], [*given])
    weights = {f"{name}_bar": bar for name, bar in bars.items()}
    found = gradient(**given, **weights, steps=steps, seed=4)
    for name, value in given.items():
        direction = rng.normal(size=value.shape)
        ahead, behind = (cost(**{name: value + h * direction}) for h in (1e-6, -1e-6))
        expected = (ahead - behind) / 2e-6
        assert np.sum(found[f"{name}_bar"] * direction) == pytest.approx(expected, rel=1e-6)
    # many lanes have the gradient of each
    many = {name: np.stack([value, 0.9 * value]) for name, value in given.items()}
    both = gradient.batch(**many, **weights, steps=steps, seed=4)
    np.testing.assert_allclose(both.push_bar[0], found.push_bar, rtol=1e-12)


def test_what_has_no_gradient_is_told():
    ports = [mc.Port("x", (), "1", "…")], [mc.Port("x_next", (), "1", "…")]
    steady = mc.block("steady", lambda x: {"x_next": 0.5 * x}, *ports)
    plain = mc.loop(steady, feedback={"x": "x_next"})
    assert plain.vjp("x", "x")(x=1.0, x_bar=1.0, steps=3) == 0.125
    for of, wrt, sentence in [
        ("y", "x", "of: nothing is called 'y'"),
        ("x", "y", "wrt: nothing is called 'y'"),
        ([], "x", "name at least one"),
        ("x", ["x", "x"], "each once"),
    ]:
        with pytest.raises(mc.Error, match=sentence):
            plain.vjp(of, wrt)
    with pytest.raises(mc.Error, match="x_bar is missing"):
        plain.vjp("x", "x")(x=1.0, steps=3)
    with pytest.raises(mc.Error, match=r"x_bar has shape \(2, 2\)"):
        plain.vjp("x", "x")(x=1.0, x_bar=np.eye(2), steps=3)
    with pytest.raises(mc.Error, match="leave until= out"):
        mc.loop(steady, feedback={"x": "x_next"}, until="x").vjp("x", "x")
    with pytest.raises(mc.Error, match="run every turn, and steady does not"):
        mc.loop(steady, feedback={"x": "x_next"}, rates={"steady": 2}).vjp("x", "x")
    grow = mc.block("grow", lambda x: {"x_next": x * x}, *ports)
    with pytest.raises(mc.Error, match="lane 0 does not stay finite"):
        mc.loop(grow, feedback={"x": "x_next"}).vjp("x", "x")(x=10.0, x_bar=1.0, steps=30)
