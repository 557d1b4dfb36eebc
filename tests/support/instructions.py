"""What every instruction means, said by NumPy, and a program of them all."""

from collections.abc import Callable

import numpy as np

from motionc.program import Instruction, Program
from motionc.program.instructions import OPERATIONS
from motionc.sweeps import Port

Array = np.ndarray

UNARY: dict[str, Callable[[Array], Array]] = {
    "neg": np.negative,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "abs": np.abs,
    "floor": np.floor,
    "sign": lambda x: (x > 0.0) * 1.0 - (x < 0.0),
    "sin": np.sin,
    "cos": np.cos,
}
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "atan2": np.arctan2,
    "min": np.fmin,
    "max": np.fmax,
    "less": np.less,
    "less_equal": np.less_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
}
ARGUMENTS = dict.fromkeys(UNARY, 1) | dict.fromkeys(BINARY, 2) | {"select": 3}
assert ARGUMENTS.keys() == OPERATIONS.keys(), "an instruction is forgotten"

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 7.0, 1e30, -1e-30, np.inf, -np.inf, np.nan]


def meanings(x: Array) -> dict[str, Array]:
    """Every instruction on the columns of x, of which there are three."""
    with np.errstate(all="ignore"):
        found = {op: meaning(x[:, 0]) for op, meaning in UNARY.items()}
        found |= {op: meaning(x[:, 0], x[:, 1]) for op, meaning in BINARY.items()}
        return found | {"select": np.where(x[:, 0] != 0, x[:, 1], x[:, 2])}


def functions(*ops: str) -> Program:
    """One output an operation, of the first entries of x."""
    inputs = tuple(Instruction("input", (), (0, k)) for k in range(3))
    steps = tuple(Instruction(op, tuple(range(ARGUMENTS[op]))) for op in ops)
    x, y = Port("x", (3,), "1", "in"), Port("y", (len(ops),), "1", "out")
    return Program("functions", "y = f(x)", (x,), (y,), inputs + steps, (tuple(range(3, 3 + len(ops))),))
