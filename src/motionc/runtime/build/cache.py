"""Where builds are kept: a folder only its user can write, one file an entry, least recently used removed first.

An entry is made in a work folder beside its place and renamed into it, so that a reader finds all of it or nothing,
whoever is killed and when. Its name carries the digest of its content: a damaged file is recognised and made again.
There are no locks: two processes that miss the same key both build it, and either result is right.
"""

import atexit
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from motionc.errors import Error
from motionc.notices import warn

LIMIT = 512.0
"""Mebibytes kept, unless $MOTIONC_CACHE_LIMIT says otherwise."""
GRACE = 10.0
"""Seconds for which a used entry is spared: another process may be about to load it."""
STALE = 3600.0
"""Seconds after which a work folder is given up, whoever made it; no build lasts that long."""

ENTRY = re.compile(r"(?P<key>[0-9a-f]{64})\.(?P<digest>[0-9a-f]{32})(?P<suffix>(\.[\w-]+)+)", re.ASCII)
OWNED = re.compile(r"motionc-(?P<what>work|cache)-(?P<place>[0-9a-f]{8})-(?P<pid>\d+)-\w+", re.ASCII)
"""Folders that belong to a process: where it builds, and its cache where it has no other."""
TOOLS = "motionc-tools"


class NoRoom(Error):
    """A folder for builds cannot be written: it is full, or closed meanwhile."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One build: its key, what kind of file it is, bytes, and when it was last used (seconds since 1970)."""

    key: str
    suffix: str
    size: int
    used: float
    path: Path


# ---------------------------------------------------------------- entries


def key(*parts: bytes | str) -> str:
    """The name of what these parts determine: SHA-256 over the parts, each preceded by its length.

    >>> key("ab", "c") == key("a", "bc")
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def fetch(key: str, suffix: str, build: Callable[[Path], None]) -> Path:
    """The file kept under this key, made by `build(path)` when it is absent or damaged.

    `build` may leave other files beside its path; they go away. What it raises passes through, and nothing is kept.
    """
    if not ENTRY.fullmatch(f"{key}.{'0' * 32}{suffix}"):
        raise Error(f"{key!r} and {suffix!r} do not name a cache entry: make the key with key(), the suffix like '.so'")
    folder = cache_folder()
    return _kept(folder, key, suffix) or _made(folder, key, suffix, build)


def kept(key: str, suffix: str) -> Path | None:
    """The file kept under this key, if there is one and it is whole."""
    return _kept(cache_folder(), key, suffix)


def put(key: str, suffix: str, text: str) -> Path:
    """Keep this text under a key, in the place of what was there."""
    folder = cache_folder()
    path = _made(folder, key, suffix, lambda fresh: fresh.write_text(text, encoding="utf-8"))
    for name in os.listdir(folder):
        match = ENTRY.fullmatch(name) if name.startswith(key) else None
        if match and match["suffix"] == suffix and folder / name != path:
            remove(folder / name)
    return path


def remove(path: Path) -> None:
    """Forget an entry that turned out to be of no use."""
    with suppress(OSError):
        path.unlink()


def no_room(folder: Path, error: OSError) -> NoRoom:
    """What to say of a folder for builds that cannot be written."""
    said = error.strerror or error
    return NoRoom(
        f"the build cache {folder} cannot be written ({said}): make room, or set MOTIONC_CACHE to another folder"
    )


def entries() -> list[Entry]:
    """All entries, the most recently used first."""
    return sorted(_scan(cache_folder()), key=lambda entry: (-entry.used, entry.key))


def size() -> int:
    """Bytes in all entries together."""
    return sum(entry.size for entry in entries())


def clear() -> int:
    """Remove every entry, what tools keep, and the leftovers of dead processes; returns how many entries went."""
    folder, removed = cache_folder(), 0
    for entry in _scan(folder):
        with suppress(OSError):
            entry.path.unlink()
            removed += 1
    shutil.rmtree(folder / TOOLS, ignore_errors=True)
    _sweep(folder)
    return removed


def _kept(folder: Path, key: str, suffix: str) -> Path | None:
    """The entry, if it is there and whole; it now counts as just used."""
    for name in os.listdir(folder):
        match = ENTRY.fullmatch(name) if name.startswith(key) else None
        if not match or match["suffix"] != suffix:
            continue
        path = folder / name
        with suppress(OSError):  # gone, or taken away while we read it
            if _digest(path) == match["digest"]:
                os.utime(path)
                return path
            path.unlink()
    return None


def _made(folder: Path, key: str, suffix: str, build: Callable[[Path], Any]) -> Path:
    """A new entry: built aside, renamed into place, then room made for it."""
    limit = _limit()
    _sweep(folder)
    try:
        with workplace(folder) as work:
            fresh = work / f"entry{suffix}"
            build(fresh)
            if not fresh.is_file():
                raise Error(f"building {key[:12]}…{suffix} left no file")
            final = folder / f"{key}.{_digest(fresh)}{suffix}"
            os.utime(fresh)
            os.replace(fresh, final)
    except OSError as error:
        raise no_room(folder, error) from error
    _trim(folder, limit, final)
    return final


def _scan(folder: Path) -> Iterator[Entry]:
    for item in os.scandir(folder):
        match = ENTRY.fullmatch(item.name)
        with suppress(OSError):  # another process may remove it meanwhile
            if match and item.is_file(follow_symlinks=False):
                about = item.stat(follow_symlinks=False)
                yield Entry(match["key"], match["suffix"], about.st_size, about.st_mtime, Path(item.path))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


# ---------------------------------------------------------------- room


def _limit() -> float:
    """Bytes the entries may take."""
    text = os.environ.get("MOTIONC_CACHE_LIMIT", "")
    try:
        limit = float(text or LIMIT)
    except ValueError:
        limit = -1.0
    if not (isfinite(limit) and limit >= 0.0):
        raise Error(f"MOTIONC_CACHE_LIMIT={text!r} is not a size: give mebibytes, zero or more")
    return limit * 2**20


def _trim(folder: Path, limit: float, keep: Path) -> None:
    """Remove the least recently used until the rest fits; whoever has one loaded keeps it, its inode stays."""
    oldest_first = sorted(_scan(folder), key=lambda entry: entry.used)
    excess = sum(entry.size for entry in oldest_first) - limit
    recent = time.time() - GRACE
    for entry in oldest_first:
        if excess <= 0.0:
            break
        if entry.path != keep and entry.used < recent:
            with suppress(OSError):
                entry.path.unlink()
            excess -= entry.size


# ---------------------------------------------------------------- work folders


@contextmanager
def workplace(folder: Path) -> Generator[Path]:
    """A private folder in this one, gone afterwards; what a killed process leaves, later builds remove."""
    prefix = f"motionc-work-{_place()}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(dir=folder, prefix=prefix, ignore_cleanup_errors=True) as work:
        yield Path(work)


def _sweep(folder: Path) -> None:
    """Remove the folders of processes that are no more."""
    for item in os.scandir(folder):
        match = OWNED.fullmatch(item.name)
        if not match:
            continue
        with suppress(OSError):
            old = match["what"] == "work" and item.stat(follow_symlinks=False).st_mtime < time.time() - STALE
            if old or (match["place"] == _place() and not _alive(int(match["pid"]))):
                shutil.rmtree(item.path, ignore_errors=True)


@cache
def _place() -> str:
    """Where process numbers mean the same: this machine and, in containers, this process namespace."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return key(platform.node(), namespace)[:8]


