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


def port(name):
    return mc.Port(name, (), "1", "…")


PAIR = mc.block("pair", lambda p, r, h: {"o": np.sin(p) * h + 0.5 * r, "s": p * r}, map(port, "prh"), map(port, "os"))
LATER = mc.block("later", lambda p: {"was": p * p}, [port("p")], [port("was")])
PRODUCT = mc.block("product", lambda u, h: {"y": u * h}, map(port, "uh"), [port("y")])
ODD = {
    "a state logged under two names": (PAIR, {"feedback": {"p": "o", "r": "s"}, "log": {"p": 1, "o": 2}}),
    "another output logged under two names": (
        PAIR,
        {"feedback": {"p": "o"}, "held": ["r", "h"], "log": ["s", "pair.s"]},
    ),
    "an output that becomes two states": (PAIR, {"feedback": {"p": "o", "r": "o"}, "log": ["p", "r"]}),
    "a state read after its next value is there": (
        [PAIR, LATER],
        {"feedback": {"p": "o", "r": "s"}, "log": ["o", "was"]},
    ),
    "nothing carried on": (PRODUCT, {"streamed": ["u"], "log": {"y": 2}}),
}


@pytest.mark.parametrize("case", ODD)
def test_gradients_of_odd_loops_are_those_of_differences(case, monkeypatch):
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    parts, course = ODD[case]
    loop = mc.loop(parts, **{"held": ["h"]} | course)
    given, of = (
        {"h": 0.7, "p": 0.4, "r": -0.3, "u": np.array([0.1, 0.5, -0.2, 0.3])},
        [log.name for log in loop.loop.logs],
    )
    given = {one.name: given[one.name] for one in loop.inputs}
    weights = {name: np.cos(np.arange(len(row))) for name, row in loop(**given, steps=4).items() if name in of}

    def cost(**changed):
        run = loop(**given | changed, steps=4)
        return sum(run[name] @ weight for name, weight in weights.items())

    bars = {f"{name}_bar": weight for name, weight in weights.items()}
    found = loop.vjp(of, list(given))(**given, **bars, steps=4)
    for name, value in given.items():
        units = np.eye(np.size(value)).reshape(-1, *np.shape(value))
        expected = [(cost(**{name: value + 1e-6 * e}) - cost(**{name: value - 1e-6 * e})) / 2e-6 for e in units]
        np.testing.assert_allclose(np.ravel(found[f"{name}_bar"]), expected, rtol=1e-6, atol=1e-8, err_msg=name)


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
    named = mc.block("named", lambda x, x_bar: {"x_next": x * x_bar}, [*ports[0], port("x_bar")], ports[1])
    with pytest.raises(mc.Error, match="x_bar would be an input and the weights of x"):
        mc.loop(named, feedback={"x": "x_next"}, held=["x_bar"]).vjp("x", "x")
    with pytest.raises(mc.Error, match="leave until= out"):
        mc.loop(steady, feedback={"x": "x_next"}, until="x").vjp("x", "x")
    with pytest.raises(mc.Error, match="run every turn, and steady does not"):
        mc.loop(steady, feedback={"x": "x_next"}, rates={"steady": 2}).vjp("x", "x")
    grow = mc.block("grow", lambda x: {"x_next": x * x}, *ports)
    with pytest.raises(mc.Error, match="lane 0 does not stay finite"):
        mc.loop(grow, feedback={"x": "x_next"}).vjp("x", "x")(x=10.0, x_bar=1.0, steps=30)
