"""Our own schedules by name, to be solved, continued with sweeps, and added to each other.

| schedule | reads | leaves, beside what it sweeps on |
|---|---|---|
| POSES | q | world_pose |
| TWISTS | q, v | world_pose, twist |
| ACCELERATIONS | q, v, a | world_pose, twist, classical_acceleration wrt world |
| INVERSE_DYNAMICS | q, v, a | joint_force, wrench (of the world: what holds the robot) |
| FORWARD_DYNAMICS | q, v, tau | accelerations of all joints, acceleration wrt free fall, inertia (articulated) |
| COUPLED_DYNAMICS | q, v, tau, a = 0 | accelerations of all joints, by the mass_matrix; net_force |
| CONSTRAINED_DYNAMICS | q, v, tau, b | accelerations, constraint_forces, joint_force: what motors are commanded |
| SUPPORTED_DYNAMICS | q, v, tau, b | the same where coordinates have no motor, such as a floating base |
| COUPLED_CONSTRAINED_DYNAMICS, COUPLED_SUPPORTED_DYNAMICS | q, v, tau, b | the same where joints follow others |
| MASS_MATRIX | q | mass_matrix, composite |
| MASS_MATRIX_INVERSE | q | mass_matrix, mass_matrix_inverse, mass_matrix_factor |
| INNOVATIONS | q, v = 0, tau = 0 | mass_matrix, mass_matrix_inverse: the same by innovations |
| CENTER_OF_MASS | q | center, composite (of the world: of everything), unit_momenta |
| ENERGY | q, v | kinetic_energy, potential_energy |

What dynamics is asked are quantities too: `ask_rows` gives asked_rows (a RowAcceleration for each constraint) from b,
`ask_motors` driving_force (a JointForce for each joint) from tau, `ask_artificial` artificial (a Wrench for each body)
from f_art. An operation of one's own stands in for any of them: CONSTRAINED_DYNAMICS.replacing("ask_rows", mine).

`clip` is an operation for behind the sweeps of constrained dynamics: commanded, joint_force within limits.
"""

from motionc.solvers.center_of_mass import CENTER_OF_MASS
from motionc.solvers.energy import ENERGY
from motionc.solvers.forward_dynamics import COUPLED_DYNAMICS, FORWARD_DYNAMICS
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.limits import clip
from motionc.solvers.mass_matrix import MASS_MATRIX
from motionc.solvers.mass_matrix_inverse import MASS_MATRIX_INVERSE
from motionc.solvers.popov_vereshchagin import (
    CONSTRAINED_DYNAMICS,
    COUPLED_CONSTRAINED_DYNAMICS,
    COUPLED_SUPPORTED_DYNAMICS,
    SUPPORTED_DYNAMICS,
)
from motionc.solvers.steps.innovations import INNOVATIONS
from motionc.solvers.steps.motion import (
    accelerations,
    poses,
    twists,
    world_at_origin,
    world_at_rest,
    world_poses,
    world_stands_still,
)
from motionc.sweeps.schedule import Schedule, sweep

__all__ = [
    "ACCELERATIONS",
    "CENTER_OF_MASS",
    "CONSTRAINED_DYNAMICS",
    "COUPLED_CONSTRAINED_DYNAMICS",
    "COUPLED_DYNAMICS",
    "COUPLED_SUPPORTED_DYNAMICS",
    "ENERGY",
    "FORWARD_DYNAMICS",
    "INNOVATIONS",
    "INVERSE_DYNAMICS",
    "MASS_MATRIX",
    "MASS_MATRIX_INVERSE",
    "POSES",
    "SUPPORTED_DYNAMICS",
    "TWISTS",
    "clip",
]


POSES = Schedule("poses", (sweep(world_at_origin), sweep(poses, world_poses)))


TWISTS = Schedule("twists", (sweep(world_at_origin, world_at_rest), sweep(poses, world_poses, twists)))


ACCELERATIONS = Schedule(
    "accelerations",
    (sweep(world_at_origin, world_at_rest, world_stands_still), sweep(poses, world_poses, twists, accelerations)),
)
