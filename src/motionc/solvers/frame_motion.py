"""The motion of frames: twists and accelerations of any point, as any observer sees them (specs/motion-stack.md §2.8).

outward   V_i+1 = T V_i + S q̇            A_i+1 = T A_i + bias + S q̈
root      V - V_o,  A - A_o - 2 ω_o × v   for an observer o that may move itself
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from motionc import checked
from motionc.geometry import ObservedAcceleration, Twist
from motionc.geometry.coordinates import Coordinates, above, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers import relations
from motionc.solvers.arguments import Question, a_port, chosen, q_port, v_port
from motionc.solvers.constraint import FRAME
from motionc.solvers.frame_arguments import Frames, as_twists, listed
from motionc.solvers.jacobian import motion_in_words
from motionc.solvers.steps.motion import (
    Motion,
    accelerations,
    poses,
    turn,
    twists,
    world_at_origin,
    world_at_rest,
    world_poses,
    world_stands_still,
)
from motionc.solvers.target import Target
from motionc.sweeps.frames import View, Views, attached
from motionc.sweeps.options import Check
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """How an observer sees a frame move."""

    twist: Twist
    acceleration: ObservedAcceleration


class Sights(tuple[Sight, ...]):
    """One for each frame that is observed, in order."""


class Observed(Motion):
    """What observers see."""

    observations = Slot(Sights, "none")


@operation(ROOT, needs=["world_pose", "twist", "classical_acceleration"], gives=["observations"])
def observe(graph: StateGraph[Observed], problem: Problem) -> None:
    """Motion of each frame's point and of the observer's body at the same place; then one as seen from the other."""
    sights: list[Sight] = []
    for view in problem[Views]:
        own, other = graph[view.of.body], graph[view.wrt.body]
        to_axes = turn(graph, view.axes, own).inverse()
        V = own.twist.change_point(view.of.pose.position).change_frame(to_axes)
        A = own.classical_acceleration.change_point(view.of.pose.position, own.twist).change_frame(to_axes)

        # the observer's body, where the frame's point is
        place = own.world_pose.compose(view.of.pose).position
        way = other.world_pose.position.inverse().compose(place).change_frame(other.world_pose.orientation.inverse())
        to_axes = turn(graph, view.axes, other).inverse()
        V_o = other.twist.change_point(way).change_frame(to_axes)
        A_o = other.classical_acceleration.change_point(way, other.twist).change_frame(to_axes)

        relative = V_o.inverse().compose(V)
        sights.append(Sight(relative, A.observed_from(A_o, V_o, relative)))
    graph.world.observations = Sights(sights)


MOTION = (
    sweep(world_at_origin, world_at_rest, world_stands_still),
    sweep(poses, world_poses, twists, accelerations),
    sweep(observe),
)


FRAME_MOTION = Schedule("frame_motion", MOTION)


@dataclass(frozen=True)
class FrameMotion(Question):
    """The motion of frames: twists and accelerations, as an observer on wrt's body sees them.

    `twist` is (ω; v) of the point, `classical` (ω̇; p̈), `spatial` (ω̇; p̈ - ω × v). Derivatives are taken in wrt's
    body, which may move; the axes of as_seen_by are turned to at this instant and not differentiated.

    Args:
        robot: the robot.
        frames: name of a frame or several, in the order of the outputs; a Target or a Constraint says wrt, point and
            as_seen_by for itself.
        wrt: the frame whose body observes.
        point: where v and p are, in the coordinates of each frame (m); it moves with the frame's body.
        as_seen_by: whose axes all six-vectors are written in; "" for each frame's own.
        outputs: which of twist, classical, spatial to compute, (k, 6) each; without accelerations there is no input a.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "frame_motion"

    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "as_seen_by": lambda what, given: checked.name(what, given, FRAME, empty=True),
    }

    frames: Frames
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    _: KW_ONLY
    outputs: Sequence[str] = ("twist", "classical", "spatial")
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        beside = {"wrt": self.wrt, "point": self.point, "as_seen_by": self.as_seen_by}
        asked = as_twists(f"{self.called}: frames", self.frames, **beside)
        said = "; ".join(motion_in_words(one.frame, one.wrt, one.point, one.as_seen_by) for one in asked)
        if all(isinstance(one, str) for one in listed(self.frames)):
            names = ", ".join(one.frame for one in asked)
            said = motion_in_words(names, self.wrt, self.point, self.as_seen_by or "itself")
        shape = (len(asked), 6)
        ports = {
            "twist": _port("twist", shape, "rad/s, m/s", f"twists of {said}", asked),
            "classical": _port("classical", shape, "rad/s², m/s²", f"classical accelerations of {said}", asked),
            "spatial": _port("spatial", shape, "rad/s², m/s²", f"spatial accelerations of {said}", asked),
        }
        outputs = chosen("frame_motion", self.outputs, ports)
        velocities = all(port.name == "twist" for port in outputs)

        def question(mechanism: Mechanism) -> Problem:
            views = Views(
                view_of(mechanism, "frame_motion", one.frame, one.wrt, one.point, one.as_seen_by) for one in asked
            )
            return Problem({}, options=(views,), constants={"a": zeros(robot.nv, 1)} if velocities else {})

        def read(graph: StateGraph[Observed], part: Any) -> Coordinates:
            return above(zeros(0, 6), *(part(sight).T for sight in graph.world.observations))

        question(robot.mechanism)
        return Solver(
            self.called,
            "V = J v,  (omega_dot; p_ddot) = J a + J_dot v",
            robot,
            FRAME_MOTION,
            (q_port(robot), v_port(robot), *(() if velocities else (a_port(robot),))),
            outputs,
            question,
            {
                "twist": lambda graph: read(graph, _twist),
                "classical": lambda graph: read(graph, classical),
                "spatial": lambda graph: read(graph, _spatial),
            },
            options=self,
        )


# ---------------------------------------------------------------- what is seen


def view_of(mechanism: Mechanism, what: str, frame: str, wrt: str, point: Sequence[float], as_seen_by: str) -> View:
    of = attached(mechanism, frame, what, point)
    return View(of, attached(mechanism, wrt, f"{what}, wrt"), attached(mechanism, as_seen_by, f"{what}, as_seen_by"))


def _twist(sight: Sight) -> Coordinates:
    return above(sight.twist.angular, sight.twist.linear)


def classical(sight: Sight) -> Coordinates:
    seen = sight.acceleration
    return above(seen.angular, seen.linear)


def _spatial(sight: Sight) -> Coordinates:
    linear = sight.acceleration.spatial_linear(sight.twist)
    return above(sight.acceleration.angular, linear)


def _port(kind: str, shape: tuple[int, ...], unit: str, meaning: str, asked: Sequence[Target]) -> Port:
    quantity = kind if kind == "twist" else f"{kind} acceleration"
    return Port(kind, shape, unit, meaning, relation=relations.of_motion(quantity, asked))
