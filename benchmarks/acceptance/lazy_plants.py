"""Random plants that a lazy task is tried on, and how figures of all of them are written: median [least, largest]."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acceptance import verdict
from motionc.simulate.experiment import Experiment
from motionc.simulate.judged_tasks import JudgedTask

Array = np.ndarray[Any, np.dtype[np.float64]]
MOST = 0.99
"""Of plants, how many must hold a bar."""


def spread(values: Any, digits: int = 3) -> str:
    known = np.asarray(values, float)
    if not np.isfinite(known).any():
        return "never"
    least, middle, largest = np.nanmin(known), np.nanmedian(known), np.nanmax(known)
    return f"{middle:.{digits}f} [{least:.{digits}f} {largest:.{digits}f}]"


def within(values: Array, least: float, largest: float) -> Array:
    """Of each plant, whether it is so; what never came to pass is not."""
    return np.nan_to_num(values, nan=np.inf) >= least if largest == np.inf else (values >= least) & (values <= largest)


@dataclass
class Bars:
    """Bars that each plant holds or misses, told one a line; a plant is good that holds them all."""

    judged: JudgedTask
    share: float = MOST
    good: Array = field(init=False)

    def __post_init__(self) -> None:
        self.good = np.ones(self.judged.lanes, bool)

    def line(self, what: str, figure: str, wanted: str, held: Array) -> str:
        """A bar of every plant."""
        self.good = self.good & held
        return f"  {what}: {figure}, {wanted}: {np.mean(held):.1%} of plants {verdict(np.mean(held) >= self.share)}"

    def all(self) -> str:
        """How many hold every bar at once."""
        share = np.mean(self.good)
        return f"  all of that at once: {share:.1%} of plants, ≥ {self.share:.0%} {verdict(share >= self.share)}"


def ended(judged: JudgedTask) -> Array:
    """Whether each has reached its goal and stands."""
    return np.isfinite(judged.goal_s) & (np.array(judged.state) == "STOP_MOTION")


def studied(experiment: Experiment, plants: int, seed: int) -> tuple[JudgedTask, str]:
    """The plants of a seed, and a heading."""
    tried = experiment.study(plants, seed=seed)
    return (
        tried.judged,
        f"{experiment.name} of {experiment.model.name}, {plants} plants of seed {seed} ({tried.wall:.1f} s)",
    )


def never_left(judged: JudgedTask) -> str:
    """The line that says of how many plants the tube was left."""
    left = int(np.count_nonzero(judged.tube_violations_after_entry))
    held = left <= (1 - MOST) * judged.lanes
    return f"  tube left: {left} of {judged.lanes} plants, ≤ {1 - MOST:.0%} {verdict(held)}"


def heading(title: str) -> Iterator[str]:
    yield ""
    yield title
