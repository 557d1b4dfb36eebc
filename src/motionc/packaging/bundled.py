"""How a bundle calls what it computes: through its compiled library, by a builtin function where this Python has room
for one, else by ctypes; or, where no library loads, by its NumPy module. MOTIONC_WAY names one of these.

Bundles carry this file along as it is: it knows NumPy, `python_abi` and `real`, and nothing else of ours.
"""

import ctypes
import importlib
import json
import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from motionc import real
from motionc.runtime.build import python_abi

Array = np.ndarray[Any, np.dtype[Any]]

WAYS = ("glued", "compiled", "numpy")
TOLERANCE = {"float64": 1e-9, "float32": 2e-3}
"""Relative errors that a self-test lets pass."""


class Port(NamedTuple):
    """An input or output, and whether it counts something."""

    name: str
    shape: tuple[int, ...]
    whole: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def wanted_way() -> str:
    """The way that MOTIONC_WAY names; nothing where the best is wanted."""
    wanted = os.environ.get("MOTIONC_WAY", "")
    if wanted and wanted not in WAYS:
        raise ValueError(f"MOTIONC_WAY={wanted!r}; say one of {', '.join(WAYS)}")
    return wanted


class Function:
    """One computation: `call` is the best way there is, `way` says which."""

    def __init__(
        self,
        package: str,
        name: str,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        dtype: str,
        record: Callable[..., Any] | None,
    ) -> None:
        self.name, self.inputs, self.outputs = name, inputs, outputs
        self.dtype, self.record, self.tolerance = np.dtype(dtype), record, TOLERANCE[dtype]
        self.ways: dict[str, Callable[..., Any]] = {}
        wanted = wanted_way()
        library = Path(__file__).parent / "lib" / f"{name}.so"
        if library.is_file() and wanted != "numpy":
            self._open(library)
        module = importlib.import_module(f".fallback.{name}", package)
        self.ways["numpy"] = self._by(getattr(module, name))
        if wanted and wanted not in self.ways:
            raise ImportError(f"MOTIONC_WAY={wanted!r}, but {name} has no library that runs so on this machine")
        self.way = wanted or next(way for way in WAYS if way in self.ways)
        self.call = self.ways[self.way]

    def self_test(self, trials: dict[str, Any]) -> float:
        """The largest relative error of all ways on states of which the answers are known, together and one by one."""
        given = [_states(values, port) for values, port in zip(trials["inputs"], self.inputs, strict=True)]
        expected = [_states(values, port) for values, port in zip(trials["outputs"], self.outputs, strict=True)]
        worst = 0.0
        for call in self.ways.values():
            for state in (slice(None), *range(len(expected[0]))):
                found = call(*(np.ascontiguousarray(x[state], self.dtype).reshape(x[state].shape) for x in given))
                for y, known in zip(found if self.record else [found], expected, strict=True):
                    off = np.max(np.abs(y - known[state]), initial=0.0) / np.max(np.abs(known[state]), initial=1.0)
                    worst = off if not off <= worst else worst
        return float(worst)

    def _open(self, path: Path) -> None:
        """What a library offers on this machine; nothing where it belongs to another."""
        try:
            library = ctypes.CDLL(str(path))
            many = library.motionc_many
        except (OSError, AttributeError):
            return
        many.argtypes, many.restype = (ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p), None

        def enter(x: Array, y: Array) -> None:
            many(1, x.ctypes.data, y.ctypes.data)

        def compiled(*given: Any) -> Any:
            columns, lead = self._columns(given)
            x = np.concatenate([np.empty((*lead, 0), self.dtype), *columns], axis=-1, dtype=self.dtype)
            y = np.empty((*lead, sum(port.size for port in self.outputs)), self.dtype)
            many(math.prod(lead), x.ctypes.data, y.ctypes.data)
            ends = np.cumsum([port.size for port in self.outputs])[:-1]
            pieces = zip(np.split(y, ends, axis=-1), self.outputs, strict=True)
            return self._result([piece.reshape((*lead, *port.shape))[()] for piece, port in pieces])

        self.ways["compiled"] = compiled
        if python_abi.supported():
            with suppress(ImportError, AttributeError):  # a NumPy that is laid out in another way
                call = python_abi.builtin(library, self.dtype, compiled, lambda values: self._result(list(values)))
                if python_abi.works(call, self.inputs, self.outputs, self.dtype, enter):
                    self.ways["glued"] = call

    def _columns(self, given: Sequence[Any]) -> tuple[list[Array], tuple[int, ...]]:
        """Inputs with their own axes made one, behind axes that all have."""
        columns = list[Array]()
        for port, value in zip(self.inputs, given, strict=True):
            array = _numbers(port, value).astype(self.dtype, copy=False)
            lead = array.shape[: array.ndim - len(port.shape)]
            if array.shape[len(lead) :] != port.shape:
                raise ValueError(f"{port.name} has shape {array.shape}; it must end in {port.shape}")
            columns.append(array.reshape((*lead, port.size)))
        lead = np.broadcast_shapes(*(column.shape[:-1] for column in columns))
        return [np.broadcast_to(column, (*lead, column.shape[-1])) for column in columns], lead

    def _by(self, module: Callable[..., Any]) -> Callable[..., Any]:
        """The way through a module, which takes and gives what the others do."""

        def call(*given: Any) -> Any:
            found = module(*(_numbers(port, value) for port, value in zip(self.inputs, given, strict=True)))
            return self._result([found] if self.record is None else list(found))

        return call

    def _result(self, values: list[Any]) -> Any:
        told = zip(self.outputs, values, strict=True)
        values = [real.whole_numbers(value) if port.whole else value for port, value in told]
        return values[0] if self.record is None else self.record(*values)


def _numbers(port: Port, value: Any) -> Array:
    """An argument as real numbers of any type; TypeError where it is none."""
    try:
        return real.real_numbers(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise TypeError(f"{port.name} must be real numbers that end in shape {port.shape}, not {kind}") from None


def _states(values: list[list[float]], port: Port) -> Array:
    return np.array(values).reshape((len(values), *port.shape))


def numbers(values: Sequence[float], shape: tuple[int, ...], dtype: str) -> Array:
    """An array of its own with these entries."""
    return np.array(values, dtype).reshape(shape)


class Tested(Protocol):
    """What tests itself on what is known of it."""

    name: str
    tolerance: float

    def self_test(self, trials: dict[str, Any]) -> float: ...


def self_test(functions: Sequence[Tested]) -> float:
    """The largest relative error of all functions; RuntimeError where one of them is wrong."""
    trials = json.loads((Path(__file__).parent / "trials.json").read_text(encoding="utf-8"))
    errors = {function.name: function.self_test(trials[function.name]) for function in functions}
    for function in functions:
        if not errors[function.name] <= function.tolerance:
            raise RuntimeError(f"{function.name} is wrong: its relative error is {errors[function.name]:.1e}")
    return max(errors.values())
