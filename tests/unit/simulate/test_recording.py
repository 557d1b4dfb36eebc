"""Recordings: what comes back from a file is what was saved; others read it; replays are the same bit for bit."""

import csv
import struct
import sys
from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from acceptance.recordings import Victim
from all_joints import build, random_tree
from motionc import simulate as sim
from motionc.model.digest import robot_digest
from motionc.simulate.ros_views import Views
from motionc.version import __version__

NASTY = '<script>alert("1")</script>/../=cmd\n'


@pytest.fixture(scope="module")
def loop():
    robot = mc.load("planar2")
    push = sim.Push("forearm", (1.0, 0.0, 0.0), start=0.05, seconds=0.02)
    plant = sim.Plant(robot, sensors=[sim.Encoder(noise=1e-3)], pushes=[push])
    log = {"q": 1, "v": 1, "motor_force": 1, "q_measured": 10}
    return sim.closed(plant, mc.control.pd(robot, 10.0, 1.0), log=log)


@pytest.fixture(scope="module")
def run(loop):
    return loop({"q": [0.1, 0.2], "v": [0.0, 0.0]}, target=[0.3, 0.1], seconds=0.3, seed=7)


def test_a_saved_run_comes_back_to_the_last_bit(run, tmp_path) -> None:
    path = run.save(
        tmp_path / "run.mcap",
        marks=[sim.Mark(0.1, NASTY)],
        modes=[sim.Mode((0.0, 0.2), ("GO", NASTY), machine=NASTY)],
        bands=[sim.Band("q", -np.inf, [0.5, 0.6], "tube")],
        task="reach",
    )
    back = sim.Recording.open(path)
    assert back.notes == ()
    for name in ("q", "v", "motor_force", "q_measured"):
        assert np.array_equal(back[name].values, run[name])
        assert np.abs(back[name].times - run.times[name]).max() < 1e-9
    assert back["q"].labels == ("shoulder", "elbow")
    own = sim.Recording.of(run).signals
    for name in ("meaning", "relation", "unit"):
        assert {key: getattr(back[key], name) for key in own} == {key: getattr(one, name) for key, one in own.items()}
    assert (back["q"].unit, back.dt, back.seed, back.task) == ("rad, m", 1e-3, 7, "reach")
    assert [mark.name for mark in back.marks] == ["push on forearm", "end of push on forearm", NASTY]
    assert back.modes == (sim.Mode((0.0, 0.2), ("GO", NASTY), machine=NASTY),)
    assert back.bands == (sim.Band("q", -np.inf, (0.5, 0.6), "tube"),)
    assert back.references == (sim.Reference("target", "q"),)
    assert np.array_equal(back["target"].at(0.2), [0.3, 0.1])
    assert back.versions["motionc"] == __version__
    assert back.robot().joint_names == ("shoulder", "elbow")
    assert path.read_bytes() == sim.Recording.open(path).save(tmp_path / "again.mcap").read_bytes()


def test_limits_of_the_robot_are_bands() -> None:
    plant = sim.Plant(mc.load("ur5"))
    run = sim.closed(plant)(plant.start(), tau=np.zeros(6), steps=20)
    bands = {band.signal: band for band in sim.Recording.of(run).bands}
    assert bands["q"].high == tuple(plant.robot.limits.upper)
    assert bands["motor_force"].low == tuple(-plant.robot.limits.effort)
    assert bands["v"].high == tuple(plant.robot.limits.velocity)


def test_limits_of_a_robot_that_floats_are_bands_of_the_right_entries() -> None:
    robot = mc.load("hyq")
    plant = sim.Plant(robot)
    kept = sim.Recording.of(sim.closed(plant)(plant.start(), tau=np.zeros(robot.nv), steps=3))
    bands = {band.signal: band for band in kept.bands}
    for name in ("LF_HAA", "RH_KFE"):
        at, where = robot.q_index[name].start, robot.v_index[name].start
        assert kept["q"].labels[at] == name
        assert bands["q"].edge("low", at, {})[1] == robot.limits.lower[where]
        assert bands["motor_force"].edge("high", where, {})[1] == robot.limits.effort[where]


def test_marks_of_what_comes_after_the_end_are_left_out() -> None:
    robot = mc.load("planar2")
    pushes = [sim.Push("forearm", (1.0, 0.0, 0.0), start=start, seconds=0.02) for start in (0.01, 0.045, 0.2)]
    plant = sim.Plant(robot, pushes=pushes)
    kept = sim.Recording.of(sim.closed(plant)(plant.start(), tau=[0.0, 0.0], seconds=0.05))
    assert [(mark.time, mark.name) for mark in kept.marks] == [
        (0.01, "push on forearm"),
        (0.03, "end of push on forearm"),
        (0.045, "push on forearm"),
    ]


