"""The centre of mass of everything that moves, and how joints move it (specs/multibody-methodology.md §2.4.4).

    inward    H_i^c = H_i + Tᵀ H_i+1^c T       composite bodies, down to the world
    root      c = (m c) / m
    outward   A_G,i = H_i^c S_i at c           the momentum each joint makes at unit rate

The Jacobian of the centre of mass is the linear part of A_G, divided by the mass.
"""

from motionc.solvers.mass_matrix import compose_bodies, rigid_bodies, world_weighs_nothing
from motionc.solvers.steps.motion import poses, world_at_origin, world_poses
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, needs=["composite"], gives=["center"])
def find_center(graph: StateGraph, setting: Setting) -> None:
    graph.world.center = graph.world.composite.center_of_mass()


@operation(OUTWARD, needs=["world_pose", "composite", "center"], gives=["center", "momenta"])
def unit_momenta(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.center = parent.center
    reach = child.world_pose.position.inverse().compose(child.center)
    child.momenta = child.composite.momenta(joint.basis).change_frame(child.world_pose.orientation).change_point(reach)


CENTER = (
    sweep(world_weighs_nothing),
    sweep(rigid_bodies),
    sweep(compose_bodies),
    sweep(find_center),
    sweep(unit_momenta),
)
"""From poses to the centre of mass and unit momenta."""

CENTER_OF_MASS = Schedule("center_of_mass", (sweep(world_at_origin), sweep(poses, world_poses), *CENTER))
