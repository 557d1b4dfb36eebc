"""How do files get onto a disk? Whole or not at all: written beside, then put in the place of what was there.

What it promises: a file that existed is either as it was or new to the last byte, whatever happens in between, be it a
full disk or the end of the process. Several files are all written beside before the first is put in place, so that what
can fail has failed by then; should the machine stop just then, some are old and some new, each of them whole. A file
keeps its mode and owner, a link stays a link to the file that is renewed (a second name of the same file, a hard link,
keeps the old one). What cannot be written raises an Error and leaves nothing behind; only a process that is killed
leaves a `.motionc-….part`.
"""

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from motionc.errors import Error

REMEDIES = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room: your quota is used up",
    errno.EFBIG: "this system allows no file of that size; lift the limit",
    errno.EACCES: "choose a folder you may write to, or change its permissions",
    errno.EPERM: "choose a folder you may write to, or change its permissions",
    errno.EROFS: "choose a folder on a disk that may be written to",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENOTDIR: "a folder on the way is a file: choose another one",
    errno.EEXIST: "a folder on the way is a file: choose another one",
}


def write_file(path: str | Path, data: str | bytes) -> Path:
    """Write one file, whole or not at all; folders on the way are made. Text becomes UTF-8, line ends as they are."""
    (written,) = write_files({Path(path): data})
    return written


def write_files(files: Mapping[Path, str | bytes]) -> list[Path]:
    """Write several files, all or none as far as a disk allows: each beside its place first, then all into place."""
    made, beside = list[Path](), dict[Path, Path]()
    try:
        for path, data in files.items():
            try:
                beside[path] = _written_beside(path, data.encode() if isinstance(data, str) else data, made)
            except Error:
                raise
            except (OSError, ValueError) as error:
                raise _refusal(path, error) from error
        for done, (path, part) in enumerate(list(beside.items())):
            try:
                os.replace(part, os.path.realpath(path))
            except OSError as error:
                raise _refusal(path, error, done) from error
            del beside[path]
    except BaseException:
        for part in beside.values():
            with suppress(OSError):
                part.unlink()
        for folder in reversed(made):
            with suppress(OSError):  # something is in it by now
                folder.rmdir()
        raise
    return list(files)


def _written_beside(path: Path, data: bytes, made: list[Path]) -> Path:
    """A file with this content, on the disk, in the folder where it will be needed, of the old one's mode and owner."""
    place = Path(os.path.realpath(path))
    before = _replaceable(path, place)
    _make_folders(place.parent, made)
    part = place.with_name(f".motionc-{os.urandom(8).hex()}.part")
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(file, "wb") as stream:
            if before is not None:
                with suppress(OSError, AttributeError):  # not ours to give, or a system without owners
                    os.chown(part, before.st_uid, before.st_gid)
                os.chmod(part, stat.S_IMODE(before.st_mode))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    return part


def _replaceable(path: Path, place: Path) -> os.stat_result | None:
    """What is there now, None for nothing; refused where it is no file, or one that may not be written to."""
    try:
        before = os.stat(place)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(before.st_mode):
        raise Error(f"{path} is a folder; name a file in it")
    if not stat.S_ISREG(before.st_mode):
        raise Error(f"{path} is no regular file but a device, a pipe or a socket; name a file")
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return before


def _make_folders(folder: Path, made: list[Path]) -> None:
    missing = list[Path]()
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        with suppress(FileExistsError):  # somebody else was faster
            each.mkdir()
            made.append(each)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _refusal(path: Path, error: OSError | ValueError, done: int = 0) -> Error:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    remedy = REMEDIES.get(error.errno or 0, "") if isinstance(error, OSError) else "choose another name"
    changed = f"{done} of the others are new already" if done else "nothing was changed"
    return Error(f"{path} cannot be written ({reason}); {changed}" + (f"; {remedy}" if remedy else ""))
