"""Computations as functions of JAX, PyTorch and CasADi, which are imported when they are asked for, and not before."""

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
        from motionc.runtime.frameworks import jax_function
    except ImportError as error:
        raise Error(f"to_jax needs JAX ({error}): pip install 'motionc[jax]'") from None
    return jax_function.to_jax(_checked(computation, "to_jax"))


def loop_to_jax(loop: Any, turns: int, seed: int) -> Callable[..., Any]:
    """So many turns of a loop as a function of JAX."""
    try:
        from motionc.runtime.frameworks import jax_loop
    except ImportError as error:
        raise Error(f"to_jax needs JAX ({error}): pip install 'motionc[jax]'") from None
    return jax_loop.to_jax(loop, turns, seed)


def to_torch(computation: Computation) -> Callable[..., Any]:
    """A computation as a function of PyTorch, which differentiates through it.

    Tensors may carry axes of states in front. Gradients have the shapes of the inputs: q is differentiated entry by
    entry. Outputs that only report (conditioning) have none.
    """
    try:
        from motionc.runtime.frameworks import torch_function
    except ImportError as error:
        raise Error(f"to_torch needs PyTorch ({error}): pip install 'motionc[torch]'") from None
    return torch_function.to_torch(_checked(computation, "to_torch"))


def to_casadi(computation: Computation) -> Any:
    """A computation as a `casadi.Function` of SX, for optimal control: CasADi differentiates it, and prints it as C.

    Inputs and outputs have the names and the order of the computation's; one that is both ends in `_out` as an output.
    Poses and whatever else has more than two axes stand one below the other. Constraint rows are taken in the order in
    which they are given; of rows that depend on others, the later ones are dropped, and conditioning counts in that
    order. What is best within limits is refused.
    """
    try:
        from motionc.runtime.frameworks import casadi_function
    except ImportError as error:
        raise Error(f"to_casadi needs CasADi ({error}): pip install 'motionc[casadi]'") from None
    return casadi_function.to_casadi(_checked(computation, "to_casadi"))


def _checked(computation: Computation, what: str) -> Computation:
    if not isinstance(computation, Computation):  # pyright: ignore[reportUnnecessaryIsInstance]
        said = f"{what} takes a computation, such as mc.forward_dynamics(robot), not a {type(computation).__name__}"
        raise Error(said + "; a loop has loop.to_jax(steps=…)" * hasattr(computation, "to_jax"))
    return computation
