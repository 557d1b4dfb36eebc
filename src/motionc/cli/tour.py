"""`motionc tour`: load, tree, check, a frame mistake caught, one solver in three readings, time per call."""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import motionc as mc
from motionc.cli.display import findings_list, robot_tree, summary
from motionc.computations.loading import read
from motionc.geometry import Body, Frame, JointVelocity, MotionBasis, SemanticError, Twist
from motionc.robots import robot_file

console = Console(width=110)


def tour() -> None:
    """Take a short tour: a robot read and checked, a frame mistake caught, one solver in three readings."""
    load_and_show()
    catch_a_frame_mistake()
    read_three_ways()


def load_and_show() -> None:
    """A robot file becomes a checked model."""
    console.rule("[bold]1. A robot, read and checked")
    robot = mc.load("lwr4")
    console.print(summary(robot, read("lwr4")))
    console.print(robot_tree(robot))
    console.print(findings_list(mc.check("lwr4")))


def catch_a_frame_mistake() -> None:
    """A Jacobian at the centre of mass, compared with a velocity at the link's origin."""
    console.rule("[bold]2. A frame mistake, caught before any number exists")
    hand, world = Body("hand"), Body("world")
    axes, center = Frame("world", world), Frame("center_of_mass", hand)
    jacobian = MotionBasis(hand, world, center.origin, axes, joints=("shoulder", "elbow"))
    measured = Twist(hand, world, Frame("hand", hand).origin, axes)
    console.print("error = measured - jacobian.times(rates)", style="cyan")
    try:
        _ = measured - jacobian.times(JointVelocity(("shoulder", "elbow")))
    except SemanticError as refusal:
        console.print(str(refusal), style="yellow", markup=False)


def read_three_ways() -> None:
    """Constrained dynamics checked, run step by step, and compiled."""
    console.rule("[bold]3. One solver, three readings")
    robot = mc.load("lwr4")
    hold_still = mc.Constraint("link_7", "xyz rx ry rz")
    dynamics = mc.constrained_dynamics(robot, [hold_still])
    question = (np.linspace(0.2, 1.0, 7), np.full(7, 0.3), np.zeros(7), np.zeros(6))

    dynamics.check()
    console.print("checked : every relation of every sweep fits, on this robot, without a number")
    lines: list[str] = []
    stepwise = dynamics.run(*question, trace=lines.append)
    console.print(f"run     : {len(lines)} lines of trace, such as")
    console.print(
        "          " + next(line for line in lines if line.startswith("Twist(joint_6")), style="dim", markup=False
    )
    called = dynamics(*question)
    worst = max(float(np.max(np.abs(np.subtract(a, b)))) for a, b in zip(called, stepwise, strict=True))
    console.print(
        f"{dynamics.tier}: {sum(dynamics.operations.values())} operations; differs from the stepwise run by {worst:.1e}"
    )
    console.print(f"          a           {np.array2string(called.a, precision=4)}", highlight=False)
    console.print(f"          tau_command {np.array2string(called.tau_command, precision=4)}", highlight=False)

    table = Table("computation", "operations", "µs per call from Python", title="LWR 4")
    for computation, inputs in (
        (mc.inverse_dynamics(robot), question[:3]),
        (mc.forward_dynamics(robot), question[:3]),
        (dynamics, question),
    ):
        table.add_row(
            computation.name, str(sum(computation.operations.values())), f"{microseconds(computation, inputs):.1f}"
        )
    console.print(table)
    source = robot_file("lwr4")
    console.print(
        f"the robot's file: {Path(source).name if source else ''}; try `motionc show lwr4`, or a file of yours"
    )


def microseconds(computation: mc.Computation, inputs: tuple[Any, ...]) -> float:
    """The least time of some hundred calls."""
    computation(*inputs)
    best = float("inf")
    for _ in range(200):
        start = perf_counter()
        computation(*inputs)
        best = min(best, perf_counter() - start)
    return best * 1e6
