"""Contact on a GPU: HyQ on four feet, a lane a thread, beside the processor's lanes and threads."""

import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from acceptance import verdict
from acceptance.contact import hyq
from motionc import Error
from motionc import simulate as sim
from motionc.program.port import Precision

COUNTS = ((4_096, 1000), (100_000, 500))
"""Lanes, and steps of each."""
BARS: dict[Precision, float] = {"single": 1e-3, "double": 1e-11}
"""How far off the processor after half a second."""


def figures() -> Iterator[str]:
    try:
        cupy: Any = import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()
    except Exception:
        raise Error("there is no GPU here, or no CuPy") from None
    ours, start = _loop("double")
    thrown = np.random.default_rng(0).normal(size=(COUNTS[0][0], 18)) * 0.2
    some = start | {"v": thrown}
    expected = ours.batch(some, q_target=start["q"], steps=500).state.q
    begun = time.perf_counter()
    ours.batch(some, q_target=start["q"], steps=500)
    processor = len(thrown) * 500 / (time.perf_counter() - begun)
    yield f"  HyQ on four feet, the processor, double, all its threads: {processor:.3g} steps a second"
    for precision, close in BARS.items():
        loop = _loop(precision)[0].on("cuda")
        off = np.abs(loop(**some, q_target=start["q"], steps=500).state.q - expected).max()
        yield f"  {precision}: after 500 steps {off:.1e} from the processor (at most {close:g}) {verdict(off <= close)}"
        kind = cupy.float32 if precision == "single" else cupy.float64
        home = cupy.asarray(start["q"], kind)
        for count, steps in COUNTS:
            speeds = cupy.asarray(np.tile(thrown, (count // len(thrown) + 1, 1))[:count], kind)
            seconds = min(_seconds(cupy, loop, home, speeds, steps) for _ in range(3))
            rate = count * steps / seconds
            fits = f"{loop.registers} registers, {loop.spilled} bytes spilled"
            beside = f"{rate / processor:.1f} times the processor's"
            yield f"  {precision}, {count:,} lanes: {rate:.3g} steps a second, {beside}; {fits}"


def _loop(precision: Precision) -> tuple[sim.Loop, dict[str, Any]]:
    robot, feet, home, *_ = hyq()
    plant = sim.Plant(robot, contacts=feet, actuators=sim.Position(400.0, 10.0), precision=precision)
    return sim.closed(plant, log={"q": 500}), plant.start(home, height=0.05)


def _seconds(cupy: Any, loop: Any, home: Any, speeds: Any, steps: int) -> float:
    before, after = cupy.cuda.Event(), cupy.cuda.Event()
    before.record()
    loop(q=home, v=speeds, q_target=home, steps=steps)
    after.record()
    after.synchronize()
    return float(cupy.cuda.get_elapsed_time(before, after)) * 1e-3
