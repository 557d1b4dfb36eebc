"""docs/reference/ says what the code says now, and every public name is there."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

import motionc as mc
from motionc.computations import CATALOGUE
from repository import REPOSITORY

FOLDER = REPOSITORY / "docs" / "reference"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = spec_from_file_location("reference", REPOSITORY / "scripts" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_pages_are_those_written_now(reference: ModuleType) -> None:
    """`make reference` writes them."""
    written = reference.pages()
    assert {file.name for file in FOLDER.iterdir()} == written.keys()
    for name, text in written.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name} is out of date: make reference"


def test_every_public_name_has_a_heading() -> None:
    headings = {
        heading
        for page in ("computations.md", "names.md")
        for heading in re.findall(r"^##+ (\w+)$", (FOLDER / page).read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {*mc.__all__, *CATALOGUE} - headings == {"__version__"}
