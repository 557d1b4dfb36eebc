"""The author's own constants: they reproduce the times of the thesis, and miss the band of the speed.

specs/lazy-control.md §2.8: values of his public code, for x, y and z alike; largest commands of 60 as printed in §3.1.
"""

from collections.abc import Iterator

import numpy as np

from acceptance import SEEDS, verdict
from acceptance.lazy_plants import heading, spread, studied
from motionc.control import Abag
from motionc.simulate.shipped_experiments import shipped_experiment

PLANTS, AXES = 128, ("x", "y", "z")
HIS = Abag(filter=0.8, ignore=0.000507, bias_step=0.000495, panic=0.452492, gain_step=0.002052)
ENTRY, GOAL, CLOSE = 4.5, 8.5, 0.3
"""What the thesis reports (s), and how near medians come."""
POOR = 0.75
"""The share of time in its band that his speed stays below."""


def figures() -> Iterator[str]:
    ours = shipped_experiment("pregrasp", "lwr4")
    his = ours.but(controllers=dict.fromkeys(AXES, HIS), maximum=dict.fromkeys(AXES, 60.0))
    for note in his.cycle.notes:
        yield f"  noted: {note}"
    for seed in SEEDS:
        judged, title = studied(his, PLANTS, seed)
        yield from heading(title)
        for what, values, reported in (("entry", judged.tube_entry_s, ENTRY), ("goal", judged.goal_s, GOAL)):
            middle = float(np.nanmedian(values))
            told = f"{spread(values)}, thesis {reported} ± {CLOSE}"
            yield f"  {what}, s: {told} {verdict(abs(middle - reported) <= CLOSE)}"
        band, usual = float(np.nanmedian(judged.speed_in_band)), ours.study(PLANTS, seed=seed).judged
        yield f"  speed in its band: {spread(judged.speed_in_band)}, median below {POOR}: missed {verdict(band < POOR)}"
        times = np.median(judged.activity) / np.median(usual.activity)
        yield f"  commands move {times:.1f} times as much as with ours ({spread(usual.speed_in_band)} in the band)"
