"""Running a schedule: the one traversal behind all three readings, and the trace of what it does.

The reading is decided by what stands under the inputs: nothing known (check), NumPy numbers (run), symbols (compile).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from motionc.errors import Error, NoNumber
from motionc.geometry import SemanticError
from motionc.geometry.coordinates import Coordinates
from motionc.geometry.meaning import kept_report
from motionc.model.mechanism import Mechanism
from motionc.sweeps.describe import described
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import (
    INWARD,
    OUTWARD,
    ROOT,
    Operation,
    Policy,
    Schedule,
    Sweep,
    checked_order,
    depth_first,
)
from motionc.sweeps.state import BodyState, StateGraph

Trace = Callable[[str], None]
"""Receives the trace line by line, `print` for instance."""


NO_NUMBERS = (
    "; coordinates are unknown while a schedule is checked and symbols while it is compiled: work with the relations' "
    "own operations, and turn nothing into a number"
)


class Applied(NamedTuple):
    """One operation applied at one joint ("" at the root): which sweep it was in, counted from 0, and what it gave."""

    sweep: int
    operation: str
    joint: str
    given: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        lines = [f"Inside {self.operation}" + ("" if self.joint else " (root)")]
        return "\n".join([*lines, *(described(value) for _, value in self.given)])


def walk(
    schedule: Schedule,
    mechanism: Mechanism,
    problem: Problem,
    *,
    policy: Policy = depth_first,
    trace: Trace | None = None,
    before: StateGraph[Any] | None = None,
    answers: Mapping[str, Coordinates] | None = None,
) -> StateGraph[Any]:
    """Apply every operation of every sweep, and return the states they leave.

    `before` are the states that led to this question, `answers` is what else they led to.
    """
    graph = StateGraph(mechanism, before, answers)
    steps = stepwise(schedule, graph, problem, policy=policy)
    if trace is None:
        for _ in steps:
            pass
        return graph
    for sweep in schedule.sweeps:
        kind = "Composite" if len(sweep.operations) > 1 else "Single"
        trace(f"{kind} operation is created: {', '.join(step.name for step in sweep.operations)}")
        trace(f"Traverse operation is created: {sweep.direction}")
    sweep, count = -1, 0
    for step in steps:
        sweep, count = step.sweep, count + 1 if step.sweep == sweep else 0
        if step.joint and count % len(schedule.sweeps[sweep].operations) == 0:
            trace(f"JOINT NAME {step.joint}")
        for line in str(step).splitlines():
            trace(line)
    return graph


def stepwise(
    schedule: Schedule, graph: StateGraph[Any], problem: Problem, *, policy: Policy = depth_first
) -> Iterator[Applied]:
    """Apply the operations one by one, and pause after each; the graph holds what they have left so far."""
    mechanism = graph.mechanism
    order = checked_order(policy, mechanism)
    joints = [JointView(body, mechanism.body_frame(body.parent).body, problem) for body in mechanism.bodies]
    for number, sweep in enumerate(schedule.sweeps):
        steps = [
            (step, frozenset[str]().union(*(other.gives for other in sweep.operations if other is not step)))
            for step in sweep.operations
        ]
        if sweep.direction is ROOT:
            for step, others in steps:
                yield Applied(number, step.name, "", _apply(step, others, sweep, graph, (graph, problem)))
            continue
        for index in reversed(order) if sweep.direction is INWARD else order:
            joint, parent, child = joints[index], graph[mechanism.bodies[index].parent], graph[index]
            for step, others in steps:
                given = _apply(step, others, sweep, graph, (joint, parent, child))
                yield Applied(number, step.name, joint.name, given)


def _apply(
    step: Operation, others: frozenset[str], sweep: Sweep, graph: StateGraph[Any], arguments: tuple[Any, ...]
) -> tuple[tuple[str, Any], ...]:
    """One operation, watched so that it reads and writes only what it said, where it may; what it gave.

    `others` is what the other operations of its sweep give.
    """
    watch = graph.watch
    parent: BodyState | None = arguments[1] if len(arguments) == 3 else None
    watch.name, watch.needs, watch.gives = step.name, step.needs, step.gives
    watch.others = others
    watch.finished = parent if sweep.direction is OUTWARD else None
    watch.gathering = parent if sweep.direction is INWARD else None
    watch.given.clear()
    report = kept_report()
    since = len(report.refusals) if report is not None else 0

    def where() -> str:
        return f"operation {step.name} at {f'joint {arguments[0].name}' if parent else 'the root'}"

    try:
        returned: Any = step.function(*arguments)
    except SemanticError as error:
        raise error.met_in(where()) from None
    except Error:
        raise
    except Exception as error:
        said = f"{where()}: {type(error).__name__}: {error}"
        raise Error(said + NO_NUMBERS * _about_numbers(error)) from error
    finally:
        watch.name = ""
    if report is not None:
        report.met_in(where(), _not_to_be_trusted(step) if parent else "", since)
    if returned is not None:
        raise Error(f"{where()} returns a {type(returned).__name__}, which nobody reads: give it, child.name = …")
    return tuple(watch.given)


def _not_to_be_trusted(step: Operation) -> str:
    """What a refusal means for the robot: the kinematic half of Listing 2.6."""
    return f"can not return {', '.join(sorted(step.gives))} data. Check whether the joint is correctly constructed"


def _about_numbers(error: Exception) -> bool:
    """Whether somebody took coordinates for numbers."""
    return isinstance(error, NoNumber) or any(
        word in str(error) for word in ("NoneType", "Unknown", "Symbols", "Value")
    )
