"""A loop in time as a function of JAX: a roll-out under jit, vmap and reverse-mode grad.

Runs and their gradients (`loop.vjp`) are called back on the host, on arrays with any number of axes of lanes in front:
vmap adds one. There is no forward mode: what a run costs backwards does not depend on how much it is given.
"""

import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from math import prod
from typing import Any, Protocol, cast

import numpy as np

from motionc.program.loop import Loop
from motionc.program.port import Port, axes_in_front, fitting, in_order
from motionc.runtime.loop_arguments import Asked

# an extra: strict types end here
jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")

Array = np.ndarray[Any, np.dtype[Any]]


class Roll(Protocol):
    """What of a loop is called."""

    name: str
    loop: Loop
    asked: Asked

    def batch(self, **given: Any) -> Any: ...
    def vjp(self, of: Any, wrt: Any, *, coordinates: Any = ...) -> Any: ...


def to_jax(roll: Roll, turns: int, seed: int) -> Callable[..., Any]:
    """The function of what the loop is given, by name: so many turns, with this seed."""
    host = _Host(roll, turns, seed)
    ports, starts, told = host.ports, host.starts, roll.asked.ports()
    words = [re.sub(r"\W", "_", port.name).lstrip("_") for port in told]
    make: Any = namedtuple
    record = make("Run", words)

    @jax.custom_vjp
    def run(lane: Any, *arrays: Any) -> Any:
        front, kind = lane.shape, arrays[0].dtype if arrays else jnp.result_type(float)
        wanted = [jax.ShapeDtypeStruct(front + shape, kind) for shape in host.shapes]
        wanted += [jax.ShapeDtypeStruct(front, jnp.int32), jax.ShapeDtypeStruct(front, bool)]
        return _called(host.run, wanted, lane, *arrays)

    def forward(lane: Any, *arrays: Any) -> Any:
        # what is asked for with respect to which, in the shape of a tree: jit keeps it
        asked = [() if array.perturbed else None for array in arrays]
        values = [array.value for array in (lane, *arrays)]
        return run(*values), (values, asked)

    def back(kept: Any, bars: Any) -> Any:
        (lane, *arrays), asked = kept
        wrt = [k for k, each in enumerate(asked) if each is not None]
        zero = jax.custom_derivatives.SymbolicZero
        of = [k for k in range(len(host.shapes)) if not isinstance(bars[k], zero)]
        found = dict.fromkeys(range(len(arrays)))
        if of and wrt:
            names = [told[k].name for k in of], [ports[k].name for k in wrt]
            wanted = [jax.ShapeDtypeStruct(arrays[k].shape, arrays[k].dtype) for k in wrt]
            gradient = partial(host.gradient, *map(tuple, names))
            found |= dict(zip(wrt, _called(gradient, wanted, lane, *arrays, *(bars[k] for k in of)), strict=True))
        return None, *found.values()

    run.defvjp(forward, back, symbolic_zeros=True)

    def function(*, lane: Any = None, **given: Any) -> Any:
        values = in_order(roll.name, ports, (), starts | given)
        arrays = [jnp.asarray(fitting(roll.name, p, value)) for p, value in zip(ports, values, strict=False)]
        front = axes_in_front(roll.name, ports, [array.shape for array in arrays])
        front = front if lane is None else jnp.broadcast_shapes(front, jnp.shape(lane))
        lane = jnp.arange(prod(front)).reshape(front) if lane is None else jnp.broadcast_to(lane, front)
        said = [array for port, array in zip(ports, arrays, strict=True) if port.name in given]
        kind = jnp.result_type(*said, jnp.float32) if said else jnp.result_type(float)
        pairs = zip(ports, arrays, strict=True)
        return record(*run(lane, *(jnp.broadcast_to(array.astype(kind), front + p.shape) for p, array in pairs)))

    function.__name__ = function.__qualname__ = roll.name
    taken, kept = ", ".join(port.name for port in ports), ", ".join(words)
    function.__doc__ = f"{turns} turns of {roll.name} in JAX: {taken}, lane → {kept}. Axes of lanes may stand in front."
    return function


