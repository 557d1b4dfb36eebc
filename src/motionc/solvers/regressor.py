"""The regressor: motor forces are linear in what links weigh, tau = Y(q, v, a) φ + rotors.

    outward   V, A of each link's own frame
    root      Y_l = Jᵀ_l [columns of F_l = Y φ_l], φ_l = (m, m c, I about the link's origin) in the link's axes

One block of ten columns for each link that moves and has a mass, by name as in the file: a link fixed to another has a
block of its own, at its own frame.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry.coordinates import above, beside, zeros
from motionc.geometry.regression import PARAMETERS, required_columns
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, a_port, q_port, v_port
from motionc.solvers.steps.articulated import Articulated, world_resists_gravity
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.pull import Pull
from motionc.sweeps.frames import Attached, View, Views, attached
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class Regressed(Articulated):
    """How motor forces depend on what links weigh."""

    regressor = Slot(object, "none")


def link_views(robot: Robot, mechanism: Mechanism) -> Views:
    links = [attached(mechanism, link.name, "regressor") for link in robot.weighing_links]
    return Views(View(link, Attached(), link) for link in links)


@operation(
    OUTWARD,
    needs=["pose", "twist", "acceleration"],
    gives=["acceleration"],
    equation="A_i = X A_p + V x S v_i + S a_i, spatial",
)
def accelerate_spatially(joint: JointView, parent: Regressed, child: Regressed) -> None:
    X, S = child.pose, joint.basis
    carried = parent.acceleration.change_point(X.position).change_frame(X.orientation.inverse())
    bias = joint.spatial_bias(child.twist)
    child.acceleration = carried.compose(bias).driven(S.times(joint.acceleration))


@operation(ROOT, needs=["world_pose", "directions", "twist", "acceleration"], gives=["regressor"])
def regress(graph: StateGraph[Regressed], problem: Problem) -> None:
    """What each joint feels of each number of each link."""
    blocks = [zeros(graph.mechanism.nv, 0)]
    for view in problem[Views]:
        link, state = view.of, graph[view.of.body]
        to_link = link.pose.orientation.inverse()
        V = state.twist.change_point(link.pose.position).change_frame(to_link)
        A = state.acceleration.change_point(link.pose.position).change_frame(to_link)
        Y = required_columns(A.to_classical(V), V)
        columns = above(Y.angular, Y.linear)
        blocks.append(Pull.of(graph, link, link).reach(columns))
    graph.world.regressor = beside(*blocks)


REGRESSOR = Schedule(
    "regressor",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity),
        sweep(poses, world_poses, twists, accelerate_spatially),
        sweep(regress),
    ),
)


@dataclass(frozen=True)
class Regressor(Question):
    """The regressor: motor forces are linear in inertial parameters, tau = Y(q, v, a) φ, and in rotors' inertia.

    φ, `robot.inertial_parameters()`, holds ten numbers for each link that moves and has a mass, in the order of
    robot.links: m, m c, and Ixx Ixy Ixz Iyy Iyz Izz about the link's origin in its own axes. A link fixed to another
    keeps a block of its own.

    Args:
        robot: the robot.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, "JOINT.origin" or "gravity" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "regressor"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        return Solver(
            self.called,
            "tau = Y(q, v, a) phi",
            robot,
            REGRESSOR,
            (q_port(robot), v_port(robot), a_port(robot)),
            (Port("Y", (robot.nv, 10 * len(robot.weighing_links)), "N m, N per unit of phi", in_words(robot)),),
            lambda mechanism: Problem({}, self.gravity, options=(link_views(robot, mechanism),)),
            {"Y": lambda graph: graph.world.regressor},
            options=self,
        )


def in_words(robot: Robot) -> str:
    links = ", ".join(link.name for link in robot.weighing_links) or "no link"
    return f"phi: {' '.join(PARAMETERS)} of {links}, each about its own origin in its own axes"
