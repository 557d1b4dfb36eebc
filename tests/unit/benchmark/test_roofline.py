"""The roof of a machine and batches under it, and ways into C: what is measured is what was done."""

import json
import re
import sys
from pathlib import Path

import pytest

import motionc as mc
from figures import roofline
from figures.paths import PATHS, paths
from figures.roofline import Point, Roof, point, read_points, roof
from motionc.robots import robot_file
from motionc.runtime.build import compiler

pytestmark = pytest.mark.skipif(compiler.find_compiler() is None, reason="no C compiler on this machine")

POINT = {
    "computation": "lwr4, inverse dynamics",
    "precision": "single",
    "states": 1000,
    "per_second": 1e9,
    "bytes_per_state": 100.0,
    "operations_per_state": 800.0,
    "copy_bandwidth": 4e11,
}


def test_what_bounds_is_the_copy_or_the_peak() -> None:
    top = Roof(2e10, 5e10)
    assert (top.bound(1.0), top.bound(2.5), top.bound(100.0)) == (2e10, 5e10, 5e10)


def test_a_point_is_what_a_state_takes_times_states_a_second() -> None:
    one = Point(**POINT)
    assert (one.intensity, one.operations_per_second, one.share_of_copy) == (8.0, 8e11, 0.25)


def test_batches_are_below_what_arithmetic_can_do() -> None:
    """Sines count as one operation and take more; so nothing of ours is above."""
    top, arm = roof(3), mc.load("lwr4")
    assert min(top.peak, top.copy_bandwidth) > 0
    found = point(mc.inverse_dynamics(arm), top, 2000, 2)
    assert (found.computation, found.states, found.bytes_per_state) == ("lwr4, inverse dynamics", 2000, 8 * 28)
    assert found.operations_per_state == sum(mc.inverse_dynamics(arm).operations.values())
    assert 0 < found.operations_per_second < top.peak


def test_the_peak_is_that_of_as_many_chains_as_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains that are alike are one, and one that stays where it is none: compilers see both."""
    tool = compiler.find_compiler()
    assert tool is not None
    monkeypatch.delenv("MOTIONC_EFFORT", raising=False)
    assembly, _ = compiler.assembled(tool, roofline.SOURCE, instructions=1, label="a roof")
    steps = re.findall(r"\b(?:vfmadd\w+|fmadd|fmla)\s", assembly)
    if not steps:
        pytest.skip("products and sums are two steps on this processor")
    assert len(steps) % 10 == 0


def test_points_of_a_gpu_are_read_or_refused_with_the_fields_there_are(tmp_path: Path) -> None:
    file = tmp_path / "gpu.json"
    assert read_points(file) == []
    file.write_text(json.dumps([POINT | {"registers": 40}]), encoding="utf-8")
    assert read_points(file) == [Point(**POINT)]
    for wrong in ("[{}]", "{", "[1]", '[{"computation": 1, "nonsense": 2}]'):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(mc.Error, match="must be a JSON list of objects with computation, precision"):
            read_points(file)


def test_ways_into_c_agree_and_those_that_are_not_there_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cffi", None)
    path = robot_file("planar2")
    assert path
    lines = {line.contender: line for line in paths(mc.load(path), 1)}
    assert list(lines) == list(PATHS)
    assert lines["motionc, by cffi"].note == "cffi is not installed; pip install cffi"
    there = [line for line in lines.values() if not line.note]
    assert len(there) == len(PATHS) - 1
    assert all(line.microseconds and line.error < 1e-12 for line in there)
