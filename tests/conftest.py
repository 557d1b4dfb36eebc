"""Fixtures every test may ask for, and what holds for all of them."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

import motionc
import proofs
import tiers
from motionc.program.passes import order
from trials import LONG, ROUNDS, as_written

# no test asserts wall-clock time, and no random test is another one each run
settings.register_profile("motionc", deadline=None, derandomize=True, max_examples=100 if LONG else 40)
settings.load_profile("motionc")

# processes started by tests see the code under test, and what tests share
SOURCES = (Path(motionc.__file__).parents[1], Path(__file__).parent / "support")
os.environ["PYTHONPATH"] = os.pathsep.join([*map(str, SOURCES), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)


def pytest_addoption(parser: pytest.Parser) -> None:
    tiers.add_option(parser)
    proofs.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    if tier := config.getoption("--tier"):
        config.pluginmanager.register(tiers.Tiers(tier))
    if not LONG:
        os.environ.setdefault("MOTIONC_EFFORT", "quick")
        as_written()
    # workers tell the process that started them
    if (file := config.getoption("--proofs")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(proofs.Proofs(Path(file)))


@pytest.fixture
def in_best_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order of instructions is looked for in which fewer values are alive, as users get it."""
    monkeypatch.setattr(order, "ROUNDS", ROUNDS)


def pytest_collection_finish() -> None:
    """What was collected stays; looking through all of it for garbage, again and again, took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
