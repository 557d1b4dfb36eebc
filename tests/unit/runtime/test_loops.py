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
from motionc.control import Machine, Row
from motionc.program import noise
from motionc.runtime.stepping import Stepping

NUMBER = {"shape": (), "unit": "1", "meaning": "a number"}
PAIR = NUMBER | {"shape": (2,)}


def port(name, **about):
    return mc.Port(name, **NUMBER | about)


def plant(x, u, push, kick, gain):
    x_next = 0.9 * x + gain * u + push + 0.01 * kick
    size = x_next[0] * x_next[0]
    return {"x_next": x_next, "done": -0.25 * (size > 9.0) * (size < 1e6), "seen": x_next[0] + x_next[1]}


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
DOOR = Machine(
    ("SHUT", "OPEN"), (Row("SHUT", "push", "OPEN"), Row("OPEN", "push", "SHUT", held=0.1)), ("push",), dt=0.01
)
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
    assert "no longer finite" in run.notes[0]
    assert run.notes[0].endswith("(1 of 11 states, first 7)")
    for n in range(LANES):
        agree(run, n)


def test_one_lane_is_that_lane_of_many():
    for n in (0, 2, 7):
        one = LOOP(**{name: value[n] for name, value in GIVEN.items()}, steps=STEPS, seed=8, lane=n)
        agree(one, n, lanes=False)
    np.testing.assert_allclose(one.state.count, one.count)


def test_one_start_for_all_lanes_is_that_of_each():
    each = LOOP.batch(**GIVEN | {"x": np.tile([0.3, -0.2], (LANES, 1))}, steps=STEPS)
    for one, other in zip(LOOP.batch(**GIVEN | {"x": [0.3, -0.2]}, steps=STEPS), each, strict=True):
        assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
