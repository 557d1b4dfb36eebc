"""One time step of the equation of motion: M(q) a + h = tau + passive forces + Σ Jᵀ f_ext, and q̇ = N(q) v.

Semi-implicit Euler, forces that resist rates at the end of the step (MuJoCo's implicitfast):

    sweeps    (M + dt D (+ dt² K)) a = tau - h + Σ Jᵀ f_ext - D v* + K (target ⊖ q (- dt v*))      (forward dynamics)
    outward   v* = v + dt ω × v            v after dt without acceleration, in axes that stay as they are
              v*_next = v* + dt a          the kick
              q_next = q ⊕ dt v*_next      points go straight, what turns turns about one axis
              v_next                       the same as the axes see it that have turned with the joint

D is diagonal: d + c/√(v² + ε²) of friction, where it is asked for, and the servo's damping. ω × v is zero of all joints
but floating and planar ones, whose linear velocity the child sees while it turns: kicked in its own axes, v += dt a, a
body in flight would gain or lose momentum with every step.

The classical Runge–Kutta method (RK4), everything explicit, tau held over the step:

    stage k   a_k by forward dynamics at (q_k, v_k),  q̇_k = N(q_k) v_k
              q_k+1 = q + dt Σ_j w_kj q̇_j,  v_k+1 = v + dt Σ_j w_kj a_j      w of the method's table
    last      quaternions of length 1

Its stages add up in q, entry by entry: averaged velocities along the exponential would be of second order alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

from motionc import checked
from motionc.errors import Error
from motionc.geometry import CoordinateRate, JointCoordinates, JointVelocity
from motionc.geometry.coordinates import Coordinates
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.cone_solve import SWEEPS
from motionc.program.port import Precision
from motionc.solvers.arguments import (
    SMOOTHING,
    Forces,
    Question,
    acting_friction,
    chosen,
    q_port,
    refuse_idle,
    refuse_many_followers,
    tau_port,
    under_friction,
    v_port,
    wrench_ports,
)
from motionc.solvers.constraint import resolve_forces
from motionc.solvers.contact import Contact
from motionc.solvers.contact_step import (
    CONTACT_STEP,
    COUPLED_CONTACT_STEP,
    Brakes,
    Kept,
    compliant,
    kept_apart,
    understood_brakes,
    understood_contacts,
    understood_sweeps,
)
from motionc.solvers.forward_dynamics import COUPLED_DYNAMICS, FORWARD_DYNAMICS
from motionc.solvers.gains import Gains, gains_in_order, understood_gains
from motionc.solvers.implicit_dynamics import IMPLICIT_DYNAMICS, Implicit, part_accelerations
from motionc.solvers.integrate import arrived
from motionc.solvers.steps.together import shallow
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.options import Check
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Ahead, Friction, Problem, Servo
from motionc.sweeps.schedule import OUTWARD, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph, joint_values

Method = Literal["semi_implicit", "rk4"]

OUTPUTS = ("q_next", "v_next")
TABLE = ((1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6))
"""By stage: how much of each stage so far leads to the next, and in the end to the answer."""


# ---------------------------------------------------------------- quantities


class InTime(Implicit):
    """How a joint moves now, and where that leads."""

    q_now = Slot(JointCoordinates, "joint")
    v_now = Slot(JointVelocity, "joint")
    q_rate = Slot(CoordinateRate, "joint")


@dataclass(frozen=True, eq=False)
class Stage:
    """What of each stage so far leads on from where the step began, for how long; the states of earlier ones."""

    seconds: float = 0.0
    weights: tuple[float, ...] = ()
    earlier: tuple[StateGraph[Any], ...] = ()


# ---------------------------------------------------------------- operations


@operation(
    OUTWARD,
    needs=["joint_acceleration"],
    gives=["q_next", "v_next"],
    equation="v_i += dt a_i in axes that stay, q_i += dt v_i, v_i in axes that have turned",
)
def kick_and_drift(joint: JointView, parent: InTime, child: InTime) -> None:
    if not joint.moving.joint.follows:
        dt = joint.problem[Ahead].seconds
        kicked = joint.resting_velocity(dt).kicked(child.joint_acceleration, dt)
        child.q_next, child.v_next = joint.gone_on(joint.coordinates("q"), kicked, dt)


@operation(OUTWARD, gives=["q_now", "v_now", "q_rate"], equation="q_i' = N(q_i) v_i")
def rates_of_coordinates(joint: JointView, parent: InTime, child: InTime) -> None:
    if not joint.moving.joint.follows:
        child.q_now, child.v_now = joint.coordinates("q"), joint.velocity
        child.q_rate = joint.changing(child.q_now, child.v_now)


@operation(
    OUTWARD,
    needs=["q_now", "v_now", "q_rate", "joint_acceleration"],
    gives=["q_next", "v_next"],
    equation="q_i = q_0 + dt sum w_j q_j', v_i = v_0 + dt sum w_j a_j",
)
def lead_on(joint: JointView, parent: InTime, child: InTime) -> None:
    """From where the step began, with the weighted rates of all stages so far."""
    if joint.moving.joint.follows:
        return
    stage = joint.problem[Stage]
    states = [*(graph[child.index] for graph in stage.earlier), child]
    weighted = [(state, weight) for state, weight in zip(states, stage.weights, strict=True) if weight]
    rates = [state.q_rate.times(weight) for state, weight in weighted]
    changes = [state.joint_acceleration.times(weight) for state, weight in weighted]
    child.v_next = states[0].v_now.after(sum(changes[1:], changes[0]), stage.seconds)
    q_next = states[0].q_now.after(sum(rates[1:], rates[0]), stage.seconds)
    child.q_next = joint.normalised(q_next) if len(states) == len(TABLE) else q_next


# ---------------------------------------------------------------- schedules


SEMI_IMPLICIT = Schedule("step", (*FORWARD_DYNAMICS.sweeps, sweep(kick_and_drift)))
COUPLED_SEMI_IMPLICIT = IMPLICIT_DYNAMICS + sweep(kick_and_drift)
STAGE = Schedule("step", (*FORWARD_DYNAMICS.sweeps, sweep(rates_of_coordinates, lead_on)))
COUPLED_STAGE = Schedule(
    "step", (*COUPLED_DYNAMICS.sweeps, sweep(part_accelerations), sweep(rates_of_coordinates, lead_on))
)


def _schedule(method: Method, coupled: bool, kept: Kept | None) -> Schedule:
    if kept is not None and kept.labels:
        return COUPLED_CONTACT_STEP if coupled else CONTACT_STEP
    if method == "rk4":
        return COUPLED_STAGE if coupled else STAGE
    alone = COUPLED_SEMI_IMPLICIT if coupled else SEMI_IMPLICIT
    return alone if kept is None else compliant(alone)


@dataclass(frozen=True)
class Onward:
    """The next stage: the same question where the one before has led, with its weights."""

    weights: tuple[float, ...]

    def __call__(self, graph: StateGraph[InTime], problem: Problem) -> tuple[Problem, Mapping[str, Coordinates]]:
        before = problem[Stage]
        inputs = {**problem.inputs, "q": arrived(graph), "v": joint_values(graph, "v_next")}
        stage = Stage(before.seconds, self.weights, (*before.earlier, graph))
        return replace(problem, inputs=inputs).asking(stage), {}


# ---------------------------------------------------------------- the computation


def _understood_dt(what: str, given: Any) -> float:
    wanted = "give the length of a time step in seconds, from 1e-12 to 1e12, such as 1e-3"
    return checked.number(what, given, wanted, fits=lambda dt: 1e-12 <= dt <= 1e12)  # its square fits float32


@dataclass(frozen=True)
class Step(Question):
    """One time step of forward dynamics, motors' forces held: q, v, tau → q_next, v_next.

    "semi_implicit" is Euler's method, velocities first, of first order: what resists rates does so with those at the
    end of the step, so that strong dampers are stable; a floating or planar base is kicked in axes that stay, and goes
    straight. It is the step of MuJoCo's `implicitfast`. "rk4" is the classical Runge–Kutta method, of fourth order on
    every joint type, about four times the work, and explicit throughout.

    Args:
        robot: the robot.
        dt: the length of the step (s).
        method: "semi_implicit" or "rk4".
        stiffness: of springs that pull joints to the input `target`, a configuration (N m/rad, N/m): one number for all
            joints that have a motor, {joint: number}, or numbers in the order of v.
        damping: of dampers beside them (N m s/rad, N s/m), likewise; implicit in "semi_implicit".
        implicit_stiffness: whether "semi_implicit" takes springs at the end of the step too: stable however stiff, and
            more damped than they are.
        external_forces: frames (or Force) on which wrenches act, as seen by the world; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        friction: whether the robot's damping d and friction c act along joints: -(d v + c v/√(v² + ε²)); implicit in
            "semi_implicit", with √ as it is at the beginning.
        friction_smoothing: ε, the speed below which friction is smooth (rad/s, m/s).
        contacts: what may touch what (Contact, or the name of a frame whose origin may touch the ground z = 0): hard,
            with Coulomb friction and restitution, or compliant (docs/guide/contact.md). "semi_implicit" alone.
        limits: whether joints stop at the limits of their positions.
        stiction: whether the robot's Coulomb friction c is exact, so that joints stick: |force| ≤ c; its damping acts
            too. In place of friction.
        brakes: joints with a brake, or {joint: what it can hold (N m, N)}; by name alone as much as its motor's limit.
            Adds the input brake, 0 (open) to 1 (shut) each.
        sweeps: how often the impulses of contacts, stops and dry friction are swept over, starting from those of the
            step before, the state `impulses`; contact_residual says what is left.
        moving_surface: adds the input surface_velocity (k, 3), how surfaces move by themselves at each contact point.
        contact_friction: adds the input mu (k,), in place of what contacts say.
        outputs: which of q_next, v_next and, where something touches or holds, contact_force, gap, contact_normal,
            contact_point, contact_residual, joint_stop_force, joint_friction_force to compute; the first two.
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "step"
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "dt": _understood_dt,
        "stiffness": understood_gains,
        "damping": understood_gains,
        "contacts": understood_contacts,
        "brakes": understood_brakes,
        "sweeps": understood_sweeps,
    }

    dt: float
    _: KW_ONLY
    method: Method = "semi_implicit"
    stiffness: Gains = 0.0
    damping: Gains = 0.0
    implicit_stiffness: bool = False
    external_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    friction: bool = False
    friction_smoothing: float = SMOOTHING
    contacts: Contact | str | Sequence[Contact | str] = ()
    limits: bool = False
    stiction: bool = False
    brakes: Brakes = ()
    sweeps: int = SWEEPS
    moving_surface: bool = False
    contact_friction: bool = False
    outputs: Sequence[str] = OUTPUTS
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "a time step")
        refuse_many_followers(robot, "a time step")
        servo = Servo(
            *(gains_in_order(robot, f"step: {name}", getattr(self, name)) for name in ("stiffness", "damping"))
        )
        pulled, explicit = any(servo.stiffness), self.method == "rk4"
        if self.implicit_stiffness and (explicit or not pulled):
            why = 'method="rk4" is explicit throughout' if explicit else "there is no spring: stiffness is 0"
            raise Error(f"step: implicit_stiffness=True, but {why}; leave it out")

        kept = kept_apart(robot, self)
        acting = Friction(SMOOTHING, dry=True) if self.stiction else acting_friction(self)

        def question(mechanism: Mechanism) -> Problem:
            wrenches = resolve_forces(mechanism, self.external_forces, "f_ext")
            when = Stage(self.dt, TABLE[0]) if explicit else Ahead(self.dt, self.implicit_stiffness)
            held = () if kept is None else kept.rows(mechanism)
            return Problem({}, self.gravity, wrenches, frozenset(), (acting, servo, when, *held))

        question(robot.mechanism)
        target = (q_port(robot, "target", "configuration to which springs pull the joints that have some"),) * pulled
        ports = {
            "q_next": q_port(robot, "q_next", f"the configuration {self.dt:g} s later"),
            "v_next": v_port(robot, "v_next", f"joint velocities {self.dt:g} s later"),
        }
        return Solver(
            self.called,
            under_friction(_equation(self, servo), self),
            robot,
            _schedule(self.method, bool(robot.followers) or (kept is None and shallow(robot.mechanism)), kept),
            (
                q_port(robot),
                v_port(robot),
                tau_port(robot, "force each motor makes all the step"),
                *target,
                *wrench_ports("f_ext", self.external_forces),
                *(() if kept is None else kept.inputs),
            ),
            (
                *chosen("a time step", self.outputs, ports if kept is None else ports | kept.outputs),
                *(() if kept is None else kept.state),
            ),
            question,
            {
                "q_next": arrived,
                "v_next": lambda graph: joint_values(graph, "v_next"),
                **({} if kept is None else kept.collect),
            },
            again=tuple(map(Onward, TABLE[1:])) if explicit else (),
            options=self,
            usual=() if kept is None else kept.usual,
        )


def _equation(options: Step, servo: Servo) -> str:
    """What is computed, in a line."""
    spring, damper = any(servo.stiffness), any(servo.damping)
    acts = "tau" + " + K (target (-) q)" * spring + " - D v" * damper
    if options.method == "rk4":
        return f"M(q) dv/dt + h(q, v) = {acts} + sum J^T f_ext, dq/dt = N(q) v over dt = {options.dt:g} s, by RK4"
    more = " + dt D" * (damper or options.friction or options.stiction) + " + dt^2 K" * options.implicit_stiffness
    keeps = options.contacts or options.limits or options.stiction or options.brakes
    inverse = f"(M(q){more})^-1" if more else "M(q)^-1"
    return (
        f"v_next = v + dt {inverse} ({acts} - h(q, v) + sum J^T f_ext{' + J^T lambda/dt' if keeps else ''}), "
        + "lambda in cones and bounds with J v_next >= s, " * bool(keeps)
        + f"q_next = q (+) dt v_next, dt = {options.dt:g} s"
    )
