"""The search of inverse kinematics as a loop in time: what plain Python around the step does, in every language."""

import importlib.util
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from cuda_on_cpu import CXX
from fake_cupy import Fake
from motionc.computations.inverse_kinematics import InverseKinematics
from motionc.solvers.search import CLOSING, DAMPING, PATIENCE, POLISHING, PULL, SETTLING, SHRINKS
from oracle import Array

TIP = mc.Target("link3", "x y", point=(0.3, 0, 0))
STATES = 40


@pytest.fixture(scope="module")
def robot() -> mc.Robot:
    """Three turns, limited, for a tip in a plane: one is redundant."""
    joints = "".join(
        f'<joint name="turn{k}" type="revolute"><parent link="link{k - 1}"/><child link="link{k}"/>'
        f'<origin xyz="{0.4 * (k > 1)} 0 0"/><axis xyz="0 0 1"/>'
        f'<limit lower="{-2.0 - 0.1 * k}" upper="{1.5 + 0.2 * k}" effort="1" velocity="1"/></joint>'
        for k in (1, 2, 3)
    )
    links = "".join(f'<link name="link{k}"/>' for k in range(4))
    aside = '<link name="aside"/><joint name="slide" type="prismatic"><parent link="link1"/><child link="aside"/>'
    aside += '<limit lower="-0.2" upper="0.9" effort="1" velocity="1"/></joint>'
    return mc.load(f'<robot name="bent">{links}{joints}{aside}</robot>')


def by_hand(ik: InverseKinematics, start: Array, goal: Array) -> tuple[Array, bool, int]:
    """The search as loops of Python: where it ends, whether it arrived, steps."""
    goals, lower, upper, options = goal.reshape(-1, 4, 4), ik.lower, ik.upper, ik.options
    rest = start if options.posture == "start" else np.where(np.isfinite(lower + upper), (lower + upper) / 2, start)

    def step(q: Array, damping: float = DAMPING, pull: float = 0.0) -> mc.Results:
        return ik.step(q, goals, damping, *((rest, pull) if options.posture else ()))

    def descent(q: Array) -> tuple[Array, mc.Results, int]:
        least, since, number = np.inf, 0, 0
        while True:
            seen, number = step(q), number + 1
            since = 0 if seen.merit < SHRINKS * least else since + 1
            least = min(least, seen.merit)
            if seen.worst <= 1 or since >= PATIENCE or number >= options.iterations:
                return q, seen, number
            q = seen.q

    first = np.clip(start, lower, upper)
    best, seen, taken = descent(first)
    fraction = np.random.default_rng(options.seed).random(3)
    for number in range(options.restarts):
        if seen.worst <= 1:
            break
        anew = np.clip(start, lower, upper)
        anew[:3] = lower[:3] + (upper - lower)[:3] * (fraction if number else 0.5)
        q, there, steps = descent(anew)
        taken += steps
        if there.merit < seen.merit or there.worst <= 1:
            best, seen = q, there
        fraction = (fraction + np.sqrt([2, 3, 5])) % 1
    if seen.worst > 1:
        if not options.restarts:
            best, seen = first, step(first)
        q, damping, taken = best, DAMPING, taken + CLOSING
        for _ in range(CLOSING):
            there = step(q, damping)
            good = there.merit <= seen.merit
            best, seen, damping = (q, there, damping / 2) if good else (best, seen, damping * 8)
            q = there.q if good else best
    elif options.posture:
        q, taken = best, taken + SETTLING + POLISHING
        for number in range(SETTLING + POLISHING):
            now, there = q, step(q, pull=PULL if number < SETTLING else 0.0)
            q = there.q
        if there.worst <= 1 and np.sum((now - rest) ** 2) < np.sum((best - rest) ** 2):
            best, seen = now, there
    return best, seen.worst <= 1, taken


def asked(robot: mc.Robot, beyond: float) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    starts, ends = (np.array([robot.random(rng) for _ in range(STATES)]) for _ in range(2))
    goals = mc.forward_kinematics(robot, ["link3"]).batch(ends)[:, 0] @ mc.placed(TIP.point)
    goals[:, :2, 3] *= beyond
    starts[0, 0] = 7.0  # beyond its limit
    return starts, goals


