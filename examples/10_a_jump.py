"""A quadruped in the air moves its legs as told: the base goes where it must, and the momentum knows nothing of it."""

import numpy as np

import motionc as mc

robot = mc.load("hyq")
legs = [name for name in robot.joint_names if name != "root_joint"]
flight = mc.hybrid_dynamics(robot, prescribed=legs)
momentum = mc.centroidal_momentum(robot)
energy = mc.energy(robot)

# all legs swing together for half a second while the robot turns and flies up
q, v, dt = robot.neutral(), np.zeros(robot.nv), 0.001
v[:6] = 0.3, 1.0, -0.2, 1.0, 0.0, 2.0
start, work = momentum(q, v), 0.0
before = sum(energy(q, v).values())


def accelerate(q: np.ndarray, v: np.ndarray, time: float) -> tuple[np.ndarray, float]:
    """How everything accelerates, and how much power the motors make."""
    swing = np.tile([0.2, 1.0, -1.5], 4) * 6 * np.cos(6 * time)
    out = flight(q, v, np.zeros(robot.nv), np.concatenate([np.zeros(6), swing]))
    return out.a, float(out.tau @ v)


for step in range(500):
    a, _ = accelerate(q, v, step * dt)
    half = v + dt / 2 * a
    a, power = accelerate(robot.integrate(q, v, dt / 2), half, (step + 0.5) * dt)
    q, v, work = robot.integrate(q, half, dt), v + dt * a, work + dt * power

fallen = np.array([0, 0, 0, 0, 0, -9.81 * 0.5 * mc.center_of_mass(robot, outputs=["mass"])(q)])
print("joints moved by up to", np.abs(q[7:]).max().round(2), "rad; the trunk turned to", q[3:7].round(3))
print(
    "operations:", sum(flight.operations.values()), "for the flight,", sum(momentum.operations.values()), "for momentum"
)
print(f"energy beyond the motors' work, J: {sum(energy(q, v).values()) - before - work:.1e}")
print(f"momentum that is not gravity's, kg m²/s and kg m/s: {np.abs(momentum(q, v) - start - fallen).max():.1e}")
