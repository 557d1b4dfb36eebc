"""The box active set: inside its bounds, and none there is better; degenerate boxes too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from boxes import KINDS, Box, doubtful_box, no_worse, random_box, reference
from motionc.program.kernels.box import steps
from motionc.program.kernels.box_solve import box_solve
from motionc.targets.kernels_c import for_one

BLOCKS = [(1, 0, 1), (2, 0, 2), (3, 0, 1), (5, 0, 3), (7, 0, 6), (4, 2, 2), (6, 3, 3), (5, 0, 2, 2), (6, 2, 1, 2, 1)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blocks", BLOCKS)
def test_it_stays_inside_and_none_inside_is_better(blocks: tuple[int, ...], kind: str) -> None:
    rng = np.random.default_rng(len(kind) + 10 * sum(blocks))
    n = blocks[0]
    for _ in range(4):
        box = random_box(rng, blocks, kind)
        answer, sides, count = box_solve(blocks).numpy(box.rows)
        y, side, (lower, upper) = answer[:n, 0], sides[:n, 0], box.bounds.T
        assert np.all(lower <= y)
        assert np.all(y <= upper)
        assert np.array_equal(y[side > 0], upper[side > 0])
        assert np.array_equal(y[side < 0], lower[side < 0])
        assert count[0, 0] < steps(blocks) or kind == "just possible"
        assert no_worse(box.costs(y), box.costs(reference(box)))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.sampled_from(BLOCKS), st.sampled_from(KINDS))
def test_no_small_step_inside_helps(seed: int, blocks: tuple[int, ...], kind: str) -> None:
    """Whoever does not trust solvers: from the answer, try all around."""
    rng = np.random.default_rng(seed)
    box, n = random_box(rng, blocks, kind), blocks[0]
    answer, _, count = box_solve(blocks).numpy(box.rows)
    y, (lower, upper) = answer[:n, 0], box.bounds.T
    assert count[0, 0] < steps(blocks) or kind == "just possible"
    for size in (1e-2, 1e-1, 1.0):
        for _ in range(20):
            other = np.clip(y + size * rng.normal(size=n) * (rng.random(n) < 0.5), lower, upper)
            assert no_worse(box.costs(y), box.costs(other), exact=1e-12)


def test_where_nothing_is_missing_and_nothing_wished_for_nothing_changes() -> None:
    box = random_box(np.random.default_rng(0), (5, 0, 2))
    rows = box.rows
    rows[:, 5:] = 0
    rows[:5, 5:7] = -1, 1
    answer, sides, count = box_solve((5, 0, 2)).numpy(rows)
    assert not answer.any()
    assert not sides.any()
    assert count == 0


def test_who_is_held_by_very_little_is_held() -> None:
    """Rows of the first level that the free entries all but cannot tell apart: none is better there, by a hair."""
    box = doubtful_box()
    answer, sides, count = box_solve(box.blocks).numpy(box.rows)
    assert sides[:5, 0].any()
    assert count < steps(box.blocks)
    first, *_ = box.costs(answer[:5, 0])
    low, high = box.bounds.T
    best = lsq_linear(box.C[:2], box.wanted[:2], (low, high), method="bvls", tol=1e-15).x
    assert first <= box.costs(best)[0] * (1 + 1e-12)


def test_what_is_rounding_alone_lets_nobody_go() -> None:
    """Few numbers: pulls that are 0 but for roundings, whose own parts are as small."""
    rng, blocks = np.random.default_rng(len("few numbers") + 10 * 8), (5, 0, 3)
    for _ in range(60):
        box = random_box(rng, blocks, "few numbers")
        answer, _, count = box_solve(blocks).numpy(box.rows)
        assert count < steps(blocks)
        assert no_worse(box.costs(answer[:5, 0]), box.costs(reference(box)))


@pytest.mark.parametrize("condition", [1e6, 1e9])
def test_the_best_is_found_or_not_claimed_where_forces_differ_by_far_in_what_they_do(condition: float) -> None:
    rng, told = np.random.default_rng(0), 0
    for blocks in [(5, 0, 3), (6, 0, 2, 2), (7, 0, 6), (4, 0, 1)] * 3:
        n, m = blocks[0], sum(blocks[2:])
        turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
        P = turn @ np.diag(np.geomspace(1, 1 / condition, n)) @ turn.T
        units, limits = np.vstack([np.eye(n), rng.normal(size=(m, n))]), 10.0 ** rng.uniform(-1, 0.5, n)
        right = np.zeros((n + m, 3))
        right[:n] = np.column_stack([-limits, limits, rng.normal(size=n)])
        right[n:, 0] = rng.normal(size=m)
        box = Box(blocks, units @ P @ units.T, right, P, units[n:] @ P, "")
        answer, _, count = box_solve(blocks).numpy(box.rows)
        told += int(count[0, 0] == steps(blocks))
        assert count == steps(blocks) or no_worse(box.costs(answer[:n, 0]), box.costs(reference(box)))
    assert told <= 2


def test_contacts_are_what_nothing_inside_moves() -> None:
    """With its contacts eliminated beforehand a box has the same answer."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        box = random_box(rng, (6, 2, 2))
        answer, _, _ = box_solve((6, 2, 2)).numpy(box.rows)
        keep = [0, 1, 2, 3, 4, 5, 8, 9]
        left = np.vstack([box.P + 1e-6 * np.eye(6), box.C])
        other, _, _ = box_solve((6, 0, 2)).numpy(np.hstack([left, box.right[keep]]))
        assert np.allclose(box.P @ answer[:6, 0], box.P @ other[:6, 0], rtol=0, atol=1e-5)


def test_its_cost_is_counted_by_running_it() -> None:
    """Its basis, and one step with nothing at a bound: what the others cost depends on the numbers."""
    one, two = (box_solve((n, 0, 1)).call(n + 1) for n in (1, 2))
    assert one.inputs == 2 * (1 + 3)
    assert one.outputs == 2 + 2 + 1
    assert sum(one.operations().values()) < sum(two.operations().values()) < 600


def test_its_inner_products_are_compiled_as_its_loops_are() -> None:
    """In a long program the rest is not: there they would be scalars, and a tenth of the call slower."""
    words, text = for_one([box_solve((3, 0, 1)).call(4)], "double")
    assert words.index("#define LOOPS") < words.index("LOOPS static inline double inner(")
    assert "\nLOOPS static void box_solve" in text
    # a step that lets go moves nothing: the next need not measure again
    assert text.index("if (!measured)") < text.index("measured = 1;")
