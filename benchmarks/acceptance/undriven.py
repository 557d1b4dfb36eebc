"""Robots that stand on contacts: feet, centre of mass, torso, posture, each a level of its own. `python
benchmarks/acceptance/undriven.py`, or with another number of states behind it.

Motion, torques and wrenches beside a dense two-stage solve on Pinocchio's M, h and J (tests/support/two_stages.py), and
Pinocchio's forward dynamics under torques and wrenches alone; then what it costs. States where it is in doubt what rows
can have are left out, counted.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "benchmarks")]

import motionc as mc  # noqa: E402
from acceptance import verdict  # noqa: E402
from dense import Question, Real, Rows, mask  # noqa: E402
from oracle import Array, error, load  # noqa: E402
from two_stages import answer, errors  # noqa: E402

C, J = mc.Constraint, mc.JointConstraint
SIX = "x y z rx ry rz"
OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank")
ROBOTS = {
    "talos_reduced": (("left_sole_link", "right_sole_link"), "torso_2_link"),
    "hyq_no_sensors": (("lf_foot", "rf_foot", "lh_foot", "rh_foot"), "trunk"),
    "humanoid": (("left_sole", "right_sole"), "chest"),
}
STANCES = {"rigid feet": SIX, "points": "xyz", "flight": ""}


def figures(states: int = 20) -> Iterator[str]:
    """One line a robot and stance, then what it costs."""
    for name in ROBOTS:
        for stance in STANCES:
            yield _compared(name, stance, states)
    yield from _costs()


def _feet(name: str, stance: str) -> list[mc.Constraint]:
    return [C(foot, STANCES[stance], source="contact") for foot in ROBOTS[name][0] if STANCES[stance]]


def _compared(name: str, stance: str, states: int) -> str:
    x, feet = Real(name, seed=10), _feet(name, stance)
    joints = x.robot.joint_names[1:]
    rows: list[Rows] = [*feet, mc.CenterOfMass(level=2), C(ROBOTS[name][1], "rx ry rz", level=3), J(joints, level=4)]
    question = Question(x, rows, outputs=OUTPUTS, actuated=None)
    alone = mc.constrained_dynamics(x.robot, rows, outputs=(*OUTPUTS, *(["wrenches"] if feet else [])))
    base, doubt, worst, replayed = mask(x.robot, ["root_joint"]), 0, 0.0, 0.0
    for _ in range(states):
        dense = question.put(x.place())
        told = answer(question, dense, base)
        doubt += not told.clear
        if told.clear:
            out = question.computation.run(*question.inputs)
            worst = max(worst, *errors(question, dense, out, told, base).values())
        replayed = max(replayed, _replayed(x, alone, [foot.frame for foot in feet], len(dense.J)))
    good = worst < 1e-9 and replayed < 1e-8 and doubt < states / 2
    return (
        f"{name}, {stance}, {len(question.level)} rows: {states - doubt} of {states} states, off by {worst:.1e} "
        f"(wanted 1e-9), replayed to {replayed:.1e} (wanted 1e-8) {verdict(good)}"
    )


def _replayed(x: Real, dynamics: mc.Computation, feet: list[str], rows: int) -> float:
    """How far Pinocchio's motion under tau_command and the wrenches alone is from what was said."""
    b: Array = x.rng.normal(size=rows)
    out = dynamics.run(x.q, x.v, np.zeros(x.robot.nv), b)
    forces = {(foot, "world"): out.wrenches[foot] for foot in feet}
    return error(x.world.forward_dynamics(x.q, x.v, out.tau_command, forces), out.a)


def _costs() -> Iterator[str]:
    """Talos, feet, torso and posture: operations more than where every coordinate has a motor."""
    robot = load("talos_reduced")

    def count(feet: str, **options: Any) -> int:
        rows = [C(foot, feet, source="contact") for foot in ROBOTS["talos_reduced"][0]]
        rows += [C("torso_2_link", SIX, level=2), J(robot.joint_names[1:], level=3)]
        return sum(mc.constrained_dynamics(robot, rows, **options).operations.values())

    driven, undriven = count(SIX, actuated=robot.joint_names), count(SIX)
    more = undriven - driven
    yield f"Talos on rigid feet: {undriven} operations, {more} more (wanted 5000 at most) {verdict(more <= 5000)}"
    points, shared = count("xyz", actuated=robot.joint_names), count("xyz")
    more, six = shared - points, driven - points
    yield f"Talos on points: {shared} operations, {more} more; six more rows take {six} {verdict(more <= six)}"


if __name__ == "__main__":
    for line in figures(*map(int, sys.argv[1:])):
        print(line, flush=True)
