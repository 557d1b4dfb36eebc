"""Every pass keeps what a program means, none makes it longer, and the figures about them are right."""

import math

import numpy as np
import pytest

import motionc as mc
from motionc.program import Instruction, Program, explained, figures
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.passes import (
    PIPELINE,
    optimise,
    simplified,
    together,
    with_common_factors,
    with_common_sums,
    with_shared_reciprocals,
    without_dead_code,
    without_opposites,
)
from motionc.sweeps import Port
from motionc.sweeps.trace import record
from random_programs import INPUTS, random_program, values

PASSES = {each.name: each.apply for each in PIPELINE} | {"pairing": together, "all": optimise}

pytestmark = pytest.mark.usefixtures("in_best_order")


def program(count: int, *steps: Instruction, results: tuple[int, ...] | None = None) -> Program:
    """Steps behind `count` inputs; the last of them is the output, unless others are named."""
    given = tuple(Instruction("input", (), (0, k)) for k in range(count))
    results = results or (count + len(steps) - 1,)
    ports = Port("x", (count,), "1", "in"), Port("y", (len(results),), "1", "out")
    return Program("p", "y = f(x)", ports[:1], ports[1:], given + steps, (results,))


@pytest.mark.parametrize("name", PASSES)
def test_random_programs_keep_their_numbers(name: str) -> None:
    for seed in range(15):
        rng = np.random.default_rng(seed)
        before = random_program(rng, int(rng.integers(20, 150)))
        after = PASSES[name](before)
        assert after == PASSES[name](before)
        assert all(arg < i for i, step in enumerate(after.instructions) for arg in step.args)
        for x in rng.normal(size=(3, INPUTS)).tolist():
            expected = values(before, x)
            assert all(map(math.isfinite, expected))
            assert values(after, x) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_no_pass_makes_a_program_longer(seed: int) -> None:
    """Shared reciprocals aside, which trade divisions for products."""
    before = without_dead_code(simplified(random_program(np.random.default_rng(seed), 200)))
    for name in ("simplify", "dead code", "common factors", "common sums", "opposites", "schedule", "pairing"):
        assert sum(PASSES[name](before).operations.values()) <= sum(before.operations.values()), name


def test_of_two_opposite_differences_one_is_computed() -> None:
    """(a - b)² (c + (b - a) d)."""
    steps = (
        Instruction("sub", (0, 1)),
        Instruction("sub", (1, 0)),
        Instruction("mul", (5, 3)),
        Instruction("add", (2, 6)),
        Instruction("mul", (4, 4)),
        Instruction("mul", (8, 7)),
    )
    after = without_opposites(program(4, *steps))
    assert dict(after.operations) == {"sub": 2, "mul": 3}
    assert values(after, [2.0, 7.0, 3.0, 5.0]) == [(2 - 7) ** 2 * (3 + (7 - 2) * 5)]


def test_of_two_opposite_differences_that_stays_which_is_a_result() -> None:
    """y = (a - b, c + (b - a), d - (b - a)): nothing would absorb the sign of the first."""
    steps = (
        Instruction("sub", (0, 1)),
        Instruction("sub", (1, 0)),
        Instruction("add", (2, 5)),
        Instruction("sub", (3, 5)),
    )
    after = without_opposites(program(4, *steps, results=(4, 6, 7)))
    assert dict(after.operations) == {"sub": 2, "add": 1}
    assert values(after, [2.0, 7.0, 3.0, 5.0]) == [2 - 7, 3 + (7 - 2), 5 - (7 - 2)]


def test_a_common_factor_is_multiplied_once() -> None:
    """a b - d - a c, in whatever order."""
    steps = (
        Instruction("mul", (0, 1)),
        Instruction("sub", (4, 3)),
        Instruction("mul", (2, 0)),
        Instruction("sub", (5, 6)),
    )
    after = with_common_factors(program(4, *steps))
    assert dict(after.operations) == {"mul": 1, "sub": 2}
    assert values(after, [2.0, 7.0, 3.0, 5.0]) == [2 * 7 - 5 - 2 * 3]


def test_products_somebody_else_needs_are_left_alone() -> None:
    steps = (Instruction("mul", (0, 1)), Instruction("mul", (0, 2)), Instruction("add", (3, 4)))
    before = program(3, *steps, results=(5, 3, 4))
    assert with_common_factors(before) is before


def test_a_common_sum_is_summed_once_whatever_its_sign() -> None:
    """x + y - z and w - y + z."""
    steps = (
        Instruction("add", (0, 1)),
        Instruction("sub", (4, 2)),
        Instruction("sub", (3, 1)),
        Instruction("add", (6, 2)),
    )
    after = with_common_sums(program(4, *steps, results=(5, 7)))
    assert sum(after.operations.values()) == 3
    assert values(after, [1.0, 2.0, 4.0, 8.0]) == [-1.0, 10.0]


def test_a_division_by_a_constant_is_a_product() -> None:
    after = with_shared_reciprocals(program(1, Instruction("const", (), 4.0), Instruction("div", (0, 1))))
    assert dict(after.operations) == {"mul": 1}
    assert values(after, [3.0]) == [0.75]
    zero = program(1, Instruction("const", (), 0.0), Instruction("div", (0, 1)))
    assert with_shared_reciprocals(zero) is zero


def test_sine_and_cosine_come_side_by_side() -> None:
    steps = (
        Instruction("mul", (1, 1)),
        Instruction("sin", (0,)),
        Instruction("mul", (2, 3)),
        Instruction("cos", (0,)),
        Instruction("add", (4, 5)),
    )
    before = program(2, *steps)
    assert [step.op for step in together(before).instructions][3:5] == ["sin", "cos"]


def test_figures_are_those_counted_by_hand() -> None:
    """y = x0 A⁻¹ (x1, x1) with A of one kernel, and (x0 + x1)²."""
    steps = (
        Instruction("const", (), 0.0),  # 2
        Instruction("call", (0, 2, 2, 0, 1, 1), LDLT_SOLVE.call(2)),  # 3
        Instruction("pick", (3,), 0),  # 4
        Instruction("pick", (3,), 1),  # 5
        Instruction("add", (4, 5)),  # 6
        Instruction("add", (0, 1)),  # 7
        Instruction("mul", (7, 7)),  # 8
    )
    found = figures(program(2, *steps, results=(6, 8)), "nothing")
    kernel = sum(LDLT_SOLVE.call(2).operations().values())
    assert (found.after, found.instructions, found.operations) == ("nothing", 9, kernel + 3)
    # both picks before they are added; the call and the sum behind it
    assert (found.alive, found.chain, found.parts) == (2, 2, 1)


def test_a_computation_explains_its_passes() -> None:
    computation = mc.inverse_dynamics(mc.load("planar2"))
    passes = computation.passes
    assert [each.after for each in passes] == ["tracing", *(each.name for each in PIPELINE)]
    assert passes[-1].operations == sum(computation.operations.values())
    assert passes[-1].instructions == len(computation.program.instructions)
    assert passes == explained(record(computation.solver))
    head, *rows = str(passes).splitlines()
    assert head.split() == ["after", "instructions", "operations", "alive", "chain", "parts"]
    assert rows[-1].startswith("schedule")
    assert computation.explain().endswith(str(passes))
