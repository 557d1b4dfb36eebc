"""Hold an arm upright by what its derivatives say: a linear regulator, made where it is to stand."""

import numpy as np

import motionc as mc

robot = mc.load("lwr4")
motion = mc.forward_dynamics(robot)
change = motion.derivative("a", ["q", "v", "tau"])
print(change, "in", sum(change.operations.values()), "operations")

# ---------------------------------------------------------------- where it is to stand, and what moves it there
n, dt = robot.nv, 0.01
home = np.array([0.2, -0.3, 0.1, 0.5, -0.2, 0.4, 0.0])
still, held = np.zeros(n), mc.gravity_forces(robot)(home)
print("it stands: a =", np.abs(motion(home, still, held)).max().round(12))

now = change(home, still, held)
step = np.eye(n) * dt
A = np.block(
    [[np.eye(n) + dt * dt * now.da_dq, step + dt * dt * now.da_dv], [dt * now.da_dq, np.eye(n) + dt * now.da_dv]]
)
B = np.vstack([dt * dt * now.da_dtau, dt * now.da_dtau])

# ---------------------------------------------------------------- what little effort brings it back
Q, R = np.diag([100.0] * n + [1.0] * n), 0.01 * np.eye(n)
P = Q
for _ in range(2000):
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    P = Q + A.T @ P @ (A - B @ K)
print("slowest pole:", np.abs(np.linalg.eigvals(A - B @ K)).max().round(4))

# ---------------------------------------------------------------- pushed away, the real arm comes back
q, v = home + 0.2, np.full(n, 0.5)
for _ in range(600):
    tau = held - K @ np.concatenate([robot.difference(home, q), v])
    v = v + dt * motion(q, v, tau)
    q = robot.integrate(q, v, dt)
print("left after six seconds:", f"{np.abs(q - home).max():.1e}", "rad")
