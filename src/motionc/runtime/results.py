"""Several outputs of one call: a tuple whose entries also have the ports' names."""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

import numpy as np

from motionc.program.port import Note, Port, states_of
from motionc.runtime.words import values_line, values_table

Notes = Callable[[Mapping[str, Any]], list[Note]]


class Results(tuple[Any, ...]):
    """Outputs by attribute (`out.tau_command`), by item (`out["tau_command"]`), and in order (`a, tau, … = out`).

    Those of a batch carry the states on their first or last axis.
    """

    __slots__ = ()
    names: tuple[str, ...] = ()
    axis: int | None = None
    _ports: tuple[Port, ...] = ()
    _say: Notes

    @property
    def notes(self) -> list[str]:
        """Sentences about lost rank or forces nobody makes; empty when all is well."""
        if self.axis is None:
            found = self._say({name: np.asarray(value)[np.newaxis] for name, value in self.items()})
            return [note.sentence for note in found if note.states[0]]
        found = self._say({name: np.moveaxis(value, self.axis, 0) for name, value in self.items()})
        return [
            f"{note.sentence} ({np.sum(note.states)} of {note.states.size} states, first {np.argmax(note.states)})"
            for note in found
            if np.any(note.states)
        ]

    def keys(self) -> tuple[str, ...]:
        return self.names

    def values(self) -> tuple[Any, ...]:
        return tuple(self)

    def items(self) -> Iterable[tuple[str, Any]]:
        return zip(self.names, self, strict=True)

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, key) if isinstance(key, str) else tuple.__getitem__(self, key)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no output {name!r}; there are {', '.join(self.names)}")

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    def __repr__(self) -> str:
        return f"Results({values_line(self.names, self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _results_of, (self._ports, self.axis, tuple(self), tuple(self.notes))

    def _repr_html_(self) -> str:
        return values_table(self._ports, self, self.notes)


class NamedRows(np.ndarray[Any, np.dtype[Any]]):
    """An array whose rows have names: `wrenches["left_foot"]`, of all states of a batch at once."""

    rows: tuple[str, ...] = ()
    axis: int = 0

    def __array_finalize__(self, other: Any) -> None:
        """Names belong to the whole array: what is cut out of it or computed from it has none."""

    def __getitem__(self, key: Any) -> Any:
        plain = self.view(np.ndarray)
        if not isinstance(key, str):
            return plain[key]
        if key not in self.rows:
            raise KeyError(f"no row {key!r}; there are {', '.join(self.rows)}")
        return np.take(plain, self.rows.index(key), axis=self.axis)


def _entry(k: int, port: Port, axis: int | None) -> Callable[[Any], Any]:
    """How to get an output from the others."""
    rows: tuple[str, ...] = getattr(port.space, "rows", ())
    if not rows:
        return itemgetter(k)

    def with_names(record: Any) -> Any:
        value = tuple.__getitem__(record, k)
        if not isinstance(value, np.ndarray):
            return value
        named = value.view(NamedRows)
        named.rows, named.axis = rows, 1 if axis == 0 else 0
        return named

    return with_names


def record_type(
    ports: tuple[Port, ...], notes: Notes, axis: int | None = None, *, inner: bool = False
) -> type[Results]:
    """The record of one computation's outputs, for one state or, with an axis, for a batch.

    What is carried on is `state`, a record of its own, unless this is an `inner` one.
    """
    members: dict[str, Any] = {port.name: property(_entry(k, port, axis)) for k, port in enumerate(ports)}
    carried = () if inner else states_of(ports)
    if carried and "state" not in members:
        own = record_type(carried, lambda _: [], axis, inner=True)
        members["state"] = property(lambda record: own(getattr(record, port.name) for port in carried))
    names = tuple(port.name for port in ports)
    members |= {"names": names, "axis": axis, "_ports": ports, "_say": staticmethod(notes)}
    return type("Results", (Results,), members | {"__slots__": ()})


def _results_of(ports: tuple[Port, ...], axis: int | None, values: tuple[Any, ...], notes: tuple[str, ...]) -> Results:
    """A record as it was before it was pickled, its notes with it."""
    kind = record_type(ports, lambda _: [], axis)
    return type("Results", (kind,), {"notes": property(lambda _: [*notes]), "__slots__": ()})(values)
