"""The law of the horizon over horizons, and delay: what is noted holds, what is refused does not."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import motionc as mc
from acceptance import SEEDS, verdict
from acceptance.lazy_plants import MOST, Bars, ended, heading, spread, studied
from motionc.simulate.experiment import Experiment
from motionc.simulate.shipped_experiments import shipped_experiment

HORIZONS, PLANTS, LATE = (0.5, 1.0, 1.5, 2.5, 4.0), 250, 1000
LONGEST = 10
"""Cycles of delay that are tried at most."""
OFF = (0.05, 0.12)
"""After t_p ln(r₀ / 0.95 σ), in the median (s)."""


def figures() -> Iterator[str]:
    arm = shipped_experiment("pregrasp", "lwr4")
    for horizon in HORIZONS:
        yield from heading(f"horizon {horizon} s")
        longer = arm.but(horizon=horizon, task=_unhurried(arm), seconds=arm.seconds + 3.0)
        for seed in SEEDS:
            judged, _ = studied(longer, PLANTS, seed)
            after, law = judged.tube_entry_s - judged.law_s, float(np.median(judged.law_s))
            middle = float(np.median(after))
            wanted = f"median in {OFF[0]} … {OFF[1]} {verdict(OFF[0] <= middle <= OFF[1])}"
            yield f"  seed {seed}: law {law:.2f} s, entry after it {spread(after)} s, {wanted}"
    yield from _delays(arm)


def _unhurried(arm: Experiment) -> mc.tasks.Move:
    """The task with time enough for the longest horizon."""
    assert isinstance(arm.task, mc.tasks.Move)
    until = [mc.tasks.Timeout(14.0) if isinstance(one, mc.tasks.Timeout) else one for one in arm.task.until]
    return replace(arm.task, until=until)


def _delays(arm: Experiment) -> Iterator[str]:
    yield from heading("delay")
    late = arm.but(delay=2)
    for note in late.cycle.notes:
        yield f"  2 cycles are noted: {note}"
    for seed in SEEDS:
        judged, _ = studied(late, LATE, seed)
        bars = Bars(judged)
        yield bars.line(f"2 cycles, seed {seed}: goal, s", spread(judged.goal_s), "reached", ended(judged))
        left = judged.tube_violations_after_entry
        yield bars.line("  tube used", spread(judged.tube_used), "never left", left == 0)
        yield bars.line("  speed in its band", spread(judged.speed_in_band), "≥ 0.90", judged.speed_in_band >= 0.90)
    for cycles in range(3, LONGEST + 1):
        tried = arm.but(rig=replace(arm.rig, delay=cycles)).study(64, seed=1).judged
        share = float(np.mean(ended(tried) & (tried.tube_violations_after_entry == 0)))
        try:
            notes = arm.but(delay=cycles).cycle.notes
        except mc.Error as error:
            yield f"  {cycles} cycles are refused: {error}"
            yield f"    and {share:.0%} of 64 plants would hold {verdict(share < MOST)}"
            return
        said = notes[0] if notes else "by nobody"
        yield f"  {cycles} cycles are noted: {said}; {share:.0%} of 64 plants hold {verdict(bool(notes))}"
    yield f"  {LONGEST} cycles are not refused {verdict(False)}"
