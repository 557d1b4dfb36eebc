"""Computations without a robot, written in plain Python on values: filters, controllers, laws."""

from collections.abc import Sequence
from typing import get_args

from motionc import checked
from motionc.program.block import Block, Written, written
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation


def block(
    name: str,
    function: Written,
    inputs: Sequence[Port],
    outputs: Sequence[Port] = (),
    *,
    equation: str = "",
    precision: Precision = "double",
) -> Computation:
    """A function on values as a computation: a filter, a controller, a law, in every language and on every device.

    The function gets one NumPy array of values an input, in the shape of its port, and returns a dictionary by the
    names of outputs and states. It runs once, to be written down: decisions are `select`, minimum, maximum and
    comparisons, not `if`.

    >>> import motionc as mc
    >>> def low_pass(x, y):
    ...     return {"y": y + 0.1 * (x - y)}
    >>> smooth = mc.block("low_pass", low_pass, [mc.Port("x", (), "m", "measured"), mc.State("y", (), "m", "smoothed")])
    >>> round(smooth(1.0, smooth(1.0, 0.0)), 3)
    0.19

    Args:
        name: what the function is called in emitted code.
        function: the function, which is read once.
        inputs: its ports, in the order of its arguments; those that are State are outputs, too.
        outputs: all other outputs.
        equation: what it computes, for emitted files.
        precision: "double", or "single" for float32 arrays.
    """
    checked.one_of(f"{name}: precision", precision, get_args(Precision))
    checked.words(f"{name}: equation", equation)
    return Computation(Block(written(name, function, inputs, outputs, equation), precision))
