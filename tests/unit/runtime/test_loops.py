"""Loops in time: the same turns in C, lanes, Python and on a GPU; who ends when; who is given what."""

import pickle
import sys

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp

import motionc as mc
from cuda_on_cpu import CXX
from fake_cupy import Fake
from motionc.program import noise
from motionc.runtime.stepping import Stepping

NUMBER = {"shape": (), "unit": "1", "meaning": "a number"}
PAIR = NUMBER | {"shape": (2,)}


def port(name, **about):
    return mc.Port(name, **NUMBER | about)


def plant(x, u, push, kick, gain):
    x_next = 0.9 * x + gain * u + push + 0.01 * kick
    size = x_next[0] * x_next[0]
    return {"x_next": x_next, "done": (size > 9.0) * (size < 1e6), "seen": x_next[0] + x_next[1]}


def control(x, time, count):
    return {"u": np.array([-0.1 * x[0], time]), "count": count + 1.0}


PLANT = mc.block(
    "plant",
    plant,
    [*(port(name, **PAIR) for name in ("x", "u", "push", "kick")), port("gain")],
    [port("x_next", **PAIR), port("done"), port("seen")],
)
CONTROL = mc.block(
    "control",
    control,
    [port("x", **PAIR), port("time", unit="s"), mc.State("count", (), "1", "runs", 5.0)],
    [port("u", **PAIR)],
)
LOOP = mc.loop(
    [CONTROL, PLANT],
    feedback={"x": "x_next"},
    held=["gain"],
    streamed=["push"],
    drawn={"kick": "normal"},
    clock="time",
    rates={"control": 3},
    log={"x": 2, "seen": 1, "u": 5},
    until="done",
    period=0.01,
)
STEPS, LANES = 23, 11
RNG = np.random.default_rng(3)
GIVEN = {
    "x": RNG.normal(size=(LANES, 2)),
    "gain": RNG.uniform(0.5, 1.0, LANES),
    "push": 0.05 * RNG.normal(size=(LANES, STEPS, 2)),
}
GIVEN["x"][4] = [1e100, 0.0]  # far beyond where it ends
GIVEN["push"][7, 9] = np.nan
GIVEN["push"][2, 5] = 4.0


def by_hand(n, seed=8):
    """The same loop written out in NumPy."""
    x, gain, push, count, u = GIVEN["x"][n].copy(), GIVEN["gain"][n], GIVEN["push"][n], 5.0, np.zeros(2)
    rows, seen, us, turns, finite = [], [], [], STEPS, True
    for k in range(STEPS):
        if k < turns:
            if k % 3 == 0:
                u, count = np.array([-0.1 * x[0], 0.01 * k]), count + 1
            kick = noise.draw("normal", seed, n, k, 0, 2)
            x = 0.9 * x + gain * u + push[k] + 0.01 * kick
            now = x.sum()
            if not np.all(np.isfinite(x)):
                turns, finite = k + 1, False
            elif 9.0 < x[0] ** 2 < 1e6:
                turns = k + 1
        seen.append(now)
        rows += [x] if k % 2 else []
        us += [u] if k % 5 == 4 else []
    return {"x": rows, "seen": seen, "u": us, "last_x": x, "count": count, "turns": turns, "finite": finite}


def agree(run, n, lanes=True, off=1e-13):
    expected = by_hand(n)
    for name, value in expected.items():
        found = run[name][n] if lanes else run[name]
        np.testing.assert_allclose(found, value, rtol=off, atol=off, err_msg=f"{name} of lane {n}")


