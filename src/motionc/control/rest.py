"""What do joints do that no task asks for anything? Rest policies: the motor forces beside a task, q, v, g → tau.

    float     tau = g - D v                     what rows leave free stays where it is, and comes to rest
    fall      tau = - D v                       gravity has it; nothing is damped unless said
    posture   tau = g + K (posture - q) - D v   some joints are drawn to places, the others float
    all       + k (nearest - q)                 springs before limits, nearest = q kept a margin within them

Fed to constrained dynamics as its tau they change no row that is asked for. Without a policy Gauss' principle lets an
elbow drop through its limits (specs/lazy-control.md, corrections).
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np

from motionc import checked
from motionc.computations.block import block
from motionc.computations.making import made_of
from motionc.computations.wired import wired
from motionc.control.bearing import borne, shares
from motionc.control.efforts import checked_robot, driven_joints, scaled
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import checked_gravity, q_port, tau_port, v_port
from motionc.solvers.gains import Gains, gains_in_order, understood_gains
from motionc.solvers.gravity_forces import GravityForces
from motionc.sweeps.problem import STANDARD_GRAVITY

Array = np.ndarray[Any, np.dtype[np.float64]]
DAMPING, STIFFNESS = 0.03, 0.3
"""Of a joint's largest effort: per rad/s or m/s, and per rad or m, unless somebody says otherwise."""


@dataclass(frozen=True)
class LimitSprings:
    """Springs that joints meet before their limits, and beyond them.

    A joint that starts on its limit is drawn away from it: `share` of its effort at the limit, nothing a margin before.

    Args:
        margin: where a spring begins, before a limit (rad, m).
        share: of a joint's largest effort, what the spring makes at the limit.
        stiffness: of the springs (N m/rad, N/m) instead, where a robot says no effort, or for other reasons.
    """

    margin: float = 0.1
    share: float = 0.05
    _: KW_ONLY
    stiffness: Gains | None = None

    def __post_init__(self) -> None:
        for what in ("margin", "share"):
            number = checked.number(
                f"LimitSprings: {what}", getattr(self, what), "give a number > 0", fits=lambda x: x > 0
            )
            object.__setattr__(self, what, number)
        if self.stiffness is not None:
            understood_gains("LimitSprings: stiffness", self.stiffness)


