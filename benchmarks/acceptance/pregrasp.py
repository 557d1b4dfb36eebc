"""Pre-grasp over random plants, judged on the true state: in both precisions, on MuJoCo, on a youBot."""

from collections.abc import Iterator

import numpy as np

from acceptance import SEEDS, verdict
from acceptance.lazy_plants import Bars, ended, heading, never_left, spread, studied, within
from motionc.simulate.experiment import Experiment
from motionc.simulate.judged_tasks import JudgedTask
from motionc.simulate.shipped_experiments import shipped_experiment

PLANTS, YOUBOTS, CHECKED, WITNESSES = 1000, 500, 256, 6
"""Plants of each seed, and how many are compared in single precision, and on MuJoCo."""
ENTRY, GOAL = (0.05, 0.15), (8.3, 8.9)
"""After the law (s); and since the start (s)."""
IDLE = {0: 0.03, 4: 0.005, 6: 0.005}
"""Joints 1, 5 and 7: the largest share of their effort."""
FIGURES = ("tube_entry_s", "goal_s", "speed_in_band", "work_J")


def figures() -> Iterator[str]:
    arm = shipped_experiment("pregrasp", "lwr4")
    for seed in SEEDS:
        yield from _arm(arm, seed)
    yield from _single(arm)
    yield from _mujoco(arm)
    youbot = shipped_experiment("pregrasp", "youbot_arm")
    for seed in SEEDS:
        yield from _youbot(youbot, seed)


def _arm(arm: Experiment, seed: int) -> Iterator[str]:
    judged, title = studied(arm, PLANTS, seed)
    yield from heading(title)
    bars, after = Bars(judged), judged.tube_entry_s - judged.law_s
    yield bars.line("the goal is reached, and joints stand", "", "each", ended(judged))
    least, largest = ENTRY
    wanted = f"law + {least} … {largest} s"
    yield bars.line("entry after the law, s", spread(after), wanted, within(after, least, largest))
    middle = float(np.median(after))
    yield f"    its median {middle:.3f} s in {least} … {largest} {verdict(least <= middle <= largest)}"
    yield bars.line("goal, s", spread(judged.goal_s), "8.6 ± 0.3", within(judged.goal_s, *GOAL))
    yield from _kept(bars)
    for joint, most in IDLE.items():
        share = judged.torque_rms_share[:, joint]
        yield bars.line(f"joint {joint + 1} RMS, %", spread(100 * share, 2), f"< {100 * most:g}", share < most)
    margin = judged.limit_margin
    yield bars.line("nearest to a joint limit, rad", spread(margin, 5), "≥ 0", margin >= 0.0)
    yield bars.all()


def _kept(bars: Bars) -> Iterator[str]:
    """The tube and the band."""
    judged = bars.judged
    left, used = judged.tube_violations_after_entry, spread(judged.tube_used)
    yield bars.line("share of the tube used after entry", used, "never left, in any mode", left == 0)
    yield bars.line("transitions", spread(judged.transitions, 0), "≤ 2", judged.transitions <= 2)
    band = judged.speed_in_band
    yield bars.line("speed in its band", spread(band), "≥ 0.90", band >= 0.90)
    yield f"    its median {np.median(band):.3f} ≥ 0.95 {verdict(np.median(band) >= 0.95)}"


def _beside(one: JudgedTask, other: JudgedTask, most: float) -> Iterator[str]:
    """Medians of two studies."""
    for name in FIGURES:
        ours, theirs = (float(np.median(getattr(judged, name))) for judged in (one, other))
        off = abs(theirs / ours - 1)
        yield f"  {name}: {ours:.4f} and {theirs:.4f}, {off:.2%} apart, ≤ {most:.0%} {verdict(off <= most)}"


def _single(arm: Experiment) -> Iterator[str]:
    yield from heading(f"the same {CHECKED} plants in double and in single precision, medians")
    double, single = (arm.but(precision=which).study(CHECKED, seed=1).judged for which in ("double", "single"))
    yield never_left(single)
    yield from _beside(double, single, 0.01)


def _mujoco(arm: Experiment) -> Iterator[str]:
    yield from heading(f"{WITNESSES} of our plants beside MuJoCo's, whose dry friction holds, medians")
    lanes = range(WITNESSES)
    ours = JudgedTask.joined([arm.run(plant=k, seed=1).judged for k in lanes])
    dry = arm.but(engine="mujoco", resistance="stiction")
    theirs = JudgedTask.joined([dry.run(plant=k, seed=1).judged for k in lanes])
    yield never_left(theirs)
    yield from _beside(ours, theirs, 0.03)


def _youbot(youbot: Experiment, seed: int) -> Iterator[str]:
    judged, title = studied(youbot, YOUBOTS, seed)
    yield from heading(title)
    bars = Bars(judged)
    yield bars.line("the goal is reached, and joints stand", "", "each", ended(judged))
    yield bars.line("entry, s", spread(judged.tube_entry_s), "4.2 ± 0.25", within(judged.tube_entry_s, 3.95, 4.45))
    yield bars.line("goal, s", spread(judged.goal_s), "8.0 ± 0.35", within(judged.goal_s, 7.65, 8.35))
    yield from _kept(bars)
    margin = np.degrees(judged.limit_margin)
    yield bars.line("nearest to a joint limit, degrees", spread(margin, 1), "≥ 5", margin >= 5.0)
    yield bars.all()