def test_lanes_are_what_the_equations_say_each_ending_alone():
    run = LOOP.batch(**GIVEN, steps=STEPS, seed=8)
    assert run.x.shape == (LANES, STEPS // 2, 2)
    np.testing.assert_allclose(run.times["u"], 0.01 * np.arange(5, STEPS + 1, 5))
    with pytest.raises(mc.Error, match=r"run.times has those of each log"):
        _ = run.time
    assert run.turns[2] == 6
    assert (run.turns[7], run.finite[7], run.finite[2]) == (10, False, True)
    for n in range(LANES):
        agree(run, n)


def test_one_lane_is_that_lane_of_many():
    for n in (0, 2, 7):
        one = LOOP(**{name: value[n] for name, value in GIVEN.items()}, steps=STEPS, seed=8, lane=n)
        agree(one, n, lanes=False)
    np.testing.assert_allclose(one.state.count, one.count)


@pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
def test_one_start_for_all_lanes_is_that_of_each():
    each = LOOP.batch(**GIVEN | {"x": np.tile([0.3, -0.2], (LANES, 1))}, steps=STEPS)
    for one, other in zip(LOOP.batch(**GIVEN | {"x": [0.3, -0.2]}, steps=STEPS), each, strict=True):
        assert np.array_equal(one, other, equal_nan=True)


def test_a_gpu_has_the_same_lanes(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", Fake())
    run = LOOP.on("cuda")(**GIVEN, steps=STEPS, seed=8)
    for n in range(LANES):
        agree(run, n)


def test_without_a_compiler_it_is_the_same(monkeypatch):
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    loop = pickle.loads(pickle.dumps(LOOP))
    run = loop.batch(**GIVEN, steps=STEPS, seed=8)
    assert isinstance(loop._entry("lanes").__self__, Stepping)
    for n in range(LANES):
        agree(run, n)


def test_a_chunk_of_lanes_draws_what_it_draws_among_all():
    part = {name: value[5:9] for name, value in GIVEN.items()}
    some = LOOP.batch(**part, steps=STEPS, seed=8, lane=5)
    every = LOOP.batch(**GIVEN, steps=STEPS, seed=8)
    np.testing.assert_array_equal(some.x, every.x[5:9])
    other = LOOP.batch(**part, steps=STEPS, seed=9, lane=5)
    assert not np.array_equal(other.x[0], some.x[0])


def test_what_is_read_after_its_next_value_is_there_is_still_the_one_before():
    """A part behind the one that moves x reads the x of this turn, not of the next."""
    move = mc.block("move", lambda x: {"x_next": x + 1.0}, [port("x")], [port("x_next")])
    ports = [port(name) for name in ("x", "x_next", "was", "will")]
    watch = mc.block("watch", lambda x, x_next: {"was": x, "will": x_next}, ports[:2], ports[2:])
    for parts in ([move, watch], [move, mc.wired([watch], name="watch")]):
        run = mc.loop(parts, feedback={"x": "x_next"}, log=["x", "was", "will"])(x=0.0, steps=4)
        np.testing.assert_array_equal([run.was, run.will, run.x], [[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]])


def test_filters_and_springs_are_scipy_s():
    smooth = mc.block("smooth", lambda x, y: {"y": 0.8 * y + 0.2 * x}, [port("x"), mc.State("y", (), "1", "…")])
    measured = np.random.default_rng(0).normal(size=50)
    run = mc.loop(smooth, streamed=["x"], log=["y"])(x=measured, steps=50)
    np.testing.assert_allclose(run.y, signal.lfilter([0.2], [1, -0.8], measured), rtol=0, atol=1e-15)

    def swing(q, v):  # the midpoint rule
        half_q, half_v = q + 5e-4 * v, v - 5e-4 * 9.81 * np.sin(q)
        return {"q_next": q + 1e-3 * half_v, "v_next": v - 1e-3 * 9.81 * np.sin(half_q)}

    angle, rate = {"unit": "rad"}, {"unit": "rad/s"}
    after = [port("q_next", **angle), port("v_next", **rate)]
    block = mc.block("swing", swing, [port("q", **angle), port("v", **rate)], after)
    pendulum = mc.loop(block, feedback={"q": "q_next", "v": "v_next"}, log={"q": 100})
    run = pendulum(q=1.0, v=0.0, seconds=2.0)
    how = {"t_eval": run.time, "rtol": 1e-10, "atol": 1e-12}
    exact = solve_ivp(lambda _, s: [s[1], -9.81 * np.sin(s[0])], (0, 2), [1.0, 0.0], **how)
    assert np.max(np.abs(run.q - exact.y[0])) < 1e-5
    assert run.time[-1] == pytest.approx(2.0)


@pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
def test_tables_are_looked_up_in_loops_wherever_they_stand(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", Fake())
    way = np.random.default_rng(0).normal(size=(5, 2))

    def follow(way, number):
        return {"number": number + 0.5, "goal": np.array([number.entry(list(way[:, k])) for k in range(2)])}

    ports = [port("way", shape=(5, 2)), mc.State("number", (), "1", "which is next", -0.5)]
    path = mc.block("path", follow, ports, [port("goal", **PAIR)])
    double = mc.block(
        "double", lambda way: {"way": 2.0 * way}, [port("way", shape=(5, 2))], [port("way", shape=(5, 2))]
    )
    places = [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4]
    for parts, factor in ([path], 1.0), ([mc.wired([path], name="path")], 1.0), ([double, path], 2.0):
        loop = mc.loop(parts, held=["way"], log=["goal"])
        expected = factor * way[places]
        np.testing.assert_array_equal(loop(way=way, steps=12).goal, expected)
        np.testing.assert_array_equal(loop.batch(way=way, steps=12, lanes=3).goal[2], expected)
        np.testing.assert_array_equal(loop.on("cuda")(way=way, steps=12, lanes=2).goal[1], expected)
    whole = mc.wired([double, path])
    assert whole(way, 3.2).number == pytest.approx(3.7)
    np.testing.assert_array_equal(whole(way, 3.2).goal, 2 * way[3])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"feedback": {}}, "nobody gives x .*feedback={'x': 'x_next'}.*held="),
        ({"held": []}, "nobody gives gain"),
        ({"held": ["gain", "u"]}, "u is given by another part in the same turn"),
        ({"held": ["gain", "count"]}, "count is state, which its part carries on by itself"),
        ({"held": ["gain", "nothing"]}, "no part has an input 'nothing'"),
        ({"held": ["gain", "x"]}, "x is said twice, feedback and held"),
        ({"feedback": {"x": "seen"}}, r"cannot be fed to feedback.x: it has shape \(\)"),
        ({"feedback": {"x": "nothing"}}, "no part has output 'nothing'"),
        ({"rates": {"control": 0}}, "≥ 1"),
        ({"rates": {"plan": 2}}, "there is no part 'plan'"),
        ({"rates": {"control": 2.5}}, "whole number"),
        ({"log": {"nothing": 1}}, "no part has output 'nothing'"),
        ({"log": {"gain": 1}}, "gain is given from outside"),
        ({"until": "x"}, r"until='x' has shape \(2,\)"),
        ({"clock": "gain", "held": ["time"]}, "a clock is one number in s"),
        ({"drawn": {"kick": "poisson"}}, "normal"),
        ({"period": 0.0}, "seconds of a turn"),
        ({"period": float("nan")}, "seconds of a turn"),
        ({"parts": [PLANT, CONTROL], "feeds": {"plant.u": "control.u"}}, "plant reads control.u and stands before"),
    ],
)
def test_what_does_not_fit_is_refused_when_the_loop_is_made(change, sentence):
    said = {
        "parts": [CONTROL, PLANT],
        "feedback": {"x": "x_next"},
        "held": ["gain"],
        "streamed": ["push"],
        "drawn": {"kick": "normal"},
        "clock": "time",
    }
    with pytest.raises(mc.Error, match=sentence):
        mc.loop(**said | change)


