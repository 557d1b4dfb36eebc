"""A drill along a line: rates through a stretched arm, configurations for poses, and what is out of reach."""

import numpy as np

import motionc as mc

# ---------------------------------------------------------------- rates: what a stretched arm costs
planar = mc.load("planar2")
plain = mc.inverse_velocity(planar, "tip", rows="x y")
damped = mc.inverse_velocity(planar, "tip", "damped", rows="x y", damping_factor=0.05)
for bend in (1.0, 0.1, 0.001):
    rates = [np.linalg.norm(solve([0.0, bend], [0.0, -0.1])) for solve in (plain, damped)]
    print(f"elbow at {bend:5} rad: {rates[0]:8.2f} rad/s exactly, {rates[1]:.2f} rad/s damped")

# ---------------------------------------------------------------- poses: a hundred holes, any turn of the drill
robot = mc.load("lwr4")
drill = mc.Target("link_7", "xyz rx ry", as_seen_by="link_7", point=(0.0, 0.0, 0.1))
holes = np.tile(np.eye(4), (100, 1, 1))
holes[:, :3, :3] = np.diag([1.0, -1.0, -1.0])  # downwards
holes[:, :3, 3] = np.linspace((0.5, -0.3, 0.1), (0.5, 0.3, 0.1), 100)

ik = mc.inverse_kinematics(robot, drill, posture="middle")
q, path = np.array([0.0, 0.5, 0.0, 1.5, 0.0, -1.0, 0.0]), []
for hole in holes:
    out = ik(q, hole)
    assert out.success
    q = out.q
    path.append(q)
print("largest move of a joint from hole to hole:", f"{np.abs(np.diff(path, axis=0)).max():.3f} rad")

# ---------------------------------------------------------------- which part of a table can be reached?
x, y = np.meshgrid(np.linspace(-1.2, 1.2, 25), np.linspace(-1.2, 1.2, 13))
table = np.tile(holes[0], (x.size, 1, 1))
table[:, 0, 3], table[:, 1, 3] = x.ravel(), y.ravel()
found = mc.inverse_kinematics(robot, drill, restarts=10).batch(robot.neutral(), table)
for line in found.success.reshape(x.shape):
    print("   ", "".join("#" if ok else "." for ok in line))
print(found.notes[0])
worst = found.position[found.success].max()
print(f"{np.sum(found.success)} of {x.size} places can be drilled, to {worst:.0e} m")
