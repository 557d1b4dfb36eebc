"""What is repeated in every tier: tests marked `calls`. No library they open may be of another tier.

`pytest --tier=compiled` runs those alone, in that tier; "interpreted" is a machine without compiler. Tests that choose
tiers themselves need no mark.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from motionc.runtime import computation
from motionc.runtime.build import compiler
from motionc.runtime.build.library import TIERS, Library

needs_compiler = pytest.mark.skipif(compiler.find_compiler() is None, reason="no C compiler on this machine")


class Tiers:
    """A pytest plugin for a run in one tier."""

    def __init__(self, tier: str) -> None:
        self.tier = tier
        os.environ |= {"MOTIONC_COMPILER": "none"} if tier == "interpreted" else {"MOTIONC_TIER": tier}
        self.chosen = os.environ.get("MOTIONC_TIER", "")
        computation.open_library = self._checked(computation.open_library)

    def _checked(self, opens: Callable[..., Library]) -> Callable[..., Library]:
        def opened(*args: Any) -> Library:
            library = opens(*args)
            chooses = os.environ.get("MOTIONC_TIER", "") != self.chosen
            assert chooses or library.tier == self.tier, f"this run is to be {self.tier}, a library is {library.tier}"
            return library

        return opened

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """A file that has no such test is not even imported."""
        if collection_path.suffix == ".py" and "mark.calls" not in collection_path.read_text(encoding="utf-8"):
            return True
        return None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        config.hook.pytest_deselected(items=[item for item in items if not item.get_closest_marker("calls")])
        items[:] = [item for item in items if item.get_closest_marker("calls")]


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=TIERS, default="", help="the tests marked `calls` alone, in this tier")
