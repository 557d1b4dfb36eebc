"""Which tests depend on the tier: those in whose course a computation is called, or another Python is started.

A run notes that, test by test, in pytest's own cache. `pytest --tier compiled` then repeats in that tier what is noted,
and what is not known yet. What chooses a tier itself need not be repeated, nor what is marked `numbers`. "interpreted"
is a machine without compiler.
"""

import os
import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import pytest

from motionc.runtime import computation
from motionc.runtime.build.library import TIERS, Lanes, Library

NOTES = "motionc/depends-on-the-tier"
PROPERTY = ("depends on", "the tier")


class Tiers:
    """A pytest plugin for one run, in the tier asked for or, without any, in the best."""

    def __init__(self, config: pytest.Config, tier: str) -> None:
        self.cache, self.tier = getattr(config, "cache", None), tier
        self.worker = hasattr(config, "workerinput")
        self.notes: dict[str, bool] = self.cache.get(NOTES, {}) if self.cache else {}
        self.item: pytest.Item | None = None
        if tier == "interpreted":
            os.environ["MOTIONC_COMPILER"] = "none"
        elif tier:
            os.environ["MOTIONC_TIER"] = tier
        self.chosen = os.environ.get("MOTIONC_TIER", "")
        computation.open_library = self._opened(computation.open_library, "entry", "call")
        computation.open_lanes = self._opened(computation.open_lanes, "entry")
        sys.addaudithook(self._heard)

    # ---------------------------------------------------------------- noting

    def _opened(self, opens: Callable[..., Any], *callables: str) -> Callable[..., Any]:
        def noted(*args: Any) -> Library | Lanes | None:
            library = opens(*args)
            if library is None or os.environ.get("MOTIONC_TIER", "") != self.chosen:
                return library
            if self.tier and isinstance(library, Library) and library.tier != self.tier:
                raise AssertionError(f"this run is to be {self.tier}, but a library is {library.tier}")
            found = {name: getattr(library, name) for name in callables}
            return replace(library, **{name: _Noted(call, self._note) for name, call in found.items() if call})

        return noted

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen" and sys.executable in (args[0], *args[1][:1]):
            self._note()

    def _note(self) -> None:
        if self.item and PROPERTY not in self.item.user_properties:
            self.item.user_properties.append(PROPERTY)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.item = item
        try:
            return (yield)
        finally:
            self.item = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown" and not self.tier:
            self.notes[report.nodeid] = PROPERTY in map(tuple, report.user_properties)

    def pytest_sessionfinish(self) -> None:
        if self.cache and not self.worker and not self.tier:
            self.cache.set(NOTES, self.notes)

    # ---------------------------------------------------------------- choosing

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self.tier:
            repeated = [item for item in items if not item.get_closest_marker("numbers")]
            chosen = [item for item in repeated if self.notes.get(item.nodeid, True)]
            config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
            items[:] = chosen


class _Noted:
    """Calls, and says so; like a builtin function it stays what it is on a class."""

    def __init__(self, call: Callable[..., Any], note: Callable[[], None]) -> None:
        self.call, self.note = call, note

    def __call__(self, *args: Any, **named: Any) -> Any:
        self.note()
        return self.call(*args, **named)


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=TIERS, default="", help="repeat in this tier what depends on it")
