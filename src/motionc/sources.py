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
        return tuple(sorted(_stamps(str(FOLDER))))
    except OSError:
        return ()


def _stamps(folder: str) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as items:
        for item in items:
            if item.is_dir(follow_symlinks=False):
                if item.name != "__pycache__":
                    yield from _stamps(item.path)
            elif item.name.endswith(CODE):
                about = item.stat()
                yield item.path, about.st_size, about.st_ino, about.st_ctime_ns


LOADED = stamps()


def unchanged() -> bool:
    """Whether the files are still those that were loaded, as far as there are files."""
    return bool(LOADED) and stamps() == LOADED
