"""A frame mistake anywhere in a solver is refused before any number exists: every mutant meets the check reading."""

import pytest

from motionc.geometry import SemanticError
from mutants import FILES, Mutant, count, mutants, refusal
from trials import LONG

# mistakes that change nothing: what each passes on is the very value it was handed
EQUIVALENT = {
    "solvers.popov_vereshchagin.py: swap parent/child: child → parent in pull": "both have the same forces",
    "solvers.popov_vereshchagin.py: swap parent/child: child → parent in relieve": "the same",
    "solvers.impact.py: swap parent/child: child → parent in jumped": "child.impulses is parent.impulses",
    "solvers.steps.center.py: swap parent/child: child → parent in unit_momenta": "child.center is parent.center",
    "solvers.jacobian.py: swap parent/child: child → parent in columns": "child.target is parent.target",
    "solvers.jacobian_rate.py: swap parent/child: child → parent in pass_by": "child.target is parent.target",
    "solvers.jacobian_rate.py: swap parent/child: child → parent in column_rates": "target and point_twist are too",
    "solvers.inverse_kinematics.py: swap parent/child: child → parent in arrive": "both have the same rates",
}
# a word of the user's, of which coordinates alone tell: tests of derivatives compare both kinds with differences
UNSEEN = {
    "solvers.derivatives.outside.py: swap classical/spatial: 'classical' → 'spatial' in by": "what rows are said to be",
}
SURVIVING = EQUIVALENT | UNSEEN


def told(mutant: Mutant) -> str:
    return f"{mutant.file}.py: {mutant.kind}: {mutant.change} in {mutant.function}"


def test_the_solvers_as_they_are_pass_the_check() -> None:
    assert refusal(None) is None


@pytest.mark.parametrize("file", [file for file in FILES if count(file)])
def test_every_mistake_is_refused_except_those_that_change_nothing(file: str) -> None:
    """And each refusal names both sides and a remedy. One in eight of them, all in `make test-long`."""
    tried = [mutant for k, mutant in enumerate(mutants(file)) if LONG or k % 8 == 0 or told(mutant) in SURVIVING]
    refusals = [(mutant, refusal(mutant)) for mutant in tried]
    alive = [told(mutant) for mutant, error in refusals if error is None]
    assert list(dict.fromkeys(alive)) == [name for name in SURVIVING if name.startswith(f"{file}.py")]
    for mutant, error in refusals:
        if isinstance(error, SemanticError):
            assert error.reasons, mutant
            assert len(error.remedy) > 10, mutant


def test_every_file_with_operations_is_among_them() -> None:
    """Those without a frame in them are few: joint space alone."""
    frameless = {file for file in FILES if not count(file)}
    changes = {"solvers.derivatives.dynamics", "solvers.derivatives.outside", "solvers.regressor"}
    assert changes <= set(FILES) - frameless
    names = ("together", "tree_solve", "balance_together", "moved_rows")
    steps = {f"solvers.steps.{name}" for name in names}
    assert frameless <= {*steps, "solvers.mass_matrix_solve", "solvers.limits"}


def test_more_than_95_percent_of_all_mistakes_are_refused_by_the_check_reading_alone() -> None:
    total = sum(count(file) for file in FILES)
    assert total > 200
    assert 1 - len(SURVIVING) / total > 0.95
