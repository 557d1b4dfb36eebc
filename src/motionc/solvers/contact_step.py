"""The sweeps of a time step that keep things apart, and what users read of them: forces, gaps, what is left to miss.

    forward dynamics as it stands, rows through the same articulated bodies on the same way inward
    outward   v* = v + dt a
    root      λ in cones and bounds (touch.py)
    outward   v* += (M + dt D)⁻¹ Jᵀ λ,  q_next = q ⊕ dt v*

Where joints follow others: J_r = J G and M_r by composite bodies, as in impact.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry import JointImpulse
from motionc.geometry.coordinates import Coordinates, above, assemble, beside
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.cone_solve import MOST_ROWS
from motionc.program.port import Port, State
from motionc.program.space import rows_of
from motionc.solvers.arguments import tau_port
from motionc.solvers.contact import Contact, Touching, height_fields
from motionc.solvers.contact_rows import GripRow, StopRow, Touches, TouchRows, contact_rows, grip_rows, stop_rows
from motionc.solvers.forward_dynamics import FORWARD_DYNAMICS
from motionc.solvers.impact import world_stays
from motionc.solvers.implicit_dynamics import IMPLICIT_DYNAMICS
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.articulated import articulate
from motionc.solvers.steps.motion import twists
from motionc.solvers.steps.rows import gather_coupling, no_rows, reach
from motionc.solvers.steps.rows_together import hand_rows_down, reach_together, require
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.solvers.touch import (
    Apart,
    close_in,
    comply,
    drift,
    hold_off,
    jump_on,
    jump_on_together,
    kick,
    kicked_twists,
    lead_followers,
    meet,
    stop,
    touch,
    world_not_kicked,
)
from motionc.sweeps.schedule import Schedule, sweep
from motionc.sweeps.state import StateGraph

CONTACT_STEP = Schedule(
    "step",
    (
        *FORWARD_DYNAMICS.replacing(twists.name, twists, no_rows)
        .replacing(apply_wrenches.name, apply_wrenches, meet, comply, touch, stop)
        .replacing(articulate.name, articulate, reach)
        .replacing("gather_accelerations", world_not_kicked)
        .sweeps,
        sweep(kick, kicked_twists),
        sweep(close_in, gather_coupling, hold_off, world_stays),
        sweep(jump_on, drift),
    ),
)

COUPLED_CONTACT_STEP = Schedule(
    "step",
    (
        *IMPLICIT_DYNAMICS.replacing(twists.name, twists, no_rows)
        .replacing(apply_wrenches.name, apply_wrenches, meet, comply, touch, stop)
        .sweeps,
        sweep(lead_followers, world_not_kicked, require),
        sweep(hand_rows_down),
        sweep(kick, kicked_twists),
        sweep(reach_together, close_in, hold_off, jump_on_together),
        sweep(drift),
    ),
)


def compliant(schedule: Schedule) -> Schedule:
    """A time step in which everything that is touched gives way: forces alone, no rows."""
    return schedule.replacing(apply_wrenches.name, apply_wrenches, meet, comply)


# ---------------------------------------------------------------- what is asked


Brakes = Sequence[str] | Mapping[str, float]
MOST_SWEEPS = 100_000
CONTACTS = "give a Contact, the name of a frame that touches the ground, or a list of these"
BRAKES = "give names of joints, or {joint: what its brake can hold, N m or N}"


def understood_contacts(what: str, given: Any) -> tuple[Contact, ...]:
    """Contacts; a name is that of a frame whose origin may touch the ground."""
    entries = checked.several(what, given, CONTACTS, str, Contact)
    return tuple(
        Contact(checked.name(what, one, CONTACTS))
        if isinstance(one, str)
        else checked.instance(what, one, Contact, CONTACTS)
        for one in entries
    )


def understood_brakes(what: str, given: Any) -> Any:
    """Joints with a brake, whatever the robot."""
    if not isinstance(given, Mapping):
        return checked.names(what, given, BRAKES)
    for name, strength in given.items():  # pyright: ignore[reportUnknownVariableType]
        checked.name(what, name, BRAKES)
        checked.number(f"{what} of {name}", strength, "give a finite number ≥ 0", fits=lambda value: value >= 0)
    return given


def understood_sweeps(what: str, given: Any) -> int:
    wanted = f"say how often impulses are swept over in a step, 1 to {MOST_SWEEPS}, such as 5"
    count = checked.whole(what, given, 1, wanted)
    if count > MOST_SWEEPS:
        raise checked.refusal(what, given, wanted)
    return count


def brakes_in_order(robot: Robot, what: str, brakes: Brakes) -> dict[int, tuple[int, float]]:
    """By place in v, the number of each brake and what it can hold; by name alone, as much as the motor's limit."""
    found: dict[int, tuple[int, float]] = {}
    for number, name in enumerate(brakes):
        if name in robot.followers:
            raise Error(f"{what}: {name} follows {robot.followers[name][0]}; name that joint instead")
        if name not in robot.v_index:
            raise Error(f"{what}: {robot.name} has no movable joint {name!r}{suggestion(name, robot.v_index)}")
        where = range(robot.nv)[robot.v_index[name]]
        for k in where:
            strength = brakes[name] if isinstance(brakes, Mapping) else float(robot.limits.effort[k])
            if not np.isfinite(strength) or (not strength and not isinstance(brakes, Mapping)):
                raise Error(f"{what}: {name} has no limit of effort that says what its brake can hold; {BRAKES}")
            if k in found:
                raise Error(f"{what}: {name} is there twice; name it once")
            found[k] = number, float(strength)
    return found


