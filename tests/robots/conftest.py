"""Robots are computed by what users get: compiled with the usual effort."""

import pytest


@pytest.fixture(autouse=True)
def usual_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOTIONC_EFFORT", raising=False)
