"""Recordings from strangers, and disks that are full: one sentence each, nothing that harms."""

import errno
import json
import random
import resource
import struct
import subprocess
import sys
import tracemalloc
import zlib
from time import sleep

import numpy as np
import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc import simulate as sim
from motionc.cli.main import app
from motionc.simulate import mcap_records
from motionc.simulate import recorder as recorder_module
from motionc.simulate.mcap_records import McapWriter
from motionc.simulate.recorded_check import faults
from motionc.simulate.recorded_file import OURS
from trials import trials

NASTY = '<img src=x onerror="alert(1)">/../../etc/passwd'
RUN = CliRunner()


def _recording() -> sim.Recording:
    q = sim.Signal("q", np.arange(50) / 10, np.arange(100.0).reshape(50, 2), "rad", ("shoulder", "elbow"))
    nasty = sim.Signal(NASTY, [0.0, 1.0], [1.0, 2.0], NASTY, (NASTY,), NASTY)
    model = sim.recording.model_of(mc.load("planar2"))
    return sim.Recording(signals=[q, nasty], model=model, marks=[sim.Mark(0.5, NASTY)], task=NASTY)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return _recording().save(tmp_path_factory.mktemp("saved") / "x.mcap").read_bytes()


def _opened(path) -> sim.Recording | None:
    """The recording, or None where one sentence says why there is none."""
    try:
        return sim.Recording.open(path)
    except mc.Error as error:
        if "\n" in str(error):
            raise
        return None


def test_names_with_markup_and_slashes_are_words(saved, tmp_path) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(saved)
    back = sim.Recording.open(path)
    assert (back[NASTY].unit, back[NASTY].labels, back.task, back.marks[0].name) == (NASTY, (NASTY,), NASTY, NASTY)
    assert b"/signals/%3Cimg" in saved
    assert b"/signals/<" not in saved
    result = RUN.invoke(app, ["record", "info", str(path)])
    assert result.exit_code == 0
    assert NASTY in result.stdout
    assert json.loads(RUN.invoke(app, ["record", "info", str(path), "--json"]).stdout)["task"] == NASTY


def test_a_file_cut_off_anywhere_opens_or_says_why(saved, tmp_path) -> None:
    path = tmp_path / "x.mcap"
    sizes = [*range(0, 300, 7), *random.Random(0).sample(range(len(saved)), 30)]
    for size in sizes:
        path.write_bytes(saved[:size])
        back = _opened(path)
        if back is not None:
            assert back.notes
            if "q" in back.signals:
                rows = back["q"].values
                assert np.array_equal(rows, _recording()["q"].values[: len(rows)])


