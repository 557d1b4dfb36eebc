"""The loop of a plant and whoever controls it, to be run: once, in many lanes, once more; and what is to be feared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.stability import can_be_weighed, notes_of, stability_note
from motionc.errors import Error
from motionc.program.port import Port
from motionc.runtime.arrays.device_loop import DeviceLoop
from motionc.runtime.loop_arguments import started
from motionc.runtime.loop_gradient import LoopGradient
from motionc.runtime.loops import LoopComputation
from motionc.runtime.results import Results
from motionc.simulate.declarations import Declared
from motionc.simulate.drives import motors_of
from motionc.simulate.recording import Recording
from motionc.simulate.runs import Run


class Loop:
    """A closed loop: `run = loop(start, seconds=3.0)`, `many = loop.batch(starts, plants=1000, seconds=3.0)`."""

    def __init__(self, plant: Any, runs: LoopComputation, declared: Declared | None = None) -> None:
        self.plant, self.runs, self.declared = plant, runs, Declared() if declared is None else declared

    @property
    def inputs(self) -> tuple[Port, ...]:
        """What a run is given: where it starts, what is held, what is streamed in."""
        return self.runs.inputs

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is to be feared: gains that steps of this length cannot follow, each in a sentence."""
        source = self.runs.source
        own = {*self.plant.measuring, *self.plant.moving}
        deciding = {name: part for name, part in source.wires.parts.items() if name not in own}
        spans = {name: self.plant.dt * source.course.rates.get(name, 1) for name in deciding}
        laws = [note for name, part in deciding.items() for note in notes_of(part, spans[name])]
        return *laws, *_of_drives(self.plant)

    @property
    def operations(self) -> Mapping[str, int]:
        """Arithmetic of a turn in which everything runs."""
        return self.runs.operations

    def __repr__(self) -> str:
        return repr(self.runs)

    def __call__(
        self,
        start: Any = None,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        lane: int = 0,
        turn: int = 0,
        plant: int | None = None,
        **given: Any,
    ) -> Run:
        """One run.

        Args:
            start: where it starts: {"q": …, "v": …}, what `plant.start()` gives, or the `state` of another run; with
                `turn=run.turns` the clock and the noise of that run go on, too.
            steps: so many, or
            seconds: so long.
            seed: of noise, and of plants that differ.
            lane: whose noise it is.
            turn: how many turns were made before.
            plant: which of the plants that differ, and its noise; the one in the file unless said, whatever `vary` is.
        """
        given = started("closed", start) | given
        if plant is not None:
            lane = checked.whole("closed: plant", plant, 0, "give the number of a plant ≥ 0")
            given = {name: value[0] for name, value in self._plants(seed, [lane]).items()} | given
        turns = self.runs.asked.turns(steps, seconds)
        record = self.runs(steps=turns, seed=seed, lane=lane, turn=turn, **given)
        return self._run(record, seed=seed, lane=lane, turn=turn, steps=turns, given=given)

    def batch(
        self,
        start: Any = None,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        plants: int | None = None,
        lanes: int | None = None,
        seed: int = 0,
        lane: int = 0,
        turn: int = 0,
        threads: int | None = None,
        **given: Any,
    ) -> Run:
        """Many runs at once, lanes in front; `plants=1000` are as many plants that differ as `vary` says."""
        given = started("closed", start) | given
        if plants is not None:
            lanes = checked.whole("closed: plants", plants, 1, "give how many plants, ≥ 1")
            first = checked.whole("closed: lane", lane, 0, "say which lane is the first")
            given = self._plants(seed, range(first, first + lanes)) | given
        turns = self.runs.asked.turns(steps, seconds)
        record = self.runs.batch(steps=turns, lanes=lanes, seed=seed, lane=lane, turn=turn, threads=threads, **given)
        return self._run(record, seed=seed, lane=lane, turn=turn, steps=turns, given=given)

    def replay(self, recording: Recording) -> Run:
        """The run of a recording once more, bit for bit: from the same start, with what was held and streamed in."""
        checked.instance("replay: recording", recording, Recording, "give a mc.simulate.Recording")
        given, how = recording.given(self.runs.source.course.streamed)
        return self.batch(given, lanes=1, **how) if recording.batch else self(given, **how)

    def on(self, device: str) -> DeviceLoop:
        """The same on a GPU, `"cuda"`: a lane a thread; it is called as `loop.runs` is, with arrays by name."""
        return self.runs.on(device)

    def emit(self, target: str, folder: str | Path, prefix: str = "", *, force: bool = False) -> list[Path]:
        """Write standalone sources of the whole loop: plant, controller and all."""
        return self.runs.emit(target, folder, prefix, force=force)

    def vjp(self, of: str | Sequence[str], wrt: str | Sequence[str]) -> LoopGradient:
        """The gradient of a weighted sum of logs, and of what is carried at the end."""
        return self.runs.vjp(of, wrt)

    def to_jax(self, *, steps: int | None = None, seconds: float | None = None, seed: int = 0) -> Callable[..., Any]:
        """So many turns as a function of JAX, under jit, vmap and reverse mode (`mc.loop(…).to_jax`)."""
        return self.runs.to_jax(steps=steps, seconds=seconds, seed=seed)

    def build(self, *, batch: bool = False) -> "Loop":
        """Build now what the first run would; with `batch`, what the first batch would, too."""
        self.runs.build(batch=batch)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Loop, (self.plant, self.runs, self.declared)

    def _plants(self, seed: int, lanes: Any) -> dict[str, Any]:
        if not self.plant.varied:
            raise Error("closed: plants that differ, but the plant says in nothing: Plant(…, vary={'*.mass': 0.1})")
        return self.plant.plants(seed, lanes)

    def _run(self, record: Results, **how: Any) -> Run:
        return Run(self.plant, record, feared=self.notes, loop=self.runs, declared=self.declared, **how)


def _of_drives(plant: Any) -> Iterator[str]:
    """What drives ask that steps cannot follow; springs in the step, and forces that lag, are another matter."""
    if "servo" in plant.moving or not can_be_weighed(plant.robot):
        return
    stiffness, damping = np.zeros((2, plant.robot.nv))
    for motor in motors_of(plant.robot, plant.actuators):
        if not any(motor.lags):
            stiffness[motor.space.v] = motor.numbers.get("stiffness", 0.0)
            damping[motor.space.v] = motor.numbers.get("damping", motor.numbers.get("gain", 0.0))
    if said := stability_note(plant.robot, [*stiffness], [*damping], plant.dt):
        yield f"actuators: {said}"
