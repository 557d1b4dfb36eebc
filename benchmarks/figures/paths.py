"""The same inverse dynamics on different ways from Python into C: what a call costs besides what it computes."""

import ctypes
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from motionc.benchmark import ours
from motionc.benchmark.questions import Kind, Question, ask
from motionc.benchmark.report import Enter, Tell, answered
from motionc.benchmark.timing import ROUNDS, Absent, Array, Contender, State, Timing, calls, one_core
from motionc.model import Robot
from motionc.runtime.build import compiler
from motionc.runtime.build.library import compiled
from peers import casadi_call


def by_ctypes(question: Question) -> Contender:
    """Arrays are joined and their addresses taken at every call, as a user of ctypes does it."""
    entry: Any = _library(question).motionc_entry
    entry.argtypes, entry.restype = (ctypes.c_void_p, ctypes.c_void_p), None

    def call(*state: Array) -> Array:
        x, y = np.concatenate(state), np.empty(question.computation.outputs[0].size)
        entry(x.ctypes.data, y.ctypes.data)
        return y

    return _contender(call, question.states)


def by_cffi(question: Question) -> Contender:
    """In its ABI mode, which needs no compiler of its own."""
    try:
        ffi = import_module("cffi").FFI()
    except ImportError:
        raise Absent("cffi is not installed; pip install cffi") from None
    ffi.cdef("void motionc_entry(const double *x, double *y);")
    library = ffi.dlopen(str(_library(question)))
    entry, view = library.motionc_entry, ffi.from_buffer

    def call(*state: Array) -> Array:
        x, y = np.concatenate(state), np.empty(question.computation.outputs[0].size)
        entry(view("double[]", x), view("double[]", y))
        return y

    return _contender(call, question.states)


PATHS: dict[str, Enter] = {
    "motionc, in a loop of C": ours.scalar,
    "motionc, its own call": ours.called,
    "motionc, by ctypes": by_ctypes,
    "motionc, by cffi": by_cffi,
    "CasADi's C, in its buffer": casadi_call.buffered,
    "CasADi's C, casadi.external": casadi_call.external,
    "CasADi's virtual machine": casadi_call.enter,
}
"""Ways into C, the shortest first."""


def paths(
    robot: Robot, rounds: int = ROUNDS, *, names: Sequence[str] = tuple(PATHS), tell: Tell = lambda _: None
) -> list[Timing]:
    """Every way, on one core; those that are not there say so."""
    question = ask(Kind.INVERSE, robot, robot.link_names[-1])
    with one_core():
        return answered(question, {name: PATHS[name] for name in names}, rounds, tell=tell)


def _library(question: Question) -> ctypes.CDLL:
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    computation = question.computation
    return compiled(computation.solver, tool)


def _contender(call: Callable[..., Array], states: Sequence[State]) -> Contender:
    return Contender(len(states), calls(call, states), lambda: np.array([call(*state) for state in states]))
