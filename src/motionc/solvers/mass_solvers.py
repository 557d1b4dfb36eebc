"""The catalogue of what depends on mass: the mass matrix and its inverse, centre of mass, momentum, energy."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, above, beside, zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, a_port, chosen, q_port, refuse_idle, refuse_large, tau_port, v_port
from motionc.solvers.center_of_mass import CENTER_OF_MASS
from motionc.solvers.centroidal_momentum import CENTROIDAL_MOMENTUM
from motionc.solvers.energy import ENERGY
from motionc.solvers.innovations import INNOVATIONS
from motionc.solvers.mass_matrix import MASS_MATRIX, MASS_MATRIX_INVERSE, MASS_MATRIX_SOLVE
from motionc.sweeps.options import Options
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, WEIGHTLESS, Setting
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import Schedule
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph, in_order_of_v

Method = Literal["composite", "innovations"]

LARGEST_MASS_MATRIX = 200
"""Coordinates: the mass matrix of a chain of 200 is 400,000 instructions."""

LARGEST_INVERSE = 100
"""Coordinates: factor and inverse of a chain of 100 are 700,000 instructions."""


@dataclass(frozen=True)
class MassMatrix(Question):
    """The mass matrix M(q), full and symmetric, reflected rotor inertia on its diagonal: M a + h = tau.

    Args:
        robot: the robot; where joints follow others, M is that of the independent ones, Gᵀ M G.
        method: "composite" bodies, or "innovations", which is longer and needs joints that are all independent.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix"

    _: KW_ONLY
    method: Method = "composite"
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        largest = LARGEST_MASS_MATRIX if self.method == "composite" else LARGEST_INVERSE
        refuse_large(robot, "mass matrix", largest)
        schedule = _schedule(robot, "mass matrix", self.method, MASS_MATRIX)
        port = Port("M", (robot.nv, robot.nv), "kg m², kg m, kg", "mass matrix in the order of v")
        return _of_masses(self, robot, "M(q) a + h = tau", schedule, port, "system")


@dataclass(frozen=True)
class MassMatrixInverse(Question):
    """The inverse of the mass matrix, M(q)⁻¹, full and symmetric: how joints accelerate under unit forces.

    Args:
        robot: the robot.
        method: "composite" bodies and a factor along the tree, or "innovations", which needs independent joints.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix_inverse"

    _: KW_ONLY
    method: Method = "composite"
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "inverse of the mass matrix")
        refuse_large(robot, "inverse of the mass matrix", LARGEST_INVERSE)
        schedule = _schedule(robot, "inverse of the mass matrix", self.method, MASS_MATRIX_INVERSE)
        port = Port("M_inv", (robot.nv, robot.nv), "1/(kg m²), 1/(kg m), 1/kg", "inverse mass matrix in the order of v")
        return _of_masses(self, robot, "M(q)^-1", schedule, port, "mobility")


@dataclass(frozen=True)
class MassMatrixFactor(Question):
    """L, lower triangular, with Lᵀ L = M(q); of independent joints it is empty wherever M is.

    Args:
        robot: the robot.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix_factor"

    _: KW_ONLY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "factor of the mass matrix")
        refuse_large(robot, "factor of the mass matrix", LARGEST_INVERSE)
        port = Port("L", (robot.nv, robot.nv), "√(kg m²), √kg", "lower triangular, in the order of v, L^T L = M")
        return _of_masses(self, robot, "L^T L = M(q)", MASS_MATRIX_INVERSE, port, "root")


@dataclass(frozen=True)
class MassMatrixSolve(Question):
    """x with M(q) x = r, by a factor along the tree: how joints accelerate under forces r alone.

    Args:
        robot: the robot.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix_solve"

    _: KW_ONLY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "solve with the mass matrix")
        refuse_large(robot, "solve with the mass matrix", LARGEST_INVERSE)
        right = tau_port(robot, "right side, in the order of v", "r")
        port = replace(a_port(robot), name="x", meaning="M^-1 r, in the order of v")
        schedule = MASS_MATRIX_SOLVE
        solver = _of_masses(self, robot, "M(q) x = r", schedule, port, "together")
        return replace(solver, inputs=(*solver.inputs, right))


@dataclass(frozen=True)
class CenterOfMass(Question):
    """Where the centre of mass of all moving links is, wrt world.

    Args:
        robot: the robot; what is fixed to the world is not counted.
        outputs: which of com (3), J (3, nv), its Jacobian, mass, and inertia (3, 3), about it in world axes.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "center_of_mass"

    _: KW_ONLY
    outputs: Sequence[str] = ("com",)
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_massless(robot, "centre of mass")
        ports = {
            "com": Port("com", (3,), "m", "centre of mass of all moving links wrt world"),
            "J": Port("J", (3, robot.nv), "m, 1", "velocity of the centre of mass = J v, as seen by world"),
            "mass": Port("mass", (), "kg", "mass of all moving links"),
            "inertia": Port("inertia", (3, 3), "kg m²", "inertia of all about the centre of mass, as seen by world"),
        }

        def columns(graph: StateGraph) -> Coordinates:
            return _momenta(graph)[3:, :] / graph.world.composite.mass

        return Solver(
            self.called,
            "com = sum m_i c_i(q) / sum m_i",
            robot,
            CENTER_OF_MASS,
            (q_port(robot),),
            chosen("center_of_mass", self.outputs, ports),
            lambda mechanism: Setting({}),
            {
                "com": lambda graph: graph.world.center.xyz,
                "J": columns,
                "mass": lambda graph: graph.world.composite.mass,
                "inertia": lambda graph: graph.world.composite.change_point(graph.world.center).rotational,
            },
            options=self,
        )


