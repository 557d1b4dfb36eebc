"""What would a stiff robot do? Trackers of a lazy task's nominal trajectory, to compare laziness with.

    six      computed torque along six rows of the tool     position, and the orientation that it begins with
    three    computed torque along three                    position alone; what that leaves free is at rest
    joints   computed torque along every joint              as the joints of the model move under the six

Each is one computation with state, with ports named as those of a lazy cycle: q, v and the task's frames in, tau out.
"""

import math
from typing import Any, Literal, get_args

from motionc import checked
from motionc.computations.block import block
from motionc.computations.making import made_of
from motionc.computations.wired import wired
from motionc.control.laws import computed_torque
from motionc.control.rest import Rest
from motionc.control.tracking import FLOAT, ResolvedAcceleration, as_modelled, with_dynamics
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, State
from motionc.program.space import Choices
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import a_port, q_port, v_port
from motionc.solvers.constraint import EVERYTHING
from motionc.solvers.forward_kinematics import ForwardKinematics
from motionc.solvers.integrate import Integrate
from motionc.solvers.limits import Given
from motionc.tasks.nominal import Nominal, Way
from motionc.tasks.specification import Move, Path

Kind = Literal["six", "three", "joints"]
STIFF = 400.0
"""1/s²: errors die down within a quarter of a second."""


def tracker(
    robot: Robot,
    task: Move | Path,
    kind: Kind = "six",
    *,
    rate: float,
    horizon: float = 2.5,
    way: Way = "axis",
    near: float = 0.01,
    stiffness: float = STIFF,
    rest: Rest = FLOAT,
    limits: Given | None = "robot",
    precision: Precision = "double",
    name: str = "",
) -> Computation:
    """A stiff tracker of a task's nominal trajectory: computed torque, critically damped, weight compensated.

    >>> import motionc as mc
    >>> from motionc.tasks import Goal, Move, Speed, Tube
    >>> task = Move("link_7", "T", x=Speed(0.05, 0.005), y=Tube(0.01), z=Tube(0.01), until=[Goal(0.03)])
    >>> stiff = mc.tasks.tracker(mc.load("lwr4"), task, "three", rate=630)
    >>> [port.name for port in stiff.inputs]
    ['q', 'T', 'v', 'reference', 'reference_velocity', 'phase']

    Args:
        robot: the robot.
        task: a Move or a Path that asks for a speed along x, and for tubes.
        kind: "six" rows, "three" rows, or "joints".
        rate: how often it runs (Hz).
        horizon: time constant with which the axis is come to (s).
        way: "axis", onto the axis first and then along it, or "straight" to the goal.
        near: from where on a tool beside the axis counts as on it (m).
        stiffness: K (1/s²); damping is 2 √K.
        rest: what joints do that rows leave free.
        limits: what motors can make at most; None: all.
        precision: "double", or "single" for float32 arrays.
        name: of the function in emitted code.
    """
    checked.instance("tracker: robot", robot, Robot, 'give a robot, such as mc.load("lwr4")')
    checked.one_of("tracker: kind", kind, get_args(Kind))
    ticks = checked.number("tracker: rate", rate, "give ticks a second > 0", fits=lambda hz: hz > 0)
    K = checked.number("tracker: stiffness", stiffness, "give 1/s² > 0", fits=lambda k: k > 0)
    called = checked.name("tracker: name", name, "give a name", empty=True) or f"track_{kind}"
    turns, dt = kind != "three", 1.0 / ticks
    nominal = Nominal(task, dt, horizon=horizon, way=way, near=near, turns=turns)
    tool, rows = nominal.move.tool, EVERYTHING if turns else "x y z"
    rest = checked.instance("tracker: rest", rest, Rest, "give a Rest(…)").borne_by(robot, 2 * dt)
    law = ResolvedAcceleration(tool, K, 2.0 * math.sqrt(K), rows=rows, rest=rest, limits=limits, precision=precision)
    parts = {
        "kinematics": made_of(robot, ForwardKinematics(tool, precision=precision)),
        "nominal": nominal.computation(precision=precision),
    }
    if kind == "joints":
        return _along_joints(robot, parts, law, dt, called)
    return wired({**parts, "law": with_dynamics(robot, law)}, outputs=["law.tau"], name=called)


# ---------------------------------------------------------------- joints


def _along_joints(
    robot: Robot, parts: dict[str, Computation], law: ResolvedAcceleration, dt: float, name: str
) -> Computation:
    """The model carried along under six rows, and computed torque of every joint after it."""
    precision, K, D = law.precision, law.stiffness, law.damping
    here, there = q_port(robot, "q_model", "where the model is"), v_port(robot, "v_model", "how it moves")
    begun = State("begun", (), "1", "1 after the first tick", space=Choices(1, 2))

    def begin(q: Any, v: Any, q_model: Any, v_model: Any, begun: Any) -> dict[str, Any]:
        now = {"target": _chosen(begun, q_model, q), "target_v": _chosen(begun, v_model, v)}
        return now | {"begun": 1.0}

    def go_on(target_v: Any, a: Any) -> dict[str, Any]:
        return {"target_a": a, "v_next": target_v + dt * a, "dt": dt}

    target, target_v = q_port(robot, "target", "where the model is"), v_port(robot, "target_v", "how it moves")
    target_a = a_port(robot, "target_a", "how that changes")
    span = Port("dt", (), "s", "a tick")
    changes = [target_a, v_port(robot, "v_next", "a tick later"), span]
    begins = [q_port(robot), v_port(robot), here, there, begun]
    parts |= {
        "begin": block("begin", begin, begins, [target, target_v], precision=precision),
        "model": as_modelled(robot, law),
        "go_on": block("go_on", go_on, [target_v, a_port(robot)], changes, precision=precision),
        "law": computed_torque(robot, K, D, precision=precision),
        "integrate": made_of(robot, Integrate(precision=precision)),
    }
    feeds = {"model.q": "begin.target", "model.v": "begin.target_v"}
    feeds |= {"integrate.q": "begin.target", "integrate.v": "go_on.v_next"}
    feedback = {"q_model": "integrate.q", "v_model": "go_on.v_next"}
    return wired(parts, feeds=feeds, feedback=feedback, outputs=["law.tau"], name=name)


def _chosen(flag: Any, yes: Any, no: Any) -> list[Any]:
    """One of two lists."""
    return [flag.select(a, b) for a, b in zip(yes, no, strict=True)]
