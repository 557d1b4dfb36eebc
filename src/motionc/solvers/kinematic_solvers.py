"""The catalogue of kinematics: where frames are, how they move, how joints move them."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from motionc.geometry import MotionBasis, MotionBasisRate
from motionc.geometry.coordinates import Coordinates, above, zeros
from motionc.geometry.meaning import refuse
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, a_port, chosen, q_port, v_port
from motionc.solvers.frame_motion import FRAME_MOTION
from motionc.solvers.jacobian import FORWARD_KINEMATICS, JACOBIAN
from motionc.solvers.jacobian_rate import JACOBIAN_RATE
from motionc.solvers.steps.wrenches import turn
from motionc.sweeps.frames import Attached, View, attached
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Setting
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Sight, StateGraph, in_order_of_v


@dataclass(frozen=True)
class ForwardKinematics(Question):
    """Poses of frames in the world, X_world_frame = Π X_i,i+1(q).

    Args:
        robot: the robot.
        frames: names, in the order of the output; all links by default.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "forward_kinematics"

    frames: Sequence[str] | None = None
    _: KW_ONLY
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        names = list(robot.link_names if self.frames is None else self.frames)
        for name in names:
            attached(robot.mechanism, name, "forward_kinematics")

        def poses(graph: StateGraph) -> Coordinates:
            blocks: list[Any] = []
            for name in names:
                where = attached(graph.mechanism, name, "forward_kinematics")
                blocks.append(graph[where.body].world_pose.compose(where.pose).matrix)
            return above(*blocks)

        meaning = f"homogeneous poses wrt world of {', '.join(names)}"
        return Solver(
            self.called,
            "X_world_frame = X_world_1(q) X_1_2(q) … X_n_frame",
            robot,
            FORWARD_KINEMATICS,
            (q_port(robot),),
            (Port("pose", (len(names), 4, 4), "m, 1", meaning),),
            lambda mechanism: Setting({}),
            {"pose": poses},
            options=self,
        )


@dataclass(frozen=True)
class Jacobian(Question):
    """The Jacobian of a frame: twist (ω; v) = J(q) v.

    Args:
        robot: the robot.
        frame: whose body's motion.
        wrt: relative to which frame's body.
        point: where v is taken, in frame coordinates (m); it moves with the frame's body.
        as_seen_by: whose axes the rows are written in.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "jacobian"

    frame: str
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    _: KW_ONLY
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        for name in (self.wrt, self.as_seen_by):
            attached(robot.mechanism, name, "jacobian")

        def question(mechanism: Mechanism) -> Setting:
            return Setting({}, target=attached(mechanism, self.frame, "jacobian", tuple(self.point)))

        def matrix(graph: StateGraph) -> Coordinates:
            of, base, axes = (
                attached(graph.mechanism, name, "jacobian") for name in (self.frame, self.wrt, self.as_seen_by)
            )
            moved = graph[base.body].jacobian.inverse().compose(graph[of.body].jacobian)
            return _seen(graph, moved, axes, question(graph.mechanism).target)

        meaning = f"motion of {_said(self.frame, self.wrt, self.point, self.as_seen_by)}"
        question(robot.mechanism)
        return Solver(
            self.called,
            "(ω; v) = J(q) v, column i = S_i at the point",
            robot,
            JACOBIAN,
            (q_port(robot),),
            (Port("J", (6, robot.nv), "1, m", meaning),),
            question,
            {"J": matrix},
            options=self,
        )


@dataclass(frozen=True)
class JacobianRate(Question):
    """How the Jacobian of a frame changes: acceleration (ω̇; p̈) = J(q) a + J̇(q, v) v.

    Derivatives are taken in wrt's body; the axes of as_seen_by are turned to at this instant and not differentiated.

    Args:
        robot: the robot.
        frame: whose body's motion.
        wrt: relative to which frame's body, which may move.
        point: where p is, in frame coordinates (m); it moves with the frame's body.
        as_seen_by: whose axes the rows are written in.
        outputs: J_dot (6, nv) and bias, J̇ v (6), which is much cheaper.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "jacobian_rate"

    frame: str
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    _: KW_ONLY
    outputs: Sequence[str] = ("J_dot", "bias")
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        Jacobian(self.frame, self.wrt, self.point, self.as_seen_by).solver(robot)
        said = _said(self.frame, self.wrt, self.point, self.as_seen_by)
        ports = {
            "J_dot": Port("J_dot", (6, robot.nv), "1/s, m/s", f"rate of the Jacobian of {said}"),
            "bias": Port("bias", (6,), "rad/s², m/s²", f"J_dot v, acceleration without that of joints, of {said}"),
        }

        def question(mechanism: Mechanism) -> Setting:
            view = _view(mechanism, "jacobian_rate", self.frame, self.wrt, self.point, self.as_seen_by)
            return Setting({}, target=view.of, views=(view,), constants={"a": zeros(robot.nv, 1)})

        def matrix(graph: StateGraph) -> Coordinates:
            view = question(graph.mechanism).views[0]
            own, base = graph[view.of.body], graph[view.wrt.body]
            moved = base.jacobian.inverse().compose(own.jacobian)
            rate = base.jacobian_rate.inverse().compose(own.jacobian_rate).observed_from(base.passing, moved)
            return _seen(graph, rate, view.axes, view.of)

        return Solver(
            self.called,
            "(omega_dot; p_ddot) = J(q) a + J_dot(q, v) v",
            robot,
            JACOBIAN_RATE,
            (q_port(robot), v_port(robot)),
            chosen("jacobian_rate", self.outputs, ports),
            question,
            {"J_dot": matrix, "bias": lambda graph: _classical(graph.world.sights[0])},
            options=self,
        )


