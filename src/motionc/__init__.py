"""motionc: a compiler for robot motion.

Describe a robot, ask a question, get checked and compiled code back:

>>> import motionc as mc
>>> robot = mc.load("lwr4")
>>> dynamics = mc.inverse_dynamics(robot)
>>> dynamics(robot.neutral(), [0] * 7, [0] * 7).shape
(7,)
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

# before any other: it notes which files are about to be loaded
import motionc.sources  # noqa: F401  # pyright: ignore[reportUnusedImport]
from motionc.version import __version__

if TYPE_CHECKING:
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
        InverseKinematics,
        Results,
        bias_forces,
        bundle,
        center_of_mass,
        centroidal_momentum,
        constrained_dynamics,
        emit_robot,
        energy,
        forward_dynamics,
        forward_kinematics,
        frame_motion,
        gravity_forces,
        hybrid_dynamics,
        impact,
        inverse_dynamics,
        inverse_kinematics,
        inverse_velocity,
        jacobian,
        jacobian_rate,
        mass_matrix,
        mass_matrix_factor,
        mass_matrix_inverse,
        mass_matrix_solve,
        operational_space,
        path_jacobian,
        regressor,
        solve,
        to_casadi,
        to_jax,
        to_torch,
        transform,
    )
    from motionc.sweeps import (
        INWARD,
        OUTWARD,
        ROOT,
        Constraint,
        Force,
        JointConstraint,
        Output,
        Port,
        Schedule,
        Target,
        inertial,
        operation,
        schedules,
        sweep,
    )

__all__ = [
    "INWARD",
    "OUTWARD",
    "ROOT",
    "Attachment",
    "Computation",
    "Constraint",
    "Error",
    "Finding",
    "Findings",
    "Force",
    "InverseKinematics",
    "Joint",
    "JointConstraint",
    "JointType",
    "KinematicChain",
    "Limits",
    "Link",
    "Mimic",
    "ModelError",
    "Output",
    "Port",
    "ReadError",
    "Results",
    "Robot",
    "Role",
    "Schedule",
    "Segment",
    "SemanticError",
    "Target",
    "Transmission",
    "__version__",
    "bias_forces",
    "bundle",
    "center_of_mass",
    "centroidal_momentum",
    "check",
    "constrained_dynamics",
    "convert",
    "emit_robot",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "frame_motion",
    "from_dh",
    "gravity_forces",
    "hybrid_dynamics",
    "impact",
    "inertial",
    "inverse_dynamics",
    "inverse_kinematics",
    "inverse_velocity",
    "jacobian",
    "jacobian_rate",
    "load",
    "mass_matrix",
    "mass_matrix_factor",
    "mass_matrix_inverse",
    "mass_matrix_solve",
    "operation",
    "operational_space",
    "path_jacobian",
    "placed",
    "regressor",
    "robots",
    "schedules",
    "solve",
    "sweep",
    "to_casadi",
    "to_dot",
    "to_jax",
    "to_mjcf",
    "to_mjspec",
    "to_torch",
    "to_urdf",
    "transform",
]

NAMES = {
    "errors": "Error",
    "formats": "ReadError to_dot to_mjcf to_mjspec to_urdf",
    "geometry": "SemanticError",
    "loading": "check convert from_dh load",
    "model": """
        Attachment Finding Findings Joint JointType KinematicChain Limits Link Mimic ModelError Robot Role
        Segment Transmission placed
    """,
    "robots": "robots",
    "runtime": """
        Computation InverseKinematics Results bias_forces bundle center_of_mass centroidal_momentum
        constrained_dynamics emit_robot energy forward_dynamics forward_kinematics frame_motion gravity_forces
        hybrid_dynamics impact inverse_dynamics inverse_kinematics inverse_velocity jacobian jacobian_rate
        mass_matrix mass_matrix_factor mass_matrix_inverse mass_matrix_solve operational_space path_jacobian
        regressor solve to_casadi to_jax to_torch transform
    """,
    "sweeps": """
        INWARD OUTWARD ROOT Constraint Force JointConstraint Output Port Schedule Target inertial operation
        schedules sweep
    """,
}
"""Where each public name is at home; it is imported when it is first asked for."""

HOMES = {name: room for room, names in NAMES.items() for name in names.split()}
ROOMS = [
    "benchmark",
    "cli",
    "demo",
    "display",
    "errors",
    "formats",
    "geometry",
    "loading",
    "model",
    "program",
    "runtime",
    "sweeps",
    "targets",
]


class _Package(ModuleType):
    """The package, of which names and rooms come when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        if name in HOMES:
            found = getattr(__import__(f"motionc.{HOMES[name]}", fromlist=[name]), name)
        elif name in ROOMS:
            found = import_module(f"motionc.{name}")
        else:
            raise AttributeError(f"module 'motionc' has no attribute {name!r}")
        self.__dict__[name] = found
        return found

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *HOMES})

    @property
    def robots(self) -> Any:
        """The function; importing its module, which has the same name, must not take its place."""
        return import_module("motionc.robots").robots

    @robots.setter
    def robots(self, _: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package
