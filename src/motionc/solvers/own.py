"""A schedule of one's own sweeps as a solver: inputs are found by watching what it reads, outputs by their names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry.coordinates import Coordinates
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.names import is_word
from motionc.program.port import Port, Precision, states_of
from motionc.solvers import relations
from motionc.solvers.arguments import (
    Forces,
    Question,
    refuse_idle,
    refuse_large,
    refuse_no_body,
)
from motionc.solvers.center_of_mass import refuse_massless
from motionc.solvers.constraint import resolve_forces
from motionc.solvers.frame_arguments import RowsArgument, framed_or_none
from motionc.solvers.limits import Given, understood_limits
from motionc.solvers.mass_matrix import LARGEST_INVERSE, LARGEST_MASS_MATRIX
from motionc.solvers.own_inputs import (
    INPUTS,
    at_rest,
    held_constant,
    known_ports,
    read_ports,
    refuse_unread,
    told_ports,
)
from motionc.solvers.own_rows import OwnRows
from motionc.solvers.row_ports import checked_posture, checked_regularisation
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.whole_body import with_all_bodies
from motionc.sweeps.given_frames import GivenFrames, frame_ports, with_frames
from motionc.sweeps.options import Check, Options, optional
from motionc.sweeps.output import UNITS, Output, in_words, numbers, shape
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem, Watched
from motionc.sweeps.representation import Representation, at_home
from motionc.sweeps.schedule import Schedule, refuse_other
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph
from motionc.sweeps.walk import walk

Outputs = Mapping[str, str | Output]


def _constants(what: str, given: Any) -> Mapping[str, Any]:
    return checked.instance(what, given, Mapping, 'write {"a": 0}')


RESERVED = ("names", "axis", "notes", "keys", "values", "items", "count", "index")
"""What a record of several outputs is asked for by itself."""

RENAMED = {
    "system": "mass_matrix",
    "mobility": "mass_matrix_inverse",
    "root": "mass_matrix_factor",
    "together": "accelerations",
    "left": "net_force",
    "felt": "joint_bias",
    "locked": "locked_acceleration",
    "columns": "force_columns",
    "mass": "mass_rows",
    "moved": "motion_columns",
    "yielding": "free_motion_columns",
    "momenta": "unit_momenta",
}
"""What quantities of our schedules were called in 0.1."""


@dataclass(frozen=True)
class Solve(Question):
    """A solver of your own: a schedule of sweeps, checked on this robot and compiled like every other.

    Args:
        robot: the robot.
        schedule: sweeps in order, `Schedule("mine", (sweep(…), …))`, or schedules added to each other.
        outputs: for each output's name the quantity it is, as a word or, of a frame, as an Output.
        inputs: names out of q, v, tau, a, tau_physical, in the order wanted, or a Port of your own, which operations
            read with `problem.rows(name, slice)`; those that the schedule reads, if you say nothing. A State is an
            output too, of the same name: outputs say what it is next.
        constants: inputs that are no inputs here, with their value: `{"a": 0}`.
        constraints: rows of a schedule of constrained dynamics (schedules.CONSTRAINED_DYNAMICS), as for
            constrained_dynamics; adds the input b where an operation reads it. [] for none.
        regularisation: of rows, as for constrained_dynamics.
        truncation: likewise.
        posture: likewise.
        actuated: joints with motors; all but floating ones by default.
        activation: adds the input activation, how far each row holds, as for constrained_dynamics.
        weights: adds the input weights, one a row.
        limits: what motors can make at most, for the operation `schedules.clip`: "robot", {joint: limit}, or an array.
        external_forces: frames (or Force) on which wrenches act, as seen by the world; adds the input f_ext (k, 6).
        artificial_forces: frames (or Force) with wrenches that motors must make; adds the input f_art (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        name: of the computation and of the function that is emitted; the schedule's by default.
        given_frames: frames whose poses wrt another are inputs (4×4), {"T": "world"}: named like any of the robot.
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where quantities of a body are written: "body", "inertial" or "absolute".
    """

    called: ClassVar[str] = "solve"
    own: ClassVar[bool] = True

    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "outputs": lambda what, given: given,
        "inputs": optional(lambda what, given: checked.several(what, given, INPUTS, str, Port)),
        "constants": optional(_constants),
        "name": lambda what, given: checked.name(what, given, "give a word", empty=True),
        "schedule": lambda what, given: given,
        "constraints": optional(framed_or_none),
        "regularisation": checked_regularisation,
        "posture": checked_posture,
        "limits": optional(understood_limits),
    }

    schedule: Schedule
    _: KW_ONLY
    outputs: Outputs
    inputs: Sequence[str | Port] | None = None
    constants: Mapping[str, Any] | None = None
    constraints: RowsArgument | None = None
    regularisation: float = 0.0
    truncation: float | None = None
    posture: float = 0.0
    actuated: Iterable[str] | None = None
    limits: Given | None = None
    activation: bool = False
    weights: bool = False
    external_forces: Forces = ()
    artificial_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    name: str = ""
    given_frames: GivenFrames | None = None
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def __post_init__(self) -> None:
        refuse_other(self.schedule, Schedule, "solve takes a schedule", "write Schedule(name, (sweep(…), …))")
        checked.name("solve: name", self.name, "give a word", empty=True)
        name = self.name or self.schedule.name
        refuse_other(self.outputs, Mapping, f"{name}: outputs are named", 'write {"tau": "joint_force"}')
        Options.__post_init__(self)

    def solver(self, robot: Robot) -> Solver:
        name = self.name or self.schedule.name
        framed = with_frames(robot.mechanism, self.given_frames)
        schedule, rows = self.schedule, OwnRows.of(name, robot, framed, self)
        asked = _checked_outputs(name, schedule, self.outputs)
        _refuse_unfit(robot, schedule, name)
        known = {port.name: port for port in known_ports(robot, self, *rows.ports)}
        fixed = {port: held_constant(name, port, value, known) for port, value in (self.constants or {}).items()}
        told = None if self.inputs is None else told_ports(name, self.inputs, known)

        def question(mechanism: Mechanism) -> Problem:
            forces = resolve_forces(mechanism, self.external_forces, "f_ext")
            forces += resolve_forces(mechanism, self.artificial_forces, "f_art")
            return Problem({}, self.gravity, forces, rows.prescribed, rows.options(mechanism), constants=fixed)

        if question(framed)[Constraints].of_all_bodies:
            schedule = with_all_bodies(schedule)
        # the check reading shows what is read
        given = dict.fromkeys(told or ())
        watched = Watched.over(replace(question(framed), inputs=given))
        walk(schedule, framed, watched)
        read = watched.read | ({"gravity"} & watched.noticed)
        ports = read_ports(name, read, known, fixed) if told is None else tuple(told.values())
        refuse_unread(name, read, ports, fixed, self.gravity)
        if self.representation != "body" and "q" not in {port.name for port in ports}:
            raise Error(
                f"{name}: representation={self.representation!r} turns with the robot: q must be an input that is read"
            )

        def left_by(values: Mapping[str, Coordinates]) -> StateGraph[Any]:
            mechanism = with_frames(robot.mechanism, self.given_frames, values)
            mechanism = at_home(mechanism, self.representation, values)
            return walk(schedule, mechanism, replace(question(mechanism), inputs=values))

        return Solver(
            name,
            "; ".join(
                f"{walk.direction}: {', '.join(step.name for step in walk.operations)}" for walk in schedule.sweeps
            ),
            robot,
            schedule,
            ports,
            _output_ports(name, robot, asked, (*ports, *frame_ports(self.given_frames or {})), left_by),
            question,
            {port: _reading(name, port, output) for port, output in asked.items()},
            options=self,
        )


# ---------------------------------------------------------------- outputs


def _checked_outputs(name: str, schedule: Schedule, outputs: Outputs) -> dict[str, Output]:
    if not outputs:
        raise Error(f'{name}: outputs is empty: ask for at least one, such as {{"tau": "joint_force"}}')
    asked: dict[str, Output] = {}
    for port, said in outputs.items():
        output = Output(said) if isinstance(said, str) else said
        refuse_other(output, Output, f"{name}: output {port!r}", "give the name of a quantity, or an Output")
        if not is_word(str(port)) or port in RESERVED:
            raise Error(f"{name}: an output cannot be called {port!r}; take a plain word such as tau")
        if output.quantity not in schedule.gives:
            now = RENAMED.get(output.quantity)
            known = sorted(schedule.gives)
            hint = f"; it is called {now!r} now" if now in known else suggestion(output.quantity, known)
            raise Error(f"{name}: output {port!r}: no operation gives {output.quantity!r}{hint}")
        asked[port] = output
    return asked


def _reading(name: str, port: str, output: Output) -> Callable[[StateGraph[Any]], Coordinates]:
    what = f"{name}: output {port!r}"

    def read(graph: StateGraph[Any]) -> Coordinates:
        return numbers(graph, output.find(graph, what), what)

    return read


def _output_ports(
    name: str,
    robot: Robot,
    asked: Mapping[str, Output],
    inputs: tuple[Port, ...],
    left_by: Callable[[Mapping[str, Coordinates]], StateGraph[Any]],
) -> tuple[Port, ...]:
    """Shape, unit and meaning of each; a number of unknown shape is computed once to see it."""
    graph, tried = left_by({port.name: None for port in inputs}), None
    ports, states = list[Port](), {state.name: state for state in states_of(inputs)}
    for port, output in asked.items():
        what = f"{name}: output {port!r}"
        value = output.find(graph, what)
        size = shape(value, numbers(graph, value, what), robot.nv)
        if size is None:
            with np.errstate(all="ignore"):
                tried = tried or left_by(at_rest(robot, inputs))
            computed = output.find(tried, what)
            size = shape(computed, numbers(tried, computed, what), robot.nv)
        if size is None:
            raise Error(f"{what}: {output.quantity!r} is unknown even where all inputs are known; give it a value")
        unit = output.unit or UNITS.get(type(value).__name__, "1")
        meaning = output.meaning or in_words(value, output.quantity)
        made = Port(port, size, unit, meaning, relation=relations.of_value(value, output.of, output.point))
        ports.append(states.pop(port).carried_by(what, made) if port in states else made)
    for state in states:
        raise Error(f"{name}: {state} is carried on, and no output says how: outputs={{{state!r}: the quantity, …}}")
    return tuple(ports)


# ---------------------------------------------------------------- robots that do not fit


def _refuse_unfit(robot: Robot, schedule: Schedule, name: str) -> None:
    """What our own solvers refuse of a robot, a schedule that computes the same refuses too."""
    gives = schedule.gives
    if gives & {"apparent_inertia", "projector"} and robot.followers:
        joint, (leader, *_) = next(iter(robot.followers.items()))
        raise Error(
            f"{name} of {robot.name}: {joint} follows {leader}, but articulated bodies take every joint to be free; "
            'resolve them together (schedules.COUPLED_DYNAMICS), or load with mimic="independent"'
        )
    if gives & {"apparent_inertia", "projector", "mass_matrix_inverse", "accelerations"}:
        refuse_idle(robot, name)
    if gives & {"wrench", "composite"}:
        refuse_no_body(robot, name)
    if "mass_matrix" in gives:
        refuse_large(robot, name, LARGEST_INVERSE if "mass_matrix_inverse" in gives else LARGEST_MASS_MATRIX)
    if "center" in gives:
        refuse_massless(robot, name)
