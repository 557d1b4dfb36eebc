"""Noise: random numbers as a function of (seed, lane, step, element), by Philox4x32-10; here with NumPy.

Nothing is remembered: whatever draws lane 7 at step 1,000 gets the same words, wherever and in whichever chunk it runs.
Seed, lane, step and block are integers that stand beside a program's ports.

    key       (seed, seed >> 32)                                                        words of 32 bits
    counter   (block, step, lane, (lane >> 32) << 16 | step >> 32)                      lane and step below 2^48
    words     w0, w1, w2, w3 = Philox4x32-10(counter, key)                              Salmon et al., SC 2011

A block gives elements 2 block and 2 block + 1; the first takes w0 and w1, the second w2 and w3. Of high and low word:

    uniform, double   (high 2^21 + (low >> 11)) / 2^53                                  in [0, 1)
    uniform, single   (high >> 8) / 2^24                                                the same, cut off

Normal numbers come in pairs too (Box and Muller 1958), from the two uniform ones u and t of a block:

    r = sqrt(-2 log(1 - u)),   k = floor(4 t + 1/2),   a = (4 t - k) π/2                |a| ≤ π/4
    element 2 block       r cos(a + k π/2)
    element 2 block + 1   r sin(a + k π/2)

Quarter turns k only swap sine and cosine and change signs, so that what is near 0 is exact to the last places too.
Words are the same bit by bit in every language, uniform numbers are too; normal numbers differ by what sine, cosine and
logarithm differ, 4 ulp at most. The largest is 8.57 in double precision and 5.77 in single.
"""

from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.program.port import Precision

Kind = Literal["uniform", "normal"]
Drawn = np.ndarray[Any, np.dtype[Any]]

SEEDS, LANES, STEPS, BLOCKS = 2**64, 2**48, 2**48, 2**32
"""How many there are of each."""


def blocks(n: int) -> int:
    """How many blocks n numbers take: what is drawn beside them starts so many later."""
    return (n + 1) // 2


def seed_of(what: str, seed: Any) -> int:
    """A seed, checked: a whole number from 0 to 2^64 - 1."""
    wanted = f"give a whole number from 0 to {SEEDS - 1}"
    if checked.whole(what, seed, 0, wanted) >= SEEDS:
        raise checked.refusal(what, seed, wanted)
    return int(seed)


# ---------------------------------------------------------------- numbers of a lane at a step


def draw(kind: Kind, seed: int, lane: Any, step: Any, block: int, n: int, precision: Precision = "double") -> Drawn:
    """n numbers from this block on for each lane and step, which broadcast: (…, n)."""
    return (draw_normal if kind == "normal" else draw_uniform)(seed, lane, step, block, n, precision)


def draw_uniform(seed: int, lane: Any, step: Any, block: int, n: int, precision: str = "double") -> Drawn:
    """n numbers in [0, 1), from this block on, for each lane and step: (…, n)."""
    lane, step = np.broadcast_arrays(np.asarray(lane, np.uint64), np.asarray(step, np.uint64))
    word = philox(seed, lane[..., None], step[..., None], np.arange(block, block + (n + 1) // 2, dtype=np.uint64))
    high, low = (word[..., k::2].reshape(*lane.shape, -1)[..., :n] for k in (0, 1))
    if precision == "single":
        return ((high >> np.uint64(8)) * 2.0**-24).astype(np.float32)
    return (high * 2.0**21 + (low >> np.uint64(11))) * 2.0**-53


def draw_normal(seed: int, lane: Any, step: Any, block: int, n: int, precision: str = "double") -> Drawn:
    """n normal numbers of mean 0 and deviation 1, from this block on, for each lane and step: (…, n)."""
    uniform = draw_uniform(seed, lane, step, block, n + n % 2, precision).astype(np.float64)
    radius, quarters = np.sqrt(-2.0 * np.log(1.0 - uniform[..., ::2])), 4.0 * uniform[..., 1::2]
    quarter = np.floor(quarters + 0.5)
    sine, cosine = np.sin((quarters - quarter) * (np.pi / 2)), np.cos((quarters - quarter) * (np.pi / 2))
    odd, back = quarter % 2 == 1, quarter % 4 >= 2
    pair = [np.where(odd, -sine, cosine), np.where(odd, cosine, sine)]
    turned = np.stack([radius * np.where(back, -side, side) for side in pair], axis=-1)
    found = turned.reshape(*uniform.shape[:-1], -1)[..., :n]
    return found.astype(np.float32) if precision == "single" else found


# ---------------------------------------------------------------- words


def philox(seed: int, lane: Any, step: Any, block: Any) -> Drawn:
    """The four words of each block, at the end, (…, 4): integers below 2^32 in 64 bits."""
    lane, step, block = np.broadcast_arrays(*(np.asarray(of, np.uint64) for of in (lane, step, block)))
    low, half, quarter = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(16)
    word = [block & low, step & low, lane & low, (lane >> half) << quarter | step >> half]
    key, more = [seed & 0xFFFFFFFF, seed >> 32], (0x9E3779B9, 0xBB67AE85)
    for _ in range(10):
        left, right = word[0] * np.uint64(0xD2511F53), word[2] * np.uint64(0xCD9E8D57)
        word[0], word[1] = (right >> half) ^ word[1] ^ np.uint64(key[0]), right & low
        word[2], word[3] = (left >> half) ^ word[3] ^ np.uint64(key[1]), left & low
        key = [(own + bump) & 0xFFFFFFFF for own, bump in zip(key, more, strict=True)]
    return np.stack(word, axis=-1)
