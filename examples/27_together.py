"""One tick of a controller as one program: what four computations share is computed once, in Python and in C."""

import tempfile
import timeit

import numpy as np

import motionc as mc

robot = mc.load("panda")
tool = robot.link_names[-1]
parts = [
    mc.mass_matrix(robot),
    mc.bias_forces(robot),
    mc.jacobian(robot, tool),
    mc.jacobian_rate(robot, tool, outputs=["bias"]),
]
tick = mc.together(*parts)
print(tick)

# ---------------------------------------------------------------- computed torque of the tool, from one call
q, v, wanted = robot.random(4), np.zeros(robot.nv), np.array([0, 0, 0, 0, 0, 0.5])
out = tick(q, v)
a = np.linalg.pinv(out.J) @ (wanted - out.bias)
tau = out.M @ a + out.h
found = mc.forward_dynamics(robot)(q, v, tau)
print("the tool accelerates by", (out.J @ found + out.bias).round(9))

# ---------------------------------------------------------------- what it costs
apart = sum(sum(one.operations.values()) for one in parts)
print(f"{sum(tick.operations.values())} operations together, {apart} apart")


def one_by_one() -> None:
    parts[0](q), parts[1](q, v), parts[2](q), parts[3](q, v)


one_by_one()
times = [min(timeit.repeat(call, number=2000, repeat=5)) / 2000 * 1e6 for call in (lambda: tick(q, v), one_by_one)]
print(f"{times[0]:.2f} µs a call together, {times[1]:.2f} µs apart")

with tempfile.TemporaryDirectory() as folder:
    print(*(path.name for path in tick.emit("c", folder)))
