"""What stops a lazy task besides itself? Safety monitors of a cycle, chosen by name, and those that a task names.

    sensor_lost       a reading is no number; what is behind gets the last good one
    late              a cycle has begun too late, by the input `time`
    joint_limit       a joint could only just be stopped before its limit
    too_fast          a joint is beyond its velocity limit
    overload          a motor has made its limit for a while
    ill_conditioned   along some row the arm is too heavy to be moved: it is stretched
    unsound           what motors would be told is no number

The first four are heard in the cycle in which they are seen, the others, which follow from what motors are told, in the
next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations import mass_matrix
from motionc.control.efforts import scaled
from motionc.control.errors import square
from motionc.control.monitors import Braking, Threshold
from motionc.control.part import Part
from motionc.control.safety import Bounds, Coupling, Late, Sound
from motionc.control.stopping import DAMPING, Stop
from motionc.errors import Error, suggestion
from motionc.geometry.control_words import magnitude
from motionc.geometry.coordinates import square_root
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.solvers.arguments import q_port, tau_port, v_port
from motionc.tasks import bands
from motionc.tasks.directions import TURNS
from motionc.tasks.machines import SURE

BEFORE = ("sensor_lost", "late", "joint_limit", "too_fast")
BEHIND = ("overload", "ill_conditioned", "unsound")
MONITORS = (*BEFORE, *BEHIND)
"""Safety monitors by name; the latter judge what motors are told, and are heard a cycle later."""
LATE, OVERLOADED, FULL = 2.0, 0.1, 0.99
"""Of a cycle, when the next is late; for how long (s) motors may make this share of their limit."""
HEAVY = {False: 1000.0, True: 100.0}
"""Effective inertia beyond which an arm counts as stretched: along rows that shift (kg), and that turn (kg m²)."""
POSTURES = 32
"""Configurations in which inertias of joints are looked up."""
LEAVE = 0.95
"""Of a task's own threshold, where its event is over."""


@dataclass(frozen=True)
class Guards:
    """Monitors of a cycle.

    Args:
        before: parts before its machine, in order.
        behind: parts behind its motors, in order.
        stops: events that stop the task.
        tells: events that are only told.
        late: events that are heard a cycle later.
        asks: what is asked of constrained dynamics for them.
    """

    _: KW_ONLY
    before: Sequence[Part] = ()
    behind: Sequence[Part] = ()
    stops: Sequence[str] = ()
    tells: Sequence[str] = ()
    late: Sequence[str] = ()
    asks: Sequence[str] = ()

    def __add__(self, other: "Guards") -> "Guards":
        both = {one.name: (*getattr(self, one.name), *getattr(other, one.name)) for one in fields(self)}
        return Guards(**both)


def names_of(monitors: Any) -> tuple[str, ...]:
    """Monitors by name: "all", "none", or some.

    >>> names_of(["too_fast"])
    ('too_fast',)
    """
    if isinstance(monitors, str):
        return MONITORS if checked.one_of("lazy: monitors", monitors, ("all", "none")) == "all" else ()
    names = checked.names("lazy: monitors", monitors, f'say "all", "none", or name some of {", ".join(MONITORS)}')
    for name in names:
        if name not in MONITORS:
            raise Error(f"lazy: monitors: there is no {name!r}{suggestion(name, MONITORS)}")
    return tuple(name for name in MONITORS if name in names)


def understood_monitors(what: str, given: Any) -> str | tuple[str, ...]:
    """Monitors as somebody says them, refused where there are none of that name."""
    names = names_of(given)
    return given if isinstance(given, str) else names


def guards_of(
    robot: Robot, monitors: Any, dt: float, delay: int, stop: Stop, rows: Sequence[str], limits: Sequence[float]
) -> Guards:
    """The safety monitors of a cycle.

    Args:
        robot: the robot.
        monitors: by name.
        dt: seconds a cycle.
        delay: cycles until motors act.
        stop: how it is stopped.
        rows: directions of the task.
        limits: what motors can make at most.
    """
    names = names_of(monitors)
    if names and robot.nq != robot.nv:
        raise Error(f"lazy: monitors: some joint of {robot.name} has no single position; say monitors='none'")
    most = [FULL * limit for limit in limits]
    rates = [float(limit) for limit in robot.limits.velocity]
    made: Mapping[str, Any] = {
        "sensor_lost": lambda: Sound("sensor_lost", (q_port(robot),), (v_port(robot),)),
        "late": lambda: Late("late", LATE * dt),
        "joint_limit": lambda: _braking(robot, (delay + 1) * dt + SURE["joint_limit"], stop),
        "too_fast": lambda: Bounds("too_fast", "v", rates, unit="rad/s, m/s"),
        "overload": lambda: Bounds("overload", "tau_made", most, held=OVERLOADED, dt=dt, unit="N m, N"),
        "ill_conditioned": lambda: Coupling("ill_conditioned", [HEAVY[row in TURNS] for row in rows]),
    }
    there = {"too_fast": np.any(np.isfinite(rates)), "overload": np.any(np.isfinite(most))}
    chosen = [name for name in names if there.get(name, True)]
    before, behind = ([made[name]() for name in chosen if name in group and name in made] for group in (BEFORE, BEHIND))
    asks = ["coupling"] if "ill_conditioned" in chosen else []
    return Guards(
        before=before, behind=behind, stops=chosen, late=[name for name in chosen if name in BEHIND], asks=asks
    )


