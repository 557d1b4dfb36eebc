"""CasADi: our sweeps on its symbols, evaluated by its own virtual machine through its plain call.

This is what one has without a code generator. Dense solves inside are CasADi's.
"""

from typing import Any

import casadi as ca
import numpy as np

from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Contender, calls
from motionc.sweeps.kernels import Kernel
from motionc.sweeps.solver import Solver

SOME = 16
"""States in a block: it takes a hundred times longer than the others."""


def enter(question: Question) -> Contender:
    """One call takes NumPy arrays and returns CasADi's own matrices."""
    if question.kind in (Kind.INVERSE_DERIVATIVES, Kind.FORWARD_DERIVATIVES):
        raise Absent("it would differentiate the sweeps, which takes minutes and more memory than most have")
    solver = question.computation.solver
    assert isinstance(solver, Solver), f"{solver.name} has no sweeps"
    symbols = {port.name: ca.SX.sym(port.name, port.size) for port in solver.inputs}
    answer = solver.answer(solver.robot.mechanism, symbols, call=_solve)
    function: Any = ca.Function(
        "f", list(symbols.values()), [answer[port.name] for port in solver.outputs], {"cse": True}
    )
    states = question.states
    return Contender(
        len(states[:SOME]),
        calls(function, states[:SOME]),
        lambda: question.compared(np.array([function(*state).full().ravel() for state in states])),
    )


def _solve(kernel: Kernel, matrix: Any, right: Any) -> tuple[Any, ...]:
    """What our kernels give at full rank; how near to losing it rows are, CasADi does not say."""
    found = ca.solve(matrix, right)
    return (found, ca.SX(matrix.shape[0]), ca.SX(1))[: kernel.outputs]
