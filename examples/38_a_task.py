"""A task as text, YAML and a value: what it asks of a robot, what is wrong with it, and what its numbers are about."""

import math

import numpy as np

import motionc as mc
from motionc.tasks import Goal, Move, Sine, Speed, Timeout, Tube

TEXT = """
task reach
tool link_7
frame T wrt world at (-20, -30.8, 63.2) cm
  with rows (-0.432, 0.730, 0.527) (-0.730, 0.058, -0.679) (-0.527, -0.679, 0.508)

move compliantly {
  T X: velocity 5 cm/s + 12 cm/s * sin(5 rad/m * r), velocity-tolerance 5 mm/s
  T Y, Z: 0 m, position-tube 1 cm
  T aX, aY, aZ: no specification                // rotation is left to nature
} until either:
  goal area reached, tolerance 3 cm
  or task time > 9 s
"""

# ---------------------------------------------------------------- one task, however it is written
task = mc.tasks.parse(TEXT, name="reach.task")
same = Move(
    *("link_7", "T"),
    x=Speed(Sine(0.05, 0.12, 5.0), 0.005),
    y=Tube(0.01),
    z=Tube(0.01),
    until=[Goal(0.03), Timeout(9.0)],
    pose=task.pose,
    name="reach",
)
yaml = mc.tasks.to_text(task, "yaml")
assert task == same == mc.tasks.parse(yaml, "yaml")
print(yaml)

# ---------------------------------------------------------------- mistakes have a line, a column and a remedy
robot = mc.load("lwr4")
for wrong, right in (("1 cm", "1 N"), (", velocity-tolerance 5 mm/s", ""), ("T Y, Z", "S Y, Z")):
    try:
        mc.tasks.parse(TEXT.replace(wrong, right, 1), name="reach.task")
    except mc.ReadError as refusal:
        print(refusal)
print(mc.tasks.fits(Move("hand", "T", x=same.x, wrt="link_0"), robot))

# ---------------------------------------------------------------- what numbers are about, and where the arm stands
for one in mc.tasks.quantities(task):
    print(one)
q = np.array([2.967, 1.023, -0.131, 1.612, 0.221, 0.177, 0.015])
T, tool = mc.tasks.frame_inputs(task)["T"], mc.forward_kinematics(robot, "link_7")(q)[0]
left, across, above = T[:3, :3].T @ (tool[:3, 3] - T[:3, 3])
outside = max(abs(across), abs(above)) / task.y.tolerance
print(f"{-left:.3f} m to go; {1e3 * across:.0f} and {1e3 * above:.0f} mm beside the axis, {outside:.1f} tubes away")
print(f"with a horizon of 2.5 s, in the tube after {2.5 * math.log(outside / 0.95):.2f} s")
