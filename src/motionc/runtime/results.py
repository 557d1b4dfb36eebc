"""Several outputs of one call: a tuple whose entries also have the ports' names."""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from motionc.sweeps.solver import Port

Notes = Callable[[Mapping[str, Any]], list[str]]


class Results(tuple[Any, ...]):
    """Outputs by attribute (`out.tau_command`), by item (`out["tau_command"]`), and in order (`a, tau, … = out`)."""

    __slots__ = ()
    names: tuple[str, ...] = ()
    _say: Notes

    @property
    def notes(self) -> list[str]:
        """Sentences about lost rank or forces nobody makes; empty when all is well."""
        return type(self)._say(dict(self.items()))

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

    def __repr__(self) -> str:
        return "Results(" + ", ".join(f"{name}={value}" for name, value in self.items()) + ")"


def record_type(ports: tuple[Port, ...], notes: Notes) -> type[Results]:
    """The record of one computation's outputs."""
    members: dict[str, Any] = {port.name: property(itemgetter(k)) for k, port in enumerate(ports)}
    members |= {"__slots__": (), "names": tuple(port.name for port in ports), "_say": staticmethod(notes)}
    return type("Results", (Results,), members)
