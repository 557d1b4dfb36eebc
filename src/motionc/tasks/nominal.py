"""Which trajectory would somebody have written for this task? The nominal one, for trackers that know no tolerance.

    axis       y, z → 0 as ẏ = -y / horizon, x waits; from `near` on along X at the task's speed, of what is left to go
    straight   from where it begins to the goal in a straight line, its part along X at the task's speed

Orientation stays as it begins. The reference changes its velocity by a limited acceleration, lives in the world, and
ends where the measured tool is at the goal. Sections of a path follow each other where the reference is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

import numpy as np

from motionc import checked
from motionc.control.part import Part, seconds
from motionc.control.trajectories import entries
from motionc.errors import Error
from motionc.geometry.control_words import entry
from motionc.program.port import Port, State
from motionc.program.relation import Relation
from motionc.program.space import Choices, Poses
from motionc.tasks.directions import Directions, Numbers, numbers, pick
from motionc.tasks.specification import Hold, Move, Path, Tube

Array = np.ndarray[Any, np.dtype[Any]]
Way = Literal["axis", "straight"]
PHASES = ("begins", "to the axis", "along it", "there")
BEGINS, TO_AXIS, ALONG, THERE = map(float, range(4))
SHORTEST = 1e-3
"""m: what is left to go at least, where a straight line is divided by it."""


@dataclass(frozen=True)
class Nominal(Part):
    """The nominal trajectory of a lazy task, asked anew in every tick.

    Args:
        task: a Move or a Path; all it asks for is motion along axes.
        dt: seconds a tick.
        horizon: time constant with which the axis is come to (s).
        way: "axis", or "straight".
        near: from where on a tool beside the axis counts as on it (m).
        change: largest acceleration of the reference (m/s²).
        turns: whether the target is a pose, in place of a position.
    """

    task: Move | Path
    dt: float
    _: KW_ONLY
    horizon: float = 2.5
    way: Way = "axis"
    near: float = 0.01
    change: float = 1.0
    turns: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.task, Hold):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Error("Nominal: task: a Hold has no way to go; take mc.control.resolved_acceleration at its frame")
        checked.instance("Nominal: task", self.task, (Move, Path), "give a Move(…) or a Path(…)")
        for name in ("dt", "horizon"):
            object.__setattr__(self, name, seconds(f"Nominal: {name}", getattr(self, name)))
        checked.one_of("Nominal: way", self.way, get_args(Way))
        for name in ("near", "change"):
            value = checked.number(f"Nominal: {name}", getattr(self, name), "give a number > 0", fits=lambda x: x > 0)
            object.__setattr__(self, name, value)
        checked.flag("Nominal: turns", self.turns)
        self._expect_motion()

    def _expect_motion(self) -> None:
        """Refuse what no trajectory of a frame says."""
        move, called = self.move, self.task.name or "the task"
        asked = {"z": move.z, "y": move.y, "ax": move.ax, "ay": move.ay, "az": move.az, "orientation": move.orientation}
        for axis, what in asked.items():
            if what is not None and not isinstance(what, Tube):
                raise Error(
                    f"Nominal: task: {called} asks for {what} of {axis}, which a trajectory of a position does not "
                    "say; trackers follow tasks that ask for a speed and tubes"
                )
        if move.x is None:
            raise Error(f"Nominal: task: {called} asks for no speed along x; give x=Speed(…)")
        if move.wrt != "world":
            raise Error(f"Nominal: task: {move.frame} is given wrt {move.wrt!r}; trackers want it wrt 'world'")

    # ---------------------------------------------------------------- what is asked

    @property
    def move(self) -> Move:
        return self.task.move if isinstance(self.task, Path) else self.task

    @property
    def sections(self) -> int:
        """How many frames there are to pass."""
        return self.task.sections if isinstance(self.task, Path) else 1

    @property
    def goals(self) -> Numbers:
        """What may be left to go, in all sections or in each (m)."""
        task = self.task
        each = [task.section(k + 1) for k in range(task.sections)] if isinstance(task, Path) else [task]
        return numbers([0.0 if one.goal is None else one.goal.tolerance for one in each])

    # ---------------------------------------------------------------- as a part

    @property
    def called(self) -> str:
        return "nominal"

    @property
    def equation(self) -> str:
        lateral = "-y / horizon" if self.way == "axis" else "-y xdot / left"
        return f"xdot = speed(left), ydot = {lateral}, by at most {self.change:g} m/s^2"

    @property
    def inputs(self) -> Sequence[Port]:
        tool, frame = self.move.tool, self.move.frame
        where = Relation("pose", frame, "world")
        frames = (
            Port("frames", (self.sections, 4, 4), "m, 1", f"where {frame} is wrt world, section by section")
            if isinstance(self.task, Path)
            else Port(frame, (4, 4), "m, 1", f"where {frame} is wrt world", Poses(1), where)
        )
        section = (State("section", (), "1", "which frame", space=Choices(1, self.sections)),) * (self.sections > 1)
        return (
            frames,
            Port("pose", (1, 4, 4), "m, 1", f"where {tool} is", relation=Relation("pose", tool, "world")),
            State("reference", (3,), "m", f"where {tool} is to be, in the world"),
            State("reference_velocity", (3,), "m/s", "how that moves"),
            *(State("attitude", (3, 3), "1", f"how {tool} was turned in the beginning"),) * self.turns,
            State("phase", (), "1", f"0 … 3: {', '.join(PHASES)}", space=Choices(1, len(PHASES))),
            *section,
        )

    @property
    def outputs(self) -> Sequence[Port]:
        tool = self.move.tool
        if not self.turns:
            return (
                Port("target_position", (3,), "m", f"where {tool} is to be"),
                Port("target_velocity", (3,), "m/s", "how that moves"),
                Port("target_acceleration", (3,), "m/s²", "how that changes"),
            )
        pose, twist = Relation("pose", tool, "world"), Relation("twist", tool, "world", tool, "world")
        return (
            Port("target_pose", (4, 4), "m, 1", f"where {tool} is to be", relation=pose),
            Port("target_twist", (6,), "rad/s, m/s", "how that moves; rx ry rz x y z", relation=twist),
            Port("target_acceleration", (6,), "rad/s², m/s²", "how that changes; rx ry rz x y z"),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        phase, section = given["phase"], given.get("section", 0.0)
        frame = entry(given["frames"], section) if isinstance(self.task, Path) else given[self.move.frame]
        axes, end, tool = frame[:3, :3], frame[:3, 3], given["pose"][0]
        begins = phase <= BEGINS
        # it begins where the tool is, and goes on from where it was
        reference = _chosen(begins, tool[:3, 3], given["reference"])
        velocity, beside = given["reference_velocity"], axes.T @ (reference - end)
        left, measured = -beside[0], -(axes.T @ (tool[:3, 3] - end))[0]
        goal = pick(self.goals, section)
        last = 1.0 if self.sections == 1 else section >= self.sections - 1.0
        arrived = (phase >= ALONG) * last * (measured <= goal)
        along = 1.0 if self.way == "straight" else (phase >= ALONG).select(1.0, self._near(beside))
        phase = (phase >= THERE).select(THERE, arrived.select(THERE, ALONG * along + TO_AXIS * (1.0 - along)))
        wanted = axes @ entries(self._wanted(phase, beside, left, section))
        # by no more than it may change in a tick
        most, missing = self.change * self.dt, wanted - velocity
        after = velocity + missing * (most / (missing @ missing).sqrt().maximum(most))
        said = self._targets(given, begins, reference, velocity, (after - velocity) / self.dt)
        state = {"phase": phase, "reference_velocity": after}
        state["reference"] = reference + (0.5 * self.dt) * (velocity + after)
        if self.sections > 1:
            covered = (phase >= ALONG) * (left <= goal)
            state["section"] = (section + covered).minimum(self.sections - 1.0)
        return said | state

    def _near(self, beside: Array) -> Any:
        """Whether the reference is on the axis."""
        on: Any = 1.0
        for axis, value in zip("yz", beside[1:], strict=True):
            if getattr(self.move, axis) is not None:
                on = on * (value.absolute() <= self.near)
        return on

    def _wanted(self, phase: Any, beside: Array, left: Any, section: Any) -> list[Any]:
        """How fast it is to go along the axes of the frame."""
        asked = Directions.of(self.task)
        assert asked.speed is not None
        speed = asked.speed.at(left.maximum(0.0), section)
        along, ended = phase >= ALONG, phase >= THERE
        pull = speed / left.maximum(SHORTEST) if self.way == "straight" else 1.0 / self.horizon
        beyond = [
            0.0 if getattr(self.move, axis) is None else -value * pull
            for axis, value in zip("yz", beside[1:], strict=True)
        ]
        return [ended.select(0.0, value) for value in (along.select(speed, 0.0), *beyond)]

    def _targets(
        self, given: Mapping[str, Any], begins: Any, place: Array, velocity: Array, change: Array
    ) -> dict[str, Any]:
        if not self.turns:
            return {"target_position": place, "target_velocity": velocity, "target_acceleration": change}
        attitude = _chosen(begins, given["pose"][0, :3, :3], given["attitude"])
        pose = np.empty((4, 4), object)
        pose[:3, :3], pose[:3, 3], pose[3] = attitude, place, (0.0, 0.0, 0.0, 1.0)
        still = np.zeros(3)
        return {
            "target_pose": pose,
            "target_twist": entries([*still, *velocity]),
            "target_acceleration": entries([*still, *change]),
            "attitude": attitude,
        }


def _chosen(flag: Any, yes: Array, no: Array) -> Array:
    """One of two arrays."""
    return entries([flag.select(a, b) for a, b in zip(yes.ravel(), no.ravel(), strict=True)]).reshape(yes.shape)
