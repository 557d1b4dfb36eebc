"""Which monitors does a robot need before it moves? Those of its limits, sensors and clock; and rows that stop it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.efforts import checked_robot
from motionc.control.monitors import Braking, Monitor
from motionc.control.part import seconds
from motionc.control.row import ANY, Row
from motionc.control.safety import Bounds, Coupling, Late, Sound
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.solvers.arguments import q_port, v_port


def guards(
    robot: Robot,
    dt: float,
    brakes: float | Sequence[float],
    *,
    react: float | None = None,
    velocity: float = 1.0,
    torque: float = 0.99,
    overload: float = 0.1,
    contact: Sequence[float] | None = None,
    sigma: float | Sequence[float] = 0.0,
    inertia: Sequence[float] | None = None,
    late: float = 2.0,
    age: float | None = None,
) -> tuple[Monitor, ...]:
    """The safety monitors of a robot, in the order in which a machine hears them.

    sensor_lost (Sound of q and v), late, joint_limit (Braking), too_fast (Bounds of v), overload (Bounds of tau),
    contact (Bounds of wrench), ill_conditioned (Coupling).

    >>> import motionc as mc
    >>> [guard.event for guard in guards(mc.load("lwr4"), 1 / 630, 5.0, contact=[np.inf] * 3 + [5.0] * 3)]
    ['sensor_lost', 'late', 'joint_limit', 'too_fast', 'overload', 'contact']

    Args:
        robot: the robot; every joint has one position.
        dt: seconds a cycle.
        brakes: what stopping does to a joint at least (rad/s², m/s²): one number, or one a joint.
        react: seconds until brakes act; two cycles unless said.
        velocity: share of velocity limits that is allowed.
        torque: share of effort limits from which on a motor is overloaded,
        overload: where it is for so long (s).
        contact: the largest moments and forces (N m, N; six) of the measured wrench; not watched unless said.
        sigma: standard deviation of the wrench's noise.
        inertia: the largest effective inertia along each row of a task (kg, kg m²); not watched unless said.
        late: of how many cycles one is too late.
        age: the oldest reading that is good (s), by the inputs time and stamp; none is too old unless said.
    """
    checked_robot("guards: robot", robot)
    shares = {"velocity": velocity, "torque": torque, "overload": overload, "late": late}
    for name, share in shares.items():
        checked.number(f"guards: {name}", share, "give a number > 0", fits=lambda number: number > 0)
    react = 2 * seconds("guards: dt", dt) if react is None else seconds("guards: react", react)
    if robot.nq != robot.nv:
        raise Error(f"guards: some joint of {robot.name} has no single position; make Bounds and Sound one by one")
    lower, upper = robot.reach
    slow = _each("guards: brakes", brakes, robot.nv)
    found: list[Monitor] = [
        Sound("sensor_lost", (q_port(robot),), (v_port(robot),), age=age),
        Late("late", late * dt),
        Braking("joint_limit", lower.tolist(), upper.tolist(), slow.tolist(), react),
    ]
    if np.any(np.isfinite(robot.limits.velocity)):
        found.append(Bounds("too_fast", "v", _shares(robot.limits.velocity, velocity), unit="rad/s, m/s"))
    if np.any(np.isfinite(robot.limits.effort)):
        most = _shares(robot.limits.effort, torque)
        found.append(Bounds("overload", "tau", most, held=overload, dt=dt, unit="N m, N"))
    noise = checked.numbers("guards: sigma", sigma, "give one number, or six, (n; f)")
    if contact is not None:
        most = checked.numbers("guards: contact", contact, "give six numbers > 0, (n; f)", (6,), infinite=True)
        found.append(Bounds("contact", "wrench", most.tolist(), sigma=noise.tolist(), unit="N m, N"))
    elif np.any(noise) or noise.ndim:
        raise Error("guards: sigma is the noise of a wrench that nobody watches; say contact=, too")
    if inertia is not None:
        heaviest = checked.numbers("guards: inertia", inertia, "give one number > 0 a row", (None,))
        if not len(heaviest) or np.any(heaviest <= 0):
            raise checked.refusal("guards: inertia", inertia, "give one number > 0 a row")
        found.append(Coupling("ill_conditioned", heaviest.tolist()))
    return tuple(found)


def _each(what: str, given: Any, count: int) -> Any:
    """One number for all joints, or one a joint."""
    wanted = f"give a number > 0, or {count} of them, one a joint"
    values = checked.numbers(what, given, wanted)
    if values.shape not in ((), (count,)) or np.any(values <= 0):
        raise checked.refusal(what, given, wanted)
    return np.broadcast_to(values, (count,))


def _shares(limits: Any, share: float) -> list[float]:
    return (share * limits).tolist()


def to_stop(monitors: Sequence[Monitor], state: str = "STOP") -> tuple[Row, ...]:
    """The rows by which a machine stops, whatever it does, on each event of some monitors.

    >>> print(*to_stop([Late("late", 0.003)], "STOP_MOTION"))
    any -late-> STOP_MOTION
    """
    watching = checked.several("to_stop: monitors", monitors, "give monitors, such as guards(robot, …)", Monitor)
    for monitor in watching:
        checked.instance("to_stop: monitors", monitor, Monitor, "give monitors, such as guards(robot, …)")
    checked.name("to_stop: state", state, "give the name of a state")
    return tuple(Row(ANY, event, state) for monitor in watching for event in monitor.events)
