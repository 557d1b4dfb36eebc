"""Whose array is it, and how does it lie in a GPU's memory? Libraries, strides, extents, and how a layout is launched.

Nothing here is computed or copied; CuPy is found, not asked for anything but how many GPUs there are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.program.port import Port

DLPACK_CUDA = (2, 13)
"""What DLPack calls memory of a GPU: its own, and managed memory."""


def kind_of(value: Any) -> str:
    """The library an array is from; "numpy" for NumPy's, numbers and lists."""
    name = type(value).__module__.partition(".")[0]
    if name in ("cupy", "torch"):
        return name
    if name in ("jax", "jaxlib"):
        return "jax"
    return "numpy" if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__") else name


def device_number(device: str) -> int:
    """The number behind "cuda"."""
    wanted = "say 'cuda', or 'cuda:1' for the second GPU"
    name, _, number = checked.name("device", device, wanted).partition(":")
    if name != "cuda" or (number and not number.isdigit()) or (":" in device and not number):
        raise checked.refusal("device", device, wanted)
    return int(number or 0)


def import_cupy(name: str, number: int) -> Any:
    """CuPy, where there is one and a GPU for it."""
    try:
        cupy: Any = import_module("cupy")
    except ImportError:
        raise Error(f"{name} needs CuPy, which is not installed: pip install 'motionc[cuda]'") from None
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as error:  # CuPy's own class, whose place differs from version to version
        raise Error(f"{name}: CuPy finds no GPU that works ({error}); .batch computes on the processor") from None
    if number >= count:
        raise Error(f"{name}: there is no GPU {number} here; CuPy finds {count}")
    return cupy


def on_device(cupy: Any, name: str, port: Port, value: Any, number: int, dtype: Any) -> Any:
    """An array of any library as one of CuPy's on the same memory; refused where it is elsewhere or of another type."""
    kind = kind_of(value)
    if kind == "numpy":
        raise Error(f"{name}: {port.name} must be an array on the GPU, not a {type(value).__name__}")
    if kind != "cupy":
        place, own = value.__dlpack_device__()
        if int(place) not in DLPACK_CUDA:
            raise Error(f"{name}: {port.name} is a {kind} array in the CPU's memory; move it to the GPU first")
    else:
        own = value.device.id
    if int(own) != number:
        raise Error(f"{name}: {port.name} is on GPU {int(own)}; this computation is on GPU {number}")
    array = value
    if kind == "torch":
        array = cupy.from_dlpack(value.detach())
    elif kind != "cupy":
        array = cupy.from_dlpack(value)
    if array.dtype != dtype:
        other = {"float32": "single", "float64": "double"}.get(str(array.dtype))
        remedy = f", or ask for precision={other!r}" if other else ""
        raise Error(f"{name}: {port.name} is {array.dtype}; make it {dtype}{remedy}")
    return array


# ---------------------------------------------------------------- kernels

REGISTERS = 65536
"""What a multiprocessor has."""

SPILLED = 64
"""Bytes of a thread that may leave registers so that more threads run at once: what still paid on an H200."""


def fitted(cupy: Any, name: str, emit: Callable[[int], str], spilled: int = SPILLED) -> tuple[Any, str]:
    """The kernel of a text and the text itself; where all of a thread fits into registers, one more block at a time on
    each multiprocessor, if little has to leave them for it. `emit` is told how many blocks there must be room for.
    """
    from motionc.targets import cuda  # a language is loaded where it is written

    def compiled(blocks: int) -> tuple[Any, str]:
        text = emit(blocks)
        return cupy.RawModule(code=text, options=cuda.OPTIONS).get_function(name), text

    first = compiled(0)
    if first[0].local_size_bytes:
        return first
    more = compiled(1 + REGISTERS // (first[0].max_threads_per_block * first[0].num_regs))
    return more if more[0].local_size_bytes <= spilled else first


def block_of(kernel: Any, states: int) -> int:
    """Threads in a block of a kernel: as many as it has room for, or a warp where there are few states."""
    from motionc.targets.cuda import FEW, WARP  # a language is loaded where it is written

    return int(kernel.max_threads_per_block) if states > FEW else WARP


class Fitted:
    """Who has a kernel and its text, `_built`: what they say of themselves."""

    _built: Any

    @property
    def source(self) -> str:
        """The text of the kernel."""
        return self._built[1]

    @property
    def _kernel(self) -> Any:
        return self._built[0]

    @property
    def registers(self) -> int:
        """How many each thread uses; the fewer, the more threads run at once."""
        return int(self._kernel.num_regs)

    @property
    def spilled(self) -> int:
        """Bytes of each thread that did not fit into registers."""
        return int(self._kernel.local_size_bytes)


# ---------------------------------------------------------------- layouts


def strides(array: Any, port: Port, axis: int) -> tuple[int, int] | None:
    """Numbers from state to state (0: one value for all) and from element to element; None where no such pair is."""
    size, state = array.dtype.itemsize, 0
    steps, shape = [stride // size for stride in array.strides], list(array.shape)
    if array.shape != port.shape:
        state, _ = steps.pop(axis), shape.pop(axis)
    real = [(step, length) for step, length in zip(steps, shape, strict=True) if length > 1]
    element = real[-1][0] if real else 1
    expected = element
    for step, length in reversed(real):
        if step != expected:
            return None
        expected *= length
    return state, element


def extent(array: Any) -> tuple[int, int]:
    """The first address an array uses, and the one behind its last."""
    first = last = int(array.data.ptr)
    if not array.size:
        return first, first
    for stride, length in zip(array.strides, array.shape, strict=True):
        first += min(0, stride * (length - 1))
        last += max(0, stride * (length - 1))
    return first, last + array.dtype.itemsize


@dataclass(frozen=True, slots=True)
class Plan:
    """How a layout is launched: two strides a port, which need a copy to have any, which bytes from its address on each
    uses, blocks and threads.
    """

    states: int
    strides: tuple[tuple[int, int], ...]
    irregular: tuple[int, ...]
    extents: tuple[tuple[int, int], ...]
    blocks: tuple[int]
    threads: tuple[int]

    def overlaps(self, places: list[int]) -> bool:
        """Whether the last of some arrays shares memory with another."""
        low, high = self.extents[-1]
        start, end = places[-1] + low, places[-1] + high
        return any(
            start < place + last and place + first < end
            for place, (first, last) in zip(places[:-1], self.extents, strict=False)
        )


def plan_of(arrays: tuple[Any, ...], ports: tuple[Port, ...], states: int, axis: int, threads: int) -> Plan:
    """How arrays of these ports are launched, in blocks of so many threads."""

    pairs = [strides(array, port, axis) for array, port in zip(arrays, ports, strict=True)]
    irregular = tuple(k for k, pair in enumerate(pairs) if pair is None)
    for k in irregular:  # of a contiguous copy
        contiguous = (ports[k].size, 1) if axis == 0 else (1, states)
        pairs[k] = (0, 1) if arrays[k].shape == ports[k].shape else contiguous
    extents = tuple((low - array.data.ptr, high - array.data.ptr) for array in arrays for low, high in (extent(array),))
    return Plan(states, tuple(pair for pair in pairs if pair), irregular, extents, (-(-states // threads),), (threads,))
