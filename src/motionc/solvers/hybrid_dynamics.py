"""Hybrid dynamics: some joints are told how to accelerate, the others what to make (specs/motion-stack.md §2.10).

    forward dynamics as it stands, except that at joints whose acceleration is prescribed
    outward   Ẍ_b = V × S q̇ + S q̈
    inward    P = 1: H_i^A += Tᵀ H^A T,  F_i^A += Tᵀ (F^A + H^A Ẍ_b)
    outward   Ẍ_i+1 = T Ẍ_i + Ẍ_b,  τ = Sᵀ (F^A + H^A Ẍ_i+1) + d q̈

Where all joints beyond are prescribed H^A is the inertia of a rigid body, whose zeros cost nothing. With all joints
but a floating base prescribed this is floating-base inverse dynamics.

Where joints follow others, and where few are free, prescribed (p) and free (f) joints are resolved apart, by blocks:

    τ'        inverse dynamics with the prescribed accelerations, the free ones zero
    root      M_ff a_f = τ_f - τ'_f,  τ_p = τ'_p + M_pf a_f

Then less of M is needed than articulated bodies cost.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

from motionc.geometry import JointBias, JointForce
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.program.sizes import SOLVED_TOGETHER
from motionc.solvers.arguments import (
    LARGEST_COUPLED,
    SMOOTHING,
    Forces,
    Question,
    a_port,
    acting_friction,
    checked_prescribed,
    left_at_world,
    q_port,
    refuse_idle,
    refuse_many_followers,
    tau_port,
    under_friction,
    v_port,
    wrench_ports,
)
from motionc.solvers.constraint import resolve_forces
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.steps.articulated import (
    Articulated,
    articulate,
    feel,
    give_way,
    respond,
    rigid_start,
    world_resists_gravity,
)
from motionc.solvers.steps.asked import ask_motors
from motionc.solvers.steps.composite import MASSES
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.prescribed import at, drive, hold, obey, prescribe
from motionc.solvers.steps.together import Together, driving_forces, gather_accelerations
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph, joint_values


class Hybrid(Articulated, Together):
    """What all motors make."""

    joint_forces = Slot(JointForce, "none")


@operation(ROOT, needs=["joint_force"], gives=["joint_forces"])
def gather_forces(graph: StateGraph[Hybrid], problem: Problem) -> None:
    graph.world.joint_forces = JointForce(graph.coordinates, joint_values(graph, "joint_force"))


HYBRID_DYNAMICS = Schedule(
    "hybrid_dynamics",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity),
        sweep(poses, world_poses, twists),
        sweep(apply_wrenches, ask_motors),
        sweep(rigid_start, at(True, prescribe)),
        sweep(at(False, give_way), at(True, hold), articulate),
        sweep(feel, at(False, respond), at(False, drive), at(True, obey)),
        sweep(gather_accelerations, gather_forces),
    ),
)


@operation(ROOT, needs=["mass_matrix", "joint_force", "driving_force"], gives=["accelerations", "joint_forces"])
def resolve_together(graph: StateGraph[Hybrid], problem: Problem) -> None:
    world, joints = graph.world, graph.coordinates
    told, free = graph.parted(problem.prescribed)
    held = joint_values(graph, "joint_force")
    given = problem.beside_physical(driving_forces(graph))
    driven = world.mass_matrix.among(free).solve((given - JointBias(joints, held)).among(free)).spread(joints)
    makes = JointForce(joints, held) + world.mass_matrix.times(driven)
    world.joint_forces = makes.among(told).merge(given.among(free), joints)
    world.accelerations = problem.acceleration(joints).among(told).merge(driven.among(free), joints)


PARTITIONED_DYNAMICS = Schedule(
    "hybrid_dynamics",
    (*INVERSE_DYNAMICS.sweeps, *MASSES, sweep(ask_motors, resolve_together)),
)


@dataclass(frozen=True)
class HybridDynamics(Question):
    """Hybrid dynamics: of some joints accelerations are given, of the others motor forces: M a + h = tau + Σ Jᵀ f_ext.

    All joints prescribed is inverse dynamics, none is forward dynamics, all but a floating base is floating-base
    inverse dynamics.

    Args:
        robot: the robot.
        prescribed: joints whose entries of a are given and of tau are found; of the others it is the other way round.
        external_forces: frames (or Force) on which wrenches act, as seen by the world; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        friction: whether the robot's damping d and friction c act along joints: -(d v + c v/√(v² + ε²)).
        friction_smoothing: ε, the speed below which friction is smooth (rad/s, m/s).
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "hybrid_dynamics"

    prescribed: Iterable[str]
    _: KW_ONLY
    external_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    friction: bool = False
    friction_smoothing: float = SMOOTHING
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        told = checked_prescribed(robot, self.prescribed)
        refuse_idle(robot, "hybrid dynamics", but=told)
        refuse_many_followers(robot, "hybrid dynamics")

        def question(mechanism: Mechanism) -> Problem:
            wrenches = resolve_forces(mechanism, self.external_forces, "f_ext")
            return Problem({}, self.gravity, wrenches, told, (acting_friction(self),))

        question(robot.mechanism)
        free = [name for name in robot.joint_names if name not in told]
        given = ", ".join(name for name in robot.joint_names if name in told) or "no joint"
        driven = ", ".join(free) or "no joint"
        few = sum(len(range(robot.nv)[robot.v_index[name]]) for name in free) <= SOLVED_TOGETHER
        together = bool(robot.followers) or (few and robot.nv <= LARGEST_COUPLED)

        return Solver(
            self.called,
            under_friction("M(q) a + h(q, v) = tau + sum J^T f_ext, one of a and tau given for each joint", self),
            robot,
            PARTITIONED_DYNAMICS if together else HYBRID_DYNAMICS,
            (
                q_port(robot),
                v_port(robot),
                tau_port(robot, f"force each motor makes, read of {driven}"),
                replace(a_port(robot), meaning=f"dv/dt, component by component, read of {given}"),
                *wrench_ports("f_ext", self.external_forces),
            ),
            (tau_port(robot, f"force each motor makes, found of {given}"), a_port(robot)),
            question,
            {"tau": left_at_world("joint_forces"), "a": left_at_world("accelerations")},
            options=self,
        )
