"""What a user calls to let time pass: a loop as one call into C, one lane or many, arrays by name."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionc import checked
from motionc.notices import warn
from motionc.program.loop import Loop
from motionc.program.looping import LoopSource
from motionc.program.names import function_word, whose
from motionc.program.noise import seed_of
from motionc.program.port import Port
from motionc.program.source import Along
from motionc.runtime.arrays.batch import SHORTEST, spread, workers
from motionc.runtime.arrays.device_loop import DeviceLoop
from motionc.runtime.build.cache import NoRoom
from motionc.runtime.build.compiler import SLOWER
from motionc.runtime.build.library import DTYPES, library_tool, opened
from motionc.runtime.build.loading import Unloadable
from motionc.runtime.frameworks.convert import loop_to_jax
from motionc.runtime.loop_arguments import Asked, whole
from motionc.runtime.loop_gradient import LoopGradient
from motionc.runtime.loop_texts import loop_texts
from motionc.runtime.one_lane import Entered, OneLane
from motionc.runtime.provenance import write_emitted
from motionc.runtime.results import Results
from motionc.runtime.rounds import ends_alone, in_rounds
from motionc.runtime.stepping import Stepping
from motionc.tables import few
from motionc.targets import loop_c, loop_lanes

Array = np.ndarray[Any, np.dtype[Any]]


class LoopComputation:
    """A loop in time: `run = loop(q=…, v=…, steps=1000)`, `runs = loop.batch(…)`.

    What is fed back starts as it is given, state of parts as they say unless it is given. A run has what is logged by
    name, rows (K, …) or (N, K, …); the last `state`; how many `turns` it made, and whether all stayed `finite`.
    """

    def __init__(self, source: LoopSource) -> None:
        self.source, self.loop, self.name = source, source.program, source.name
        self._dtype = DTYPES[source.precision]
        self.asked = Asked(self.loop, self._dtype)
        self._opened: dict[str, Any] = {}

    @property
    def robot(self) -> Any:
        """Whom it is about."""
        return self.source.robot

    @property
    def inputs(self) -> tuple[Port, ...]:
        """What must be given: what is fed back, at the start; what is held; what is streamed in."""
        needed = [buffer.port for _, buffer in self.loop.states if buffer.start is None]
        return (*needed, *(buffer.port for _, buffer in self.loop.given))

    @property
    def states(self) -> tuple[Port, ...]:
        """What is carried from turn to turn."""
        return tuple(buffer.port for _, buffer in self.loop.states)

    @property
    def operations(self) -> Counter[str]:
        """Arithmetic operations by kind, of a turn in which everything runs."""
        return self.loop.operations

    @property
    def function_name(self) -> str:
        """What emitted functions begin with: `<robot>_<loop>`."""
        return function_word(self.robot.name, self.name)

    def sources(self, target: str, prefix: str = "") -> dict[str, str]:
        """What `emit` writes: texts by file name."""
        checked.name("prefix", prefix, "give what functions begin with", empty=True)
        return loop_texts(self.source, target, prefix or self.function_name)

    def emit(self, target: str, folder: str | Path, prefix: str = "", *, force: bool = False) -> list[Path]:
        """Write standalone sources; functions begin with `<robot>_<loop>` or `prefix`.

        "c" gives a header and a source: a struct of what is carried on, `_start`, a turn as `_step`, many as `_run`;
        "c_simd" one file for many lanes in vectors, "cpp" a header with a struct that turns itself, "cuda" one file for
        a GPU, "matlab" and "python" functions that run it. Each can check itself, and says at its top what it is.
        """
        place, force = checked.path("folder", folder, "give a folder"), checked.flag("emit: force", force)
        return write_emitted({place / file: text for file, text in self.sources(target, prefix).items()}, force=force)

    def __repr__(self) -> str:
        given, logged = few(port.name for port in self.inputs), few(log.name for log in self.loop.logs)
        return (
            f"Loop({self.name}{whose(self.robot.name)}: {given} → {logged or 'state'}; {self.loop.period:g} s a turn)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return LoopComputation, (self.source,)

    # ---------------------------------------------------------------- running

    def __call__(
        self,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        lane: int = 0,
        turn: int = 0,
        **given: Any,
    ) -> Results:
        """One lane, so many turns or seconds; `seed` and `lane` say which numbers are drawn.

        A run goes on from another where it is given its `state`, and `turn`, how many turns were made before.
        """
        turns = self.asked.turns(steps, seconds)
        arrays = self._run(turns, self.asked.sheets(given, turns, None), None, seed, lane, turn, 1)
        return self.asked.record(None)(arrays)

    def batch(
        self,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        lanes: int | None = None,
        seed: int = 0,
        lane: int = 0,
        turn: int = 0,
        threads: int | None = None,
        **given: Any,
    ) -> Results:
        """Many lanes at once: what is given has an axis of lanes in front, or is the same for all of them.

        Lanes go side by side in vectors and on threads; each is what a call with its `lane` number gives alone.
        """
        turns = self.asked.turns(steps, seconds)
        count = self.asked.count(given, turns, lanes)
        sheets = self.asked.sheets(given, turns, count)
        return self.asked.record(0)(self._run(turns, sheets, count, seed, lane, turn, workers(self.name, threads)))

    def build(self, *, batch: bool = False) -> "LoopComputation":
        """Build now what the first call would; with `batch`, what the first batch would, too."""
        _ = self._entry("scalar"), checked.flag("build: batch", batch) and self._entry("lanes")
        return self

    def one_lane(self) -> OneLane:
        """The same for one lane at a time, all arguments in place: for those who ask it over and over."""
        return OneLane(self.loop, self._dtype, self._entry("scalar"))

    def on(self, device: str) -> DeviceLoop:
        """The same on a GPU, `"cuda"` or `"cuda:1"`: a lane a thread, the loop in the thread."""
        return DeviceLoop(self.source, device)

    def _run(
        self, turns: int, sheets: dict[int, Array], count: int | None, seed: int, lane: int, turn: int, threads: int
    ) -> list[Any]:
        loop, lanes = self.loop, 1 if count is None else count
        seed = seed_of(f"{self.name}: seed", seed)
        lane = whole(f"{self.name}: lane", lane, "say which lane is the first")
        first = self.asked.first(turn)
        given = [sheets[k] for k, _ in loop.given]
        states = [np.empty((lanes, *buffer.port.shape), self._dtype) for _, buffer in loop.states]
        for array, (k, _) in zip(states, loop.states, strict=True):
            array[...] = sheets[k]
        logs = [
            np.empty((lanes, log.rows(first, turns), *loop.buffers[log.buffer].port.shape), self._dtype)
            for log in loop.logs
        ]
        ends = np.zeros((lanes, 2), np.int64)
        entry = self._entry("scalar" if count is None else "lanes")

        def run(turns: int, given: Sequence[Array], states: Sequence[Array], ends: Array) -> None:
            alone = len(ends) < 2 * SHORTEST or threads < 2  # a loop that was built before need not be traced for it
            size = 0 if alone else loop.size * max(turns, 1)
            spread(
                lambda a, b: entry(range(a, b), first, turns, seed, lane, given, states, logs, ends),
                len(ends),
                size,
                threads,
            )

        if ends_alone(loop, lanes):
            in_rounds(loop, turns, run, given, states, ends)
        else:
            run(turns, given, states, ends)
        told = [*logs, *states, ends[:, 0], ends[:, 1] == ends[:, 0]]
        ports = self.asked.ports()
        found = [array if count is not None else array[0] for array in told]
        return [f if count is not None else p.as_told(f) for f, p in zip(found, ports, strict=True)]

    def vjp(self, of: str | Sequence[str], wrt: str | Sequence[str], *, coordinates: Along = "tangent") -> LoopGradient:
        """The gradient of a weighted sum of logs and of what is carried at the end, whatever the number of inputs.

        A run forward and one back over what it recorded, both compiled: `loop.vjp("last_q", ["q", "tau"])`.
        """
        return LoopGradient(self.source, LoopComputation, of, wrt, coordinates)

    def to_jax(self, *, steps: int | None = None, seconds: float | None = None, seed: int = 0) -> Callable[..., Any]:
        """So many turns as a function of JAX, under jit, vmap and reverse mode: `loop.to_jax(steps=100)(q=…, v=…)`.

        Takes by name what a run is given, axes of lanes in front where there are many, and `lane`, the number of each:
        which numbers it draws. Gives a named tuple of logs, what is carried at the end, turns and finite. Gradients
        have the shapes of what is given: q is differentiated entry by entry. Calls go through the host.
        """
        return loop_to_jax(self, self.asked.turns(steps, seconds), seed_of(f"{self.name}: seed", seed))

    # ---------------------------------------------------------------- building

    def _entry(self, kind: str) -> Callable[..., None]:
        if kind not in self._opened:
            self._opened[kind] = self._open(kind)
        return self._opened[kind]

    def _open(self, kind: str) -> Callable[..., None]:
        tool = library_tool()
        if tool is None or self.loop.foreign:
            return Stepping(self.loop).run
        if kind == "lanes" and tool.kind == "cc":  # it knows no vectors
            return self._entry("scalar")

        def text(loop: Loop) -> str:
            if kind == "lanes":
                return loop_lanes.emit(loop)
            sources = loop_c.emit(loop, self.function_name)
            return sources.together + "\n".join(loop_c.lanes_of_one(loop_c.in_words(loop, self.function_name)))

        try:
            entry = opened(f"loop {kind}", self.source, tool, text, "motionc_loop").motionc_loop
        except (NoRoom, Unloadable) as error:
            warn(f"{error}; {self.name}{whose(self.robot.name)} is interpreted, {SLOWER}")
            return Stepping(self.loop).run
        return Entered(entry)
