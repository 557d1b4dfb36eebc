"""Where a program comes from, as those see it who compile and call it: a solver, or a derivative of one."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from motionc.program.port import Note, Port, Precision


class Named(Protocol):
    """Whoever a program is about: a robot, say."""

    @property
    def name(self) -> str: ...


class Open(Protocol):
    """A constant that is an input: its name, and what it is where nobody says otherwise."""

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> Any: ...


class Source(Protocol):
    """What a program is made from; `options` are data, and with the robot all of it unless it is a user's own."""

    @property
    def name(self) -> str: ...
    @property
    def robot(self) -> Named: ...
    @property
    def options(self) -> Any: ...
    @property
    def own(self) -> bool: ...
    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def outputs(self) -> tuple[Port, ...]: ...
    @property
    def precision(self) -> Precision: ...
    @property
    def open(self) -> Sequence[Open]: ...

    def check(self) -> None:
        """Verify every relation without numbers."""
        ...

    def notes(self, results: Mapping[str, Any], /) -> list[Note]:
        """What should be said of results that carry states in front."""
        ...
