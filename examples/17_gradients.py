"""A posture that costs little: gradients of an arm's effort, while its tool stays where it is."""

import numpy as np

import motionc as mc

robot = mc.load("lwr4")
tool = "link_7"

# ---------------------------------------------------------------- what motors hold, and how that changes
gravity = mc.gravity_forces(robot)
gradient = gravity.vjp("g", "q")  # q, g_bar → q_bar: with g_bar = g the gradient of |g|²/2
slope = gravity.derivative("g", "q")
print(
    f"operations: {gravity.operations.total()} for the forces, {gradient.operations.total()} for a gradient, "
    f"{slope.operations.total()} for all {slope.sparsity.rows.size} entries of {robot.nv}×{robot.nv} that are not zero"
)

q = np.array([0.3, 1.0, 0.2, 1.2, -0.4, 0.6, 0.0])
along = np.random.default_rng(0).normal(size=robot.nv)
step = 1e-6
moved = (gravity(robot.integrate(q, along, step)) - gravity(robot.integrate(q, along, -step))) / (2 * step)
print("against finite differences:", f"{np.abs(slope(q) @ along - moved).max():.0e} N m/rad")

# ---------------------------------------------------------------- downhill, as far as the tool lets
pose, jacobian = mc.forward_kinematics(robot, [tool]), mc.jacobian(robot, tool)
place = pose(q)[0, :3, 3]
efforts, length = [float(np.linalg.norm(gravity(q)))], 1e-3
for _ in range(150):
    J = jacobian(q)[3:]
    pull = gradient(q, gravity(q))
    across = pull - np.linalg.pinv(J) @ (J @ pull)
    while True:
        # a step across, then back to the place
        new = robot.integrate(q, -length * across)
        for _ in range(3):
            new = robot.integrate(new, np.linalg.pinv(jacobian(new)[3:]) @ (place - pose(new)[0, :3, 3]))
        effort = float(np.linalg.norm(gravity(new)))
        if effort <= efforts[-1] or length < 1e-12:
            break
        length /= 2
    q, length = new, 1.5 * length
    efforts.append(effort)

print("N m:", " ".join(f"{effort:.2f}" for effort in efforts[::25]))
print(f"the tool has moved by {np.linalg.norm(pose(q)[0, :3, 3] - place):.0e} m")
print(f"holding still takes {efforts[-1]:.2f} N m instead of {efforts[0]:.2f} N m")
