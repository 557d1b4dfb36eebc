"""`motionc run`: what is chosen, what is told, and how it ends."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app
from motionc.simulate import doings
from motionc.simulate.chosen import feet, holding_frequency, holding_gains, posture
from motionc.simulate.outcomes import outcomes

RUN = CliRunner()
BRICK = """<robot name="brick"> <link name="brick">
  <inertial> <mass value="2"/> <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/> </inertial>
  <collision> <geometry> <box size="0.3 0.2 0.1"/> </geometry> </collision>
</link> </robot>"""


def ran(*words: str) -> dict:
    result = RUN.invoke(app, ["run", *words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def brick(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("run") / "brick.urdf"
    path.write_text(BRICK)
    return str(path)


def test_a_brick_falls_on_its_corners_and_rests(brick: str) -> None:
    found = ran(brick, "--do", "drop", "--floating", "--seconds", "1")
    assert found["chosen"]["contacts"].startswith("4 points of brick on the ground")
    assert found["chosen"]["gains"].endswith("no joint has a motor")
    told = {key: each["worst"] for key, each in found["outcomes"].items()}
    assert abs(told["energy_lost"] - 2 * 9.81 * 0.05) < 2e-3
    assert abs(told["weight_carried"] - 100) < 0.1
    assert told["deepest"] < 0.1
    assert told["creep"] < 0.01
    assert found["finite"] == 1


def test_many_lanes_start_apart_and_have_medians_and_a_worst(brick: str) -> None:
    words = (brick, "--do", "drop", "--floating", "--seconds", "0.5", "--count", "9")
    found = ran(*words, "--seed", "4")
    assert found["count"] == found["finite"] == 9
    assert found["times_real_time"] == pytest.approx(9 * 0.5 / found["wall"])
    lost = found["outcomes"]["energy_lost"]  # one that lies askew falls farther
    assert lost["median"] > lost["worst"] + 0.01 > 2 * 9.81 * 0.05


def test_lanes_are_told_in_a_table_and_the_seed_says_which_they_are() -> None:
    robot = mc.load("planar2")
    one, same, other = (doings.doing(robot, "hold", count=3, seed=seed).starts["q"] for seed in (4, 4, 5))
    assert np.array_equal(one, same)
    assert np.array_equal(one[0], other[0])
    assert not np.any(one[1:] == other[1:])
    words = ["run", "planar2", "--do", "hold", "--count", "3", "--seconds", "0.1"]
    text = RUN.invoke(app, words, env={"COLUMNS": "68"}).stdout
    assert "…" not in text  # names go on in the next line, numbers are whole
    assert "elb" in text or "sho" in text
    assert re.search(r"median +worst", text)
    assert "times real time" in text


def test_an_arm_is_pushed_and_comes_back() -> None:
    found = ran("hyq_leg", "--do", "push", "--seconds", "2")
    weight = 9.81 * sum(link.mass or 0.0 for link in mc.load("hyq_leg").links[1:])
    assert found["chosen"]["push"].startswith(f"{weight / 10:.4g} N on LF_foot along (")
    assert found["outcomes"]["pushed"]["worst"] > 5
    assert found["outcomes"]["back"]["worst"] < 0.1
    assert found["outcomes"]["torque_share"]["worst"] < 100
    assert set(found["gains"]) == set(mc.load("hyq_leg").joint_names)


def test_an_arm_swings_and_keeps_its_energy() -> None:
    assert ran("hyq_leg", "--do", "swing", "--seconds", "1")["outcomes"]["energy_drift_share"]["worst"] < 1e-3
    flat = doings.doing(mc.load("planar2"), "swing")
    assert "gravity does nothing" in flat.chosen["speed"]
    assert np.all(flat.starts["v"] == 1)


def test_mujoco_does_the_same_within_its_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.setattr(doings, "BEGIN", 0.05)
    ours, theirs = (ran("planar2", "--do", "push", "--seconds", "0.3", "--plant", who) for who in ("motionc", "mujoco"))
    for key in ("pushed", "torque"):
        assert abs(ours["outcomes"][key]["worst"] - theirs["outcomes"][key]["worst"]) < 1e-6


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["planar2", "--do", "drop"], "is fixed to the world and cannot fall"),
        (["hyq", "--do", "swing"], "nothing holds it to swing from"),
    ],
)
def test_what_a_robot_cannot_do_is_a_sentence(words: list[str], sentence: str) -> None:
    result = RUN.invoke(app, ["run", *words])
    assert sentence in str(result.exception)
    assert isinstance(result.exception, mc.Error)


def test_nonsense_on_the_command_line_is_refused() -> None:
    for words in (["--do", "fly"], ["--do", "hold", "--count", "0"], ["--do", "hold", "--seconds", "-1"], []):
        assert RUN.invoke(app, ["run", "planar2", *words]).exit_code == 2


def test_ctrl_c_ends_a_run_with_what_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the second piece, and before the first."""
    call, calls = doings.Loop.__call__, []

    def until(loop, *given, **named):
        calls.append(named["steps"])
        if len(calls) > stop:
            raise KeyboardInterrupt
        return call(loop, *given, **named)

    monkeypatch.setattr(doings.Loop, "__call__", until)
    stop = 3
    result = RUN.invoke(app, ["run", "planar2", "--do", "hold"])
    assert result.exit_code == 130
    assert f"stopped after {sum(calls[:3]) * 1e-3:g} s" in result.stdout
    stop, calls[:] = 0, []
    assert RUN.invoke(app, ["run", "planar2", "--do", "hold"]).exit_code == 130


