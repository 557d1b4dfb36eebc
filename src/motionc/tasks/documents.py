"""How is a task written down? As text in a language of its own, as YAML, or as JSON: one task, three spellings.

A file's ending says which: .task, .yaml (.yml), .json. All are read into one located tree by one table (`layout`), so
what is refused in one is refused in all, with line, column and remedy; what one prints, each of them reads back.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.formats.located import Node, quoted, quoting
from motionc.formats.small_text import text_of
from motionc.formats.xml_tree import NoSuchFile, ReadError
from motionc.formats.yaml_tree import parse_json, parse_yaml, to_json, to_yaml
from motionc.model.findings import Finding, Findings, Place, Severity
from motionc.model.robot import Robot
from motionc.notices import LOG, warn
from motionc.tasks import checks
from motionc.tasks.language import tree
from motionc.tasks.layout import TASK, phases
from motionc.tasks.poses import EXACT, missed
from motionc.tasks.records import ROWS
from motionc.tasks.specification import Task
from motionc.tasks.text import written
from motionc.writing import write_file

__all__ = ["TaskWarning", "check", "parse", "read", "schema", "shipped", "to_text", "write"]

Spelling = Literal["task", "yaml", "json"]
ENDINGS: Mapping[str, Spelling] = {".task": "task", ".yaml": "yaml", ".yml": "yaml", ".json": "json"}
SHIPPED = Path(__file__).parent / "shipped"
LARGEST_TEXT = 2**17  # bytes; a grammar reads slowly
ROUNDED = 0.01
"""By how much a rotation printed with two or three digits misses; beyond, some digit is wrong."""


class TaskWarning(UserWarning):
    """A task that was read is not quite what its document says; `motionc.tasks.check` tells what."""


def read(source: str | Path) -> Task:
    """A task from a file (.task, .yaml, .json), or one that comes along, by name.

    >>> print(read("pregrasp_lwr4").tool)
    link_7
    """
    path = _file(source)
    return _made(path, str(path), _spelling(path))


def parse(text: str, spelling: Spelling = "task", *, name: str = "") -> Task:
    """A task from its text; `name` is what messages call it.

    >>> parse('''
    ... tool link_7
    ... frame T wrt world
    ... move compliantly {
    ...   T X: velocity 5 cm/s, velocity-tolerance 5 mm/s
    ... } until either: goal area reached, tolerance 1 cm
    ... ''').x
    Speed(value=0.05, tolerance=0.005)
    """
    checked.words("parse: text", text, "give the text of a task; read(…) takes files")
    checked.one_of("parse: spelling", spelling, ("task", "yaml", "json"))
    return _made(text, name or "<text>", spelling)


def to_text(task: Task, spelling: Spelling = "task") -> str:
    """A task as text that reads back as the same task; str(task) is its own language.

    >>> print(to_text(read("pregrasp_lwr4"), "yaml")[:14])
    task: pregrasp
    """
    checked.one_of("to_text: spelling", spelling, ("task", "yaml", "json"))
    _is_task("to_text", task)
    if spelling == "task":
        return written(task)
    return (to_yaml if spelling == "yaml" else to_json)(TASK.plain(task))


def write(task: Task, path: str | Path) -> Path:
    """Write a task to a file, whole or not at all; its ending says how: .task, .yaml, .json."""
    target = checked.path("write: path", path)
    return write_file(target, to_text(task, _spelling(target)))


def check(source: str | Path | Task, robot: Robot | None = None, frames: Mapping[str, str] | None = None) -> Findings:
    """Every finding about a task, by itself and for a robot: rule, place, message, remedy.

    Args:
        source: a file, the name of a task that comes along, or a task.
        robot: whose frames are meant, where it is known.
        frames: {name: wrt} of frames that are given with each call besides the task's own.

    >>> check("pregrasp_lwr4").ok
    True
    """
    if not isinstance(source, str | Path):
        _is_task("check", source)
        return checks.fits(source, robot, frames) if robot is not None else Findings()
    try:
        path = _file(source)
        text, tree = _tree(path, str(path), _spelling(path))
        with quoting(text):
            task = TASK.read(tree)
    except ReadError as error:
        return Findings((Finding("Read", Severity.ERROR, error.place, error.message, error.remedy, error.quote),))
    found = rotations(tree)
    if robot is not None:
        found = found + checks.fits(task, robot, frames, partial(_place, tree))
    return quoted(found, text)


def schema() -> dict[str, Any]:
    """The JSON Schema of tasks as YAML and JSON (draft 2020-12), from the table that they are read by.

    >>> schema()["title"]
    'A lazy task'
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A lazy task", **TASK.schema}


