"""CasADi: our programs as its expressions, evaluated by its own virtual machine, or as C of its own generator.

The former, through a plain call, is what one has without a code generator.
"""

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import Absent, Contender, calls
from motionc.runtime import to_casadi
from motionc.runtime.build import cache, compiler

SOME = 16
"""States in a block: it takes a hundred times longer than the others."""


def enter(question: Question) -> Contender:
    """One call takes NumPy arrays and returns CasADi's own matrices."""
    if question.kind in (Kind.INVERSE_DERIVATIVES, Kind.FORWARD_DERIVATIVES):
        raise Absent("it would differentiate the dynamics, which takes minutes and more memory than most have")
    function = _function(question)
    states = question.states
    return Contender(
        len(states[:SOME]),
        calls(function, states[:SOME]),
        lambda: question.compared(np.array([function(*state).full().ravel() for state in states])),
    )


def buffered(question: Question) -> Contender:
    """Its C, compiled with our flags, called through its buffer: the state is copied in, the answer read in place."""
    function = _external(question)
    buffer, evaluate = function.buffer()
    inputs: list[Any] = [np.zeros(port.size) for port in question.computation.inputs]
    found: Any = np.zeros(question.computation.outputs[0].size)
    for k, array in enumerate(inputs):
        buffer.set_arg(k, memoryview(array))
    buffer.set_res(0, memoryview(found))

    def call(*state: Any, kept: Any = (function, buffer)) -> Any:
        for array, values in zip(inputs, state, strict=True):
            array[:] = values
        evaluate()
        return found

    states = question.states
    return Contender(len(states), calls(call, states), lambda: np.array([call(*state).copy() for state in states]))


def external(question: Question) -> Contender:
    """The same C through a plain call."""
    function, states = _external(question), question.states
    return Contender(
        len(states[:SOME]),
        calls(function, states[:SOME]),
        lambda: np.array([function(*state).full().ravel() for state in states]),
    )


def _function(question: Question) -> Any:
    """Called f, which is what its C is looked up by."""
    program = to_casadi(question.computation)
    given = program.sx_in()
    return ca.Function("f", given, program.call(given), {"cse": True})


def _external(question: Question) -> Any:
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    function = _function(question)
    generator = ca.CodeGenerator("f", {"with_header": False})
    generator.add(function)
    text = generator.dump()

    def build(output: Path) -> None:
        size = function.n_instructions()
        compiler.compile_library(tool, text, output, instructions=size, label="CasADi's C")

    library = cache.fetch(cache.key("casadi", text, compiler.fingerprint(tool, 0)), ".so", build)
    return ca.external("f", str(library))
