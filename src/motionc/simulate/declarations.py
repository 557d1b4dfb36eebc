"""What is declared beside signals: marks, bands, references, modes and tubes, as data that checks itself.

    Mark       something happened                     Reference  a signal that another one is to follow
    Band       where a signal is to stay              Mode       in which mode a machine was when
    Tube       where a frame of the robot is to stay

A loop declares before it runs (`Declared`), a recording holds what was declared; the viewer and reports show it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.simulate.signals import LATEST, TIMES, Signal

Array = np.ndarray[Any, np.dtype[Any]]
EDGE = "give one number, one an entry, or the name of a signal"
POSE = "give a pose, 4×4, or the name of a signal of such poses"
WIDTH = "give the radius of a round tube, or half widths along Y and Z (m, > 0)"


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

    >>> Band("v", -0.1, 0.1, "slow", during=("CLOSE",)).name
    'slow'

    Args:
        signal: its name.
        low: one number, one an entry, or the name of a signal that is it over time; -inf for none.
        high: the same.
        name: what the band is.
        entries: which of the signal's, counted from 0 row by row; all unless said.
        during: modes in which it holds; always unless said.
        share: of the time that it has to hold; all of it unless said.
    """

    signal: str
    low: Any = -np.inf
    high: Any = np.inf
    name: str = ""
    entries: tuple[int, ...] = ()
    _: KW_ONLY
    during: tuple[str, ...] = ()
    share: float = 1.0

    def __post_init__(self) -> None:
        keep = object.__setattr__
        checked.name("Band: signal", self.signal, "give the name of a signal")
        checked.name("Band: name", self.name, "say what it is", empty=True)
        given = checked.several("Band: entries", self.entries, "give numbers of entries")
        keep(self, "entries", tuple(checked.whole("Band: entries", entry, 0) for entry in given))
        keep(self, "during", checked.names("Band: during", self.during, "name modes"))
        wanted = "give a share of the time, above 0 and at most 1"
        keep(self, "share", checked.number("Band: share", self.share, wanted, fits=lambda part: 0 < part <= 1))
        for side in ("low", "high"):
            keep(self, side, self._edge(side, getattr(self, side)))

    def _edge(self, side: str, value: Any) -> Any:
        if isinstance(value, str):
            return checked.name(f"Band: {side}", value, EDGE)
        numbers, entries = checked.numbers(f"Band: {side}", value, EDGE, infinite=True), self.entries
        if numbers.ndim > 1 or not numbers.size or (numbers.ndim and entries and numbers.size != len(entries)):
            raise checked.refusal(f"Band: {side}", value, EDGE)
        return tuple(map(float, numbers)) if numbers.ndim else float(numbers)

    @property
    def spoken(self) -> tuple[str, ...]:
        """The signals it speaks of."""
        return self.signal, *(edge for edge in (self.low, self.high) if isinstance(edge, str))

    def edge(self, side: str, entry: int, signals: Mapping[str, Signal]) -> tuple[Array, Array]:
        """Times and values of its edge for an entry of the signal; those of a number begin at 0 and never end."""
        value, place = getattr(self, side), self.entries.index(entry) if self.entries else entry
        beyond = -np.inf if side == "low" else np.inf
        if not isinstance(value, str):
            several = value if isinstance(value, tuple) else (value,) * (place + 1)
            return np.zeros(1), np.array([several[place] if place < len(several) else beyond])
        if value not in signals or not signals[value].flat.size:
            return np.zeros(1), np.array([beyond])
        rows = signals[value].flat
        return signals[value].times, np.asarray(rows[:, min(place, rows.shape[1] - 1)], float)


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
class Tube:
    """A tube about X of a task frame, which a frame of the robot is not to leave once it is inside.

    >>> Tube("tool", np.eye(4), 0.01, 0.5, name="way in").width
    0.01

    Args:
        frame: name of the robot's frame whose origin is to stay.
        pose: of the task frame, 4×4, at the end of the way and X along it; or the name of a signal of such poses.
        width: radius of a round tube, or half widths along Y and Z (m); inf for none.
        length: how far it reaches back along X (m).
        ahead: how far it reaches on (m).
        wrt: the frame with respect to which the pose is.
        name: what the tube is.
        during: modes in which it holds; always unless said.
    """

    frame: str
    pose: Any
    width: Any
    length: float
    _: KW_ONLY
    ahead: float = 0.0
    wrt: str = "world"
    name: str = ""
    during: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keep = object.__setattr__
        for word in ("frame", "wrt"):
            checked.name(f"Tube: {word}", getattr(self, word), "give the name of a frame")
        checked.name("Tube: name", self.name, "say what it is", empty=True)
        keep(self, "during", checked.names("Tube: during", self.during, "name modes"))
        metres = "give metres ≥ 0"
        for word in ("length", "ahead"):
            value = checked.number(f"Tube: {word}", getattr(self, word), metres, fits=lambda size: size >= 0)
            keep(self, word, value)
        widths = checked.numbers("Tube: width", self.width, WIDTH, infinite=True)
        if widths.shape not in ((), (2,)) or not np.all(widths > 0) or np.all(np.isinf(widths)):
            raise checked.refusal("Tube: width", self.width, WIDTH)
        keep(self, "width", tuple(map(float, widths)) if widths.ndim else float(widths))
        keep(self, "pose", checked.name("Tube: pose", self.pose, POSE) if isinstance(self.pose, str) else self._pose())

    def _pose(self) -> tuple[tuple[float, ...], ...]:
        pose = checked.numbers("Tube: pose", self.pose, POSE, (4, 4))
        turn = pose[:3, :3]
        if not (np.allclose(turn.T @ turn, np.eye(3), atol=1e-6) and np.linalg.det(turn) > 0):
            raise checked.refusal("Tube: pose", self.pose, "its 3×3 corner must be a rotation")
        if pose[3].tolist() != [0, 0, 0, 1]:
            raise checked.refusal("Tube: pose", self.pose, "its last row must be 0 0 0 1")
        return tuple(tuple(map(float, row)) for row in pose)

    @property
    def round(self) -> bool:
        return isinstance(self.width, float)

    @property
    def called(self) -> str:
        """Its name; or whose tube it is."""
        return self.name or f"tube of {self.frame}"