@pytest.mark.parametrize("name", ["steps", "lane", "state", "turns", "time"])
def test_a_port_that_a_run_could_not_tell_from_its_own_words_is_refused(name):
    block = mc.block("grow", lambda x: {"next": 2.0 * x}, [port(name)], [port("next")])
    with pytest.raises(mc.Error, match=f"a run says {name!r} itself"):
        mc.loop(block, feedback={name: "next"})


def test_a_position_is_not_fed_back_by_a_velocity():
    robot = mc.load("planar2")
    dynamics = mc.forward_dynamics(robot)
    with pytest.raises(mc.Error, match=r"forward_dynamics.a cannot be fed to feedback.v.*change over a time"):
        mc.loop(dynamics, feedback={"v": "a"}, held=["q", "tau"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"steps": 3, "seconds": 1.0}, "either steps= or seconds="),
        ({}, "say how long"),
        ({"steps": -1}, "how many turns"),
        ({"steps": 2**50}, "how many turns"),
        ({"seconds": np.inf}, "how long"),
        ({"steps": STEPS, "seed": -1}, "seed"),
        ({"steps": STEPS, "lane": 1.5}, "lane"),
        ({"steps": STEPS, "mass": 1.0}, "nothing called 'mass'"),
        ({"steps": STEPS - 1}, r"push has shape \(23, 2\); it must be \(22, 2\)"),
        ({"steps": STEPS, "x": [1.0]}, r"x has shape \(1,\)"),
        ({"steps": STEPS, "gain": None}, "gain must be numbers"),
    ],
)
def test_what_a_run_is_given_wrong_is_told(given, sentence):
    base = {name: value[0] for name, value in GIVEN.items()}
    with pytest.raises(mc.Error, match=sentence):
        LOOP(**base | given)


def test_lanes_that_do_not_go_together_are_told():
    with pytest.raises(mc.Error, match="gain has 3 lanes, but x 11"):
        LOOP.batch(**GIVEN | {"gain": np.ones(3)}, steps=STEPS)
    with pytest.raises(mc.Error, match="say lanes="):
        LOOP.batch(**{name: value[0] for name, value in GIVEN.items()}, steps=STEPS)
    base = {name: value[0] for name, value in GIVEN.items()}
    with pytest.raises(mc.Error, match=r"x \(at the start\) is missing"):
        LOOP(gain=1.0, push=base["push"], steps=STEPS)
    many = LOOP.batch(**base, lanes=9, steps=STEPS, seed=8)
    assert many.x.shape == (9, STEPS // 2, 2)
    for n in (0, 5, 8):  # what is given once is the same for all
        np.testing.assert_allclose(LOOP(**base, steps=STEPS, seed=8, lane=n).x, many.x[n], rtol=1e-13)
    assert not np.array_equal(many.x[0], many.x[1])
    assert LOOP.batch(**base, lanes=0, steps=STEPS).turns.shape == (0,)
