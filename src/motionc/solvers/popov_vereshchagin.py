"""The sweeps of constrained hybrid dynamics after Popov and Vereshchagin (specs/motion-stack.md §2.10–2.14, Alg. 3.3).

Accelerate as hybrid dynamics does, except that along the rows A of any segments the acceleration is b:

    hybrid dynamics as it stands; at each constrained segment N its rows A_N, along a joint its unit forces E
    inward    z = Sᵀ A + E,  A_i += Tᵀ (A - H^A S D⁻¹ z), rows of several branches fused;  Λ += zᵀ D⁻¹ z
    root      Λ λ = b - Aᵀ Ẍ, level after level, misses weighted; refined, once more with what is left
    outward   q̈ = D⁻¹ {τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b)) + z λ}, the last sweep again with the forces in it
    inward    τ_command = τ + Jᵀ λ, the task's forces handed down as rigid bodies do, not as articulated ones

Aᵀ Ẍ of the unconstrained motion is the thesis' A₀ᵀ Ẍ₀ + U₀ (3.37 at ν = 0), read off the outward sweep instead of
gathered on the inward one: half the operations. λ are physical forces on N, minus the thesis' ν; Λ = J M⁻¹ Jᵀ. A row
costs its way to the root, two rows their common way: O(n + m² d + m³).

Where joints follow others, or none has many before it: M_r a = τ - h_r + J_rᵀ λ, J_r = J G, Λ = J_r M_r⁻¹ J_rᵀ
(steps/rows_together.py).
"""

from motionc.solvers.forward_dynamics import COUPLED_DYNAMICS
from motionc.solvers.steps.articulated import articulate, feel, give_way, respond, rigid_start, world_resists_gravity
from motionc.solvers.steps.asked import (
    add_artificial,
    ask_activation,
    ask_artificial,
    ask_motors,
    ask_rows,
    ask_weights,
)
from motionc.solvers.steps.balance import balance, refine, refined
from motionc.solvers.steps.balance_together import TOGETHER, BalancedTogether, measure_together, posture_together
from motionc.solvers.steps.contact import Touched, press
from motionc.solvers.steps.demand import DEMANDS, allot
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.posture import Posture, gather_posture, push, unpushed
from motionc.solvers.steps.prescribed import at, drive, hold, obey, prescribe
from motionc.solvers.steps.rows import (
    carry_rest,
    constrain,
    constrain_joints,
    gather_coupling,
    measure,
    no_rows,
    pass_on,
    reach,
    want,
    world_rests,
)
from motionc.solvers.steps.rows_together import accelerate_still, hand_rows_down, reach_together, require
from motionc.solvers.steps.together import gather_accelerations
from motionc.solvers.steps.undriven import (
    UNDRIVEN_MASSES,
    Supported,
    add_freed,
    bring,
    carry_along,
    carry_freed,
    couple,
    feel_rows,
    feel_rows_together,
    free,
    gather_undriven_together,
    lean,
    measure_freed,
    share,
    support,
    world_unmoved,
)
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.schedule import OUTWARD, Schedule, operation, sweep


class Held(Posture, Supported, Touched, BalancedTogether):
    """Everything constrained dynamics knows of a body."""


@operation(
    OUTWARD, needs=["locked_acceleration"], gives=["joint_acceleration", "acceleration"], equation="A_i = A_locked"
)
def go_along(joint: JointView, parent: Held, child: Held) -> None:
    child.acceleration, child.joint_acceleration = child.locked_acceleration, joint.acceleration


@operation(
    OUTWARD,
    needs=["constraint_forces", "constraint_force_change"],
    gives=["constraint_forces", "constraint_force_change"],
    equation="lambda, the parent's",
)
def tell(joint: JointView, parent: Held, child: Held) -> None:
    child.constraint_forces, child.constraint_force_change = parent.constraint_forces, parent.constraint_force_change


@operation(
    OUTWARD,
    needs=["joint_bias", "joint_rows", "constraint_forces"],
    gives=["joint_bias"],
    equation="u_i += z lambda",
)
def pull(joint: JointView, parent: Held, child: Held) -> None:
    """The constraint forces as this joint feels them: + z λ."""
    z = child.joint_rows
    child.joint_bias = child.joint_bias + z.times(child.constraint_forces.select(z.rows))


