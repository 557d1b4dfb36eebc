"""CuPy as far as motionc uses it, on the processor: arrays are NumPy's, kernels are compiled by `cuda_on_cpu`.

What stays untested is CuPy itself; that addresses, strides, streams and copies are handed over rightly, is not.
"""

import ctypes
import re
import time
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from cuda_on_cpu import compiled


class ndarray(np.ndarray):
    """An array of the GPU."""

    number = 0

    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(ptr=self.__array_interface__["data"][0], device_id=self.number)

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=self.number)

    def get(self) -> np.ndarray:
        return np.array(self)


ndarray.__module__ = "cupy"


class Fake(ModuleType):
    """The module, with what happened in it: the streams of launches, and the calls while a stream was captured."""

    __version__ = "0"
    float32, float64 = np.float32, np.float64

    def __init__(self, devices: int = 1) -> None:
        super().__init__("cupy")
        self.streams, self.launches = [0], list[tuple[int, int, int]]()
        self.captured: list[Any] | None = None
        self.ndarray = ndarray
        module = self

        @contextmanager
        def current(pointer: int) -> Any:
            module.streams.append(pointer)
            yield
            module.streams.pop()

        class Stream:
            def __init__(self, ptr: int = 7, **_: Any) -> None:
                self.ptr, self._context = ptr, current(ptr)

            def __enter__(self) -> None:
                self._context = current(self.ptr)
                self._context.__enter__()

            def __exit__(self, *what: Any) -> None:
                self._context.__exit__(*what)

            def synchronize(self) -> None: ...

            def begin_capture(self) -> None:
                module.captured = []

            def end_capture(self) -> Any:
                calls, module.captured = module.captured, None
                return SimpleNamespace(launch=lambda stream=None: [call() for call in calls or ()])

        class Device:
            def __init__(self, number: int = 0) -> None:
                self.number = number

            def __enter__(self) -> None: ...
            def __exit__(self, *what: Any) -> None: ...
            def synchronize(self) -> None: ...

        class Event:
            def record(self) -> None:
                self.at = time.perf_counter()

            def synchronize(self) -> None: ...

        self.cuda = SimpleNamespace(
            Stream=Stream,
            ExternalStream=Stream,
            Device=Device,
            Event=Event,
            get_elapsed_time=lambda begin, end: (end.at - begin.at) * 1e3,
            runtime=SimpleNamespace(
                getDeviceCount=lambda: devices,
                getDevice=lambda: 0,
                getDeviceProperties=lambda _: {"name": b"a processor"},
            ),
        )

    # ---------------------------------------------------------------- arrays

    def _allocates(self) -> None:
        assert self.captured is None, "memory is taken while a graph is captured"

    def empty(self, shape: Any, dtype: Any = float) -> ndarray:
        self._allocates()
        return np.full(shape, np.nan, dtype).view(ndarray)

    def zeros(self, shape: Any, dtype: Any = float) -> ndarray:
        return np.zeros(shape, dtype).view(ndarray)

    def empty_like(self, array: ndarray) -> ndarray:
        return self.empty(array.shape, array.dtype)

    def asarray(self, array: Any, dtype: Any = None) -> ndarray:
        self._allocates()
        return np.array(array, dtype).view(ndarray)

    def array(self, array: Any, dtype: Any = None) -> ndarray:
        return self.asarray(array, dtype)

    def broadcast_to(self, array: Any, shape: Any) -> ndarray:
        return np.broadcast_to(array, shape).view(ndarray)

    def moveaxis(self, array: Any, of: int, to: int) -> ndarray:
        return np.moveaxis(array, of, to).view(ndarray)

    def ascontiguousarray(self, array: Any) -> ndarray:
        self._allocates()
        return np.ascontiguousarray(array).view(ndarray)

    def from_dlpack(self, array: Any) -> ndarray:
        return np.from_dlpack(array).view(ndarray)

    def asnumpy(self, array: ndarray) -> np.ndarray:
        return np.array(array)

    def isfinite(self, array: ndarray) -> Any:
        return np.isfinite(array)

    def copyto(self, to: ndarray, of: ndarray) -> None:
        np.copyto(to, of)

    def get_default_memory_pool(self) -> Any:
        return SimpleNamespace(free_all_blocks=lambda: None)

    # ---------------------------------------------------------------- kernels

    def RawModule(self, code: str, options: tuple[str, ...] = ()) -> Any:
        library = compiled(code)

        def function(name: str) -> Any:
            entry = getattr(library, f"{name}_launch")

            def launch(blocks: tuple[int], threads: tuple[int], arguments: tuple[int, ...]) -> None:
                assert all(type(argument) in (int, np.uint64) for argument in arguments)
                count = arguments[0]
                assert (blocks[0] - 1) * threads[0] < count <= blocks[0] * threads[0]
                self.launches.append((count, threads[0], self.streams[-1]))
                words = [ctypes.c_longlong(int(argument)) for argument in arguments]
                if self.captured is None:
                    entry(*words, None)
                else:
                    self.captured.append(lambda: entry(*words, None))

            return Kernel(launch, int(re.findall(r"__launch_bounds__\((\d+)", code)[0]))

        return SimpleNamespace(get_function=function)


class Kernel:
    """A function with attributes of a kernel."""

    num_regs, local_size_bytes = 1, 0

    def __init__(self, launch: Any, threads: int) -> None:
        self._launch, self.max_threads_per_block = launch, threads

    def __call__(self, *arguments: Any) -> None:
        self._launch(*arguments)
