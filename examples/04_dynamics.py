"""Inverse and forward dynamics of the same robot: what one asks of the motors, the other gives back as motion."""

import numpy as np

import motionc as mc

robot = mc.load("lwr4")
inverse, forward = mc.inverse_dynamics(robot), mc.forward_dynamics(robot)
rng = np.random.default_rng(0)

worst = 0.0
for _ in range(100):
    q, v, a = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    worst = max(worst, float(np.max(np.abs(forward(q, v, inverse(q, v, a)) - a))))

for port in (*forward.inputs, *forward.outputs):
    print(f"{port.name:4} {port.shape!s:5} {port.unit:14} {port.meaning}")
print("operations:", sum(inverse.operations.values()), "inverse,", sum(forward.operations.values()), "forward")
print(f"largest difference after there and back, rad/s²: {worst:.1e}")
