"""What counts as the proof of a row: a test marked with it that ran and passed."""

import json
import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest

pytestmark = pytest.mark.row("spec", 1)
each = pytest.mark.parametrize("k", [0, 1])

def test_passes(): pass

@each
def test_skipped_for_one_parameter(k):
    if k: pytest.skip("no tool")

@each
def test_failing_for_one_parameter(k): assert k

def test_skipped(): pytest.skip("no tool")

@pytest.mark.xfail
def test_expected_to_fail(): assert False

@pytest.mark.xfail
def test_passing_against_expectation(): pass

def test_whose_end_fails(broken): pass

@pytest.fixture
def broken():
    yield
    assert False
"""
RUN = """
import sys
from pathlib import Path
import pytest
from proofs import Proofs
pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[Proofs(Path("noted/proofs.json"))])
"""


def test_a_test_counts_that_ran_and_passed_and_others_keep_what_was_noted(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = row\n", encoding="utf-8")
    (tmp_path / "test_all.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "test_other.py").write_text("def test_without_a_row(): pass\n", encoding="utf-8")

    def noted(*arguments: str) -> list[str]:
        subprocess.run([sys.executable, "-c", RUN, *arguments], cwd=tmp_path, check=True, capture_output=True)
        names = json.loads((tmp_path / "noted" / "proofs.json").read_text(encoding="utf-8"))
        return [name.removeprefix("test_all.py::test_") for name in names]

    assert noted() == ["passes", "skipped_for_one_parameter"]
    (tmp_path / "test_all.py").write_text(TESTS.replace("def test_passes(): pass", "def test_passes(): 1 / 0"))
    assert noted("-k", "skipped") == ["passes", "skipped_for_one_parameter"]
    assert noted("-k", "passes") == ["skipped_for_one_parameter"]
