"""A humanoid reaches for a point: feet stand first, hand and pelvis come next, the posture gets what is left."""

import numpy as np

import motionc as mc

robot = mc.load("humanoid")
feet, SIX = ("left_sole", "right_sole"), "x y z rx ry rz"
arm = [name for name in robot.joint_names if name.startswith(("left_shoulder", "left_elbow"))]
still = [name for name in robot.joint_names if name.startswith(("waist", "neck", "right_shoulder", "right_elbow"))]
body = mc.constrained_dynamics(
    robot,
    [
        *(mc.Constraint(foot, SIX, source="contact") for foot in feet),
        mc.Constraint("left_hand", "xyz", level=2),
        mc.Constraint("pelvis", SIX, level=2),
        mc.JointConstraint(arm, level=3),
    ],
    prescribed=still,
    outputs=["a", "tau_command", "multipliers", "residual", "unactuated", "rank"],
)
places = mc.forward_kinematics(robot, ["left_hand", "pelvis", *feet])
twists = mc.frame_motion(robot, ["left_hand", "pelvis"], outputs=["twist"])

# knees bent, forearms level; the hand is to go up and inward, the pelvis down, the arm is to stay as it is
q, v, dt = robot.neutral(), np.zeros(robot.nv), 0.005
for side in ("left", "right"):
    for joint, angle in (("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4), ("elbow", -1.4)):
        q[robot.q_index[f"{side}_{joint}"]] = angle
arm_q, arm_v = (np.r_[tuple(index[name] for name in arm)] for index in (robot.q_index, robot.v_index))
start, home = places(q), q[arm_q]
hand, pelvis = start[0, :3, 3] + (0.05, -0.1, 0.2), start[1, :3, 3] + (0, 0, -0.05)


def missing(q: np.ndarray) -> np.ndarray:
    """How far hand, pelvis and arm are from where they are to be, in the order of the rows."""
    now, tilt = places(q), robot.difference(q, robot.neutral())[:3]
    return np.concatenate([hand - now[0, :3, 3], pelvis - now[1, :3, 3], tilt, home - q[arm_q]])


def move(q: np.ndarray, v: np.ndarray) -> mc.Results:
    """Towards the goals like springs with dampers; what is prescribed does not accelerate."""
    of_hand, of_pelvis = twists(q, v)
    rate = np.concatenate([of_hand[3:], of_pelvis[3:], of_pelvis[:3], v[arm_v]])
    b = np.concatenate([np.zeros(12), 36 * missing(q) - 12 * rate])
    return body(q, v, np.zeros(robot.nv), np.zeros(robot.nv), b)


for _ in range(400):
    v = v + dt * move(q, v).a
    q = robot.integrate(q, v, dt)

out = move(q, v)
off, slip = np.abs(missing(q)), np.abs(places(q)[2:] - start[2:]).max()
print(f"{'level':<7}{'what':<26}{'rows':>5}{'misses by, m/s² rad/s²':>26}{'off by':>12}")
for level, what, rows, result in (
    (1, "feet stand", slice(0, 12), f"{1e3 * slip:.3f} mm"),
    (2, "hand there, pelvis lower", slice(12, 21), f"{1e3 * off[:6].max():.3f} mm"),
    (3, "arm as it was", slice(21, 25), f"{off[9:].max():.2f} rad"),
):
    miss = np.abs(out.residual[rows]).max()
    print(f"{level:<7}{what:<26}{rows.stop - rows.start:>5}{miss:>26.1e}{result:>12}")
print(f"rank {out.rank:.0f} of 25 rows; {len(still)} joints are prescribed")

# no motor holds the pelvis up: what is asked of it the ground makes, and legs pass it on
reach = np.vstack([mc.jacobian(robot, foot)(q)[[3, 4, 5, 0, 1, 2]] for foot in feet])
more = np.linalg.pinv(reach[:, :6].T) @ out.unactuated[:6]
tau = out.tau_command - np.append(np.zeros(6), (reach.T @ more)[6:])
ground = (out.multipliers[:12] + more).reshape(2, 6)
again = mc.forward_dynamics(robot, external_forces=[mc.Force(foot, as_seen_by="world") for foot in feet])
replayed = again.run(q, v, tau, ground[:, [3, 4, 5, 0, 1, 2]])
weight = 9.81 * mc.center_of_mass(robot, outputs=["mass"])(q)
print(f"the strongest motor makes {np.abs(tau).max():.1f} N m; replayed to {np.abs(replayed - out.a).max():.0e}")
print(f"feet carry {ground[0, 2]:.1f} N and {ground[1, 2]:.1f} N, the robot weighs {weight:.1f} N")
