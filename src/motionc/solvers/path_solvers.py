"""Between two frames anywhere on a robot, by way of the joints between them and no others (specs/robcogen.md §2.4–2.7).

    base_X_target = Π X_k(±q_k)        J_k = ±S_k at the target's origin, in the base's axes

Joints on the way up from the base count backwards. What lies between both frames and the root does not matter.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import takewhile
from typing import ClassVar

from motionc.geometry import MotionBasis, Pose
from motionc.geometry.coordinates import Coordinates, above, beside, cross, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, chosen, q_port
from motionc.solvers.steps.motion import poses
from motionc.sweeps.frames import Attached, attached
from motionc.sweeps.problem import Setting
from motionc.sweeps.schedule import Schedule, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph, in_order_of_v

POSES = Schedule("poses", (sweep(poses),))

REPRESENTATIONS = ("homogeneous", "motion", "force")


@dataclass(frozen=True)
class Transform(Question):
    """From the coordinates of one frame to those of another, in three representations.

    `homogeneous` [R p; 0 1] maps points of the target frame into the base frame, `motion` [R 0; p×R R] twists (ω; v),
    `force` [R p×R; 0 R] wrenches (n; f), each taken at the origin of the frame in whose axes it is written.

    Args:
        robot: the robot.
        base: the frame into which is mapped.
        target: the frame from which is mapped.
        outputs: which of homogeneous (4, 4), motion (6, 6), force (6, 6) to compute.
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "transform"

    base: str
    target: str
    _: KW_ONLY
    outputs: Sequence[str] = REPRESENTATIONS
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        said = f"from coordinates of {self.target} to those of {self.base}"
        ports = {
            "homogeneous": Port("homogeneous", (4, 4), "1, m", f"points {said}"),
            "motion": Port("motion", (6, 6), "1, m", f"twists (ω; v) {said}"),
            "force": Port("force", (6, 6), "1, m", f"wrenches (n; f) {said}"),
        }
        _ends(robot.mechanism, self.base, self.target, "transform")

        def pose(graph: StateGraph) -> Pose:
            return _between(graph, *_ends(graph.mechanism, self.base, self.target, "transform"))

        return Solver(
            self.called,
            "base_X_target = product of the joints' transforms on the way",
            robot,
            POSES,
            (q_port(robot),),
            chosen("transform", self.outputs, ports),
            lambda mechanism: Setting({}),
            {
                "homogeneous": lambda graph: pose(graph).matrix,
                "motion": lambda graph: _spatial(pose(graph), force=False),
                "force": lambda graph: _spatial(pose(graph), force=True),
            },
            options=self,
        )


@dataclass(frozen=True)
class PathJacobian(Question):
    """The Jacobian of a frame wrt another, with columns for the joints between them alone: (ω; v) = J(q) v[columns].

    Args:
        robot: the robot.
        base: wrt whose body, and in whose axes.
        target: whose body moves; v is that of its origin.
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "path_jacobian"

    base: str
    target: str
    _: KW_ONLY
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        columns = path_columns(robot, self.base, self.target)

        def matrix(graph: StateGraph) -> Coordinates:
            start, end = _ends(graph.mechanism, self.base, self.target, "path_jacobian")
            moved = _moved(graph, start, end)
            whole = in_order_of_v(graph, above(moved.angular, moved.linear), moved.joints)
            return beside(zeros(6, 0), *(whole[:, k : k + 1] for k in columns))

        names = [name for name, where in robot.v_index.items() for k in range(robot.nv)[where] if k in columns]
        said = f"rows rx ry rz x y z; columns {', '.join(names) or 'none'}"
        return Solver(
            self.called,
            "(omega; v) = J(q) v, column i = S_i at the target's origin",
            robot,
            POSES,
            (q_port(robot),),
            (
                Port(
                    "J",
                    (6, len(columns)),
                    "1, m",
                    f"motion of {self.target} wrt {self.base}, as seen by {self.base}; {said}",
                ),
            ),
            lambda mechanism: Setting({}),
            {"J": matrix},
            options=self,
        )


def path_columns(robot: Robot, base: str, target: str) -> tuple[int, ...]:
    """The entries of v that move one frame wrt the other."""
    start, end = _ends(robot.mechanism, base, target, "path_jacobian")
    up, down = _ways(robot.mechanism, start, end)
    bodies = robot.mechanism.bodies
    return tuple(sorted({k for index in (*up, *down) for k in range(robot.nv)[bodies[index].joint.v]}))


# ---------------------------------------------------------------- the way


def _ends(mechanism: Mechanism, base: str, target: str, what: str) -> tuple[Attached, Attached]:
    return attached(mechanism, base, f"{what}, base"), attached(mechanism, target, f"{what}, target")


def _ways(mechanism: Mechanism, base: Attached, target: Attached) -> tuple[list[int], list[int]]:
    """The bodies whose joints are climbed from the base to what both frames stand on, and descended from there."""
    up, down = mechanism.path(base.body), mechanism.path(target.body)
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(up, down, strict=False))))
    return up[shared:][::-1], down[shared:]


def _between(graph: StateGraph, base: Attached, target: Attached) -> Pose:
    """Of the target frame wrt the base frame."""
    up, down = _ways(graph.mechanism, base, target)
    pose = base.pose.inverse()
    for index in up:
        pose = pose.compose(graph[index].pose.inverse())
    for index in down:
        pose = pose.compose(graph[index].pose)
    return pose.compose(target.pose)


def _moved(graph: StateGraph, base: Attached, target: Attached) -> MotionBasis:
    """What the joints on the way do to the target, at its origin, as seen by the base frame."""
    up, down = _ways(graph.mechanism, base, target)
    own, axes, point = base.pose.wrt.body, base.pose.of, _between(graph, base, target).position
    moved = MotionBasis(own, own, target.pose.of.origin, axes, zeros(3, 0), zeros(3, 0))
    for index in (*up, *down):
        state = graph[index]
        pose = _between(graph, base, Attached(index, Pose.between(state.frame, state.frame)))
        basis = state.directions.change_frame(pose.orientation)
        column = basis.change_point(pose.position.inverse().compose(point))
        moved = moved.compose(column.inverse() if index in up else column)
    return moved


def _spatial(pose: Pose, *, force: bool) -> Coordinates:
    """[R 0; p×R R] for motions, [R p×R; 0 R] for forces."""
    R, p = pose.orientation.matrix, pose.position.xyz
    arm, nothing = cross(p, R), zeros(3, 3)
    return above(beside(R, arm), beside(nothing, R)) if force else above(beside(R, nothing), beside(arm, R))
