"""Paths over random plants: sections in time, tubes, how soon the speed is back; a chirp by how far it is off."""

from collections.abc import Iterator

import numpy as np

from acceptance import SEEDS, verdict
from acceptance.lazy_plants import Bars, ended, heading, spread, studied
from motionc.simulate.shipped_experiments import shipped_experiment

PLANTS, CHIRPS = 500, 64


def figures() -> Iterator[str]:
    path = shipped_experiment("path", "lwr4")
    for seed in SEEDS:
        judged, title = studied(path, PLANTS, seed)
        yield from heading(title)
        bars = Bars(judged)
        yield bars.line("all sections, s", spread(judged.goal_s), "< 12", ended(judged) & (judged.goal_s < 12.0))
        left = judged.tube_violations_after_entry
        yield bars.line("share of the tube used after entry", spread(judged.tube_used), "never left", left == 0)
        band = judged.speed_in_band
        yield bars.line("speed in its band, dips and all", spread(band), "≥ 0.88", band >= 0.88)
        yield bars.all()
        back = np.nanquantile(judged.recovery_s, 0.99)
        soon = f"99 % within {back:.3f} ≤ 0.06 {verdict(back <= 0.06)}"
        yield f"  recovery of the speed, s: {spread(judged.recovery_s)}, {soon}"
    chirp = shipped_experiment("chirp", "youbot_arm")
    for seed in SEEDS:
        judged, title = studied(chirp, CHIRPS, seed)
        yield from heading(title)
        bars = Bars(judged)
        yield bars.line("90 points, s", spread(judged.goal_s), "≤ 18", ended(judged) & (judged.goal_s <= 18.0))
        away = 1e3 * judged.path_m
        yield bars.line("farthest from the path, mm", spread(away, 1), "≤ 20", away <= 20.0)
        yield bars.line("speed in its band", spread(judged.speed_in_band), "≥ 0.90", judged.speed_in_band >= 0.90)
        yield bars.all()
