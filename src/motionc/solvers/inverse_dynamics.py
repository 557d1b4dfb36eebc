"""Inverse dynamics (RNEA): motor forces for given accelerations (specs/motion-stack.md §2.8, Alg. 3.1).

    outward   V_i+1 = T V_i + S q̇          A_i+1 = T A_i + bias + S q̈         F = H A + bias wrench - F_ext
    inward    τ = Sᵀ F + d q̈ - τ_f         F_i += Tᵀ F_i+1

Swept on classical accelerations: no linear velocity is needed for joints that turn. Gravity enters as the
acceleration of the world with respect to free fall. τ_f is friction, where it is asked for (steps/friction.py).
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.solvers.arguments import (
    SMOOTHING,
    Forces,
    Question,
    a_port,
    acting_friction,
    q_port,
    refuse_no_body,
    tau_port,
    under_friction,
    v_port,
    wrench_ports,
)
from motionc.solvers.constraint import resolve_forces
from motionc.solvers.steps.friction import overcome_friction
from motionc.solvers.steps.motion import accelerations, poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.wrenches import Wrenches, apply_wrenches, hand_down, no_wrench, required_wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import INWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph, joint_values


@operation(ROOT, gives=["classical_acceleration", "wrench"], equation="A_0 = -g, F_0 = 0")
def hold_the_world(graph: StateGraph[Wrenches], problem: Problem) -> None:
    graph.world.classical_acceleration = problem.free_fall().inverse()
    graph.world.wrench = no_wrench(graph.world)


@operation(INWARD, needs=["joint_force"], gives=["joint_force"], equation="tau_i += d a_i")
def turn_rotors(joint: JointView, parent: Wrenches, child: Wrenches) -> None:
    child.joint_force = child.joint_force + joint.rotor_force


INVERSE_DYNAMICS = Schedule(
    "inverse_dynamics",
    (
        sweep(world_at_origin, world_at_rest, hold_the_world),
        sweep(poses, world_poses, twists, accelerations),
        sweep(apply_wrenches),
        sweep(required_wrenches),
        sweep(hand_down, turn_rotors, overcome_friction),
    ),
)


@dataclass(frozen=True)
class InverseDynamics(Question):
    """Inverse dynamics (RNEA): motor forces for given accelerations: tau = M(q) a + h(q, v) - Σ Jᵀ f_ext.

    Args:
        robot: the robot.
        external_forces: frames (or Force) on which wrenches act, as seen by the world; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        friction: whether the robot's damping d and friction c act along joints: -(d v + c v/√(v² + ε²)).
        friction_smoothing: ε, the speed below which friction is smooth (rad/s, m/s).
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "inverse_dynamics"

    _: KW_ONLY
    external_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    friction: bool = False
    friction_smoothing: float = SMOOTHING
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_no_body(robot, "inverse dynamics")

        def question(mechanism: Mechanism) -> Problem:
            return Problem(
                {},
                self.gravity,
                resolve_forces(mechanism, self.external_forces, "f_ext"),
                options=(acting_friction(self),),
            )

        question(robot.mechanism)
        inputs = (q_port(robot), v_port(robot), a_port(robot), *wrench_ports("f_ext", self.external_forces))
        return Solver(
            self.called,
            under_friction("tau = M(q) a + h(q, v) - sum J^T f_ext", self),
            robot,
            INVERSE_DYNAMICS,
            inputs,
            (tau_port(robot, "force each motor makes"),),
            question,
            {"tau": lambda graph: joint_values(graph, "joint_force")},
            options=self,
        )
