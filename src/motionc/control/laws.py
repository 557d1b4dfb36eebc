"""Which force brings joints to a target? Control laws in joint space, as computations: q, v, target → tau.

    pd                tau = K (target ⊖ q) + D (target_v - v) [+ g(q), or inverse dynamics at the target]
    computed_torque   tau = M(q) (target_a + K (target ⊖ q) + D (target_v - v)) + h(q, v)

The difference of configurations is the robot's own: balls turn the shorter way, and see the rates of a target from
where they are. What no motor drives gets no force. Laws are operations along joints; gravity and dynamics are wired to
them, so that what both need is computed once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

from motionc import checked
from motionc.computations.block import block
from motionc.computations.making import computes, made_of
from motionc.computations.wired import wired
from motionc.control.efforts import driven_joints
from motionc.errors import Error
from motionc.geometry import JointAcceleration, JointForce
from motionc.geometry.coordinates import zeros
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import Question, a_port, checked_actuated, q_port, tau_port, v_port
from motionc.solvers.gains import Gains, gains_in_order, understood_gains
from motionc.solvers.gravity_forces import GravityForces
from motionc.solvers.inverse_dynamics import InverseDynamics
from motionc.solvers.steps.wrenches import Wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.options import Check
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem, Servo
from motionc.sweeps.schedule import OUTWARD, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, joint_values

Feedforward = Literal["gravity", "inverse_dynamics"]


# ---------------------------------------------------------------- quantities


class Servoed(Wrenches):
    """How a joint is to accelerate."""

    asked_acceleration = Slot(JointAcceleration, "joint")


# ---------------------------------------------------------------- operations


@operation(OUTWARD, gives=["joint_force"], equation="tau_i = K (target_i - q_i) + D (target_v_i - v_i)")
def pull(joint: JointView, parent: Servoed, child: Servoed) -> None:
    if not joint.moving.joint.follows:
        labels = joint.moving.joint.labels
        child.joint_force = joint.servo_force or JointForce(labels, zeros(len(labels), 1))


@operation(
    OUTWARD,
    gives=["asked_acceleration"],
    equation="a_i = target_a_i + K (target_i - q_i) + D (target_v_i - v_i)",
)
def ask_acceleration(joint: JointView, parent: Servoed, child: Servoed) -> None:
    """As if every joint moved an inertia of 1 and nothing else."""
    if joint.moving.joint.follows:
        return
    labels, told = joint.moving.joint.labels, joint.rates_of_target("target_a")
    made = joint.servo_force
    child.asked_acceleration = JointAcceleration(labels, told if made is None else told + made.values)


PD_LAW = Schedule("pd", (sweep(pull),))
COMPUTED_TORQUE_LAW = Schedule("computed_torque", (sweep(ask_acceleration),))


# ---------------------------------------------------------------- the computations


def named(what: str, given: Any) -> str:
    return checked.name(what, given, "give a name", empty=True)


LAW: Mapping[str, Check] = {
    **Question.understood,
    "stiffness": understood_gains,
    "damping": understood_gains,
    "name": named,
}


def servo_of(robot: Robot, options: Any) -> Servo:
    """Its gains in the order of v."""
    gains = ("stiffness", "damping")
    return Servo(*(gains_in_order(robot, f"{options.called}: {name}", getattr(options, name)) for name in gains))


@dataclass(frozen=True)
class ProportionalDerivative(Question):
    """A PD law: motor forces that pull joints to a target, tau = K (target ⊖ q) - D v, and a feedforward beside it.

    Springs and dampers are explicit, forces of this instant: gains beyond what a time step can follow shake the robot
    (`mc.control.stability_note`). Those of `mc.step` are implicit. Joints that no motor drives get no force.

    >>> import motionc as mc
    >>> hold = mc.control.pd(mc.load("planar2"), 100.0, 10.0)
    >>> hold([0.1, 0.2], [0.0, 1.0], [0.0, 0.5])
    array([-10.,  20.])

    Args:
        robot: the robot.
        stiffness: of springs along joints (N m/rad, N/m): one number for all joints that have a motor, {joint: number},
            or numbers in the order of v.
        damping: of dampers beside them (N m s/rad, N s/m), likewise.
        feedforward: what motors make besides: "gravity", what holds the robot where it is, or "inverse_dynamics", what
            moves it as the target moves, where the target is; with the input target_a (dv/dt).
        moving: whether the target moves: dampers then pull to its rates, the input target_v. It does where
            "inverse_dynamics" is fed forward.
        gravity: acceleration of free fall in world axes that the feedforward reckons with (m/s²).
        precision: "double", or "single" for float32 arrays.
        name: of the function in emitted code.
    """

    called: ClassVar[str] = "pd"
    understood: ClassVar[Mapping[str, Check]] = LAW

    stiffness: Gains
    damping: Gains
    _: KW_ONLY
    feedforward: Feedforward | None = None
    moving: bool = False
    gravity: Sequence[float] = STANDARD_GRAVITY
    precision: Precision = "double"
    name: str = ""

    def solver(self, robot: Robot) -> Solver:
        """The springs and dampers alone."""
        servo = servo_of(robot, self)
        tracks = self.moving or self.feedforward == "inverse_dynamics"
        rates = (v_port(robot, "target_v", "rates of the target, as the joint's child sees them there"),) * tracks
        return Solver(
            self.name or self.called,
            f"tau = K (target (-) q) {'+ D (target_v - v)' if tracks else '- D v'}",
            robot,
            PD_LAW,
            (q_port(robot), v_port(robot), q_port(robot, "target", "configuration to go to"), *rates),
            (tau_port(robot, "force each motor is to make"),),
            lambda mechanism: Problem({}, options=(servo,)),
            {"tau": lambda graph: joint_values(graph, "joint_force")},
            options=self,
        )


def with_feedforward(robot: Robot, options: ProportionalDerivative) -> Computation:
    """The law and what is fed forward beside it as one."""
    law = made_of(robot, options)
    if options.feedforward is None:
        return law
    if options.feedforward == "gravity":
        return beside_gravity(robot, law, options)
    there = [
        q_port(robot, "target", "configuration to go to"),
        v_port(robot, "target_v", "rates of the target"),
        a_port(robot, "target_a", "how the rates of the target change, component by component"),
    ]
    planned = [q_port(robot, "q_planned"), v_port(robot, "v_planned"), a_port(robot, "a_planned")]
    plan = block("plan", _planned, there, planned, precision=options.precision)
    dynamics = made_of(robot, InverseDynamics(gravity=options.gravity, precision=options.precision))
    parts = {"law": law, "plan": plan, "dynamics": dynamics, "motors": _sum(robot, options.precision)}
    feeds = {f"dynamics.{name}": f"plan.{name}_planned" for name in "qva"}
    feeds |= {"motors.pull": "law.tau", "motors.fed": "dynamics.tau"}
    return wired(parts, feeds=feeds, outputs=["motors.tau"], name=options.name or options.called)


def beside_gravity(robot: Robot, law: Computation, options: Any) -> Computation:
    """A law whose motors hold the robot's weight besides."""
    weight = made_of(robot, GravityForces(gravity=options.gravity, precision=options.precision))
    parts = {"law": law, "weight": weight, "motors": _sum(robot, options.precision)}
    feeds = {"motors.pull": "law.tau", "motors.fed": "weight.g"}
    return wired(parts, feeds=feeds, outputs=["motors.tau"], name=options.name or options.called)


