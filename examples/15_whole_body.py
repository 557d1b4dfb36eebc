"""A humanoid reaches for a point: feet stand first, then come the centre of mass, hand and chest, then joints."""

import numpy as np

import motionc as mc

still = ["neck_yaw", "neck_pitch", *(f"right_{name}" for name in ("shoulder_pitch", "shoulder_roll", "shoulder_yaw"))]
robot = mc.load("humanoid", fixed=[*still, "right_elbow"])
feet, SIX = ("left_sole", "right_sole"), "x y z rx ry rz"
joints = robot.joint_names[1:]
body = mc.constrained_dynamics(
    robot,
    [
        *(mc.Constraint(foot, SIX, source="contact", mu=0.6) for foot in feet),
        mc.CenterOfMass("xyz", level=2),
        mc.Constraint("left_hand", "xyz", level=3),
        mc.Constraint("chest", "rx ry rz", level=3),
        mc.JointConstraint(joints, level=4),
    ],
    outputs=["a", "tau_command", "wrenches", "contact_margin", "residual", "rank"],
)
places, center = (
    mc.forward_kinematics(robot, ["left_hand", "chest", *feet]),
    mc.center_of_mass(robot, outputs=["com", "J"]),
)
twists = mc.frame_motion(robot, ["left_hand", "chest"], outputs=["twist"])

# knees bent, a forearm level; the hand is to go up and inward, the centre of mass down
q, v, dt = robot.neutral(), np.zeros(robot.nv), 0.005
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4)):
        q[robot.q_index[f"{side}_{joint}"]] = angle
q[robot.q_index["left_elbow"]] = -1.4
start, home = places(q), q
hand, middle = start[0, :3, 3] + [0.05, -0.1, 0.2], center(q).com - np.array([0, 0, 0.04])


def missing(q: np.ndarray) -> np.ndarray:
    """How far centre of mass, hand, chest and joints are from where they are to be, in the order of the rows."""
    now = places(q)
    R, com = now[1, :3, :3], center(q).com
    tilt = 0.5 * np.array([R[1, 2] - R[2, 1], R[2, 0] - R[0, 2], R[0, 1] - R[1, 0]])
    return np.concatenate([middle - com, hand - now[0, :3, 3], tilt, robot.difference(q, home)[6:]])


def move(q: np.ndarray, v: np.ndarray) -> mc.Results:
    """Towards the goals like springs with dampers."""
    of_hand, of_chest = twists(q, v)
    rate = np.concatenate([center(q).J @ v, of_hand[3:], of_chest[:3], v[6:]])
    return body(q, v, np.zeros(robot.nv), np.concatenate([np.zeros(12), 36 * missing(q) - 12 * rate]))


# no motor holds the pelvis up: motors and the ground make what is asked, and nothing else moves the robot
pressed = [mc.Force(foot) for foot in feet]
replay, step = mc.forward_dynamics(robot, external_forces=pressed), mc.step(robot, dt, external_forces=pressed)
apart, hold, out = 0.0, np.inf, move(q, v)
for _ in range(400):
    apart = max(apart, float(np.abs(replay(q, v, out.tau_command, out.wrenches) - out.a).max()))
    hold = min(hold, float(out.contact_margin.min()))
    q, v = step(q, v, out.tau_command, out.wrenches)
    out = move(q, v)

off, slip = np.abs(missing(q)), np.abs(places(q)[2:] - start[2:]).max()
print(f"{'level':<7}{'what':<26}{'rows':>5}{'misses by, m/s² rad/s²':>26}{'off by':>12}")
for level, what, rows, result in (
    (1, "feet stand", slice(0, 12), f"{1e3 * slip:.3f} mm"),
    (2, "centre of mass lower", slice(12, 15), f"{1e3 * off[:3].max():.3f} mm"),
    (3, "hand there, chest upright", slice(15, 21), f"{1e3 * off[3:6].max():.3f} mm"),
    (4, "joints as they were", slice(21, 21 + len(joints)), f"{off[9:].max():.2f} rad"),
):
    miss = np.abs(out.residual[rows]).max()
    print(f"{level:<7}{what:<26}{rows.stop - rows.start:>5}{miss:>26.1e}{result:>12}")
weight = 9.81 * mc.center_of_mass(robot, outputs=["mass"])(q)
left, right = (out.wrenches[foot][5] for foot in feet)
print(f"rank {out.rank} of {len(out.residual)} rows; the strongest motor makes {np.abs(out.tau_command).max():.1f} N m")
print(
    f"feet carry {left:.1f} N and {right:.1f} N, the robot weighs {weight:.1f} N; at least {hold:.1f} N from slipping"
)
print(f"torques and the ground's wrenches alone move it as said: to {apart:.0e} rad/s² on all the way")
