"""Runs of closed loops: what was logged, by name, and the plant it was of."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.runtime.results import Results

Array = np.ndarray[Any, np.dtype[Any]]


class Run:
    """What a closed loop did: logs by name, (K, …) or (N, K, …), `times`, the last `state`, `turns`, `finite`."""

    def __init__(self, plant: Any, record: Results, seed: int, feared: Sequence[str] = ()) -> None:
        self.plant, self.record, self.seed, self._feared = plant, record, seed, feared

    @property
    def many(self) -> bool:
        """Whether lanes stand in front."""
        return self.record.axis is not None

    @property
    def notes(self) -> list[str]:
        """Sentences about lanes that diverged, and about gains that steps cannot follow; empty when all is well."""
        return [*self.record.notes, *self._feared]

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
