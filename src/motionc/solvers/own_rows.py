"""What rows ask in a schedule of one's own: the ports they bring, and what operations read of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from motionc.errors import Error
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.solvers.arguments import checked_actuated
from motionc.solvers.frame_arguments import Rows, as_constraints
from motionc.solvers.limits import checked_limits
from motionc.solvers.row_ports import asked_of, b_port, check_policy, factor_ports
from motionc.solvers.rows import Constraints

ABOUT_ROWS = (
    *("regularisation", "truncation", "posture", "actuated", "limits", "activation", "weights", "artificial_forces"),
)
"""Options that say something of rows, and so are said in vain where there are none."""
MOMENT_ARM = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class OwnRows:
    """The constraints of a schedule, how they are balanced, and the joints without a motor; None: it knows no rows."""

    wanted: Sequence[Rows] | None
    policy: Constraints
    idle: frozenset[str]
    ports: tuple[Port, ...]

    @staticmethod
    def of(name: str, robot: Robot, mechanism: Mechanism, asked: Any) -> "OwnRows":
        """What the options of `mc.solve` say of rows; refused where the schedule knows none, or needs to be told."""
        knows = "held_rows" in asked.schedule.gives
        if asked.constraints is None:
            if knows:
                raise Error(f"{name}: the schedule holds rows; say which: constraints=[…], or [] for none")
            for option in ABOUT_ROWS:
                if option in asked.said():
                    raise Error(f"{name}: {option} is about rows of constraints; give constraints=[…], or leave it out")
            return OwnRows(None, Constraints(), frozenset(), ())
        if not knows:
            raise Error(
                f"{name}: no operation of the schedule reads constraints; take schedules.CONSTRAINED_DYNAMICS, or "
                "leave them out"
            )
        wanted = as_constraints(f"{name}: constraints", asked.constraints)
        check_policy(robot, wanted, frozenset(), asked.regularisation, False)
        motors = checked_actuated(robot, asked.actuated)
        policies = {"prescribed": frozenset[str](), "regularisation": asked.regularisation, "posture": asked.posture}
        bounds = checked_limits(robot, asked.limits, "clip", motors, wanted, policies, asked.precision)
        policy = Constraints(
            *((), asked.regularisation, asked.truncation, asked.posture),
            limits=bounds,
            activated=asked.activation,
            weighed=asked.weights,
        )
        tasks = any(constraint.source == "task" for constraint in wanted)
        idle = frozenset(set(robot.joint_names) - motors) if tasks else frozenset[str]()
        if idle and "support" not in asked.schedule.gives:
            raise Error(
                f"{name}: no motor drives {sorted(idle)[0]}, and tasks may ask for forces there; take "
                "schedules.SUPPORTED_DYNAMICS, or say which joints have motors: actuated=[…]"
            )
        return OwnRows(wanted, policy, idle, (b_port(mechanism, wanted), *factor_ports(mechanism, wanted, policy)))

    @property
    def prescribed(self) -> frozenset[str] | None:
        """Joints that are told how to accelerate: none where rows are held, all of them in other schedules."""
        return None if self.wanted is None else frozenset[str]()

    def options(self, mechanism: Mechanism) -> tuple[Any, ...]:
        """What operations read."""
        return () if self.wanted is None else asked_of(mechanism, self.wanted, self.policy, self.idle, MOMENT_ARM)
