"""Who wins, a constraint or a posture? A planar arm holds x of its tip while its joints go elsewhere, six ways."""

from dataclasses import replace

import numpy as np

import motionc as mc

DOWN = (0.0, -9.81, 0.0)


def geared(name):
    """A planar arm with rotors of 0.01 kg m² at its joints."""
    chain, gear = mc.load(name).chain, mc.Transmission(rotor_inertia=0.01)
    joints = tuple(replace(one, transmission=gear) if one.type == "continuous" else one for one in chain.joints)
    return mc.Robot(mc.KinematicChain(name, joints, chain.base))


def eased(time, seconds):
    """From 0 to 1 and to rest, and its rates."""
    s = (time / seconds).minimum(1.0)
    bend = (s < 1.0).select((6 - 12 * s) / seconds**2, 0.0)
    return 3 * s * s - 2 * s * s * s, 6 * (s - s * s) / seconds, bend


clock, tau_unit = mc.Port("time", (), "s", "since the run began"), "N m, N"
# gains of the thesis, over 0.5 s
beta, spring = (70.345 / 0.25, 95.598 / 0.5), (370.232 / 0.25, 25.559 / 0.5)

# ---------------------------------------------------------------- two links: x by acceleration, y by impedance
robot, bent = geared("planar2"), np.array([2.0, 1.2])
pose, motion = mc.forward_kinematics(robot, "tip"), mc.frame_motion(robot, "tip", outputs=["twist"])
home = pose(bent)[0, :3, 3]
pull = mc.control.impedance(robot, "tip", *spring, rows="y", moving=True, feedforward="gravity", gravity=DOWN)
hold = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")], gravity=DOWN, outputs=["tau_command"])
b = next(port for port in hold.inputs if port.name == "b")


def rise(time):
    way, rate, _ = eased(time, 2.5)
    return {"target_position": home + np.array([0, 0.12, 0]) * way, "target_velocity": np.array([0, 0.12, 0]) * rate}


def stay(pose, twist):
    off = pose[0, :3, 3] - home
    return {"b": np.array([-beta[0] * off[0] - beta[1] * twist[0, 3]]), "off": off}


controller = {
    "goal": mc.block("goal", rise, [clock], pull.inputs[2:]),
    "pose": pose,
    "motion": motion,
    "stay": mc.block("stay", stay, [*pose.outputs, *motion.outputs], [b, mc.Port("off", (3,), "m", "from home")]),
    "pull": pull,
    "hold": hold,
}
feeds = {"hold.tau": "pull.tau", "actuators.tau": "hold.tau_command"}
plant = mc.simulate.Plant(robot, gravity=DOWN)
loop = mc.simulate.closed(plant, controller, feeds=feeds, log=["off", "target_position"])
run = loop({"q": bent, "v": np.zeros(2)}, seconds=5.0)
missed = np.abs(run.off - (run.target_position - home)).max(axis=0) * 1e3
print(f"two links, y rises by 120 mm: x strays {missed[0]:.3f} mm, y {missed[1]:.3f} mm from the cubic")

# ---------------------------------------------------------------- four links, and five things to do
robot = geared("planar4")
start, end = np.array((1.8, -0.8, -0.9, -0.8)), np.array((1.2, -0.9, -1.0, -0.9))
K, D = np.array((30.5, 30.2, 5.1, 10.1)) / 0.25, np.array((12, 10, 3, 3)) / 0.5
pose, motion = mc.forward_kinematics(robot, "tip"), mc.frame_motion(robot, "tip", outputs=["twist"])
x = pose(start)[0, 0, 3]
posture = mc.control.computed_torque(robot, K, D, gravity=DOWN)
first, last = (
    mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")], posture=share, gravity=DOWN, outputs=["tau_command"])
    for share in (0.0, 1.0)
)


def go(time):
    way, rate, bend = eased(time, 2.5)
    return {"target": start + (end - start) * way, "target_v": (end - start) * rate, "target_a": (end - start) * bend}


def keep(pose, twist):
    stray = pose[0, 0, 3] - x
    return {"b": np.array([-beta[0] * stray - beta[1] * twist[0, 3]]), "stray": stray}


def weigh(first, last, share):
    return {"tau": first + share * (last - first)}


motors = [mc.Port(name, (4,), tau_unit, "what motors would make") for name in ("first", "last")]
controller = {
    "reference": mc.block("reference", go, [clock], posture.inputs[2:]),
    "pose": pose,
    "motion": motion,
    "keep": mc.block("keep", keep, [*pose.outputs, *motion.outputs], [b, mc.Port("stray", (), "m", "of x")]),
    "posture": posture,
    "first": first,
    "last": last,
    "weigh": mc.block("weigh", weigh, [*motors, mc.Port("share", (), "1", "of the posture")], posture.outputs),
}
feeds = {f"{one}.tau": "posture.tau" for one in ("first", "last")}
feeds |= {f"weigh.{one}": f"{one}.tau_command" for one in ("first", "last")} | {"actuators.tau": "weigh.tau"}
loop = mc.simulate.closed(
    mc.simulate.Plant(robot, gravity=DOWN), controller, feeds=feeds, log=["stray", "q", "target"], name="who_wins"
)
shares = {"posture consistent": 0.0, "W_c >> W_p": 0.01, "W_c > W_p": 0.3, "W_p > W_c": 0.7, "W_p >> W_c": 0.99}
shares |= {"posture first": 1.0}
runs = loop.batch({"q": start, "v": np.zeros(4)}, share=np.array([*shares.values()]), seconds=5.0)
for name, stray, q, target in zip(shares, runs.stray, runs.q, runs.target, strict=True):
    print(f"{name:>18}: x strays {1e3 * np.abs(stray).max():6.2f} mm, joints miss {np.abs(q - target).max():.2f} rad")
