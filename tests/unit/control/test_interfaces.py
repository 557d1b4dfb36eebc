"""Interfaces as data: what a robot says of itself, which robot a file names, and what is refused."""

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import EncoderModel, Interface, Nameplate
from motionc.formats.urdf_write import to_urdf

ROBOT = mc.load("lwr4")
PLATE = Nameplate.of(ROBOT, "tau", 1 / 630, wrench="force_torque_wrench", watchdog=5)


def test_a_nameplate_says_what_the_model_says() -> None:
    assert PLATE.joints == tuple(ROBOT.joint_names)
    np.testing.assert_array_equal(PLATE.effort, ROBOT.limits.effort)
    np.testing.assert_array_equal(PLATE.lower, ROBOT.limits.lower)
    assert (PLATE.rate, PLATE.entries) == (pytest.approx(630), 7)
    PLATE.expect(ROBOT)


@pytest.mark.parametrize("robot", ["lwr4", "hyq", "planar2"])
def test_a_nameplate_comes_back_from_its_words_infinite_limits_included(robot: str) -> None:
    plate = Nameplate.of(mc.load(robot), "v_target", 1e-3)
    assert robot == "lwr4" or math.inf in plate.velocity
    assert Nameplate.from_json(plate.to_json()) == plate
    assert "Infinity" not in plate.to_json()  # which JSON has not


def changed(**changes: Any) -> str:
    return json.dumps({**json.loads(PLATE.to_json()), **changes})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "nameplate of a robot='{'; send JSON"),
        ("[]", "send an object of command, digest"),
        (changed(more=1), "send an object of"),
        (changed(effort=[1.0]), "nameplate of a robot: effort"),
        (changed(effort="high"), "nameplate of a robot: effort='high'"),
        (changed(nv=-1), "nameplate of a robot: nv=-1"),
        (changed(period=0), "period=0; give seconds > 0"),
        (changed(command="volts"), "say 'tau' or 'v_target' or 'q_target'"),
        (changed(joints=[1]), "1 is no name"),
    ],
)
def test_a_nameplate_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(mc.Error) as refusal:
        Nameplate.from_json(text)
    assert words in str(refusal.value)


def test_the_model_of_another_robot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(mc.Error, match=r"the robot is a lwr4 with joints .* and its model, panda, has"):
        PLATE.expect(mc.load("panda"))
    heavier = tmp_path / "lwr4.urdf"
    heavier.write_text(to_urdf(ROBOT).replace('mass value="', 'mass value="1', 1))
    with pytest.raises(mc.Error, match=r"the robot is a lwr4, digest \w{12}, and its model is another"):
        PLATE.expect(mc.load(heavier))


def test_an_interface_is_a_section_of_a_file() -> None:
    section = {
        "kind": "udp",
        "address": "localhost:9750",
        "start": False,
        "pace": "clock",
        "watchdog": 5,
        "encoders": {"joint_0": {"counts_per_turn": 4096, "gear": 100, "sign": -1}},
    }
    interface = Interface.from_mapping(section)
    assert interface.host_and_port() == ("127.0.0.1", 9750)
    assert interface.encoders == {"joint_0": EncoderModel(4096, gear=100, sign=-1)}
    assert pickle.loads(pickle.dumps(interface)) == interface
    assert Interface.from_mapping({}) == Interface()


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("udp", "interface='udp'; give kind, address"),
        ({"kind": "usb"}, "Interface: kind='usb'; say 'simulated' or"),
        ({"kinds": "udp"}, "interface: there is no 'kinds'; did you mean kind?"),
        ({"kind": "udp", "address": "127.0.0.1"}, "give HOST:PORT"),
        ({"kind": "udp", "address": "127.0.0.1:99999"}, "give HOST:PORT"),
        ({"kind": "udp", "address": "0.0.0.0:9750"}, "is not on this machine; say beyond_loopback=True"),
        ({"kind": "udp", "address": "robot.example:9750"}, "is not on this machine"),
        ({"kind": "udp", "start": False}, "start=False, and no address"),
        ({"address": "127.0.0.1:9750"}, "a robot simulated in this process has no address"),
        ({"watchdog": 0}, "watchdog=0; give a whole number of periods"),
        ({"timeout": 0.0}, "timeout=0.0; give seconds > 0"),
        ({"start": "no"}, "start='no'; say True or False"),
        ({"encoders": {"joint_0": {"gear": 3}}}, "encoders: joint_0: counts_per_turn is missing"),
        ({"encoders": [1]}, "give {joint: {counts_per_turn"),
    ],
)
def test_an_interface_that_is_none_is_refused_in_a_sentence(section: Any, words: str) -> None:
    with pytest.raises(mc.Error) as refusal:
        Interface.from_mapping(section)
    assert words in str(refusal.value)


def test_other_machines_are_reached_where_that_is_said() -> None:
    said = Interface(kind="udp", address="10.0.0.7:9750", start=False, beyond_loopback=True)
    assert said.host_and_port() == ("10.0.0.7", 9750)
