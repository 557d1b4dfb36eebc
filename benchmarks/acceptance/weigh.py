"""Loads weighed over random plants in six poses: held still, held still where joints stick, and swung there."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import motionc as mc
from acceptance import SEEDS, verdict
from acceptance.lazy_plants import heading, spread
from motionc.simulate import Swing, WeighExperiment, read_weighing
from motionc.simulate.shipped_experiments import FOLDER

LOADS = 64


def figures() -> Iterator[str]:
    still = read_weighing(FOLDER / "weigh.lwr4.yaml")
    for seed in SEEDS:
        yield from _weighed("held still", still, seed, 0.90)
    sticking = replace(still, rig=replace(still.rig, resistance="stiction"))
    yield from _stuck(sticking)
    for seed in SEEDS:
        yield from _weighed("joints that stick, swung by ± 0.01 rad", replace(sticking, swing=Swing()), seed, 0.85)


def _weighed(title: str, study: WeighExperiment, seed: int, wanted: float) -> Iterator[str]:
    hung, found = study.run(LOADS, seed)
    yield from heading(f"{LOADS} loads of 0.5 to 2 kg, six poses, {title}, seed {seed}")
    off, away = np.abs(found.mass / hung[:, 0] - 1), np.linalg.norm(found.center - hung[:, 1:4], axis=1)
    yield f"  mass, % off: {spread(100 * off)}, 95 % within {100 * np.quantile(off, 0.95):.2f}"
    yield f"  centre of mass, mm away: {spread(1e3 * away, 1)}"
    held = float(np.mean(found.within(hung)))
    yield f"  within 2 % and 1 cm: {held:.1%} ≥ {wanted:.0%} {verdict(held >= wanted)}"
    yield f"  counted before signals had converged: {found.early.sum():.0f} {verdict(not found.early.any())}"
    yield f"  commands away from their reference in the end: {spread(found.off, 4)} of the largest"


def _stuck(study: WeighExperiment) -> Iterator[str]:
    hung, found = study.run(LOADS, 1)
    yield from heading(f"{LOADS} loads, joints that stick, held still")
    held = float(np.mean(found.within(hung)))
    yield f"  poses counted: {spread(found.poses, 0)} of 6"
    yield f"  within 2 % and 1 cm: {held:.1%}: it fails {verdict(held < 0.5)}"
    gravity = mc.gravity_forces(mc.load(study.robot), parameters=[f"{study.tool}.payload"])
    load = np.array([1.0, *study.loads.center, *[0.0] * 6])
    felt = np.abs(gravity(np.array(study.poses[0]), load) - gravity(np.array(study.poses[0]), np.zeros(10)))
    holds = 2.0 * np.asarray(study.rig.coulomb, float)
    numbers = " ".join(f"{tau:.1f}" for tau in felt), " ".join(f"{most:g}" for most in holds)
    yield f"  1 kg at the tool asks {numbers[0]} N m of joints that hold up to {numbers[1]} N m before they move:"
    yield f"    {1 / np.max(felt / holds):.2f} kg need move none of them"
