"""Lazy control on a GPU: pre-grasps of random plants a second, a lane a thread, beside the processor's."""

import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from acceptance import verdict
from motionc import Error
from motionc import simulate as sim
from motionc.program.port import Precision
from motionc.simulate.shipped_experiments import shipped_experiment

SECONDS = 9.0
FEW, MANY = 1_024, 100_000
"""Lanes that are compared with the processor's, and lanes that are timed."""
SEED = 1
EVERY = 10
"""Cycles from one mode that is told to the next."""
BARS: dict[Precision, float] = {"double": 1e-6, "single": 0.02}
"""How far off the processor's median time to the goal (s)."""


def figures() -> Iterator[str]:
    try:
        cupy: Any = import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()
    except Exception:
        raise Error("there is no GPU here, or no CuPy") from None
    ours, given = _loop("double")
    plants = ours.plant.plants(SEED, range(FEW))
    ours.build(batch=True)
    begun = time.perf_counter()
    run = ours.batch(given, seconds=SECONDS, plants=FEW, seed=SEED)
    processor = FEW / (time.perf_counter() - begun)
    expected = _goal(np.asarray(run.mode), run.times["mode"])
    yield f"  the processor, double, all its threads: {processor:.4g} a second, median goal {np.median(expected):.3f} s"
    for precision, close in BARS.items():
        loop, _ = _loop(precision)
        device = loop.on("cuda")
        begun = time.perf_counter()
        seen = device(**given, **plants, seconds=SECONDS, seed=SEED)
        first = time.perf_counter() - begun
        goal = _goal(np.asarray(seen.mode), run.times["mode"])
        off, same = abs(np.median(goal) - np.median(expected)), float(np.mean(goal == expected))
        yield (
            f"  {precision}: median goal {np.median(goal):.3f} s, {off:.1e} s off (at most {close:g}), "
            f"{same:.1%} of lanes at the same time; first call {first:.1f} s {verdict(bool(off <= close))}"
        )
        held = {name: cupy.asarray(np.resize(value, (MANY, *value.shape[1:]))) for name, value in plants.items()}
        kind = np.float32 if precision == "single" else np.float64
        held = {name: value.astype(kind) for name, value in held.items()}
        seconds = min(_seconds(cupy, device, {**given, **held}) for _ in range(2))
        fits = f"{device.registers} registers, {device.spilled} bytes spilled"
        rate = MANY / seconds
        yield f"  {precision}, {MANY:,} lanes: {rate:.4g} pre-grasps a second, {rate / processor:.0f} times; {fits}"


def _loop(precision: Precision) -> tuple[sim.Loop, dict[str, Any]]:
    """The shipped pre-grasp as a loop that tells its mode alone."""
    own = shipped_experiment("pregrasp", "lwr4").but(precision=precision)
    loop = sim.closed(own.plant, own.cycle, rate=own.rig.substeps, log={"mode": EVERY * own.rig.substeps})
    return loop, {**own.plant.start(own.start), **own.given}


def _goal(mode: Any, times: Any) -> Any:
    """When each lane stopped (s)."""
    moving = mode > 0
    last = mode.shape[1] - np.argmax(moving[:, ::-1], axis=1)
    return np.asarray(times)[np.minimum(last, mode.shape[1] - 1)]


def _seconds(cupy: Any, loop: Any, given: dict[str, Any]) -> float:
    before, after = cupy.cuda.Event(), cupy.cuda.Event()
    before.record()
    loop(**given, seconds=SECONDS, seed=SEED)
    after.record()
    after.synchronize()
    return float(cupy.cuda.get_elapsed_time(before, after)) * 1e-3
