"""Contact in time steps: a block, HyQ dropped, a humanoid on its soles, joints that stick and stop, balls that bounce.

What is analytic is compared with that; speed with MuJoCo's, on a model built from ours whose feet are spheres of 1 mm
and which pulls as stiffly as it can (elliptic cones, solref (0.002, 1)), one core, CPU time of the thread, minima of
interleaved rounds, both standing.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc.benchmark.timing import Absent, Array, one_core
from motionc.solvers.contact import Contact, Plane

DT, GRAVITY = 1e-3, 9.81
FEET = ("LF_foot", "RF_foot", "LH_foot", "RH_foot")
SERVO = {"stiffness": 400.0, "damping": 10.0}
ROUNDS, STEPS = 9, 2000

BLOCK = """
<robot name="block"><link name="block"><inertial><mass value="2"/>
<inertia ixx="0.0067" iyy="0.0167" izz="0.0167" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>
"""


def figures() -> Iterator[str]:
    yield from _block()
    yield from _dropped()
    yield from _fast()


# ---------------------------------------------------------------- a block


def block_step(friction: float, slope: float = 0.0, **options: Any) -> tuple[mc.Computation, Array]:
    """A block of 0.3 m × 0.2 m × 0.1 m on its four lower corners, on a plane that slopes down along x; and its start."""
    corners = [(x, y, -0.05) for x in (-0.15, 0.15) for y in (-0.1, 0.1)]
    plane = Plane((np.sin(slope), 0.0, np.cos(slope)))
    contacts = [Contact("block", plane, point=at, friction=friction, name=f"corner{k}") for k, at in enumerate(corners)]
    robot = mc.load(BLOCK, floating=True)
    start = robot.neutral()
    start[:3] = 0.05 * np.sin(slope), 0.0, 0.05 * np.cos(slope)
    start[3:] = np.cos(slope / 2), 0.0, np.sin(slope / 2), 0.0
    return mc.step(robot, DT, contacts=contacts, **options), start


def gone(step: mc.Computation, q: Array, v: Array, count: int, *more: Any) -> Iterator[Any]:
    """Where steps lead, one by one, impulses carried on; motors make nothing."""
    state, still = step.start(), np.zeros(len(v))
    for _ in range(count):
        out = step(q, v, still, *more, state=state)
        q, v, state = out.q_next, out.v_next, out.state
        yield out
