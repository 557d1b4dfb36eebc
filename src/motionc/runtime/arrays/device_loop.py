"""A loop in time on a GPU: the kernel of targets/loop_cuda.py, made by CuPy on the spot; a lane a thread.

Arrays of NumPy are copied there and back; those of CuPy stay. On the GPU lanes stand last, so that neighbouring threads
read and write neighbouring numbers; what comes back has them in front.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from motionc.program.loop import Loop
from motionc.program.noise import seed_of
from motionc.program.port import Port, Precision, numbers
from motionc.runtime.arrays.device_arrays import (
    Fitted,
    block_of,
    device_number,
    fitted,
    import_cupy,
    kind_of,
    on_device,
)
from motionc.runtime.build.library import DTYPES
from motionc.runtime.loop_arguments import Asked, whole
from motionc.targets import loop_cuda

KERNEL = "motionc_kernel"


class Looped(Protocol):
    """What has a loop."""

    @property
    def name(self) -> str: ...
    @property
    def program(self) -> Loop: ...
    @property
    def precision(self) -> Precision: ...


class DeviceLoop(Fitted):
    """A loop on a GPU, called as `LoopComputation.batch` is; `registers` and `spilled` say how a thread fits."""

    def __init__(self, source: Looped, device: str) -> None:
        self._number = device_number(device)
        self.name, self.loop = f"{source.name}.on({device!r})", source.program
        self._cupy = import_cupy(self.name, self._number)
        self._dtype = DTYPES[source.precision]
        self._asked = Asked(self.loop, self._dtype)

    def __repr__(self) -> str:
        return f"DeviceLoop({self.name})"

    @cached_property
    def _built(self) -> tuple[Any, str]:
        """The kernel and its text; what leaves registers is paid for in every turn."""
        return fitted(self._cupy, KERNEL, lambda blocks: loop_cuda.emit(self.loop, KERNEL, blocks_at_once=blocks), 0)

    def __call__(
        self,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        lanes: int | None = None,
        seed: int = 0,
        lane: int = 0,
        turn: int = 0,
        **given: Any,
    ) -> Any:
        """All lanes in one launch; arrays as NumPy's unless some given is CuPy's."""
        turns = self._asked.turns(steps, seconds)
        count = self._asked.count(given, turns, lanes)
        seed = seed_of(f"{self.name}: seed", seed)
        lane = whole(f"{self.name}: lane", lane, "say which lane is the first")
        here = any(kind_of(value) != "numpy" for value in given.values())
        with self._cupy.cuda.Device(self._number):
            sheets = self._asked.sheets(given, turns, count, self._on_device)
            logs, states, ends = self._launched(sheets, turns, count, seed, lane, self._asked.first(turn))
            found = [*logs, *states, ends[:, 0], ends[:, 1] == ends[:, 0]]
            told = found if here else [self._cupy.asnumpy(array) for array in found]
        return self._asked.record(0)(told)

    def _on_device(self, port: Port, value: Any) -> Any:
        if kind_of(value) == "numpy":
            return self._cupy.asarray(numbers(self.name, port, value), self._dtype)
        return on_device(self._cupy, self.name, port, value, self._number, self._dtype)

    def _launched(self, sheets: Mapping[int, Any], turns: int, count: int, seed: int, lane: int, first: int) -> Any:
        cupy, loop = self._cupy, self.loop
        # lanes last in memory
        given = [self._last(sheets[k]) for k, _ in loop.given]
        states = [
            self._last(cupy.array(cupy.broadcast_to(cupy.asarray(sheets[k]), (count, *b.port.shape)), self._dtype))
            for k, b in loop.states
        ]
        shapes = [(log.rows(first, turns), *loop.buffers[log.buffer].port.shape, count) for log in loop.logs]
        logs = [cupy.moveaxis(cupy.empty(shape, self._dtype), -1, 0) for shape in shapes]
        ends = cupy.zeros((count, 2), np.int64)
        arguments: list[Any] = [count, lane, first, turns, np.uint64(seed)]
        placed = [*given, *states, *logs]
        for array, port in zip(placed, loop_cuda.arrays(loop), strict=True):
            arguments += (array.data.ptr, *self._strides(array, port.turns))
        arguments.append(ends.data.ptr)
        if count:
            threads = block_of(self._kernel, count)
            self._kernel(((count + threads - 1) // threads,), (threads,), tuple(arguments))
        return logs, states, ends

    def _last(self, array: Any) -> Any:
        """The same array with its first axis last in memory."""
        if array.shape[0] == 1:
            return self._cupy.ascontiguousarray(array)
        return self._cupy.moveaxis(self._cupy.ascontiguousarray(self._cupy.moveaxis(array, 0, -1)), -1, 0)

    def _strides(self, array: Any, streamed: bool) -> list[int]:
        """Numbers from lane to lane, from element to element and, of streams and logs, from turn to turn."""
        steps = [stride // array.itemsize for stride in array.strides]
        lane = steps[0] if array.shape[0] > 1 else 0
        element = steps[-1] if len(steps) > 1 + streamed else 1
        return [lane, element, *([steps[1]] if streamed else [])]
