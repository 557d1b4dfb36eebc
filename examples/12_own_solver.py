"""A solver of one's own: what a force sensor in the wrist feels and what each motor spends, beside inverse dynamics."""

import numpy as np

import motionc as mc


@mc.operation(mc.OUTWARD, needs="joint_force", gives="power")
def spend(joint, parent, child):
    """P = τᵀ q̇; there are no numbers yet while the schedule is checked."""
    tau, rate = child.joint_force.values, joint.velocity.values
    child["power"] = tau.T @ rate


robot = mc.load("lwr4")
solver = mc.solve(
    robot,
    mc.schedules.INVERSE_DYNAMICS + mc.sweep(spend) + mc.schedules.ENERGY,
    outputs={
        "tau": "joint_force",
        "wrist": mc.Output("wrench", of="joint:joint_6", as_seen_by="joint:joint_6"),
        "power": mc.Output("power", unit="W", meaning="what each motor spends"),
        "kinetic": "kinetic_energy",
        "potential": "potential_energy",
    },
    name="wrist_sensor",
)
print(solver)
for port in solver.outputs:
    print(f"  {port.name} {port.shape}, {port.unit}: {port.meaning}")
together = sum(solver.operations.values())
apart = [sum(part.operations.values()) for part in (mc.inverse_dynamics(robot), mc.energy(robot))]
print(f"{together} operations; inverse dynamics and energy apart take {' + '.join(map(str, apart))}")

# motors spend what the energy gains
q, v, a, dt = robot.random(0), np.linspace(-1, 1, 7), np.linspace(1, -2, 7), 1e-6
now = solver(q, v, a)
later, before = (solver(robot.integrate(q, v + h / 2 * a, h), v + h * a, a) for h in (dt, -dt))
gained = (later.kinetic + later.potential - before.kinetic - before.potential) / (2 * dt)
print("the wrist feels, N m and N:", now.wrist.round(3))
print(f"the motors spend {now.power.sum():.6f} W, the energy gains {gained:.6f} W")
