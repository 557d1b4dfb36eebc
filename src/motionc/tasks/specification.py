"""What is to be done, and how exactly? Task specifications as data: per direction of a task frame a band, or nothing.

    X  a speed along it, within a tolerance            Y, Z  a tube about the axis, or a force within a tolerance
    aX, aY, aZ  one tube of orientation, moments within a tolerance, an angle; or no word, and nature decides

A modified task frame formalism (specs/lazy-control.md §2.9): every direction may be left out, every tolerance must be
said. All numbers are SI. Which robot, and where frames are, is told when a task becomes a cycle and with each call.
Whatever contradicts itself is refused when it is made; what a robot has to say of it is asked by `checks`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.tasks import rules
from motionc.tasks.bands import (
    Align,
    Angle,
    Approach,
    Contact,
    Force,
    Goal,
    Moment,
    Monitor,
    Orientation,
    Sine,
    Speed,
    Stop,
    Timeout,
    Tube,
    kept,
)
from motionc.tasks.poses import Rows, pose_rows
from motionc.tasks.sections import DIRECTIONS, Override, overrides_of
from motionc.tasks.text import written

__all__ = [
    "DIRECTIONS",
    "Align",
    "Angle",
    "Approach",
    "Contact",
    "Force",
    "Goal",
    "Hold",
    "Moment",
    "Monitor",
    "Move",
    "Orientation",
    "Override",
    "Path",
    "Phases",
    "Sine",
    "Speed",
    "Stop",
    "Task",
    "Timeout",
    "Tube",
]


@dataclass(frozen=True)
class Move:
    """A guarded move of a tool along X of a task frame, with tolerances (specs/lazy-control.md §2.9).

    >>> task = Move("link_7", "T", x=Speed(0.05, 0.005), y=Tube(0.01), z=Tube(0.01), until=[Goal(0.03), Timeout(9.0)])
    >>> task.free
    ('ax', 'ay', 'az')

    Args:
        tool: the frame of the robot that moves.
        frame: the task frame, at the goal with X along the way; where it is is told with each call.
        wrt: the frame with respect to which that is told.
        force_frame: the robot's frame whose axes forces and moments are along, such as the bottom of a pad; wanted
            where there are any.
        x, y, z: what is asked along the axes; None is nothing.
        ax, ay, az: what is asked about them; an Orientation stands for all three, under `orientation`.
        orientation: one tube for all three turns.
        approach: how a surface is come to, where a force is asked.
        align: how the tool is laid on it.
        until: what ends it.
        monitors: what is watched meanwhile.
        pose: of the task frame wrt `wrt` (4×4), where the task says itself where it is.
        name: of the task.
    """

    tool: str
    frame: str
    _: KW_ONLY
    wrt: str = "world"
    force_frame: str = ""
    x: Speed | None = None
    y: Tube | Force | None = None
    z: Tube | Force | None = None
    ax: Moment | None = None
    ay: Moment | None = None
    az: Angle | Moment | None = None
    orientation: Orientation | None = None
    approach: Approach | None = None
    align: Align | None = None
    until: Sequence[Stop] = ()
    monitors: Sequence[Monitor] = ()
    pose: Rows | None = None
    name: str = ""

    def __post_init__(self) -> None:
        _keep_frames(self)
        checked.name("Move: force_frame", self.force_frame, "give the name of a frame", empty=True)
        rules.are_bands(self)
        rules.agree(self)
        rules.surface(self)
        rules.ends(self)

    @property
    def free(self) -> tuple[str, ...]:
        """The directions that nothing is said of."""
        turns = () if self.orientation else ("ax", "ay", "az")
        return tuple(axis for axis in ("x", "y", "z", *turns) if getattr(self, axis) is None)

    @property
    def goal(self) -> Goal | None:
        """What is left to go where it is done, if it says so."""
        return next((stop for stop in self.until if isinstance(stop, Goal)), None)

    def __str__(self) -> str:
        return written(self)


@dataclass(frozen=True)
class Path:
    """A move through several task frames in turn, one a section: F_1 … F_n, given as one port (n, 4, 4).

    >>> move = Move("link_7", "T", x=Speed(0.06, 0.005), y=Tube(0.01), until=[Goal(0.001)])
    >>> path = Path(move, 3, overrides=[Override(2, x=Speed(0.02, 0.005))])
    >>> [path.section(k).x.value for k in (1, 2, 3)]
    [0.06, 0.02, 0.06]

    Args:
        move: what holds in every section; its goal is that of each section, its timeout that of all together.
        sections: how many frames there are.
        last: what ends the last section, where it differs.
        overrides: other numbers in some sections; what is free in one is free in all.
        poses: of the frames wrt `move.wrt`, one a section (n, 4, 4), where the task says itself where they are.
        name: of the task.
    """

    move: Move
    sections: int
    _: KW_ONLY
    last: Goal | None = None
    overrides: Sequence[Override] = ()
    poses: Sequence[Rows] = ()
    name: str = ""

    def __post_init__(self) -> None:
        checked.instance("Path: move", self.move, Move, "give a Move(…)")
        kept(self, sections=checked.whole("Path: sections", self.sections, 1, "give how many frames there are, ≥ 1"))
        checked.name("Path: name", self.name, empty=True)
        if self.last is not None:
            checked.instance("Path: last", self.last, Goal, "give a Goal(…)")
        kept(self, overrides=overrides_of(self), name=self.name or self.move.name, move=replace(self.move, name=""))
        poses = checked.several("Path: poses", self.poses, "give a pose for each section")
        if poses and len(poses) != self.sections:
            raise Error(f"Path: {len(poses)} poses for {self.sections} sections; give one for each, or none")
        kept(self, poses=tuple(pose_rows(f"Path: poses[{k}]", pose) for k, pose in enumerate(poses)))

    def section(self, number: int) -> Move:
        """What is asked in one of the sections, counted from 1."""
        at = checked.whole("Path: section", number, 1, f"give a number from 1 to {self.sections}")
        if at > self.sections:
            raise Error(f"Path: there is no section {at}; give a number from 1 to {self.sections}")
        override = next((one for one in self.overrides if one.section == at), Override(at))
        goal = override.goal or (self.last if at == self.sections else None)
        until = [goal if goal and isinstance(stop, Goal) else stop for stop in self.move.until]
        pose = self.poses[at - 1] if self.poses else None
        return replace(self.move, **override.changes, until=until, pose=pose)

    def __str__(self) -> str:
        return written(self)


@dataclass(frozen=True)
class Hold:
    """A tool kept where a task frame is, in six directions: tubes in place and orientation."""

    tool: str
    frame: str
    _: KW_ONLY
    wrt: str = "world"
    position: Tube
    orientation: Orientation
    until: Sequence[Stop] = ()
    monitors: Sequence[Monitor] = ()
    pose: Rows | None = None
    name: str = ""

    def __post_init__(self) -> None:
        _keep_frames(self)
        checked.instance("Hold: position", self.position, Tube, "give a Tube(…)")
        checked.instance("Hold: orientation", self.orientation, Orientation, "give an Orientation(…)")
        rules.ends(self)

    @property
    def free(self) -> tuple[str, ...]:
        """The directions that nothing is said of: none."""
        return ()

    def __str__(self) -> str:
        return written(self)


@dataclass(frozen=True)
class Phases:
    """Several tasks in turn: each begins where the one before it ends, and may leave other directions free.

    >>> reach = Move("hand", "T", x=Speed(0.05, 0.005), y=Tube(0.01), z=Tube(0.01), until=[Goal(0.01)], name="reach")
    >>> turn = {"name": "turn", "y": None, "z": None, "orientation": Orientation(0.05)}
    >>> [phase.free for phase in Phases.sharing(reach, {}, turn).tasks]
    [('ax', 'ay', 'az'), ('y', 'z')]

    A path is one task, whose sections differ in numbers alone; phases may differ in everything.
    """

    tasks: Sequence[Move | Path | Hold]
    _: KW_ONLY
    name: str = ""

    def __post_init__(self) -> None:
        wanted = "give a list of tasks: Move(…), Path(…) or Hold(…)"
        tasks = checked.several("Phases: tasks", self.tasks, wanted)
        for task in tasks:
            checked.instance("Phases: tasks", task, (Move, Path, Hold), wanted)
        if not tasks:
            raise Error(f"Phases: tasks=[]; {wanted}")
        names = [task.name for task in tasks]
        for name in dict.fromkeys(names):
            if not name or names.count(name) > 1:
                said = f"{names.count(name)} phases are called {name!r}" if name else "a phase has no name"
                raise Error(f"Phases: {said}; give each a name of its own")
        checked.name("Phases: name", self.name, empty=True)
        kept(self, tasks=tasks)

    @staticmethod
    def sharing(shared: Move | Hold, *overrides: Mapping[str, Any], name: str = "") -> "Phases":
        """Phases that share what is said once, each with what is different in it."""
        known = [field.name for field in fields(shared)]
        for override in overrides:
            for key in override:
                if key not in known:
                    raise Error(f"Phases: a {type(shared).__name__} has no {key!r}{suggestion(str(key), known)}")
        return Phases([replace(shared, **override) for override in overrides], name=name)

    def __str__(self) -> str:
        return written(self)


Task = Move | Path | Hold | Phases


def _keep_frames(task: Any) -> None:
    """Names, poses and lists of a task as they are kept; refused where they are none."""
    kind = type(task).__name__
    for what in ("tool", "frame", "wrt"):
        checked.name(f"{kind}: {what}", getattr(task, what), "give the name of a frame")
    checked.name(f"{kind}: name", task.name, empty=True)
    if task.frame in (task.wrt, task.tool):
        other = "frame that it is told wrt" if task.frame == task.wrt else "tool"
        raise rules.Contradiction(kind, ("frame",), f"{task.frame!r} is the task frame and the {other}; name two")
    if task.pose is not None:
        kept(task, pose=pose_rows(f"{kind}: pose", task.pose))
    kept(task, until=rules.listed(f"{kind}: until", task.until, (Goal, Contact, Timeout)))
    kept(task, monitors=rules.listed(f"{kind}: monitors", task.monitors, (Monitor,)))
