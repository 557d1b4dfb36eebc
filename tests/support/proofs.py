"""Which tests marked with a row ran and passed: `pytest --proofs=FILE` writes their names, for scripts/coverage.py.

It is said with =: without, a FILE that is there would be taken for tests.

A test of several parameters passed where one did and none failed. What is skipped or expected to fail proves nothing.
Tests that did not run this time keep what the file says of them.
"""

import json
from pathlib import Path

import pytest


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--proofs", metavar="FILE", help="note there which tests marked with a row passed")


class Proofs:
    """A pytest plugin for the process that hears of all tests."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.ran, self.passed, self.failed = set[str](), set[str](), set[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "row" not in report.keywords:
            return
        name = report.nodeid.split("[")[0]
        self.ran.add(name)
        if report.failed:
            self.failed.add(name)
        elif report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
            self.passed.add(name)

    def pytest_sessionfinish(self) -> None:
        before = set(json.loads(self.file.read_text(encoding="utf-8"))) if self.file.exists() else set[str]()
        now = (before - self.ran) | (self.passed - self.failed)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(sorted(now), indent=1) + "\n", encoding="utf-8")
