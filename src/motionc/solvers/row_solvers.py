"""The catalogue of what happens along rows: operational space, impact."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import (
    LARGEST_COUPLED,
    Question,
    chosen,
    q_port,
    rank_notes,
    refuse_idle,
    refuse_large,
    refuse_many_followers,
    v_port,
)
from motionc.solvers.constraint import Constraint, JointConstraint, resolve_constraints
from motionc.solvers.coupled_impact import COUPLED_IMPACT
from motionc.solvers.coupled_operational_space import COUPLED_OPERATIONAL_SPACE
from motionc.solvers.impact import IMPACT
from motionc.solvers.operational_space import OPERATIONAL_SPACE
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Setting
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph, joint_values

Rows = Constraint | JointConstraint

OPERATIONAL_OUTPUTS = ("Lambda", "mu", "p", "J_bar", "rank", "conditioning")


@dataclass(frozen=True)
class OperationalSpace(Question):
    """The equation of motion as a task feels it: F = Lambda ẍ + mu + p, made by joints with tau = Jᵀ F.

    Lambda = (J M⁻¹ Jᵀ)⁻¹, mu = Lambda (J M⁻¹ c - J̇ v), p = Lambda J M⁻¹ g, J_bar = M⁻¹ Jᵀ Lambda. With N = 1 - J_bar J,
    joint forces Nᵀ tau leave the task alone. Where rows depend on each other, Lambda is the pseudo-inverse and `rank`
    says so.

    Args:
        robot: the robot.
        frames: name of a frame or several, of any branches; each may also be a Constraint or JointConstraint, whose
            rows are then taken as they are (who makes the force is not asked here).
        rows: of frames given by name: tokens x y z rx ry rz in the order wanted, or a 6×m matrix of unit wrenches.
        wrt: of frames given by name: with respect to which frame's body ẍ is meant, which may move.
        point: of frames given by name: where ẍ is taken, in frame coordinates (m).
        as_seen_by: of frames given by name: whose axes the rows are written in.
        truncation: a row counts as dependent where those before it leave less than this share of what it would do
            alone; 1e-12 by default (1e-5 in single precision), and never less than rounding can have left.
        gravity: acceleration of free fall in world axes (m/s²).
        outputs: which of Lambda, mu, p, J_bar, rank, conditioning, N, J, bias (J̇ v), coupling (J M⁻¹ Jᵀ) to compute;
            without mu and bias there is no input v.
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "operational_space"

    frames: str | Rows | Sequence[str | Rows]
    _: KW_ONLY
    rows: Any = "rx ry rz x y z"
    wrt: str = "world"
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    truncation: float | None = None
    gravity: Sequence[float] = STANDARD_GRAVITY
    outputs: Sequence[str] = OPERATIONAL_OUTPUTS
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "operational space")
        refuse_many_followers(robot, "operational space")
        given = [self.frames] if isinstance(self.frames, str | Constraint | JointConstraint) else list(self.frames)
        wanted = [
            Constraint(one, self.rows, self.wrt, self.point, self.as_seen_by) if isinstance(one, str) else one
            for one in given
        ]
        _check_rows("operational_space", wanted)
        for one in wanted:
            if (one.level, one.weight) != (1, 1.0):
                raise Error(
                    f"operational_space: {_name(one)} has level={one.level} and weight={one.weight}; here all rows are "
                    "one task, so leave both at 1 (constrained_dynamics knows levels and weights)"
                )

        m, nv = len(_labels(robot, wanted)), robot.nv
        along = ", ".join(_labels(robot, wanted))
        inertia, turns = "kg m², kg m, kg", "rad/s², m/s²"
        ports = {
            "Lambda": Port("Lambda", (m, m), inertia, f"force along {along} for unit accelerations along them"),
            "mu": Port("mu", (m,), "N m, N", f"velocity terms along {along}"),
            "p": Port("p", (m,), "N m, N", f"gravity terms along {along}"),
            "J_bar": Port(
                "J_bar", (nv, m), "1, 1/m", "joint accelerations, least in aᵀ M a, for unit ones along the rows"
            ),
            "rank": _rank(m),
            "conditioning": CONDITIONING,
            "N": Port("N", (nv, nv), "1", "1 - J_bar J: what of joint accelerations leaves the rows alone"),
            "J": Port("J", (m, nv), "1, m", f"velocity along {along} = J v"),
            "bias": Port("bias", (m,), turns, f"J_dot v, acceleration along {along} without that of joints"),
            "coupling": Port("coupling", (m, m), "1/(kg m²), 1/kg", "J M⁻¹ Jᵀ"),
        }
        asked = chosen("operational_space", self.outputs, ports)
        moving = bool({"mu", "bias"} & {port.name for port in asked})
        if any(port.name == "N" for port in asked):
            refuse_large(robot, "null-space projector", LARGEST_COUPLED)
        still = {"a": zeros(nv, 1), "tau": zeros(nv, 1), "b": zeros(m, 1)} | ({} if moving else {"v": zeros(nv, 1)})

        def question(mechanism: Mechanism) -> Setting:
            found = resolve_constraints(mechanism, wanted)
            return Setting({}, self.gravity, constraints=found, truncation=self.truncation, constants=still)

        def projector(graph: StateGraph) -> Coordinates:
            inverse, reach = graph.world.consistent.values, graph.world.reach.values
            return np.eye(nv) - inverse @ reach.T

        def jacobian(graph: StateGraph) -> Coordinates:
            return graph.world.reach.values.T

        return Solver(
            self.called,
            "F = Lambda x_ddot + mu + p,  tau = J^T F",
            robot,
            COUPLED_OPERATIONAL_SPACE if robot.followers else OPERATIONAL_SPACE,
            (q_port(robot), *([v_port(robot)] if moving else [])),
            asked,
            question,
            {
                "Lambda": _of_rows("operational"),
                "mu": _of_rows("mu"),
                "p": _of_rows("p"),
                "J_bar": _of_rows("consistent"),
                "rank": lambda graph: graph.world.rank,
                "conditioning": lambda graph: graph.world.condition,
                "N": projector,
                "J": jacobian,
                "bias": _of_rows("drift"),
                "coupling": _of_rows("coupling"),
            },
            lambda results: rank_notes(m, results, "Lambda is the pseudo-inverse of the coupling"),
            options=self,
        )


