"""What velocities and gravity ask for, apart: c and g of the motors, J̇ v along rows (multibody-methodology.md §2.8).

outward   A of joints that do not accelerate, without gravity: J̇ v, and inward c;  weights, and inward g
"""

from motionc.geometry import (
    WORLD,
    WORLD_FRAME,
    JointForce,
    RowStack,
    SpatialAcceleration,
    Twist,
)
from motionc.geometry.coordinates import column
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.asked import ask_rows
from motionc.solvers.steps.motion import (
    accelerations,
    poses,
    twists,
    world_at_origin,
    world_at_rest,
    world_poses,
    world_stands_still,
)
from motionc.solvers.steps.rows import (
    Constrained,
    carry_rest,
    constrain,
    constrain_joints,
    no_rows,
    want,
    world_rests,
)
from motionc.solvers.steps.rows_together import accelerate_still
from motionc.solvers.steps.wrenches import apply_wrenches, hand_down, no_wrench, required_wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, operation, sweep
from motionc.sweeps.state import Slot, StateGraph, joint_values


class BiasTerms(Constrained):
    """Velocity and gravity terms of the motors, and the acceleration along rows that velocities make."""

    velocity_terms = Slot(JointForce, "none")
    gravity_terms = Slot(JointForce, "none")
    row_bias = Slot(RowStack, "none")


@operation(ROOT, gives=["at_rest"])
def nothing_falls(graph: StateGraph[BiasTerms], problem: Problem) -> None:
    still = column((0, 0, 0))
    graph.world.at_rest = SpatialAcceleration(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)


@operation(ROOT, gives=["wrench"])
def world_requires_nothing(graph: StateGraph[BiasTerms], problem: Problem) -> None:
    graph.world.wrench = no_wrench(graph.world)


@operation(ROOT, needs=["joint_force"], gives=["velocity_terms"], equation="h(q, v)")
def keep_velocity_terms(graph: StateGraph[BiasTerms], problem: Problem) -> None:
    """c, what motors make of joints that do not accelerate."""
    graph.world.velocity_terms = JointForce(graph.coordinates, joint_values(graph, "joint_force"))


@operation(ROOT, needs=["held_rows", "at_rest", "acceleration", "row_targets"], gives=["row_bias"])
def measure_drift(graph: StateGraph[BiasTerms], problem: Problem) -> None:
    """J̇ v: how bodies accelerate along the rows while their joints do not."""
    still = RowStack.gather(problem[Constraints].labels, [held.reached(graph) for held in graph.world.held_rows])
    graph.world.row_bias = still - graph.world.row_targets


@operation(OUTWARD, needs=["at_rest"], gives=["wrench"])
def stand(joint: JointView, parent: BiasTerms, child: BiasTerms) -> None:
    """What it takes to keep a body at rest in the world."""
    nothing = column((0, 0, 0))
    meaning = child.body, WORLD, child.frame.origin, child.frame, nothing, nothing
    still, rest = Twist(*meaning), SpatialAcceleration(*meaning)
    standing = child.at_rest.compose(rest).to_classical(still)
    child.wrench = joint.inertia.required_wrench(standing, still).exerted_by(parent.body)


@operation(ROOT, needs=["joint_force"], gives=["gravity_terms"], equation="g(q)")
def keep_gravity_terms(graph: StateGraph[BiasTerms], problem: Problem) -> None:
    """g, what motors make to hold the robot at rest."""
    graph.world.gravity_terms = JointForce(graph.coordinates, joint_values(graph, "joint_force"))


TERMS = (
    sweep(world_at_origin, world_at_rest, world_stands_still, nothing_falls, world_requires_nothing),
    sweep(poses, world_poses, twists, accelerations, carry_rest, no_rows),
    sweep(apply_wrenches, constrain, constrain_joints, ask_rows, want),
    sweep(required_wrenches, accelerate_still),
    sweep(hand_down),
    sweep(keep_velocity_terms, measure_drift),
    sweep(world_rests, world_requires_nothing),
    sweep(carry_rest, stand),
    sweep(hand_down),
    sweep(keep_gravity_terms),
)
"""c, J̇ v and g."""
