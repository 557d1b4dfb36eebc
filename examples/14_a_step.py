"""A biped puts its foot down: motion on one foot, the blow of the heel, and standing on both."""

import numpy as np

import motionc as mc

robot = mc.load("biped")
legs = [name for name in robot.joint_names if name != "root_joint"]
left = mc.Constraint("left_sole", "xyz rx ry rz", source="contact")
right = mc.Constraint("right_sole", "xyz", source="contact")

# on one foot the joints are told how to accelerate; the ground makes what holds the sole
swing = mc.constrained_dynamics(robot, [left, mc.JointConstraint(legs)], outputs=["tau_command", "wrenches"])
blow = mc.impact(robot, [left, right], outputs=["v_after", "impulse", "energy_lost", "residual"])
rest = mc.JointConstraint(legs, level=2)
stand = mc.constrained_dynamics(robot, [left, right, rest], outputs=["tau_command", "wrenches"])
soles = mc.forward_kinematics(robot, ["left_sole", "right_sole"])
weight = 9.81 * mc.center_of_mass(robot, outputs=["mass"])(robot.neutral())

# the robot itself: nothing moves it but motors and what the ground makes on each sole
dt = 0.001
step = mc.step(robot, dt, external_forces=[mc.Force("left_sole"), mc.Force("right_sole")])

# ---------------------------------------------------------------- the right leg, lifted, comes down
q, v = robot.neutral(), np.zeros(robot.nv)
for joint, angle in {"hip_pitch": -0.35, "knee": 0.7, "ankle_pitch": -0.35}.items():
    q[robot.q_index[f"left_{joint}"]] = 0.6 * angle
    q[robot.q_index[f"right_{joint}"]] = 1.1 * angle
down = np.zeros(robot.nv)
down[robot.v_index["right_knee"]], down[robot.v_index["right_hip_pitch"]] = -2.0, 0.7

steps = 0
while (height := np.subtract(*soles(q)[::-1, 2, 3])) > 0 and steps < 1000:
    out = swing(q, v, np.zeros(robot.nv), np.concatenate([np.zeros(6), 40 * (down - v)[6:]]))
    q, v = step(q, v, out.tau_command, [*out.wrenches, np.zeros(6)])
    steps += 1
print(f"after {1000 * steps * dt:.0f} ms the right sole is down, to {abs(height) * 1000:.1f} mm")

# ---------------------------------------------------------------- it strikes the ground
struck = blow(q, v)
print("impulses on the left sole ", struck.impulse[:3].round(3), "N s and", struck.impulse[3:6].round(3), "N m s")
print("impulses on the right sole", struck.impulse[6:].round(3), "N s")
print(f"energy that is lost: {struck.energy_lost:.3f} J of {mc.energy(robot)(q, v).kinetic:.3f} J")

# ---------------------------------------------------------------- and stands: feet first, then joints come to rest
v, least = struck.v_after, np.inf
for _ in range(600):
    out = stand(q, v, np.zeros(robot.nv), np.concatenate([np.zeros(9), -20 * v[6:]]))
    q, v = step(q, v, out.tau_command, out.wrenches)
    least = min(least, *out.wrenches[:, 5])
carried = out.wrenches[:, 5]
print(f"each foot presses with {least:.0f} N at least; joints move at {np.abs(v).max():.0e} rad/s in the end")
print(f"the left foot carries {carried[0] / weight:.1%}, the right one {carried[1] / weight:.1%} of the weight")
print(f"together {carried.sum() / weight:.6f}")