IMPACT_OUTPUTS = ("v_after", "impulse", "residual", "rank", "conditioning")


@dataclass(frozen=True)
class Impact(Question):
    """How velocities jump when the robot strikes something: M (v_after - v) = Jᵀ impulse, J v_after = - e J v.

    All rows are struck at once and both ways: whether a contact opens instead is the caller's to decide (no
    complementarity). Where rows depend on each other the least impulses are taken and `rank` says so.

    Args:
        robot: the robot.
        contacts: rows of any bodies, between bodies, along joints (end stops); neither kind nor source matters.
        restitution: e between 0 (rows come to rest) and 1, for all or one a contact. All alike, no energy is won; not
            alike, Newton's law may win some (see energy_lost).
        moving_surface: adds the input surface, how fast what is struck moves along each row by itself.
        truncation: a row counts as dependent where those before it leave less than this share of what it would do
            alone; 1e-12 by default (1e-5 in single precision), and never less than rounding can have left.
        outputs: which of v_after, impulse, residual, rank, conditioning, energy_lost, coupling (J M⁻¹ Jᵀ) to compute.
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "impact"

    contacts: Rows | Sequence[Rows]
    _: KW_ONLY
    restitution: float | Sequence[float] = 0.0
    moving_surface: bool = False
    truncation: float | None = None
    outputs: Sequence[str] = IMPACT_OUTPUTS
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "impact")
        refuse_many_followers(robot, "impact")
        wanted = [self.contacts] if isinstance(self.contacts, Constraint | JointConstraint) else list(self.contacts)
        _check_rows("impact", wanted)
        each = _restitutions(wanted, self.restitution)
        # velocities are the same for all impulses that come nearest to what is asked
        least = "impulse" in self.outputs

        def question(mechanism: Mechanism) -> Setting:
            found = resolve_constraints(mechanism, wanted)
            factors = [[e] for spec, e in zip(found, each, strict=True) for _ in spec.labels]
            still = {"tau": zeros(robot.nv, 1), "surface": zeros(len(factors), 1), "restitution": np.array(factors)}
            return Setting({}, constraints=found, truncation=self.truncation, least=least, constants=still)

        m, along = len(_labels(robot, wanted)), ", ".join(_labels(robot, wanted))
        ports = {
            "v_after": v_port(robot, "v_after", "joint velocities right after, in the order of v"),
            "impulse": Port("impulse", (m,), "N m s, N s", f"impulses on the frame's body along {along}"),
            "residual": Port(
                "residual", (m,), "rad/s, m/s", "velocity reached along the rows, minus the one asked for"
            ),
            "rank": _rank(m),
            "conditioning": CONDITIONING,
            "energy_lost": Port("energy_lost", (), "J", "kinetic energy before, minus that after"),
            "coupling": Port("coupling", (m, m), "1/(kg m²), 1/kg", "J M⁻¹ Jᵀ"),
        }
        surface = Port("surface", (m,), "rad/s, m/s", f"velocity of what is struck along {along}")

        def residual(graph: StateGraph) -> Coordinates:
            factors = question(graph.mechanism).constants["restitution"]
            return graph.world.departure.plus(graph.world.approach.scaled(factors)).values

        def lost(graph: StateGraph) -> Coordinates:
            # the surface moves on as it did: rows move faster by as much before and after
            world = graph.world
            before, after = (twists.plus(world.surface) for twists in (world.approach, world.departure))
            return -world.impulses.work(before, after)

        return Solver(
            self.called,
            "M (v_after - v) = J^T impulse,  J v_after = -e J v",
            robot,
            COUPLED_IMPACT if robot.followers else IMPACT,
            (q_port(robot), v_port(robot), *([surface] if self.moving_surface else [])),
            chosen("impact", self.outputs, ports),
            question,
            {
                "v_after": _velocities,
                "impulse": _of_rows("impulses"),
                "residual": residual,
                "rank": lambda graph: graph.world.rank,
                "conditioning": lambda graph: graph.world.condition,
                "energy_lost": lost,
                "coupling": _of_rows("coupling"),
            },
            lambda results: rank_notes(m, results, "the impulses are the least ones that come nearest, see residual"),
            options=self,
        )


# ---------------------------------------------------------------- shared

CONDITIONING = Port("conditioning", (), "1", "1 where rows act apart, beyond 1e8 where some nearly depend")


def _rank(m: int) -> Port:
    return Port("rank", (), "1", f"independent rows among {m}; less than {m}: least-squares answer")


def _labels(robot: Robot, wanted: Sequence[Rows]) -> list[str]:
    """What rows are called in ports."""
    specs = resolve_constraints(robot.mechanism, wanted)
    return [label.partition(":")[2] for spec in specs for label in spec.labels]


def _of_rows(quantity: str) -> Callable[[StateGraph], Coordinates]:
    return lambda graph: graph.world[quantity].values


def _velocities(graph: StateGraph) -> Coordinates:
    return graph.world.struck.values if graph.mechanism.coupled else joint_values(graph, "joint_velocity")


def _name(rows: Rows) -> str:
    return ", ".join(rows.names) if isinstance(rows, JointConstraint) else rows.frame


def _check_rows(what: str, wanted: Sequence[Rows]) -> None:
    if not wanted:
        raise Error(f"{what}: there are no rows; name at least one frame, Constraint or JointConstraint")
    for number, one in enumerate(wanted):
        if not isinstance(one, Constraint | JointConstraint):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Error(f"{what}: entry {number} is a {type(one).__name__}; give Constraint or JointConstraint")


def _restitutions(contacts: Sequence[Rows], restitution: float | Sequence[float]) -> list[float]:
    """One for each contact."""
    try:
        values = np.asarray(restitution, float)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.ndim == 0:
        values = np.full(len(contacts), values)
    if values.shape != (len(contacts),) or not np.all((values >= 0) & (values <= 1)):
        raise Error(
            f"impact: restitution={restitution!r}; give a number between 0 and 1, or one for each of the "
            f"{len(contacts)} contacts"
        )
    return [float(value) for value in values]