def test_pieces_are_one_run_and_a_lane_that_diverges_is_told() -> None:
    robot = mc.load("planar2")
    done = doings.doing(robot, "push", count=3)
    reached = doings.carried_out(done, 1.3)
    whole = mc.simulate.closed(done.plant, log={"q": 10}).batch(done.starts, **done.held, seconds=1.3)
    assert np.array_equal(reached.run.q, whole.q)
    done.starts["v"][1] = 1e200
    reached = doings.carried_out(done, 0.2)
    assert reached.run.finite.tolist() == [True, False, True]
    assert reached.run.turns[1] < 10
    assert reached.run.turns[0] == 200
    assert all(np.isfinite(each.values).all() and len(each.values) == 2 for each in outcomes(done, reached))


@pytest.mark.parametrize("name", ["lwr4", "youbot", "palletiser", "hyq", "biped"])
def test_postures_feet_and_gains_are_chosen_by_rule(name: str) -> None:
    robot = mc.load(name)
    q = posture(robot)
    for joint in robot.joint_names:
        at, of = robot.q_index[joint], robot.v_index[joint]
        if at.stop - at.start == 1:
            assert robot.limits.lower[of] <= q[at] <= robot.limits.upper[of]
    touching = feet(robot, q) if robot.floating else []
    links = {"hyq": ["LF_lowerleg", "RF_lowerleg", "LH_lowerleg", "RH_lowerleg"], "biped": ["left_foot", "right_foot"]}
    assert list(dict.fromkeys(contact.frame for contact in touching)) == links.get(name, [])
    assert len(touching) == {"hyq": 4, "biped": 8}.get(name, 0)
    frequency = holding_frequency(robot, q, touching)
    assert 1 < frequency <= 5
    stiffness, damping = holding_gains(robot, q, touching, frequency=frequency)
    motors = slice(6, None) if robot.floating else slice(None)
    assert np.all(stiffness[motors] > 0)
    assert np.all(damping[motors] > 0)
    assert damping == pytest.approx(2 * stiffness / (2 * np.pi * frequency))  # critical: d = 2 √(k m), k = m ω²
    if not robot.floating:
        assert stiffness == pytest.approx(np.diag(mc.mass_matrix(robot).run(q)) * (2 * np.pi * frequency) ** 2)
    if name == "hyq":  # a leg carries a quarter of all that is above its knee, and weighs less itself
        assert stiffness[8] > 10 * np.diag(mc.mass_matrix(robot).run(q))[8] * (2 * np.pi * frequency) ** 2


def test_a_robot_without_shapes_ends_at_its_last_frames(tmp_path: Path) -> None:
    path = tmp_path / "bare.urdf"
    path.write_text(BRICK.replace('<collision> <geometry> <box size="0.3 0.2 0.1"/> </geometry> </collision>', ""))
    robot = mc.load(path, floating=True)
    assert [(each.frame, each.shape) for each in feet(robot, posture(robot))] == [("brick", None)]
