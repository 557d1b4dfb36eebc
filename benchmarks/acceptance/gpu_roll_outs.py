"""Roll-outs on a GPU: a million arms at once, a lane a thread, and how far they are from the processor's."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.roll_outs import looped
from motionc import Error
from motionc.program.port import Precision

LANES, STEPS, ROUNDS = 1_000_000, 1000, 3
BARS: dict[Precision, tuple[float, float]] = {"single": (20e9, 1e-4), "double": (9e9, 1e-11)}
"""Steps a second, and how far off after 100 steps."""


def figures() -> Iterator[str]:
    try:
        cupy: Any = import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()
    except Exception:
        raise Error("there is no GPU here, or no CuPy") from None
    robot = mc.load("panda")
    still, target = np.zeros(robot.nv), robot.neutral()
    starts = robot.random(0, size=4096)
    expected = looped(robot).batch(q=starts, v=still, tau=still, target=target, steps=100).state.q
    for precision, (speed, close) in BARS.items():
        step = mc.step(robot, 1e-3, stiffness=100.0, damping=10.0, precision=precision)
        fed = {"q": "q_next", "v": "v_next"}
        loop = mc.loop(step, feedback=fed, held=["tau", "target"], log={"q": 100}).on("cuda")
        off = np.abs(loop(q=starts, v=still, tau=still, target=target, steps=100).state.q - expected).max()
        told = f"Panda, {precision}: after 100 steps {off:.1e} from the processor"
        yield f"  {told} (at most {close:g}) {verdict(off <= close)}"
        kind = cupy.float32 if precision == "single" else cupy.float64
        many = cupy.tile(cupy.asarray(starts, kind), (LANES // len(starts) + 1, 1))[:LANES]
        rest = [cupy.asarray(value, kind) for value in (still, still, target)]
        best = min(_seconds(cupy, loop, many, rest) for _ in range(ROUNDS + 1))
        rate = LANES * STEPS / best
        fits = f"{loop.registers} registers, {loop.spilled} bytes spilled"
        yield f"  Panda, {precision}: {rate:.3g} steps a second (at least {speed:.2g}; {fits}) {verdict(rate >= speed)}"


def _seconds(cupy: Any, loop: Any, starts: Any, rest: list[Any]) -> float:
    before, after = cupy.cuda.Event(), cupy.cuda.Event()
    before.record()
    v, tau, target = rest
    loop(q=starts, v=v, tau=tau, target=target, steps=STEPS)
    after.record()
    after.synchronize()
    return float(cupy.cuda.get_elapsed_time(before, after)) * 1e-3