@dataclass(frozen=True)
class Rest:
    """A rest policy: what motors make for joints beside a task.

    >>> import motionc as mc
    >>> robot = mc.load("lwr4")
    >>> rest = Rest("float").computation(robot)
    >>> q, v = robot.neutral(), np.array([1.0, 0, 0, 0, 0, 0, 0])
    >>> q[0] = robot.limits.upper[0]
    >>> (rest(q, v) - mc.gravity_forces(robot)(q)).round(9)[:2]
    array([-14.08,   0.  ])

    Args:
        policy: "float", "fall", or a posture, {joint: position}: joints that are not named float.
        damping: D (N m s/rad, N s/m): one number for all joints with a motor, {joint: number}, or numbers in the order
            of v; 3 % of the largest effort per rad/s unless said, none of what falls.
        stiffness: K of a posture (N m/rad, N/m), likewise; 30 % of the largest effort per rad unless said.
        springs: before limits; None for none.
        gravity: acceleration of free fall in world axes (m/s²), for those that hold the weight.
    """

    policy: str | Mapping[str, float] = "float"
    _: KW_ONLY
    damping: Gains | None = None
    stiffness: Gains | None = None
    springs: LimitSprings | None = LimitSprings()
    gravity: Sequence[float] = STANDARD_GRAVITY

    def __post_init__(self) -> None:
        if isinstance(self.policy, Mapping):
            if not self.policy:
                raise Error("Rest: policy names no joint; say 'float' where none is to be drawn anywhere")
            for name, place in self.policy.items():
                checked.number(f"Rest: policy: {checked.name('Rest: policy', name)}", place, "give a position (rad, m)")
        else:
            checked.one_of("Rest: policy", self.policy, ("float", "fall"))
        for what in ("damping", "stiffness"):
            if getattr(self, what) is not None:
                understood_gains(f"Rest: {what}", getattr(self, what))
        object.__setattr__(self, "gravity", checked_gravity("Rest: gravity", self.gravity))
        if self.springs is not None:
            checked.instance("Rest: springs", self.springs, LimitSprings, "give LimitSprings(…), or None")

    @property
    def holds_weight(self) -> bool:
        """Whether motors carry the robot: all but what falls."""
        return self.policy != "fall"

    @property
    def equation(self) -> str:
        """What it makes, in a line."""
        weight, pull = "g - " * self.holds_weight or "-", " + K (posture - q)" * isinstance(self.policy, Mapping)
        springs = " + k (nearest - q)" * (self.springs is not None)
        return f"tau = {weight}D v{pull}{springs}"

    def borne_by(self, robot: Robot, held: float) -> Self:
        """The same with numbers for what nobody said: shares of efforts, and no more than joints bear.

        >>> import motionc as mc
        >>> robot = mc.load("ur5")
        >>> usual, borne = 0.03 * robot.limits.effort[-1], Rest().borne_by(robot, 2 / 630).damping[-1]
        >>> print(f"{usual:.3g}, {borne:.2g}")
        0.84, 0.02

        Args:
            robot: the robot.
            held: seconds from a measurement until what it made ends: the delay, and a tick.
        """
        checked.number("Rest: held", held, "give seconds > 0", fits=lambda time: time > 0)
        damper, spring = borne(checked_robot("Rest: robot", robot), held)
        said = dict[str, Any]()
        if self.damping is None and self.holds_weight:
            said["damping"] = shares(robot, "Rest: damping", DAMPING, damper)
        if self.stiffness is None and isinstance(self.policy, Mapping):
            said["stiffness"] = shares(robot, "Rest: stiffness", STIFFNESS, spring)
        if self.springs is not None and self.springs.stiffness is None and (limited := _limited(robot)):
            share = self.springs.share / self.springs.margin
            stiffness = shares(robot, "LimitSprings: stiffness", share, spring, limited)
            said["springs"] = replace(self.springs, stiffness=stiffness)
        return replace(self, **said)

    def law(self, robot: Robot, name: str = "rest", *, precision: Precision = "double") -> Computation:
        """What it makes, from q, v and the weight g where it holds that: to be wired behind gravity that others need.

        Args:
            robot: the robot.
            name: of the function in emitted code.
            precision: "double", or "single" for float32 arrays.
        """
        driven, coordinates = driven_joints(checked_robot("Rest: robot", robot)), coordinates_of(robot)
        damping, posture, near = self._damping(robot), self._posture(robot), self._near(robot)
        weight: list[Port] = [tau_port(robot, "what holds the robot's weight", "g")] * self.holds_weight

        def make(q: Any, v: Any, *held: Any) -> dict[str, Any]:
            tau: list[Any] = [0.0] * robot.nv
            for k in driven:
                tau[k] = (held[0][k] if held else 0.0) - damping[k] * v[k]
                if k in posture:
                    place, spring = posture[k]
                    tau[k] = tau[k] + spring * (place - q[coordinates[k]])
                if k in near:
                    least, most, spring = near[k]
                    here = q[coordinates[k]]
                    tau[k] = tau[k] + spring * (here.maximum(least).minimum(most) - here)
            return {"tau": tau}

        made = [tau_port(robot, "what motors make beside a task")]
        return block(
            name, make, [q_port(robot), v_port(robot), *weight], made, equation=self.equation, precision=precision
        )

    def computation(self, robot: Robot, name: str = "rest", *, precision: Precision = "double") -> Computation:
        """What it makes, from q and v alone; arguments as of `law`."""
        law = self.law(robot, "law" if self.holds_weight else name, precision=precision)
        if not self.holds_weight:
            return law
        weight = made_of(robot, GravityForces(gravity=self.gravity, precision=precision))
        return wired({"weight": weight, "law": law}, name=name, outputs=["law.tau"])

    def _damping(self, robot: Robot) -> Array:
        if self.damping is None and not self.holds_weight:
            return np.zeros(robot.nv)
        return scaled(robot, "Rest: damping", self.damping, DAMPING)

    def _posture(self, robot: Robot) -> dict[int, tuple[float, float]]:
        """Where joints are drawn, and how stiffly, by place in v."""
        if not isinstance(self.policy, Mapping):
            return {}
        coordinates, driven = coordinates_of(robot), driven_joints(robot)
        stiffness = scaled(robot, "Rest: stiffness", self.stiffness, STIFFNESS)
        drawn = dict[int, tuple[float, float]]()
        for name, place in self.policy.items():
            gains_in_order(robot, "Rest: policy", {name: 1.0})
            k = robot.v_index[name].start
            if k not in coordinates or robot.v_index[name].stop != k + 1:
                raise Error(f"Rest: policy: {name} has no single position; draw joints that have one, others float")
            if k in driven:
                drawn[k] = float(place), float(stiffness[k])
        return drawn

    def _near(self, robot: Robot) -> dict[int, tuple[float, float, float]]:
        """Between which positions no spring pushes, and how stiff springs are, by place in v."""
        if self.springs is None:
            return {}
        lower, upper = robot.reach
        limited = _limited(robot)
        margin, share = self.springs.margin, self.springs.share
        if not limited:
            return {}
        stiffness = scaled(robot, "LimitSprings: stiffness", self.springs.stiffness, share / margin, among=limited)
        for k in limited:
            if not upper[k] - lower[k] > 2 * margin:
                raise Error(
                    f"LimitSprings: margin: {robot.limits.names[k]} moves between {lower[k]:g} and {upper[k]:g}, less "
                    f"than two margins of {margin:g}; take a smaller one"
                )
        return {k: (float(lower[k] + margin), float(upper[k] - margin), float(stiffness[k])) for k in limited}


def _limited(robot: Robot) -> list[int]:
    """Places in v of what motors drive between limits."""
    lower, upper = robot.reach
    return [k for k in driven_joints(robot) if np.isfinite(lower[k]) or np.isfinite(upper[k])]


def coordinates_of(robot: Robot) -> dict[int, int]:
    """Of entries of v that are rates of one entry of q, which that is."""
    return {
        space.v.start + rate: space.q.start + place
        for space in robot.spaces()
        for place, rate in enumerate(space.type.bounds)
        if rate is not None
    }
