"""Robots are computed by what users get: compiled with the usual effort."""

import pytest


@pytest.fixture(autouse=True)
def usual_effort(in_best_order: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOTIONC_EFFORT", raising=False)
