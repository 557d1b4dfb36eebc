"""PD roll-outs at 1 kHz beside MuJoCo's: one by one against `mj_step`, 1,024 in lanes against `mujoco.rollout`.

Both sides compute the same, servos that pull joints to a target, damped implicitly: trajectories are compared first.
One core, CPU time of the thread, minima of interleaved rounds.
"""

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.time_steps import DT, SERVO, mujoco_model
from motionc.benchmark.timing import Array, one_core

ROBOTS = {
    "LWR 4": ("lwr4", 8, 30),
    "Panda": ("panda", 8, 30),
    "quadruped": ("quadruped", 6, 22),
    "humanoid": ("humanoid", 6, 22),
}
"""Shipped robots, and how many times ours should go into MuJoCo's time: one by one, and in lanes."""
CLOSE = 1e-9
ROUNDS, STEPS, LANES, ROWS = 9, 4000, 1024, 200


def figures() -> Iterator[str]:
    for title, (name, alone, many) in ROBOTS.items():
        yield from _robot(title, mc.load(name), alone, many)


def looped(robot: mc.Robot, *logs: str, **options: Any) -> Any:
    """Steps of a servoed robot, motors making nothing else."""
    step = mc.step(robot, DT, **SERVO, **options)
    return mc.loop(step, feedback={"q": "q_next", "v": "v_next"}, held=["tau", "target"], log=logs, period=DT)


def starts_of(robot: mc.Robot, count: int) -> Array:
    """Where lanes start: around neutral."""
    rng = np.random.default_rng(0)
    return np.stack([robot.integrate(robot.neutral(), 0.1 * rng.normal(size=robot.nv), 1.0) for _ in range(count)])


def _robot(title: str, robot: mc.Robot, alone: float, many: float) -> Iterator[str]:
    target = robot.neutral()
    mujoco, model, order = mujoco_model(robot, "implicitfast", SERVO, target)
    data, still = mujoco.MjData(model), np.zeros(robot.nv)
    one, lanes = looped(robot), looped(robot, "q", "v")
    one.build()
    lanes.build(batch=True)
    starts = starts_of(robot, LANES)
    state = np.zeros((LANES, 1 + model.nq + model.nv))
    state[:, 1 : 1 + model.nq] = order.q(starts)
    roll = import_module("mujoco.rollout").Rollout(nthread=0)
    controls, found = np.zeros((LANES, ROWS, model.nu)), np.empty((LANES, ROWS, state.shape[1]))

    def ours() -> Any:
        return one(q=starts[0], v=still, tau=still, target=target, steps=STEPS)

    def theirs() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = order.q(starts[0])
        mujoco.mj_step(model, data, STEPS)

    def ours_many() -> Any:
        return lanes.batch(q=starts, v=still, tau=still, target=target, steps=ROWS, threads=1)

    def theirs_many() -> None:
        roll.rollout(model, [data], state, controls, state=found)

    theirs_many()
    expected = order.our_q(found[:, -1, 1 : 1 + model.nq])
    off = np.abs(ours_many().q[:, -1] - expected).max()
    yield f"  {title}: after {ROWS} steps off MuJoCo by {off:.1e} (at most {CLOSE:g}) {verdict(off <= CLOSE)}"
    with one_core():
        times = _minima([ours, theirs, ours_many, theirs_many])
    for what, k, count, bar in (("one", 0, STEPS, alone), ("lanes, all recorded", 2, LANES * ROWS, many)):
        mine, other = (times[k + i] / count * 1e6 for i in (0, 1))
        told = f"{title}, {what}: {mine:.3f} µs a step, MuJoCo {other:.3f}: {other / mine:.1f} times"
        yield f"  {told} (at least {bar:g}) {verdict(other / mine >= bar)}"


def _minima(contenders: list[Callable[[], Any]]) -> list[float]:
    best = [np.inf] * len(contenders)
    for _ in range(ROUNDS):
        for k, run in enumerate(contenders):
            before = time.thread_time()
            run()
            best[k] = min(best[k], time.thread_time() - before)
    return best
