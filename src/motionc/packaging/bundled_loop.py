"""How a bundle runs a loop in time: by its compiled library, lanes one after the other, or, where none loads, by its
NumPy module. MOTIONC_WAY names one of these; what names the glued way gets the compiled one.

Bundles carry this file along as it is: it knows NumPy and `bundled`, and nothing else of ours.
"""

import ctypes
import importlib
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionc.packaging.bundled import Array, Port, wanted_way

TOLERANCE = {"float64": 1e-9, "float32": 2e-2}
"""Relative errors that a self-test lets pass: rounding adds up over turns."""


class Loop:
    """One loop: `call` is the best way there is, `way` says which.

    What is given are `states`, then what is `held`, then what is `streamed`; `logs` have the turns between their rows.
    """

    def __init__(
        self,
        package: str,
        name: str,
        ports: tuple[Sequence[Port], Sequence[Port], Sequence[Port]],
        logs: Sequence[tuple[Port, int]],
        dtype: str,
        record: Callable[..., Any],
    ) -> None:
        self.name, self.logs, self.record = name, logs, record
        self.states, self.held, self.streamed = ports
        self.dtype, self.tolerance = np.dtype(dtype), TOLERANCE[dtype]
        self.ways: dict[str, Callable[..., Any]] = {}
        wanted = wanted_way().replace("glued", "compiled")
        library = Path(__file__).parent / "lib" / f"{name}.so"
        if library.is_file() and wanted != "numpy":
            self._open(library)
        self.ways["numpy"] = getattr(importlib.import_module(f".fallback.{name}", package), name)
        if wanted and wanted not in self.ways:
            raise ImportError(f"MOTIONC_WAY={wanted!r}, but {name} has no library that runs on this machine")
        self.way = wanted or next(iter(self.ways))
        self.call = self._by(self.ways[self.way])

    def self_test(self, trials: dict[str, Any]) -> float:
        """The largest relative error of all ways in lanes of which the ends are known, together and one by one."""
        lanes, steps = trials["lanes"], trials["steps"]
        given = dict[str, Array]()
        for port in (*self.states, *self.held, *self.streamed):
            turns = (steps,) if port in self.streamed else ()
            given[port.name] = np.array(trials["given"][port.name]).reshape((lanes, *turns, *port.shape))
        expected = [np.array(values, float).reshape((lanes, -1)) for values in trials["outputs"]]
        worst = 0.0
        for way in self.ways.values():
            for one in (slice(None), *range(lanes)):
                first = trials["lane"] + (one if isinstance(one, int) else 0)
                chosen = {name: array[one] for name, array in given.items()}
                run = self._by(way)(steps=steps, seed=trials["seed"], lane=first, **chosen)
                for found, known in zip(run, expected, strict=True):
                    off = np.abs(np.asarray(found, float).reshape(known[one].shape) - known[one])
                    off = np.max(off, initial=0.0) / np.max(np.abs(known[one]), initial=1.0)
                    worst = off if not off <= worst else worst
        return float(worst)

    def _by(self, way: Callable[..., Any]) -> Callable[..., Any]:
        """A way that gives what all do."""

        def call(**given: Any) -> Any:
            return self.record(*way(**given))

        return call

    def _open(self, path: Path) -> None:
        """The compiled way; nothing where the library belongs to another machine."""
        try:
            entry = ctypes.CDLL(str(path)).motionc_loop
        except (OSError, AttributeError):
            return
        whole, pointer = ctypes.c_ulonglong, ctypes.c_void_p
        entry.argtypes = (ctypes.c_long, whole, whole, ctypes.c_longlong, whole, *(pointer,) * 7)
        entry.restype = None

        def compiled(*, steps: int, seed: int = 0, lane: int = 0, **named: Any) -> list[Any]:
            arrays, lead = self._arrays(steps, named)
            count, states = math.prod(lead), len(self.states)
            rows = [np.empty((count, max(steps, 0) // every, *port.shape), self.dtype) for port, every in self.logs]
            ends = np.zeros((count, 2), np.int64)
            sides = [_described(side) for side in (arrays[states:], arrays[:states], rows)]
            flat = [part for side in sides for part in side]
            entry(count, lane, 0, max(steps, 0), seed, *flat, ends.ctypes.data)
            turns, finite = ends[:, 0], ends[:, 0] == ends[:, 1]
            found = [*rows, *arrays[:states], turns, finite]
            return [array.reshape((*lead, *array.shape[1:]))[()] for array in found]

        self.ways["compiled"] = compiled

    def _arrays(self, steps: int, named: dict[str, Any]) -> tuple[list[Array], tuple[int, ...]]:
        """What is given in the order of ports, all lanes in front as one axis; and what axes these were."""
        shapes = [(port, port.shape) for port in (*self.states, *self.held)]
        shapes += [(port, (steps, *port.shape)) for port in self.streamed]
        arrays, leads = list[Array](), list[tuple[int, ...]]()
        for port, shape in shapes:
            array = np.asarray(named[port.name], self.dtype)
            lead = array.shape[: array.ndim - len(shape)]
            if array.shape[len(lead) :] != shape:
                raise ValueError(f"{port.name} has shape {array.shape}; it must end in {shape}")
            arrays.append(array)
            leads.append(lead)
        lead = np.broadcast_shapes(*leads)
        every = zip(arrays, shapes, strict=True)
        return [
            np.broadcast_to(array, (*lead, *shape)).reshape((-1, *shape)).copy() for array, (_, shape) in every
        ], lead


def _described(arrays: Sequence[Array]) -> tuple[Any, Any]:
    """Addresses, and how many numbers there are from lane to lane."""
    addresses, longs = ctypes.c_void_p * len(arrays), ctypes.c_long * len(arrays)
    sizes = [math.prod(array.shape[1:]) for array in arrays]
    return addresses(*[array.ctypes.data for array in arrays]), longs(*sizes)
