"""A frame mistake anywhere in a solver is refused before any number exists: every mutant meets the check reading."""

import pytest

from motionc.geometry import SemanticError
from mutants import FILES, Mutant, count, mutants, refusal

# mistakes that change nothing: what each passes on is the very value it was handed
EQUIVALENT = {
    "constrained_dynamics: swap parent/child: child → parent in pull": "both have the world's constraint_forces",
    "constrained_dynamics: swap parent/child: child → parent in relieve": "both have the world's constraint_forces",
    "impact: swap parent/child: child → parent in jump": "child.impulses is parent.impulses",
    "center_of_mass: swap parent/child: child → parent in unit_momenta": "child.center is parent.center",
    "jacobian: swap parent/child: child → parent in columns": "child.target is parent.target",
    "jacobian_rate: swap parent/child: child → parent in pass_by": "child.target is parent.target",
    "inverse_kinematics: swap parent/child: child → parent in arrive": "child.joint_rates is parent.joint_rates",
    "path: drop parent/child: moved.compose(column.inverse() if index in up else column) → moved in moved_along": (
        "fewer columns are a basis as well; their number is the port's"
    ),
}
# functions in which a mistake may meet no relation any more: numbers are compared with other people's there
READ_OFF = {
    "jacobian: seen_in": "an output is read off",
    "dynamics: _stack": "numbers are handed to a kernel",
    "jacobian_rate: column_rates": "what a joint's own directions turn by is added as numbers",
}
# there is no frame in them to be mistaken
FRAMELESS = {
    "solvers.steps.tree_solve": "parent and child are numbers of joints",
    "solvers.derivatives.computations": "of and wrt are names of outputs and inputs",
    "solvers.transform": "numbers are read off alone",
}


def survivors(file: str) -> list[Mutant]:
    return [mutant for mutant in mutants(file) if refusal(mutant) is None]


def test_the_solvers_as_they_are_pass_the_check() -> None:
    assert refusal(None) is None


@pytest.mark.parametrize("file", [file for file in FILES if file not in FRAMELESS])
def test_every_mistake_is_refused_except_those_that_change_nothing(file: str) -> None:
    stem = file.rpartition(".")[2]
    alive = [mutant for mutant in survivors(file) if f"{stem}: {mutant.function}" not in READ_OFF]
    said = {f"{stem}: {mutant.kind}: {mutant.change} in {mutant.function}" for mutant in alive}
    known = {name for name in EQUIVALENT if name.startswith(f"{stem}: ")}
    assert said == known


def test_more_than_95_percent_of_all_mistakes_are_refused_by_the_check_reading_alone() -> None:
    total = sum(count(file) for file in FILES)
    assert total > 200
    assert 1 - len(EQUIVALENT) / total > 0.95


@pytest.mark.parametrize("file", ["solvers.steps.articulated", "solvers.inverse_dynamics"])
def test_each_refusal_names_both_sides_and_a_remedy(file: str) -> None:
    for mutant in mutants(file):
        error = refusal(mutant)
        assert error is not None, mutant
        if isinstance(error, SemanticError):
            assert error.reasons, mutant
            assert len(error.remedy) > 10, mutant
