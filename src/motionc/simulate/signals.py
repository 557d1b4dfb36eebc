"""What a recording is made of: signals over time, marks, bands, references and modes, as data that checks itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.errors import Error, WrongType
from motionc.real import real_numbers

Array = np.ndarray[Any, np.dtype[Any]]
LATEST = 1.8e10
"""Seconds that 64 bits of nanoseconds hold."""
TIMES = f"give seconds from 0 to {LATEST:g} that do not go back, one a row"


@dataclass(frozen=True, eq=False)
class Signal:
    """A signal: a row of numbers at each time, and what they are.

    >>> Signal("q", [0.0, 0.1], [[1.0, 2.0], [1.5, 2.0]], "rad", ("shoulder", "elbow")).at(0.05)
    array([1., 2.])

    Args:
        name: of the signal.
        times: seconds, (K,).
        values: (K, …), as doubles or singles.
        unit: of all entries, or of each, in words.
        labels: what each entry of a row is called.
        meaning: what it is, in words.
        relation: of which body, wrt which, at which point and as seen by which frame it is, in words.
    """

    name: str
    times: Any
    values: Any
    unit: str = ""
    labels: tuple[str, ...] = ()
    meaning: str = ""
    relation: str = ""

    def __post_init__(self) -> None:
        what = f"Signal {checked.name('Signal: name', self.name)}"
        times = checked.numbers(f"{what}: times", self.times, TIMES, (None,))
        if times.size and (times[0] < 0 or times[-1] > LATEST or np.any(np.diff(times) < 0)):
            raise checked.refusal(f"{what}: times", self.times, TIMES)
        values = rows_of(f"{what}: values", self.values)
        if values.shape[:1] != times.shape:
            raise Error(f"{what}: {len(times)} times, but values of shape {values.shape}; give a row a time")
        for word in ("unit", "meaning", "relation"):
            checked.words(f"{what}: {word}", getattr(self, word))
        size = int(np.prod(values.shape[1:], dtype=int))
        labels = checked.names(f"{what}: labels", self.labels, "name each entry of a row")
        if labels and len(labels) != size:
            raise Error(f"{what}: {len(labels)} labels for {size} entries; name each, or none")
        for name, kept in (("times", times), ("values", values), ("labels", labels)):
            object.__setattr__(self, name, kept)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a row."""
        return self.values.shape[1:]

    @property
    def flat(self) -> Array:
        """Rows without axes, (K, entries)."""
        return self.values.reshape(len(self.times), int(np.prod(self.shape, dtype=int)))

    @property
    def columns(self) -> tuple[str, ...]:
        """What each entry is called, in tables."""
        if not self.shape:
            return (self.name,)
        labels = self.labels or tuple(",".join(map(str, place)) for place in np.ndindex(*self.shape))
        return tuple(f"{self.name}[{label}]" for label in labels)

    def at(self, time: float) -> Array:
        """The row that holds at a time: the last one before it, or the first."""
        if not len(self.times):
            raise Error(f"signal {self.name} has no rows")
        return self.values[max(int(np.searchsorted(self.times, time, side="right")) - 1, 0)]

    def __repr__(self) -> str:
        return f"Signal({self.name}: {len(self.times)} rows of {self.shape or 'one number'}, {self.unit or '1'})"


def rows_of(what: str, values: Any) -> Array:
    """Numbers as they are written down: singles stay singles, all others become doubles; what is not finite counts."""
    try:
        array = np.asarray(real_numbers(values))
    except (TypeError, ValueError, RuntimeError):
        raise checked.refusal(what, values, "give rows of numbers", kind=WrongType) from None
    return np.array(array, np.float32 if array.dtype == np.float32 else np.float64)


@dataclass(frozen=True)
class Mark:
    """A mark: something that happened at a time.

    >>> Mark(0.5, "pushed")
    Mark(time=0.5, name='pushed')
    """

    time: float
    name: str

    def __post_init__(self) -> None:
        wanted = f"give seconds from 0 to {LATEST:g}"
        time = checked.number("Mark: time", self.time, wanted, fits=lambda t: 0 <= t <= LATEST)
        object.__setattr__(self, "time", time)
        checked.name("Mark: name", self.name, "say what happened")


