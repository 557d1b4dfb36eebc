"""A lazy task as one control cycle: kinematics → task frame → prediction → errors → machine → controllers → dynamics.

    q, v, T ─ look ─ bounds ─ monitors ─ machine ─┬─ errors ─ abag_x … ─ ask ──┐
                └─ weight ─ rest ─────────────────│────────────────────── dynamics ─┐
                                                  └───────────────────────────── stop ─ motors ─ tau

Every part is a computation with typed ports; wired, they are one program, what they share is computed once, and what is
carried on are State ports. Which parts there are follows from what the task asks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from motionc import checked
from motionc.computations import constrained_dynamics, gravity_forces
from motionc.computations.wired import wired
from motionc.control.abag import Abag
from motionc.control.machine import Machine
from motionc.control.monitors import Elapsed, Threshold
from motionc.control.part import Part, reset_name
from motionc.control.rest import Rest
from motionc.control.stability import can_be_weighed, stability_note
from motionc.control.stopping import Stop
from motionc.control.weighing import CONVERGED
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.program.source import Source
from motionc.program.wired import Wired
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import tau_port
from motionc.solvers.constraint import Constraint, Force
from motionc.tasks.area_parts import Advancing, Arrival, Beginning, Choosing, Measuring
from motionc.tasks.bands import Goal, Timeout
from motionc.tasks.checks import must_fit
from motionc.tasks.components import Components, Trace, traced
from motionc.tasks.cycle_laws import by_direction, controllers_of, maximum_of, strengths
from motionc.tasks.cycle_parts import Asking, Errors, Motors, Stopping, Telling
from motionc.tasks.cycle_wiring import SOUND, TIMED, beginning_anew, feeds_of, made, renewed_by
from motionc.tasks.directions import Directions, Task, move_of, numbers, stops_of
from motionc.tasks.force_parts import WRENCH, Feeling, ForceErrors, Pressing, Renewing, pad_motion
from motionc.tasks.forces import Forces, felt_limits
from motionc.tasks.guarding import guards_of, touched, watched
from motionc.tasks.looking import looking
from motionc.tasks.machines import machine_of
from motionc.tasks.specification import Path
from motionc.tasks.weighing import Weighing

STOP = Stop()
ENTER = 0.95
"""Share of a tube within which it is entered; it is left at its wall: between them noise decides nothing."""
BEYOND = 0.006, 0.019
"""How far predictions reach beyond the horizon, as a share of it and in seconds: when a tube is entered scatters with
masses, friction and noise, and with this hardly ever before the horizon's law says."""
SLACK, SLIDING = 0.8, 0.5
"""Of a speed's tolerance, what counts as no error, in the air and on a surface: the rest is left for noise, delay, and
friction that comes and goes."""


class LazyCycle(Computation):
    """The control cycle of a lazy task: a computation with state, and what it is made of.

    Args:
        solver: what it is made from.
        task: what is asked.
        machine: its modes.
        parts: by name, in the order in which they run.
        events: names of the bits of `events`, the first of them 1.
        notes: what is to be feared, each in a sentence.
    """

    def __init__(
        self,
        solver: Source,
        task: Task,
        machine: Machine,
        parts: Mapping[str, Computation],
        events: Sequence[str],
        notes: Sequence[str],
    ) -> None:
        super().__init__(solver)
        assert isinstance(solver, Wired)
        self.task, self.machine, self.parts = task, machine, Components(parts, solver.wires)
        self.events, self.notes = tuple(events), tuple(notes)

    def __new__(
        cls,
        solver: Source,
        task: Task,
        machine: Machine,
        parts: Mapping[str, Computation],
        events: Sequence[str],
        notes: Sequence[str],
    ) -> "LazyCycle":
        return super().__new__(cls, solver)

    def __reduce__(self) -> tuple[Any, ...]:
        return LazyCycle, (self.solver, self.task, self.machine, dict(self.parts), self.events, self.notes)

    @property
    def computation(self) -> Computation:
        """The cycle itself."""
        return self

    def seen(self, events: Any) -> tuple[str, ...]:
        """The events in a bit field."""
        return tuple(event for k, event in enumerate(self.events) if int(events) >> k & 1)

    def trace(self, times: Any, mode: Any, events: Any) -> Trace:
        """Which loops were switched, when, and by which events: of what a run logged each cycle.

        Args:
            times: of cycles (s).
            mode: in each of them.
            events: the bit field, in each of them.
        """
        return traced(self.task, self.machine, times, mode, [self.seen(bits) for bits in events])


