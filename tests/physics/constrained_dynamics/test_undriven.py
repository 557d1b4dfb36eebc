"""Coordinates that no motor drives: contacts and motors together make what is asked, as a dense two-stage solve does."""

import numpy as np
import pytest

import motionc as mc
from all_joints import Moving
from dense import Question, Real, mask, random_constraint
from oracle import error
from trials import trials
from two_stages import answer, errors

C, J = mc.Constraint, mc.JointConstraint
FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
SIX = "x y z rx ry rz"
STANCES = {
    "rigid feet": [C(foot, SIX, source="contact") for foot in FEET[:2]],
    "one rigid foot": [C("HL_FOOT", SIX, source="contact")],
    "a rigid foot and a point": [C("HL_FOOT", SIX, source="contact"), C("FR_FOOT", "xyz", source="contact")],
    "four points": [C(foot, "xyz", source="contact") for foot in FEET],
    "two points": [C(foot, "xyz", source="contact") for foot in FEET[:2]],
    "flight": [],
}
OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank")


def tasks(robot: mc.Robot) -> list[mc.Constraint | mc.JointConstraint | mc.CenterOfMass]:
    """Behind feet: the centre of mass, the torso, a posture."""
    return [mc.CenterOfMass(level=2), C("base_link", "rx ry rz", level=3), J(robot.joint_names[1:], level=4)]


@pytest.mark.parametrize("stance", STANCES)
def test_levels_on_feet_are_the_two_stage_solve(stance: str) -> None:
    x = Real("solo12", seed=3)
    question = Question(x, [*STANCES[stance], *tasks(x.robot)], outputs=OUTPUTS, actuated=None)
    base, compared = mask(x.robot, ["root_joint"]), 0
    for _ in range(3):
        dense = question.put(x.place())
        told = answer(question, dense, base)
        compared += told.clear
        if told.clear:
            out = question.computation.run(*question.inputs)
            assert max(errors(question, dense, out, told, base).values()) < 1e-9
    assert compared > 1


@pytest.mark.parametrize("stance", ["rigid feet", "four points", "flight"])
def test_torques_and_wrenches_alone_replay_the_motion(stance: str) -> None:
    """Pinocchio's articulated bodies under tau_command and the wrenches of contacts, and nothing else."""
    x = Real("solo12", seed=5)
    rows = [*STANCES[stance], *tasks(x.robot)]
    dynamics = mc.constrained_dynamics(x.robot, rows)
    b = np.random.default_rng(1).normal(size=dynamics.inputs[3].size)
    out = dynamics.run(x.q, x.v, np.zeros(x.robot.nv), b)
    assert np.all(out.tau_command[:6] == 0)
    assert np.abs(out.unactuated).max() < 1e-9
    feet = [c.frame for c in STANCES[stance]]
    forces = {(foot, "world"): out.wrenches[foot] for foot in feet}
    assert error(x.world.forward_dynamics(x.q, x.v, out.tau_command, forces), out.a) < 1e-8
    # fed back as they are
    replay = mc.forward_dynamics(x.robot, external_forces=[mc.Force(foot, as_seen_by="world") for foot in feet])
    assert error(replay.run(x.q, x.v, out.tau_command, *([out.wrenches] if feet else [])), out.a) < 1e-8


@pytest.mark.parametrize("seed", range(trials(40)))
def test_trees_with_few_motors_are_the_two_stage_solve(seed: int) -> None:
    """Every joint type, followers, floating bases, rows between segments; any of the joints without motors."""
    x = Moving(seed, mimic=seed % 2 == 0)
    leading = [name for name in x.robot.joint_names if name not in x.robot.followers]
    idle = [name for name in leading if x.rng.random() < 0.5] or leading[:1]
    motors = [name for name in x.robot.joint_names if name not in idle]
    asked = [random_constraint(x, level=int(x.rng.integers(1, 3)), weight=float(np.exp(x.rng.normal()))) for _ in "123"]
    fixed = {name: body for name, (body, _) in x.robot.mechanism.frames.items()}
    rows = [c for c in asked if isinstance(c, J) or fixed[c.frame] != fixed[c.wrt]]
    task = J(leading[-1], level=2) if leading[-1] in motors else mc.CenterOfMass("x", level=2)
    question = Question(x, [*rows, task], outputs=OUTPUTS, actuated=motors, moment_arm=0.3)
    undriven = mask(x.robot, idle)
    dense = question.put(x)
    told = answer(question, dense, undriven, arm=0.3)
    if not told.clear:
        pytest.skip("what contacts reach, or rows can have, is in doubt")
    out = question.computation.run(*question.inputs)
    assert max(errors(question, dense, out, told, undriven).values()) < 1e-8
