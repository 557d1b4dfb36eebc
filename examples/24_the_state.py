"""A robot in flight that waves its legs: a loop of one's own, for one state and a hundred; momentum is kept."""

import time

import numpy as np

import motionc as mc

robot, dt, steps = mc.load("hyq"), 1e-3, 500
motion = mc.forward_dynamics(robot, gravity=(0, 0, 0))
momentum = mc.centroidal_momentum(robot)
rng = np.random.default_rng(0)

# ---------------------------------------------------------------- one state, by the midpoint rule
q, v = robot.neutral(), np.concatenate([0.5 * rng.normal(size=6), np.zeros(12)])
before, home = momentum(q, v), q
motion(q, v, v), robot.integrate(q, v, dt)  # compiled on the first call
start = time.perf_counter()
for step in range(steps):
    tau = np.concatenate([np.zeros(6), 2 * np.sin(20 * dt * step) * np.ones(12)])
    middle = v + dt / 2 * motion(q, v, tau)
    v = v + dt * motion(robot.integrate(q, v, dt / 2), middle, tau)
    q = robot.integrate(q, middle, dt)
taken = time.perf_counter() - start
gone = robot.difference(home, q)
print(f"{steps} steps in {1e3 * taken:.1f} ms; turned by {np.degrees(np.linalg.norm(gone[:3])):.1f}°")
print(f"momentum, angular and linear, before {before.round(3)}")
print(f"and after                            {momentum(q, v).round(3)}")

# ---------------------------------------------------------------- a hundred, in rows: the same lines
Q, V = robot.random(rng, size=100), 0.3 * rng.normal(size=(100, robot.nv))
kept = momentum.batch(Q, V)
for _ in range(steps):
    middle = V + dt / 2 * motion.batch(Q, V, np.zeros(robot.nv))
    V = V + dt * motion.batch(robot.integrate(Q, V, dt / 2), middle, np.zeros(robot.nv))
    Q = robot.integrate(Q, middle, dt)
worst = np.abs(momentum.batch(Q, V) - kept).max() / np.abs(kept).max()

# ---------------------------------------------------------------- somebody else's order, by names
ros = mc.orders.ros(robot)
print(f"as a message of ROS: base {ros.q(q)[:7].round(3)}, then {len(robot.joint_names) - 1} joints by name")
print(f"of a hundred robots the momentum changed by {worst:.1e} of its own size at most")