def in_modes(modes: Sequence[Mode], during: Sequence[str], times: Any) -> Array:
    """At which of these times one of some modes was on, of any machine; always where none is named.

    >>> in_modes([Mode((0.0, 0.5), ("APPROACH", "HOLD"))], ["HOLD"], [0.4, 0.6]).tolist()
    [False, True]
    """
    moments = np.asarray(times, float)
    if not during:
        return np.ones(moments.shape, bool)
    on = np.zeros(moments.shape, bool)
    for mode in modes:
        meant = np.array([False, *(name in during for name in mode.names)])
        on |= meant[np.searchsorted(mode.times, moments, side="right")]
    return on


DECLARED: dict[str, Any] = {"marks": Mark, "bands": Band, "references": Reference, "modes": Mode, "tubes": Tube}
"""What is declared beside signals."""


@dataclass(frozen=True)
class Declared:
    """What a loop declares of its runs before they are made: `closed(…, declared=Declared(bands=[…], tubes=[…]))`.

    >>> Declared(modes={"mode": ("APPROACH", "HOLD")}, task="hold a cup").modes
    {'mode': ('APPROACH', 'HOLD')}

    Args:
        bands: where signals are to stay.
        tubes: where frames of the robot are to stay.
        references: which signal another is to follow.
        marks: what happens when.
        modes: {signal: names}: signals that are numbers of modes, where they are logged.
        events: names of signals whose rise above 0 is a mark, where they are logged.
        task: what is to be done, in words or data of whoever sets it.
    """

    _: KW_ONLY
    bands: Sequence[Band] = ()
    tubes: Sequence[Tube] = ()
    references: Sequence[Reference] = ()
    marks: Sequence[Mark] = ()
    modes: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]], hash=False)
    events: Sequence[str] = ()
    task: str = ""

    def __post_init__(self) -> None:
        keep = object.__setattr__
        for name in ("bands", "tubes", "references", "marks"):
            keep(self, name, listed(f"Declared: {name}", getattr(self, name), DECLARED[name]))
        modes = checked.instance("Declared: modes", self.modes, Mapping, "give {signal: names of its modes}")
        keep(self, "modes", {name: checked.names("Declared: modes", some) for name, some in modes.items()})
        keep(self, "events", checked.names("Declared: events", self.events, "name signals"))
        checked.words("Declared: task", self.task)

    def of(self, signals: Mapping[str, Signal]) -> dict[str, Any]:
        """What is declared of a run that logged these signals: fields of its recording."""
        modes = [Mode.of(signals[name], names) for name, names in self.modes.items() if name in signals]
        rises = [mark for name in self.events if name in signals for mark in _rises(signals[name])]
        own = {name: getattr(self, name) for name in ("bands", "tubes", "references")}
        return {**own, "marks": (*self.marks, *rises), "modes": tuple(modes), "task": self.task}


def listed(what: str, given: Any, kind: type) -> tuple[Any, ...]:
    """Several of one kind."""
    wanted = f"give a list of {kind.__name__}(…)"
    return tuple(checked.instance(what, one, kind, wanted) for one in checked.several(what, given, wanted, kind))


def _rises(signal: Signal) -> list[Mark]:
    """A mark at each time when an entry of a signal rises above 0."""
    on = signal.flat > 0
    rises = on & ~np.concatenate([np.zeros_like(on[:1]), on[:-1]])
    names = [signal.name] if on.shape[1] == 1 else list(signal.columns)
    return [Mark(float(signal.times[row]), names[entry]) for row, entry in np.argwhere(rises)]
