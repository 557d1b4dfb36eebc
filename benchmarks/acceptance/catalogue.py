"""Every computation of the catalogue on a robot that is measured, and random states of each."""

from collections.abc import Callable
from typing import Any

import numpy as np

import motionc as mc
from entries import Entry
from motionc.computations import CATALOGUE
from motionc.program.port import Precision

NEEDED: dict[str, Callable[[Entry, mc.Robot], dict[str, Any]]] = {
    "forward_kinematics": lambda entry, robot: {"frames": [entry.frame]},
    "jacobian": lambda entry, robot: {"frame": entry.frame},
    "jacobian_rate": lambda entry, robot: {"frame": entry.frame},
    "frame_motion": lambda entry, robot: {"frames": [entry.frame]},
    "transform": lambda entry, robot: {"wrt": "world", "frame": entry.frame},
    "path_jacobian": lambda entry, robot: {"wrt": "world", "frame": entry.frame},
    "inverse_velocity": lambda entry, robot: {"frames": entry.frame},
    "hybrid_dynamics": lambda entry, robot: {"prescribed": [robot.joint_names[-1]]},
    "constrained_dynamics": lambda entry, robot: {"constraints": [mc.Constraint(entry.frame, "xyz rx ry rz")]},
    "operational_space": lambda entry, robot: {"frames": entry.frame},
    "impact": lambda entry, robot: {"constraints": [mc.Constraint(entry.frame, "xyz", source="contact")]},
    "step": lambda entry, robot: {"dt": 0.01},
}
"""What must be said besides the robot."""
ELSEWHERE = {"solve", "inverse_kinematics"}
"""What is no one computation: a schedule of one's own, and a search, of which each state takes as long as it takes."""
DERIVATIVES = {"inverse_dynamics": ("tau", ["q", "v"]), "forward_dynamics": ("a", ["q", "v"])}


def asked(entry: Entry, robot: mc.Robot, precision: Precision = "double") -> dict[str, Callable[[], mc.Computation]]:
    """Every computation of the catalogue, and derivatives of dynamics."""

    def make(name: str) -> mc.Computation:
        told = NEEDED[name](entry, robot) if name in NEEDED else {}
        return getattr(mc, name)(robot, **told, precision=precision)

    def derive(name: str) -> mc.Computation:
        return make(name).derivative(*DERIVATIVES[name])

    makers = {name: lambda name=name: make(name) for name in sorted(set(CATALOGUE) - ELSEWHERE)}
    return makers | {f"derivative of {name}": lambda name=name: derive(name) for name in DERIVATIVES}


def states(computation: mc.Computation, count: int) -> list[Any]:
    """Of each input so many: configurations within limits, each other number in ±1."""
    kind = np.float64 if computation.solver.precision == "double" else np.float32
    robot, rng = computation.solver.robot, np.random.default_rng(0)

    def drawn(port: mc.Port) -> Any:
        if port.name.startswith("q") and port.shape == (robot.nq,):
            return robot.random(rng, size=count)
        return rng.uniform(-1, 1, (count, *port.shape))

    return [drawn(port).astype(kind) for port in computation.inputs]
