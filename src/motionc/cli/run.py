"""`motionc run`: a first look at a robot in motion, and a table of what came of it."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from motionc import simulate, view
from motionc.model import Robot
from motionc.model.quotes import visible
from motionc.runtime.build.progress import told
from motionc.simulate.doings import SECONDS, Doing, Reached, carried_out, doing
from motionc.simulate.outcomes import Outcome, outcomes

INTERRUPTED = 130
"""What shells say of a command that Ctrl-C has ended."""


class Do(StrEnum):
    """What a robot is made to do."""

    drop = "drop"
    hold = "hold"
    push = "push"
    swing = "swing"


class Engine(StrEnum):
    """Who simulates it."""

    motionc = "motionc"
    mujoco = "mujoco"


Doings = Annotated[
    Do | None,
    typer.Option(
        help="of a robot. drop: fall on the ground, posture held; hold: against gravity; push: held, and pushed; "
        "swing: motors off"
    ),
]
Whose = Annotated[
    Engine | None, typer.Option("--plant", help="whose physics: ours, or MuJoCo's, built from the same model")
]
Seconds = Annotated[
    float | None, typer.Option(help="how long; as a task says, of a robot 3, of a swing 5", min=0.001, max=1e5)
]
Count = Annotated[int | None, typer.Option(help="lanes of a robot, each from a start of its own", min=1, max=1_000_000)]
Seed = Annotated[int | None, typer.Option(help="of these starts; of noise and plants of a task", min=0)]
Reported = Annotated[Path | None, typer.Option(help="write a report of it: one .html file; of many lanes, the first")]
Kept = Annotated[Path | None, typer.Option(help="keep it: a .mcap file; of many lanes, the first")]


def run_robot(
    robot: Robot,
    do: Do,
    engine: Engine,
    seconds: float | None,
    count: int,
    seed: int,
    as_json: bool,
    console: Console,
    *,
    report: Path | None = None,
    out: Path | None = None,
) -> int:
    """Let a robot run, print what came of it, keep it where it is to be kept; the exit code."""
    length = SECONDS[do] if seconds is None else seconds
    try:
        with bar(console, length, "s", quiet=as_json) as (tell, reach), told(tell):
            ours = engine is Engine.motionc
            done = doing(robot, do.value, count=count, seed=seed, method="rk4" if ours else "semi_implicit")
            reached = carried_out(done, length, seed=seed, engine=None if ours else simulate.MujocoPlant, tell=reach)
    except KeyboardInterrupt:
        Console(stderr=True).print("stopped before anything moved", style="yellow")
        return INTERRUPTED
    found = outcomes(done, reached)
    if as_json:
        typer.echo(json.dumps(_object(done, reached, found, engine, seed), indent=2, ensure_ascii=False))
    else:
        console.print(_told(done, reached, found, engine))
    if out is not None:
        reached.run.save(out, task="; ".join([done.do, *(f"{name}: {words}" for name, words in done.chosen.items())]))
    if report is not None:
        view.report(reached.run, report, said={"done": done.do, **done.chosen})
    for file in () if as_json else filter(None, (out, report)):
        console.print(f"{file}: {file.stat().st_size / 1e3:.0f} kB", markup=False, highlight=False)
    return 0 if reached.whole else INTERRUPTED


@contextmanager
def bar(
    console: Console, whole: float, unit: str, *, quiet: bool
) -> Generator[tuple[Callable[[str], None], Callable[[float], None]]]:
    """A bar on a terminal that says what is being done, and how much of the whole was reached; nothing elsewhere."""
    off = quiet or not console.is_terminal
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=off) as progress:
        task = progress.add_task("", total=whole)

        def tell(doing: str) -> None:
            progress.update(task, description=doing)

        def reach(now: float) -> None:
            progress.update(task, description=f"{now:.4g} of {whole:g} {unit}", completed=now)

        yield tell, reach


# ---------------------------------------------------------------- what came of it


def _told(done: Doing, reached: Reached, found: list[Outcome], engine: Engine) -> RenderableType:
    robot, many = done.plant.robot, done.count > 1
    head = Text(f"{visible(robot.name)}: {done.do}, {reached.seconds:g} s", style="bold")
    head.append(f", {done.count} lanes" * many + f", {engine.value}")
    chosen = Text("\n".join(f"{what}: {visible(said)}" for what, said in done.chosen.items()), style="dim")
    table = Table(box=None, pad_edge=False, show_header=many)
    for column in ("", *(("median", "worst") if many else ("",)), "", ""):
        table.add_column(column, justify="right" if column in ("median", "worst") else "left", no_wrap=True)
    names = table.columns[-1]
    names.no_wrap, names.overflow, names.min_width = False, "fold", 3  # they give way, numbers do not
    for each in found:
        numbers = [_number(each.median), _number(each.extreme)] if many else [_number(each.extreme)]
        table.add_row(each.words, *numbers, each.unit, visible(each.beside))
    return Group(head, chosen, table, *_ends(done, reached))


def _ends(done: Doing, reached: Reached) -> list[Text]:
    """How it ended, and how fast it went."""
    run, dt = reached.run, done.plant.dt
    fine, turns = np.atleast_1d(run.finite), np.atleast_1d(run.turns)
    lines = list[Text]()
    if not np.all(fine):
        first = float(turns[~fine].min()) * dt
        whose = f"{int(np.sum(~fine))} of {done.count} lanes" if done.count > 1 else "it"
        lines.append(Text(f"{whose} diverged, first after {first:g} s: numbers above are of the others", style="red"))
    if not reached.whole:
        lines.append(Text(f"stopped after {reached.seconds:g} s", style="yellow"))
    lines.append(Text(f"{reached.wall:.3g} s for it: {_speed(done, reached):,.3g} times real time", style="dim"))
    return lines


def _speed(done: Doing, reached: Reached) -> float:
    return done.count * reached.seconds / max(reached.wall, 1e-9)


def _number(value: float) -> str:
    return "0" if abs(value) < 1e-9 else f"{value:.4g}"


def _object(done: Doing, reached: Reached, found: list[Outcome], engine: Engine, seed: int) -> dict[str, Any]:
    fine = np.atleast_1d(reached.run.finite)
    return {
        "robot": done.plant.robot.name,
        "do": done.do,
        "plant": engine.value,
        "seconds": reached.seconds,
        "dt": done.plant.dt,
        "count": done.count,
        "seed": seed,
        "whole": reached.whole,
        "finite": int(np.sum(fine)),
        "chosen": done.chosen,
        "gains": done.gains,
        "outcomes": {
            each.key: {"median": each.median, "worst": each.extreme, "unit": each.unit, "beside": each.beside}
            for each in found
        },
        "wall": reached.wall,
        "times_real_time": _speed(done, reached),
    }
