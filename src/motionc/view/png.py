"""How is a picture written? As PNG with a palette, so that it is small: colours are cut into boxes until there are so
many, always the box and the colour in which most is lost, and a pixel names the box it is in.
"""

import struct
import zlib
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(pixels: Array, colours: int = 256) -> bytes:
    """The bytes of a PNG file of (height, width, 3) numbers from 0 to 255, in so many colours at most."""
    height, width, _ = pixels.shape
    palette, names = in_few_colours(pixels, colours)
    rows = np.concatenate([np.zeros((height, 1), np.uint8), names], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def in_few_colours(pixels: Array, most: int) -> tuple[Array, Array]:
    """A palette (n, 3) from dark to bright, and of each pixel the number of its colour there.

    All sums are of whole numbers, so that their order does not matter.
    """
    red, green, blue = (pixels[..., k].reshape(-1).astype(np.int64) for k in range(3))
    keys, place, counts = np.unique((red << 16) | (green << 8) | blue, return_inverse=True, return_counts=True)
    colours = np.stack([keys >> 16, (keys >> 8) & 255, keys & 255], axis=1)
    boxes = [np.arange(len(keys))]
    lost = [_lost(colours, counts)]
    while len(boxes) < most:
        worst = max(range(len(boxes)), key=lambda k: lost[k].max())
        channel = int(lost[worst].argmax())
        if lost[worst][channel] <= 0:
            break
        box = boxes[worst]
        order = box[np.argsort(colours[box, channel], kind="stable")]
        values, weights = colours[order, channel], counts[order]
        cut = int(np.searchsorted(values, int((values * weights).sum()) / int(weights.sum()), side="right"))
        halves = order[:cut], order[cut:]
        boxes[worst], lost[worst] = halves[0], _lost(colours[halves[0]], counts[halves[0]])
        boxes.append(halves[1])
        lost.append(_lost(colours[halves[1]], counts[halves[1]]))
    palette = np.array([_sums(colours[box], counts[box])[1] // counts[box].sum() for box in boxes])
    order = np.argsort(palette @ [65_537, 131_077, 32_771], kind="stable")
    number = np.empty(len(keys), np.uint8)
    for k, box in enumerate(order):
        number[boxes[box]] = k
    return palette[order].astype(np.uint8), number[place].reshape(pixels.shape[:2])


def _lost(colours: Array, counts: Array) -> Array:
    """Of each channel the sum of squares about its mean."""
    squares, sums = _sums(colours, counts)
    return squares - sums * sums / counts.sum()


def _sums(colours: Array, counts: Array) -> tuple[Array, Array]:
    weighted = colours * counts[:, None]
    return (weighted * colours).sum(axis=0), weighted.sum(axis=0)
