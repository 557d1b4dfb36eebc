"""A computation as a function of JAX: under jit, vmap, grad, jvp and vjp.

One primitive calls the compiled computation on the host, or its products with the Jacobian, on arrays with any number
of axes of states in front: vmap adds one. A product is linear in its last arguments, and each is the other's transpose.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from motionc.program.port import axes_in_front, fitting, in_order
from motionc.runtime.build.library import DTYPES
from motionc.runtime.computation import Computation
from motionc.runtime.frameworks.products import Products, Role, on_host, record
from motionc.runtime.words import documentation, signature

# an extra: strict types end here
jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
ad, batching, mlir = (import_module(f"jax.interpreters.{name}") for name in ("ad", "batching", "mlir"))


def to_jax(computation: Computation) -> Callable[..., Any]:
    """The function of the same inputs, in their order or by name; several outputs come as a named tuple."""
    products, name, ports = Products(computation), computation.name, computation.inputs
    several = record(computation.outputs)

    def function(*inputs: Any, **named: Any) -> Any:
        inputs = in_order(name, ports, inputs, named)
        pairs = zip(ports, inputs, strict=False)
        arrays = [jnp.asarray(fitting(name, port, value)) for port, value in pairs] + [*inputs[len(ports) :]]
        front = axes_in_front(name, ports, [array.shape for array in arrays])
        kind = jnp.result_type(*arrays, jnp.float32)
        arrays = [
            jnp.broadcast_to(array.astype(kind), front + port.shape) for array, port in zip(arrays, ports, strict=True)
        ]
        found = call.bind(*arrays, products=products, role="value")
        return found[0] if len(found) == 1 else several(*found)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = documentation(computation.solver, "Axes of states may stand in front of all inputs. In JAX.")
    function.__signature__ = signature(computation.solver)  # pyright: ignore[reportFunctionMemberAccess]
    return function


call: Any = import_module("jax.extend.core").Primitive("motionc")
call.multiple_results = True


def _abstract(*arrays: Any, products: Products, role: Role) -> list[Any]:
    computation = products.role(role).value
    front = arrays[0].shape[: arrays[0].ndim - len(computation.inputs[0].shape)]
    return [jax.core.ShapedArray(front + port.shape, arrays[0].dtype) for port in computation.outputs]


def _run(*arrays: Any, products: Products, role: Role) -> Sequence[Any]:
    """By a call back to the host."""
    computation, shapes = products.role(role).value, _abstract(*arrays, products=products, role=role)

    def host(*given: Any) -> tuple[Any, ...]:
        found = on_host(computation, given)
        return tuple(value.astype(shape.dtype) for value, shape in zip(found, shapes, strict=True))

    wanted = tuple(jax.ShapeDtypeStruct(shape.shape, shape.dtype) for shape in shapes)
    return list(jax.pure_callback(host, wanted, *arrays))


def _run_now(*arrays: Any, products: Products, role: Role) -> Sequence[Any]:
    """Outside of jit: on the GPU, if the arrays are on one, and JAX keeps the computation's precision."""
    asked, first = products.role(role), arrays[0]
    computation = asked.value
    kind, kept = DTYPES[computation.solver.precision], jax.config.jax_enable_x64
    gpus = {_gpu(array) for array in arrays}
    if None in gpus or len(gpus) > 1 or not (kept or computation.solver.precision == "single"):
        return jax.jit(partial(_run, products=products, role=role))(*arrays)
    front = first.shape[: first.ndim - len(computation.inputs[0].shape)]
    flat = [array.astype(kind).reshape(-1, *p.shape) for array, p in zip(arrays, computation.inputs, strict=True)]
    pairs = zip(asked.on_device(gpus.pop(), flat), computation.outputs, strict=True)
    return [value.reshape(front + port.shape).astype(first.dtype) for value, port in pairs]


def _gpu(array: Any) -> Any:
    """Which GPU an array is on; None if on none, or on several."""
    devices = array.devices() if isinstance(array, jax.Array) else set()
    found = {device.id for device in devices if device.platform in ("gpu", "cuda")}
    return found.pop() if len(found) == len(devices) == 1 else None


# ---------------------------------------------------------------- derivatives


def _changed(given: Sequence[Any], changes: Sequence[Any], *, products: Products, role: Role) -> tuple[Any, Any]:
    """Values, and their changes along changes of what is given."""
    found = call.bind(*given, products=products, role=role)
    along = [ad.instantiate_zeros(change) for change in changes]
    n = len(products.value.inputs)
    if role != "value" and all(type(change) is ad.Zero for change in changes[:n]):
        return found, call.bind(*given[:n], *along[n:], products=products, role=role)
    asked = products.role(role)
    smooth = iter(call.bind(*given, *along, products=asked, role="jvp"))
    kept = zip(found, asked.smooth, strict=True)
    return found, [next(smooth) if is_smooth else jnp.zeros_like(value) for value, is_smooth in kept]


def _transposed(weights: Sequence[Any], *given: Any, products: Products, role: Role) -> list[Any]:
    """A product with J becomes one with Jᵀ, and back."""
    n, other = len(products.value.inputs), "vjp" if role == "jvp" else "jvp"
    along = [ad.instantiate_zeros(weight) for weight in weights]
    found = call.bind(*given[:n], *along, products=products, role=other)
    return [None] * n + list(found)


def _batched(given: Sequence[Any], axes: Sequence[Any], *, products: Products, role: Role) -> tuple[Any, Any]:
    """One more axis of states in front of all."""
    size = next(value.shape[axis] for value, axis in zip(given, axes, strict=True) if axis is not None)
    fronted = [
        jnp.broadcast_to(value, (size, *value.shape)) if axis is None else jnp.moveaxis(value, axis, 0)
        for value, axis in zip(given, axes, strict=True)
    ]
    found = call.bind(*fronted, products=products, role=role)
    return found, [0] * len(found)


call.def_impl(_run_now)
call.def_abstract_eval(_abstract)
mlir.register_lowering(call, mlir.lower_fun(_run, multiple_results=True))
ad.primitive_jvps[call] = _changed
ad.primitive_transposes[call] = _transposed
batching.primitive_batchers[call] = _batched
