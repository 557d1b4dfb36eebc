"""What is being built, and how long may it take? Nobody waits in silence: a build that has taken two seconds says so,
on a terminal or in a notebook, and every build is logged with its times when it is done.
"""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic

from motionc.notices import LOG
from motionc.program.sizes import HUGE

PATIENCE = 2.0
"""Seconds before a line says what is being built."""
OFTEN = 0.2
"""Seconds between two looks at whether there is something else to say."""

RATES = ((HUGE, 3_000), (float("inf"), 4_500))
"""Instructions that a compiler takes in a second, up to such a length: it tries less hard the longer they are."""

Tell = Callable[[str], None]

_listeners: list[Tell] = []


class Building:
    """One build as it goes on: what it is, when it began, and how long its program is once that is known."""

    def __init__(self, what: str) -> None:
        self.what, self.began = plain(what), monotonic()
        self.traced: float | None = None
        self.operations = self.instructions = 0

    def compiling(self, operations: int, instructions: int) -> None:
        """Tell that tracing is over, and how long the program is."""
        self.operations, self.instructions, self.traced = operations, instructions, monotonic()

    def __str__(self) -> str:
        if self.traced is None:
            return f"tracing {self.what} …"
        rate = next(rate for length, rate in RATES if self.instructions <= length)
        return f"compiling {self.what}: {self.operations:,} operations, may take {roughly(self.instructions / rate)} …"

    def log(self) -> None:
        """Say what was built, and what it took."""
        now = monotonic()
        traced = now if self.traced is None else self.traced
        times = traced - self.began, now - traced
        LOG.info("built %s: %d operations, traced in %.2f s, compiled in %.2f s", self.what, self.operations, *times)


class Several:
    """Several builds side by side: how many there are, how many are done, and what was heard of them last."""

    def __init__(self, count: int) -> None:
        self.count, self.done, self.heard = count, 0, ""

    def hear(self, said: str) -> None:
        self.heard = said

    def __str__(self) -> str:
        return f"{self.done} of {self.count} built; {self.heard or 'looking for the others'}"


@contextmanager
def building(what: str) -> Generator[Building]:
    """Around a build: whoever waits for it hears of it, unless it is over soon."""
    build = Building(what)
    with _spoken_of(build):
        yield build
    build.log()


@contextmanager
def building_several(count: int) -> Generator[Several]:
    """Around several builds: one line for all of them."""
    several = Several(count)
    with _spoken_of(several), told(several.hear):
        yield several


@contextmanager
def told(tell: Tell) -> Generator[None]:
    """Inside, builds are told to this function, from the beginning, in place of the terminal."""
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


def roughly(seconds: float) -> str:
    """A time as far as anybody can tell beforehand: 1, 2, 5, 10 … s, then minutes."""
    for most, said in ((1, "a second"), (2, "2 s"), (5, "5 s"), (10, "10 s"), (20, "20 s"), (45, "half a minute")):
        if seconds <= most:
            return said
    return f"{max(1, round(seconds / 60))} min"


def plain(label: str) -> str:
    """A name from a file, fit for a terminal."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in label)
    return shown if len(shown) <= 80 else shown[:79] + "…"


# ---------------------------------------------------------------- who listens


@contextmanager
def _spoken_of(build: Building | Several) -> Generator[None]:
    """Speak of it until it is over, from a thread of its own: this one is busy."""
    over = threading.Event()
    speaker = threading.Thread(target=_speak, args=(build, over), name="motionc progress", daemon=True)
    speaker.start()
    try:
        yield
    finally:
        over.set()
        speaker.join()


def _speak(build: Building | Several, over: threading.Event) -> None:
    """Say what is going on until it is over, anew where that has changed."""
    listening = _listeners[-1:]
    if not listening and over.wait(PATIENCE):
        return
    with nullcontext(listening[0]) if listening else _line() as tell:
        said = ""
        while not over.is_set():
            if (now := str(build)) != said:
                tell(now)
                said = now
            over.wait(OFTEN)


def _line() -> AbstractContextManager[Tell]:
    """A line on a terminal that comes and goes, lines in a notebook, nothing elsewhere."""
    if sys.stderr and sys.stderr.isatty():
        return _status()
    return nullcontext(_print if _in_notebook() else lambda _: None)


@contextmanager
def _status() -> Generator[Tell]:
    from rich.console import Console  # slow to import, and seldom needed
    from rich.text import Text

    with Console(stderr=True).status("") as status:
        yield lambda said: status.update(Text(said))


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this, whose cells show what goes to stderr."""
    return "ipykernel" in sys.modules and hasattr(sys.stderr, "write")


def _print(said: str) -> None:
    print(f"motionc: {said}", file=sys.stderr, flush=True)
