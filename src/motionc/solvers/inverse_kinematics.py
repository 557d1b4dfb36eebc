"""One step towards where frames should be (specs/itasc.md §2.5, §2.13): Levenberg and Marquardt, within limits.

    outward   where bodies are, S_i in the axes of the world
    root      e = (log R_goal Rᵀ; p_goal - p) along the rows of every target, A = how fast joints make it shrink
              joints at a limit that descent, Aᵀ W² e, would push beyond it are held (Bertsekas' projected Newton)
              v = M⁻¹ Aᵀ W (W A M⁻¹ Aᵀ W + μ 1)⁻¹ W e,  μ = damping |W e|² + a little
    outward   q ⊕ v, exactly, and back within limits

With μ a share of the error squared (Sugihara) no step is longer than 1/(2 √damping), through singular poses too, and
as the error vanishes, steps become Newton's own.
"""

from typing import Any

from motionc.geometry import Displacement, JointMobility, JointVelocity
from motionc.geometry.coordinates import assemble, at_least, select, zeros
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.solvers.inverse_velocity import PLACES, felt, in_world, place
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph

LITTLE = 1e-12
"""Damping that is left when nothing is missing."""


@operation(ROOT, needs=["world_pose", "freedom"], gives=["asked", "reach", "distortion"])
def miss(graph: StateGraph, setting: Setting) -> None:
    """What is missing along all rows, and how fast each joint makes it shrink."""
    world = graph.world
    for number, spec in enumerate(setting.asked):
        of, wrt, axes = spec.view.of, spec.view.wrt, spec.view.axes
        observer = graph[wrt.body].world_pose.compose(wrt.pose)
        now = observer.inverse().compose(graph[of.body].world_pose.compose(of.pose))
        missing = Displacement.between(now, spec.goal(setting)).change_frame(observer.orientation)
        rows, at, wrong = in_world(graph, spec), place(graph, spec), spec.distortion(setting)
        asked = rows.velocity(missing.in_unit_time())
        if spec.complete:
            reach = felt(graph, of, wrt, at, rows)
        else:
            turning = missing.swept(rows, graph[axes.body].body)
            reach = felt(graph, of, wrt, at, missing.covered(rows)) + felt(graph, axes, wrt, at, turning)
        world.asked = world.asked.beside(asked) if number else asked
        world.reach = world.reach.beside(reach) if number else reach
        world.distortion = at_least(world.distortion, wrong) if number else wrong


@operation(ROOT, needs=["asked", "reach"], gives=["mobility"])
def hold_at_limits(graph: StateGraph, setting: Setting) -> None:
    """M⁻¹ of a diagonal M, zero for joints at a limit that would have to go beyond it."""
    world, weights = graph.world, setting.constants["joint_weights"]
    pull = world.asked.pull(world.reach, setting.constants["row_weights"])
    q = setting.rows("q", slice(None))
    entries: list[list[Any]] = [[0.0] * len(weights) for _ in weights]
    for k, weight in enumerate(weights[:, 0]):
        entries[k][k] = 1 / weight
    for body in graph.mechanism.bodies:
        joint = body.joint
        if len(joint.labels) == 1 and not joint.follows:
            k, i = joint.v.start, joint.q.start
            lower, upper = (setting.constants[name][i, 0] for name in ("lower", "upper"))
            beyond = select(pull.values[k, 0] > 0, q[i, 0] - upper, lower - q[i, 0])
            entries[k][k] = select(beyond < 0, entries[k][k], 0.0)
    world.mobility = JointMobility(graph.coordinates, assemble(entries))


@operation(ROOT, needs=["asked", "reach", "mobility"], gives=["rates"])
def approach(graph: StateGraph, setting: Setting) -> None:
    world, weights = graph.world, setting.constants["row_weights"]
    missing, error = world.asked, world.asked.values
    damping = setting.rows("damping", slice(None)) * ((weights * error).T @ (weights * error)) + LITTLE
    drift = _drift(graph, setting)
    if drift is not None:
        missing = missing.minus(world.reach.moved(drift))
    world.rates, *_ = missing.resolve(world.reach, world.mobility, weights, damping, LDLT_SOLVE, setting.call)
    if drift is not None:
        world.rates = world.rates + drift


def _drift(graph: StateGraph, setting: Setting) -> JointVelocity | None:
    """Joints of one coordinate are drawn towards where they would rather be; None if nothing is said of that."""
    if "rest" not in setting.inputs:
        return None
    q, rest, pull = (setting.rows(port, slice(None)) for port in ("q", "rest", "pull"))
    entries: list[list[Any]] = [[0.0] for _ in graph.coordinates]
    for body in graph.mechanism.bodies:
        joint = body.joint
        if len(joint.labels) == 1 and not joint.follows:
            i = joint.q.start
            entries[joint.v.start] = [pull[0, 0] * (rest[i, 0] - q[i, 0])]
    return JointVelocity(graph.coordinates, assemble(entries) if entries else zeros(0, 1))


@operation(OUTWARD, needs=["rates"], gives=["rates", "arrived"])
def arrive(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.rates = parent.rates
    if not joint.moving.joint.follows:
        child.arrived = joint.after(child.rates)


INVERSE_KINEMATICS = Schedule("inverse_kinematics", (*PLACES, sweep(miss, hold_at_limits, approach), sweep(arrive)))
