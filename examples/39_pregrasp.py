"""A pre-grasp within a tube, and no trajectory: an arm on a plant that its controller does not know, judged and drawn.

An LWR 4 comes to a pose within 1 cm of a line, at a speed that falls with what is left to go. Friction, noise, a cycle
of delay and masses that are off are the plant's alone. `motionc run pregrasp` says the same on the command line.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import motionc as mc

experiment = mc.simulate.shipped_experiment("pregrasp")
print(experiment.task)

# one plant, with all that a controller told
done = experiment.run()
judged = done.judged.lane(0)
print(*(f"{time:7.3f} s  {event}" for time, event in judged["events"]), sep="\n")
print(f"in the tube after {judged['tube_entry_s']:.2f} s, where the horizon's law says {judged['law_s']:.2f}")
print(f"there after {judged['goal_s']:.2f} s; left the tube {judged['tube_violations_after_entry']} times")
efforts = ", ".join(f"{100 * share:.1f}" for share in judged["torque_rms_share"])
print(f"motors at {efforts} % of their limits, {judged['work_J']:.1f} J")

# plants that differ: masses and rotors by a tenth, friction and noise from nothing to twice
study = experiment.study(16, seed=1)
for name in ("tube_entry_s", "goal_s", "speed_in_band"):
    values = getattr(study.judged, name)
    print(f"16 plants, {name}: {np.median(values):.3f} [{values.min():.3f} {values.max():.3f}]")

with TemporaryDirectory() as folder:
    rows = np.linspace(0, len(done.run.q) - 1, 4).astype(int)
    picture = mc.view.picture(experiment.model, done.run.q[rows], Path(folder) / "pregrasp.png", size=(1200, 360))
    recording = done.recording().save(Path(folder) / "pregrasp.mcap")
    for file in (picture, recording):
        print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB")
print(f"{np.isfinite(study.judged.goal_s).sum()} of 16 plants reached the goal")