@pytest.mark.parametrize(
    ("options", "beyond"),
    [
        ({}, 1.0),
        ({"restarts": 3, "seed": 5}, 1.6),
        ({"restarts": 0, "iterations": 4}, 1.3),
        ({"posture": "start"}, 1.0),
        ({"posture": "middle", "restarts": 1}, 1.2),
    ],
)
def test_the_search_is_what_loops_of_python_around_its_step_do(
    robot: mc.Robot, options: dict, beyond: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    ik, (starts, goals) = mc.inverse_kinematics(robot, TIP, **options), asked(robot, beyond)
    many = ik.batch(starts, goals)
    for k in range(STATES):
        q, success, taken = by_hand(ik, starts[k], goals[k])
        one = ik(starts[k], goals[k])
        for found in (one, mc.Results((many.q[k], *one[1:3], many.success[k], many.iterations[k]))):
            assert np.allclose(found[0], q, rtol=0, atol=1e-5)
            assert (found[3], found[4]) == (success, taken)
    assert many.success.sum() > 0
    assert beyond == 1.0 or not many.success.all()
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    again = pickle.loads(pickle.dumps(ik)).batch(starts[:3], goals[:3])
    assert np.allclose(again.q, many.q[:3], rtol=0, atol=1e-6)


# ---------------------------------------------------------------- starts


def test_joints_that_move_no_target_stay_where_they_start(robot: mc.Robot) -> None:
    starts, goals = asked(robot, 1.6)
    out = mc.inverse_kinematics(robot, TIP, restarts=3, seed=5).batch(starts, goals)
    assert not out.success.all()
    assert np.array_equal(out.q[:, 3], starts[:, 3])


def test_without_other_starts_a_target_is_followed_beyond_reach_without_jumps() -> None:
    """2 mm at a time; where a lost descent ended would be up to 1.2 rad away."""
    robot = mc.load("panda")
    q = robot.random(np.random.default_rng(8))
    goal = mc.forward_kinematics(robot, ["panda_hand"])(q)[0]
    follow, way = mc.inverse_kinematics(robot, "panda_hand", restarts=0), goal[:3, 3] / np.linalg.norm(goal[:3, 3])
    for _ in range(120):
        out = follow(q, goal)
        assert np.abs(out.q - q).max() < 0.2
        q = out.q
        goal[:3, 3] += 0.002 * way
    assert not out.success


# ---------------------------------------------------------------- in other languages, elsewhere


@pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
def test_on_a_gpu_it_finds_the_same(robot: mc.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    ik, (starts, goals) = mc.inverse_kinematics(robot, TIP, restarts=3), asked(robot, 1.3)
    expected = ik.batch(starts, goals)
    monkeypatch.setitem(sys.modules, "cupy", Fake())
    there = ik.on("cuda")
    found = there(starts, goals)
    for a, b in zip(found, expected, strict=True):
        assert np.allclose(a, b, rtol=0, atol=1e-6)
    assert found.notes[0].startswith("link3 does not arrive")
    goals[7] *= 2
    with pytest.raises(mc.Error, match="targets are no poses in state 7"):
        there(starts, goals)
    with pytest.raises(mc.Error, match="takes 2 inputs"):
        there(starts, goals, goals)


def test_emitted_it_runs_alone_and_knows_what_it_is(tmp_path: Path) -> None:
    planar = mc.load("planar3")
    tip = mc.Target(planar.link_names[-1], "x y")
    ik = mc.inverse_kinematics(planar, tip, restarts=2, posture="middle")
    (file,) = ik.emit("python", tmp_path)
    assert {"planar3_inverse_kinematics.c", "planar3_inverse_kinematics.h"} == set(ik.sources("c"))
    back = mc.from_file(file)
    assert (type(back), back.options) == (InverseKinematics, ik.options)
    spec = importlib.util.spec_from_file_location("emitted", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    goal = mc.forward_kinematics(planar, [tip.frame])([0.3, 0.6, -0.4])
    expected = ik([0.1, 0.2, 0.2], goal[0])
    run = module.planar3_inverse_kinematics(steps=ik.search.turns, q=[0.1, 0.2, 0.2], targets=goal)
    assert np.allclose(run.found, expected.q, rtol=0, atol=1e-9)
    assert (run.iterations, run.success) == (expected.iterations, expected.success)


def test_a_bundle_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planar = mc.load("planar2")
    ik = mc.inverse_kinematics(planar, mc.Target("tip", "x y"), restarts=2)
    mc.bundle([ik, mc.mass_matrix(planar)], tmp_path, name="reaching", library=False)
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("reaching")
    goal = mc.forward_kinematics(planar, ["tip"])([0.3, 0.6])
    run = package.inverse_kinematics(steps=ik.search.turns, q=np.array([0.1, 0.2]), targets=goal)
    assert np.allclose(run.found, ik([0.1, 0.2], goal[0]).q, rtol=0, atol=1e-9)
