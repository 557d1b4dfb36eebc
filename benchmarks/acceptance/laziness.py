"""Laziness: pre-grasps of an LWR 4 beside stiff trackers on the same random plants; bars, and what saves.

Work is positive mechanical work of motors on the true state, until the goal. Trackers go onto the axis of the tube
first and then along it, as the lazy task does; beside it a straight line to the goal, which no tube allows that is
narrower than the tool is away.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc.control import Rest
from motionc.simulate.experiment import Experiment
from motionc.simulate.laziness import LAZY, NAMES, Laziness, laziness_of
from motionc.simulate.shipped_experiments import shipped_experiment
from motionc.tasks import Tube

PLANTS, SEEDS = 64, (1, 2, 3)
WIDE = 0.05
SIX, THREE = NAMES["six"], NAMES["three"]


def figures() -> Iterator[str]:
    """Tables, then a line a bar and seed; beside them the ratios with the rest policy that joints have unless said."""
    shipped = shipped_experiment("pregrasp")
    yield from _tables(shipped)
    yield f"\n  as shipped: {PLANTS} plants a seed"
    for seed in SEEDS:
        yield from _bars(shipped, seed)
    usual = shipped.but(rest=Rest("float"))
    for seed in SEEDS:
        narrow = laziness_of(usual, plants=PLANTS, seed=seed, kinds=("six",))
        wide = laziness_of(_wide(usual), plants=PLANTS, seed=seed, kinds=("three",))
        said = f"seed {seed}: rest unless said: of six rows; 5 cm, of three"
        yield f"  {said:<58} {narrow.share(SIX):7.3f} {wide.share(THREE):7.3f}"
    yield from _up_and_down(shipped)


def _wide(experiment: Experiment) -> Experiment:
    """Wider tubes, with the laws that tubes have unless said: nothing hurries there."""
    own = experiment.control
    laws, most = ({row: of for row, of in said.items() if row == "x"} for said in (own.controllers, own.maximum))
    wide = replace(experiment.task, y=Tube(WIDE), z=Tube(WIDE))
    return experiment.but(task=wide, controllers=laws, maximum=most)


def _tables(shipped: Experiment) -> Iterator[str]:
    for said, one in (("a tube of 1 cm", shipped), ("a tube of 5 cm", _wide(shipped))):
        for way in ("axis", "straight"):
            yield f"\n  {said}, trackers {'onto its axis first' if way == 'axis' else 'straight to the goal'}"
            table = laziness_of(one, plants=PLANTS, seed=SEEDS[0], way=way)
            yield from (f"  {line}" for line in str(table).splitlines())


def _bars(experiment: Experiment, seed: int) -> Iterator[str]:
    narrow = laziness_of(experiment, plants=PLANTS, seed=seed, kinds=("six", "three"))
    wide = laziness_of(_wide(experiment), plants=PLANTS, seed=seed, kinds=("three",))
    yield _line(f"seed {seed}: work, of that of six rows", narrow.share(SIX), 0.75)
    for joint in (4, 6):
        share = narrow.torque(LAZY)[joint] / narrow.torque(SIX)[joint]
        yield _line(f"seed {seed}: torque of joint {joint + 1}, of that of six rows", share, 0.2)
        yield _line(f"seed {seed}: torque of joint {joint + 1}, worst plant", _worst(narrow, joint), 0.005)
    yield _line(f"seed {seed}: torque of joint 1, worst plant", _worst(narrow, 0), 0.03)
    yield _line(f"seed {seed}: 5 cm: work, of that of three rows", wide.share(THREE), 0.8)
    said = f"seed {seed}: 1 cm: work, of that of three rows"
    yield f"  {said:<58} {narrow.share(THREE):7.3f} (the rows save, not the law)"


def _worst(table: Laziness, joint: int) -> float:
    return float(table.judged[LAZY].torque_rms_share[:, joint].max())


def _up_and_down(shipped: Experiment) -> Iterator[str]:
    start = np.array([0.3, 0.6, 0.0, -1.4, 0.0, 0.9, 0.0])
    here = mc.forward_kinematics(mc.load("lwr4"), "link_7")(start)[0, :3, 3]
    work = list[Any]()
    for up in (1.0, -1.0):
        frame = np.eye(4)
        frame[:3, :3] = np.column_stack([[0, 0, up], [1, 0, 0], [0, up, 0]])
        frame[:3, 3] = here + np.array([0, 0, 0.2 * up])
        work.append(shipped.but(start=start, frames={"T": frame}, seconds=4.0).study(PLANTS).judged.work_J)
    yield ""
    yield _line("0.17 m down, work of that upwards, worst plant", float(np.max(work[1] / work[0])), 1.0)
    yield f"  {'median upwards, downwards (J)':<58} {np.median(work[0]):7.2f} {np.median(work[1]):7.2f}"


def _line(what: str, value: float, bar: float) -> str:
    return f"  {what:<58} {value:7.3f} (wanted ≤ {bar:g}) {verdict(value <= bar)}"