def _called(function: Callable[..., Any], wanted: Sequence[Any], *arrays: Any) -> list[Any]:
    """A call back to the host, whose answers have these shapes and types."""

    def called(*given: Any) -> tuple[Array, ...]:
        # one more axis of lanes where vmap has put it
        lane, *others = (np.asarray(array) for array in given)
        found = function(lane.reshape(-1), *(_flat(array, lane.ndim) for array in others))
        more = lane.shape[: lane.ndim - arrays[0].ndim]
        return tuple(np.asarray(f).reshape(more + w.shape).astype(w.dtype) for f, w in zip(found, wanted, strict=True))

    return list(jax.pure_callback(called, tuple(wanted), *arrays, vmap_method="broadcast_all"))


def _flat(array: Array, axes: int) -> Array:
    return array.reshape(prod(array.shape[:axes]), *array.shape[axes:])


class _Host:
    """Runs and gradients on arrays (N, …), each lane with its own number."""

    def __init__(self, roll: Roll, turns: int, seed: int) -> None:
        self.roll, self.turns, self.seed = roll, turns, seed
        loop = roll.loop
        fed = [replace(b.port, shape=(turns, *b.port.shape), space=cast(Any, None)) for _, b in loop.of("streamed")]
        self.ports: tuple[Port, ...] = (*(b.port for _, b in (*loop.states, *loop.of("held"))), *fed)
        known = [(b, b.start) for _, b in (*loop.states, *loop.given)]
        self.starts = {b.name: np.reshape(start, b.port.shape) for b, start in known if start is not None}
        rows = [(turns // log.every, *loop.buffers[log.buffer].port.shape) for log in loop.logs]
        self.shapes = [*rows, *(b.port.shape for _, b in loop.states)]
        self._gradients: dict[tuple[Any, Any], Any] = {}

    def run(self, lane: Array, *arrays: Array) -> list[Array]:
        """Logs, what is carried at the end, turns, finite."""
        said = {port.name: array for port, array in zip(self.ports, arrays, strict=True)}
        shapes: list[tuple[int, ...]] = [*self.shapes, (), ()]
        return self._together(self.roll.batch, lane, said, shapes)

    def gradient(self, of: tuple[str, ...], wrt: tuple[str, ...], lane: Array, *arrays: Array) -> list[Array]:
        """Gradients with respect to `wrt` of what the last arrays weigh."""
        if (of, wrt) not in self._gradients:
            self._gradients[of, wrt] = self.roll.vjp(of, wrt, coordinates="ambient")
        names = [*(port.name for port in self.ports), *(f"{name}_bar" for name in of)]
        shapes = [next(port.shape for port in self.ports if port.name == name) for name in wrt]

        def pulled(**given: Any) -> tuple[Array, ...]:
            found = self._gradients[of, wrt].batch(**given)
            return (found,) if len(wrt) == 1 else tuple(found)

        return self._together(pulled, lane, dict(zip(names, arrays, strict=True)), shapes)

    def _together(
        self, call: Callable[..., Any], lane: Array, said: dict[str, Array], shapes: Sequence[Any]
    ) -> list[Array]:
        """One call for all lanes, or for each row of successive ones where something is drawn."""
        found = [np.empty((len(lane), *shape)) for shape in shapes]
        for k in self._rows(lane):
            some = {name: array[k] for name, array in said.items()}
            answers = call(**some, steps=self.turns, seed=self.seed, lane=int(lane[k][0]), lanes=k.stop - k.start)
            for whole, part in zip(found, answers, strict=True):
                whole[k] = part
        return found

    def _rows(self, lane: Array) -> Iterator[slice]:
        drawn = bool(self.roll.loop.of("drawn"))
        cuts = [0, *(np.flatnonzero(np.diff(lane) != 1) + 1 if drawn else ()), len(lane)]
        yield from (slice(int(a), int(b)) for a, b in pairwise(cuts) if b > a)
