"""A thousand joints: as many operations as ten and twenty foretell, for inverse, forward and constrained dynamics."""

from collections.abc import Callable

import pytest

from chains import SOLVERS, chain, size


@pytest.mark.parametrize("solver", SOLVERS)
def test_ten_joints_foretell_a_thousand(solver: str, record_property: Callable) -> None:
    ten, twenty, thousand = (size(SOLVERS[solver](chain(joints))) for joints in (10, 20, 1000))
    record_property("operations", thousand)
    assert thousand == ten + 99 * (twenty - ten)
