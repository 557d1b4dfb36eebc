"""A controller and its robot as two processes: the same commands bit for bit, chosen by a line of a file."""

import numpy as np
import yaml

import motionc as mc
from motionc.tasks import Goal, Move, Speed, Tube

robot = mc.load("lwr4")
task = Move("link_7", "T", x=Speed(0.05, 0.005), y=Tube(0.01), z=Tube(0.01), until=[Goal(0.03)])
cycle = mc.tasks.lazy(robot, task, rate=630)

# the task frame: 3 cm beside the tool, X along the way it is to go
start = np.array([0.3, 0.6, 0.0, -1.2, 0.0, 0.7, 0.0])
frame = mc.forward_kinematics(robot, "link_7")(start)[0] @ mc.placed([0.1, 0.02, 0.02], [0.0, 0.0, 0.0])
frame[:3, :3] = np.eye(3)

# the robot as it really is: friction, noise, motors that are a cycle late; four steps a cycle
plant = mc.simulate.Plant(
    robot,
    dt=1 / (4 * 630),
    friction="smooth",
    sensors=[mc.simulate.Encoder(noise=1e-5)],
    actuators=mc.simulate.Torque(delay=4),
)
simulated = mc.simulate.SimulatedRobot(plant, start={"q": start, "v": np.zeros(7)}, every=4, seed=1)

# one experiment, three files
commands = {}
for section in ("kind: simulated", "kind: shared_memory", "kind: udp"):
    interface = mc.control.Interface.from_mapping(yaml.safe_load(section))
    there = mc.simulate.reached(interface, robot, simulated)
    done = mc.control.operate(there, cycle, {"T": frame}, seconds=1.0, log=["tau", "q"])
    commands[interface.kind] = done["tau"]
    print(f"{interface.kind:>13}: {done.cycles} cycles, {done.ended}; state in, command out: {done.response}")
for kind in ("shared_memory", "udp"):
    print(f"{kind}: the same commands bit for bit: {np.array_equal(commands[kind], commands['simulated'])}")

# a robot whose encoders count: what they are is configuration, the controller does not know
encoders = {
    name: {"counts_per_turn": 4096, "gear": 100 + k, "sign": (-1) ** k, "bits": 16, "reference": float(start[k])}
    for k, name in enumerate(robot.joint_names)
}
counted = mc.control.Interface.from_mapping({"kind": "simulated", "encoders": encoders})
done = mc.control.operate(mc.simulate.reached(counted, robot, simulated), cycle, {"T": frame}, seconds=0.5, log=["q"])
print(f"from counts: {done.cycles} cycles, {done.ended}")

# who does not answer in time is missed: the robot stops by itself, and holds where it is
watched = mc.simulate.SimulatedRobot(plant, start={"q": start, "v": np.full(7, 0.3)}, every=4, watchdog=5)
watched.open()
while not (reading := watched.read(1.0)).stopped:
    pass
watched.close()
speed, way = (np.abs(watched.moves.true(name) - rest).max() for name, rest in (("v", 0.0), ("q", start)))
print(f"without commands it stopped after {reading.number} periods: {reading.stopped.words}")
print(f"it came to rest, {speed:.0e} rad/s, {way:.3f} rad from where it started")
