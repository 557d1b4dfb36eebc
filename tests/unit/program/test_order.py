"""Another order of the same instructions: the same numbers, fewer values alive at once."""

from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest

import motionc as mc
from motionc.program import Instruction, Program
from motionc.program.instructions import FREE, TURN
from motionc.program.passes import PIPELINE, order
from motionc.program.passes.order import alive, scheduled
from motionc.sweeps import Port
from motionc.sweeps.trace import record
from mutants import tree
from random_programs import INPUTS, random_program, values

pytestmark = pytest.mark.usefixtures("in_best_order")


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_keep_their_numbers_to_the_last_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng, int(rng.integers(20, 120)))
    after = scheduled(program)
    assert all(arg < i for i, step in enumerate(after.instructions) for arg in step.args)
    for x in rng.normal(size=(3, INPUTS)):
        assert values(after, x.tolist()) == values(program, x.tolist())


def test_values_alive_are_counted_as_by_hand() -> None:
    """x² + y² + z² with all squares first, then as soon as they are wanted."""
    x, y = Port("x", (3,), "1", "in"), Port("y", (1,), "1", "out")
    inputs = tuple(Instruction("input", (), (0, k)) for k in range(3))
    squares = tuple(Instruction("mul", (k, k)) for k in range(3))
    sums = (Instruction("add", (3, 4)), Instruction("add", (6, 5)))
    program = Program("p", "y = x·x", (x,), (y,), inputs + squares + sums, ((7,),))
    assert alive(program.instructions) == [0, 0, 0, 1, 2, 3, 2, 0]
    assert max(alive(scheduled(program).instructions)) == 2


@cache
def unordered() -> dict[str, Program]:
    """Programs of robots, all passes but the last behind them."""
    arm, branched = mc.load("lwr4"), tree(True)
    asked = {
        "inverse": mc.inverse_dynamics(arm),
        "mass matrix": mc.mass_matrix(branched),
        "constrained": mc.constrained_dynamics(branched, [mc.Constraint("tool", "xyz")]),
    }
    programs = {name: record(computation.solver) for name, computation in asked.items()}
    for each in PIPELINE[:-1]:
        programs = {name: each.apply(program) for name, program in programs.items()}
    return programs


@pytest.mark.parametrize("name", ["inverse", "mass matrix", "constrained"])
def test_fewer_values_are_alive_in_programs_of_robots(name: str) -> None:
    program = unordered()[name]
    after = scheduled(program)
    assert max(alive(after.instructions)) < max(alive(program.instructions))
    assert after.operations == program.operations
    assert scheduled(program) == after


@pytest.mark.parametrize(
    ("name", "registers", "promised"), [("inverse", 28, 42), ("mass matrix", 28, 12), ("constrained", 6, 2246)]
)
def test_values_leave_registers_no_oftener_than_promised(
    name: str, registers: int, promised: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "REGISTERS", registers)
    units = order._Units(scheduled(unordered()[name]).instructions)
    assert units._spilled(list(range(len(units.members)))) <= promised


def test_calls_keep_their_picks_and_sines_their_cosines() -> None:
    steps = scheduled(unordered()["constrained"]).instructions
    assert {"call", "sin", "cos"} <= {step.op for step in steps}
    for before, step in pairwise(steps):
        if step.op == "pick":
            assert before.op in ("call", "pick")
    turns = [(i, step.args) for i, step in enumerate(steps) if step.op in TURN]
    for (i, angle), (j, other) in combinations(turns, 2):
        assert angle != other or j == i + 1


def test_inputs_and_constants_come_right_before_their_first_use() -> None:
    steps = scheduled(unordered()["inverse"]).instructions
    for i, step in enumerate(steps):
        if step.op in FREE:
            user = next(k for k in range(i, len(steps)) if i in steps[k].args)
            assert all(other.op in FREE for other in steps[i:user])
