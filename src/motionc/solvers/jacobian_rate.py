"""How a frame Jacobian changes while the robot moves: (ω̇; p̈) = J a + J̇ v.

    outward   Ṡ_i = V_i × S_i at the point, plus s_i × its velocity, since the point moves along,
              and S̊_i at the point where S depends on q
    root      - ω_o × J for an observer o that turns

Axes are turned to `as_seen_by` at this instant and not differentiated, as everywhere (design §3, constraints).
"""

from motionc.geometry import WORLD, WORLD_FRAME, MotionBasisRate, Twist
from motionc.geometry.coordinates import column, zeros
from motionc.solvers.frame_motion import MOTION
from motionc.solvers.jacobian import aim, columns
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, needs=["target"], gives=["passing"])
def world_passes(graph: StateGraph, setting: Setting) -> None:
    still = column((0, 0, 0))
    graph.world.passing = Twist(WORLD, WORLD, graph.world.target.of, WORLD_FRAME, still, still)


@operation(OUTWARD, needs=["world_pose", "twist", "target"], gives=["passing"])
def pass_by(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """How each body moves where the point of interest is."""
    reach = child.world_pose.position.inverse().compose(child.target)
    child.passing = child.twist.change_frame(child.world_pose.orientation).change_point(reach)


@operation(ROOT, needs=["target", "passing"], gives=["followed", "jacobian_rate"])
def follow(graph: StateGraph, setting: Setting) -> None:
    """The point's own motion; a Jacobian of the world itself has no columns."""
    none = zeros(3, 0)
    graph.world.followed = graph[setting.target.body].passing
    graph.world.jacobian_rate = MotionBasisRate(WORLD, WORLD, graph.world.target.of, WORLD_FRAME, none, none)


@operation(
    OUTWARD,
    needs=["world_pose", "target", "passing", "followed", "jacobian_rate"],
    gives=["followed", "jacobian_rate"],
)
def column_rates(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.followed = parent.followed
    reach = child.world_pose.position.inverse().compose(child.target)
    column = joint.basis.change_frame(child.world_pose.orientation).change_point(reach)
    rate = column.rate(child.passing, child.followed)
    if (own := joint.basis_rate) is not None:
        own = own.change_frame(child.world_pose.orientation).change_point(reach)
        rate = rate.shifted(own.angular, own.linear)
    child.jacobian_rate = parent.jacobian_rate.compose(rate)


JACOBIAN_RATE = Schedule(
    "jacobian_rate",
    (*MOTION, sweep(aim), sweep(columns), sweep(world_passes), sweep(pass_by), sweep(follow), sweep(column_rates)),
)
