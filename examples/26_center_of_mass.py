"""A biped draws a circle with its centre of mass, both feet on the ground: inverse kinematics, then torques."""

import numpy as np

import motionc as mc

robot = mc.load("biped")
soles, start = ["left_sole", "right_sole"], robot.neutral()
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.5), ("knee", 1.0), ("ankle_pitch", -0.5)):
        start[robot.q_index[f"{side}_{joint}"]] = angle

# ---------------------------------------------------------------- where: ten poses, feet and centre of mass held
feet = mc.forward_kinematics(robot, soles)(start)
center = mc.center_of_mass(robot, outputs=["com", "J", "bias", "mass"])
middle = mc.center_of_mass(robot)(start)
ik = mc.inverse_kinematics(robot, [*soles, mc.CenterOfMass()], tolerance=1e-8)
found = start
for turn in np.linspace(0, 2 * np.pi, 10, endpoint=False):
    place = np.eye(4)
    place[:3, 3] = middle + np.array([0.02 * np.cos(turn), 0.03 * np.sin(turn), -0.02])
    out = ik(found, [*feet, place])
    found = out.q
    off = np.abs(mc.center_of_mass(robot)(found) - place[:3, 3]).max()
    missed = out.position[:2].max()
    print(f"{np.degrees(turn):5.0f}°: there to {off:.0e} m, feet to {missed:.0e} m; {out.iterations} steps")

# ---------------------------------------------------------------- how: feet hold, then the centre of mass, then no spin
body = mc.constrained_dynamics(
    robot,
    [
        *(mc.Constraint(sole, source="contact") for sole in soles),
        mc.CenterOfMass(level=2),
        mc.Momentum("rx ry rz", level=2),
        mc.JointConstraint([name for name in robot.joint_names if name != "root_joint"], level=3),
    ],
    outputs=["a", "residual", "multipliers"],
)
v, wanted = np.zeros(robot.nv), np.array([0.3, 0.0, 0.1])
b = np.concatenate([np.zeros(12), wanted, np.zeros(3), np.zeros(robot.nv - 6)])
out = body(found, v, np.zeros(robot.nv), b)
now = center(found, v)
print("centre of mass accelerates by", (now.J @ out.a + now.bias).round(6), "m/s², asked for", wanted)
assert np.allclose(now.J @ out.a + now.bias, wanted, atol=1e-8)