def shipped() -> tuple[str, ...]:
    """The names of the tasks that come along.

    >>> "pregrasp_lwr4" in shipped()
    True
    """
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.task")))


def rotations(tree: Node) -> Findings:
    """What is said of rotations that were printed with few digits: the nearest is meant."""
    found = list[Finding]()
    for rows in (rows for task in phases(tree) for rows in _printed(task)):
        miss = missed(ROWS.read(rows))
        if miss > EXACT:
            rounded = miss <= ROUNDED
            message = f"the rows are no rotation: RᵀR misses the identity by {miss:.2g}; the nearest one is taken"
            remedy = "print more digits" if rounded else "check digits and signs: rounding explains less than that"
            severity = Severity.NOTE if rounded else Severity.WARNING
            found.append(Finding("Rotation", severity, rows.place, message, remedy))
    return Findings(tuple(found))


def _printed(task: Node) -> Iterator[Node]:
    """The rows of every rotation that a task prints."""
    single, several = task.at("frame", "pose"), task.at("frame", "poses")
    for pose in (*([single] if single else []), *(several.items if several else [])):
        if rows := pose.at("rows"):
            yield rows


# ---------------------------------------------------------------- from a file to a tree to a task


def _made(source: Path | str, file: str, spelling: Spelling) -> Task:
    text, tree = _tree(source, file, spelling)
    with quoting(text):
        task: Task = TASK.read(tree)
    found = rotations(tree)
    for finding in found:
        if finding.severity is Severity.NOTE:
            LOG.info(str(finding))
        else:
            warn(str(quoted(Findings((finding,)), text).items[0]), TaskWarning)
    return task


def _tree(source: Path | str, file: str, spelling: Spelling) -> tuple[str, Node]:
    """The text, and what it says."""
    text = text_of(source, file, "task", LARGEST_TEXT)
    with quoting(text):
        if spelling == "task":
            return text, tree(text, file)
        return text, (parse_yaml if spelling == "yaml" else parse_json)(text, file, "task")


def _file(source: str | Path) -> Path:
    wanted = "give a path, or the name of a task that comes along"
    checked.instance("source", source, (str, Path), wanted)
    if isinstance(source, str) and source in shipped():
        return SHIPPED / f"{source}.task"
    path = checked.path("source", source, wanted)
    if not path.suffix and not path.exists():
        near = suggestion(str(source), shipped())
        said = "there is no such file, and no task of that name comes along"
        raise NoSuchFile(Place("task", str(source)), said, f"give a path to a file ({', '.join(ENDINGS)}){near}")
    return path


def _spelling(path: Path) -> Spelling:
    if path.suffix not in ENDINGS:
        said = path.suffix or "nothing"
        raise Error(f"{path}: files ending in {said} hold no task; name one ending in {', '.join(ENDINGS)}")
    return ENDINGS[path.suffix]


def _place(tree: Node, phase: int, key: str) -> Place:
    """Where a part of a task stands in its document."""
    task = phases(tree)[phase]
    if key == "wrt" and (frame := task.at("frame")) is not None:
        return frame.keys.get("wrt", frame.place)
    return task.keys.get(key, task.place)


def _is_task(what: str, task: Any) -> None:
    checked.instance(f"{what}: task", task, Task.__args__, "give a Move(…), Path(…), Hold(…) or Phases(…)")
