"""Which files of this package were there when it was first imported: imported before everything else.

Whoever keeps what the code gives asks here whether the files are still those that were loaded.
"""

import os
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
CODE = (".py", ".c", ".h", ".hpp", ".cuh", ".m", ".mac")
"""How files end that programs and their texts are made by."""

Stamps = tuple[tuple[str, int, int, int], ...]


def stamps() -> Stamps:
    """Of every file of code: its name, size, number, and when it was last touched; empty where there are no files to
    look at, as in an archive.
    """
    try:
        return tuple(sorted(map(_stamp, _code(str(FOLDER)))))
    except OSError:
        return ()


def _stamp(file: "os.DirEntry[str]") -> tuple[str, int, int, int]:
    about = file.stat()
    return file.path, about.st_size, about.st_ino, about.st_ctime_ns


def code_in(folder: str) -> Iterator[str]:
    """The path of every file of code."""
    return (file.path for file in _code(folder))


def _code(folder: str) -> "Iterator[os.DirEntry[str]]":
    with os.scandir(folder) as items:
        for item in items:
            if item.is_dir(follow_symlinks=False):
                if item.name != "__pycache__":
                    yield from _code(item.path)
            elif item.name.endswith(CODE):
                yield item


LOADED = stamps()


def unchanged() -> bool:
    """Whether the files are still those that were loaded, as far as there are files."""
    return bool(LOADED) and stamps() == LOADED
