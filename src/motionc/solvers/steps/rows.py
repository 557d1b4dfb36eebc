"""What constraints hold: their rows on the bodies and joints they pull at, what is asked along them, what is reached.

    at N      unit wrenches A at N's origin, in N's axes; at the observer's body, if it moves, their reactions
    asked     Aᵀ (Ẍ_N - Ẍ_o) = b - Aᵀ (0; ω_r × v_r) + Aᵀ (V_o × V_r), V_r = V_N - V_o
    along joints, unit forces E along them and b itself

b may be classical or spatial, its derivatives taken on the observer's body; then it is made what sweeps carry. Both
ends of a row between two bodies pull at once: a loop closed by such rows needs no tree of its own.
"""

import numpy as np

from motionc.geometry import JointRows, RowStack, Twist, WrenchBasis
from motionc.solvers.steps.wrenches import turn
from motionc.sweeps.problem import ConstraintRows, JointConstraintRows, JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, operation
from motionc.sweeps.state import BodyState, Hold, Holds, StateGraph


@operation(ROOT, gives=["at_rest"])
def world_rests(graph: StateGraph, setting: Setting) -> None:
    graph.world.at_rest = setting.free_fall_field().inverse()


@operation(OUTWARD, needs=["pose", "at_rest"], gives=["at_rest"])
def carry_rest(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """How the world itself accelerates with respect to free fall, at this body's place."""
    X = child.pose
    child.at_rest = parent.at_rest.change_point(X.position).change_frame(X.orientation.inverse())


@operation(OUTWARD, gives=["basis", "pushed"])
def no_rows(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.basis = WrenchBasis.none(child.body, child.frame)
    child.pushed = JointRows.none(child.joints)


@operation(ROOT, needs=["world_pose", "twist", "basis"], gives=["holds", "basis"])
def constrain(graph: StateGraph, setting: Setting) -> None:
    """Unit wrenches on the bodies they pull at; b made spatial."""
    holds: list[Hold] = []
    for spec in setting.constraints:
        if isinstance(spec, ConstraintRows):
            own, other, X = graph[spec.at.body], graph[spec.observer.body], spec.at.pose
            at_point, asked = spec.basis().change_frame(turn(graph, spec.axes, own)), spec.asked(setting)
            carrier, relative = _observer(graph, spec, own, other)
            if asked.kind == "classical":
                asked = at_point.to_spatial(asked, relative)
            if asked.kind == "observed":
                asked = at_point.transported(asked, carrier, relative)
            A = at_point.change_point(X.position.inverse())
            B = None if other.is_world else _at(graph, A, own, other)
            holds.append(Hold(A, B, own.index, other.index, asked))
            for state, rows in holds[-1].ends(graph):
                state.basis = state.basis.joined(rows.articulated())
    graph.world.holds = Holds(holds)


def _observer(graph: StateGraph, spec: ConstraintRows, own: BodyState, other: BodyState) -> tuple[Twist, Twist]:
    """How the observer's body moves where the constrained point is, and how the point moves with respect to it."""
    V = own.twist.change_point(spec.at.pose.position)
    if other.is_world:
        return V, V
    place = own.world_pose.compose(spec.at.pose).position
    way = other.world_pose.position.inverse().compose(place).change_frame(other.world_pose.orientation.inverse())
    to_own = own.world_pose.orientation.inverse().compose(other.world_pose.orientation)
    carrier = other.twist.change_point(way).change_frame(to_own)
    return carrier, carrier.inverse().compose(V)


def _at(graph: StateGraph, A: WrenchBasis, own: BodyState, other: BodyState) -> WrenchBasis:
    """The same rows at another body's origin, in its axes."""
    to_other = other.world_pose.orientation.inverse().compose(own.world_pose.orientation)
    way = own.world_pose.position.inverse().compose(other.world_pose.position)
    return A.change_point(way.change_frame(own.world_pose.orientation.inverse())).change_frame(to_other)


@operation(ROOT, needs=["pushed"], gives=["pushed"])
def constrain_joints(graph: StateGraph, setting: Setting) -> None:
    """Unit forces along the joints that constraints name, and along all where motors have rows."""
    states = {state.joints: state for state in graph}
    for spec in setting.constraints:
        if isinstance(spec, JointConstraintRows):
            for joints, unit in spec.joints.items():
                state = states[joints]
                state.pushed = state.pushed.joined(JointRows(state.joints, spec.labels, unit))

    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if setting.motors and not body.joint.follows:
            labels = tuple(setting.motors[k] for k in range(body.joint.v.start, body.joint.v.stop))
            state.pushed = state.pushed.joined(JointRows(state.joints, labels, np.eye(len(labels))))


@operation(ROOT, needs=["holds"], gives=["wanted"])
def want(graph: StateGraph, setting: Setting) -> None:
    """What is asked, of all rows."""
    asked = [hold.wanted for hold in graph.world.holds]
    asked += [spec.asked(setting) for spec in setting.constraints if isinstance(spec, JointConstraintRows)]
    graph.world.wanted = RowStack.gather(setting.row_labels, asked)


@operation(ROOT, needs=["holds", "at_rest", "acceleration", "pushed", "joint_acceleration"], gives=["reached"])
def measure(graph: StateGraph, setting: Setting) -> None:
    """How bodies and joints accelerate along the rows."""
    reached = [hold.reached(graph) for hold in graph.world.holds]
    reached += [state.pushed.along(state.joint_acceleration) for state in graph]
    graph.world.reached = RowStack.gather(setting.row_labels, reached)
