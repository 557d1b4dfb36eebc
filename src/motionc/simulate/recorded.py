"""What a file of a recording holds: signals, the robot, seed and versions, and what was declared, as data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from motionc import checked
from motionc.errors import Error
from motionc.simulate.declarations import DECLARED, Band, Mark, Mode, Reference, Tube, listed
from motionc.simulate.signals import Signal


@dataclass(frozen=True)
class Model:
    """Whom a recording is about: text of a file, and how the robot was made of it."""

    text: str
    form: Literal["urdf", "json"] = "urdf"
    name: str = ""
    floating: bool = False
    fixed: Mapping[str, float] = field(default_factory=dict[str, float])
    mimic: str = "follow"

    def __post_init__(self) -> None:
        checked.words("Model: text", self.text)
        checked.name("Model: name", self.name, "give the robot's name", empty=True)
        checked.one_of("Model: form", self.form, ("urdf", "json"))
        checked.flag("Model: floating", self.floating)
        checked.instance("Model: fixed", self.fixed, Mapping, "give {joint: value}")


def by_name(what: str, signals: Any) -> Mapping[str, Signal]:
    """Signals by their names."""
    listed: Iterable[Any] = signals.values() if isinstance(signals, Mapping) else signals
    found = dict[str, Signal]()
    for one in checked.several(what, listed, "give signals: mc.simulate.Signal(…)", Signal):
        signal = checked.instance(what, one, Signal, "give signals: mc.simulate.Signal(…)")
        if signal.name in found:
            raise Error(f"{what}: two are called {signal.name!r}; give each its own name")
        found[signal.name] = signal
    return MappingProxyType(found)


@dataclass(frozen=True, eq=False)
class Recorded:
    """All that a file of a recording holds.

    Args:
        signals: over time, by name.
        model: whom it is about.
        dt: seconds of a step; 0 where there is none.
        seed: of noise.
        lane: whose noise.
        batch: whether it was one of many lanes at once, which run in vectors.
        turn: how many turns were made before it.
        steps: how many were made in it.
        inputs: what the run was given: where it began, what was held (one row), what was streamed in.
        versions: who wrote it, {name: version}.
        marks: what happened when.
        bands: where signals are to stay.
        references: which signal another is to follow.
        modes: of state machines.
        tubes: in which frames of the robot are to stay.
        task: what was to be done, in words or data of whoever set it.
        notes: what is wrong with the file it was read from, in sentences.
    """

    signals: Mapping[str, Signal] = field(default_factory=dict[str, Signal])
    model: Model | None = None
    dt: float = 0.0
    seed: int = 0
    lane: int = 0
    batch: bool = False
    turn: int = 0
    steps: int = 0
    inputs: Mapping[str, Signal] = field(default_factory=dict[str, Signal])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    references: tuple[Reference, ...] = ()
    modes: tuple[Mode, ...] = ()
    tubes: tuple[Tube, ...] = ()
    task: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keep = object.__setattr__
        for name in ("signals", "inputs"):
            keep(self, name, by_name(f"Recording: {name}", getattr(self, name)))
        keep(self, "dt", checked.number("Recording: dt", self.dt, "give seconds of a step", fits=lambda dt: dt >= 0))
        for name in ("seed", "lane", "turn", "steps"):
            number = checked.whole(f"Recording: {name}", getattr(self, name), 0)
            if number >= 2**64:
                raise checked.refusal(f"Recording: {name}", number, "give a whole number below 2^64")
            keep(self, name, number)
        for name, kind in DECLARED.items():
            keep(self, name, listed(f"Recording: {name}", getattr(self, name), kind))
        machines = [mode.machine for mode in self.modes]
        for twice in (name for name in machines if machines.count(name) > 1):
            raise Error(f"Recording: modes: two machines are called {twice!r}; say Mode(…, machine=…)")
        checked.flag("Recording: batch", self.batch)
        checked.words("Recording: task", self.task)
        wanted = "give {name: version}"
        versions = checked.instance("Recording: versions", self.versions, Mapping, wanted)
        for name, version in versions.items():
            for word in (name, version):
                checked.words("Recording: versions", word, wanted)
        keep(self, "notes", checked.names("Recording: notes", self.notes, "give sentences"))
        if self.model is not None:
            checked.instance("Recording: model", self.model, Model, "give what Recording.of made")
