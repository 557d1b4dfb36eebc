"""What do commands say about tasks: whether one is right, what it asks, and how else it is written?"""

from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from motionc.cli.display import findings_list
from motionc.computations.loading import load
from motionc.errors import Error
from motionc.model import Findings
from motionc.model.quotes import visible
from motionc.tasks import Path as TaskPath
from motionc.tasks import Phases, check, quantities, read, shipped, write
from motionc.tasks.documents import ENDINGS
from motionc.tasks.layout import TASK


def is_task(source: str) -> bool:
    """Whether it names a task: a file by its ending, or one that comes along."""
    return Path(source).suffix in ENDINGS or source in shipped()


def check_task(source: str, robot: str = "") -> Findings:
    """Everything that is wrong with a task; where a robot is named, for it."""
    return check(source, load(robot) if robot else None)


def show_task(source: str, findings: Findings) -> RenderableType:
    """What a task asks: of what, with respect to what, in whose axes; what it leaves free."""
    task = read(source)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for head in ("", "of", "wrt", "as seen by", "asked"):
        table.add_column(head, overflow="fold")
    for one in quantities(task):
        whose = f"{one.task}: " if one.task else ""
        table.add_row(*map(visible, (whose + one.what, one.of, one.wrt, one.as_seen_by, one.asked)))
    free = [Text(f"free: {words}", style="dim") for words in _free(task)]
    return Group(Text(visible(task.name or source), style="bold"), table, *free, findings_list(findings))


def task_object(source: str) -> dict[str, Any]:
    """A task for a program that reads it: its document in SI, and what each number is about."""
    task = read(source)
    about = [
        {"task": one.task, "what": one.what, "of": one.of, "wrt": one.wrt, "as_seen_by": one.as_seen_by,
         "quantity": one.quantity.value, "asked": one.asked}
        for one in quantities(task)
    ]  # fmt: skip
    return {"document": TASK.plain(task), "quantities": about}


def convert_task(source: str, target: Path) -> Path:
    """A task in another spelling, which the target's ending names."""
    if target.suffix not in ENDINGS:
        raise Error(f"{target}: {source} is a task; name a file ending in {', '.join(ENDINGS)}")
    return write(read(source), target)


def _free(task: Any) -> list[str]:
    if isinstance(task, Phases):
        return [f"{phase.name}: {words}" for phase in task.tasks for words in _free(phase)]
    directions = (task.move if isinstance(task, TaskPath) else task).free
    return [", ".join(directions)] if directions else []