def test_a_gpu_has_the_same_lanes(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", Fake())
    gpu = LOOP.on("cuda")
    run = gpu(**GIVEN, steps=STEPS, seed=8)
    for n in range(LANES):
        agree(run, n)
    goes_on(gpu, run)


def goes_on(call, run):
    """Five turns, and the others from there, are all of them."""
    one = call(**GIVEN | {"push": GIVEN["push"][:, :5]}, steps=5, seed=8)
    other = call(**GIVEN | dict(one.state.items()) | {"push": GIVEN["push"][:, 5:]}, steps=STEPS - 5, seed=8, turn=5)
    going = run.turns == STEPS
    assert np.sum(going) > 5
    for name in ("x", "seen", "u"):
        np.testing.assert_array_equal(np.concatenate([one[name], other[name]], axis=1)[going], run[name][going])


def test_a_run_goes_on_from_another():
    goes_on(LOOP.batch, LOOP.batch(**GIVEN, steps=STEPS, seed=8))
    first, part = {name: value[0] for name, value in GIVEN.items()}, GIVEN["push"][0]
    run, one = LOOP(**first, steps=STEPS), LOOP(**first | {"push": part[:5]}, steps=5)
    other = LOOP(**first | dict(one.state.items()) | {"push": part[5:]}, steps=STEPS - 5, turn=5)
    assert run.turns == STEPS
    np.testing.assert_array_equal(np.concatenate([one.u, other.u]), run.u)


def test_a_gpu_s_array_of_another_type_is_refused_and_never_read(monkeypatch):
    cupy = Fake()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    for push, sentence in [
        (cupy.asarray(GIVEN["push"], np.float32), "push is float32; make it float64, or ask for precision='single'"),
        (GIVEN["push"] + 1j, "push must be numbers"),
    ]:
        with pytest.raises(mc.Error, match=sentence):
            LOOP.on("cuda")(**GIVEN | {"push": push}, steps=STEPS)


def test_without_a_compiler_it_is_the_same(monkeypatch):
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    loop = pickle.loads(pickle.dumps(LOOP))
    run = loop.batch(**GIVEN, steps=STEPS, seed=8)
    assert isinstance(loop._entry("lanes").__self__, Stepping)
    goes_on(loop.batch, run)
    for n in range(LANES):
        agree(run, n)


def test_a_chunk_of_lanes_draws_what_it_draws_among_all():
    part = {name: value[5:9] for name, value in GIVEN.items()}
    some = LOOP.batch(**part, steps=STEPS, seed=8, lane=5)
    every = LOOP.batch(**GIVEN, steps=STEPS, seed=8)
    np.testing.assert_array_equal(some.x, every.x[5:9])
    other = LOOP.batch(**part, steps=STEPS, seed=9, lane=5)
    assert not np.array_equal(other.x[0], some.x[0])


@pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
def test_what_is_read_after_its_next_value_is_there_is_still_the_one_before(monkeypatch):
    """A part behind the one that moves x reads the x of this turn, not of the next."""
    monkeypatch.setitem(sys.modules, "cupy", Fake())
    move = mc.block("move", lambda x: {"x_next": x + 1.0}, [port("x")], [port("x_next")])
    ports = [port(name) for name in ("x", "x_next", "was", "will")]
    watch = mc.block("watch", lambda x, x_next: {"was": x, "will": x_next}, ports[:2], ports[2:])
    for parts in ([move, watch], [move, mc.wired([watch], name="watch")]):
        loop = mc.loop(parts, feedback={"x": "x_next"}, log=["x", "was", "will"])
        for run in loop(x=0.0, steps=4), loop.batch(x=np.zeros(1), steps=4), loop.on("cuda")(x=np.zeros(1), steps=4):
            found = np.ravel([run.was, run.will, run.x])
            np.testing.assert_array_equal(found, [0, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4])


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
        ({"held": ["plant.gain"]}, "held: what comes from outside goes by its name alone: say 'gain'"),
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


@pytest.mark.parametrize("name", ["steps", "lane", "self", "turns", "names"])
def test_a_port_that_a_run_could_not_tell_from_its_own_words_is_refused(name):
    block = mc.block("grow", lambda x: {"next": 2.0 * x}, [port(name)], [port("next")])
    with pytest.raises(mc.Error, match=f"a run says {name!r} itself"):
        mc.loop(block, feedback={name: "next"})


def test_a_position_is_not_fed_back_by_a_velocity():
    robot = mc.load("planar2")
    dynamics = mc.forward_dynamics(robot)
    with pytest.raises(mc.Error, match=r"forward_dynamics.a cannot be fed to feedback.v.*change over a time"):
        mc.loop(dynamics, feedback={"v": "a"}, held=["q", "tau"])


def test_a_step_moves_on_by_the_time_from_one_run_to_the_next():
    robot = mc.load("planar2")
    slow, half = mc.step(robot, 2e-3), mc.step(robot, 5e-4)
    course = {"feedback": {"q": "q_next", "v": "v_next"}, "held": ["tau"]}
    mc.loop(slow, **course, rates={"step": 2})
    then = {"second.q": "first.q_next", "second.v": "first.v_next"}
    back = {"q": "second.q_next", "v": "second.v_next"}
    mc.loop({"first": half, "second": half}, feeds=then, feedback=back, held=["tau"])  # two halves of a turn
    # two that do not go on from one another are no halves of a turn
    way = mc.control.Trapezoid(1.0, 1.0, 5e-4).computation()
    given = [one.name for one in way.inputs if not isinstance(one, mc.State)]
    with pytest.raises(mc.Error, match=r"moves on by 0\.0005 s each time it runs, and runs every 0\.001 s"):
        mc.loop({"first": way, "second": way}, held=given)
    for parts in (slow, mc.wired([slow], name="step")):
        with pytest.raises(mc.Error, match=r"step moves on by 0\.002 s each time it runs, and runs every 0\.001 s"):
            mc.loop(parts, **course)


def test_what_has_no_name_or_no_numbers_of_its_own_is_refused():
    def through(name, out="y"):
        return mc.block("a", lambda x: {out: x}, [port(name)], [port(out)])

    with pytest.raises(mc.Error, match="nothing of it is carried on or written down"):
        mc.loop(through("x"), held=["x"])
    with pytest.raises(mc.Error, match="two things called last_x"):
        mc.loop(through("x", "last_x"), feedback={"x": "last_x"}, log=["x", "last_x"])
    free = mc.load("planar2", floating=True)
    with pytest.raises(mc.Error, match="q has quaternions"):
        mc.loop(mc.energy(free), drawn={"q": "normal"}, held=["v"])


def test_a_log_of_the_clock_is_the_clock():
    run = mc.loop(
        mc.block("a", lambda time: {"y": time}, [port("time", unit="s")], [port("y")]), clock="time", log=["time", "y"]
    )
    np.testing.assert_allclose(run(steps=3).time, [0.0, 1e-3, 2e-3])


def test_a_run_of_no_turns_has_stayed_finite_whatever_it_starts_from():
    once = {"gain": 1.0, "push": np.zeros((0, 2))}
    for run in (LOOP(x=[np.nan, 0.0], **once, steps=0), LOOP.batch(x=[[np.nan, 0.0]], **once, steps=0)):
        assert (run.turns, run.finite) == (0, True)


def test_who_could_give_an_input_is_named_of_this_turn():
    pair = mc.block("pair", lambda x: {"torques": x}, [port("x", **PAIR)], [port("torques", **PAIR | {"unit": "N m"})])
    push = mc.block("push", lambda tau: {"y": tau}, [port("tau", **PAIR | {"unit": "N m"})], [port("y", **PAIR)])
    with pytest.raises(mc.Error, match=r"nobody gives tau .*wire .*feeds={'push.tau': 'pair.torques'}.*hold it"):
        mc.loop([pair, push], held=["x"])
    with pytest.raises(mc.Error, match=r"nobody gives tau \(a number\): feed an output back"):
        mc.loop([push, pair], held=["x"])  # pair comes later


@pytest.mark.parametrize(
    "made",
    [
        lambda: mc.step(mc.load("planar2"), 0.01),
        lambda: mc.control.Trapezoid(1.0, 1.0, 0.01).computation(),
        lambda: mc.control.resettable(mc.control.Elapsed("over", 1.0, dt=0.01).computation(), "over_ticks"),
        lambda: mc.control.Machines({"door": DOOR}).computation(),
    ],
)
def test_what_is_made_for_one_rate_is_not_run_at_another(made):
    part = made()
    carried = {"feedback": {"q": "q_next", "v": "v_next"}} if part.name == "step" else {}
    given = [one.name for one in part.inputs if not isinstance(one, mc.State) and one.name not in ("q", "v")]
    for well in {"period": 0.01}, {"period": 0.005, "rates": {part.name: 2}}:
        assert mc.loop(part, held=given, **carried, **well).states
    for wrong in {}, {"period": 0.01, "rates": {part.name: 2}}:
        with pytest.raises(
            mc.Error, match=rf"{part.name} moves on by 0.01 s each time it runs, and runs every 0.0.* s; say period="
        ):
            mc.loop(part, held=given, **carried, **wrong)
    with pytest.raises(mc.Error, match=r"whole moves on by 0\.01 s"):
        mc.loop(mc.wired([part], name="whole"), held=given, **carried)
    stop = mc.control.Braking("stop", [-1.0], [1.0], [5.0], dt=0.002).computation()  # its time is when brakes act
    mc.loop(stop, held=["q", "v"], log=[stop.outputs[0].name])


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
        ({"steps": STEPS, "turn": -1}, "turn"),
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


# ---------------------------------------------------------------- first values, and lanes that end one by one


def halve(x, share, count, over):
    x_next = share * x
    return {"x_next": x_next, "share_next": share, "count": count + 1.0, "over": x_next < 1.0}


HALVE = mc.block(
    "halve",
    halve,
    [port("x"), port("share"), mc.State("count", (), "1", "runs"), mc.State("over", (), "1", "whether it is")],
    [port("x_next"), port("share_next")],
)
ROUND = {"feedback": {"x": "x_next", "share": "share_next"}, "until": "over", "start": {"share": 0.5}}


def test_what_is_fed_back_may_have_a_first_value():
    loop = mc.loop(HALVE, **ROUND)
    assert [each.name for each in loop.inputs] == ["x"]
    assert (loop(x=8.0, steps=9).turns, loop(x=8.0, share=0.1, steps=9).turns) == (4, 1)
    for start, said in (
        ({"y": 1.0}, "start: 'y' is neither fed back nor held"),
        ({"share": [1.0, 2.0]}, "share has 2 entries"),
        ({"share": "half"}, "share='half'; give finite numbers"),
    ):
        with pytest.raises(mc.Error, match=said):
            mc.loop(HALVE, **ROUND | {"start": start})


def test_lanes_that_end_one_by_one_are_what_each_is_alone():
    """In rounds, after which those that have ended make room: one is not finite, one does not end."""
    loop, x = mc.loop(HALVE, **ROUND), 2.0 ** np.arange(60)
    x[7], x[11] = np.inf, 1e300
    run = loop.batch(x=x, steps=70)
    assert run.turns[3] == 4
    assert (run.turns[7], run.finite[7]) == (1, False)
    assert (run.turns[11], run.over[11]) == (70, 0)
    for n in (0, 3, 7, 11, 30, 59):
        one = loop(x=x[n], steps=70)
        for name in ("x", "count", "over", "turns", "finite"):
            np.testing.assert_array_equal(run[name][n], one[name])
