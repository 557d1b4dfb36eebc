"""On a GPU: the kernel of targets/cuda.py, made by CuPy on the spot, on arrays of CuPy, Torch, JAX or NumPy.

Arrays stay where they are: an address and two strides a port go to the kernel, and what comes back is of the kind that
was given. Nothing here waits for the GPU but copies from and to NumPy. With `out=` nothing is allocated either, so that
a call can be captured in a CUDA graph.
"""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.port import Port, common_states, expect_axis, expect_count, fitting, in_order, numbers, states_in
from motionc.program.source import Source
from motionc.runtime.arrays.batch import in_place
from motionc.runtime.arrays.device_arrays import (
    Fitted,
    Plan,
    block_of,
    device_number,
    extent,
    fitted,
    import_cupy,
    kind_of,
    on_device,
    plan_of,
    strides,
)
from motionc.runtime.build.library import DTYPES
from motionc.runtime.results import Notes, Results, record_type

PLANS = 64
"""Layouts whose strides are remembered."""


class DeviceComputation(Fitted):
    """A computation on a GPU: called with arrays (N, …), or (…, N) with `axis=-1`, which is the faster layout.

    Arrays may be CuPy's, Torch's, JAX's (or of whoever speaks DLPack) on this GPU, in the computation's precision;
    NumPy arrays and numbers are copied there. An input of one state's shape is for all. What comes back is of the kind
    of the first array on the GPU, or NumPy's where there is none. Angles beyond ±8·10⁵ give NaN.
    """

    def __init__(
        self,
        solver: Source,
        device: str,
        check_finite: bool,
    ) -> None:
        self.inputs, self.outputs = solver.inputs, solver.outputs
        self._number = device_number(device)
        self.name = f"{solver.name}.on({device!r})"
        self._cupy = import_cupy(self.name, self._number)
        self._solver = solver
        self._dtype = DTYPES[solver.precision]
        self._check_finite = check_finite
        self._plans: dict[Any, Plan] = {}

    def __repr__(self) -> str:
        given, found = (", ".join(port.name for port in ports) for ports in (self.inputs, self.outputs))
        return f"DeviceComputation({self.name}: {given} → {found})"

    def __call__(self, *inputs: Any, axis: int = 0, out: Any = None, stream: Any = None, **named: Any) -> Any:
        """All states in one launch, on `stream` or on the current one of the arrays' library; results may still be on
        their way when this returns, as always on a GPU.

        Args:
            axis: where the states stand: 0 for arrays (N, …), -1 for (…, N), which is the faster layout.
            out: arrays to write to: one, a sequence of one for each output, or a mapping by name. None may overlap an
                input.
            stream: a stream of CuPy or Torch, or its address.
        """
        if out is not None and stream is None and not named and self._again(inputs, out, axis):
            return out
        expect_axis(self.name, axis)
        inputs = self._arguments(inputs, named)
        kind = next((found for value in inputs if (found := kind_of(value)) != "numpy"), "numpy")
        with self._working(kind, inputs, stream):
            given = [self._input(port, value, axis) for port, value in zip(self.inputs, inputs, strict=True)]
            counts = [
                states_in(self.name, *pair, axis)
                for pair in zip(self.inputs, (each.shape for each in given), strict=True)
            ]
            states = common_states(self.name, self._solver.name, self.inputs, counts)
            made = self._empty(kind, states, axis) if out is None else self._given_out(out, states, axis)
            found = [self._on_device(port, array) for port, array in zip(self.outputs, made, strict=True)]
            if out is not None:
                self._refuse_overlap(given, found)
            self._launch(given, found, states, axis)
            if kind == "numpy" and out is None:
                made = [self._cupy.asnumpy(array) for array in made]
            elif kind == "jax" and out is None:
                made = [import_module("jax.dlpack").from_dlpack(array) for array in made]
        return made[0] if len(made) == 1 else self._record[axis](made)

    def graph(self, *inputs: Any, axis: int = 0, out: Any = None, **named: Any) -> "Graph":
        """The same call captured once in a CUDA graph: write new numbers into the same arrays and replay it.

        Inputs must be arrays on the GPU; `out` as in a call, or made here.
        """
        inputs = self._arguments(inputs, named)
        for port, value in zip(self.inputs, inputs, strict=True):
            if kind_of(value) in ("numpy", "jax"):
                said = "a JAX array never changes" if kind_of(value) == "jax" else f"it is a {type(value).__name__}"
                raise Error(f"{self.name}: a graph reads {port.name} again on each replay; {said}: use CuPy or Torch")
        first = self(*inputs, axis=axis, out=out)  # compiles, checks, and makes the arrays
        made = [first] if len(self.outputs) == 1 else list(first)
        stream = self._cupy.cuda.Stream(non_blocking=True)
        self._cupy.cuda.Device(self._number).synchronize()
        with stream:
            stream.begin_capture()
            self(*inputs, axis=axis, out=made, stream=stream.ptr)
            captured = stream.end_capture()
        return Graph(captured, first, self._cupy)

    def _arguments(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        inputs = in_order(self._solver.name, self.inputs, inputs, named)
        expect_count(self.name, self.inputs, len(inputs))
        return inputs

    # ---------------------------------------------------------------- the kernel

    @cached_property
    def _built(self) -> tuple[Any, str]:
        """The kernel and its text."""
        from motionc.targets import cuda  # a language is loaded where it is written

        program, precision = self._solver.program, self._solver.precision
        return fitted(self._cupy, KERNEL, lambda blocks: cuda.emit(program, KERNEL, precision, blocks=blocks))

    def _again(self, inputs: tuple[Any, ...], out: Any, axis: int) -> bool:
        """The short way: CuPy's arrays on the current GPU, laid out as those of some call before, and one output."""
        arrays, kind = (*inputs, out), self._cupy.ndarray
        key: list[Any] = [axis]
        places = list[int]()
        for array in arrays:
            if type(array) is not kind or array.dtype != self._dtype:
                return False
            key += (array.shape, array.strides)
            memory = array.data
            if memory.device_id != self._number:
                return False
            places.append(memory.ptr)
        plan = self._plans.get(tuple(key))
        if plan is None or plan.irregular or plan.overlaps(places):
            return False
        if self._check_finite or self._cupy.cuda.runtime.getDevice() != self._number:
            return False
        arguments = [plan.states]
        for place, pair in zip(places, plan.strides, strict=True):
            arguments += (place, *pair)
        self._kernel(plan.blocks, plan.threads, tuple(arguments))
        return True

    def _launch(self, given: list[Any], found: list[Any], states: int, axis: int) -> None:
        if not states:
            return
        arrays = (*given, *found)
        key = (axis, *(part for array in arrays for part in (array.shape, array.strides)))
        plan = self._plans.get(key)
        if plan is None:
            plan = plan_of(arrays, (*self.inputs, *self.outputs), states, axis, block_of(self._kernel, states))
            if len(self._plans) >= PLANS:
                self._plans.clear()
            self._plans[key] = plan
        arguments = [states]
        copies = {k: self._cupy.ascontiguousarray(arrays[k]) for k in plan.irregular}
        for k, (state, element) in enumerate(plan.strides):
            arguments += (copies.get(k, arrays[k]).data.ptr, state, element)
        self._kernel(plan.blocks, plan.threads, tuple(arguments))

    # ---------------------------------------------------------------- arrays

    def _input(self, port: Port, value: Any, axis: int) -> Any:
        if kind_of(value := fitting(self.name, port, value)) == "numpy":
            array = numbers(self.name, port, value, axis)
            return self._cupy.asarray(np.ascontiguousarray(array, self._dtype))
        array = self._on_device(port, value)
        if self._check_finite and not bool(self._cupy.isfinite(array).all()):
            raise Error(f"{self.name}: {port.name} holds a value that is not finite")
        return array

    def _on_device(self, port: Port, value: Any) -> Any:
        """An array of any library as one of CuPy's on the same memory."""
        return on_device(self._cupy, self.name, port, value, self._number, self._dtype)

    def _empty(self, kind: str, states: int, axis: int) -> list[Any]:
        shapes = [port.shape_of(states, axis) for port in self.outputs]
        if kind == "torch":
            torch = sys.modules["torch"]
            where = {"dtype": getattr(torch, str(self._dtype)), "device": f"cuda:{self._number}"}
            return [torch.empty(shape, **where) for shape in shapes]
        return [self._cupy.empty(shape, self._dtype) for shape in shapes]

    def _given_out(self, out: Any, states: int, axis: int) -> list[Any]:
        """The arrays to write to, in the order of the outputs."""
        arrays = in_place(f"{self.name}: out", self.outputs, out)
        for port, array in zip(self.outputs, arrays, strict=True):
            wanted = port.shape_of(states, axis)
            if kind_of(array) == "jax":
                raise Error(f"{self.name}: out for {port.name} is a JAX array, which nobody may write to")
            if tuple(np.shape(array) if kind_of(array) == "numpy" else array.shape) != wanted:
                raise Error(f"{self.name}: out for {port.name} has shape {tuple(array.shape)}; it must be {wanted}")
            if kind_of(array) != "numpy" and strides(self._on_device(port, array), port, axis) is None:
                raise Error(f"{self.name}: out for {port.name} is in no regular order; give a contiguous array")
        return arrays

    def _refuse_overlap(self, given: list[Any], found: list[Any]) -> None:
        for written, port in zip(found, self.outputs, strict=True):
            for read, source in zip(given, self.inputs, strict=True):
                (a, b), (c, d) = extent(written), extent(read)
                if a < d and c < b:
                    raise Error(f"{self.name}: out for {port.name} overlaps {source.name}, which is still being read")

    # ---------------------------------------------------------------- where and when

    @contextmanager
    def _working(self, kind: str, inputs: tuple[Any, ...], stream: Any) -> Generator[None]:
        """On this GPU, in the stream that is asked for or that the arrays' library uses now."""
        external = self._cupy.cuda.ExternalStream
        if stream is None and kind == "torch":
            stream = sys.modules["torch"].cuda.current_stream(self._number)
        with self._cupy.cuda.Device(self._number):
            if stream is None:
                yield
                return
            address = stream if isinstance(stream, int) else getattr(stream, "ptr", None)
            address = getattr(stream, "cuda_stream", None) if address is None else address
            if address is None:
                raise Error(f"{self.name}: stream is a {type(stream).__name__}; give CuPy's or Torch's, or its address")
            with external(address):
                yield

    @cached_property
    def _record(self) -> dict[int, Callable[[list[Any]], Results]]:
        """The record of several outputs, for both layouts; what notes say is read off a copy."""
        notes: Notes = self._solver.notes
        return {axis: _device_record(self.outputs, notes, axis) for axis in (0, -1)}


KERNEL = "motionc_kernel"


class Graph:
    """A captured call: `replay()` computes again from what the arrays hold by then, into the same `outputs`."""

    def __init__(self, captured: Any, outputs: Any, cupy: Any) -> None:
        self._captured, self._cupy = captured, cupy
        self.outputs = outputs

    def replay(self, stream: Any = None) -> Any:
        """Launch it, on a CuPy stream or the current one; returns the outputs, which may still be on their way."""
        self._captured.launch(stream)
        return self.outputs


def _device_record(ports: tuple[Port, ...], notes: Notes, axis: int) -> Callable[[list[Any]], Results]:
    plain = record_type(ports, notes, axis)

    def host(array: Any) -> Any:
        return array.cpu().numpy() if kind_of(array) == "torch" else array.get() if kind_of(array) == "cupy" else array

    def said(self: Any) -> list[str]:
        return plain(map(np.asarray, map(host, self))).notes

    return type("Results", (plain,), {"__slots__": (), "notes": property(said, doc=Results.notes.__doc__)})