def _alive(pid: int) -> bool:
    if sys.platform == "win32":  # there, signal 0 is no question: it kills
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


# ---------------------------------------------------------------- the folder


def cache_folder() -> Path:
    """$MOTIONC_CACHE, or `motionc` in the user's cache folder; if others could write to it, a temporary one instead."""
    try:
        return _private(_wanted())
    except Error as error:
        return _temporary(str(error), os.getpid())


def tools_folder() -> Path:
    """Where compilers may keep caches of their own, made by them when they do; `clear()` removes it."""
    return cache_folder() / TOOLS


def _wanted() -> Path:
    given, xdg = os.environ.get("MOTIONC_CACHE"), os.environ.get("XDG_CACHE_HOME", "")
    try:
        if given:
            return Path(os.path.abspath(Path(given).expanduser()))
        if os.path.isabs(xdg):
            return Path(xdg, "motionc")
        return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "motionc"
    except RuntimeError as error:
        raise Error(f"there is no home folder to keep builds in ({error})") from error


def _private(folder: Path) -> Path:
    """The folder, made if need be; refused unless it is this user's alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.lstat()
        above = [(parent, parent.stat().st_mode) for parent in folder.resolve().parents]
    except OSError as error:
        raise Error(f"the build cache {folder} cannot be made ({error.strerror})") from error
    if not stat.S_ISDIR(about.st_mode):
        raise Error(f"the build cache {folder} is a symbolic link, not a folder: name the folder itself")
    if sys.platform != "win32":
        if about.st_uid != os.geteuid():
            raise Error(
                f"the build cache {folder} belongs to user {about.st_uid}, not to {os.geteuid()}, who runs this"
            )
        if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise Error(f"others may write to the build cache {folder}: run chmod go-w on it")
        for parent, mode in above:
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                raise Error(f"others may replace the build cache {folder}: run chmod o-w on {parent}")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise Error(f"the build cache {folder} is not writable")
    if hasattr(os, "ST_NOEXEC") and os.statvfs(folder).f_flag & os.ST_NOEXEC:
        raise Error(f"nothing may run from the build cache {folder} (its disk is mounted noexec)")
    return folder


@cache
def _temporary(reason: str, pid: int) -> Path:
    """A private folder for this process, removed when it ends."""
    try:
        _sweep(Path(tempfile.gettempdir()))
        folder = tempfile.mkdtemp(prefix=f"motionc-cache-{_place()}-{pid}-")
    except OSError as error:
        raise Error(f"{reason}; nor is there a temporary folder ({error})") from error
    warn(f"{reason}; builds are kept for this process only")

    def leave() -> None:
        if os.getpid() == pid:  # a forked child runs this too
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(leave)
    if "multiprocessing" in sys.modules:
        from multiprocessing.util import Finalize

        Finalize(None, leave, exitpriority=0)  # workers of a pool end without atexit
    return Path(folder)


@atexit.register
def _sweep_after_workers() -> None:
    """Remove the temporary folders of workers that were stopped: those had no time to do it themselves."""
    if "multiprocessing" in sys.modules:
        with suppress(OSError):
            _sweep(Path(tempfile.gettempdir()))
