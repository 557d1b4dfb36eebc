"""The contenders on real robots: they agree, the absent are named, and a wrong one is caught."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import motionc as mc
from figures.growth import serial_chain, with_joints, with_states
from motionc.benchmark import Absent, Contender, Report, ours, timing_table
from motionc.benchmark.questions import DYNAMICS, Kind, Question, ask
from motionc.benchmark.report import BATCHED, CALLED, OURS, SCALAR
from motionc.cli.main import app, main
from motionc.robots import robot_file
from motionc.runtime.build import compiler
from peers.compare import NATIVE, PEERS, PINOCCHIO, compare
from public_robots import needs_public, public_file
from tiers import needs_compiler

RUN = CliRunner()
MUJOCO = "MuJoCo, Python call"
POSITIONS = (Kind.KINEMATICS, Kind.JACOBIAN, Kind.MASS, Kind.FACTOR)


def measured(name: str, **options: object) -> Report:
    path = robot_file(name)
    assert path
    return compare(mc.load(name), path, rounds=1, **options)


# ---------------------------------------------------------------- agreement


@needs_compiler
def test_bench_of_a_small_robot_says_everything_as_json() -> None:
    result = RUN.invoke(app, ["bench", "planar2", "--rounds", "1", "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert {"processor", "compiler"} <= said["machine"].keys()
    assert {"Python", "motionc", "numpy"} == said["versions"].keys()
    lines = {(line["question"], line["contender"]): line for line in said["timings"]}
    for question in ("inverse dynamics", "forward dynamics"):
        for contender in (CALLED, BATCHED):
            assert lines[question, contender]["error"] < 1e-12
            assert lines[question, contender]["microseconds"] > 0
    # whoever has no time says why, and nobody else is asked
    assert all(line["note"] for line in said["timings"] if line["microseconds"] is None)
    assert {line["contender"] for line in said["timings"]} <= {*OURS, "not asked"}
    assert "six joints" in lines[Kind.CONSTRAINED, "not asked"]["note"]


@needs_compiler
def test_on_an_arm_all_contenders_agree_in_all_questions() -> None:
    report = measured("lwr4")
    assert not report.disagreements
    assert all(report.time(kind, name) for kind in DYNAMICS for name in (SCALAR, CALLED, BATCHED, PINOCCHIO))
    assert all(report.time(kind, MUJOCO) for kind in (Kind.INVERSE, Kind.FORWARD))
    assert max(timing.error for timing in report.timings if timing.error is not None) < 1e-9
    assert report.time(Kind.INVERSE, PINOCCHIO) - report.time(Kind.INVERSE, NATIVE) == pytest.approx(report.empty_call)


@needs_public
@needs_compiler
def test_a_floating_base_is_turned_into_the_peers_coordinates() -> None:
    path = public_file("anymal")
    robot = mc.load(path, floating=True)
    report = compare(robot, path, rounds=1, kinds=(Kind.INVERSE, Kind.FORWARD), names=(SCALAR, PINOCCHIO, MUJOCO))
    errors = [timing.error for timing in report.timings]
    assert len(errors) == 8
    assert max(errors) < 1e-11


@needs_compiler
def test_of_a_floating_quadruped_all_say_the_same() -> None:
    """Six rows at each foot are more than it has joints for."""
    path = robot_file("quadruped")
    robot = mc.load(path, floating=True)
    feet = [name for name in robot.link_names if name.endswith("foot")]
    kinds, names = (*POSITIONS, Kind.POINTS, Kind.FRAMES), (SCALAR, PINOCCHIO, MUJOCO)
    report = compare(robot, path, feet[0], 1, kinds=kinds, names=names, states=4, feet=feet)
    assert len(feet) == 4
    assert not report.disagreements
    assert all(report.time(kind, name) for kind in kinds[:-1] for name in (SCALAR, PINOCCHIO))
    assert all(report.time(kind, MUJOCO) for kind in (Kind.KINEMATICS, Kind.MASS, Kind.FACTOR))
    assert max(timing.error for timing in report.timings if timing.error is not None) < 1e-11
    assert "24 rows need 24 joints" in report.timings[-1].note
    assert all(timing.note for timing in report.timings if timing.microseconds is None)


@needs_compiler
def test_of_a_chain_all_say_the_same_about_positions_and_derivatives() -> None:
    kinds = (*POSITIONS, Kind.INVERSE_DERIVATIVES, Kind.FORWARD_DERIVATIVES)
    report = measured("fancy", kinds=kinds, states=4)
    assert not report.disagreements
    assert all(report.time(kind, name) for kind in kinds for name in (SCALAR, CALLED, BATCHED, PINOCCHIO))
    assert all(report.time(kind, "CasADi, its own call") for kind in POSITIONS)
    assert max(timing.error for timing in report.timings if timing.error is not None) < 1e-11


def test_a_factor_is_compared_by_its_product() -> None:
    question = ask(Kind.FACTOR, mc.load("planar2"), "tip", 2)
    assert question.compared(np.array([[2.0, 0.0, 1.0, 3.0]])).tolist() == [[5.0, 3.0, 3.0, 9.0]]


def test_rows_at_feet_are_asked_of_what_has_feet() -> None:
    with pytest.raises(Absent, match="planar2 has no feet"):
        ask(Kind.POINTS, mc.load("planar2"), "tip", 2)
    with pytest.raises(Absent, match="12 rows need 12 joints; lwr4 has 7"):
        ask(Kind.FRAMES, mc.load("lwr4"), "link_7", 2, ["link_7", "link_5"])


# ---------------------------------------------------------------- disagreement and absence


def wrong(question: Question) -> Contender:
    right = ours.called(question)
    return replace(right, answers=lambda: right.answers() * (1 + 1e-4))


@needs_compiler
def test_a_contender_that_disagrees_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(PEERS, PINOCCHIO, lambda _: wrong)
    (timing, *_) = measured("planar2", kinds=[Kind.INVERSE]).disagreements
    assert timing.contender == PINOCCHIO
    assert timing.error > 1e-5
    monkeypatch.setitem(OURS, CALLED, wrong)
    monkeypatch.setattr("sys.argv", ["motionc", "bench", "planar2", "--rounds", "1"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 1
    assert "motionc, Python call: its answers differ" in " ".join(capsys.readouterr().err.split())


def test_absent_peers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pinocchio", "mujoco", "PyKDL", "pydrake.multibody.plant"):
        monkeypatch.setitem(sys.modules, module, None)
    report = measured("planar2", kinds=[Kind.INVERSE])
    notes = {timing.contender: timing.note for timing in report.timings}
    assert notes[PINOCCHIO] == notes[NATIVE] == "pinocchio is not installed; pip install pin"
    assert notes[MUJOCO] == "mujoco is not installed; pip install mujoco"
    assert notes["PyKDL, Python call"].startswith("PyKDL is not installed")
    assert notes["Drake, Python call"] == "drake is not installed; pip install drake"
    assert not report.disagreements
    console = Console(width=200)
    with console.capture() as shown:
        console.print(timing_table(report))
    assert "pinocchio is not installed; pip install pin" in shown.get()


def test_without_a_compiler_ours_in_c_is_absent_and_the_call_is_the_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_TIER", "interpreted")
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    report = measured("planar2", kinds=[Kind.INVERSE], names=(SCALAR, CALLED, PINOCCHIO))
    assert report.time(Kind.INVERSE, SCALAR) is None
    assert report.timings[0].note == "there is no C compiler"
    assert report.time(Kind.INVERSE, CALLED)
    assert report.timings[2].error < 1e-12


def test_a_robot_whose_joints_follow_others_is_not_given_to_the_peers(tmp_path) -> None:
    text, (leader, follower) = robot_file("planar2").read_text(), mc.load("planar2").joint_names
    end = text.index("</joint>", text.index(f'name="{follower}"'))
    path = tmp_path / "following.urdf"
    path.write_text(f'{text[:end]}<mimic joint="{leader}"/>{text[end:]}')
    report = compare(mc.load(path), path, rounds=1, kinds=[Kind.INVERSE], names=(CALLED, PINOCCHIO, MUJOCO))
    assert ["follows another joint" in timing.note for timing in report.timings] == [False, True, True, True]


@pytest.mark.parametrize("arguments", [["bench"], ["bench", "lwr4", "--rounds", "0"]])
def test_usage_errors_exit_2(arguments: list[str]) -> None:
    assert RUN.invoke(app, arguments).exit_code == 2


def test_an_unknown_frame_is_one_sentence() -> None:
    with pytest.raises(mc.Error, match="hand"):
        measured("lwr4", frame="hand", kinds=[Kind.CONSTRAINED])


# ---------------------------------------------------------------- growth


def test_the_chain_is_the_same_to_pinocchio_as_to_us() -> None:
    report = with_joints(6, 1)
    assert not report.disagreements
    assert all(report.time(kind, PINOCCHIO) for kind in DYNAMICS)
    assert report.operations[Kind.INVERSE] < report.operations[Kind.FORWARD] < report.operations[Kind.CONSTRAINED]


def test_operations_grow_linearly_with_joints() -> None:
    sizes = [sum(mc.inverse_dynamics(serial_chain(n)).operations.values()) for n in (6, 9, 12)]
    assert sizes[1] - sizes[0] == sizes[2] - sizes[1]


def test_both_layouts_are_measured_for_every_size() -> None:
    found = with_states(mc.inverse_dynamics(mc.load("planar2")), (1, 5))
    assert [timing.states for timing in found] == [1, 5]
    assert np.all([[timing.rows > 0, timing.columns > 0] for timing in found])
