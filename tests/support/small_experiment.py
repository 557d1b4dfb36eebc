"""A small experiment: a gantry of three slides goes along a line; its files, quick to build and to run."""

from pathlib import Path

from gantry import URDF

TASK = """task along
tool tool
frame T wrt world

move compliantly {
  T X: velocity 0.1 m/s, velocity-tolerance 0.01 m/s
  T Y: 0 m, position-tube 0.02 m
} until either:
  goal area reached, tolerance 0.02 m
  or task time > 4 s
"""
EXPERIMENT = """experiment: along
robot: gantry.urdf
task: along.task
start: -0.5 -0.4 0 m
frames:
  T: {at: [-0.3 m, -0.2 m, 0 m], rows: [[0.799, -0.601, 0], [0.601, 0.799, 0], [0, 0, 1]]}
control:
  rate: 200 Hz
  horizon: 0.3 s
  laws:
    x: {filter: 0.5, ignore: 0.15, bias_step: 1e-3, panic: 0.7, gain_step: 1e-2, maximum: 8 m/s^2}
    y: {filter: 0.5, ignore: 0.03, bias_step: 1e-3, panic: 0.8, gain_step: 1e-2, maximum: 8 m/s^2}
plant:
  substeps: 2
  viscous: 2 Ns/m
  coulomb: 0.5 0.4 0.3 N
  noise: {position: 10 um, velocity: 1 mm/s}
  vary: {mass: 10 %, viscous: [0, 2], noise: [0, 2]}
seconds: 4 s
seed: 3
"""


def small_experiment(folder: Path, old: str = "", new: str = "") -> Path:
    """The file of it, and those of its task and robot, in a folder; with words of it in the place of others."""
    assert old in EXPERIMENT
    (folder / "gantry.urdf").write_text(URDF)
    (folder / "along.task").write_text(TASK)
    file = folder / "along.yaml"
    file.write_text(EXPERIMENT.replace(old, new) if old else EXPERIMENT)
    return file
