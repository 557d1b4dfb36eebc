"""What a framework that differentiates by itself needs of a computation: its values, and products with its Jacobian.

Gradients have the shapes of the inputs, so that q is differentiated entry by entry (ambient coordinates): a gradient
with respect to a quaternion has four entries, and none along the quaternion itself, whose length does not matter.
"""

import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from motionc.errors import Error
from motionc.program.derive.push import refusals
from motionc.program.port import Port
from motionc.runtime.arrays.device import DeviceComputation
from motionc.runtime.computation import Computation

Array = np.ndarray[Any, np.dtype[Any]]
Role = Literal["value", "jvp", "vjp"]


class Products:
    """A computation; J dx and Jᵀ ȳ of it, with products of their own, made when asked for.

    Outputs that only report have no derivative.
    """

    def __init__(self, computation: Computation) -> None:
        self.value = computation
        self._devices: dict[int, DeviceComputation] = {}

    @cached_property
    def smooth(self) -> list[bool]:
        """Which outputs have a derivative."""
        refused = refusals(self.value.program)
        return [port.name not in refused for port in self.value.outputs]

    @cached_property
    def jvp(self) -> "Products":
        """Inputs, their changes → changes of the smooth outputs."""
        return Products(self.value.jvp(*self._asked(), coordinates="ambient"))

    @cached_property
    def vjp(self) -> "Products":
        """Inputs, weights of the smooth outputs → gradients."""
        return Products(self.value.vjp(*self._asked(), coordinates="ambient"))

    def _asked(self) -> tuple[list[str], list[str]]:
        of = [port.name for port, smooth in zip(self.value.outputs, self.smooth, strict=True) if smooth]
        if not of:
            raise Error(f"{self.value.name} has no output with a derivative")
        return of, [port.name for port in self.value.inputs]

    def role(self, name: Role) -> "Products":
        return self if name == "value" else self.jvp if name == "jvp" else self.vjp

    def on_device(self, number: int, arrays: Sequence[Any]) -> list[Any]:
        """The outputs of arrays (N, …) on a GPU, in the computation's precision; they stay there."""
        if number not in self._devices:
            self._devices[number] = self.value.on(f"cuda:{number}")
        found = self._devices[number](*arrays)
        return [found] if len(self.value.outputs) == 1 else list(found)


def record(ports: Sequence[Port]) -> Callable[..., Any]:
    """Several outputs by name, in a tuple that frameworks look into."""
    make: Any = namedtuple
    return make("Results", [port.name for port in ports])


def on_host(computation: Computation, arrays: Sequence[Any]) -> list[Array]:
    """The outputs of NumPy arrays with equal axes of states in front, or none."""
    given = [np.asarray(array) for array in arrays]
    front = given[0].shape[: given[0].ndim - len(computation.inputs[0].shape)]
    if front:
        count, ports = math.prod(front), computation.inputs
        if count == 0:
            return [np.zeros(front + port.shape) for port in computation.outputs]
        found = computation.batch(
            *(array.reshape(count, *port.shape) for array, port in zip(given, ports, strict=True))
        )
    else:
        found = computation(*given)
    several = [found] if len(computation.outputs) == 1 else list(found)
    return [np.reshape(value, front + port.shape) for value, port in zip(several, computation.outputs, strict=True)]
