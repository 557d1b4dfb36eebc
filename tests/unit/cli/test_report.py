"""`motionc run --report --out`, `motionc report`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionc.cli.main import app
from motionc.simulate import Recording

pytest.importorskip("matplotlib")
RUN = CliRunner()


def test_a_run_leaves_a_recording_and_a_report(tmp_path: Path) -> None:
    kept, page, again = tmp_path / "x.mcap", tmp_path / "x.html", tmp_path / "y.html"
    words = ["run", "planar2", "--do", "hold", "--seconds", "0.2", "--out", str(kept), "--report", str(page)]
    result = RUN.invoke(app, words)
    assert result.exit_code == 0, result.output
    assert f"{page}: " in result.output.replace("\n", "")
    assert "a tenth of their range" in page.read_text()
    assert Recording.open(kept).references[0].of == "q"
    told = RUN.invoke(app, ["report", str(kept), "-o", str(again), "--plots", str(tmp_path / "plots"), "--json"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["bytes"] == again.stat().st_size
    assert [Path(file).name for file in found["plots"]][:2] == ["positions.svg", "velocities.svg"]


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.mcap").write_bytes(b"no")
    result = RUN.invoke(app, ["report", str(tmp_path / "x.mcap"), "-o", str(tmp_path / "x.html")])
    assert result.exit_code == 1
    assert not (tmp_path / "x.html").exists()
