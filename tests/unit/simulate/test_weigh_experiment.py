"""Experiments of weighing: what hangs where, what files say, and what is told of it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import motionc as mc
from motionc.cli.main import app
from motionc.control.weighing import CONVERGED
from motionc.simulate import Loads, Weighed, WeighExperiment, read_weighing
from motionc.simulate.shipped_experiments import FOLDER
from motionc.simulate.weighings import CARRIED, Weighings

FILE = FOLDER / "weigh.lwr4.yaml"


def test_a_file_says_what_is_weighed_where() -> None:
    weigh = read_weighing(FILE)
    assert weigh.tool == "link_7"
    assert np.shape(weigh.poses) == (6, 7)
    assert weigh.loads == Loads((0.5, 2.0), (0.0, 0.0, 0.08), 0.05)
    assert weigh.weighings.seconds == 10.0
    assert weigh.weighings.swing is None


def test_where_joints_stick_the_reference_swings(tmp_path: Path) -> None:
    text = FILE.read_text().replace("  seconds: 10 s", "  seconds: 10 s\n  swing: {amplitude: 0.02 rad, period: 2.5 s}")
    (tmp_path / "swung.yaml").write_text(text.replace("friction: smooth", "friction: stiction"))
    swung = read_weighing(tmp_path / "swung.yaml").weighings
    assert swung.swing == mc.simulate.Swing(0.02, 2.5)
    assert swung.weigh.gain == 1.0
    assert swung.rig.resistance == "stiction"


def test_loads_are_within_their_bounds_and_the_same_for_a_seed() -> None:
    loads = Loads((0.5, 2.0), (0.0, 0.01, 0.08), 0.05)
    drawn = loads.drawn(200, seed=3)
    assert drawn.shape == (200, 10)
    assert 0.5 <= drawn[:, 0].min() < 0.6 < 1.9 < drawn[:, 0].max() <= 2.0
    assert np.abs(drawn[:, 1:4] - [0.0, 0.01, 0.08]).max() <= 0.05
    assert np.array_equal(drawn, loads.drawn(200, seed=3))
    assert not np.array_equal(drawn, loads.drawn(200, seed=4))
    # inertia about the centre of mass: one that a body can have
    assert np.allclose(drawn[:, [4, 7, 9]], 0.002 * drawn[:, :1])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mass: [0.5 kg, 2 kg]", "mass: [2 kg, 0.5 kg]", "Loads: mass=(2.0, 0.5)"),
        ("mass: [0.5 kg, 2 kg]", "mass: [0.5 N, 2 kg]", "Mass cannot be given in newton"),
        ("  tool: link_7\n", "", "what is weighed has no tool"),
        ("weigh:", "weight:", "there is no 'weight' in an experiment"),
    ],
)
def test_what_a_file_says_wrongly_is_told(tmp_path: Path, old: str, new: str, words: str) -> None:
    (tmp_path / "wrong.yaml").write_text(FILE.read_text().replace(old, new))
    with pytest.raises(mc.Error) as raised:
        read_weighing(tmp_path / "wrong.yaml")
    assert words in str(raised.value)
    assert "wrong.yaml:" in str(raised.value)


def test_the_command_line_tells_of_loads_what_was_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The studies themselves are in tests/physics; here they are known."""
    asked = list[tuple[int | None, int | None]]()

    def known(self: object, plants: int | None, seed: int | None) -> tuple[np.ndarray, Weighed]:
        asked.append((plants, seed))
        count = plants or 1
        loads = Loads((1.0, 1.0), (0.0, 0.0, 0.1)).drawn(count, 0)
        mass, center = np.linspace(1.01, 1.05, count), loads[:, 1:4] + [0.0, 0.004, 0.0]
        return loads, Weighed(mass, center, np.full(count, 6.0), np.zeros(count), np.zeros(count))

    monkeypatch.setattr(WeighExperiment, "run", known)
    told = json.loads(CliRunner().invoke(app, ["run", "weigh", "--plants", "3", "--seed", "7", "--json"]).stdout)
    assert asked == [(3, 7)]
    assert (told["task"], told["robot"], told["state"]) == ("weigh", "lwr4", ["weighed"] * 3)
    assert told["within"] == [True, False, False]
    assert told["tube_entry_s"] is None
    one = json.loads(CliRunner().invoke(app, ["run", "weigh", "--json"]).stdout)
    assert one["mass_kg"] == 1.01
    text = CliRunner().invoke(app, ["run", "weigh", "--plants", "3"]).stdout
    assert "1 of 3 within 2 % and 1 cm" in text
    refused = CliRunner().invoke(app, ["run", "weigh", "--out", "x.mcap"])
    assert "no logs are kept" in str(refused.exception)


