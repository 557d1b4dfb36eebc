"""A lazy control cycle out of the parts there are: its size, its steps in NumPy, and a mistake in it."""

import runpy

import numpy as np
import pytest

import motionc as mc
from motionc.geometry import Command, Duration, RowAmounts
from repository import REPOSITORY


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(REPOSITORY / "examples" / "31_a_lazy_cycle.py"))


def test_a_whole_cycle_is_short_and_is_its_own_steps(example):
    cycle, rng = example["cycle"], np.random.default_rng(0)
    assert sum(cycle.operations.values()) <= 3000
    assert [state.name for state in cycle.states] == ["mode", "adapted"]
    for _ in range(5):
        given = [port.space.draw(rng).reshape(port.shape) for port in cycle.inputs]
        for ours, theirs in zip(cycle(*given), cycle.run(*given), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_the_tip_enters_the_tube_when_the_horizon_says_and_stays(example):
    """Entry at t_p ln(r0 / 0.95 σ), and some cycles: what is missing ahead of time dies out with the horizon."""
    run, across = example["run"], example["across"]
    inside = run.mode > 0
    entered = run.time[np.argmax(inside)]
    law = 2.5 * np.log(across[0] * np.exp(0.1 / 2.5) / (0.95 * 0.01))
    assert entered == pytest.approx(law + 0.07, abs=0.15)
    assert inside[np.argmax(inside) :].all()
    assert across[inside].max() < 0.01


def test_a_velocity_is_no_error_without_a_time(example):
    """Position plus velocity, a command without a scale: refused by name when the cycle is made."""

    def made(*operations):
        return mc.solve(
            example["robot"],
            mc.schedules.CONSTRAINED_DYNAMICS.replacing("ask_rows", *operations),
            outputs={"b": "missing_sum"},
            inputs=["q", "v", "tau"],
            constraints=[mc.Constraint("link_7", "xyz")],
        )

    @mc.operation(mc.ROOT, needs=["held_rows", "world_pose", "twist"], gives=["asked_rows", "missing_sum"])
    def hasty(graph, problem):
        (hold,) = graph.world.held_rows
        graph.world["missing_sum"] = hold.displacement(graph).along(hold.at_point) + hold.moving(graph)
        graph.world.asked_rows = ()

    with pytest.raises(mc.SemanticError, match="a velocity moves nothing without a time"):
        made(hasty)

    @mc.operation(mc.ROOT, needs=["held_rows", "world_pose", "twist"], gives=["asked_rows", "missing_sum"])
    def unscaled(graph, problem):
        (hold,) = graph.world.held_rows
        missing = hold.displacement(graph).along(hold.at_point)
        later = missing.after(hold.moving(graph), Duration.of(1.0, "s"))
        command = Command(later.along, later.wrt, later.values)
        graph.world.asked_rows = (command.scaled(RowAmounts.of(command.rows, 1.0, "m")),)
        graph.world["missing_sum"] = later.values

    with pytest.raises(mc.SemanticError, match="Linear"):
        made(unscaled)
