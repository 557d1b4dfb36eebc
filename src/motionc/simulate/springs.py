"""Springs and dampers that are part of a time step: how ideal position actuators are told, and what they make."""

from dataclasses import replace
from typing import Any

import numpy as np

from motionc.control.laws import pd
from motionc.model.robot import Robot
from motionc.program.block import Block, written
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation
from motionc.simulate.actuators import Position
from motionc.solvers.arguments import tau_port


def told_to_springs(robot: Robot, springs: Position, target: Port, precision: Precision) -> Computation:
    """q_target → servo_target, as the step has it, and no force besides."""
    none, nothing = tau_port(robot, "force of other motors than springs: none", "no_force"), np.zeros(robot.nv, object)

    def passed_on(q_target: Any) -> dict[str, Any]:
        return {"servo_target": q_target, "no_force": nothing}

    outputs = [replace(target, name="servo_target"), none]
    return Computation(Block(written("actuators", passed_on, [springs.port(robot)], outputs), precision, robot))


def forces_of_springs(robot: Robot, springs: Position, precision: Precision) -> Computation:
    """What they made in a step, with q before it and v after it → motor_force."""
    law = pd(robot, springs.stiffness, springs.damping).solver.program
    names = {"v": "v_next", "target": "servo_target", "tau": "motor_force"}
    inputs, outputs = (
        tuple(replace(port, name=names.get(port.name, port.name)) for port in ports)
        for ports in (law.inputs, law.outputs)
    )
    return Computation(Block(replace(law, name="servo", inputs=inputs, outputs=outputs), precision, robot))