def lazy(
    robot: Robot,
    task: Task,
    *,
    rate: float,
    horizon: float = 2.5,
    delay: int = 1,
    controllers: Mapping[str, Abag] | None = None,
    maximum: Mapping[str, float] | None = None,
    damping: Mapping[str, float] | None = None,
    force_noise: float = 0.0,
    rest: str | Mapping[str, float] | Rest = "float",
    stop: Stop = STOP,
    limits: Any = "robot",
    monitors: str | Sequence[str] = "none",
    weigh: Weighing | None = None,
    precision: Precision = "double",
    name: str = "",
) -> LazyCycle:
    """The control cycle of a task that says tolerances, and no trajectory (specs/lazy-control.md).

    q, v, the task frame (for a path `frames`) and state → tau, mode, events, and what people look at: position,
    velocity, error, command. In STOP_MOTION joints are held where they were stopped, and v_command is 0.

    >>> import motionc as mc
    >>> from motionc.tasks import Goal, Move, Speed, Tube
    >>> task = Move("link_7", "T", x=Speed(0.05, 0.005), y=Tube(0.01), z=Tube(0.01), until=[Goal(0.03)])
    >>> cycle = mc.tasks.lazy(mc.load("lwr4"), task, rate=630)
    >>> cycle.machine.states
    ('STOP_MOTION', 'START_TO_CRUISE', 'CRUISE_THROUGH_TUBE')

    Args:
        robot: the robot.
        task: what is asked: a Move, Path or Hold.
        rate: cycles a second.
        horizon: how far it looks ahead (s): the time constant with which it comes into the tube.
        delay: cycles from a measurement to what motors make of it; checked against the controllers' half periods.
        controllers: {direction: Abag}; those that are not named have the usual ones.
        maximum: {direction: largest command} (m/s², rad/s²; of forces N, N m), likewise.
        damping: {direction: damper} of forces (N s/m, N m s), likewise.
        force_noise: standard deviation of a measured force (N): contact felt below 5 of it is refused.
        rest: what joints do beside the task: "float", "fall", a posture {joint: position}, or a Rest.
        stop: how it stops and is held.
        limits: what motors can make at most: "robot", {joint: limit}, numbers in the order of v, or None.
        monitors: what else stops it: "all", "none", or some of sensor_lost, late, joint_limit, too_fast, overload,
            ill_conditioned, unsound.
        weigh: how what hangs on a tool that is held is weighed, where it is; adds the input loaded, 1 while something
            hangs there, and state: weighed_mass, weighed_first (mass times its centre), reference.
        precision: "double", or "single" for float32 arrays.
        name: of the cycle; the task's unless said.
    """
    checked.instance("lazy: robot", robot, Robot, 'give a robot, such as mc.load("lwr4")')
    move, asked, forces = move_of(task), Directions.of(task), Forces.of(task)
    must_fit(task, robot)
    if not asked.rows:
        raise Error("lazy: task: no direction asks for motion; give x=Speed(…), y=Tube(…) or others")
    dt = 1.0 / checked.number("lazy: rate", rate, "give cycles a second > 0", fits=lambda rate: rate > 0)
    checked.number("lazy: horizon", horizon, "give seconds > 0", fits=lambda seconds: seconds > 0)
    ahead = (1 + BEYOND[0]) * horizon + BEYOND[1]
    moved, pressed = by_direction("controllers", controllers, asked.rows, tuple(forces.bands))
    laws, pressing = controllers_of(asked, moved), list(forces.controllers(pressed).values())
    moved, pressed = by_direction("maximum", maximum, asked.rows, tuple(forces.bands))
    most, strongest = maximum_of(asked, moved), forces.maximum(pressed)
    (dampers,) = by_direction("damping", damping, tuple(forces.bands))
    strength = strengths(robot, limits, precision)
    held = dt * (1 + checked.whole("lazy: delay", delay, 0, "give a whole number of cycles ≥ 0"))
    policy = (rest if isinstance(rest, Rest) else Rest(rest)).borne_by(robot, held)
    stop = checked.instance("lazy: stop", stop, Stop, "give a Stop(…)").borne_by(robot, held)
    guards = guards_of(robot, monitors, dt, delay, stop, asked.rows, strength)
    guards += watched(move.monitors, robot, strength, WRENCH)
    if not forces and (most_felt := felt_limits(task)):
        guards += touched(most_felt, force_noise, WRENCH)
    machine = machine_of(task, guards=guards.stops, dt=dt)
    events = (*machine.events, *guards.tells)
    rows = Constraint(move.tool, asked.constraint_rows, wrt=move.frame, as_seen_by=move.frame)
    dynamics = constrained_dynamics(
        robot,
        [rows],
        given_frames={move.frame: move.wrt},
        artificial_forces=[Force(forces.frame, forces.frame)] if forces else (),
        external_forces=[Force(move.tool, move.tool)] if weigh else (),
        outputs=["tau_command", *guards.asks, *(["coupling"] if weigh else [])],
        precision=precision,
    )
    ports = {port.name: port for port in dynamics.inputs}
    weighing = weigh.parts(asked.rows, most, dt, ports[move.frame], ports["f_ext"]) if weigh else []
    sections = task.sections if isinstance(task, Path) else 0
    turning = any(monitor.signal == "turning" for monitor in move.monitors)
    sees = {"turns": bool(asked.orientation), "faces": bool(asked.angle), "spins": turning}
    sensing: list[Part | tuple[str, Computation]] = [
        *([Choosing(ports[move.frame], sections)] if sections else []),
        *(one for one in guards.before if one.called == SOUND),
        ("look", looking(robot, move.tool, move.frame, move.wrt, ahead, **sees, precision=precision)),
        *([("pad", pad_motion(robot, forces.frame, precision))] if forces else []),
    ]
    renewed = renewed_by(asked, forces)
    deciding: list[Part | tuple[str, Computation]] = [
        Measuring(asked, sections),
        Threshold("within_tube", "deviation", "below", ENTER, 1.0, otherwise="out_of_tube"),
        Beginning(),
        *_arrival(task),
        *(Elapsed("timeout", one.after, dt) for one in stops_of(task, Timeout)),
        *([Feeling(forces, dt), *forces.monitors(dt, force_noise)] if forces else []),
        *(one for one in guards.before if one.called != SOUND),
        machine,
        Telling(events),
        Errors(asked, machine, SLIDING if forces else SLACK, sections),
        *([ForceErrors(forces, machine)] if forces else []),
        *([Renewing(renewed, machine)] if forces.renews else []),
        *laws,
        *pressing,
        Asking(asked.rows, most, ports["b"]),
        *([Pressing(forces, strongest, forces.damping(dampers), machine, ports["f_art"])] if forces else []),
        Stopping(machine),
    ]
    acting: list[Part | tuple[str, Computation]] = [
        ("weight", gravity_forces(robot, precision=precision)),
        ("rest", policy.law(robot, precision=precision)),
        *weighing[:1],
        ("dynamics", dynamics),
        *weighing[1:],
        ("stop", stop.computation(robot, precision=precision)),
        Motors(tau_port(robot, "what motors are told"), strength),
        *guards.behind,
        *([Advancing(machine, sections)] if sections else []),
    ]
    parts = dict(made(part, precision) for part in (*sensing, *deciding, *acting))
    parts |= beginning_anew(parts, renewed)
    feeds = feeds_of(parts)
    back = {"section": "next_section", "section_changed": "swapped"} if sections else {}
    back |= {reset_name(TIMED): f"machine.{reset_name(TIMED)}"} if forces.align else {}
    back |= {event: event for event in guards.late}
    back |= {"f_before": "f_known"} if weigh else {}
    seen = ["motors.tau", "v_command", "events", "position", "velocity", "error", "command"]
    seen += ["force_error", "force_command"] if forces else []
    seen += [CONVERGED, "settled_bias"] if weigh else []
    whole = wired(parts, feeds=feeds, outputs=seen, feedback=back, name=name or task.name or "lazy_cycle")
    banded = [law for law in (*laws, *pressing) if law in pressing or (law.row == "x" and asked.speed)]
    notes = [note for law in (*laws, *pressing) if (note := law.against(delay, tolerant=law in banded))]
    if (
        policy.damping is not None
        and can_be_weighed(robot)
        and (said := stability_note(robot, 0.0, policy.damping, dt))
    ):
        notes.append(f"rest: {said}")
    return LazyCycle(whole.solver, task, machine, parts, events, notes)


def _arrival(task: Task) -> list[Arrival]:
    """Who sees a goal area, of tasks that have one."""
    goals = stops_of(task, Goal)
    if isinstance(task, Path):
        each = [task.section(k + 1).goal for k in range(task.sections)]
        return [Arrival(numbers([goal.tolerance for goal in each if goal]), task.sections)]
    return [Arrival((goal.tolerance,)) for goal in goals[:1]]
