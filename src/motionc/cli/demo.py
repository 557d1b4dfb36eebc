"""`make demo`: an LWR 4 comes to a pre-grasp pose, told tolerances and no trajectory, and what came of it.

The run is simulated on a plant that differs from its controller's model: friction, noise and delay. A recording, a
picture and a report are written; without a C compiler all of it is interpreted, which takes some times as long.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from rich.console import Console

from motionc import view
from motionc.cli.run import bar
from motionc.cli.run_task import in_words
from motionc.cli.task_report import task_report
from motionc.errors import Error
from motionc.runtime.build.progress import told
from motionc.simulate.experiment import Tried
from motionc.simulate.shipped_experiments import shipped_experiment
from motionc.tasks.directions import move_of

FOLDER = Path("build") / "demo"
INSTANTS = (0.0, 0.5, 0.8, 1.0)
"""Shares of the run at which the robot is shown."""


def demo(folder: Path, console: Console) -> list[Path]:
    """Run, print, write; the files."""
    experiment = shipped_experiment("pregrasp")
    console.print(str(experiment.task), markup=False, highlight=False, style="cyan")
    with bar(console, experiment.seconds, "s", quiet=False) as (tell, _), told(tell):
        done = experiment.run()
    console.print(in_words(done))
    folder.mkdir(parents=True, exist_ok=True)
    recording = done.recording()
    files = [recording.save(folder / "pregrasp.mcap"), _picture(done, folder / "pregrasp.png")]
    try:
        files.append(task_report(done, recording, folder / "pregrasp.html"))
    except Error as missing:  # plots are an extra
        console.print(f"no report: {missing}", style="yellow", markup=False)
    for file in files:
        console.print(f"{file}: {file.stat().st_size / 1e3:.0f} kB", markup=False, highlight=False)
    console.print("a short tour of what is underneath: `motionc tour`; other tasks: `motionc tasks`", style="dim")
    return files


def _picture(done: Tried, file: Path) -> Path:
    """The robot on its way, side by side."""
    assert done.run is not None
    rows = (np.array(INSTANTS) * (len(done.run.times["q"]) - 1)).astype(int)
    times = [f"{done.run.times['q'][row]:.2g} s" for row in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # shapes that are left out are told by `motionc picture`
        return view.picture(
            done.experiment.model,
            done.run.q[rows],
            file,
            size=(1400, 420),
            captions=times,
            frames=move_of(done.experiment.task).tool,
        )


if __name__ == "__main__":
    demo(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, Console(soft_wrap=True))