def _braking(robot: Robot, react: float, stop: Stop) -> Braking:
    """Limits that joints stop before: dampers of the stop policy act like a delay of m/D, for the heaviest posture."""
    lower, upper = robot.reach
    damping = scaled(robot, "lazy: stop: damping", stop.damping, DAMPING)
    inertia, weigh = np.zeros(robot.nv), mass_matrix(robot)
    rng = np.random.default_rng(0)
    for _ in range(POSTURES):
        inertia = np.maximum(inertia, np.diag(weigh.run(robot.random(rng))))
    slowest = float(np.max(inertia / damping))
    brakes = (scaled(robot, "lazy: stop", None, 1.0) / inertia).tolist()
    still = [0.0] * robot.nv
    return Braking("joint_limit", lower.tolist(), upper.tolist(), brakes, react + slowest, meanwhile=still)


# ---------------------------------------------------------------- those that a task names


@dataclass(frozen=True)
class Feeling(Part):
    """The force of a measured wrench (n; f); nothing where nobody measures."""

    wrench: Port

    @property
    def called(self) -> str:
        return "feel"

    @property
    def equation(self) -> str:
        return "felt = f"

    @property
    def inputs(self) -> Sequence[Port]:
        return (self.wrench,)

    @property
    def outputs(self) -> Sequence[Port]:
        return (Port("felt", (3,), "N", "measured force, in axes of its frame"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"felt": given[self.wrench.name][3:]}


def touched(most: Sequence[float], noise: float, wrench: Port) -> Guards:
    """The event `contact` of a task: a measured force beyond what it allows; noise is the sensor's deviation (N)."""
    contact = Bounds("contact", "felt", most[3:], sigma=noise, unit="N")
    return Guards(before=(Feeling(wrench), contact))


@dataclass(frozen=True)
class Gauge(Part):
    """One number of a signal: its length, or the largest of its entries as shares of their limits."""

    signal: str
    source: Port
    entries: slice
    limits: Sequence[float] = ()

    @property
    def called(self) -> str:
        return f"gauge_{self.signal}"

    @property
    def equation(self) -> str:
        said = f"max |{self.source.name}| / limit" if self.limits else f"|{self.source.name}|"
        return f"{self.signal}_now = {said}"

    @property
    def inputs(self) -> Sequence[Port]:
        return (self.source,)

    @property
    def outputs(self) -> Sequence[Port]:
        return (Port(f"{self.signal}_now", (), "various", f"{self.signal}, as it is watched"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        entries = list(np.ravel(given[self.source.name])[self.entries])
        if not self.limits:
            found: Any = entries[0] if len(entries) == 1 else square_root(square(entries))
        else:
            known = [(e, most) for e, most in zip(entries, self.limits, strict=True) if np.isfinite(most)]
            shares = [magnitude(entry) * (1.0 / most) for entry, most in known]
            found = shares[0]
            for share in shares[1:]:
                found = found.maximum(share)
        return {f"{self.signal}_now": found}


def watched(monitors: Sequence[bands.Monitor], robot: Robot, limits: Sequence[float], wrench: Port) -> Guards:
    """The monitors that a task names: a gauge and a threshold for each."""
    sources: Mapping[str, Any] = {
        "speed": (Port("velocity", (3,), "m/s", "of the tool wrt the task frame, in its axes"), slice(3)),
        "turning": (Port("spin", (3,), "rad/s", "how the tool turns wrt the task frame"), slice(3)),
        "force": (wrench, slice(3, 6)),
        "moment": (wrench, slice(3)),
        "torque": (tau_port(robot, "what motors are told", "tau_made"), slice(robot.nv), tuple(limits)),
        "joint_velocity": (v_port(robot), slice(robot.nv), tuple(map(float, robot.limits.velocity))),
        "conditioning": (Port("conditioning", (), "1", "of the rows"), slice(1)),
    }
    found = Guards()
    for one in monitors:
        gauge = Gauge(one.signal, *sources[one.signal])
        side = Threshold(one.event, f"{one.signal}_now", "above", one.above, LEAVE * one.above)
        behind = one.signal in ("torque", "conditioning")
        stops = one.then == "stop"
        found += Guards(
            before=() if behind else (gauge, side),
            behind=(gauge, side) if behind else (),
            stops=(one.event,) * stops,
            tells=(one.event,) * (not stops),
            late=(one.event,) * behind,
            asks=("conditioning",) * (one.signal == "conditioning"),
        )
    return found
