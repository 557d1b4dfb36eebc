"""Can a shared library be loaded here? Asked before the loader is: a file that ends too early kills the process that
maps it, and no exception says so.
"""

import ctypes
import os
import struct
from pathlib import Path
from typing import BinaryIO

from motionc.errors import Error

MAGIC = b"\x7fELF\x02"
"""How an ELF file of 64 bits begins."""
HEAD, SEGMENT = 64, 56
"""Bytes of its header, and of what it says of a segment."""


class Unloadable(Error):
    """A library that cannot be loaded: damaged, gone, or in a folder from which nothing may run."""


def loaded(path: Path, *needed: str) -> ctypes.CDLL:
    """The library at this path, in which all functions that are needed are found."""
    expect_whole(path)
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise Unloadable(f"{path} cannot be loaded ({error})") from error
    for name in needed:
        if not hasattr(library, name):
            raise Unloadable(f"{path} is loaded, but has no {name}: something else than our compiler wrote it")
    return library


def expect_whole(path: Path) -> None:
    """Refuse a file that is shorter than its own headers say, as a full disk or a killed linker leaves it."""
    try:
        with path.open("rb") as file:
            size, least = os.fstat(file.fileno()).st_size, _least(file)
    except OSError as error:
        raise Unloadable(f"{path} cannot be read ({error.strerror})") from error
    if size < least:
        raise Unloadable(f"{path} is damaged: {size} bytes are left of {least}")


def _least(file: BinaryIO) -> int:
    """How long it must be: to the end of its segments and tables. Other formats the loader checks itself."""
    head = file.read(HEAD)
    if not MAGIC.startswith(head[: len(MAGIC)]):
        return 0
    if len(head) < HEAD:
        return HEAD
    order = "<" if head[5] == 1 else ">"
    segments, sections = struct.unpack_from(f"{order}QQ", head, 32)
    entry, count, section_entry, section_count = struct.unpack_from(f"{order}4H", head, 54)
    file.seek(segments)
    table = file.read(entry * count)
    starts = range(0, len(table) - SEGMENT + 1, max(entry, SEGMENT))
    ends = [sum(struct.unpack_from(f"{order}Q16xQ", table, start + 8)) for start in starts]
    return max(HEAD, segments + entry * count, sections + section_entry * section_count, *ends)
