"""A frame mistake anywhere in a solver is refused before any number exists: every mutant meets the check reading."""

import pytest

from motionc.geometry import SemanticError
from mutants import FILES, Mutant, count, mutants, refusal

# mistakes that change nothing: what each passes on is the very value it was handed
EQUIVALENT = {
    "constrained_dynamics.py: swap parent/child: child → parent in pull": "child.multipliers is parent.multipliers",
    "constrained_dynamics.py: swap parent/child: child → parent in relieve": "child.multipliers is parent.multipliers",
    "impact.py: swap parent/child: child → parent in jump": "child.impulses is parent.impulses",
    "center_of_mass.py: swap parent/child: child → parent in unit_momenta": "child.center is parent.center",
    "jacobian.py: swap parent/child: child → parent in columns": "child.target is parent.target",
    "jacobian_rate.py: swap parent/child: child → parent in pass_by": "child.target is parent.target",
    "jacobian_rate.py: swap parent/child: child → parent in column_rates": "both target and followed are the parent's",
    "inverse_kinematics.py: swap parent/child: child → parent in arrive": "child.rates is parent.rates",
}

# joint space alone: there is no frame in it to be mistaken
FRAMELESS = ("coupled_dynamics", "coupled_operational_space", "coupled_impact", "limits")


def survivors(file: str) -> tuple[int, list[Mutant]]:
    every = list(mutants(file))
    return len(every), [mutant for mutant in every if refusal(mutant) is None]


def test_the_solvers_as_they_are_pass_the_check() -> None:
    assert refusal(None) is None


@pytest.mark.parametrize("file", [file for file in FILES if file not in FRAMELESS])
def test_every_mistake_is_refused_except_those_that_change_nothing(file: str) -> None:
    total, alive = survivors(file)
    said = [f"{mutant.file}.py: {mutant.kind}: {mutant.change} in {mutant.function}" for mutant in alive]
    assert total >= 3
    assert list(dict.fromkeys(said)) == [name for name in EQUIVALENT if name.startswith(f"{file}.py")]


def test_more_than_95_percent_of_all_mistakes_are_refused_by_the_check_reading_alone() -> None:
    total = sum(count(file) for file in FILES)
    assert total > 200
    assert 1 - len(EQUIVALENT) / total > 0.95


@pytest.mark.parametrize("file", ["forward_dynamics", "inverse_dynamics"])
def test_each_refusal_names_both_sides_and_a_remedy(file: str) -> None:
    for mutant in mutants(file):
        error = refusal(mutant)
        assert error is not None, mutant
        if isinstance(error, SemanticError):
            assert error.reasons, mutant
            assert len(error.remedy) > 10, mutant
