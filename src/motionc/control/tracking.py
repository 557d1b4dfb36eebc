"""Which forces make a frame follow a trajectory, whatever it costs? Resolved acceleration: q, v, target → tau.

    law        K e + D (ẏ_target - A v)                    an impedance along the rows that gives b (impedance.py)
    change     b = ÿ_target + that
    dynamics   A a + Ȧ v = b, nearest to what joints do at rest             (solvers/constrained_dynamics.py)

Computed torque in task space: e obeys ë + D ė + K e = 0 along every row by itself. What rows leave free is left to a
rest policy. In joint space the same is `computed_torque`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

from motionc import checked
from motionc.computations.block import block
from motionc.computations.making import computes, made_of
from motionc.computations.wired import wired
from motionc.control.impedance import Impedance, understood_row_gains
from motionc.control.laws import named
from motionc.control.rest import Rest
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import Question, tau_port
from motionc.solvers.constrained_dynamics import ConstrainedDynamics
from motionc.solvers.constraint import FRAME, Constraint, unit_wrenches
from motionc.solvers.limits import Given, understood_limits
from motionc.sweeps.options import Check, optional
from motionc.sweeps.problem import STANDARD_GRAVITY

FLOAT = Rest("float")
SHIFTS, TURNS = ("x", "y", "z"), ("rx", "ry", "rz")
ORDER = (*TURNS, *SHIFTS)
"""Of entries of a twist and its rate."""


@dataclass(frozen=True)
class ResolvedAcceleration(Question):
    """Resolved acceleration, computed torque in task space: a frame accelerates by ÿ_target + K e + D (ẏ_target - ẏ).

    e obeys ë + D ė + K e = 0 along every row by itself where the robot is as modelled and has its motors' limits not
    reached; D = 2 √K is critically damped. Where the robot has fewer joints than there are rows, shifts come first.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> rest = mc.control.Rest("float", damping=1.0)
    >>> follow = mc.control.resolved_acceleration(robot, "tip", 400.0, 40.0, rows="x y", rest=rest)
    >>> q, v = [0.3, 0.8], [0.0, 0.0]
    >>> tip = mc.forward_kinematics(robot, "tip")(q)[0, :3, 3]
    >>> tau = follow(q, v, tip + [0.0, 0.01, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    >>> a = mc.forward_dynamics(robot)(q, v, tau)
    >>> (mc.jacobian(robot, "tip")(q) @ a).round(9)[3:5] + 0.0
    array([0., 4.])

    Args:
        robot: the robot; motors drive all joints.
        frame: which frame follows: name of a link, attachment or `joint:NAME`.
        stiffness: K along the rows, acceleration per displacement (1/s²): one number, or one a row.
        damping: D along the rows, acceleration per rate (1/s), likewise.
        rows: tokens x y z rx ry rz in axes of the world. With shifts alone the target is a position,
            target_position (3,), target_velocity, target_acceleration; else a pose, target_pose (4, 4), target_twist
            (6,) and target_acceleration (6,), rx ry rz x y z.
        rest: what joints do that rows leave free (`mc.control.Rest`).
        limits: what motors can make at most, as of `mc.constrained_dynamics`; what is beyond is clipped. None: all.
        gravity: acceleration of free fall in world axes (m/s²).
        precision: "double", or "single" for float32 arrays.
        name: of the function in emitted code.
    """

    called: ClassVar[str] = "resolved_acceleration"
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "frame": lambda what, given: checked.name(what, given, FRAME),
        "stiffness": understood_row_gains,
        "damping": understood_row_gains,
        "rows": lambda what, given: " ".join(
            unit_wrenches(what, checked.name(what, given, "give tokens x y z rx ry rz"))[1]
        ),
        "limits": optional(understood_limits),
        "rest": lambda what, given: checked.instance(what, given, Rest, "give mc.control.Rest(…)"),
        "name": named,
    }

    frame: str
    stiffness: float | Sequence[float]
    damping: float | Sequence[float]
    _: KW_ONLY
    rows: str = "x y z"
    rest: Rest = FLOAT
    limits: Given | None = None
    gravity: Sequence[float] = STANDARD_GRAVITY
    precision: Precision = "double"
    name: str = ""

    @property
    def law(self) -> Impedance:
        """K e + D (ẏ_target - ẏ) along the rows."""
        return Impedance(
            self.frame, self.stiffness, self.damping, rows=self.rows, moving=True, gives="b", precision=self.precision
        )

    def constraints(self, robot: Robot) -> list[Constraint]:
        """The rows that dynamics hold: turns after shifts, where there are not joints enough for all."""
        tokens = self.rows.split()
        shifts, turns = ([token for token in tokens if token in kind] for kind in (SHIFTS, TURNS))
        if robot.nv >= len(tokens) or not shifts or not turns:
            return [Constraint(self.frame, self.rows)]
        return [Constraint(self.frame, " ".join(shifts)), Constraint(self.frame, " ".join(turns), level=2)]


def with_dynamics(robot: Robot, options: ResolvedAcceleration) -> Computation:
    """How the frame is to accelerate, and what moves joints so."""
    precision = options.precision
    clipped: dict[str, Any] = {} if options.limits is None else {"limits": options.limits, "on_limit": "clip"}
    command = tau_port(robot, "what the law asks", "tau_command")
    told = tau_port(robot, "force each motor is to make")
    motors = block("motors", _told, [command], [told], precision=precision)
    parts = {**_asked(robot, options, "tau_command", **clipped), "motors": motors}
    return wired(parts, feeds=FEEDS, outputs=["motors.tau"], name=options.name or options.called)


def _told(tau_command: Any) -> dict[str, Any]:
    return {"tau": tau_command}


def as_modelled(robot: Robot, options: ResolvedAcceleration) -> Computation:
    """How joints move under the law where the robot is as modelled: q, v, target → a."""
    parts = _asked(robot, options, "a")
    return wired(parts, feeds=FEEDS, outputs=["dynamics.a"], name=f"{options.called}_model")


FEEDS = {"change.pull": "law.b", "dynamics.b": "change.b"}


def _asked(robot: Robot, options: ResolvedAcceleration, output: str, **policy: Any) -> dict[str, Computation]:
    """The law, what the target does besides, what joints do at rest, and dynamics that hold the rows."""
    precision = options.precision
    held = options.constraints(robot)
    dynamics = made_of(
        robot, ConstrainedDynamics(held, outputs=[output], gravity=options.gravity, precision=precision, **policy)
    )
    b = next(port for port in dynamics.inputs if port.name == "b")
    return {
        "law": made_of(robot, options.law),
        "change": _change(options, b, [token for rows in held for token in rows.rows.split()]),
        "rest": options.rest.computation(robot, precision=precision),
        "dynamics": dynamics,
    }


def _change(options: ResolvedAcceleration, b: Port, held: Sequence[str]) -> Computation:
    """b = ÿ_target + what the law asks, in the order in which rows are held."""
    asked = options.rows.split()
    order = ORDER if any(token in TURNS for token in asked) else SHIFTS
    unit, said = ("rad/s², m/s²", f"; {' '.join(order)}") if order == ORDER else ("m/s²", "")
    target = Port("target_acceleration", (len(order),), unit, f"how {options.frame}'s target changes its motion{said}")

    def add(pull: Any, target_acceleration: Any) -> dict[str, Any]:
        return {"b": [pull[asked.index(token)] + target_acceleration[order.index(token)] for token in held]}

    equation = "b = y'' + K e + D (y' - A v)"
    return block("change", add, [replace(b, name="pull"), target], [b], equation=equation, precision=options.precision)


resolved_acceleration = computes(ResolvedAcceleration, with_dynamics)
