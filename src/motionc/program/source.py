"""Where a program comes from, as those see it who compile and call it: a solver, or a derivative of one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from motionc.program.port import Note, Port, Precision
from motionc.program.program import Program

Kind = Literal["jvp", "vjp", "derivative"]
"""What is asked of a derivative J: J dx, Jᵀ ȳ, or J itself."""
Along = Literal["tangent", "ambient"]
"""Whether a configuration changes per unit of v, or entry by entry."""


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


class Programmed(Protocol):
    """What has a program."""

    @property
    def program(self) -> Program: ...


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
    def period(self) -> float:
        """Seconds from one run to the next, where it is made for that; 0 where any will do."""
        ...

    @property
    def open(self) -> Sequence[Open]: ...
    @property
    def program(self) -> Program:
        """The flat program after all passes, written when it is first asked for."""
        ...

    def recorded(self) -> Program:
        """The program as it is before all passes."""
        ...

    def identity(self, options: Any = None) -> str | None:
        """What the program follows from, as a digest; None where the program alone tells. `options` instead of its own
        are those of what is derived from it."""
        ...

    def readable(self, program: Program) -> Program:
        """A program that takes at least these inputs, with the names of what is computed here beside its values."""
        ...

    def check(self) -> None:
        """Verify every relation without numbers."""
        ...

    def run(self, *values: Any, **how: Any) -> Mapping[str, Any]:
        """The outputs by name, step by step in NumPy."""
        ...

    def steps(self, *values: Any, **how: Any) -> Iterator[Any]:
        """The same one operation at a time."""
        ...

    def derived(
        self, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, *, sparse: bool = False
    ) -> "Source":
        """A derivative of outputs with respect to inputs."""
        ...

    def notes(self, results: Mapping[str, Any], /) -> list[Note]:
        """What should be said of results that carry states in front."""
        ...
