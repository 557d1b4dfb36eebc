"""Forward dynamics of robots whose joints follow others: M_r a = τ - h_r, M_r = Gᵀ M G (design §3, couplings).

    h_r       inverse dynamics without acceleration
    inward    H_i^c = H_i + Tᵀ H_i+1^c T          composite bodies
              F_i = [H_i^c S_i, Tᵀ F_i+1 …]       what it takes to accelerate each joint beyond, handed down
              M_i,j = S_iᵀ F_i,j (+ d_i on the diagonal)

Coupled joints accelerate together, so no joint can be resolved by itself; M_r is factored as a whole.
"""

from typing import Any

from motionc.geometry import INERTIA, JointBias, JointInertia, WrenchBasis
from motionc.geometry.coordinates import Coordinates, assemble, symmetric, zeros
from motionc.sweeps.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.setting import JointView, Setting
from motionc.sweeps.state import BodyState, StateGraph, joint_values


@operation(OUTWARD, gives=["composite", "columns"])
def rigid_bodies(joint: JointView, parent: BodyState, child: BodyState) -> None:
    none = zeros(3, 0)
    child.composite = joint.inertia
    child.columns = WrenchBasis(child.body, INERTIA, child.frame.origin, child.frame, none, none)


@operation(INWARD, needs=["pose", "composite", "columns"], gives=["composite", "columns", "mass"])
def compose_bodies(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What it takes to accelerate each joint at and beyond this one, as this one feels it."""
    X, S = child.pose, joint.basis
    child.columns = child.composite.along(S).beside(child.columns.exerted_by(parent.body))
    child.mass = S.pair(child.columns)
    if not parent.is_world:
        inertia = child.composite.change_frame(X.orientation).change_point(X.position.inverse())
        parent.composite = parent.composite + inertia
        passed = child.columns.change_frame(X.orientation).change_point(X.position.inverse()).handed_down()
        parent.columns = parent.columns.beside(passed)


@operation(ROOT, needs=["mass", "joint_force"], gives=["system", "left"])
def gather(graph: StateGraph, setting: Setting) -> None:
    """M_r, and what is left of the motors' forces, in independent coordinates: followers count with their leader."""
    joints = graph.coordinates
    graph.world.system = JointInertia(joints, mass_matrix(graph))
    graph.world.left = setting.force(joints) - JointBias(joints, joint_values(graph, "joint_force"))


@operation(ROOT, needs=["system", "left"], gives=["together"])
def accelerate_together(graph: StateGraph, setting: Setting) -> None:
    graph.world.together = graph.world.system.solve(graph.world.left)


def mass_matrix(graph: StateGraph) -> Coordinates:
    """GᵀMG with rotor inertias on the diagonal of M, in the order of v."""
    bodies, nv = graph.mechanism.bodies, graph.mechanism.nv
    place = graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for body in bodies:
        mass = graph[body.index].mass
        if mass.values is None:
            return None
        for a, one in enumerate(mass.joints):
            for b, other in enumerate(mass.rows):
                (i, gain), (j, more) = place[one], place[other]
                value = (mass.values[a, b] + (body.joint.rotor if one == other else 0.0)) * (gain * more)
                entries[i][j] = entries[i][j] + value
                # of a pair of joints only the nearer one's row was computed
                if other not in mass.joints:
                    entries[j][i] = entries[j][i] + value
    return symmetric(assemble(entries))


COUPLED_DYNAMICS = Schedule(
    "forward_dynamics",
    (*INVERSE_DYNAMICS.sweeps, sweep(rigid_bodies), sweep(compose_bodies), sweep(gather, accelerate_together)),
)
