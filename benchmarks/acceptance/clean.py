"""Wiping over random plants: force, speed, tilt and tube on planes, slopes and a dome; why not the printed force."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from acceptance import SEEDS, verdict
from acceptance.lazy_plants import Bars, ended, heading, spread, studied
from motionc.simulate.experiment import Experiment
from motionc.simulate.rig import Ground
from motionc.simulate.shipped_experiments import shipped_experiment
from motionc.tasks import Force
from motionc.tasks.force_parts import FELT
from motionc.tasks.forces import FORCE, MOST_FORCE

PLANTS, SLOPES = 250, 128
FLAT, BENT = {"force": 0.90, "speed": 0.95, "tilt": 0.5}, {"force": 0.70, "tilt": 0.5}
"""What is wanted of each plant: shares of the time, and degrees."""
PRINTED, PRINTED_TOLERANCE, PRINTED_MOST, PRINTED_STEP = 0.03, 0.003, 300.0, 5e-4
"""The thesis' force and its tolerance (N), its largest command (N), and a step of its author's bias."""


def figures() -> Iterator[str]:
    plane, slope, dome = (shipped_experiment(name, "lwr4") for name in ("clean", "clean_slope", "clean_dome"))
    for seed in SEEDS:
        yield from _wiped(plane, PLANTS, seed, FLAT)
    for seed in SEEDS:
        for shape in ("slope_x", "slope_y"):
            yield from _sloping(slope.but(ground=Ground(shape)), seed)
    for seed in SEEDS:
        yield from _wiped(dome, PLANTS, seed, BENT)
    yield from _wiped(dome.but(ground=Ground("bowl"), name="clean_bowl"), PLANTS, 1, BENT)
    yield from _harder(plane)
    yield from _printed(plane)


def _wiped(experiment: Experiment, plants: int, seed: int, wanted: dict[str, float]) -> Iterator[str]:
    judged, title = studied(experiment, plants, seed)
    yield from heading(title)
    bars, tilt = Bars(judged, share=1.0), np.degrees(judged.tilt)
    yield bars.line("the goal is reached, and joints stand, s", spread(judged.goal_s), "each", ended(judged))
    for name, share in (("force", judged.force_in_band), ("speed", judged.speed_in_band)):
        least = wanted.get(name, 0.0)
        yield bars.line(f"{name} in its band", spread(share), f"≥ {least:.2f}" if least else "told", share >= least)
    yield bars.line("tilt, degrees", spread(tilt), f"≤ {wanted['tilt']:g}", tilt <= wanted["tilt"])
    left = judged.tube_violations_after_entry
    yield bars.line("share of the tube used", spread(judged.tube_used), "never left, in any mode", left == 0)
    yield bars.line("contact lost", spread(judged.losses, 0), "never", judged.losses == 0)


def _sloping(experiment: Experiment, seed: int) -> Iterator[str]:
    judged, title = studied(experiment, SLOPES, seed)
    ground: Any = experiment.rig.ground
    yield from heading(f"{title}, {ground.shape}")
    bars = Bars(judged)
    yield bars.line("done within 40 s", spread(judged.goal_s, 1), "each", ended(judged) & (judged.goal_s <= 40.0))
    yield f"    tilt, degrees: {spread(np.degrees(judged.tilt))}; force in its band: {spread(judged.force_in_band)}"


def _harder(plane: Experiment) -> Iterator[str]:
    """Noise, friction and stiffness far from what it was tuned for: told, and of noise a bar."""
    pad, rig = plane.rig.pad, plane.rig
    assert pad is not None
    cases = {
        "noise of force and moment × 3": replace(
            rig, force_noise=3 * rig.force_noise, moment_noise=3 * rig.moment_noise
        ),
        "friction of the surface 0.6": replace(rig, pad=replace(pad, friction=0.6)),
        "pad of 20 000 N/m": replace(rig, pad=replace(pad, stiffness=2e4)),
        "pad of 1 000 N/m": replace(rig, pad=replace(pad, stiffness=1e3)),
    }
    for title, harder in cases.items():
        judged, _ = studied(plane.but(rig=harder, seconds=40.0), 64, 1)
        force = judged.force_in_band
        told = f"force in its band: {spread(force)}, tilt, degrees: {spread(np.degrees(judged.tilt), 2)}"
        bar = f", force ≥ 0.85 {verdict(np.nanmin(force) >= 0.85)}" if "noise" in title else ""
        yield f"  {title}: {np.mean(ended(judged)):.0%} of 64 plants done; {told}{bar}"


def _printed(plane: Experiment) -> Iterator[str]:
    yield from heading(f"the printed {PRINTED:g} ± {PRINTED_TOLERANCE:g} N")
    step, ours = PRINTED_STEP * PRINTED_MOST, FORCE.bias_step * MOST_FORCE
    yield (
        f"  one step of the author's bias is {PRINTED_STEP:g} × {PRINTED_MOST:g} N = {step:g} N, "
        f"{step / (2 * PRINTED_TOLERANCE):.0f} times as wide as the band; ours {ours:.4f} N, "
        f"{ours / (2 * PRINTED_TOLERANCE):.1f} times"
    )
    sigma = plane.rig.force_noise
    inside = math.erf(PRINTED_TOLERANCE / (sigma * math.sqrt(2)))
    band = f"± {PRINTED_TOLERANCE:g} N"
    yield f"  pressed exactly, a sensor whose noise is {sigma:g} N reads within {band} in {inside:.1%} of cycles"
    contact = 5 * sigma
    yield f"  contact is felt from 5 deviations on, {contact:g} N, {contact / PRINTED:.0f} times the force"
    asked = replace(plane.task, z=Force(PRINTED, PRINTED_TOLERANCE))
    judged, _ = studied(plane.but(task=asked, seconds=40.0), 64, 1)
    held = np.nan_to_num(judged.force_in_band)
    done = np.mean(np.isfinite(judged.goal_s))
    yield f"  tried all the same, 64 plants: {done:.0%} done, in the band {spread(held)} of the time"
    yield f"    out of reach: less than half of it in every plant {verdict(float(held.max()) < 0.5)}"
    yield f"  errors count from {FELT:g} of a tolerance on: above such noise where that is {sigma / FELT:.2f} N or more"