def test_a_robot_that_is_said_weighs_in_the_place_of_the_one_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = list[str]()

    def heard(self: WeighExperiment, *_: object) -> tuple[np.ndarray, Weighed]:
        weighed.append(self.weighings.robot.name)
        count = np.ones(1)
        return self.loads.middle[np.newaxis], Weighed(count, np.zeros((1, 3)), count, count, count)

    monkeypatch.setattr(WeighExperiment, "run", heard)
    told = json.loads(CliRunner().invoke(app, ["run", str(FILE), "--robot", "iiwa", "--json"]).stdout)
    assert told["robot"] == weighed[-1] == "iiwa"
    for words in ([str(FILE)], ["weigh"], ["weigh", "--robot", "LWR4"]):  # of names capitals do not matter
        assert CliRunner().invoke(app, ["run", *words]).exit_code == 0
        assert weighed[-1] == "lwr4"
    refused = CliRunner().invoke(app, ["run", "weigh", "--robot", "iiwa"])
    assert "weigh comes along for lwr4, not for iiwa" in str(refused.exception)


def test_a_seed_that_is_said_is_that_of_loads_and_of_plants(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = list[int]()
    monkeypatch.setattr(Weighings, "weighed", lambda _, loads, seed: heard.append(seed))
    weigh = read_weighing(FILE)
    (said, _), (own, _) = weigh.run(3, seed=7), weigh.run(3)
    assert heard == [7, weigh.seed]
    np.testing.assert_array_equal(said, weigh.loads.drawn(3, 7))
    np.testing.assert_array_equal(own, weigh.loads.drawn(3, weigh.seed))


def test_a_load_is_within_by_its_mass_and_by_its_centre() -> None:
    loads = np.zeros((4, 10))
    loads[:, 0], loads[:, 3] = 2.0, 0.08
    center = loads[:, 1:4].copy()
    center[1, 0] = 0.02  # 2 cm off
    none = np.zeros(4)
    found = Weighed(np.array([2.03, 2.0, 2.1, np.nan]), center, none, none, none)
    assert found.within(loads).tolist() == [True, False, False, False]


def test_what_is_counted_before_signals_have_converged_is_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three plants: a wrench counted in time, one too early, and one where nothing hung yet."""
    counts = {0.0: [[0, 0], [0, 0], [0, 1]], 1.0: [[0, 1], [1, 1], [1, 1]]}
    converged = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]])

    class Held(dict[str, Any]):
        def __init__(self, loads: np.ndarray) -> None:
            super().__init__({CONVERGED: converged})
            self.weighed_poses, self.turns = np.array(counts[float(np.any(loads))]), np.full(3, 2)
            names = (*(f"weighed_{name}" for name in CARRIED), "averaged", "reference")
            self.state = {name: np.ones((3, 6)) for name in names} | {"weighed_mass": np.ones(3)}

    monkeypatch.setattr(Weighings, "_held", lambda self, start, q, loads, *more, **turn: Held(loads))
    weighings = Weighings(mc.load("planar2"), "link2", [[0.1, 0.2], [0.3, 0.4]])
    assert weighings.weighed(np.ones((3, 10))).early.tolist() == [0, 2, 2]  # in each of two poses


def test_what_was_weighed_stands_beside_what_hung_there(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = np.zeros((2, 10))
    loads[:, 0], loads[:, 3] = 2.0, 0.08
    off = loads[:, 1:4] + [0.0, 0.004, 0.0]
    found = Weighed(np.array([2.02, 2.02]), off, np.array([6.0, 5.0]), np.array([0.0, 1.0]), np.zeros(2))
    monkeypatch.setattr(WeighExperiment, "run", lambda *_: (loads, found))
    told = json.loads(CliRunner().invoke(app, ["run", "weigh", "--plants", "2", "--seed", "7", "--json"]).stdout)
    assert (told["seed"], told["plants"], told["plant"]) == (7, 2, "motionc")
    assert (told["mass_kg"], told["true_mass_kg"]) == ([2.02, 2.02], [2.0, 2.0])
    assert (told["center_m"][0], told["true_center_m"][0]) == ([0.0, 0.004, 0.08], [0.0, 0.0, 0.08])
    assert (told["poses"], told["early"], told["state"]) == ([6, 5], [0, 1], ["weighed", "holding"])
    lines = [line.split() for line in CliRunner().invoke(app, ["run", "weigh", "--plants", "2"]).stdout.splitlines()]
    assert ["off", "1", "1", "1", "%"] in lines
    assert ["centre", "of", "mass,", "off", "4", "4", "4", "mm"] in lines


@pytest.mark.parametrize("words", [["--seconds", "3"], ["--plant", "mujoco"], ["--report", "x.html"], ["--view"]])
def test_what_cannot_be_said_of_weighing_is_refused(words: list[str]) -> None:
    assert "say --plants, --seed and --json" in str(CliRunner().invoke(app, ["run", "weigh", *words]).exception)
