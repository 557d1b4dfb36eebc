"""Sines and cosines in runs: each run whole, whatever it waits for before it, and nothing else changed."""

import math

import numpy as np
import pytest

from motionc.program import Instruction, Program
from motionc.program.instructions import TURN
from motionc.program.passes.turns import angles_of, run_at, with_runs_of_turns
from motionc.program.port import Port
from random_programs import random_program, values


def lengths(program: Program) -> list[int]:
    """Angles of every run."""
    steps, i, found = program.instructions, 0, list[int]()
    while i < len(steps):
        run = run_at(steps, i)
        found += [len(angles_of(steps, run))] if run else []
        i = max(run.stop, i + 1)
    return found


def chain(stages: int, joints: int) -> Program:
    """Angles that are inputs, then angles that are sums of the sines of those before, some time after each other."""
    steps = [Instruction("input", (), (0, k)) for k in range(joints)]
    angles = list(range(joints))
    for _ in range(stages):
        later = list[int]()
        for angle in angles:
            steps.append(Instruction("sin", (angle,)))
            steps.append(Instruction("cos", (angle,)))
            steps.append(Instruction("mul", (len(steps) - 2, len(steps) - 1)))
            later.append(len(steps) - 1)
        angles = later
    ports = Port("x", (joints,), "1", "in"), Port("y", (joints,), "1", "out")
    return Program("p", "y = f(x)", ports[:1], ports[1:], tuple(steps), (tuple(angles),))


def test_angles_of_a_stage_are_one_run_and_stages_follow_each_other() -> None:
    before = chain(3, 5)
    assert lengths(before) == [1] * 15
    after = with_runs_of_turns(before, 3)
    assert lengths(after) == [5, 5, 5]
    assert sorted(step.op for step in after.instructions) == sorted(step.op for step in before.instructions)
    x = np.linspace(-2.0, 3.0, 5)
    assert values(after, [*x]) == values(before, [*x])


def test_runs_of_fewer_angles_stay_where_they_are() -> None:
    program = chain(2, 4)
    assert with_runs_of_turns(program, 5) is program
    assert lengths(with_runs_of_turns(program, 4)) == [4, 4]


def test_angles_of_a_run_stand_as_they_do_in_their_ports() -> None:
    """Whatever order they are read in: side by side they need not be copied."""
    steps = [Instruction("input", (), (0, k)) for k in (2, 0, 3, 1)]
    steps.append(Instruction("mul", (0, 1)))
    steps += [Instruction("sin", (k,)) for k in (4, 0, 1, 2, 3)]
    ports = Port("x", (4,), "1", "in"), Port("y", (5,), "1", "out")
    after = with_runs_of_turns(Program("p", "y = f(x)", ports[:1], ports[1:], tuple(steps), ((5, 6, 7, 8, 9),)), 3)
    (run,) = [run for i in range(len(after.instructions)) if len(run := run_at(after.instructions, i)) == 5]
    angles = [after.instructions[i] for i in angles_of(after.instructions, run)]
    assert [angle.data for angle in angles[:4]] == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert angles[4].op == "mul"


def test_a_sine_of_a_sine_is_in_another_run() -> None:
    steps = [Instruction("input", (), (0, k)) for k in range(3)]
    steps += [Instruction("sin", (k,)) for k in range(6)]
    ports = Port("x", (3,), "1", "in"), Port("y", (3,), "1", "out")
    program = Program("p", "y = f(x)", ports[:1], ports[1:], tuple(steps), ((6, 7, 8),))
    assert lengths(with_runs_of_turns(program, 3)) == [3, 3]
    found = values(with_runs_of_turns(program, 3), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(found, [math.sin(math.sin(x)) for x in (0.1, 0.2, 0.3)], rtol=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_keep_their_numbers_and_every_argument_comes_first(seed: int) -> None:
    before = random_program(np.random.default_rng(seed))
    after = with_runs_of_turns(before, 2)
    assert all(arg < i for i, step in enumerate(after.instructions) for arg in step.args)
    counts = [sum(step.op in TURN for step in program.instructions) for program in (before, after)]
    assert counts[0] == counts[1]
    x = [*np.random.default_rng(seed).normal(size=before.inputs[0].size)]
    np.testing.assert_array_equal(values(after, x), values(before, x))
