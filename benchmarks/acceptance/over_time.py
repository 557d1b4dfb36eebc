"""What motion over time is made of: noise, frames and rows given with each call, gradients, a lazy control cycle."""

import runpy
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.roll_outs import looped
from motionc.program import noise

EXAMPLE = Path(__file__).parents[2] / "examples" / "31_a_lazy_cycle.py"
WORDS = (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
"""Random123's known answer of Philox4x32-10 for counter and key zero."""
FRAMES, SWITCHES, CYCLE = 61, 81, 3000
"""Operations: how many more for a frame, for six rows that are switched; all of a lazy cycle."""


def figures() -> Iterator[str]:
    yield from _noise()
    yield from _rows()
    yield _gradient()
    yield from _cycle()


def _noise() -> Iterator[str]:
    words = tuple(int(word) for word in noise.philox(0, 0, 0, 0))
    yield f"  Philox4x32-10 of zeros: {' '.join(f'{word:08x}' for word in words)} {verdict(words == WORDS)}"
    port = mc.Port("x", (9,), "1", "drawn")
    keep = mc.block("keep", lambda x, y: {"y": x + 0.0 * y}, [port, mc.State("y", (9,), "1", "kept")])
    loop = mc.loop(keep, drawn={"x": "normal"}, log=["y"])
    lanes, steps = np.arange(500)[:, None], np.arange(100)[None, :]
    expected = noise.draw("normal", 5, lanes, steps, 0, 9)
    for what, found in (
        ("lanes", loop.batch(lanes=500, steps=100, seed=5).y),
        ("one by one", np.stack([loop(steps=100, seed=5, lane=n).y for n in range(500)])),
        ("in chunks of 37", np.concatenate([_chunk(loop, start) for start in range(0, 500, 37)])),
    ):
        off = float(np.max(np.abs(found - expected) / np.spacing(np.abs(expected))))
        yield f"  450,000 normal numbers, {what}: {off:.0f} ulp from NumPy's (at most 4) {verdict(off <= 4)}"


def _chunk(loop: Any, start: int) -> Any:
    return loop.batch(lanes=min(37, 500 - start), steps=100, seed=5, lane=start).y


def _rows() -> Iterator[str]:
    arm = mc.load("lwr4")
    for rows in ("xyz", "xz", "x y z rx ry rz"):
        plain = mc.constrained_dynamics(arm, [mc.Constraint("link_7", rows)])
        given = mc.constrained_dynamics(
            arm, [mc.Constraint("link_7", rows, wrt="T", as_seen_by="T")], given_frames={"T": "world"}
        )
        switched = mc.constrained_dynamics(arm, [mc.Constraint("link_7", rows)], activation=True)
        size, *more = (sum(one.operations.values()) for one in (plain, given, switched))
        for what, extra, bar in zip(("a frame given", "rows switched"), more, (FRAMES, SWITCHES), strict=True):
            count = extra - size
            yield f"  LWR 4, rows {rows}, {what} with each call: +{count} (at most {bar}) {verdict(count <= bar)}"


def _gradient() -> str:
    """Of where a roll-out ends by where it starts, against differences."""
    robot = mc.load("panda")
    loop, rng = looped(robot), np.random.default_rng(0)
    given = {"q": robot.random(0), "v": rng.normal(size=robot.nv), "tau": rng.normal(size=robot.nv)}
    given["target"] = robot.random(1)
    bar, worst = rng.normal(size=robot.nq), 0.0
    found = loop.vjp("q", [*given])(**given, q_bar=bar, steps=100)
    for name, value in given.items():
        along = rng.normal(size=value.shape)
        ends = [loop(**given | {name: value + h * along}, steps=100).state.q @ bar for h in (1e-6, -1e-6)]
        expected = (ends[0] - ends[1]) / 2e-6
        worst = max(worst, abs(found[f"{name}_bar"] @ along - expected) / max(1.0, abs(expected)))
    return f"  Panda, gradient through 100 steps: {worst:.1e} from differences (at most 1e-6) {verdict(worst <= 1e-6)}"


def _cycle() -> Iterator[str]:
    """The example's cycle: its size, and C against NumPy step by step."""
    with redirect_stdout(StringIO()):
        cycle = runpy.run_path(str(EXAMPLE))["cycle"]
    size, worst, rng = sum(cycle.operations.values()), 0.0, np.random.default_rng(0)
    yield f"  a lazy control cycle of LWR 4: {size} operations (at most {CYCLE}) {verdict(size <= CYCLE)}"
    for _ in range(200):
        given = [port.space.draw(rng).reshape(port.shape) for port in cycle.inputs]
        for ours, theirs in zip(cycle(*given), cycle.run(*given), strict=True):
            worst = max(worst, float(np.max(np.abs(ours - theirs)) / max(1.0, np.max(np.abs(theirs)))))
    yield f"  its C from its steps in NumPy: {worst:.1e} (at most 1e-12) {verdict(worst <= 1e-12)}"
