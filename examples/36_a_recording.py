"""A recording: a pushed arm's run saved as MCAP, opened again, replayed bit for bit; then a recorder beside a loop.

The file has signals with units and joint names, the robot, seed and versions, marks where the push began and ended,
bands where limits are. Rerun, Foxglove and PlotJuggler open it as a recording of ROS 2.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import motionc as mc
from motionc.simulate import Encoder, Mode, Plant, Push, Recorder, Recording, closed

robot = mc.load("ur5")
push = Push("wrist_3_link", (30.0, 0.0, 0.0), start=0.2, seconds=0.1)
plant = Plant(robot, sensors=[Encoder(noise=1e-4)], pushes=[push])
law = mc.control.pd(robot, 200.0, 20.0, feedforward="gravity")
loop = closed(plant, law, log=["q", "v", "motor_force"])
home = np.array([0.0, -1.2, 1.5, -0.3, 0.5, 0.0])
run = loop(plant.start(home), target=home, seconds=0.5, seed=3)

with TemporaryDirectory() as folder:
    # keep a run, with what it was about
    path = run.save(Path(folder) / "pushed.mcap", modes=[Mode((0.0, 0.2), ("HOLD", "PUSHED"))], task="hold still")
    recording = Recording.open(path)
    print(recording)
    for mark in recording.marks:
        print(f"  {mark.time:g} s: {mark.name}")
    farthest = np.abs(recording["q"].values - recording["target"].at(0.0)).max(axis=0)
    print("  " + ", ".join(f"{name} {off:.4f}" for name, off in zip(recording["q"].labels, farthest, strict=True)))

    # the same commands again, to the last bit
    again = loop.replay(recording)
    assert np.array_equal(again.motor_force, recording["motor_force"].values)

    # live: rows are handed over in microseconds, another thread writes them
    with Recorder(Path(folder) / "live.mcap", robot, ["q", "v", "tau"], dt=1e-3) as recorder:
        for k, (q, v) in enumerate(zip(run.q, run.v, strict=True)):
            recorder.log(1e-3 * k, q=q, v=v, tau=law(q, v, home))
    live = Recording.open(Path(folder) / "live.mcap")
    print(f"{path.stat().st_size / 1e6:.2f} MB saved; recorded live: {len(live['tau'].times)} rows")