@dataclass(frozen=True)
class CentroidalMomentum(Question):
    """Momentum of all moving links about their centre of mass: h_G = A_G(q) v, ḣ_G = A_G a + Ȧ_G v.

    Args:
        robot: the robot; reflected rotor inertia is not part of the momentum.
        outputs: which of hG (6), angular first, AG (6, nv), and bias (6), Ȧ_G v.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "centroidal_momentum"

    _: KW_ONLY
    outputs: Sequence[str] = ("hG",)
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_massless(robot, "centroidal momentum")
        where = "about the centre of mass, as seen by world, angular first"
        ports = {
            "hG": Port("hG", (6,), "kg m²/s, kg m/s", f"momentum {where}"),
            "AG": Port("AG", (6, robot.nv), "kg m², kg m, kg", f"momentum matrix {where}: hG = AG v"),
            "bias": Port("bias", (6,), "N m, N", f"rate of the momentum {where} while joints do not accelerate"),
        }
        still = {"a": zeros(robot.nv, 1)}

        def momentum(graph: StateGraph) -> Coordinates:
            p = graph.world.about_center
            return above(p.angular, p.linear)

        def rate(graph: StateGraph) -> Coordinates:
            wrench = graph.world.momentum_rate
            return above(wrench.angular, wrench.linear)

        return Solver(
            self.called,
            "hG = AG(q) v,  d hG/dt = AG a + bias",
            robot,
            CENTROIDAL_MOMENTUM,
            (q_port(robot), v_port(robot)),
            chosen("centroidal_momentum", self.outputs, ports),
            lambda mechanism: Setting({}, WEIGHTLESS, constants=still),
            {"hG": momentum, "AG": _momenta, "bias": rate},
            options=self,
        )


@dataclass(frozen=True)
class Energy(Question):
    """Kinetic energy ½ vᵀ M v, rotors' with it, and potential energy -Σ m gᵀ c, zero at the world origin.

    Args:
        robot: the robot; what is fixed to the world is not counted.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "energy"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        return Solver(
            self.called,
            "kinetic = v^T M(q) v / 2,  potential = -sum m_i g^T c_i(q)",
            robot,
            ENERGY,
            (q_port(robot), v_port(robot)),
            (
                Port("kinetic", (), "J", "of all moving links and rotors, wrt world"),
                Port("potential", (), "J", "of all moving links, zero with their centre of mass at the world origin"),
            ),
            lambda mechanism: Setting({}, self.gravity),
            {
                "kinetic": lambda graph: graph.world.kinetic_energy.value,
                "potential": lambda graph: graph.world.potential_energy.value,
            },
            options=self,
        )


# ---------------------------------------------------------------- shared


def _of_masses(options: Options, robot: Robot, equation: str, schedule: Schedule, port: Port, quantity: str) -> Solver:
    rest = {"v": zeros(robot.nv, 1), "tau": zeros(robot.nv, 1)}
    return Solver(
        options.called,
        equation,
        robot,
        schedule,
        (q_port(robot),),
        (port,),
        lambda mechanism: Setting({}, constants=rest),
        {port.name: lambda graph: graph.world[quantity].values},
        options=options,
    )


def _schedule(robot: Robot, what: str, method: str, composite: Schedule) -> Schedule:
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


def _momenta(graph: StateGraph) -> Coordinates:
    """The unit momenta of all joints, columns in the order of v."""
    blocks, joints = [np.zeros((6, 0))], tuple[str, ...]()
    for state in graph:
        blocks.append(above(state.momenta.angular, state.momenta.linear))
        joints += state.momenta.joints
    return in_order_of_v(graph, beside(*blocks), joints)


def refuse_massless(robot: Robot, what: str) -> None:
    if not any(float(body.inertia.mass[0, 0]) for body in robot.mechanism.bodies):
        raise Error(f"{what} of {robot.name}: no link that moves has mass; give the links mass and inertia")
