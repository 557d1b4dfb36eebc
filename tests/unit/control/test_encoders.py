"""Encoders: counts of a register that wraps, gears, signs and references, against edges counted one by one."""

import numpy as np
import pytest
from scipy.signal import lfilter

import motionc as mc
from motionc.control import EncoderModel, Encoders
from rows import row

Array = np.ndarray

MODELS = [
    EncoderModel(4000, gear=120.0, sign=-1, reference=0.7, raw_reference=60_000, bits=16),
    EncoderModel(80_000, reference=-1.2, raw_reference=12.0),
    EncoderModel(512, gear=0.5, sign=1, bits=6),
    EncoderModel(2048, gear=3.0, travel=0.01, bits=12),  # a spindle: 10 mm a turn
]


def edges(path: Array, model: EncoderModel) -> list[int]:
    """What an up/down counter in an integer register shows along a path: one up or down at each edge that passes.

    Edges of the disc are where the shaft is at whole counts; it stands between two of them at the reference.
    """
    shaft = (path - model.reference) * model.gear * model.counts_per_turn / model.travel
    shown, register, below = list[int](), int(model.raw_reference), 0
    for angle in shaft:
        while angle >= below + 1:
            below, register = below + 1, register + model.sign
        while angle < below:
            below, register = below - 1, register - model.sign
        # a disc that turns backwards is between the same edges, seen from the other side
        seen = register if model.sign > 0 else register - 1
        shown.append(seen % 2**model.bits if model.bits else seen)
    return shown


def path(model: EncoderModel, seed: int = 0) -> Array:
    """There and back over many turns of the register, in steps of less than half of it."""
    rng = np.random.default_rng(seed)
    steps = rng.uniform(-1, 1, 80) + 0.5 * np.sin(np.arange(80) / 8)
    return model.reference + abs(model.resolution) * (model.wrap or 2000.0) * 0.3 * (np.cumsum(steps) + 0.01 * np.pi)


@row("robcogen", 50)
@pytest.mark.parametrize("model", MODELS)
def test_a_register_shows_what_an_up_down_counter_counts(model: EncoderModel) -> None:
    way = path(model)
    np.testing.assert_array_equal(model.raw(way), edges(way, model))


@row("robcogen", 50)
@pytest.mark.parametrize("model", MODELS)
def test_positions_come_back_from_counts_to_a_count_though_registers_wrap(model: EncoderModel) -> None:
    way = path(model)
    shown = np.array(edges(way, model), float)
    read = Encoders([model], name="dial")
    computation, state, found = read.computation(), read.computation().start(), list[float]()
    for one in shown:
        out = computation([one], 1e-3, state=state)
        state = out.state
        found.append(float(out.position[0]))
    missing = (way - np.array(found)) / model.resolution
    assert np.all(missing > -1e-6)
    assert np.all(missing < 1 + 1e-6)
    if model.bits:
        assert np.count_nonzero(np.abs(np.diff(shown)) > model.wrap / 2) > 3  # it did wrap
        first = shown[0] - model.raw_reference
        first -= model.wrap * round(first / model.wrap)
        total = first + np.unwrap(shown, period=model.wrap) - shown[0]
        np.testing.assert_allclose(found, model.reference + total * model.resolution, atol=1e-12)


@row("robcogen", 50)
def test_an_angle_is_the_reference_and_the_counts_since_times_what_a_count_is() -> None:
    """θ = θ_ref + (raw - raw_ref) R by hand: 1000 lines, four edges each, behind a gear of 50: 200,000 a turn."""
    model = EncoderModel(4 * 1000, gear=50, reference=0.25, raw_reference=500)
    assert model.resolution == pytest.approx(3.141592653589793e-05, rel=1e-15)
    assert float(model.position(500 + 31_831)) == pytest.approx(0.25 + 31_831 * 3.141592653589793e-05, abs=1e-15)
    assert float(model.raw(0.25 + 1.0)) == 500 + 31_830  # 31,830.99 counts are 31,830
    backwards = EncoderModel(4 * 1000, gear=50, sign=-1, reference=0.25, raw_reference=500)
    assert float(backwards.position(500 - 31_831)) == float(model.position(500 + 31_831))


def test_velocities_are_changes_over_time_behind_a_low_pass() -> None:
    model = EncoderModel(100_000, bits=20, time_constant=4e-3)
    rng = np.random.default_rng(1)
    way = np.cumsum(rng.uniform(-1e-2, 1e-2, 200))
    computation = Encoders([model]).computation()
    state, found = computation.start(), list[float]()
    for one in model.raw(way):
        out = computation([one], 1e-3, state=state)
        state = out.state
        found.append(float(out.velocity[0]))
    there = model.raw(way)
    there = np.where(there > model.wrap / 2, there - model.wrap, there) * model.resolution
    rates = np.diff(there, prepend=there[0]) / 1e-3
    share = 1 - np.exp(-1e-3 / 4e-3)
    np.testing.assert_allclose(found, lfilter([share], [1, share - 1], rates), atol=1e-9)


def test_several_joints_are_read_at_once_and_compiled_as_they_are_interpreted() -> None:
    computation = Encoders(MODELS).computation()
    rng, state = np.random.default_rng(2), computation.start()
    for _ in range(20):
        shown = rng.integers(0, 60, len(MODELS)).astype(float)
        given = shown, 2e-3, *state
        out, interpreted = computation(*given), computation.run(*given)
        for one, other in zip(out, interpreted, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)
        state = out.state


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"counts_per_turn": 0}, "counts_per_turn=0; give a finite number > 0"),
        ({"counts_per_turn": 100, "sign": 2}, "sign=2; say 1, or -1"),
        ({"counts_per_turn": 100, "bits": 1}, "bits=1; give the bits of its register"),
        ({"counts_per_turn": 100, "bits": 64}, "bits=64"),
        ({"counts_per_turn": 100, "gear": float("nan")}, "gear=nan"),
        ({"gear": 2.0}, "counts_per_turn is missing"),
        ({"counts_per_turn": 100, "ratio": 2.0}, "there is no 'ratio'"),
    ],
)
def test_what_is_no_encoder_is_refused_in_a_sentence(given: dict[str, object], words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        EncoderModel.from_mapping("encoders: elbow", given)
