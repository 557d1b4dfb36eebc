"""The robots that come along: what each one weighs, and what standing still costs its motors."""

import numpy as np
from rich.console import Console
from rich.table import Table

import motionc as mc

Console(width=110).print(mc.robots())

table = Table("robot", "degrees of freedom", "kg", "largest torque to hold still, N m", box=None)
heaviest = ("", 0.0)
for entry in mc.robots():
    robot = mc.load(entry.name)  # HyQ and its like float, because the list says so
    mass = sum(link.mass or 0 for link in robot.links)

    # at zero, or as near as the limits allow; run step by step, which needs no compiler
    held = mc.load(entry.name, floating=False)  # a base that floats has no motors: hold it
    q = np.clip(0.0, held.limits.lower, held.limits.upper)
    torque = mc.inverse_dynamics(held).run(q, 0 * q, 0 * q)
    table.add_row(entry.name, str(robot.nv), f"{mass:.4g}", f"{np.max(np.abs(torque)):.4g}")
    heaviest = max(heaviest, (entry.name, mass), key=lambda pair: pair[1])

Console(width=110).print(table)
print(f"the heaviest is the {heaviest[0]}, {heaviest[1]:g} kg")
