"""A computation as a function of PyTorch, which differentiates through it: backward, forward, and by torch.func.

Tensors on a GPU stay there, others are read in place. No gradient is traced through the computation itself: backward
calls its vjp, forward mode its jvp, and each of these can be differentiated again.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from motionc.program.port import axes_in_front, fitting, in_order
from motionc.runtime.computation import Computation
from motionc.runtime.frameworks.products import Products, on_host, record
from motionc.runtime.words import documentation, signature

# an extra: strict types end here
torch: Any = import_module("torch")
Tensor = Any


def to_torch(computation: Computation) -> Callable[..., Any]:
    """The function of the same inputs, in their order or by name; several outputs come as a named tuple."""
    products, name, ports = Products(computation), computation.name, computation.inputs
    several = record(computation.outputs)

    def function(*inputs: Any, **named: Any) -> Any:
        inputs = in_order(name, ports, inputs, named)
        device = next((value.device for value in inputs if isinstance(value, torch.Tensor)), None)
        plain = [fitting(name, port, value) for port, value in zip(ports, inputs, strict=False)]
        tensors = [torch.as_tensor(value, device=device) for value in (*plain, *inputs[len(ports) :])]
        front = axes_in_front(name, ports, [tuple(tensor.shape) for tensor in tensors])
        kind = torch.get_default_dtype()
        for tensor in tensors:
            kind = torch.promote_types(kind, tensor.dtype) if tensor.is_floating_point() else kind
        tensors = [tensor.to(kind).expand(*front, *port.shape) for tensor, port in zip(tensors, ports, strict=True)]
        found = _Call.apply(products, *tensors)
        return found[0] if len(found) == 1 else several(*found)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = documentation(computation.solver, "Axes of states may stand in front of all inputs. In PyTorch.")
    function.__signature__ = signature(computation.solver)  # pyright: ignore[reportFunctionMemberAccess]
    return function


class _Call(torch.autograd.Function):
    """Values; backward and forward are calls of the same kind on the products."""

    @staticmethod
    def forward(products: Products, *tensors: Tensor) -> tuple[Tensor, ...]:
        computation, first = products.value, tensors[0]
        if not first.is_cuda:
            arrays = on_host(computation, [tensor.detach().numpy() for tensor in tensors])
            return tuple(torch.as_tensor(array, dtype=first.dtype) for array in arrays)
        kind = torch.float64 if computation.solver.precision == "double" else torch.float32
        front = first.shape[: first.ndim - len(computation.inputs[0].shape)]
        flat = [t.to(kind).reshape(-1, *port.shape) for t, port in zip(tensors, computation.inputs, strict=True)]
        pairs = zip(products.on_device(first.device.index, flat), computation.outputs, strict=True)
        return tuple(value.reshape(*front, *port.shape).to(first.dtype) for value, port in pairs)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.products, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        ctx.mark_non_differentiable(*_those(output, ctx.products.smooth, smooth=False))

    @staticmethod
    def backward(ctx: Any, *weights: Tensor) -> tuple[Any, ...]:
        smooth = _those(weights, ctx.products.smooth, smooth=True)
        return None, *_Call.apply(ctx.products.vjp, *ctx.saved_tensors, *smooth)

    @staticmethod
    def jvp(ctx: Any, _: None, *changes: Tensor) -> tuple[Tensor, ...]:
        tensors = ctx.saved_tensors
        along = [torch.zeros_like(t) if c is None else c for t, c in zip(tensors, changes, strict=True)]
        found = iter(_Call.apply(ctx.products.jvp, *tensors, *along))
        return tuple(next(found) if smooth else None for smooth in ctx.products.smooth)

    @staticmethod
    def vmap(info: Any, axes: tuple[int | None, ...], products: Products, *tensors: Tensor) -> tuple[Any, Any]:
        """One more axis of states in front of all."""
        fronted = [
            tensor.expand(info.batch_size, *tensor.shape) if axis is None else tensor.movedim(axis, 0)
            for tensor, axis in zip(tensors, axes[1:], strict=True)
        ]
        found = _Call.apply(products, *fronted)
        return found, tuple(0 for _ in found)


def _those(values: Sequence[Any], smooth_ones: Sequence[bool], *, smooth: bool) -> list[Any]:
    return [value for value, is_smooth in zip(values, smooth_ones, strict=True) if is_smooth is smooth]