@dataclass(frozen=True)
class Band:
    """A band in which entries of a signal are to stay: limits, tolerances.

    Args:
        signal: its name.
        low: one number, or one an entry; -inf for none.
        high: the same.
        name: what the band is.
        entries: which of the signal's, counted from 0 row by row; all unless said.
    """

    signal: str
    low: Any = -np.inf
    high: Any = np.inf
    name: str = ""
    entries: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        checked.name("Band: signal", self.signal, "give the name of a signal")
        checked.name("Band: name", self.name, "say what it is", empty=True)
        given = checked.several("Band: entries", self.entries, "give numbers of entries")
        entries = tuple(checked.whole("Band: entries", entry, 0) for entry in given)
        object.__setattr__(self, "entries", entries)
        for side in ("low", "high"):
            value = getattr(self, side)
            numbers = checked.numbers(f"Band: {side}", value, "give one number, or one an entry", infinite=True)
            if numbers.ndim > 1 or not numbers.size or (numbers.ndim and entries and numbers.size != len(entries)):
                raise checked.refusal(f"Band: {side}", value, "give one number, or one an entry")
            object.__setattr__(self, side, tuple(map(float, numbers)) if numbers.ndim else float(numbers))


@dataclass(frozen=True)
class Reference:
    """A reference: the signal that another one is to follow.

    >>> Reference("target", of="q")
    Reference(signal='target', of='q')
    """

    signal: str
    of: str

    def __post_init__(self) -> None:
        for word in ("signal", "of"):
            checked.name(f"Reference: {word}", getattr(self, word), "give the name of a signal")


@dataclass(frozen=True)
class Mode:
    """Modes of a state machine: when each was entered.

    >>> Mode((0.0, 0.5), ("APPROACH", "HOLD")).at(0.7)
    'HOLD'

    Args:
        times: seconds.
        names: of the mode entered then.
        machine: whose modes they are.
    """

    times: tuple[float, ...]
    names: tuple[str, ...]
    machine: str = "mode"

    def __post_init__(self) -> None:
        times = checked.numbers("Mode: times", self.times, TIMES, (None,))
        names = checked.names("Mode: names", self.names)
        if len(names) != len(times):
            raise Error(f"Mode: {len(times)} times, but {len(names)} names; give a name a time")
        if any(a > b for a, b in pairwise(times)) or (len(times) and not 0 <= times[0] <= times[-1] <= LATEST):
            raise checked.refusal("Mode: times", self.times, TIMES)
        checked.name("Mode: machine", self.machine)
        object.__setattr__(self, "times", tuple(map(float, times)))
        object.__setattr__(self, "names", names)

    @classmethod
    def of(cls, signal: Signal, names: Sequence[str], machine: str = "") -> "Mode":
        """Modes that a signal has by number: `Mode.of(recording["mode"], machine.states)`."""
        checked.instance("Mode.of: signal", signal, Signal, "give the signal of a mode")
        known = checked.names("Mode.of: names", names)
        numbers = signal.flat
        if numbers.shape[1:] != (1,) or not np.all(np.isin(numbers, np.arange(len(known)))):
            raise Error(f"Mode.of: {signal.name} is not the number of one of {len(known)} modes in every row")
        modes = numbers[:, 0].astype(int)
        first = np.flatnonzero(np.diff(modes, prepend=-1))
        return cls(tuple(signal.times[first]), tuple(known[k] for k in modes[first]), machine or signal.name)

    def at(self, time: float) -> str:
        """The mode at a time; empty before the first."""
        before = int(np.searchsorted(self.times, time, side="right"))
        return self.names[before - 1] if before else ""


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
        steps: how many were made.
        inputs: what the run was given: where it began, what was held (one row), what was streamed in.
        versions: who wrote it, {name: version}.
        marks: what happened when.
        bands: where signals are to stay.
        references: which signal another is to follow.
        modes: of state machines.
        task: what was to be done, in words or data of whoever set it.
        notes: what is wrong with the file it was read from, in sentences.
    """

    signals: Mapping[str, Signal] = field(default_factory=dict[str, Signal])
    model: Model | None = None
    dt: float = 0.0
    seed: int = 0
    lane: int = 0
    batch: bool = False
    steps: int = 0
    inputs: Mapping[str, Signal] = field(default_factory=dict[str, Signal])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    references: tuple[Reference, ...] = ()
    modes: tuple[Mode, ...] = ()
    task: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keep = object.__setattr__
        for name in ("signals", "inputs"):
            keep(self, name, by_name(f"Recording: {name}", getattr(self, name)))
        keep(self, "dt", checked.number("Recording: dt", self.dt, "give seconds of a step", fits=lambda dt: dt >= 0))
        for name in ("seed", "lane", "steps"):
            number = checked.whole(f"Recording: {name}", getattr(self, name), 0)
            if number >= 2**64:
                raise checked.refusal(f"Recording: {name}", number, "give a whole number below 2^64")
            keep(self, name, number)
        for name, kind in DECLARED.items():
            wanted = f"give a list of {kind.__name__}(…)"
            found = checked.several(f"Recording: {name}", getattr(self, name), wanted, kind)
            keep(self, name, tuple(checked.instance(f"Recording: {name}", one, kind, wanted) for one in found))
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


DECLARED: dict[str, Any] = {"marks": Mark, "bands": Band, "references": Reference, "modes": Mode}
"""What is declared beside signals."""
