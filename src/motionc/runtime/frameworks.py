"""Computations as functions of JAX and PyTorch, which are imported when they are asked for, and not before."""

from collections.abc import Callable
from typing import Any

from motionc.errors import Error
from motionc.runtime.computation import Computation


def to_jax(computation: Computation) -> Callable[..., Any]:
    """A computation as a function of JAX, under jit, vmap, grad, jvp and vjp.

    Inputs may carry axes of states in front. Gradients have the shapes of the inputs: q is differentiated entry by
    entry. Outputs that only report (conditioning) have none. Inside jit the call goes through the host.
    """
    try:
        from motionc.runtime import jax_function
    except ImportError as error:
        raise Error(f"to_jax needs JAX ({error}): pip install 'motionc[jax]'") from None
    return jax_function.to_jax(_checked(computation, "to_jax"))


def to_torch(computation: Computation) -> Callable[..., Any]:
    """A computation as a function of PyTorch, which differentiates through it.

    Tensors may carry axes of states in front. Gradients have the shapes of the inputs: q is differentiated entry by
    entry. Outputs that only report (conditioning) have none.
    """
    try:
        from motionc.runtime import torch_function
    except ImportError as error:
        raise Error(f"to_torch needs PyTorch ({error}): pip install 'motionc[torch]'") from None
    return torch_function.to_torch(_checked(computation, "to_torch"))


def _checked(computation: Computation, what: str) -> Computation:
    if not isinstance(computation, Computation):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Error(
            f"{what} takes a computation, such as mc.forward_dynamics(robot), not a {type(computation).__name__}"
        )
    return computation
