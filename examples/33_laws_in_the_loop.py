"""What is a model worth in the loop? Five joints follow sinusoids: springs alone, and springs with inverse dynamics."""

import numpy as np

import motionc as mc

robot = mc.load("fancy")
pace, sway = 2 * np.pi * np.array([0.5, 0.6, 0.7, 0.8, 0.9]), np.array([0.4, 0.1, 0.4, 0.1, 0.5])
K, D = [800.0, 2000.0, 400.0, 1500.0, 80.0], [80.0, 120.0, 40.0, 100.0, 8.0]


def sines(time):
    """Where joints are to be, how fast, and how that changes."""
    sine, cosine = (np.array([getattr(w * time, f)() for w in pace]) for f in ("sin", "cos"))
    return {"target": sway * sine, "target_v": sway * pace * cosine, "target_a": -sway * pace**2 * sine}


torque = mc.control.computed_torque(robot, 400.0, 40.0)
clock = mc.Port("time", (), "s", "since the run began")
reference = mc.block("reference", sines, [clock], [port for port in torque.inputs if port.name.startswith("target")])
laws = {
    "springs": mc.control.pd(robot, K, D, moving=True),
    "and inverse dynamics": mc.control.pd(robot, K, D, feedforward="inverse_dynamics"),
    "computed torque": torque,
}

# the plant is not the model: each of a hundred has other masses, by up to a tenth
plant = mc.simulate.Plant(robot, vary={"*.mass": 0.1})
start = {"q": np.zeros(5), "v": sway * pace}
print("median error of each joint, rms in mrad or mm")
for name, law in laws.items():
    loop = mc.simulate.closed(plant, [reference, law], log={"q": 10, "target": 10})
    exact = loop(start, seconds=2.0)
    many = loop.batch(start, plants=100, seconds=2.0, seed=1)
    off = [1e3 * np.sqrt(np.mean((run.q - run.target) ** 2, axis=-2)) for run in (exact, many)]
    print(f"{name:>20}: {off[0].round(2)} as modelled, {np.median(off[1], axis=0).round(2)} with other masses")

# the same controller on an engine that nobody here wrote, where that is installed
try:
    theirs = mc.simulate.MujocoPlant(mc.simulate.Plant(robot))
except mc.Error as missing:
    print(missing)
else:
    runs = [mc.simulate.closed(one, [reference, torque], log=["q"]) for one in (theirs.plant, theirs)]
    ours, mujoco = (run(start, seconds=1.0).q for run in runs)
    print(f"MuJoCo's plant and ours are {np.abs(ours - mujoco).max():.0e} apart after a second")

# gains that a step cannot follow are told beforehand
print(mc.control.stability_note(robot, 100.0, 1000.0, dt=1e-3))
