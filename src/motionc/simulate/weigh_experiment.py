"""What is weighed, in which poses, on what? Experiments of weighing as data, and as files with `weigh:` for a task.

    weigh: {tool: link_7, poses: [0.3 0.6 … rad, …], mass: [0.5 kg, 2 kg], center: [0 m, 0 m, 8 cm], spread: 5 cm}

One load is the middle of what may hang there; of many plants each has its own.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations.loading import load
from motionc.formats.located import Node
from motionc.formats.records import Amount, Key, Record, Several, Whole, Words, located
from motionc.geometry.units import Quantity
from motionc.simulate.experiment_document import parsed, robot_beside
from motionc.simulate.experiment_records import ANGLES, RIG, Row, pinned, rig
from motionc.simulate.rig import Rig
from motionc.simulate.weighings import Swing, Weighed, Weighings
from motionc.tasks import Weighing

Array = np.ndarray[Any, np.dtype[np.float64]]
INERTIA = 0.002
"""Of a load about its centre of mass, for each kilogram (m²)."""
SWUNG = Weighing(period=2.0, tolerance=0.02, gain=1.0)
"""How signals are averaged where the reference swings."""


@dataclass(frozen=True)
class Loads:
    """What may hang on a tool: a mass between two (kg), its centre about a place in the tool's axes (m).

    >>> Loads((0.5, 1.5), (0, 0, 0.1)).middle[:4].tolist()
    [1.0, 0.0, 0.0, 0.1]

    Args:
        mass: the least and the largest (kg).
        center: where centres of mass are about (m).
        spread: how far off they are at most, along each axis (m).
    """

    mass: Sequence[float]
    center: Sequence[float] = (0.0, 0.0, 0.0)
    spread: float = 0.0

    def __post_init__(self) -> None:
        wanted = "give the least and the largest, > 0 (kg)"
        least, most = checked.numbers("Loads: mass", self.mass, wanted, (2,))
        if not 0 < least <= most:
            raise checked.refusal("Loads: mass", self.mass, wanted)
        checked.numbers("Loads: center", self.center, "give three numbers (m)", (3,))
        checked.number("Loads: spread", self.spread, "give metres ≥ 0", fits=lambda spread: spread >= 0)

    @property
    def middle(self) -> Array:
        """The load in the middle: mass, centre of mass, inertia about it."""
        return _ten(np.mean(self.mass, keepdims=True), np.array([self.center]))[0]

    def drawn(self, count: int, seed: int) -> Array:
        """So many loads, (N, 10)."""
        rng, (least, most) = np.random.default_rng(seed), self.mass
        mass = rng.uniform(least, most, count)
        return _ten(mass, np.asarray(self.center) + rng.uniform(-self.spread, self.spread, (count, 3)))


def _ten(mass: Array, center: Array) -> Array:
    found = np.zeros((len(mass), 10))
    found[:, 0], found[:, 1:4], found[:, [4, 7, 9]] = mass, center, INERTIA * mass[:, np.newaxis]
    return found


@dataclass(frozen=True)
class WeighExperiment:
    """An experiment of weighing: a robot holds a tool in several poses, without a load and with it.

    Args:
        robot: a robot that comes along, or the path of a file.
        tool: the frame that loads hang on.
        poses: configurations in which it is held.
        loads: what hangs there.
        rig: the plant.
        swing: of the reference, where joints stick; None, it stands still.
        seconds: without the load in each pose, and again with it.
        seed: of loads, plants and noise.
        name: of the experiment.
    """

    robot: str
    tool: str
    poses: Sequence[Sequence[float]]
    loads: Loads
    _: KW_ONLY
    rig: Rig
    swing: Swing | None = None
    seconds: float = 10.0
    seed: int = 0
    name: str = "weigh"

    @cached_property
    def weighings(self) -> Weighings:
        """What holds and weighs."""
        still = Weighings(load(self.robot), self.tool, self.poses, rig=self.rig, seconds=self.seconds)
        return still if self.swing is None else replace(still, swing=self.swing, weigh=SWUNG)

    def run(self, plants: int | None = None, seed: int | None = None) -> tuple[Array, Weighed]:
        """Loads, and what was learnt of them: the middle one on one plant, or one on each of many that differ."""
        which = self.seed if seed is None else seed
        hung = self.loads.middle[np.newaxis] if plants is None else self.loads.drawn(plants, which)
        return hung, self.weighings.weighed(hung, seed=which)


# ---------------------------------------------------------------- as a file


def _swing(amplitude: tuple[float, ...] = (0.01,), period: float = 2.0) -> Swing:
    return Swing(amplitude[0], period)


WEIGH = Record(
    "what is weighed",
    dict,
    {
        "tool": Key(Words(), needed=True),
        "poses": Key(Several(Row(ANGLES)), needed=True),
        "mass": Key(Several(Amount(Quantity.MASS, positive=True), 2), needed=True),
        "center": Key(Several(Amount(Quantity.LENGTH), 3)),
        "spread": Key(Amount(Quantity.LENGTH)),
        "swing": Key(
            Record(
                "a swing",
                Swing,
                {"amplitude": Key(Row(ANGLES, count=1)), "period": Key(Amount(Quantity.TIME, positive=True))},
                make=_swing,
            )
        ),
        "seconds": Key(Amount(Quantity.TIME, positive=True)),
    },
)
DOCUMENT = Record(
    "an experiment of weighing",
    dict,
    {
        "weigh": Key(WEIGH, needed=True),
        "experiment": Key(Words(), "name", needed=True),
        "about": Key(Words()),
        "robot": Key(Words(), needed=True),
        "plant": Key(Record("a plant", Rig, RIG, make=rig), "rig", needed=True),
        "seed": Key(Whole(0)),
    },
)


def weighs(path: str | Path) -> bool:
    """Whether a file is an experiment of weighing."""
    return DOCUMENT.takes(parsed(path))


def read_weighing(path: str | Path) -> WeighExperiment:
    """The experiment of a .yaml or .json file that has `weigh:`."""
    node: Node = parsed(path)
    said = DOCUMENT.read(node)
    said.pop("about", None)
    robot, held = robot_beside(node, said.pop("robot"), Path(path).parent), said.pop("weigh")
    loads = {part: held.pop(part) for part in ("mass", "center", "spread") if part in held}
    with located(node.entries["weigh"]):
        return WeighExperiment(robot, loads=pinned(Loads)(**loads), **held, **said)