@operation(
    OUTWARD,
    needs=["bias", "unit_wrenches", "constraint_force_change"],
    gives=["bias"],
    equation="F^A -= A lambda",
)
def relieve(joint: JointView, parent: Held, child: Held) -> None:
    """Of what a body requires, constraint forces make a part: F^A - A λ, or what was added to λ last."""
    A = child.unit_wrenches
    child.bias = child.bias.relieved(A.times(child.constraint_force_change.select(A.rows)))


LAST = (
    tell,
    at(True, relieve),
    feel,
    at(False, pull),
    at(False, respond),
    at(False, drive),
    at(True, obey),
)
"""The last outward sweep: forces are known, everything moves."""


FREELY = (
    sweep(world_at_origin, world_at_rest, world_resists_gravity, world_rests),
    sweep(poses, world_poses, twists, carry_rest, no_rows),
    sweep(apply_wrenches, constrain, constrain_joints),
    sweep(ask_rows, ask_activation, ask_weights, ask_motors, ask_artificial, add_artificial, want),
    sweep(rigid_start, at(True, prescribe), unpushed),
    sweep(at(False, give_way), at(True, hold), articulate, at(False, reach), at(True, pass_on), push),
    sweep(feel, at(False, respond), at(True, go_along)),
)
"""How everything moves before rows pull, and what unit forces along them would do."""

CONSTRAINED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        *FREELY,
        sweep(measure, gather_coupling, gather_posture, balance),
        sweep(*LAST),
        sweep(measure),
        sweep(refined(refine)),
        sweep(*map(refined, LAST)),
        sweep(refined(measure)),
        sweep(gather_accelerations, allot, press),
        *DEMANDS,
    ),
)

SUPPORTED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        *FREELY,
        *UNDRIVEN_MASSES,
        sweep(bring),
        sweep(lean),
        sweep(measure, gather_coupling, gather_posture, feel_rows, support, couple, balance),
        sweep(*LAST),
        sweep(measure, free, measure_freed),
        sweep(refined(refine)),
        sweep(*map(refined, LAST)),
        sweep(refined(measure), refined(free), refined(measure_freed)),
        sweep(gather_accelerations, add_freed, share, press),
        *DEMANDS,
        sweep(carry_freed, world_unmoved),
        sweep(carry_along),
    ),
)
"""Where no motor drives some coordinates, such as a floating base."""


# ---------------------------------------------------------------- joints that follow others


COUPLED_CONSTRAINED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        *COUPLED_DYNAMICS.replacing(apply_wrenches.name, apply_wrenches, ask_artificial, add_artificial).sweeps,
        sweep(world_rests),
        sweep(carry_rest, accelerate_still, no_rows),
        sweep(constrain, constrain_joints, ask_rows, ask_activation, ask_weights, want, require),
        sweep(hand_rows_down),
        sweep(reach_together, measure_together, posture_together, balance),
        sweep(*TOGETHER),
        sweep(refined(refine), *map(refined, TOGETHER)),
        sweep(drive),
        sweep(allot, press),
        *DEMANDS,
    ),
)

COUPLED_SUPPORTED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        *COUPLED_DYNAMICS.replacing(apply_wrenches.name, apply_wrenches, ask_artificial, add_artificial).sweeps,
        sweep(world_rests),
        sweep(carry_rest, accelerate_still, no_rows),
        sweep(constrain, constrain_joints, ask_rows, ask_activation, ask_weights, want, require),
        sweep(hand_rows_down),
        sweep(reach_together, gather_undriven_together, feel_rows_together, support, couple),
        sweep(measure_together, posture_together, balance),
        sweep(*TOGETHER, free, measure_freed),
        sweep(refined(refine), *map(refined, (*TOGETHER, free, measure_freed))),
        sweep(add_freed, share, press),
        sweep(drive),
        *DEMANDS,
        sweep(carry_freed),
    ),
)
