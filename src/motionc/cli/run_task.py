"""`motionc run TASK|FILE`: an experiment, one plant or many, and what came of it: events, figures, files."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from motionc import view
from motionc.cli.run import Engine, bar
from motionc.cli.task_report import margin_unit, task_report
from motionc.errors import Error
from motionc.model.quotes import visible
from motionc.runtime.build.progress import told
from motionc.simulate.experiment import Experiment, Tried

Array = np.ndarray[Any, np.dtype[Any]]
DEGREES = 180 / np.pi
LINES = 40
"""Events that are told of a run, half of them from its beginning."""

Source = Annotated[
    str,
    typer.Argument(help="a task that comes along (`motionc tasks`), an experiment's .yaml file, or a robot, with --do"),
]
Whom = Annotated[str, typer.Option("--robot", help="which robot does the task; lwr4 unless said")]
Plants = Annotated[
    int | None, typer.Option("--plants", help="as many plants that differ as the experiment says", min=1, max=1_000_000)
]
Shown = Annotated[bool, typer.Option("--view", help="show the run in a browser")]


@dataclass(frozen=True)
class Asked:
    """What stands on the command line about an experiment; None where nothing does."""

    engine: Engine | None = None
    plants: int | None = None
    seed: int | None = None
    seconds: float | None = None
    show: bool = False
    report: Path | None = None
    out: Path | None = None
    as_json: bool = False


def run_task(experiment: Experiment, asked: Asked, console: Console) -> int:
    """Try an experiment, print what came of it, keep it where it is to be kept; the exit code."""
    tried = asked_of(experiment, asked)
    keeps = asked.out is not None or asked.report is not None or asked.show
    length = tried.seconds if asked.seconds is None else asked.seconds
    one = many = None
    with bar(console, float(asked.plants or 1), "plants", quiet=asked.as_json) as (tell, reach), told(tell):
        if keeps or not asked.plants:
            one = tried.run(seed=asked.seed, seconds=length, plant=0 if asked.plants else None)
        if asked.plants:
            many = tried.study(asked.plants, seed=asked.seed, seconds=length, tell=reach)
    done = many or one
    assert done is not None
    if asked.as_json:
        typer.echo(json.dumps(as_object(done, asked), indent=2, ensure_ascii=False))
    else:
        console.print(in_words(done))
    if one is not None and keeps:
        _kept(one, asked, console)
    return 0


def asked_of(experiment: Experiment, asked: Asked) -> Experiment:
    """The experiment on the plant that is asked for."""
    if asked.plants is not None and (asked.engine or experiment.rig.engine) == "mujoco" and asked.plants > 100:
        raise Error(
            f"--plants {asked.plants} on MuJoCo, turn by turn in Python: some seconds each; ask for 100 at most"
        )
    if asked.engine is None or asked.engine.value == experiment.rig.engine:
        return experiment
    if asked.engine is Engine.mujoco and experiment.rig.resistance == "smooth":
        return experiment.but(engine="mujoco", resistance="stiction")  # its frictionloss holds what is at rest
    return experiment.but(engine=asked.engine.value)


def _kept(one: Tried, asked: Asked, console: Console) -> None:
    recording = one.recording()
    if asked.out is not None:
        recording.save(asked.out)
    if asked.report is not None:
        task_report(one, recording, asked.report)
    for file in () if asked.as_json else filter(None, (asked.out, asked.report)):
        console.print(f"{file}: {file.stat().st_size / 1e3:.0f} kB", markup=False, highlight=False)
    if asked.show:
        with view.show(recording) as viewer:
            console.print(f"{visible(viewer.robot.name)}: {viewer.url}   (Ctrl-C ends it)", markup=False)
            viewer.wait()


# ---------------------------------------------------------------- as data


def as_object(done: Tried, asked: Asked) -> dict[str, Any]:
    """One object: numbers of a run; of many plants lists, an entry each."""
    own, judged = done.experiment, done.judged
    lanes = [judged.lane(k) for k in range(judged.lanes)]
    names = [name for name in lanes[0] if not _nothing(lanes, name)]
    figures = {name: lanes[0][name] if asked.plants is None else [lane[name] for lane in lanes] for name in names}
    return {
        "task": own.name,
        "robot": own.model.name,
        "plant": own.rig.engine,
        "interface": None if own.interface is None else own.interface.kind,
        "plants": asked.plants,
        "seed": own.seed if asked.seed is None else asked.seed,
        "seconds": own.seconds if asked.seconds is None else asked.seconds,
        "dt": own.plant.dt,
        **figures,
        **({} if done.operation is None else {"deadlines": done.operation.response.summary()}),
        "joints": list(map(str, own.model.limits.names)),
        "notes": _notes(done),
        "wall": done.wall,
    }


def _notes(done: Tried) -> list[str]:
    """How it was read, what is feared of delay, and, of one run, what loops fear and which numbers ran away."""
    return [*done.experiment.feared, *(done.run.notes if done.run else ())]


def _nothing(lanes: list[dict[str, Any]], name: str) -> bool:
    """Whether a figure is about something that the task does not have."""
    about = ("path_m", "recovery_s", "force_in_band", "tilt", "losses")
    return name in about and all(lane[name] in (None, []) for lane in lanes)


# ---------------------------------------------------------------- in words


def in_words(done: Tried) -> RenderableType:
    own, judged = done.experiment, done.judged
    many = judged.lanes > 1
    head = Text(f"{visible(own.name)}: {visible(own.model.name)}", style="bold")
    friction = f", friction {own.rig.resistance}" * (own.rig.resistance != "none")
    head.append(f", {judged.lanes} plants" * many + f", {own.rig.engine}{friction}")
    notes = Text("\n".join(map(visible, _notes(done))), style="yellow")
    table = Table(box=None, pad_edge=False, show_header=many)
    for column in ("", *(("median", "least", "most") if many else ("",)), "", ""):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    beside = table.columns[-1]
    beside.no_wrap, beside.overflow, beside.min_width = False, "fold", 3  # it gives way, numbers do not
    for words, values, unit, also in figures(done):
        known = values[~np.isnan(values)] if many and not np.isnan(values).all() else values[:1]
        numbers = [np.median(known), np.min(known), np.max(known)] if many else [values[0]]
        table.add_row(words, *(_number(float(one)) for one in numbers), unit, also)
    parts: list[RenderableType] = [head, *([notes] if notes.plain else []), *_happened(done), table]
    if done.operation is not None:
        parts.append(Text(f"over {own.interface.kind if own.interface else ''}: {done.operation.response!r}"))
    return Group(*parts, Text(f"{done.wall:.3g} s for it", style="dim"))


def _happened(done: Tried) -> Iterator[RenderableType]:
    """Events of a run; of many, how they ended."""
    judged = done.judged
    if judged.lanes == 1:
        told = [*judged.events[0], (float(judged.stopped_s[0]), judged.state[0])]
        lines = [f"{time:8.3f} s  {visible(name)}" for time, name in told]
        if len(lines) > LINES:
            lines[LINES // 2 : -LINES // 2] = [f"       …    {len(lines) - LINES} more, all of them with --json"]
        yield Text("\n".join(lines))
        return
    diverged = int(np.sum(np.isnan(judged.limit_margin)))
    if diverged:
        yield Text(f"{diverged} of {judged.lanes} diverged: numbers below are of the others", style="red")
    reached = int(np.sum(np.isfinite(judged.goal_s)))
    clean = int(np.sum(np.isfinite(judged.goal_s) & (judged.tube_violations_after_entry == 0)))
    yield Text(f"{reached} of {judged.lanes} reach the goal, {clean} without leaving the tube they were in")


def figures(done: Tried) -> Iterator[tuple[str, Array, str, str]]:
    """What is told: words, a number a lane, its unit, what else is to be said."""
    judged, robot = done.judged, done.experiment.model
    law = f"by the law {judged.law_s[0]:.2f}" if judged.law_s[0] > 0 else ""
    yield "tube entered", judged.tube_entry_s, "s", law
    yield "goal reached", judged.goal_s, "s", ""
    yield "tube left after that", judged.tube_violations_after_entry, "times", ""
    yield "tube used, most", judged.tube_used * 100, "%", ""
    yield "speed in band", judged.speed_in_band * 100, "%", "cruising"
    if np.isfinite(judged.path_m).any():
        yield "from the path, most", judged.path_m * 1e3, "mm", ""
    if judged.recovery_s.size:
        yield "speed back after a turn", np.fmax.reduce(judged.recovery_s, axis=1), "s", ""
    if np.isfinite(judged.force_in_band).any():
        yield "force in band", judged.force_in_band * 100, "%", "cruising"
        yield "tilted, most", judged.tilt * DEGREES, "°", ""
        yield "contact lost", judged.losses, "times", ""
    for k, name in enumerate(map(str, robot.limits.names)):
        yield f"effort of {visible(name)}", judged.torque_rms_share[:, k] * 100, "%", "of limit" * (k == 0)
    yield "work of motors", judged.work_J, "J", ""
    yield "commands move about", judged.activity, "1/s", ""
    yield "changes of mode", judged.transitions, "", ""
    if unit := margin_unit(robot):
        scale, shown = {"rad": (DEGREES, "°"), "m": (1e3, "mm")}.get(unit, (1.0, unit))
        yield "nearest to a joint limit", judged.limit_margin * scale, shown, ""


def _number(value: float) -> str:
    return "–" if np.isnan(value) else "0" if abs(value) < 1e-9 else f"{value:.4g}"
