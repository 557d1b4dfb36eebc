"""Two marbles in a bowl: ground by its heights, two robots in one, a collision; then 200 bowls of other depths at once.

Each marble is a robot of one link. Side by side they are one robot, which knows three contacts: each on the bowl, and
one on the other. The heights are an input of the time step, so that every roll-out may have a bowl of its own.
"""

import numpy as np

import motionc as mc
from motionc.simulate import Contact, HeightField, Plant, Solid, Sphere, closed, free_body

RADIUS, BOWL = 0.02, 0.5

# a round bowl, 2 cm from height to height
x, y = np.meshgrid(*(-0.3 + 0.02 * np.arange(31),) * 2, indexing="ij")
bowl = HeightField(BOWL - np.sqrt(BOWL**2 - x**2 - y**2), 0.02, (-0.3, -0.3, 0.0), name="bowl")

marble = free_body("marble", Sphere(RADIUS), density=2500.0)
both = mc.attach(marble, marble, "world", prefix="b_", floating=True)
ball = Sphere(RADIUS)
contacts = [
    Contact("marble", bowl, shape=ball),
    Contact("b_marble", bowl, shape=ball, name="b"),
    Contact("marble", Solid(ball, "b_marble"), shape=ball, friction=0.2, restitution=0.9, name="both"),
]
loop = closed(Plant(both, contacts=contacts), log={"q": 10, "contact_force": 1})

# one at rest at the bottom, one let go beside it
q = both.neutral()
q[:3] = 0.12, 0.0, BOWL - np.sqrt((BOWL - RADIUS) ** 2 - 0.12**2)
q[7:10] = 0.0, 0.0, RADIUS
start = {"q": q, "v": np.zeros(12)}
run = loop(start, tau=np.zeros(12), seconds=1.0)
hit = np.flatnonzero(np.abs(run.contact_force[:, 2]).max(axis=1) > 0)[0]
print(f"they meet after {hit} ms, and then the other one goes on, to x = {run.q[:, 7].min():.3f} m")

# shallower bowls, where it takes longer
depths = np.linspace(0.4, 1.0, 200)
lanes = {"q": np.tile(q, (200, 1)), "v": np.zeros((200, 12))}
lanes["q"][:, 2] += 0.001
many = loop.batch(lanes, tau=np.zeros((200, 12)), bowl=depths[:, None, None] * bowl.heights, seconds=1.0)
met = np.abs(many.contact_force[:, :, 2]).max(axis=2) > 0
first = np.where(met.any(axis=1), met.argmax(axis=1), -1)
print(f"in the shallowest of 200 bowls they meet after {first[0]} ms, in the deepest after {first[-1]} ms")
