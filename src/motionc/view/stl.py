"""What is in an STL file, binary or text: triangles alone."""

import re

import numpy as np

from motionc.errors import Error
from motionc.view.surfaces import LARGEST_MESH, Surface, shared, too_many

HEAD = 84  # bytes: a title and the number of triangles
ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_stl(data: bytes) -> list[Surface]:
    """The triangles; corners at the same place are one vertex."""
    count = int.from_bytes(data[HEAD - 4 : HEAD], "little") if len(data) >= HEAD else 0
    text = data.lstrip()[:5].lower() == b"solid"
    if len(data) == HEAD + ROW.itemsize * count or not text:  # a binary title may begin like a text
        if len(data) < HEAD or len(data) - HEAD < ROW.itemsize * count:
            raise Error(f"its head says {count} triangles, and there are {max(len(data) - HEAD, 0)} bytes of them")
        if count > LARGEST_MESH:
            raise too_many()
        corners = np.frombuffer(data, ROW, count, HEAD)["corners"].reshape(-1, 3).astype(float)
    else:
        words = VERTEX.findall(data)
        if len(words) > 3 * LARGEST_MESH:
            raise too_many()
        if len(words) % 3:
            raise Error(f"{len(words)} vertices make no triangles; it is cut off")
        try:
            corners = np.array(words, dtype="S").astype(float).reshape(-1, 3)
        except ValueError as error:
            raise Error(f"a vertex is no number ({error})") from error
    kept, number = shared(corners)
    return [Surface(corners[kept], number.reshape(-1, 3))]
