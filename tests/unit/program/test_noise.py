"""Noise: the words of Random123, numbers spread as they should be, and nothing that one of them says of another."""

import numpy as np
import pytest
from scipy import stats

import motionc as mc
from long_numbers import box_muller
from motionc.program import noise
from motionc.program.noise import draw, philox
from motionc.program.port import Precision

KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
"""Counter, key and words of philox4x32-10 in kat_vectors of Random123."""
RARE = 1e-6
"""How improbable a sample may be: seeds are fixed, and hundreds of samples are looked at."""


def integers(counter: str, key: str) -> tuple[int, int, int, int]:
    """Seed, lane, step and block that have this counter and key."""
    block, step, lane, above = (int(word, 16) for word in counter.split())
    low, high = (int(word, 16) for word in key.split())
    return high << 32 | low, (above >> 16) << 32 | lane, (above & 0xFFFF) << 32 | step, block


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_words_are_those_of_random123(counter: str, key: str, words: str) -> None:
    assert " ".join(f"{word:08x}" for word in philox(*integers(counter, key))) == words


def test_uniform_numbers_are_the_first_bits_of_two_words() -> None:
    for counter, key, words in KNOWN:
        seed, lane, step, block = integers(counter, key)
        word = [int(text, 16) for text in words.split()]
        exact = [(high << 32 | low) >> 11 for high, low in (word[:2], word[2:])]
        assert draw("uniform", seed, lane, step, block, 2).tolist() == [bits / 2**53 for bits in exact]
        cut = [bits // 2**29 / 2**24 for bits in exact]
        assert draw("uniform", seed, lane, step, block, 2, "single").tolist() == cut


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_any_chunk_of_lanes_steps_and_blocks_has_the_same_numbers(kind: noise.Kind, precision: Precision) -> None:
    lanes, steps = np.arange(2**32 - 5, 2**32 + 6), np.arange(2**32 - 2, 2**32 + 3)
    whole = draw(kind, 5, lanes[:, None], steps, 3, 7, precision)
    assert whole.shape == (11, 5, 7)
    for i, lane in enumerate(lanes.tolist()):
        for k, step in enumerate(steps.tolist()):
            one = draw(kind, 5, lane, step, 3, 7, precision)
            assert np.array_equal(one, whole[i, k])
            assert np.array_equal(draw(kind, 5, lane, step, 3, 4, precision), one[:4])
            assert np.array_equal(draw(kind, 5, lane, step, 5, 3, precision), one[4:])


def test_normal_numbers_are_box_and_muller_to_the_last_places() -> None:
    types: dict[Precision, type] = {"double": np.float64, "single": np.float32}
    for precision, real in types.items():
        exact = box_muller(draw("uniform", 9, np.arange(30_000), 1, 0, 2, precision))
        found = draw("normal", 9, np.arange(30_000), 1, 0, 2, precision)
        off = np.abs(found - exact) / np.spacing(np.abs(exact).astype(real))
        assert np.max(off) < (4 if precision == "double" else 1)
    assert draw("normal", 9, 0, 0, 0, 0).shape == (0,)


# ---------------------------------------------------------------- how they are spread


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_numbers_are_spread_as_their_kind_says(kind: noise.Kind, precision: Precision) -> None:
    spread = stats.uniform() if kind == "uniform" else stats.norm()
    # many lanes, steps, elements and seeds in turn
    samples = [
        draw(kind, 1, np.arange(20_000), 7, 0, 2, precision),
        draw(kind, 2, 3, np.arange(20_000), 0, 2, precision),
        draw(kind, 3, 1, 1, 0, 20_000, precision),
        np.array([draw(kind, seed, 0, 0, 0, 2, precision) for seed in range(300)]),
    ]
    for sample in samples:
        x = sample.ravel().astype(float)
        assert stats.kstest(x, spread.cdf).pvalue > RARE
        # moments against what as many draws of the witness scatter by
        for power in (1, 2, 3, 4):
            expected, square = spread.moment(power), spread.moment(2 * power)
            assert abs(np.mean(x**power) - expected) < 5 * np.sqrt((square - expected**2) / len(x))
    if kind == "normal":
        tail = samples[0].ravel()
        assert stats.binomtest(int(np.sum(np.abs(tail) > 3)), len(tail), float(2 * stats.norm.sf(3))).pvalue > RARE


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_neighbours_say_nothing_of_each_other(kind: noise.Kind) -> None:
    count = 20_000
    base = draw(kind, 11, np.arange(count), 0, 0, 8)
    others = {
        "lane": draw(kind, 11, np.arange(count) + 1, 0, 0, 8),
        "step": draw(kind, 11, np.arange(count), 1, 0, 8),
        "seed": draw(kind, 12, np.arange(count), 0, 0, 8),
        "block": draw(kind, 11, np.arange(count), 0, 4, 8),
        "seed's high word": draw(kind, 11 + 2**32, np.arange(count), 0, 0, 8),
    }
    limit = stats.norm.isf(RARE / 2) / np.sqrt(count)
    elements = np.corrcoef(base.T) - np.eye(8)
    assert np.max(np.abs(elements)) < limit
    for of in others.values():
        together = np.corrcoef(base.T, of.T)[:8, 8:]
        assert np.max(np.abs(together)) < limit
        # nor do their squares, or where they are in a plane
        assert np.max(np.abs(np.corrcoef(base.T**2, of.T**2)[:8, 8:])) < limit
        cells = np.histogram2d(*(np.argsort(np.argsort(x[:, 0])) for x in (base, of)), bins=10)[0]
        assert stats.chi2.sf(np.sum((cells - count / 100) ** 2) / (count / 100), 81) > RARE
    # one lane over time
    series = draw(kind, 11, 5, np.arange(count), 0, 1)[:, 0]
    series = series - series.mean()
    for lag in (1, 2, 3, 10, 100):
        assert abs(np.mean(series[lag:] * series[:-lag]) / np.mean(series**2)) < limit


def test_two_buffers_share_no_block() -> None:
    sizes, start, taken = (3, 1, 4), 0, set[int]()
    for n in sizes:
        own = set(range(start, start + noise.blocks(n)))
        assert not taken & own
        taken |= own
        start += noise.blocks(n)
    assert start == 5


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "7", None])
def test_a_seed_is_a_whole_number_of_64_bits(seed: object) -> None:
    with pytest.raises(mc.Error, match=r"seed.*give a whole number from 0 to 18446744073709551615"):
        noise.seed_of("seed", seed)
    assert noise.seed_of("seed", 2**64 - 1) == 2**64 - 1
