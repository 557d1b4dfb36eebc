"""Runs of closed loops: what was logged, by name, and the plant it was of."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionc.runtime.loops import LoopComputation
from motionc.runtime.results import Results
from motionc.simulate.declarations import Declared
from motionc.simulate.recording import Recording

Array = np.ndarray[Any, np.dtype[Any]]


class Run:
    """What a closed loop did: logs by name, (K, …) or (N, K, …), `times`, the last `state`, `turns`, `finite`."""

    def __init__(
        self,
        plant: Any,
        record: Results,
        seed: int,
        feared: Sequence[str] = (),
        *,
        lane: int = 0,
        turn: int = 0,
        steps: int = 0,
        loop: LoopComputation | None = None,
        given: Mapping[str, Any] | None = None,
        declared: Declared | None = None,
    ) -> None:
        self.plant, self.record, self.seed, self._feared = plant, record, seed, feared
        self.lane, self.turn, self.steps, self.loop = lane, turn, steps, loop
        self.declared = Declared() if declared is None else declared
        self.given = {name: np.array(value) for name, value in (given or {}).items()}

    @property
    def many(self) -> bool:
        """Whether lanes stand in front."""
        return self.record.axis is not None

    @property
    def notes(self) -> list[str]:
        """Sentences about lanes that diverged, and about gains that steps cannot follow; empty when all is well."""
        return [*self.record.notes, *self._feared]

    def save(self, path: str | Path, lane: int = 0, **declared: Any) -> Path:
        """Write one lane of it as MCAP (`mc.simulate.Recording.of(run, …).save(path)`)."""
        return Recording.of(self, lane, **declared).save(path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.record, name)

    def __getitem__(self, name: str) -> Any:
        return self.record[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.record.names, "state", "time", "times"})

    def __repr__(self) -> str:
        return f"Run({self.plant.robot.name}: {repr(self.record)[len('Results(') : -1]})"
