"""motionc: a compiler for robot motion.

Describe a robot, ask a question, get checked and compiled code back:

>>> import motionc as mc
>>> robot = mc.load("lwr4")
>>> dynamics = mc.inverse_dynamics(robot)
>>> dynamics(robot.neutral(), [0] * 7, [0] * 7).shape
(7,)
"""

from motionc.errors import Error
from motionc.formats import ReadError, to_dot, to_mjcf, to_mjspec, to_urdf
from motionc.geometry import SemanticError
from motionc.loading import check, convert, from_dh, load
from motionc.model import (
    Attachment,
    Finding,
    Findings,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    ModelError,
    Robot,
    Role,
    Segment,
    Transmission,
    placed,
)
from motionc.robots import robots
from motionc.runtime import (
    Computation,
    Results,
    bias_forces,
    center_of_mass,
    centroidal_momentum,
    constrained_dynamics,
    energy,
    forward_dynamics,
    forward_kinematics,
    frame_motion,
    gravity_forces,
    hybrid_dynamics,
    impact,
    inverse_dynamics,
    jacobian,
    jacobian_rate,
    mass_matrix,
    mass_matrix_factor,
    mass_matrix_inverse,
    mass_matrix_solve,
    operational_space,
)
from motionc.sweeps import Constraint, Force, JointConstraint, Port

__version__ = "0.1.0"

__all__ = [
    "Attachment",
    "Computation",
    "Constraint",
    "Error",
    "Finding",
    "Findings",
    "Force",
    "Joint",
    "JointConstraint",
    "JointType",
    "KinematicChain",
    "Limits",
    "Link",
    "Mimic",
    "ModelError",
    "Port",
    "ReadError",
    "Results",
    "Robot",
    "Role",
    "Segment",
    "SemanticError",
    "Transmission",
    "bias_forces",
    "center_of_mass",
    "centroidal_momentum",
    "check",
    "constrained_dynamics",
    "convert",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "frame_motion",
    "from_dh",
    "gravity_forces",
    "hybrid_dynamics",
    "impact",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "load",
    "mass_matrix",
    "mass_matrix_factor",
    "mass_matrix_inverse",
    "mass_matrix_solve",
    "operational_space",
    "placed",
    "robots",
    "to_dot",
    "to_mjcf",
    "to_mjspec",
    "to_urdf",
]
