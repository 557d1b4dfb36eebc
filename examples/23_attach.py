"""A gripper on an arm: two robots become one, with a mimic, limits and a frame for the tool; what does it weigh?"""

import numpy as np

import motionc as mc

# ---------------------------------------------------------------- a gripper in Python, whose fingers move together
hand = mc.Segment(
    "hand",
    mc.Link.rigid("hand", 0.6, com=(0, 0, 0.04), inertia=(1e-3, 1e-3, 5e-4)),
    tuple(mc.Attachment(f"slot_{side}", mc.Role.JOINT, mc.placed((0, 0, 0.08))) for side in ("left", "right")),
)
fingers = []
for side, axis in (("left", (0.0, 1.0, 0.0)), ("right", (0.0, -1.0, 0.0))):
    link = mc.Link.rigid(side, 0.05, com=(0, 0, 0.02), inertia=(1e-5, 1e-5, 1e-5))
    finger = mc.Segment(side, link, (mc.Attachment("rail", mc.Role.JOINT),))
    follows = mc.Mimic("open_left") if side == "right" else None
    slide = (f"open_{side}", mc.JointType.PRISMATIC, (finger, "rail"), (hand, f"slot_{side}"), axis)
    fingers.append(mc.Joint(*slide, mc.Limits(0.0, 0.04, 0.2, 70.0), follows))
gripper = mc.Robot(mc.KinematicChain("gripper", tuple(fingers)))

# ---------------------------------------------------------------- on the arm, turned by half a right angle
arm = mc.load("lwr4")
flange = arm.link_names[-1]
robot = mc.attach(arm, gripper, at=flange, prefix="gripper_", rpy=(0, 0, -np.pi / 4))
robot = robot.with_frame("tcp", on="gripper_hand", xyz=(0, 0, 0.12))
print(robot, "moves", ", ".join(robot.joint_names))
print("follows:", dict(robot.followers))

# ---------------------------------------------------------------- where the tool is, and what it weighs
q = np.append(np.full(7, 0.5), 0.03)
tcp, left, right = mc.forward_kinematics(robot, ["tcp", "gripper_left", "gripper_right"])(q)
print("tool at", tcp[:3, 3].round(3), "m; fingers", round(float(np.linalg.norm(left - right)), 3), "m apart")
masses = [mc.center_of_mass(each, outputs=["mass"])(x) for each, x in ((arm, q[:7]), (robot, q))]
print(f"{masses[1] - masses[0]:.3f} kg more than the arm alone")
