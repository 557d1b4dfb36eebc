"""How are words and lines put on a picture? As strokes with round ends, anti-aliased by their distance to a pixel.

Letters are dots on a grid of 5 × 8, as small displays have them; strokes join dots beside each other, so that letters
look drawn at any size. A character without a letter is an empty box.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Stroke = tuple[float, float, float, float]

LONGEST = 40
"""Letters of a word on a picture."""
WIDE = 6
"""Dots from one letter to the next."""
BOX = "7f4141417f"
KNOWN = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~…"
DOTS = """
    00005f0000 0003000300 147f147f14 242a7f2a12 2313086462 3649562050 0000030000 001c224100 0041221c00
    2a1c081c2a 08083e0808 0080600000 0808080808 0000400000 2010080402 3e4141413e 00427f4000 6251494946
    2241494936 1814127f10 2745454539 3e49494932 0171090503 3649494936 264949493e 0000240000 0080640000
    0008142241 1414141414 4122140800 0201510906 3e415d551e 7e0909097e 7f49494936 3e41414122 7f4141413e
    7f49494941 7f09090901 3e41494938 7f0808087f 00417f4100 2040403f00 7f08142241 7f40404040 7f020c027f
    7f0408107f 3e4141413e 7f09090906 3e4151215e 7f09192946 2649494932 01017f0101 3f4040403f 1f2040201f
    3f4038403f 6314081463 0304780403 6151494543 007f414100 0204081020 0041417f00 0402010204 4040404040
    0001020000 2054545478 7f44444438 3844444428 384444447f 3854545418 087e090102 18a4a4a47c 7f04040478
    00447d4000 4080847d00 7f10284400 00417f4000 7c04780478 7c04040478 3844444438 fc24242418 18242424fc
    7c08040408 4854545424 043f444020 3c4040407c 1c2040201c 3c4030403c 4428102844 1ca0a0a07c 4464544c44
    0008364100 00007f0000 0041360800 0804081008 4000400040
"""
LETTERS = dict(zip(KNOWN, DOTS.split(), strict=True))
"""Columns of dots from left to right, two digits each; the upper dot is the least bit."""


def strokes(words: str, x: float, y: float, dot: float) -> list[Stroke]:
    """Words as strokes that start at x and whose letters are 7 dots tall below y, one dot so many pixels."""
    words = words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
    found = list[Stroke]()
    for place, letter in enumerate(words):
        columns = bytes.fromhex(LETTERS.get(letter, "00" * 5 if letter == " " else BOX))
        dots = {(i, j) for i, column in enumerate(columns) for j in range(8) if column >> j & 1}
        for i, j in sorted(dots):
            beside = [(1, 0), (0, 1)] + [(1, k) for k in (-1, 1) if not dots & {(i + 1, j), (i, j + k)}]
            joined = [(i + a, j + b) for a, b in beside if (i + a, j + b) in dots]
            ends = joined or [(i, j)]
            found += [
                (x + dot * (i + WIDE * place), y + dot * j, x + dot * (k + WIDE * place), y + dot * m) for k, m in ends
            ]
    return found


def width(words: str, dot: float) -> float:
    """How wide words are, in pixels."""
    return dot * (WIDE * min(len(words), LONGEST) - 1)


def drawn(picture: Array, lines: Iterable[Stroke], radius: float, colour: Sequence[float], share: float = 1.0) -> None:
    """Draw strokes of a radius (pixels) and a colour over a picture (height, width, 3), which is changed."""
    height, wide, _ = picture.shape
    lines = list(lines)
    if not lines:
        return
    reach, ends = radius + 1, np.array(lines)
    low = np.floor(np.clip(np.minimum(ends[:, :2], ends[:, 2:]).min(axis=0) - reach, 0, (wide, height))).astype(int)
    high = np.ceil(np.clip(np.maximum(ends[:, :2], ends[:, 2:]).max(axis=0) + reach, 0, (wide, height))).astype(int)
    cover = np.zeros((high[1] - low[1], high[0] - low[0]))
    for x, y, there_x, there_y in lines:
        left, right = (
            int(np.clip(each, low[0], high[0])) for each in (min(x, there_x) - reach, max(x, there_x) + reach + 1)
        )
        top, bottom = (
            int(np.clip(each, low[1], high[1])) for each in (min(y, there_y) - reach, max(y, there_y) + reach + 1)
        )
        if left >= right or top >= bottom:
            continue
        across, down = np.arange(left, right) + 0.5 - x, (np.arange(top, bottom) + 0.5 - y)[:, None]
        dx, dy = there_x - x, there_y - y
        along = np.clip((across * dx + down * dy) / max(dx * dx + dy * dy, 1e-12), 0, 1)
        off_x, off_y = across - along * dx, down - along * dy
        inside = np.clip(radius + 0.5 - np.sqrt(off_x * off_x + off_y * off_y), 0, 1)
        part = cover[top - low[1] : bottom - low[1], left - low[0] : right - low[0]]
        np.maximum(part, inside, out=part)
    part = picture[low[1] : high[1], low[0] : high[0]]
    part += (np.array(colour) - part) * (cover * share)[..., None]
