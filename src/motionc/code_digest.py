"""Which code is it that answers? The digest of this package as it was loaded, on which what is kept depends."""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

import numpy as np

from motionc.sources import FOLDER, LOADED, code_in, unchanged


def loaded_sources() -> bytes | None:
    """The digest of the code of this package as it was loaded; None where its files have changed since.

    What is loaded cannot be read any more once an upgrade has replaced the files. They are read when this is first
    asked, and count only if nothing about them has changed from before the first import until after the reading.
    """
    digest = _read_sources() if LOADED else None
    return digest if unchanged() else None


@cache
def _read_sources() -> bytes:
    return sources_digest(FOLDER)


def sources_digest(folder: Path) -> bytes:
    """The digest of a package's code, and of what computes constants for it."""
    digest = hashlib.sha256(repr((np.__version__, sys.version_info[:2])).encode())
    for name, path in sorted((path[len(str(folder)) + 1 :].split(os.sep), path) for path in code_in(str(folder))):
        with open(path, "rb") as file:
            digest.update("/".join(name).encode() + b"\0" + file.read())
    return digest.digest()
