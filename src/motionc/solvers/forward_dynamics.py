"""Forward dynamics, how motors accelerate the robot: by articulated bodies (ABA; specs/motion-stack.md §2.9, Alg. 3.2).

outward   V, bias acceleration Ẍ_b = V × S q̇ + S̊ q̇, F^A = V ×* H V - F_ext, H^A = H
inward    D = Sᵀ H^A S + d,  P = 1 - H^A S D⁻¹ Sᵀ
          H_i^A += Tᵀ P H^A T,  F_i^A += Tᵀ (P F^A + H^A S D⁻¹ τ + P H^A Ẍ_b)
outward   q̈ = D⁻¹ {τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b))},  Ẍ_i+1 = T Ẍ_i + Ẍ_b + S q̈

Where joints follow others, or none has many before it, they are resolved together: M_r a = τ - h_r (steps/together.py).
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
from motionc.solvers.steps.together import accelerate_together, gather_accelerations, shallow, what_is_left
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import Schedule, sweep
from motionc.sweeps.solver import Solver

FORWARD_DYNAMICS = Schedule(
    "forward_dynamics",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity),
        sweep(poses, world_poses, twists),
        sweep(apply_wrenches, ask_motors),
        sweep(rigid_start),
        sweep(give_way, articulate),
        sweep(feel, respond),
        sweep(gather_accelerations),
    ),
)


COUPLED_DYNAMICS = Schedule(
    "forward_dynamics",
    (*INVERSE_DYNAMICS.sweeps, *MASSES, sweep(ask_motors, what_is_left, accelerate_together)),
)


@dataclass(frozen=True)
class ForwardDynamics(Question):
    """Forward dynamics (ABA): accelerations under given motor forces: a = M(q)⁻¹ (tau - h(q, v) + Σ Jᵀ f_ext).

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

    called: ClassVar[str] = "forward_dynamics"

    _: KW_ONLY
    external_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    friction: bool = False
    friction_smoothing: float = SMOOTHING
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "forward dynamics")
        refuse_many_followers(robot, "forward dynamics")

        def question(mechanism: Mechanism) -> Problem:
            wrenches = resolve_forces(mechanism, self.external_forces, "f_ext")
            return Problem({}, self.gravity, wrenches, frozenset(), (acting_friction(self),))

        question(robot.mechanism)
        return Solver(
            self.called,
            under_friction("a = M(q)^-1 (tau - h(q, v) + sum J^T f_ext)", self),
            robot,
            COUPLED_DYNAMICS if robot.followers or shallow(robot.mechanism) else FORWARD_DYNAMICS,
            (
                q_port(robot),
                v_port(robot),
                tau_port(robot, "force each motor makes"),
                *wrench_ports("f_ext", self.external_forces),
            ),
            (a_port(robot),),
            question,
            {"a": left_at_world("accelerations")},
            options=self,
        )
