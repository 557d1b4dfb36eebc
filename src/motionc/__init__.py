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
    from motionc import computations, control, simulate, tasks, view
    from motionc.computations import *  # noqa: F403
    from motionc.computations.from_file import (
        from_file,
    )
    from motionc.computations.loading import (
        check,
        convert,
        from_dh,
        load,
    )
    from motionc.errors import (
        Error,
    )
    from motionc.formats import (
        ReadError,
        to_dot,
        to_mjcf,
        to_mjspec,
        to_urdf,
    )
    from motionc.geometry import (
        SemanticError,
    )
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
        ModelWarning,
        Robot,
        Role,
        Segment,
        Transmission,
        attach,
        orders,
        placed,
    )
    from motionc.packaging import (
        bundle,
        emit_robot,
    )
    from motionc.program.port import (
        Port,
        State,
    )
    from motionc.robots import (
        robots,
    )
    from motionc.runtime import (
        Computation,
        Results,
        build,
        to_casadi,
        to_jax,
        to_torch,
    )
    from motionc.solvers import (
        schedules,
    )
    from motionc.solvers.centroidal import (
        CenterOfMass,
        Momentum,
    )
    from motionc.solvers.constraint import (
        Constraint,
        Force,
        JointConstraint,
    )
    from motionc.solvers.target import (
        Target,
    )
    from motionc.sweeps import (
        INWARD,
        OUTWARD,
        ROOT,
        Output,
        Schedule,
        inertial,
        operation,
        sweep,
    )

__all__ = [
    "INWARD",
    "OUTWARD",
    "ROOT",
    "Attachment",
    "CenterOfMass",
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
    "ModelWarning",
    "Momentum",
    "Output",
    "Port",
    "ReadError",
    "Results",
    "Robot",
    "Role",
    "Schedule",
    "Segment",
    "SemanticError",
    "State",
    "Target",
    "Transmission",
    "__version__",
    "attach",
    "build",
    "bundle",
    "check",
    "control",
    "convert",
    "emit_robot",
    "from_dh",
    "from_file",
    "inertial",
    "load",
    "operation",
    "orders",
    "placed",
    "robots",
    "schedules",
    "simulate",
    "sweep",
    "tasks",
    "to_casadi",
    "to_dot",
    "to_jax",
    "to_mjcf",
    "to_mjspec",
    "to_torch",
    "to_urdf",
    "view",
]
if TYPE_CHECKING:
    __all__ += computations.__all__

HOMES = {
    "errors": """Error""",
    "formats": """ReadError to_dot to_mjcf to_mjspec to_urdf""",
    "geometry": """SemanticError""",
    "model": """
        Attachment Finding Findings Joint JointType KinematicChain Limits Link Mimic
        ModelError ModelWarning Robot Role Segment Transmission attach orders placed
    """,
    "robots": """robots""",
    "program.port": """Port State""",
    "sweeps": """INWARD OUTWARD ROOT Output Schedule inertial operation sweep""",
    "solvers": """schedules""",
    "solvers.centroidal": """CenterOfMass Momentum""",
    "solvers.constraint": """Constraint Force JointConstraint""",
    "solvers.target": """Target""",
    "runtime": """Computation Results build to_casadi to_jax to_torch""",
    "computations.from_file": """from_file""",
    "computations.loading": """check convert from_dh load""",
    "packaging": """bundle emit_robot""",
}
"""Where public names are at home; each is imported when it is first asked for. All others are computations."""

ROOM_OF = {name: room for room, names in HOMES.items() for name in names.split()}
ROOMS = [
    "benchmark",
    "checked",
    "cli",
    "computations",
    "control",
    "errors",
    "formats",
    "geometry",
    "model",
    "packaging",
    "program",
    "runtime",
    "simulate",
    "solvers",
    "sweeps",
    "targets",
    "tasks",
    "view",
]


class _Package(ModuleType):
    """The package, of which names and rooms come when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        if name in ROOMS:
            value = import_module(f"motionc.{name}")
        elif name in ROOM_OF or (not name.startswith("_") and name in self.__all__):
            value = getattr(__import__(f"motionc.{ROOM_OF.get(name, 'computations')}", fromlist=[name]), name)
        else:
            raise AttributeError(f"module 'motionc' has no attribute {name!r}")
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        """What is public, and what every module has."""
        return sorted({*self.__all__, *(name for name in self.__dict__ if name.startswith("__"))})

    @property
    def __all__(self) -> list[str]:
        """The names above, and what `computations` lists."""
        return sorted({*__all__, *import_module("motionc.computations").__all__})

    @property
    def robots(self) -> Any:
        """The function; importing its module, which has the same name, must not take its place."""
        return import_module("motionc.robots").robots

    @robots.setter
    def robots(self, _: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package
