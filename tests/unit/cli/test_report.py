"""`motionc run --report --out`, `motionc report`."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app
from motionc.simulate import Recording, closed
from motionc.simulate.doings import doing

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


@pytest.mark.parametrize("count", [1, 3])
def test_the_recording_of_a_run_replays_bit_for_bit(tmp_path: Path, count: int) -> None:
    words = ["run", "planar2", "--do", "hold", "--seconds", "0.2", "--seed", "3", "--count", str(count)]
    result = RUN.invoke(app, [*words, "--out", str(tmp_path / "x.mcap")])
    assert result.exit_code == 0, result.output
    kept = Recording.open(tmp_path / "x.mcap")
    assert kept.task.startswith("hold; posture: joints at 0")
    done = doing(mc.load("planar2"), "hold", count=count, seed=3)
    again = closed(done.plant, log=dict.fromkeys(done.log, 1 if count == 1 else 10)).replay(kept)
    for name in done.log:
        rows = again[name][0] if count > 1 else again[name]
        np.testing.assert_array_equal(rows, kept[name].values)
    assert len(kept["q"].times) == (200 if count == 1 else 20)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.mcap").write_bytes(b"no")
    result = RUN.invoke(app, ["report", str(tmp_path / "x.mcap"), "-o", str(tmp_path / "x.html")])
    assert result.exit_code == 1
    assert not (tmp_path / "x.html").exists()
