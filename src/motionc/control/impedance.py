"""Which forces make a frame yield like a spring? Impedance control in task space: q, v, target → tau, f_art or b.

outward   where bodies are, S_i in the axes of the world
root      e along the rows, A = how fast joints make it shrink            (solvers/inverse_kinematics.py)
          f = K e + D (ẏ_target - A v)                                    the law
          tau = Aᵀ f                                                      by joints that have a motor
   or     f_art = W f                                                     a wrench on the frame, W the rows' own
   or     b = f                                                           an acceleration, as if it weighed 1

Constrained dynamics has a place for each of the three (specs/motion-stack.md §2.15): tau, f_art, b.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from motionc import checked
from motionc.computations.making import computes, made_of
from motionc.control.laws import beside_gravity, named
from motionc.errors import Error
from motionc.geometry import JointForce, JointVelocity, Multipliers, RowAcceleration, RowVelocity, Wrench
from motionc.geometry.coordinates import Coordinates, above, column, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.program.relation import Relation
from motionc.program.space import Poses
from motionc.runtime.computation import Computation
from motionc.solvers import relations
from motionc.solvers.arguments import Question, checked_actuated, left_at_world, q_port, tau_port, v_port, wrench_ports
from motionc.solvers.constraint import FRAME, Constraint, Force
from motionc.solvers.gains import LARGEST, Gains, gains_in_order, understood_gains
from motionc.solvers.inverse_kinematics import Approaching, miss
from motionc.solvers.inverse_velocity import PLACES
from motionc.solvers.row_ports import b_port
from motionc.solvers.target import Asked, AskedRows, Target, in_words, resolve_targets
from motionc.sweeps.options import Check
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph

Gives = Literal["tau", "f_art", "b"]
EQUATIONS: Mapping[str, str] = {
    "tau": "tau = A^T (K e + D (y' - A v))",
    "f_art": "f_art = W (K e + D (y' - A v))",
    "b": "b = K e + D (y' - A v)",
}

# ---------------------------------------------------------------- quantities


@dataclass(frozen=True, slots=True, eq=False)
class Pulled(AskedRows):
    """Rows along which a frame is pulled to a pose, or to a position whatever its orientation."""

    port: ClassVar[str] = "target_pose"

    def given(self, problem: Problem) -> tuple[Coordinates, Coordinates]:
        if "target_position" in problem.inputs:
            return np.eye(3), problem.rows("target_position", slice(3))
        return AskedRows.given(self, problem)

    def distortion(self, problem: Problem) -> Coordinates:
        return zeros(1, 1) if "target_position" in problem.inputs else AskedRows.distortion(self, problem)


@dataclass(frozen=True, slots=True)
class Yielding:
    """Stiffness and damping along rows, what joints resist besides, and which of them have motors."""

    stiffness: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    joints: tuple[float, ...] = ()
    motors: frozenset[str] = frozenset()


class Compliant(Approaching):
    """What pulls along rows, and what motors make of it."""

    row_forces = Slot(Multipliers, "none")
    motor_forces = Slot(JointForce, "none")
    frame_wrench = Slot(Wrench, "none")
    spring_accelerations = Slot(RowAcceleration, "none")


# ---------------------------------------------------------------- operations


@operation(ROOT, needs=["row_errors", "jacobian_transposed"], gives=["row_forces"], equation="f = K e + D (y' - A v)")
def yield_along_rows(graph: StateGraph[Compliant], problem: Problem) -> None:
    graph.world.row_forces = Multipliers(graph.world.row_errors.rows, _spring(graph, problem))


def _spring(graph: StateGraph[Compliant], problem: Problem) -> Coordinates:
    """K e + D (ẏ_target - A v)."""
    world, gains = graph.world, problem[Yielding]
    moving = world.jacobian_transposed.moved(JointVelocity(graph.coordinates, problem.rows("v", slice(None))))
    (spec,) = problem[Asked].rows
    for port, among in (("target_velocity", spec.wrenches[3:]), ("target_twist", spec.wrenches)):
        if port in problem.inputs:
            moving = moving.minus(RowVelocity(spec.labels, among.T @ problem.rows(port, slice(len(among)))))
    return world.row_errors.values * column(gains.stiffness) - moving.values * column(gains.damping)


@operation(ROOT, needs=["jacobian_transposed", "row_forces"], gives=["motor_forces"], equation="tau = A^T f")
def move_motors(graph: StateGraph[Compliant], problem: Problem) -> None:
    """By joints that have a motor, and what those resist besides."""
    world, gains = graph.world, problem[Yielding]
    driven = [
        (label, k)
        for body in graph.mechanism.bodies
        if body.joint.name in gains.motors and not body.joint.follows
        for label, k in zip(body.joint.labels, range(graph.mechanism.nv)[body.joint.v], strict=True)
    ]
    labels = tuple(label for label, _ in driven)
    made = world.jacobian_transposed.among(labels).made(world.row_forces)
    if any(gains.joints):
        rates = JointVelocity(graph.coordinates, problem.rows("v", slice(None))).among(labels)
        made = made + rates.damper(column([gains.joints[k] for _, k in driven]))
    world.motor_forces = made.spread(graph.coordinates)


@operation(ROOT, needs=["row_forces"], gives=["frame_wrench"], equation="f_art = W f")
def push_frame(graph: StateGraph[Compliant], problem: Problem) -> None:
    """The wrench that the rows' forces make together, at the frame's origin."""
    (spec,) = problem[Asked].rows
    made = spec.basis().times(graph.world.row_forces)
    assert isinstance(made, Wrench)
    graph.world.frame_wrench = made


@operation(
    ROOT,
    needs=["row_errors", "jacobian_transposed"],
    gives=["spring_accelerations"],
    equation="b = K e + D (y' - A v)",
)
def accelerate_along_rows(graph: StateGraph[Compliant], problem: Problem) -> None:
    (spec,) = problem[Asked].rows
    basis, asked = spec.basis(), _spring(graph, problem)
    graph.world.spring_accelerations = RowAcceleration(spec.labels, basis.of, basis.wrt, "classical", asked)


SCHEDULES: Mapping[str, Schedule] = {
    "tau": Schedule("impedance", (*PLACES, sweep(miss, yield_along_rows, move_motors))),
    "f_art": Schedule("impedance_at_the_frame", (*PLACES, sweep(miss, yield_along_rows, push_frame))),
    "b": Schedule("acceleration_along_rows", (*PLACES, sweep(miss, accelerate_along_rows))),
}
LEFT = {"tau": "motor_forces", "b": "spring_accelerations"}


# ---------------------------------------------------------------- the computation


def understood_row_gains(what: str, given: Any) -> Any:
    wanted = f"give one finite number from 0 to {LARGEST:g}, or one a row"
    values = checked.numbers(what, given, wanted)
    if values.ndim > 1 or np.any(values < 0) or np.any(values > LARGEST):
        raise checked.refusal(what, given, wanted)
    return given


@dataclass(frozen=True)
class Impedance(Question):
    """An impedance law: motor forces that make a frame yield like a spring and a damper, tau = Jᵀ (K e + D ė).

    e is what is missing along the rows, of turns a rotation vector: the frame pushes back by K for every metre or
    radian that something pushes it away. Inertia is the robot's own. What rows leave free swings as it likes unless
    `joint_damping` stops it.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> soft = mc.control.impedance(robot, "tip", 100.0, 5.0, rows="xy")
    >>> tip = mc.forward_kinematics(robot, "tip")([0.3, 0.8])[0, :3, 3]
    >>> soft([0.3, 0.8], [0.0, 0.0], tip + [0.0, 0.01, 0.0]).round(6)
    array([-0.474691, -0.356483])

    Args:
        robot: the robot.
        frame: which frame yields: name of a link, attachment or `joint:NAME`.
        stiffness: K along the rows (N m/rad, N/m): one number, or one a row.
        damping: D along the rows (N m s/rad, N s/m), likewise.
        rows: tokens x y z rx ry rz, or a 6×m matrix. With shifts alone the target is a position, target_position (3,),
            else a pose, target_pose (4, 4).
        wrt: the frame with respect to which the target is given.
        point: a point fixed to the frame's body that is pulled, in frame coordinates (m).
        as_seen_by: whose axes the rows are written in.
        moving: whether the target moves: adds the input target_velocity (3,), or target_twist (6,) of a pose, in the
            axes of the rows.
        gives: "tau", motor forces; "f_art", the wrench on the frame that they amount to, for the artificial force
            mc.Force(frame, as_seen_by) of constrained dynamics; or "b", an acceleration along the rows as of a frame
            that weighs 1, K in 1/s² and D in 1/s, for its mc.Constraint(frame, rows, …). A row wins over forces.
        joint_damping: of dampers along joints besides (N m s/rad, N s/m): one number for all joints that have a motor,
            {joint: number}, or numbers in the order of v.
        feedforward: "gravity", so that motors hold the robot's weight besides; else None.
        gravity: acceleration of free fall in world axes (m/s²).
        precision: "double", or "single" for float32 arrays.
        name: of the function in emitted code.
    """

    called: ClassVar[str] = "impedance"
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "frame": lambda what, given: checked.name(what, given, FRAME),
        "stiffness": understood_row_gains,
        "damping": understood_row_gains,
        "joint_damping": understood_gains,
        "name": named,
    }

    frame: str
    stiffness: float | Sequence[float]
    damping: float | Sequence[float]
    _: KW_ONLY
    rows: Any = "xyz"
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    moving: bool = False
    gives: Gives = "tau"
    joint_damping: Gains = 0.0
    feedforward: Literal["gravity"] | None = None
    gravity: Sequence[float] = STANDARD_GRAVITY
    precision: Precision = "double"
    name: str = ""

    def solver(self, robot: Robot) -> Solver:
        """The spring and the damper alone."""
        what = self.called
        asked = Target(self.frame, self.rows, self.wrt, self.point, self.as_seen_by)
        self._refuse_what_is_no_motor(robot, asked)
        gains = Yielding(
            _along(self, "stiffness", rows_of(robot.mechanism, asked)),
            _along(self, "damping", rows_of(robot.mechanism, asked)),
            gains_in_order(robot, f"{what}: joint_damping", self.joint_damping),
            frozenset(checked_actuated(robot, None)),
        )

        def question(mechanism: Mechanism) -> Problem:
            return Problem({}, options=(Asked((rows_of(mechanism, asked),)), gains))

        said = f"{in_words(asked)}, as seen by {asked.as_seen_by}"
        return Solver(
            self.name or what,
            EQUATIONS[self.gives],
            robot,
            SCHEDULES[self.gives],
            (q_port(robot), v_port(robot), *_target_ports(robot, asked, said, moving=self.moving)),
            (self._port(robot),),
            question,
            {self.gives: _wrench if self.gives == "f_art" else left_at_world(LEFT[self.gives])},
            options=self,
        )

    def _port(self, robot: Robot) -> Port:
        """The place in constrained dynamics that it is for."""
        if self.gives == "tau":
            return tau_port(robot, "force each motor is to make")
        if self.gives == "f_art":
            (port,) = wrench_ports("f_art", [Force(self.frame, self.as_seen_by)])
            return port
        place = self.point[0], self.point[1], self.point[2]
        return b_port(robot.mechanism, [Constraint(self.frame, self.rows, self.wrt, place, self.as_seen_by)])

    def _refuse_what_is_no_motor(self, robot: Robot, asked: Target) -> None:
        """Dampers and weights are of motors; a wrench on a frame is by the world, at the frame, and has its axes."""
        if self.gives == "tau":
            return
        if self.feedforward is not None or np.any(
            gains_in_order(robot, "impedance: joint_damping", self.joint_damping)
        ):
            raise Error(
                f"impedance: gives={self.gives!r} is no motor force, and has no joint_damping and no feedforward; wire "
                "mc.control.Rest(…) to tau beside it"
            )
        spec = rows_of(robot.mechanism, asked)
        turning = not spec.complete and spec.view.axes.body >= 0
        if self.gives == "f_art" and (self.wrt != "world" or any(self.point) or turning):
            raise Error(
                "impedance: gives='f_art' is one wrench by the world at the frame's origin; leave out wrt and point, "
                "and let rows of a frame that moves be all shifts, all turns or both; or take gives='tau'"
            )


def rows_of(mechanism: Mechanism, asked: Target) -> Pulled:
    """The rows along which the frame is pulled."""
    (spec,) = resolve_targets(mechanism, "impedance", [asked])
    assert isinstance(spec, AskedRows)
    return Pulled(spec.labels, spec.wrenches, spec.number, spec.view)


def _wrench(graph: StateGraph[Compliant]) -> Coordinates:
    """(n; f), a row."""
    made = graph.world.frame_wrench
    return above(made.angular, made.linear).T


def _target_ports(robot: Robot, asked: Target, said: str, *, moving: bool) -> tuple[Port, ...]:
    """Where the frame is to be, and how it is to move there."""
    if rows_of(robot.mechanism, asked).wrenches[:3].any():
        pose, twist = Relation("pose", asked.frame, asked.wrt), relations.of_motion("twist", [asked])
        where = Port("target_pose", (4, 4), "m, 1", f"where it is to be: {said}", Poses(1), pose)
        rates = Port("target_twist", (6,), "rad/s, m/s", f"how that moves: {said}; rx ry rz x y z", relation=twist)
    else:
        where = Port("target_position", (3,), "m", f"where it is to be: {said}, in axes of {asked.wrt}")
        rates = Port("target_velocity", (3,), "m/s", f"how that moves: {said}")
    return (where, *(rates,) * moving)


def _along(options: Impedance, name: str, spec: AskedRows) -> tuple[float, ...]:
    """A gain for each row."""
    given, m = np.asarray(getattr(options, name), float), len(spec.labels)
    if given.shape not in ((), (m,)):
        raise Error(f"impedance: {name} of shape {given.shape}; give one number, or {m}, one a row")
    return tuple(np.broadcast_to(given, (m,)).tolist())


def with_weight(robot: Robot, options: Impedance) -> Computation:
    """The law, and motors that hold the robot's weight besides where that is asked for."""
    law = made_of(robot, options)
    return law if options.feedforward is None else beside_gravity(robot, law, options)


impedance = computes(Impedance, with_weight)
