"""What is emitted is compiled as its users would; so is what it is held against."""

import pytest


@pytest.fixture(autouse=True)
def usual_effort(in_best_order: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOTIONC_EFFORT", raising=False)
