"""An arm picks something up: the same compiled functions go on, with ten other numbers; and it weighs what it holds."""

import tempfile
from pathlib import Path

import numpy as np

import motionc as mc

robot = mc.load("panda")
tool, nothing = "panda_hand_tcp", np.zeros(10)
load = mc.inertial(2.5, com=(0.01, 0.0, 0.07), inertia=(0.006, 0.005, 0.004))
motors = mc.inverse_dynamics(robot, parameters=[f"{tool}.payload"])
motion = mc.forward_dynamics(robot, parameters=[f"{tool}.payload"])
plain = mc.inverse_dynamics(robot)
print(motors.inputs[-1])
print(sum(motors.operations.values()), "operations instead of", sum(plain.operations.values()))

# ---------------------------------------------------------------- the same robot, written down with one link more
link = """<link name="load"><inertial><origin xyz="0.01 0 0.07"/><mass value="2.5"/>
<inertia ixx="0.006" ixy="0" ixz="0" iyy="0.005" iyz="0" izz="0.004"/></inertial></link>
<joint name="grip" type="fixed"><parent link="panda_hand_tcp"/><child link="load"/></joint></robot>"""
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "loaded.urdf"
    path.write_text(mc.to_urdf(robot).replace("</robot>", link), encoding="utf-8")
    fresh = mc.inverse_dynamics(mc.load(path))

rng, worst = np.random.default_rng(0), 0.0
for _ in range(100):
    q, v, a = robot.random(rng), *rng.normal(size=(2, 7))
    worst = max(worst, np.abs(motors(q, v, a, load) - fresh(q, v, a)).max())
print(f"against the robot built anew, 100 states: {worst:.1e} N m")

# ---------------------------------------------------------------- held by motors that know of it, or do not
home, dt = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8]), 1e-3
for known in (nothing, load):
    q, v = home, np.zeros(7)
    for _ in range(1000):
        v = v + dt * motion(q, v, motors(q, v, 100 * (home - q) - 20 * v, known), load)
        q = robot.integrate(q, v, dt)
    print("motors that know of it" if known is load else "motors that do not", end=": ")
    print(f"a joint sags by {np.degrees(np.abs(q - home).max()):.2f}°")

# ---------------------------------------------------------------- forces are linear in mass: at rest the arm is a scale
still = np.zeros(7)
measured = motors(home, still, still, load) + rng.normal(scale=0.05, size=7)  # N m, with noise
unit = motors(home, still, still, mc.inertial(1.0, com=(0.01, 0, 0.07))) - motors(home, still, still, nothing)
mass = unit @ (measured - motors(home, still, still, nothing)) / (unit @ unit)
print(f"it holds {mass:.3f} kg")
