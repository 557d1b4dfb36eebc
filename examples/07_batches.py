"""A hundred thousand states in one call: where does a falling arm feel its own weight most?"""

from time import perf_counter

import numpy as np

import motionc as mc

robot = mc.load("lwr4")
rng = np.random.default_rng(0)
lower, upper = robot.limits.lower, robot.limits.upper
Q = rng.uniform(lower, upper, (100_000, robot.nq))
still = np.zeros(robot.nv)

# ---------------------------------------------------------------- torques that hold the arm, for all states
gravity = mc.inverse_dynamics(robot)
gravity.batch(Q[:8], still, still)  # build it
start = perf_counter()
TAU = gravity.batch(Q, still, still)
took = perf_counter() - start
worst = int(np.argmax(np.abs(TAU[:, 1])))
assert np.allclose(TAU[worst], gravity(Q[worst], still, still))
print("heaviest configuration:", np.round(Q[worst], 2))

# ---------------------------------------------------------------- the same in single precision, states on the last axis
single = mc.inverse_dynamics(robot, precision="single").batch(Q.T, still, still, axis=-1)
print("single precision differs by at most", f"{np.max(np.abs(single.T - TAU)):.1e} N m")
print(f"{len(Q):,} states in {took * 1e3:.1f} ms; shoulder torque at most {abs(TAU[worst, 1]):.1f} N m")
