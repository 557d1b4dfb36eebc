"""Where is a tool in its task frame, and where will it be? Kinematics, task frame and prediction, on relations.

    position, velocity     of the tool wrt T, in T's axes
    ahead                  what will be missing along x, y, z after the horizon: -(r + ṙ t_p)
    turn                   rotation vector that turns the tool into T, in T's axes, |turn| ≤ π
    turn_ahead             the same after the horizon, R_ahead = R exp(ω t_p), ω in the tool's axes
    facing, facing_ahead   the tool's x axis along x and y of T, now and then

(specs/lazy-control.md §2.10, §2.11: a constant twist, linear and angular motion apart.)
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

from motionc.computations.making import computes
from motionc.geometry import Displacement, Duration, Pose, RowError, RowTwist, Twist
from motionc.geometry.coordinates import Coordinates, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, q_port, v_port
from motionc.solvers.constraint import Constraint, resolve_constraints
from motionc.solvers.rows import Constraints
from motionc.solvers.schedules import TWISTS
from motionc.solvers.steps.rows import Constrained, Hold, constrain, no_rows
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph

# ---------------------------------------------------------------- quantities


@dataclass(frozen=True, slots=True, eq=False)
class Horizon:
    """How far ahead is looked."""

    duration: Duration = field(default_factory=Duration)


class Looking(Constrained):
    """What is seen of the tool: where it is wrt the task frame, how it moves, and what will be missing."""

    seen_pose = Slot(Pose, "none")
    seen_rates = Slot(RowTwist, "none")
    ahead = Slot(RowError, "none")
    seen_spin = Slot(Twist, "none")
    ahead_pose = Slot(Pose, "none")
    turn = Slot(Displacement, "none")
    turn_ahead = Slot(Displacement, "none")


SEEN: Mapping[str, Callable[[StateGraph[Looking]], Coordinates]] = {
    "position": lambda graph: graph.world.seen_pose.position.xyz,
    "velocity": lambda graph: graph.world.seen_rates.values,
    "ahead": lambda graph: graph.world.ahead.values,
    "turn": lambda graph: graph.world.turn.angular,
    "turn_ahead": lambda graph: graph.world.turn_ahead.angular,
    "spin": lambda graph: graph.world.seen_spin.angular,
    "facing": lambda graph: graph.world.seen_pose.orientation.matrix[:2, :1],
    "facing_ahead": lambda graph: graph.world.ahead_pose.orientation.matrix[:2, :1],
}
"""What is read off it."""


# ---------------------------------------------------------------- operations


@operation(
    ROOT,
    needs=["held_rows", "world_pose", "twist"],
    gives=["seen_pose", "seen_rates", "ahead"],
    equation="ahead = -(r + r' t)",
)
def look(graph: StateGraph[Looking], problem: Problem) -> None:
    hold, world = _tool(graph), graph.world
    world.seen_pose, world.seen_rates = hold.seen_pose(graph), hold.moving(graph)
    missing = _missing(world.seen_pose).along(hold.spec.basis())
    world.ahead = missing.after(world.seen_rates, problem[Horizon].duration)


@operation(
    ROOT,
    needs=["held_rows", "world_pose", "twist", "seen_pose"],
    gives=["seen_spin", "ahead_pose", "turn", "turn_ahead"],
    equation="turn_ahead = log((R exp(w t))^T)",
)
def look_round(graph: StateGraph[Looking], problem: Problem) -> None:
    world = graph.world
    world.seen_spin = replace(_tool(graph).seen_twist(graph), linear=zeros(3, 1))
    world.ahead_pose = world.seen_pose.after(world.seen_spin, problem[Horizon].duration)
    world.turn, world.turn_ahead = _missing(world.seen_pose), _missing(world.ahead_pose)


def _tool(graph: StateGraph[Looking]) -> Hold:
    (hold,) = graph.world.held_rows
    assert isinstance(hold, Hold)
    return hold


def _missing(now: Pose) -> Displacement:
    """From where a frame is to that with respect to which this is told."""
    return Displacement.between(now, Pose.between(now.of, now.wrt))


LOOK = TWISTS + sweep(no_rows) + sweep(constrain, look)
LOOK_ROUND = TWISTS + sweep(no_rows) + sweep(constrain, look, look_round)


# ---------------------------------------------------------------- the computation


@dataclass(frozen=True)
class LookAhead(Question):
    """Where the tool is and how it moves as seen by a task frame that is given with each call, now and later.

    Args:
        robot: the robot.
        tool: its frame that moves.
        frame: the task frame, an input (4, 4).
        wrt: with respect to which that is given.
        horizon: how far it looks ahead (s).
        turns: whether all of its orientation matters.
        faces: whether it matters where its x axis points, about z of the task frame.
        spins: whether it is told how the tool turns.
        precision: "double", or "single".
    """

    called: ClassVar[str] = "look"

    tool: str
    frame: str
    wrt: str
    horizon: float
    _: KW_ONLY
    turns: bool = False
    faces: bool = False
    spins: bool = False
    precision: Precision = "double"

    @property
    def given_frames(self) -> Mapping[str, str]:
        return {self.frame: self.wrt}

    def solver(self, robot: Robot) -> Solver:
        rows = Constraint(self.tool, "xyz", wrt=self.frame, as_seen_by=self.frame)

        def question(mechanism: Mechanism) -> Problem:
            asked = Constraints(resolve_constraints(mechanism, [rows]))
            return Problem({}, options=(asked, Horizon(Duration.of(self.horizon, "s"))))

        of, then = f"of {self.tool} wrt {self.frame}, in axes of {self.frame}", f"in {self.horizon:g} s"
        ports = {
            "position": Port("position", (3,), "m", of),
            "velocity": Port("velocity", (3,), "m/s", of),
            "ahead": Port("ahead", (3,), "m", f"what {self.tool} will miss of {self.frame} {then}, in its axes"),
        }
        if self.turns:
            what = f"rotation vector from {self.tool} to {self.frame}, in axes of {self.frame}"
            ports["turn"] = Port("turn", (3,), "rad", what)
            ports["turn_ahead"] = Port("turn_ahead", (3,), "rad", f"the same {then}")
        if self.faces:
            what = f"x axis of {self.tool} along x and y of {self.frame}"
            ports["facing"] = Port("facing", (2,), "1", what)
            ports["facing_ahead"] = Port("facing_ahead", (2,), "1", f"the same {then}")
        if self.spins:
            meaning = f"how {self.tool} turns wrt {self.frame}, in its own axes"
            ports["spin"] = Port("spin", (3,), "rad/s", meaning)
        return Solver(
            self.called,
            "r and log(R^T) of the tool, now and ahead",
            robot,
            LOOK_ROUND if self.turns or self.faces or self.spins else LOOK,
            (q_port(robot), v_port(robot)),
            tuple(ports.values()),
            question,
            {name: SEEN[name] for name in ports},
            options=self,
        )


looking = computes(LookAhead)
