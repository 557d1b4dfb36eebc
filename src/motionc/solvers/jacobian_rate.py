"""The rate of a frame Jacobian while the robot moves: (ω̇; p̈) = J a + J̇ v.

    outward   Ṡ_i = V_i × S_i at the point, plus s_i × its velocity, since the point moves along,
              and S̊_i at the point where S depends on q
    root      - ω_o × J for an observer o that turns

Axes are turned to `as_seen_by` at this instant and not differentiated, as everywhere (design §3, constraints).
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry import WORLD, WORLD_FRAME, MotionBasisRate, Twist
from motionc.geometry.coordinates import Coordinates, column, zeros
from motionc.geometry.meaning import as_meant
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, chosen, q_port, v_port
from motionc.solvers.frame_arguments import Framed, as_twist
from motionc.solvers.frame_motion import MOTION, Observed, classical, view_of
from motionc.solvers.jacobian import Aim, Columns, Jacobian, aim, columns, motion_in_words, seen_in
from motionc.sweeps.frames import Views
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class ColumnRates(Columns, Observed):
    """How bodies move where the point of interest is, and how the columns of its Jacobian change."""

    twist_at_point = Slot(Twist, "body")
    point_twist = Slot(Twist, "none")
    jacobian_rate = Slot(MotionBasisRate, "body")


@operation(ROOT, needs=["target"], gives=["twist_at_point"])
def world_passes(graph: StateGraph[ColumnRates], problem: Problem) -> None:
    still = column((0, 0, 0))
    graph.world.twist_at_point = Twist(WORLD, WORLD, graph.world.target.of, WORLD_FRAME, still, still)


@operation(OUTWARD, needs=["world_pose", "twist", "target"], gives=["twist_at_point"])
def pass_by(joint: JointView, parent: ColumnRates, child: ColumnRates) -> None:
    """How each body moves where the point of interest is."""
    reach = child.world_pose.position.inverse().compose(child.target)
    child.twist_at_point = child.twist.change_frame(child.world_pose.orientation).change_point(reach)


@operation(ROOT, needs=["target", "twist_at_point"], gives=["point_twist", "jacobian_rate"])
def follow(graph: StateGraph[ColumnRates], problem: Problem) -> None:
    """The point's own motion; a Jacobian of the world itself has no columns."""
    none = zeros(3, 0)
    graph.world.point_twist = graph[problem[Aim].target.body].twist_at_point
    graph.world.jacobian_rate = MotionBasisRate(WORLD, WORLD, graph.world.target.of, WORLD_FRAME, none, none)


@operation(
    OUTWARD,
    needs=["world_pose", "target", "twist_at_point", "point_twist", "jacobian_rate"],
    gives=["point_twist", "jacobian_rate"],
)
def column_rates(joint: JointView, parent: ColumnRates, child: ColumnRates) -> None:
    child.point_twist = parent.point_twist
    reach = child.world_pose.position.inverse().compose(child.target)
    column = joint.basis.change_frame(child.world_pose.orientation).change_point(reach)
    rate = column.rate(child.twist_at_point, child.point_twist)
    if (own := joint.basis_rate) is not None:
        own = own.change_frame(child.world_pose.orientation).change_point(reach)
        as_meant(own, "rate of directions", point=rate.point, as_seen_by=rate.as_seen_by)
        rate = rate.shifted(own.angular, own.linear)
    child.jacobian_rate = parent.jacobian_rate.compose(rate)


JACOBIAN_RATE = Schedule(
    "jacobian_rate",
    (*MOTION, sweep(aim), sweep(columns), sweep(world_passes), sweep(pass_by), sweep(follow), sweep(column_rates)),
)


@dataclass(frozen=True)
class JacobianRate(Question):
    """The rate J̇ of a frame's Jacobian: acceleration (ω̇; p̈) = J(q) a + J̇(q, v) v.

    Derivatives are taken in wrt's body; the axes of as_seen_by are turned to at this instant and not differentiated.

    Args:
        robot: the robot.
        frame: whose body's motion; a Target or a Constraint says wrt, point and as_seen_by for itself.
        wrt: relative to which frame's body, which may move.
        point: where p is, in frame coordinates (m); it moves with the frame's body.
        as_seen_by: whose axes the rows are written in.
        outputs: J_dot (6, nv) and bias, J̇ v (6), which is much cheaper.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "jacobian_rate"

    frame: Framed
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    _: KW_ONLY
    outputs: Sequence[str] = ("J_dot", "bias")
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        beside = {"wrt": self.wrt, "point": self.point, "as_seen_by": self.as_seen_by}
        of = as_twist(f"{self.called}: frame", self.frame, **beside)
        Jacobian(of).solver(robot)
        said = motion_in_words(of.frame, of.wrt, of.point, of.as_seen_by)
        ports = {
            "J_dot": Port("J_dot", (6, robot.nv), "1/s, m/s", f"rate of the Jacobian of {said}"),
            "bias": Port("bias", (6,), "rad/s², m/s²", f"J_dot v, acceleration without that of joints, of {said}"),
        }

        def question(mechanism: Mechanism) -> Problem:
            view = view_of(mechanism, "jacobian_rate", of.frame, of.wrt, of.point, of.as_seen_by)
            return Problem({}, options=(Aim(view.of), Views((view,))), constants={"a": zeros(robot.nv, 1)})

        def matrix(graph: StateGraph[ColumnRates]) -> Coordinates:
            view = question(graph.mechanism)[Views][0]
            own, base = graph[view.of.body], graph[view.wrt.body]
            moved = base.jacobian.inverse().compose(own.jacobian)
            rate = base.jacobian_rate.inverse().compose(own.jacobian_rate).observed_from(base.twist_at_point, moved)
            return seen_in(graph, rate, view.axes, view.of)

        return Solver(
            self.called,
            "(omega_dot; p_ddot) = J(q) a + J_dot(q, v) v",
            robot,
            JACOBIAN_RATE,
            (q_port(robot), v_port(robot)),
            chosen("jacobian_rate", self.outputs, ports),
            question,
            {"J_dot": matrix, "bias": lambda graph: classical(graph.world.observations[0])},
            options=self,
        )
