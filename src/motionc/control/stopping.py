"""How does a robot stop, and stay? The stop policy: where it was when it was told to, held by springs and its weight.

    stopped, for the first time     posture = q
    stopped                         tau = g + K (posture ⊖ q) - D v,  v_command = 0,  running = 0
    else                            tau = what was told,              v_command = v,  running = 1

Rows of a task are off then: `running` is their activation. A robot that has a velocity interface is told v_command.
"""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self, get_args

from motionc import checked
from motionc.computations.block import block
from motionc.computations.making import made_of
from motionc.computations.wired import wired
from motionc.control.bearing import borne, shares
from motionc.control.efforts import checked_robot, scaled
from motionc.control.laws import ProportionalDerivative
from motionc.control.part import event_port
from motionc.control.safety import sound
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, State
from motionc.program.space import Choices
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import q_port, tau_port, v_port
from motionc.solvers.gains import Gains, understood_gains

Interface = Literal["torque", "velocity"]
STIFFNESS, DAMPING = 1.0, 0.3
"""Of a joint's largest effort: per rad or m, and per rad/s or m/s, unless somebody says otherwise."""
POSTURE, HELD = "stop_posture", "stop_held"


@dataclass(frozen=True)
class Stop:
    """A stop policy: motors hold joints where they were at the moment of stopping, or drives are told to stand still.

    A damper alone stops a joint of inertia m from v within v m/D, and the spring brings it back: what is to stop before
    a limit is told so much sooner, `Braking(…, dt=…)` with m/D beside the time until motors act.

    >>> import motionc as mc, numpy as np
    >>> robot = mc.load("lwr4")
    >>> stop = Stop().computation(robot)
    >>> q, v, none = np.zeros(7), np.full(7, 0.1), np.zeros(7)
    >>> out = stop(q=q, v=v, g=none, tau_running=none, stopped=1.0, stop_posture=none, stop_held=0.0)
    >>> print(out.tau.round(2), out.running)
    [-5.28 -5.28 -3.   -3.   -3.   -0.9  -0.9 ] 0.0

    Args:
        interface: "torque", tau is told, and v_command beside it; or "velocity", v_command is told alone.
        stiffness: K (N m/rad, N/m): one number for all joints that have a motor, {joint: number}, or numbers in the
            order of v; the largest effort per rad unless said.
        damping: D (N m s/rad, N s/m), likewise; 0.3 of the largest effort per rad/s unless said.
    """

    interface: Interface = "torque"
    _: KW_ONLY
    stiffness: Gains | None = None
    damping: Gains | None = None

    def __post_init__(self) -> None:
        checked.one_of("Stop: interface", self.interface, get_args(Interface))
        for what in ("stiffness", "damping"):
            if getattr(self, what) is not None:
                understood_gains(f"Stop: {what}", getattr(self, what))

    def borne_by(self, robot: Robot, held: float) -> Self:
        """The same with numbers for what nobody said: shares of efforts, and no more than joints bear.

        >>> import motionc as mc
        >>> robot = mc.load("ur5")
        >>> usual, borne = 0.3 * robot.limits.effort[-1], Stop().borne_by(robot, 2 / 630).damping[-1]
        >>> print(f"{usual:.3g}, {borne:.2g}")
        8.4, 0.02

        Args:
            robot: the robot.
            held: seconds from a measurement until what it made ends: the delay, and a tick.
        """
        checked.number("Stop: held", held, "give seconds > 0", fits=lambda time: time > 0)
        checked_robot("Stop: robot", robot)
        if self.interface == "velocity":
            return self
        damper, spring = borne(robot, held)
        usual = {"stiffness": (STIFFNESS, spring), "damping": (DAMPING, damper)}
        said = {what: shares(robot, f"Stop: {what}", *most) for what, most in usual.items() if not self._says(what)}
        return replace(self, **said)

    def _says(self, what: str) -> bool:
        return getattr(self, what) is not None

    def computation(self, robot: Robot, name: str = "stop", *, precision: Precision = "double") -> Computation:
        """What the robot is told, running or stopped, to be wired behind whatever runs it and what holds its weight.

        Of torques it reads q, v, g, tau_running and stopped, and carries the posture; of velocities v_running and
        stopped. What is no number is never told: then the robot is stopped in that tick, and `unsound` is seen.

        Args:
            robot: the robot.
            name: of the function in emitted code.
            precision: "double", or "single" for float32 arrays.
        """
        checked_robot("Stop: robot", robot)
        stopped, unsound = event_port("stopped"), event_port("unsound")
        command = v_port(robot, "v_command", "what velocity drives are told: 0 where it is stopped")
        running = Port("running", (), "1", "1 while it runs, else 0: of rows, whether they are on", space=Choices(1, 2))
        if self.interface == "velocity":
            told = v_port(robot, "v_running", "what velocity drives are told while it runs")
            return block(name, _still, [told, stopped], [command, running, unsound], precision=precision)
        gains = (
            tuple(scaled(robot, f"Stop: {what}", getattr(self, what), share).tolist())
            for what, share in (("stiffness", STIFFNESS), ("damping", DAMPING))
        )
        told, weight = (
            tau_port(robot, "what motors are told while it runs", "tau_running"),
            tau_port(robot, "what holds the robot's weight", "g"),
        )
        standing = Port("standing", (), "1", "1 where it is held", space=Choices(1, 2))
        states = [
            State(POSTURE, (robot.nq,), "rad, m", "where it was when it was stopped, and where it is while it runs"),
            State(HELD, (), "1", "1 where it was held in the tick before", space=Choices(1, 2)),
        ]
        latched = [q_port(robot, "target", "where it is held"), standing, running, unsound]
        pull = tau_port(robot, "of the springs that hold it", "pull")
        made = [tau_port(robot, "what motors are told"), command]
        parts = {
            "latch": block("latch", _latched, [q_port(robot), told, stopped, *states], latched, precision=precision),
            "spring": made_of(robot, ProportionalDerivative(*gains, precision=precision)),
            "told": block("told", _told, [v_port(robot), pull, weight, told, standing], made, precision=precision),
        }
        outputs = ["told.tau", "v_command", "running", "unsound"]
        return wired(parts, feeds={"told.pull": "spring.tau"}, outputs=outputs, name=name)


def _latched(q: Any, tau_running: Any, stopped: Any, posture: Any, held: Any) -> dict[str, Any]:
    """The posture of the first tick in which it is held, until it runs again."""
    unsound = 1.0 - sound(tau_running)
    standing = unsound.maximum(stopped)
    stays = standing * held
    kept = [stays.select(before, now) for before, now in zip(posture, q, strict=True)]
    now = {"standing": standing, "running": 1.0 - standing, "unsound": unsound}
    return {"target": kept, POSTURE: kept, HELD: standing, **now}


def _told(v: Any, pull: Any, g: Any, tau_running: Any, standing: Any) -> dict[str, Any]:
    holds = [standing.select(a + b, c) for a, b, c in zip(pull, g, tau_running, strict=True)]
    return {"tau": holds, "v_command": [standing.select(0.0, rate) for rate in v]}


def _still(v_running: Any, stopped: Any) -> dict[str, Any]:
    unsound = 1.0 - sound(v_running)
    standing = unsound.maximum(stopped)
    told = [standing.select(0.0, rate) for rate in v_running]
    return {"v_command": told, "running": 1.0 - standing, "unsound": unsound}
