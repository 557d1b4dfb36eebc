"""What a program depends on decides its fingerprint: what a function closes over too."""

from dataclasses import replace

import motionc as mc
from motionc.program.fingerprint import fingerprint
from motionc.sweeps.schedule import OUTWARD, Operation, Schedule, operation, sweep
from motionc.sweeps.setting import JointView
from motionc.sweeps.state import BodyState


def noted(number: float) -> Operation:
    """An operation that differs from its like by a number it closes over alone."""

    @operation(OUTWARD, gives=["mine"])
    def note(joint: JointView, parent: BodyState, child: BodyState) -> None:
        child["mine"] = number

    return note


def test_numbers_a_step_closes_over_count() -> None:
    solver = mc.inverse_dynamics(mc.load("planar2")).solver
    found = [
        fingerprint(replace(solver, schedule=Schedule("own", (*solver.schedule.sweeps, sweep(noted(number))))))
        for number in (1.0, 1.0, 2.0)
    ]
    assert found[0] == found[1] != found[2]


def test_questions_that_differ_have_different_fingerprints() -> None:
    robot = mc.load("lwr4")
    asked = [
        mc.jacobian(robot, "link_7"),
        mc.jacobian(robot, "link_7", as_seen_by="link_7"),
        mc.inverse_dynamics(robot),
        mc.inverse_dynamics(robot, gravity=(0, 0, 0)),
        mc.hybrid_dynamics(robot, prescribed=["joint_0"]),
        mc.hybrid_dynamics(robot, prescribed=["joint_1"]),
        mc.constrained_dynamics(robot, [mc.Constraint("link_7", "xyz")]),
        mc.constrained_dynamics(robot, [mc.Constraint("link_7", "xyz")], actuated=["joint_0"]),
    ]
    assert len({fingerprint(computation.solver) for computation in asked}) == len(asked)
