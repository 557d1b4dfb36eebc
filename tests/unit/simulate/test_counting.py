"""Encoders that count: angles from counts and references, absolute and relative ones, and homing with one another."""

import pickle
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import AbsoluteEncoder, RelativeEncoder

DT, R = 1e-3, 2 * np.pi / 4096
ROBOT = mc.load("planar3")
JOINTS = ROBOT.joint_names[::2]


def test_an_absolute_encoder_knows_where_it_is() -> None:
    dial = AbsoluteEncoder(JOINTS, R, reference=[0.3, -1.0], raw_reference=[100, 2000]).computation(ROBOT, DT)
    q = ROBOT.random(0, size=50)
    out = dial.batch(q, threads=1)
    np.testing.assert_array_equal(out.absolute_raw, np.rint(out.absolute_raw))
    np.testing.assert_allclose(out.absolute_angle, [0.3, -1.0] + (out.absolute_raw - [100, 2000]) * R, atol=1e-12)
    missing = q[:, ::2] - out.absolute_angle
    assert np.all(missing >= -1e-12)
    assert np.all(missing < R + 1e-12)


def test_a_relative_encoder_counts_from_where_it_was_switched_on_until_an_absolute_one_sets_it() -> None:
    relative = RelativeEncoder(JOINTS, [R, 2 * R], delay=1).computation(ROBOT, DT)
    path = np.linspace([0.5, 0.0, -0.2], [0.9, 0.0, 0.4], 40)
    state, angles, raws = relative.start(), list[Any](), list[Any]()
    for k, q in enumerate(path):
        told = [float(k == 20), 0.0]
        out = relative(q, told, [7.0, 9.0], state=state)
        state = out.state
        angles.append(out.relative_angle)
        raws.append(out.relative_raw)
    seen = path[np.maximum(np.arange(40) - 1, 0)][:, ::2]
    counted = np.floor((seen - path[0, ::2]) / [R, 2 * R])
    np.testing.assert_array_equal(raws, counted)
    expected = counted * [R, 2 * R]
    expected[20:, 0] += 7.0 - expected[20, 0]
    np.testing.assert_allclose(angles, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: AbsoluteEncoder([], R), "name at least one joint"),
        (lambda: AbsoluteEncoder(JOINTS, 0.0), "AbsoluteEncoder: resolution=0.0; give one finite number > 0"),
        (lambda: AbsoluteEncoder(JOINTS, R, raw_reference=np.nan), "raw_reference=nan"),
        (lambda: RelativeEncoder(JOINTS, [R, R, R]).computation(ROBOT, DT), "resolution: 3 numbers for 2 joints"),
        (lambda: RelativeEncoder("knee", R).computation(ROBOT, DT), "no movable joint 'knee'"),
        (
            lambda: RelativeEncoder("root_joint", R).computation(mc.load("planar3", floating=True), DT),
            "root_joint is a floating joint",
        ),
    ],
)
def test_what_counts_nothing_is_refused_in_a_sentence(make: Any, words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        make()


def test_they_are_data() -> None:
    encoder = AbsoluteEncoder(JOINTS, np.array([R, R]), delay=2)
    assert pickle.loads(pickle.dumps(encoder)) == encoder
