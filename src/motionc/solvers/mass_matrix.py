"""The mass matrix M(q) by composite bodies (CRBA; specs/robcogen.md §2.8.2, §2.9), or by innovations.

M a + h = τ,   M_r = Gᵀ M G where joints follow others   (steps/composite.py, steps/innovations.py)
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, get_args

from motionc.errors import Error
from motionc.geometry.coordinates import zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import (
    Question,
    left_at_world,
    packed_port,
    packed_values,
    q_port,
    refuse_idle,
    refuse_large,
    refuse_no_body,
)
from motionc.solvers.steps.composite import MASSES
from motionc.solvers.steps.innovations import INNOVATIONS
from motionc.solvers.steps.motion import poses
from motionc.sweeps.options import Options
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import Schedule, sweep
from motionc.sweeps.solver import Solver

MASS_MATRIX = Schedule("mass_matrix", (sweep(poses), *MASSES))


Method = Literal["composite", "innovations"]


LARGEST_MASS_MATRIX = 200
"""Coordinates: the mass matrix of a chain of 200 is 400,000 instructions."""


LARGEST_INVERSE = 100
"""Coordinates: factor and inverse of a chain of 100 are 700,000 instructions."""


@dataclass(frozen=True)
class MassMatrix(Question):
    """The mass matrix M(q) (CRBA), full and symmetric, reflected rotor inertia on its diagonal: M a + h = tau.

    Args:
        robot: the robot; where joints follow others, M is that of the independent ones, Gᵀ M G.
        method: "composite" bodies, or "innovations", which is longer and needs joints that are all independent.
        packed: whether each entry is given once, the lower triangle row by row, (nv (nv + 1) / 2,): half the memory.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix"

    _: KW_ONLY
    method: Method = "composite"
    packed: bool = False
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        largest = LARGEST_MASS_MATRIX if self.method == "composite" else LARGEST_INVERSE
        refuse_no_body(robot, "mass matrix")
        refuse_large(robot, "mass matrix", largest)
        schedule = by_method(robot, "mass matrix", self.method, MASS_MATRIX)
        port = Port("M", (robot.nv, robot.nv), "kg m², kg m, kg", "mass matrix in the order of v")
        return of_masses(self, robot, "M(q) a + h = tau", schedule, port, "mass_matrix", packed=self.packed)


# ---------------------------------------------------------------- shared with its inverse, factor and solve


def of_masses(
    options: Options,
    robot: Robot,
    equation: str,
    schedule: Schedule,
    port: Port,
    quantity: str,
    *,
    packed: bool = False,
) -> Solver:
    collect = packed_values(left_at_world(quantity)) if packed else left_at_world(quantity)
    rest = {"v": zeros(robot.nv, 1), "tau": zeros(robot.nv, 1)}
    return Solver(
        options.called,
        equation,
        robot,
        schedule,
        (q_port(robot),),
        (packed_port(port) if packed else port,),
        lambda mechanism: Problem({}, constants=rest),
        {port.name: collect},
        options=options,
    )


def by_method(robot: Robot, what: str, method: str, composite: Schedule) -> Schedule:
    if method not in get_args(Method):
        raise Error(f"{what}: method={method!r}; say {' or '.join(map(repr, get_args(Method)))}")
    if method == "composite":
        return composite
    refuse_idle(robot, f"{what} by innovations")
    if robot.followers:
        name, (leader, *_) = next(iter(robot.followers.items()))
        raise Error(
            f"{what} of {robot.name} by innovations: {name} follows {leader}, and they are resolved together; "
            'take method="composite", or load with mimic="independent"'
        )
    return INNOVATIONS
