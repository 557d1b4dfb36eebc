"""A quadruped is dropped and thrown sideways: hard contact in the time step, nothing sinks, nothing creeps."""

import numpy as np

import motionc as mc
from motionc import simulate as sim

robot = mc.load("hyq")
legs = ("LF", "RF", "LH", "RH")
feet = [sim.Contact(f"{leg}_foot", friction=0.7) for leg in legs]

# knees bent, feet on the ground
home = robot.neutral()
for leg in legs:
    bend = 0.7 if leg[1] == "F" else -0.7
    home[robot.q_index[f"{leg}_HFE"]], home[robot.q_index[f"{leg}_KFE"]] = bend, -2 * bend
where = mc.forward_kinematics(robot, [foot.frame for foot in feet])
home[2] -= min(pose[2, 3] for pose in where(home))

# servos are implicit in the step; impulses of contacts are state, which the loop carries on
step = mc.step(
    robot,
    1e-3,
    contacts=feet,
    stiffness=400.0,
    damping=10.0,
    outputs=["q_next", "v_next", "gap", "contact_force", "contact_residual"],
)
loop = mc.loop(
    step,
    feedback={"q": "q_next", "v": "v_next"},
    held=["tau", "target"],
    log=["q", "gap", "contact_force", "contact_residual"],
    name="dropped",
)
print(f"{sum(step.operations.values())} operations a step")

start, v = home.copy(), np.zeros(robot.nv)
start[2] += 0.05
v[4] = 0.5
run = loop(q=start, v=v, tau=np.zeros(robot.nv), target=home, seconds=3.0)

weight = 9.81 * mc.center_of_mass(robot, outputs=["mass"])(home)
landed = run.time[np.argmax(run.contact_force[:, :, 2].sum(axis=1) > 0)]
print(
    f"lands after {landed:.3f} s ({np.sqrt(2 * 0.05 / 9.81):.3f} s of free fall), pressed by up to "
    f"{run.contact_force[:, :, 2].sum(axis=1).max() / weight:.1f} times its weight"
)
print(f"deepest {max(0.0, -1e3 * run.gap.min()):.4f} mm; impulses miss by at most {run.contact_residual.max():.0e} m/s")
ends = [np.array([pose[:3, 3] for pose in where(run.q[k])]) for k in (-500, -1)]
creep = np.linalg.norm(ends[1] - ends[0], axis=1).max() / 0.5
print(f"in the last half second feet creep {1e3 * creep:.4f} mm/s, while the trunk still sways")
