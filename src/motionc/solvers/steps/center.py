"""The centre of mass of everything, and the momentum each joint makes about it (specs/multibody-methodology.md §2.4.4).

inward    H_i^c = H_i + Tᵀ H_i+1^c T       composite bodies, down to the world
root      c = (m c) / m
outward   A_G,i = H_i^c S_i at c           the momentum each joint makes at unit rate
"""

import numpy as np

from motionc.geometry import MomentumBasis, Position
from motionc.geometry.coordinates import Coordinates, above, beside
from motionc.solvers.steps.composite import Composite, compose_bodies, rigid_bodies, world_weighs_nothing
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, operation, sweep
from motionc.sweeps.state import Slot, StateGraph, in_order_of_v


class Centered(Composite):
    """The centre of mass of everything, and the momentum each joint makes about it."""

    center = Slot(Position, "none")
    unit_momenta = Slot(MomentumBasis, "center")


@operation(ROOT, needs=["composite"], gives=["center"], equation="c = sum m_i c_i / m")
def find_center(graph: StateGraph[Centered], problem: Problem) -> None:
    graph.world.center = graph.world.composite.center_of_mass()


@operation(
    OUTWARD,
    needs=["world_pose", "composite", "center"],
    gives=["center", "unit_momenta"],
    equation="columns of A_G: H^c S at the centre of mass",
)
def unit_momenta(joint: JointView, parent: Centered, child: Centered) -> None:
    child.center = parent.center
    reach = child.world_pose.position.inverse().compose(child.center)
    child.unit_momenta = (
        child.composite.momenta(joint.basis).change_frame(child.world_pose.orientation).change_point(reach)
    )


ALL_AS_ONE = (sweep(world_weighs_nothing), sweep(rigid_bodies), sweep(compose_bodies))
"""From poses to composite bodies, the last of them everything that moves."""


CENTER = (*ALL_AS_ONE, sweep(find_center), sweep(unit_momenta))
"""From poses to the centre of mass and unit momenta."""


def momentum_matrix(graph: StateGraph[Centered]) -> Coordinates:
    """The unit momenta of all joints, columns in the order of v."""
    blocks, joints = [np.zeros((6, 0))], tuple[str, ...]()
    for state in graph:
        blocks.append(above(state.unit_momenta.angular, state.unit_momenta.linear))
        joints += state.unit_momenta.joints
    return in_order_of_v(graph, beside(*blocks), joints)
