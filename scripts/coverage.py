"""Which rows of the specs' feature → test tables are proven, and by which tests?

Reads the rows from docs/inside/rows.json, the `row` markers from the collected tests, and from build/proofs.json which
of them ran and passed in `make test`; writes the page. It does not run the tests.

    python scripts/coverage.py             write docs/inside/coverage.md, print covered/total per spec
    python scripts/coverage.py --refresh   first rewrite docs/inside/rows.json from the specs
"""

import argparse
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPECS = Path(os.environ.get("MOTIONC_SHARED") or ROOT.parent / "shared") / "specs"
ROWS = ROOT / "docs" / "inside" / "rows.json"
COVERAGE = ROOT / "docs" / "inside" / "coverage.md"
PASSED = ROOT / "build" / "proofs.json"

Rows = dict[str, dict[int, str]]  # spec → number → feature
Proofs = dict[tuple[str, int], set[str]]  # (spec, number) → tests


# ---------------------------------------------------------------- the rows


def read_specs(folder: Path) -> Rows:
    """The feature → test table of every spec, in section 6 of each."""
    files = sorted(folder.glob("*.md"))
    if not files:
        sys.exit(f"There are no specs in {folder}; run without --refresh to use {ROWS.relative_to(ROOT)}.")
    return {file.stem: read_table(file) for file in files}


def read_table(file: Path) -> dict[int, str]:
    """Number → feature; where the table has no # column, its rows are numbered from 1 as they stand."""
    section = re.search(r"^## 6\b.*?(?=^## |\Z)", file.read_text(encoding="utf-8"), re.M | re.S)
    lines = [line for line in (section.group().splitlines() if section else []) if line.startswith("|")]
    if len(lines) < 3 or "Feature" not in cells(lines[0]):
        sys.exit(f"{file.name}: section 6 has no table with a Feature column.")

    header, table = cells(lines[0]), {}
    for position, line in enumerate(lines[2:], start=1):
        entry = dict(zip(header, cells(line), strict=False))
        number = int(entry.get("#", position))
        if number in table or "Feature" not in entry:
            sys.exit(f"{file.name}: the table row '{line[:60]}' repeats a number or has no feature.")
        table[number] = entry["Feature"]
    return table


def cells(line: str) -> list[str]:
    """The cells of a Markdown table line; an escaped bar is part of its cell."""
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def save_rows(rows: Rows) -> None:
    ROWS.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load_rows() -> Rows:
    if not ROWS.exists():
        sys.exit("docs/inside/rows.json is missing; run scripts/coverage.py --refresh where the specs are at hand.")
    rows = json.loads(ROWS.read_text(encoding="utf-8"))
    return {spec: {int(number): feature for number, feature in table.items()} for spec, table in rows.items()}


# ---------------------------------------------------------------- the tests


class Collector:
    """A pytest plugin that keeps the collected test functions."""

    def __init__(self) -> None:
        self.tests: list[pytest.Function] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.tests = [item for item in session.items if isinstance(item, pytest.Function)]


def collect_tests() -> list[pytest.Function]:
    """Every test function below tests/, as pytest itself sees it."""
    collector, report = Collector(), io.StringIO()
    os.chdir(ROOT)
    with contextlib.redirect_stdout(report):
        status = pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "tests"], plugins=[collector])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        sys.exit(f"{report.getvalue()}\nThe tests cannot be collected; repair the errors above first.")
    return collector.tests


def load_passed() -> set[str]:
    """Names of marked tests that passed the last time they ran."""
    if not PASSED.exists():
        sys.exit(f"{PASSED.relative_to(ROOT)} is missing: a row counts where its test has passed; run make test first.")
    return set(json.loads(PASSED.read_text(encoding="utf-8")))


def proofs_of(tests: list[pytest.Function], rows: Rows, passed: set[str]) -> Proofs:
    """Tests that passed, by the row they prove; a marker that names no row ends the program with a sentence."""
    proofs: Proofs = {}
    mistakes: set[str] = set()
    for test in tests:
        name = test.nodeid.split("[")[0]
        for marker in test.iter_markers("row"):
            spec, *numbers = marker.args or ("",)
            if spec not in rows:
                mistakes.add(f"{name} names the spec {spec!r}; the specs are {', '.join(rows)}.")
            elif not numbers:
                mistakes.add(f"{name} names {spec} but no row of it.")
            else:
                for number in numbers:
                    if number not in rows[spec]:
                        mistakes.add(f"{name} names row {number!r} of {spec}; its rows are 1 to {max(rows[spec])}.")
                    elif name in passed:
                        proofs.setdefault((spec, number), set()).add(name)
    if mistakes:
        sys.exit("\n".join(sorted(mistakes)))
    return proofs


# ---------------------------------------------------------------- the report


def totals(rows: Rows, proofs: Proofs) -> list[tuple[str, int, int]]:
    """Spec, covered, total."""
    return [(spec, sum((spec, number) in proofs for number in table), len(table)) for spec, table in rows.items()]


def markdown(rows: Rows, proofs: Proofs) -> str:
    lines = [
        "# Coverage of the specs",
        "",
        "Which rows of the specs' feature → test tables are proven, and by which tests.",
        "Generated by `make coverage` from the tests' `@row` markers, those that passed in `make test`; do not edit.",
        "",
        "| spec | covered | rows |",
        "|---|---:|---:|",
        *(f"| [{spec}](#{spec}) | {covered} | {total} |" for spec, covered, total in totals(rows, proofs)),
    ]
    for spec, table in rows.items():
        lines += ["", f"## {spec}", "", "| # | feature | proven by |", "|---:|---|---|"]
        for number, feature in table.items():
            tests = "<br>".join(f"`{name}`" for name in sorted(proofs.get((spec, number), ())))
            lines.append(f"| {number} | {escaped(feature)} | {tests or '—'} |")
    return "\n".join(lines) + "\n"


def escaped(cell: str) -> str:
    return cell.replace("|", r"\|")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/inside/coverage.md: which spec rows the tests prove.")
    parser.add_argument("--refresh", action="store_true", help="first rewrite docs/inside/rows.json from the specs")
    if parser.parse_args().refresh:
        save_rows(read_specs(SPECS))

    rows = load_rows()
    proofs = proofs_of(collect_tests(), rows, load_passed())
    COVERAGE.write_text(markdown(rows, proofs), encoding="utf-8")
    for spec, covered, total in totals(rows, proofs):
        print(f"{spec:<24}{covered:>3} / {total}")


if __name__ == "__main__":
    main()
