"""Which computations are there, and what are their options? A solver is loaded when it is first asked for."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

from motionc.errors import Error
from motionc.sweeps.options import Options


class Catalogue(Mapping[str, type[Options]]):
    """The options of computations by their names: those that are `called` so in the solver of that name, or elsewhere.

    Args:
        names: those of all.
        elsewhere: modules of the package, by name, that are not `solvers.NAME`.
    """

    def __init__(self, names: Iterable[str], elsewhere: Mapping[str, str]) -> None:
        self._homes = {name: elsewhere.get(name, f"solvers.{name}") for name in sorted(names)}

    def __getitem__(self, name: str) -> type[Options]:
        for kind in vars(import_module(f"motionc.{self._homes[name]}")).values():
            if isinstance(kind, type) and issubclass(kind, Options) and kind.called == name:
                return kind
        raise Error(f"no options in {self._homes[name]} are called {name!r}: give them the name, called = …")

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
