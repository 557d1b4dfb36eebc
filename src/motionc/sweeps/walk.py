"""Running a schedule: the one traversal behind all three readings, and the trace of what it does.

The reading is decided by what stands under the inputs: nothing (check), NumPy numbers (run), CasADi symbols (compile).
"""

from collections.abc import Callable

from motionc.model.mechanism import Mechanism
from motionc.sweeps.describe import described
from motionc.sweeps.schedule import INWARD, ROOT, Operation, Policy, Schedule, checked_order, depth_first
from motionc.sweeps.setting import JointView, Setting
from motionc.sweeps.state import StateGraph, Watch

Trace = Callable[[str], None]
"""Receives the trace line by line, `print` for instance."""


def walk(
    schedule: Schedule,
    mechanism: Mechanism,
    setting: Setting,
    *,
    policy: Policy = depth_first,
    trace: Trace | None = None,
) -> StateGraph:
    """Apply every operation of every sweep, and return the states they leave."""
    order = checked_order(policy, mechanism)
    graph = StateGraph(mechanism)
    joints = [JointView(body, mechanism.body_frame(body.parent).body, setting) for body in mechanism.bodies]
    if trace:
        for sweep in schedule.sweeps:
            kind = "Composite" if len(sweep.operations) > 1 else "Single"
            trace(f"{kind} operation is created: {', '.join(step.name for step in sweep.operations)}")
            trace(f"Traverse operation is created: {sweep.direction}")
    for sweep in schedule.sweeps:
        if sweep.direction is ROOT:
            for step in sweep.operations:
                _apply(step, graph.watch, (graph, setting), trace, "")
            continue
        for index in reversed(order) if sweep.direction is INWARD else order:
            parent, child = graph[mechanism.bodies[index].parent], graph[index]
            if trace:
                trace(f"JOINT NAME {joints[index].name}")
            for step in sweep.operations:
                _apply(step, graph.watch, (joints[index], parent, child), trace, joints[index].name)
    return graph


def _apply(step: Operation, watch: Watch, arguments: tuple[object, ...], trace: Trace | None, joint: str) -> None:
    """One operation, watched so that it reads and writes only what it said."""
    watch.name, watch.needs, watch.gives = step.name, step.needs, step.gives
    watch.given.clear()
    try:
        step(*arguments)
    finally:
        watch.name = ""
    if trace:
        trace(f"Inside {step.name}" + ("" if joint else " (root)"))
        for _, value in watch.given:
            trace(described(value))
