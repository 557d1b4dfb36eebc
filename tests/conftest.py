"""Fixtures every test may ask for."""

from pathlib import Path

import pytest
from hypothesis import settings

from rows import SHARED

# no test asserts wall-clock time, and no random test is another one each run
settings.register_profile("motionc", deadline=None, derandomize=True)
settings.load_profile("motionc")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared robots and specs; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the shared folder (MOTIONC_SHARED) is absent")
    return SHARED
