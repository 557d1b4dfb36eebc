"""What is printed in README, docs and examples runs as printed."""

import re
from pathlib import Path

import pytest

from repository import REPOSITORY
from scripts import printed
from trials import LONG

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
EXAMPLES = sorted((REPOSITORY / "examples").glob("[0-9]*.py"))
AGAIN = [pytest.param(example, marks=pytest.mark.calls if LONG else ()) for example in EXAMPLES]
"""In other tiers the first six, which call what is called most; all of them in a long run."""
AGAIN[:6] = [pytest.param(example, marks=pytest.mark.calls) for example in EXAMPLES[:6]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    if blocks:
        code = "\n".join(blocks)
        said = printed(code, page.name, tmp_path)
        # the way in leads to numbers
        if page.parent.name == "start" or page.name == "README.md":
            assert re.search(r"\d", said.strip().splitlines()[-1])


@pytest.mark.parametrize("example", AGAIN, ids=lambda example: example.name)
def test_an_example_runs_and_ends_in_a_number(example: Path, tmp_path: Path) -> None:
    said = printed(example.read_text(encoding="utf-8"), str(example), tmp_path)
    assert re.search(r"\d", said.strip().splitlines()[-1])


def test_the_readme_lists_every_example() -> None:
    listed = re.findall(r"\]\(examples/([^)]+)\)", (REPOSITORY / "README.md").read_text(encoding="utf-8"))
    assert listed == [example.name for example in EXAMPLES]


def test_one_page_has_every_variable_of_the_environment() -> None:
    page = (REPOSITORY / "docs" / "guide" / "building.md").read_text(encoding="utf-8")
    sources = "".join(file.read_text(encoding="utf-8") for file in (REPOSITORY / "src").rglob("*.py"))
    read = set(re.findall(r'environ(?:\.get\(|\[)"(\w+)"', sources))
    assert "CC" in read
    assert [name for name in sorted(read) if f"`{name}`" not in page and f"${name}" not in page] == []


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in (*PAGES, REPOSITORY / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} → {target}"


def test_every_source_file_that_a_page_names_is_there() -> None:
    """`room/file.py`, as pages say where something is done; NAME stands for one that is to be written."""
    for page in (*PAGES, REPOSITORY / "CONTRIBUTING.md"):
        for file in re.findall(r"`((?:\w+/)+\w+\.\w+)`", page.read_text(encoding="utf-8")):
            homes = (REPOSITORY, REPOSITORY / "src" / "motionc")
            known = any((home / file).exists() for home in homes) or "NAME" in file or "joint_power" in file
            assert known, f"{page.name} → {file}"
