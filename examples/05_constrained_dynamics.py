"""Hold the flange of an arm still in three directions while gravity pulls: who makes the force?"""

import numpy as np

import motionc as mc

robot = mc.load("lwr4")
q, v = np.array([0.3, 0.8, -0.2, 1.1, 0.4, -0.7, 0.1]), np.full(7, 0.2)
hold = mc.Constraint("link_7", "xyz", point=(0, 0, 0.1))
dynamics = mc.constrained_dynamics(robot, [hold])
out = dynamics(q, v, np.zeros(7), np.zeros(3))
print("a           ", out.a.round(3))
print("tau_command ", out.tau_command.round(3), "N m: what the motors must make")
print("multipliers ", out.multipliers.round(3), "N: force on the flange, in world axes")

# the same motors, in plain forward dynamics, reproduce the acceleration
again = mc.forward_dynamics(robot)(q, v, out.tau_command)
print(f"replayed to {np.max(np.abs(again - out.a)):.1e} rad/s²")

# a planar arm asked for six directions has two to give; it says so
planar = mc.load("planar2")
lost = mc.constrained_dynamics(planar, [mc.Constraint("tip", "x y z rx ry rz")])
out = lost([0.0, 0.8], [0.0, 0.0], [0.0, 0.0], [1.0, 0, 0, 0, 0, 0])
print(*out.notes, sep="\n")
print("rank of six rows on two joints:", int(out.rank))
