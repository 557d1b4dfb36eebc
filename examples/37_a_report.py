"""A report: an arm is pushed, and one page of HTML says what came of it.

The page has checks with verdicts, pictures, plots with references, limits and bands, and, where viser is installed, a
replay; it needs nothing beside it and opens from a folder. `pip install "motionc[report]"`.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import motionc as mc
from motionc.simulate import Band, Plant, Push, Recording, closed

robot = mc.load("planar2")
push = Push("joint:elbow", (8.0, 0.0, 0.0), start=0.5, seconds=0.1)
plant = Plant(robot, pushes=[push])
law = mc.control.pd(robot, 60.0, 6.0, feedforward="gravity")
home = np.array([0.4, 0.8])
run = closed(plant, law, log=["q", "v", "motor_force"])(plant.start(home), target=home, seconds=1.5)

# what the run should have been like: a band about the target, and checks of your own
tube = Band("q", home - 0.05, home + 0.05, "tube of 0.05 rad")
off = np.abs(run.q - home)
checks = [
    mc.view.Check("off the target at the end", off[-1].max(), 1e-3, unit="rad"),
    ("it gave way", off.max() > 1e-3),
]

with TemporaryDirectory() as folder:
    page = mc.view.report(Recording.of(run, bands=[tube]), Path(folder) / "pushed.html", checks=checks)
    plots = mc.view.plots(run, Path(folder) / "plots", form="png")
    print("plots:", ", ".join(file.stem for file in plots))
    print(f"{page.name}: {page.stat().st_size / 1e3:.0f} kB, farthest off {off.max():.4f} rad")
