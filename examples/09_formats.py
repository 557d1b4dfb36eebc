"""One robot in four notations: URDF with its shapes, MJCF for MuJoCo, a Denavit–Hartenberg table, a graph."""

import tempfile
from pathlib import Path

import numpy as np

import motionc as mc
from motionc.model.compare import differences

robot = mc.load("ur5")
q = robot.random(0)

# ---------------------------------------------------------------- URDF there and back: nothing is lost
with tempfile.TemporaryDirectory() as folder:
    copy = Path(folder, "copy.urdf")
    mc.convert("ur5", copy)
    again = mc.load(copy)
print("lost on the way:", differences(robot.chain, again.chain) or "nothing")

# ---------------------------------------------------------------- the same arm from a published table
pi = np.pi
table = mc.from_dh(
    [
        {"d": 0.089159, "alpha": pi / 2},
        {"a": -0.425},
        {"a": -0.39225},
        {"d": 0.10915, "alpha": pi / 2},
        {"d": 0.09465, "alpha": -pi / 2},
        {"d": 0.0823},
    ],
    name="ur5_table",
)
reach = mc.forward_kinematics(table, ["link_6"]).run(q)[0]
print("tip by the table:", np.round(reach[:3, 3], 4))

# ---------------------------------------------------------------- to MuJoCo and to Graphviz
print(*mc.to_mjcf(robot).splitlines()[:6], "…", sep="\n")
print("lines of DOT:", len(mc.to_dot(robot).splitlines()))