@dataclass(frozen=True)
class FrameMotion(Question):
    """Twists and accelerations of frames, as an observer on wrt's body sees them.

    `twist` is (ω; v) of the point, `classical` (ω̇; p̈), `spatial` (ω̇; p̈ - ω × v). Derivatives are taken in wrt's
    body, which may move; the axes of as_seen_by are turned to at this instant and not differentiated.

    Args:
        robot: the robot.
        frames: names, in the order of the outputs.
        wrt: the frame whose body observes.
        point: where v and p are, in the coordinates of each frame (m); it moves with the frame's body.
        as_seen_by: whose axes all six-vectors are written in; "" for each frame's own.
        outputs: which of twist, classical, spatial to compute, (k, 6) each; without accelerations there is no input a.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "frame_motion"

    frames: str | Sequence[str]
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    _: KW_ONLY
    outputs: Sequence[str] = ("twist", "classical", "spatial")
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        names = [self.frames] if isinstance(self.frames, str) else list(self.frames)
        said = _said(", ".join(names), self.wrt, self.point, self.as_seen_by or "itself")
        shape = (len(names), 6)
        ports = {
            "twist": Port("twist", shape, "rad/s, m/s", f"twists of {said}"),
            "classical": Port("classical", shape, "rad/s², m/s²", f"classical accelerations of {said}"),
            "spatial": Port("spatial", shape, "rad/s², m/s²", f"spatial accelerations of {said}"),
        }
        asked = chosen("frame_motion", self.outputs, ports)
        velocities = all(port.name == "twist" for port in asked)

        def question(mechanism: Mechanism) -> Setting:
            views = tuple(
                _view(mechanism, "frame_motion", name, self.wrt, self.point, self.as_seen_by or name) for name in names
            )
            return Setting({}, views=views, constants={"a": zeros(robot.nv, 1)} if velocities else {})

        def read(graph: StateGraph, part: Any) -> Coordinates:
            return above(zeros(0, 6), *(part(sight).T for sight in graph.world.sights))

        question(robot.mechanism)
        return Solver(
            self.called,
            "V = J v,  (omega_dot; p_ddot) = J a + J_dot v",
            robot,
            FRAME_MOTION,
            (q_port(robot), v_port(robot), *(() if velocities else (a_port(robot),))),
            asked,
            question,
            {
                "twist": lambda graph: read(graph, _twist),
                "classical": lambda graph: read(graph, _classical),
                "spatial": lambda graph: read(graph, _spatial),
            },
            options=self,
        )


# ---------------------------------------------------------------- views


def _view(mechanism: Mechanism, what: str, frame: str, wrt: str, point: Sequence[float], as_seen_by: str) -> View:
    of = attached(mechanism, frame, what, tuple(point))
    return View(of, attached(mechanism, wrt, f"{what}, wrt"), attached(mechanism, as_seen_by, f"{what}, as_seen_by"))


def _said(frame: str, wrt: str, point: Sequence[float], as_seen_by: str) -> str:
    where = "" if not any(point) else f" at {tuple(point)} of it"
    return f"{frame}{where} wrt {wrt}, as seen by {as_seen_by}; rows rx ry rz x y z"


def _seen(graph: StateGraph, columns: MotionBasis | MotionBasisRate, axes: Attached, target: Attached) -> Coordinates:
    """Columns in the axes asked for, in the order of v; refused if they are not at the point asked for."""
    seen = columns.change_frame(turn(graph, axes, graph.world).inverse())
    if seen.point != target.pose.of.origin:
        refuse(f"{columns}", f"taken at {seen.point}", remedy="take it at the point that was asked for")
    return in_order_of_v(graph, above(seen.angular, seen.linear), seen.joints)


def _twist(sight: Sight) -> Coordinates:
    return above(sight.twist.angular, sight.twist.linear)


def _classical(sight: Sight) -> Coordinates:
    seen = sight.acceleration
    return above(seen.angular, seen.linear)


def _spatial(sight: Sight) -> Coordinates:
    linear = sight.acceleration.spatial_linear(sight.twist)
    return above(sight.acceleration.angular, linear)
