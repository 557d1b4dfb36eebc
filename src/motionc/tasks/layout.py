"""How is a whole task written as keys and values? The table that YAML, JSON and the text language are read by.

task: pregrasp                     its name
tool: link_7
frame: {name: T, wrt: world, pose: {at: [-0.2 m, -0.308 m, 0.632 m], rows: [[…], […], […]]}}
move: {x: …, y: …}                 or hold: {position: …, orientation: …}
sections: 12                       of a path
until: […]
phases: [{task: reach, …}, …]      several tasks in turn; what stands beside them holds for
                                       all that say nothing else
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from motionc.formats.located import Node
from motionc.formats.records import Choice, Key, Record, Several, Whole, Words, located
from motionc.tasks.bands import Goal
from motionc.tasks.records import (
    ALIGN,
    APPROACH,
    BANDS,
    FRAME,
    FRAMES,
    LENGTH,
    MONITORS,
    ORIENTATION,
    OVERRIDE,
    TUBE,
    UNTIL,
)
from motionc.tasks.specification import Hold, Move, Path, Phases

HEADER = {"task": Key(Words(), "name"), "tool": Key(Words(), needed=True)}
MOVED = {"force_frame": Key(Words()), "move": Key(Record("the directions of a move", dict, BANDS), needed=True)}
HELD = Record(
    "the tubes of a hold",
    dict,
    {"position": Key(TUBE, needed=True), "orientation": Key(ORIENTATION, needed=True)},
)
BEFORE = {"approach": Key(APPROACH), "align": Key(ALIGN)}
ENDS = {"until": Key(UNTIL), "monitors": Key(MONITORS)}


def _move(tool: str, frame: dict[str, Any], move: dict[str, Any], **more: Any) -> Move:
    return Move(tool, frame["name"], **move, **_placed(frame), **more)


def _placed(frame: Mapping[str, Any]) -> dict[str, Any]:
    return {part: frame[part] for part in ("wrt", "pose") if part in frame}


def _move_parts(move: Move) -> dict[str, Any]:
    same = {part: getattr(move, part) for part in ("name", "tool", "force_frame", *BEFORE, *ENDS)}
    frame = {"name": move.frame, "wrt": move.wrt, "pose": move.pose}
    return same | {"frame": frame, "move": {name: getattr(move, name) for name in BANDS}}


def _path(sections: int, frame: dict[str, Any], **more: Any) -> Path:
    last, poses = more.pop("last", None), frame.pop("poses", ())
    own = {part: more.pop(part) for part in ("name", "overrides") if part in more}
    end = None if last is None else Goal(last)
    return Path(_move(frame=frame, **more), sections, last=end, poses=poses, **own)


def _path_parts(path: Path) -> dict[str, Any]:
    own = {part: getattr(path, part) for part in ("name", "sections", "overrides")}
    frame = {"name": path.move.frame, "wrt": path.move.wrt, "poses": path.poses}
    return _move_parts(path.move) | own | {"frame": frame, "last": path.last and path.last.tolerance}


def _hold(tool: str, frame: dict[str, Any], hold: dict[str, Any], **more: Any) -> Hold:
    return Hold(tool, frame["name"], **hold, **_placed(frame), **more)


def _hold_parts(hold: Hold) -> dict[str, Any]:
    same = {part: getattr(hold, part) for part in ("name", "tool", *ENDS)}
    frame = {"name": hold.frame, "wrt": hold.wrt, "pose": hold.pose}
    return same | {"frame": frame, "hold": {"position": hold.position, "orientation": hold.orientation}}


MOVE = Record(
    "a move",
    Move,
    {**HEADER, "frame": Key(FRAME, needed=True), **MOVED, **BEFORE, **ENDS},
    told_by="move",
    make=_move,
    parts=_move_parts,
)
SECTIONS = {"sections": Key(Whole(1), needed=True), "last": Key(LENGTH), "overrides": Key(Several(OVERRIDE))}
PATH = Record(
    "a path",
    Path,
    {**HEADER, "frame": Key(FRAMES, needed=True), **MOVED, **SECTIONS, **BEFORE, **ENDS},
    told_by="sections",
    make=_path,
    parts=_path_parts,
)
HOLD = Record(
    "a hold",
    Hold,
    {**HEADER, "frame": Key(FRAME, needed=True), "hold": Key(HELD, needed=True), **ENDS},
    told_by="hold",
    make=_hold,
    parts=_hold_parts,
)
ONE = Choice("a task", (PATH, HOLD, MOVE))
"""A task of one phase."""


@dataclass(frozen=True)
class InTurn:
    """Several tasks in turn: what stands beside them holds for all that say nothing else."""

    example = "{phases: …}"

    def takes(self, node: Node) -> bool:
        return "phases" in node.entries

    def read(self, node: Node) -> Phases:
        name = HEADER["task"].kind.read(node.entries["task"]) if "task" in node.entries else ""
        tasks = [ONE.read(phase) for phase in phases(node)]
        with located(node):
            return Phases(tasks, name=name)

    def has(self, value: Any) -> bool:
        return isinstance(value, Phases)

    def plain(self, value: Phases) -> dict[str, Any]:
        tasks = [ONE.plain(task) for task in value.tasks]
        keys = [key for key in tasks[0] if key != "task"]
        shared = {key: tasks[0][key] for key in keys if all(key in one and one[key] == tasks[0][key] for one in tasks)}
        own = [{key: said for key, said in one.items() if key not in shared} for one in tasks]
        return ({"task": value.name} if value.name else {}) | shared | {"phases": own}

    @property
    def schema(self) -> dict[str, Any]:
        keys = {key: entry.kind.schema for record in (PATH, HOLD, MOVE) for key, entry in record.keys.items()}
        frame = {"frame": {"anyOf": [FRAME.schema, FRAMES.schema]}}
        phase = {"type": "object", "properties": keys | frame, "required": ["task"], "additionalProperties": False}
        both = {"phases": {"type": "array", "items": phase, "minItems": 1}}
        return phase | {"properties": keys | frame | both, "required": ["phases"]}


TASK = Choice("a task", (InTurn(), *ONE.kinds))
"""Any task."""


def phases(node: Node) -> list[Node]:
    """The tasks of a document, each with what all of them share; the document itself where it is one task."""
    if "phases" not in node.entries:
        return [node]
    own = node.entries["phases"]
    if not own.items:
        raise own.error("no phases", "write entries behind dashes, each a task")
    shared = {key: entry for key, entry in node.entries.items() if key not in ("task", "phases")}
    return [_with_shared(Node(shared, node.place, node.keys), phase) for phase in own.items]


def _with_shared(shared: Node, phase: Node) -> Node:
    """A phase, with what it does not say itself; directions of a move one by one."""
    if not isinstance(phase.value, dict):
        raise phase.error("a phase that is no mapping", "write {task: …, move: …}")
    other = {"move": "hold", "hold": "move"}
    dropped = {key for mine, key in other.items() if mine in phase.value}
    both = Node({key: entry for key, entry in shared.entries.items() if key not in dropped}, shared.place, shared.keys)
    merged = both.merged(phase)
    moves = [one.entries["move"] for one in (both, phase) if "move" in one.entries]
    if len(moves) == 2 and isinstance(merged.value, dict):
        merged.value["move"] = moves[0].merged(moves[1])
    return merged
