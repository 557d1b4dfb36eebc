"""A pad wipes a dome that nobody described: approached, aligned with, followed at 5 N; judged by the plant itself."""

import numpy as np

from motionc.simulate.shipped_experiments import shipped_experiment

dome = shipped_experiment("clean_dome").but(seconds=15.0)
print(" → ".join(dome.cycle.machine.states[k] for k in (0, 3, 4, 1, 2, 0)))
judged = dome.study(4, seed=1).judged
for lane, happened in enumerate(judged.events):
    first = {event: time for time, event in reversed(happened)}
    told = (f"{event} at {first[event]:.2f} s" for event in ("contact_z", "align_done", "goal_area"))
    print(f"plant {lane}: {', '.join(told)}")

# what the pad pressed with, and how far it was from lying flat, while it cruised
print("force within 5 ± 0.5 N:", judged.force_in_band.round(3), "of the time")
print("speed within 30 ± 3 mm/s:", judged.speed_in_band.round(3))
print("tilt:", np.degrees(judged.tilt).round(2), "degrees at most; contact lost:", judged.losses, "times")
print(f"{sum(dome.cycle.operations.values())} operations a cycle")
