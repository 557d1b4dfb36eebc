"""How are rows of accelerations driven to a target? The acceleration-energy controller, "beta": q, v, a, target → b.

    b = Aᵀ (K_P ΔX + K_D ΔẊ + K_a ΔẌ),  Δ = target - actual      (specs/motion-stack.md §2.15, (4.7))

What is missing along the rows is impedance's, rotation vectors where rows turn; the acceleration is measured, that of
the turn before. b goes to constrained dynamics, where rows win over motor forces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from motionc import checked
from motionc.computations.block import block
from motionc.computations.making import computes, made_of
from motionc.computations.wired import wired
from motionc.control.impedance import Impedance, rows_of
from motionc.control.laws import named
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import Question
from motionc.solvers.constraint import FRAME
from motionc.solvers.frame_motion import FrameMotion
from motionc.solvers.target import Target
from motionc.sweeps.options import Check


@dataclass(frozen=True)
class Beta(Question):
    """The acceleration-energy ("beta") controller: accelerations along rows that bring a frame to a target.

    Without K_a it is `impedance(…, gives="b")`: errors about a target at rest obey ë + K_D ė + K_P e = 0. With K_a they
    obey (1 + K_a) ë + K_D ė + K_P e = 0, were the acceleration that of this instant.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> stay = mc.control.beta(robot, "tip", 100.0, 20.0, rows="xy")
    >>> tip = mc.forward_kinematics(robot, "tip")([0.3, 0.8])[0, :3, 3]
    >>> stay([0.3, 0.8], [0.0, 0.0], tip + [0.01, 0.0, 0.0]).round(9)
    array([1., 0.])

    Args:
        robot: the robot.
        frame: which frame is driven: name of a link, attachment or `joint:NAME`.
        stiffness: K_P along the rows (1/s²): one number, or one a row.
        damping: K_D along the rows (1/s), likewise.
        acceleration: K_a (1), one number; where it is not 0, joint accelerations a are an input.
        rows: tokens x y z rx ry rz, or a 6×m matrix. With shifts alone the target is a position, else a pose.
        wrt: the frame with respect to which the target is given.
        point: a point fixed to the frame's body that is driven, in frame coordinates (m).
        as_seen_by: whose axes the rows are written in.
        moving: whether the target moves: adds target_velocity (3,) or target_twist (6,), and target_acceleration
            where K_a is not 0, in the axes of the rows.
        precision: "double", or "single" for float32 arrays.
        name: of the function in emitted code.
    """

    called: ClassVar[str] = "beta"
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "frame": lambda what, given: checked.name(what, given, FRAME),
        **{name: Impedance.understood[name] for name in ("stiffness", "damping")},
        "acceleration": lambda what, given: checked.number(
            what, given, "give a number ≥ 0 and < 1", fits=lambda share: 0 <= share < 1
        ),
        "name": named,
    }

    frame: str
    stiffness: float | Sequence[float]
    damping: float | Sequence[float]
    acceleration: float = 0.0
    _: KW_ONLY
    rows: Any = "xyz"
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    moving: bool = False
    precision: Precision = "double"
    name: str = ""

    @property
    def spring(self) -> Impedance:
        """The same without accelerations."""
        return Impedance(
            *(self.frame, self.stiffness, self.damping),
            rows=self.rows,
            wrt=self.wrt,
            point=self.point,
            as_seen_by=self.as_seen_by,
            moving=self.moving,
            gives="b",
            precision=self.precision,
            name=self.name or self.called,
        )


def with_acceleration(robot: Robot, options: Beta) -> Computation:
    """What positions and rates ask for, and accelerations where they count."""
    law = made_of(robot, options.spring)
    if not options.acceleration:
        return law
    asked = Target(options.frame, options.rows, options.wrt, options.point, options.as_seen_by)
    spec = rows_of(robot.mechanism, asked)
    along = (spec.wrenches if spec.wrenches[:3].any() else spec.wrenches[3:]).T
    seen = options.frame, options.wrt, options.point, options.as_seen_by
    motion = made_of(robot, FrameMotion(*seen, outputs=["classical"], precision=options.precision))
    (b,) = law.outputs
    size, unit = (along.shape[1],), "rad/s², m/s²" if along.shape[1] == 6 else "m/s²"
    goal = Port("target_acceleration", size, unit, "how the target accelerates, in the axes of the rows")

    def add(pull: Any, classical: Any, *target: Any) -> dict[str, Any]:
        missing = (target[0] if target else 0.0) - classical[0, -size[0] :]
        return {"b": pull + options.acceleration * (along @ missing)}

    pull = Port("pull", b.shape, b.unit, "what positions and rates ask for")
    ports = [pull, *motion.outputs, *(goal,) * options.moving]
    parts = {"law": law, "motion": motion, "sum": block("sum", add, ports, [b], precision=options.precision)}
    return wired(parts, feeds={"sum.pull": "law.b"}, outputs=["sum.b"], name=options.name or options.called)


beta = computes(Beta, with_acceleration)