def test_a_file_with_flipped_bytes_gives_what_was_saved_or_less_and_says_so(saved, tmp_path) -> None:
    path, rng = tmp_path / "x.mcap", random.Random(1)
    for _ in range(trials(60)):
        damaged = bytearray(saved)
        damaged[rng.randrange(len(saved))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        _opened(path)
    # numbers themselves are behind checksums: none is taken that was not saved
    damaged, last = bytearray(saved), _recording()["q"].values[-1]
    damaged[saved.index(last.tobytes()) + 3] ^= 0x10
    path.write_bytes(damaged)
    back = sim.Recording.open(path)
    assert "checksum" in back.notes[0]
    assert 0 < len(back["q"].times) < 50
    assert np.array_equal(back["q"].values, _recording()["q"].values[: len(back["q"].times)])


@pytest.mark.parametrize("opcode", [1, 3, 4, 5, 6, 9, 12])
def test_lengths_that_are_lies_take_no_memory(saved, tmp_path, opcode) -> None:
    path = tmp_path / "x.mcap"
    for length in (2**63, 2**40, 2**32 - 1):
        inner = struct.pack("<QQQI", 0, 1, length, 0) + struct.pack("<I", 0) + struct.pack("<Q", length)
        for lie in (struct.pack("<BQ", opcode, length), struct.pack("<BQ", opcode, len(inner)) + inner):
            path.write_bytes(saved[:8] + lie + saved[8:])
            tracemalloc.start()
            _opened(path)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 30 * len(saved)


def test_chunks_that_would_unpack_to_more_than_they_say_are_left_out(saved, tmp_path) -> None:
    zstandard, lz4 = pytest.importorskip("zstandard"), pytest.importorskip("lz4.frame")
    path, zeros = tmp_path / "x.mcap", bytes(2**24)
    for how, packed in (("zstd", zstandard.compress(zeros)), ("lz4", lz4.compress(zeros)), ("rot13", b"abc")):
        word = struct.pack("<I", len(how)) + how.encode()
        body = struct.pack("<QQQI", 0, 1, 1000, 0) + word + struct.pack("<Q", len(packed)) + packed
        path.write_bytes(saved[:8] + struct.pack("<BQ", 6, len(body)) + body + saved[8:])
        tracemalloc.start()
        back = sim.Recording.open(path)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < len(zeros) / 2
        assert len(back["q"].times) == 50
        assert "left out" in back.notes[0]


def test_a_model_that_was_changed_on_the_way_is_left_out(saved, tmp_path) -> None:
    path = tmp_path / "x.mcap"
    assert saved.count(b'<mass value="0.3"/>') >= 1
    path.write_bytes(saved.replace(b'<mass value="0.3"/>', b'<mass value="9.3"/>', 1))
    back = sim.Recording.open(path)
    assert back.model is None
    assert "the checksum of an attachment is wrong: it is left out" in back.notes[0]
    assert back["q"].values.shape == (50, 2)


def test_an_index_that_does_not_fit_is_a_fault(saved, tmp_path) -> None:
    path, tail = tmp_path / "x.mcap", 20 + 8
    begin = struct.unpack_from("<Q", saved, len(saved) - tail)[0]
    statistics = begin
    while saved[statistics] != mcap_records.STATISTICS:
        statistics += 9 + struct.unpack_from("<Q", saved, statistics + 1)[0]
    wrong = bytearray(saved)
    wrong[statistics + 9] += 1
    path.write_bytes(wrong)
    assert "the checksum of its index is wrong" in faults(path)[0]
    end = len(saved) - tail + 16
    struct.pack_into("<I", wrong, end, zlib.crc32(wrong[begin:end]))
    path.write_bytes(wrong)
    (said,) = faults(path)
    count = struct.unpack_from("<Q", saved, statistics + 9)[0]
    assert said == f"its index counts {count + 1} messages, and {count} can be read"
    result = RUN.invoke(app, ["record", "check", str(path)])
    assert result.exit_code == 1


def test_chunks_that_are_too_large_are_not_unpacked(saved, tmp_path, monkeypatch) -> None:
    zstandard = pytest.importorskip("zstandard")
    monkeypatch.setattr(mcap_records, "LARGEST_CHUNK", 1000)
    path, packed = tmp_path / "x.mcap", zstandard.compress(bytes(5000))
    body = (
        struct.pack("<QQQI", 0, 1, 5000, 0) + struct.pack("<I", 4) + b"zstd" + struct.pack("<Q", len(packed)) + packed
    )
    path.write_bytes(saved[:8] + struct.pack("<BQ", 6, len(body)) + body + saved[8:])
    assert "says that it has 5000 bytes: it is left out" in sim.Recording.open(path).notes[0]


def _said(tmp_path, **said: str):
    """A file whose words about itself are these."""
    pieces: list[bytes] = []
    writer = McapWriter(pieces.append, "stranger")
    model = said.pop("attached", None)
    if model is not None:
        writer.attachment("robot.urdf", "application/xml", model.encode())
    shape = said.pop("shape", "[2]")
    schema = writer.schema("std_msgs/msg/Float64MultiArray", "ros2msg", "")
    writer.channel("/signals/q", "cdr", schema, {"name": "q", "role": "signals", "shape": shape})
    writer.metadata(OURS, said)
    writer.finish()
    path = tmp_path / "x.mcap"
    path.write_bytes(b"".join(pieces))
    return path


@pytest.mark.parametrize(
    "said",
    [
        {"dt": "[" * 100_000},
        {"dt": '"long"'},
        {"dt": "-1"},
        {"seed": "1e400"},
        {"bands": '[{"os.system": {"command": "x"}}]'},
        {"bands": '[{"Band": {"signal": 3}}]'},
        {"versions": "[]"},
        {"model": '{"form": "pickle"}', "attached": "x"},
        {"shape": "[1000000, 1000000]"},
        {"shape": '["a"]'},
        {"shape": "{}"},
    ],
    ids=str,
)
def test_words_that_make_no_sense_are_one_sentence(tmp_path, said) -> None:
    path = _said(tmp_path, **said)
    if said.get("shape") == "{}":  # one number, as good as none
        assert sim.Recording.open(path)["q"].shape == ()
        return
    with pytest.raises(mc.Error, match="makes no sense") as caught:
        sim.Recording.open(path)
    assert len(str(caught.value)) < 500


BOMB = """<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"><link name="l"/></robot>"""


@pytest.mark.parametrize(
    "text", ["", "nonsense", "/etc/passwd", "lwr4", BOMB, "<robot/>", "<mujoco><include file='/etc/passwd'/></mujoco>"]
)
def test_a_hostile_model_is_never_opened_as_a_file_and_one_sentence(tmp_path, text) -> None:
    path = _said(tmp_path, model='{"form": "urdf", "name": "r"}', attached=text)
    back = sim.Recording.open(path)
    with pytest.raises(mc.Error, match="the model in the recording cannot be used"):
        back.robot()
    assert RUN.invoke(app, ["record", "check", str(path)]).exit_code == 1
    assert back.save(tmp_path / "again.mcap").exists()


@pytest.mark.parametrize(
    "content", [b"", b"nope", b"\x89MCAP0\r\n", bytes(1000)], ids=["empty", "text", "magic", "zeros"]
)
def test_what_is_no_recording_is_one_sentence(tmp_path, content) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(content)
    with pytest.raises(mc.Error, match="give a"):
        sim.Recording.open(path)
    for place in (tmp_path, tmp_path / "nowhere.mcap"):
        with pytest.raises(mc.Error, match="cannot be read"):
            sim.Recording.open(place)


def test_recover_makes_a_file_whole_again(saved, tmp_path) -> None:
    path, out = tmp_path / "x.mcap", tmp_path / "whole.mcap"
    path.write_bytes(saved[: len(saved) - 500])
    assert RUN.invoke(app, ["record", "check", str(path)]).exit_code == 1
    assert RUN.invoke(app, ["record", "recover", str(path), "-o", str(out)]).exit_code == 0
    assert RUN.invoke(app, ["record", "check", str(out)]).exit_code == 0
    assert np.array_equal(sim.Recording.open(out)["q"].values, _recording()["q"].values)
    reader = pytest.importorskip("mcap.reader")
    with out.open("rb") as file:
        indexed = reader.SeekingReader(file, validate_crcs=True)
        assert indexed.get_summary().statistics.message_count == sum(1 for _ in indexed.iter_messages())


FULL = """
import resource, sys, time
import numpy as np
import motionc as mc

resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
port, said = mc.Port("x", (100,), "1", "numbers"), ""
recorder = mc.simulate.Recorder(sys.argv[1], None, [port])
for k in range(1000):
    recorder.log(1e-3 * k, x=np.full(100, float(k)))  # never raises
    if k % 50 == 0:
        time.sleep(0.03)
try:
    recorder.close()
except mc.Error as error:
    said = str(error)
assert "cannot be written" in said and "lift the limit" in said and recorder.lost, said
try:
    mc.simulate.Recording.open(sys.argv[1]).save(sys.argv[1] + ".again")
    mc.simulate.Recording(signals=[mc.simulate.Signal("x", [0.0], np.zeros((1, 10**5)))]).save(sys.argv[2])
except mc.Error as error:
    print(error)
"""


def test_a_full_disk_ends_the_recording_and_not_the_control_loop(tmp_path) -> None:
    path, kept = tmp_path / "x.mcap", tmp_path / "kept.mcap"
    kept.write_bytes(b"as it was")
    child = subprocess.run([sys.executable, "-c", FULL, str(path), str(kept)], capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    assert "cannot be written" in child.stdout
    assert kept.read_bytes() == b"as it was"
    values = sim.Recording.open(path)["x"].values
    assert len(values) > 50
    assert np.array_equal(values[:, 0], np.arange(len(values)))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 200_000


def _failing(monkeypatch, after: int) -> None:
    """A disk that is full after so many pieces."""
    put, count = sim.Recorder._put, iter(range(10**6))

    def full(self, data: bytes) -> None:
        if next(count) >= after:
            raise OSError(errno.ENOSPC, "No space left on device")
        put(self, data)

    monkeypatch.setattr(sim.Recorder, "_put", full)


def test_every_row_that_a_full_disk_did_not_take_is_counted(tmp_path, monkeypatch) -> None:
    _failing(monkeypatch, after=5)
    heat = mc.Port("heat", (), "K", "of the motors")
    recorder = sim.Recorder(tmp_path / "x.mcap", None, [heat])
    for k in range(1000):
        recorder.log(0.001 * k, heat=300.0)
        if k % 100 == 0:
            sleep(0.02)
    with pytest.raises(mc.Error, match=r"No space left on device.*make room"):
        recorder.close()
    assert recorder.failure
    assert recorder.lost + len(sim.Recording.open(recorder.path)["heat"].times) == 1000


def test_what_went_wrong_in_the_control_loop_is_told_before_the_disk(tmp_path, monkeypatch) -> None:
    _failing(monkeypatch, after=5)
    heat = mc.Port("heat", (), "K", "of the motors")

    def control() -> None:
        with sim.Recorder(tmp_path / "x.mcap", None, [heat]) as recorder:
            for k in range(3):
                recorder.log(0.1 * k, heat=300.0)
                sleep(0.05)
            assert recorder.failure
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        control()


def test_rows_that_a_slow_disk_did_not_take_in_time_are_counted_and_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(recorder_module, "MOST_WAITING", 10)
    monkeypatch.setattr(recorder_module, "PERIOD", 0.5)
    recorder = sim.Recorder(tmp_path / "x.mcap", None, [mc.Port("heat", (), "K", "of the motors")])
    for k in range(100):
        recorder.log(0.001 * k, heat=300.0)
    with pytest.raises(mc.Error, match="rows were lost: the disk did not keep up"):
        recorder.close()
    assert recorder.lost > 0
    assert recorder.lost + len(sim.Recording.open(recorder.path)["heat"].times) == 100


def test_a_recorder_refuses_what_it_cannot_mean_and_keeps_what_is_there(tmp_path) -> None:
    path = tmp_path / "x.mcap"
    robot = mc.load("planar2")
    with sim.Recorder(path, robot, ["q"], views=False) as recorder:
        for wrong in ({"q": [1.0]}, {"q": "ab"}, {"w": 1.0}, {"q": None}):
            with pytest.raises(mc.Error, match=r"Recorder\.log"):
                recorder.log(0.0, **wrong)
        for time in (-1.0, float("nan"), float("inf"), "now", None):
            with pytest.raises(mc.Error, match="time"):
                recorder.log(time, q=np.zeros(2))
        recorder.log(0.5, q=np.full(2, np.nan))
    with pytest.raises(mc.Error, match="closed"):
        recorder.log(1.0, q=np.zeros(2))
    assert np.isnan(sim.Recording.open(path)["q"].values).all()
    with pytest.raises(mc.Error, match="force=True"):
        sim.Recorder(path, robot, ["q"])
    with pytest.raises(mc.Error, match="cannot be written"):
        sim.Recorder("/proc/x.mcap", robot, ["q"], views=False)