@dataclass(frozen=True, eq=False)
class Kept:
    """What a time step keeps apart or holds, on a robot: rows, ports and how outputs are read off."""

    robot: Robot
    options: Any

    def rows(self, mechanism: Mechanism) -> tuple[Constraints, Touches]:
        """All rows of the step, on a mechanism."""
        asked, (touching, specs) = self.options, self._resolved(mechanism)
        return Constraints(specs), Touches(touching, asked.sweeps, asked.moving_surface, asked.contact_friction)

    def _resolved(self, mechanism: Mechanism) -> tuple[tuple[Touching, ...], tuple[Any, ...]]:
        """Contacts, and rows: of contacts, of end stops, of friction and brakes."""
        touching, specs = contact_rows(mechanism, self.options.contacts)
        if self.options.limits:
            stop_rows(self.robot, mechanism, specs)
        grip_rows(mechanism, self.dry, brakes_in_order(self.robot, "step: brakes", self.options.brakes), specs)
        return touching, tuple(specs)

    @property
    def dry(self) -> list[bool]:
        """Of each coordinate, whether it has Coulomb friction that is exact."""
        dry = [False] * self.robot.nv
        if self.options.stiction:
            for body in self.robot.mechanism.bodies:
                given = any(fnmatchcase(f"{body.joint.name}.friction", name) for name in self.options.parameters)
                for k in range(body.joint.v.start, body.joint.v.stop):
                    dry[k] = dry[k] or (not body.joint.follows and (given or bool(np.any(body.joint.friction))))
        return dry

    @property
    def usual(self) -> tuple[Any, ...]:
        """Inputs that have a value where nobody says otherwise."""
        return *height_fields("step: contacts", self.options.contacts), *[Mu(self)] * self.options.contact_friction

    # ---------------------------------------------------------------- ports

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for contact in self.options.contacts for name in contact.place_names())

    @property
    def inputs(self) -> tuple[Port, ...]:
        asked, k, each = self.options, len(self.names), ", ".join(self.names)
        found = [field.port for field in height_fields("step: contacts", asked.contacts)]
        if asked.moving_surface:
            here, moves = rows_of(self.names, ("x", "y", "z")), f"how what is touched moves by itself at {each}"
            found.append(Port("surface_velocity", (k, 3), "m/s", f"{moves}, in world axes", here))
        if asked.contact_friction:
            found.append(Port("mu", (k,), "1", f"Coulomb friction of {each}"))
        if asked.brakes:
            found.append(Port("brake", (len(asked.brakes),), "1", f"0 open to 1 shut: {', '.join(asked.brakes)}"))
        return (*found, *self.state)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of all rows; none where everything gives way."""
        return self.rows(self.robot.mechanism)[0].labels

    @property
    def state(self) -> tuple[State, ...]:
        """What is carried from step to step."""
        labels = self.labels
        impulses = State(
            "impulses", (len(labels),), "N s, N m s", f"impulses of the step before along {', '.join(labels)}"
        )
        return (impulses,) * bool(labels)

    @property
    def outputs(self) -> dict[str, Port]:
        each, k, asked = ", ".join(self.names), len(self.names), self.options
        found: list[Port] = []
        if k:
            here = rows_of(self.names, ("x", "y", "z"))
            found += [
                Port("contact_force", (k, 3), "N", f"mean force on the robot at {each}, in world axes", here),
                Port("gap", (k,), "m", f"distance at the beginning, below 0 where inside: {each}"),
                Port("contact_normal", (k, 3), "1", f"from the surface to {each}, in world axes", here),
                Port("contact_point", (k, 3), "m", f"where it touches: {each}, in world axes", here),
            ]
        if self.labels:
            missed = "the largest velocity by which impulses miss what contacts, stops and friction are"
            found.append(Port("contact_residual", (), "m/s, rad/s", missed))
        if asked.limits:
            found.append(tau_port(self.robot, "what end stops make along joints", "joint_stop_force"))
        if asked.stiction or asked.brakes:
            found.append(tau_port(self.robot, "what dry friction and brakes make", "joint_friction_force"))
        return {port.name: port for port in found}

    @property
    def collect(self) -> dict[str, Callable[[StateGraph[Any]], Coordinates]]:
        dt = self.options.dt
        return {
            "impulses": lambda graph: self._carried(graph),
            "contact_force": lambda graph: self._forces(graph),
            "gap": lambda graph: above(*(one.gap for one in graph.world.meetings)),
            "contact_normal": lambda graph: _side_by_side(one.normal for one in graph.world.meetings),
            "contact_point": lambda graph: _side_by_side(one.point for one in graph.world.meetings),
            "contact_residual": lambda graph: graph.world.contact_residual,
            "joint_stop_force": lambda graph: self._along_joints(graph, StopRow) * (1 / dt),
            "joint_friction_force": lambda graph: self._along_joints(graph, GripRow) * (1 / dt),
        }

    def _carried(self, graph: StateGraph[Apart]) -> Coordinates:
        """Impulses of all rows, those of contacts in the axes of the frames that touch."""
        specs: Any = self._resolved(graph.mechanism)[1]
        return above(*(spec.in_frame_axes(graph.world.impulses.select(spec.labels).values) for spec in specs))

    def _forces(self, graph: StateGraph[Apart]) -> Coordinates:
        """Of all contact points, in world axes."""
        (touching, specs), share = self._resolved(graph.mechanism), 1 / self.options.dt
        forces = dict(graph.world.compliant_forces)
        for spec in specs:
            if isinstance(spec, TouchRows):
                forces[spec.place] = graph.world.impulses.select(spec.labels).values * share
        turns = [graph[one.at.body].world_pose.orientation for one in touching for _ in range(one.contact.places())]
        return _side_by_side(turn.apply(forces[place]) for place, turn in enumerate(turns))

    def _along_joints(self, graph: StateGraph[Apart], kind: type) -> Coordinates:
        """What rows of a kind make, in the order of v."""
        entries: list[list[Any]] = [[0.0] for _ in range(graph.mechanism.nv)]
        for spec in self._resolved(graph.mechanism)[1]:
            if isinstance(spec, kind):
                rows: Any = spec
                unit = graph[rows.body].joint_unit_forces.select(rows.labels)
                made = JointImpulse.of(unit, graph.world.impulses.select(rows.labels)).values
                where = graph.mechanism.bodies[rows.body].joint.v
                for k, place in enumerate(range(where.start, where.stop)):
                    entries[place][0] = entries[place][0] + made[k, 0]
        return assemble(entries)


@dataclass(frozen=True, eq=False)
class Mu:
    """Friction of contacts, where it is an input, as they say it."""

    kept: Kept
    name: str = "mu"

    @property
    def default(self) -> Any:
        return np.array([one.friction for one in self.kept.options.contacts for _ in range(one.places())])


def kept_apart(robot: Robot, options: Any) -> Kept | None:
    """What a time step keeps apart or holds; None where nothing is asked for, refused where it has no meaning."""
    asked = [name for name in ("contacts", "limits", "stiction", "brakes") if getattr(options, name)]
    if not asked:
        for name in ("moving_surface", "contact_friction"):
            if getattr(options, name):
                raise Error(f"step: {name}=True, but nothing touches anything; give contacts, or leave it out")
        return None
    if options.method == "rk4":
        raise Error(
            f'step: {asked[0]} with method="rk4": impulses are found at the end of a step whose velocities are kicked '
            'once; say method="semi_implicit"'
        )
    if options.stiction and options.friction:
        raise Error("step: friction=True is smooth, stiction=True exact; say one of them")
    kept = Kept(robot, options)
    if options.stiction and not any(kept.dry):
        raise Error(
            f"step: stiction: no joint of {robot.name} has Coulomb friction; give it some in its file "
            '(<dynamics friction="…"/>) or by mc.Transmission(friction=…), or leave it out'
        )
    rows = len(kept.labels)
    if not rows and not options.contacts:
        raise Error(f"step: {asked[0]}: no joint of {robot.name} has limits of its position; leave it out")
    if rows > MOST_ROWS:
        raise Error(
            f"step: {', '.join(asked)} have {rows} rows, three a contact point and one a coordinate; up to {MOST_ROWS} "
            "are solved together: ask for fewer contacts, or leave limits or stiction out"
        )
    return kept


def _side_by_side(columns: Any) -> Coordinates:
    return beside(*columns).T
