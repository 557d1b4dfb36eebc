"""motionc record: what it says about a recording on a screen of eighty columns."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionc import simulate as sim
from motionc.cli.main import app


def test_info_has_names_rows_shapes_and_units_in_full_beside_long_meanings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    meaning = "force at " + ", ".join(f"foot_{k}" for k in range(30))
    signals = [
        sim.Signal(name, [0.0], [[0.0] * 3], "N", meaning=meaning) for name in ("contact_force", "contact_point")
    ]
    path = sim.Recording(signals=signals).save(tmp_path / "x.mcap")
    said = CliRunner().invoke(app, ["record", "info", str(path)]).stdout
    for name in ("contact_force", "contact_point"):
        assert re.search(rf"^{name} +1 +3 +N +force at", said, re.MULTILINE)
    assert said.count("foot_29") == 2
