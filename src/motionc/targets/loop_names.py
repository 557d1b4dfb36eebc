"""What is a loop in time called in C and its relatives? Its buffers, logs, and the functions around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from motionc.program.loop import Buffer, Loop
from motionc.targets import noise
from motionc.targets.c import identifier, outermost
from motionc.targets.naming import apart

WORDS = ("state", "turn", "lane", "seed", "steps", "first", "made", "row", "going", "off", "i", "w")
"""What the text itself calls something."""
LOCAL = r"[tk]\d+|y\d+_\d+"
"""What we call values inside a function."""


@dataclass(frozen=True, slots=True)
class Named:
    """A loop whose buffers have names of C, and the functions around it and of its parts."""

    loop: Loop
    name: str
    names: tuple[str, ...]
    logs: tuple[str, ...]
    functions: tuple[str, ...]

    @property
    def between(self) -> list[int]:
        """Buffers that are logged and not carried on: a turn gives them."""
        return list(dict.fromkeys(log.buffer for log in self.loop.logs if self.buffer(log.buffer).role != "state"))

    def buffer(self, k: int) -> Buffer:
        return self.loop.buffers[k]

    def size(self, k: int) -> int:
        return self.loop.buffers[k].port.size

    def at(self, k: int) -> str:
        """Where a buffer is, inside a turn."""
        return self.carried(self.names[k]) if self.buffer(k).role == "state" else self.names[k]

    # what C++ says in other words

    @property
    def kind(self) -> str:
        """The type of what is carried on."""
        return f"{self.name}_state"

    def carried(self, name: str) -> str:
        """What is carried on, inside a function."""
        return f"state->{name}"

    def inner(self, function: str) -> str:
        """A function that only this text calls."""
        return function

    def head(self, result: str, what: str, parameters: Sequence[str]) -> str:
        """The heading of start, step or run."""
        return wrapped_head(f"{result} {self.name}_{what}(", [f"{self.kind} *state", *parameters])

    def call(self, what: str, arguments: Sequence[str], whose: str = "") -> str:
        """A call of start, step or run; from outside, of a variable."""
        return f"{self.name}_{what}({', '.join([f'&{whose}' if whose else 'state', *arguments])})"


N = TypeVar("N", bound=Named)


def in_words(loop: Loop, name: str, kind: type[N] = Named) -> N:
    """With names that C takes."""
    name = outermost(name)
    own = [identifier(f"{name}_{k}_{use.name}") for k, use in enumerate(loop.uses)]
    ends = ("state", "start", "step", "run")
    taken = (*WORDS, *noise.NAMES, *ends, name, *(f"{name}_{end}" for end in ends), *own)
    buffers = apart((identifier(b.name) for b in loop.buffers), taken, inside=LOCAL)
    logs = apart((identifier(log.name) for log in loop.logs), (*taken, *buffers), again="_log", inside=LOCAL)
    return kind(loop, name, tuple(buffers), tuple(logs), tuple(own))


def wrapped_head(front: str, parameters: Sequence[str]) -> str:
    """The heading of a function, a parameter a line."""
    return front + (",\n" + " " * len(front)).join(parameters) + ")"
