"""Write a circle with the flange as if it were a mass in space; what the elbow does meanwhile is another matter."""

import numpy as np

import motionc as mc

robot = mc.load("lwr4")
task = mc.operational_space(robot, "link_7", rows="xyz", outputs=["Lambda", "mu", "p", "J", "N", "rank"])
poses = mc.forward_kinematics(robot, ["link_7"])
motion = mc.forward_dynamics(robot)
print(task, "in", sum(task.operations.values()), "operations")

q = np.array([0.3, 0.8, -0.2, 1.1, 0.4, -0.7, 0.1])
felt = task(q, np.zeros(7))
print("the flange weighs", np.linalg.eigvalsh(felt.Lambda).round(2), "kg, by direction")

# ---------------------------------------------------------------- F = Lambda x_ddot + mu + p,  tau = J^T F + N^T rest
center, radius, turn, dt = poses(q)[0, :3, 3] - [0, 0.1, 0], 0.1, 2 * np.pi, 1e-3


def circle(time: float) -> np.ndarray:
    """Where to be, how fast, and how accelerated."""
    c, s = np.cos(turn * time), np.sin(turn * time)
    across = np.array([[s, c, 0], [turn * c, -turn * s, 0], [-(turn**2) * s, -(turn**2) * c, 0]])
    return radius * across + [center, [0, 0, 0], [0, 0, 0]]


for swing in (0.0, 8.0):
    state, v, strays, elbow = q, np.zeros(7), [], []
    for step in range(2000):
        x, x_dot, x_ddot = circle(step * dt)
        felt = task(state, v)
        stray = x - poses(state)[0, :3, 3]
        F = felt.Lambda @ (x_ddot + 20 * (x_dot - felt.J @ v) + 100 * stray) + felt.mu + felt.p
        posture = swing * np.sin(9 * step * dt) - 4 * v
        v = v + dt * motion(state, v, felt.J.T @ F + felt.N.T @ posture)
        state = robot.integrate(state, v, dt)
        strays.append(stray)
        elbow.append(state[2])
    print(f"joint 3 moves by {np.ptp(elbow[1000:]):.2f} rad, and the flange strays by", end=" ")
    print(f"{1e3 * np.linalg.norm(strays[1000:], axis=1).max():.2f} mm")

# ---------------------------------------------------------------- two hands of one body
humanoid = mc.load("humanoid")
hands = mc.operational_space(humanoid, ["left_hand", "right_hand"], rows="xyz", outputs=["coupling", "Lambda"])
out = hands(humanoid.neutral())
pull = out.coupling @ [0, 0, 100, 0, 0, 0]
print(f"100 N up on the left hand: it accelerates by {pull[2]:.1f} m/s², the right hand by {pull[5]:.2f} m/s²")