def test_others_read_the_file_by_its_index_and_see_the_same_numbers(run, tmp_path) -> None:
    reader = pytest.importorskip("mcap.reader")
    ros = pytest.importorskip("mcap_ros2.decoder")
    path = run.save(tmp_path / "run.mcap")
    poses = mc.forward_kinematics(run.plant.robot, "forearm")
    with path.open("rb") as file:
        indexed = reader.SeekingReader(file, validate_crcs=True, decoder_factories=[ros.DecoderFactory()])
        found: dict = {}
        for _, channel, message, decoded in indexed.iter_decoded_messages():
            found.setdefault(channel.topic, []).append((message.log_time, decoded))
        summary = indexed.get_summary()
    assert summary.statistics.message_count == sum(map(len, found.values()))
    times, states = zip(*found["/joint_states"], strict=True)
    assert list(times) == list(range(1_000_000, 301_000_000, 1_000_000))
    assert list(states[0].name) == ["shoulder", "elbow"]
    assert np.array_equal([list(one.position) for one in states], run.q)
    assert np.array_equal([list(one.velocity) for one in states], run.v)
    assert np.array_equal([list(one.effort) for one in states], run.motor_force)
    assert np.array_equal([list(one.data) for _, one in found["/signals/q"]], run.q)
    assert found["/robot_description"][0][1].data == mc.to_urdf(run.plant.robot.chain)
    assert 18 <= len(found["/tf"]) <= 20
    time, last = found["/tf"][-1]
    assert (last.transforms[0].header.stamp.nanosec, last.transforms[0].header.frame_id) == (time, "world")
    place = np.eye(4)
    for one in last.transforms:
        if one.child_frame_id in ("base", "upper_arm", "forearm"):
            at, turn, step = one.transform.translation, one.transform.rotation, np.eye(4)
            step[:3, :3] = mc.geometry.lie.rotation_from_quaternion([turn.w, turn.x, turn.y, turn.z])
            step[:3, 3] = at.x, at.y, at.z
            place = place @ step
    assert np.abs(place - poses(run.q[time // 1_000_000 - 1])).max() < 1e-12


def test_every_message_is_where_the_index_of_its_chunk_says(run, tmp_path) -> None:
    stream, records = pytest.importorskip("mcap.stream_reader"), pytest.importorskip("mcap.records")
    chunk, found = None, 0
    with run.save(tmp_path / "run.mcap").open("rb") as file:
        for one in stream.StreamReader(file, emit_chunks=True, validate_crcs=True).records:
            chunk = one if isinstance(one, records.Chunk) else chunk
            for time, at in one.records if isinstance(one, records.MessageIndex) else ():
                opcode, _, channel, _, logged = struct.unpack_from("<BQHIQ", chunk.data, at)
                assert (opcode, channel, logged) == (5, one.channel_id, time)
                found += 1
    assert found > 1000


def test_the_summary_says_from_when_to_when_and_where_the_robot_is(loop, tmp_path) -> None:
    reader = pytest.importorskip("mcap.reader")
    long = loop({"q": [0.1, 0.2], "v": [0.0, 0.0]}, target=[0.3, 0.1], seconds=2.5)
    with long.save(tmp_path / "run.mcap").open("rb") as file:
        indexed = reader.SeekingReader(file, validate_crcs=True)
        numbers = indexed.get_summary().statistics
        assert numbers.chunk_count > 2
        assert (numbers.message_start_time, numbers.message_end_time) == (0, 2_500_000_000)
        (attached,) = indexed.iter_attachments()
    assert (attached.name, attached.data.decode()) == ("robot.urdf", mc.to_urdf(long.plant.robot.chain))


def test_joint_states_of_a_robot_that_floats_are_those_of_its_joints(tmp_path) -> None:
    reader = pytest.importorskip("mcap.reader")
    ros = pytest.importorskip("mcap_ros2.decoder")
    robot = mc.load("hyq")
    names = [name for name in robot.joint_names if name != "root_joint"]
    q, v = robot.random(1), np.arange(1.0, robot.nv + 1)
    rows = {"q": q, "v": v, "tau": 10 * v, "motor_force": 20 * v}
    signals = [sim.Signal(name, [0.0], [row]) for name, row in rows.items()]
    kept = sim.Recording(signals=signals, model=sim.recording.model_of(robot))
    with kept.save(tmp_path / "x.mcap").open("rb") as file:
        indexed = reader.make_reader(file, decoder_factories=[ros.DecoderFactory()])
        ((*_, state),) = indexed.iter_decoded_messages(topics=["/joint_states"])
    assert list(state.name) == names
    in_v = [robot.v_index[name].start for name in names]
    assert np.array_equal(state.position, [q[robot.q_index[name].start] for name in names])
    assert np.array_equal(state.velocity, v[in_v])
    assert np.array_equal(state.effort, 20 * v[in_v])  # of motors, where they are known


def test_rows_that_are_logged_late_are_indexed_by_their_time(tmp_path) -> None:
    stream, records = pytest.importorskip("mcap.stream_reader"), pytest.importorskip("mcap.records")
    path = tmp_path / "late.mcap"
    with sim.Recorder(path, None, [mc.Port("heat", (), "K", "of the motors")]) as recorder:
        for time in (0.3, 0.1, 0.2):
            recorder.log(time, heat=300 + time)
    assert sim.Recording.open(path)["heat"].values.tolist() == [300.1, 300.2, 300.3]
    with path.open("rb") as file:
        for one in stream.StreamReader(file, emit_chunks=True).records:
            if isinstance(one, records.MessageIndex):
                assert one.records == sorted(one.records)


def test_lanes_keep_their_own_numbers_and_inputs(loop) -> None:
    start = {"q": np.arange(6.0).reshape(3, 2) / 10, "v": np.zeros((3, 2))}
    many = loop.batch(start, target=np.arange(6.0).reshape(3, 2) / 7, seconds=0.02)
    kept = sim.Recording.of(many, lane=2)
    assert (kept.lane, kept.batch) == (2, True)
    assert np.array_equal(kept["q"].values, many["q"][2])
    assert kept.inputs["target"].values[0].tolist() == [4 / 7, 5 / 7]
    assert kept["target"].values[0].tolist() == [4 / 7, 5 / 7]


def test_a_replayed_run_gives_the_same_commands_bit_for_bit(loop, run, tmp_path) -> None:
    back = sim.Recording.open(run.save(tmp_path / "run.mcap"))
    again = loop.replay(back)
    for name in ("q", "v", "motor_force", "q_measured"):
        assert np.array_equal(again[name], run[name])
    many = loop.batch({"q": np.zeros((5, 2)), "v": np.zeros((5, 2))}, target=[0.3, 0.1], seconds=0.1, seed=7)
    once = loop.replay(sim.Recording.of(many, lane=3))
    assert np.array_equal(once["motor_force"][0], many["motor_force"][3])
    later = loop(run.state, target=[0.3, 0.1], seconds=0.1, seed=7, turn=300)
    assert np.array_equal(loop.replay(sim.Recording.of(later))["motor_force"], later["motor_force"])
    with pytest.raises(mc.Error, match="what a loop was given"):
        loop.replay(sim.Recording())


def test_a_controller_makes_the_recorded_commands_of_the_recorded_inputs(tmp_path) -> None:
    robot = mc.load("planar2")
    law, rng = mc.control.pd(robot, 10.0, 1.0), np.random.default_rng(0)
    signals = ["q", "v", "tau", mc.Port("goal", (2,), "rad", "where to go")]
    with sim.Recorder(tmp_path / "live.mcap", robot, signals, dt=1e-3) as recorder:
        for k in range(100):
            q, v, goal = rng.normal(size=(3, 2))
            tau = law(q, v, goal)
            recorder.log(1e-3 * k, q=q, v=v, goal=goal, tau=tau)
            tau[:] = np.nan  # what is logged is a copy
        recorder.mark(0.05, "half")
        recorder.mode(0.02, "HOLD")
    back = sim.Recording.open(tmp_path / "live.mcap")
    assert len(back["tau"].times) == 100
    assert back.marks == (sim.Mark(0.05, "half"),)
    assert back.modes == (sim.Mode((0.02,), ("HOLD",)),)
    assert np.array_equal(back.replay(law, target="goal")["tau"], back["tau"].values)
    with pytest.raises(mc.Error, match="did you mean target"):
        back.replay(law, targets="goal")


def test_state_is_carried_on_in_a_replay() -> None:
    door = mc.control.Machine(("SHUT", "OPEN"), (mc.control.Row("SHUT", "push", "OPEN"),), ("push",), final=("OPEN",))
    pushes = sim.Signal("push", [0.0, 0.1, 0.2], [0.0, 1.0, 0.0])
    replayed = sim.Recording(signals=[pushes]).replay(door.computation("door"))
    modes = sim.Mode.of(sim.Signal("mode", pushes.times, replayed["mode"]), door.states)
    assert modes == sim.Mode((0.0, 0.1), ("SHUT", "OPEN"))


def test_tables_have_every_digit_and_nothing_where_nothing_was_logged(run, tmp_path, monkeypatch) -> None:
    recording = sim.Recording.of(run)
    with recording.to_csv(tmp_path / "run.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["q[elbow]"]) for row in rows[1:]] == list(run.q[:, 1])
    assert [float(row["q_measured[elbow]"]) for row in rows if row["q_measured[elbow]"]] == list(run.q_measured[:, 1])
    assert rows[0]["q[elbow]"] == ""
    formula = sim.Recording(signals=[sim.Signal("=1+1", [0.0], [1.0])]).to_csv(tmp_path / "formula.csv")
    assert formula.read_text().splitlines()[0] == "time,'=1+1"
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(mc.Error, match=r"pip install 'motionc\[parquet\]'"):
        recording.to_parquet(tmp_path / "run.parquet")


def test_parquet_holds_the_same_table(run, tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(sim.Recording.of(run).to_parquet(tmp_path / "run.parquet"))
    assert table["q[elbow]"].to_pylist()[1:] == list(run.q[:, 1])
    assert table["q[elbow]"].null_count == 1
    assert table.schema.field("q[elbow]").metadata[b"unit"] == b"rad, m"


def test_a_floating_robot_and_held_joints_come_back(tmp_path) -> None:
    hyq = mc.load("hyq", fixed={"LF_HAA": 0.2})
    recording = sim.Recording(model=sim.recording.model_of(hyq))
    robot = sim.Recording.open(recording.save(tmp_path / "x.mcap")).robot()
    assert (robot.nq, robot.floating, dict(robot.held)) == (hyq.nq, True, {"LF_HAA": 0.2})


def test_joints_that_urdf_has_no_words_for_come_back_too(tmp_path) -> None:
    robot = build(random_tree(3))
    model = sim.recording.model_of(robot)
    assert model.form == "json"
    back = sim.Recording.open(sim.Recording(model=model).save(tmp_path / "x.mcap")).robot()
    assert robot_digest(back) == robot_digest(robot)
    for wrong in ("", "[]", "{}", '{"segments": [{"Path": {}}]}', model.text.replace('"pose": [[', '"pose": [[[')):
        with pytest.raises(mc.Error, match="the model in the recording cannot be used"):
            sim.Recording(model=replace(model, text=wrong)).robot()


def test_of_whom_wrt_whom_a_signal_is_comes_back(tmp_path) -> None:
    signal = sim.Signal("twist", [0.0], [np.zeros(6)], "rad/s, m/s", meaning="of the tool", relation="tool wrt world")
    back = sim.Recording.open(sim.Recording(signals=[signal]).save(tmp_path / "x.mcap"))["twist"]
    assert (back.unit, back.meaning, back.relation) == (signal.unit, signal.meaning, signal.relation)


def test_singles_stay_singles(tmp_path) -> None:
    values = np.array([[1.1, 2.2]], np.float32)
    path = sim.Recording(signals=[sim.Signal("x", [0.0], values)]).save(tmp_path / "x.mcap")
    assert sim.Recording.open(path)["x"].values.dtype == np.float32
    assert np.array_equal(sim.Recording.open(path)["x"].values, values)


def test_a_killed_process_leaves_all_but_the_end(tmp_path) -> None:
    """Less than 50 ms where nobody else takes the processor (acceptance, recordings); here much less than all."""
    victims = [Victim(tmp_path, "planar2")]
    assert victims[0].killed(1.5) < 0.5
    for victim in victims:
        back = sim.Recording.open(victim.path)
        assert any("recover" in note for note in back.notes)
        assert back["rest"].values.shape[1] == 94


def test_a_run_that_diverged_is_kept_as_it_was(tmp_path):
    plant = mc.simulate.Plant(mc.load("planar2"), 0.01)
    loop = mc.simulate.closed(plant, mc.control.pd(plant.robot, 0.0, 400.0), log=["q", "v"])
    run = loop(plant.start(v=[1e-3, 0.0]), target=[0.0, 0.0], steps=400)
    assert not run.finite
    assert np.any(np.abs(run.q) > 1e100)
    views = Views(plant.robot, mc.to_urdf(plant.robot.chain))
    wild = sim.Signal("q", [0.0, 0.1, 0.2, 0.3], [[0.0, 0.0], [1e8, 0.0], [0.0, np.nan], [1.0, 0.0]])
    assert views._picked(wild).tolist() == [0, 3]  # what is wilder tells no poses
    kept = sim.Recording.open(run.save(tmp_path / "wild.mcap"))
    np.testing.assert_array_equal(kept["q"].values, run.q)