def _planned(target: Any, target_v: Any, target_a: Any) -> dict[str, Any]:
    """Where dynamics are asked."""
    return {"q_planned": target, "v_planned": target_v, "a_planned": target_a}


def _sum(robot: Robot, precision: Precision) -> Computation:
    """What a law and a feedforward make together, by joints that have a motor."""
    driven = driven_joints(robot)

    def add(pull: Any, fed: Any) -> dict[str, Any]:
        return {"tau": [pull[k] + fed[k] if k in driven else 0.0 for k in range(robot.nv)]}

    inputs = [tau_port(robot, f"of the {which}", name) for name, which in (("pull", "law"), ("fed", "feedforward"))]
    return block("motors", add, inputs, [tau_port(robot, "force each motor is to make")], precision=precision)


@dataclass(frozen=True)
class ComputedTorque(Question):
    """Computed torque: tau = M(q) a + h(q, v), so that the way to a target is linear, a = target_a + K e + D ė.

    e = target ⊖ q obeys ë + D ė + K e = 0 for every joint by itself, where the robot is as modelled: D = 2 √K is
    critically damped. Of balls that holds to first order in e.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> torque, dynamics = mc.control.computed_torque(robot, 100.0, 20.0), mc.forward_dynamics(robot)
    >>> tau = torque([0.1, 0.2], [0.0, 0.0], [0.0, 0.2], [0.0, 0.0], [0.0, 3.0])
    >>> dynamics([0.1, 0.2], [0.0, 0.0], tau).round(9)
    array([-10.,   3.])

    Args:
        robot: the robot; a motor drives every joint.
        stiffness: K, acceleration per displacement (1/s²): one number, {joint: number}, or numbers in the order of v.
        damping: D, acceleration per rate (1/s), likewise.
        gravity: acceleration of free fall in world axes (m/s²).
        friction: whether motors overcome the robot's damping and friction, too.
        precision: "double", or "single" for float32 arrays.
        name: of the function in emitted code.
    """

    called: ClassVar[str] = "computed_torque"
    understood: ClassVar[Mapping[str, Check]] = LAW

    stiffness: Gains
    damping: Gains
    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    friction: bool = False
    precision: Precision = "double"
    name: str = ""

    def solver(self, robot: Robot) -> Solver:
        """How joints are to accelerate."""
        motors = checked_actuated(robot, None)
        for joint in robot.joint_names:
            if joint not in motors:
                raise Error(
                    f"computed_torque of {robot.name}: no motor drives {joint}, so that it cannot accelerate as told; "
                    "take mc.control.pd, or mc.constrained_dynamics with what holds the robot"
                )
        servo = servo_of(robot, self)
        return Solver(
            self.called,
            "a = target_a + K (target (-) q) + D (target_v - v)",
            robot,
            COMPUTED_TORQUE_LAW,
            (
                q_port(robot),
                v_port(robot),
                q_port(robot, "target", "configuration to go to"),
                v_port(robot, "target_v", "rates of the target, as the joint's child sees them there"),
                a_port(robot, "target_a", "how the rates of the target change, component by component"),
            ),
            (a_port(robot, meaning="how joints are to accelerate"),),
            lambda mechanism: Problem({}, options=(servo,)),
            {"a": lambda graph: joint_values(graph, "asked_acceleration")},
            options=self,
        )


def with_dynamics(robot: Robot, options: ComputedTorque) -> Computation:
    """How joints are to accelerate, and what moves them so."""
    dynamics = InverseDynamics(gravity=options.gravity, friction=options.friction, precision=options.precision)
    parts = {"law": made_of(robot, options), "dynamics": made_of(robot, dynamics)}
    return wired(parts, name=options.name or options.called)


pd = computes(ProportionalDerivative, with_feedforward)
computed_torque = computes(ComputedTorque, with_dynamics)
