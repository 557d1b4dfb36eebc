"""Two loads are weighed by what holds them, in three poses, on plants whose masses, friction and noise nobody knows."""

from dataclasses import replace

import numpy as np

from motionc.simulate import read_weighing
from motionc.simulate.shipped_experiments import FOLDER

weigh = read_weighing(FOLDER / "weigh.lwr4.yaml")
weighings = replace(weigh, poses=weigh.poses[:3]).weighings
# mass, centre of mass from the flange, inertia about it: xx xy xz yy yz zz
loads = np.array(
    [
        [0.6, 0.02, 0.00, 0.08, 1e-3, 0, 0, 1e-3, 0, 1e-3],
        [1.8, -0.01, 0.03, 0.10, 4e-3, 0, 0, 4e-3, 0, 4e-3],
    ]
)
found = weighings.weighed(loads, seed=1)
for true, mass, center, counted in zip(loads, found.mass, found.center, found.poses, strict=True):
    away = 1e3 * np.linalg.norm(center - true[1:4])
    print(f"{true[0]:.3f} kg weighed as {mass:.3f}, its centre {away:.1f} mm off, {counted:.0f} wrenches counted")
print(f"counted before signals had converged: {found.early.sum():.0f}")
print(f"commands are back at their reference within {found.off.max():.4f} of the largest")
print(f"{sum(weighings.cycle.operations.values())} operations a cycle that holds and weighs")
