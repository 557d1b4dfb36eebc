"""Fixtures every test may ask for."""

from pathlib import Path

import pytest

from rows import SHARED


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared robots and specs; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the shared folder (MOTIONC_SHARED) is absent")
    return SHARED
