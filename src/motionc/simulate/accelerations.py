"""How did joints accelerate over a time step? What sensors feel in the next turn: dv/dt where the step has led.

    a = (v_next - v) / dt - ω × v_next        v as the axes see it that have turned with the joint

ω × v is zero of all joints but floating and planar ones, whose linear velocity the child sees while it turns: what
flies feels nothing, however fast it goes and turns.
"""

from typing import Any

import numpy as np

from motionc.geometry.symbols import Symbols
from motionc.model.robot import Robot
from motionc.program.block import Block, written
from motionc.program.port import Precision
from motionc.runtime.computation import Computation
from motionc.solvers.arguments import a_port, q_port, v_port


def accelerations(robot: Robot, dt: float, precision: Precision) -> Computation:
    """q, v before a step, q_next, v_next after it → a_mean."""
    inputs = [
        q_port(robot),
        v_port(robot),
        q_port(robot, "q_next", "configuration after the step"),
        v_port(robot, "v_next", "joint velocities after the step"),
    ]
    spaces = robot.spaces()

    def rates(q: Any, v: Any, q_next: Any, v_next: Any) -> dict[str, Any]:
        found = list[Any]()
        for space in spaces:
            here, there, before, after = (
                Symbols.of(list(values[where]))
                for values, where in ((q_next, space.q), (q, space.q), (v, space.v), (v_next, space.v))
            )
            change = (after - space.type.seen_from(here, there, before)) * (1.0 / dt)
            found += (change - (space.type.resting(after, 1.0) - after)).flat
        return {"a_mean": np.array(found, object)}

    a = a_port(robot, "a_mean", "how joints accelerated over the step, on average")
    return Computation(Block(written("rates", rates, inputs, [a]), precision, robot, dt))
