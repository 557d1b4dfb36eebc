"""Motion over time: a machine, monitors, a trajectory and a simulated arm in one loop that runs in C."""

import time

import numpy as np

import motionc as mc
from motionc.control import ANY, Braking, Elapsed, Machine, Row, Trapezoid

DT = 1e-3
robot = mc.load("ur5")
n, home, goal = robot.nv, np.array([0, -1.2, 1.0, -1.4, -1.5, 0]), np.array([1.2, -0.6, 1.6, -0.9, -1.2, 0.5])

# ---------------------------------------------------------------- when: monitors give events, a table moves by them
limits = robot.limits
guard = Braking("joint_limit", limits.lower, limits.upper, acceleration=np.full(n, 10.0), dt=2 * DT)
timer = Elapsed("over", after=8.0, dt=DT)
machine = Machine(
    ("HOME", "THERE", "STOP"),
    (
        Row(ANY, "joint_limit", "STOP"),
        Row(ANY, "over", "STOP"),
        Row("HOME", "arrived", "THERE", held=0.2),
        Row("THERE", "arrived", "HOME", held=0.2),
    ),
    ("arrived", guard, timer),
    final=("STOP",),
    dt=DT,
)
print(machine)

# ---------------------------------------------------------------- what: a setpoint for every state, and the way there
targets = {"HOME": home, "THERE": goal, "STOP": home}
setpoint = mc.block(
    "setpoint",
    lambda mode: {"target": machine.selected(mode, targets), "stopped": mode.equal(2.0)},
    [mc.Port("mode", (), "1", "of the machine")],
    [mc.Port("target", (n,), "rad, m", "where to go"), mc.Port("stopped", (), "1", "1 where it has ended")],
)
way = Trapezoid(np.full(n, 1.5), np.full(n, 4.0), DT, synchronised=True)

# ---------------------------------------------------------------- the arm: springs and dampers to the reference
parts = {
    "guard": guard.computation(),
    "timer": timer.computation(),
    "machine": machine.computation(),
    "setpoint": setpoint,
    "way": way.computation(),
    "gravity": mc.gravity_forces(robot),
    "arm": mc.step(robot, DT, stiffness=4000.0, damping=200.0),
}
for name in ("machine", "way", "arm"):
    print(f"{name}: {sum(parts[name].operations.values())} operations")
loop = mc.loop(
    parts,
    feeds={"setpoint.mode": "machine.mode", "arm.target": "way.position", "arm.tau": "gravity.g"},
    feedback={"q": "q_next", "v": "v_next", "arrived": "arrived"},
    log=["mode", "q_next"],
    until="stopped",
    period=DT,
)
loop.build()
begun = time.perf_counter()
out = loop(q=home, v=np.zeros(n), arrived=0.0, position=home, seconds=10.0)
spent = time.perf_counter() - begun
modes = out.mode[: out.turns].astype(int)
changes = np.flatnonzero(np.diff(modes)) + 1
for turn in changes:
    print(f"{turn * DT:.3f} s: {machine.states[modes[turn - 1]]} → {machine.states[modes[turn]]}")
rested = changes[1:-1] - 1  # where it has just been for a while
missed = [np.abs(out.q_next[turn] - targets[machine.states[modes[turn]]]).max() for turn in rested]
print(f"{len(changes)} transitions, {max(missed):.1e} rad from targets; {spent / out.turns * 1e6:.1f} µs a turn")
