"""How do messages get from one process to another? Datagrams on loopback, and shared memory.

    datagrams        UDP; a message each, whoever sends it
    shared memory    a file that both sides map, a mailbox each way: the last few messages, those before are gone

A mailbox has one writer and one reader and no lock. It is a ring of slots, each under a count: the writer makes it odd,
writes, and makes it even (seqlock); who reads another count than the message's own, or what its checksum does not fit,
has read half a message, and reads again. Checksums make that so on machines that reorder what they write, too.
"""

import mmap
import os
import secrets
import select
import socket
import struct
import tempfile
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from motionc import checked
from motionc.control.messages import LONGEST
from motionc.errors import Error

HEAD, SLOT = struct.Struct("<Q"), struct.Struct("<QII")
"""How many messages a mailbox had; count, length and checksum of a slot, then its message."""
SLOTS = 8
ROOM = SLOT.size + LONGEST
BOX = -(-(HEAD.size + SLOTS * ROOM) // mmap.PAGESIZE) * mmap.PAGESIZE
"""Bytes of a mailbox: whole pages."""
SPIN = 100e-6
"""Seconds for which a mailbox is looked at again and again before its reader sleeps from look to look."""
NAP = 50e-6
PREFIX = "motionc-"


class Channel(Protocol):
    """Where messages are sent and received; `peer` is who sent the last one, and to whom is answered."""

    def send(self, data: bytes, peer: Any = None) -> None:
        """Send a message; that nobody is there to receive it is no error."""
        ...

    def receive(self, timeout: float) -> tuple[bytes, Any] | None:
        """A message and its sender, waited for so long (s); None where none came."""
        ...

    def close(self) -> None: ...


class Datagrams:
    """A UDP socket; `host` and `port` are its own, port 0 for one that is free."""

    def __init__(self, host: str, port: int, *, to: tuple[str, int] | None = None) -> None:
        self._to = to
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise Error(f"{host}:{port} cannot be listened on ({error.strerror}); choose another address") from None
        self._socket.setblocking(False)

    @property
    def address(self) -> str:
        """Where it can be reached."""
        host, port = self._socket.getsockname()
        return f"{host}:{port}"

    def send(self, data: bytes, peer: Any = None) -> None:
        to: Any = self._to if peer is None else peer
        with suppress(OSError):  # nobody is there: who waits for an answer will notice
            self._socket.sendto(data, to)

    def receive(self, timeout: float) -> tuple[bytes, Any] | None:
        ends = time.monotonic() + timeout
        while select.select([self._socket], [], [], max(0.0, ends - time.monotonic()))[0]:
            try:
                data, sender = self._socket.recvfrom(LONGEST + 1)
            except (BlockingIOError, ConnectionError):  # what was sent before reached nobody
                continue
            if self._to is None or sender == self._to:
                return data, sender
        return None

    def close(self) -> None:
        self._socket.close()


class Mailbox:
    """The last messages in a piece of shared memory, in order: one writer, one reader."""

    def __init__(self, memory: memoryview) -> None:
        self._memory, self._seen = memory, 0

    @property
    def _written(self) -> int:
        return HEAD.unpack_from(self._memory)[0]

    def put(self, data: bytes) -> None:
        """Add a message; the oldest one makes room."""
        number = self._written + 1
        place = HEAD.size + number % SLOTS * ROOM
        SLOT.pack_into(self._memory, place, 2 * number - 1, len(data), 0)
        self._memory[place + SLOT.size : place + SLOT.size + len(data)] = data
        SLOT.pack_into(self._memory, place, 2 * number, len(data), _checksum(number, data))
        HEAD.pack_into(self._memory, 0, number)

    def get(self) -> bytes | None:
        """The next message; None where there is none, or half of one."""
        written = self._written
        if written <= self._seen:
            return None
        number = max(self._seen + 1, written - SLOTS + 2)  # the one before may be written over
        place = HEAD.size + number % SLOTS * ROOM
        count, length, checksum = SLOT.unpack_from(self._memory, place)
        if count != 2 * number or length > LONGEST:
            return None
        data = bytes(self._memory[place + SLOT.size : place + SLOT.size + length])
        if SLOT.unpack_from(self._memory, place)[0] != count or checksum != _checksum(number, data):
            return None
        self._seen = number
        return data

    def skip(self) -> None:
        """Take what is there for read."""
        self._seen = self._written


def _checksum(number: int, data: bytes) -> int:
    return zlib.crc32(data, number & 0xFFFFFFFF)


class Mailboxes:
    """Two mailboxes in a file that both sides map; the robot makes it, who controls it finds it by name."""

    def __init__(self, path: Path, descriptor: int, *, robot: bool) -> None:
        self._path, self._robot = path, robot
        self._map = mmap.mmap(descriptor, 2 * BOX)
        os.close(descriptor)
        self._view = memoryview(self._map)
        first, second = (self._view[k * BOX : (k + 1) * BOX] for k in (0, 1))
        self._views = [first, second, self._view]
        mine, theirs = (first, second) if robot else (second, first)
        self._out, self._in = Mailbox(mine), Mailbox(theirs)
        if not robot:
            self._in.skip()

    @staticmethod
    def made(name: str = "") -> "Mailboxes":
        """New ones, readable by this user alone; a name of their own unless said."""
        path = _place(name or secrets.token_hex(8))
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            os.ftruncate(descriptor, 2 * BOX)
        except FileExistsError:
            raise Error(
                f"shared memory {path.name.removeprefix(PREFIX)!r} is there already: another robot runs, or one was "
                f"killed; choose another address, or remove {path}"
            ) from None
        return Mailboxes(path, descriptor, robot=True)

    @staticmethod
    def found(name: str) -> "Mailboxes":
        """Those of a robot that runs."""
        path = _place(name)
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError:
            raise Error(f"there is no shared memory {name!r}; start the robot first, or look at its address") from None
        if os.fstat(descriptor).st_size != 2 * BOX:
            os.close(descriptor)
            raise Error(f"shared memory {name!r} is none of a robot; look at its address")
        return Mailboxes(path, descriptor, robot=False)

    @staticmethod
    def remove(name: str) -> None:
        """Those of a robot that was killed, where there are some."""
        _place(name).unlink(missing_ok=True)

    @property
    def address(self) -> str:
        """The name by which it is found."""
        return self._path.name.removeprefix(PREFIX)

    def send(self, data: bytes, peer: Any = None) -> None:
        self._out.put(data)

    def receive(self, timeout: float) -> tuple[bytes, Any] | None:
        begun = time.monotonic()
        while (data := self._in.get()) is None:
            waited = time.monotonic() - begun
            if waited >= timeout:
                return None
            time.sleep(0.0 if waited < SPIN else min(NAP, timeout - waited))
        return data, None

    def close(self) -> None:
        for view in self._views:
            view.release()
        self._map.close()
        if self._robot:
            self._path.unlink(missing_ok=True)


def _place(name: str) -> Path:
    wanted = "give a name of letters, digits, - and _"
    if not name.replace("-", "").replace("_", "").isalnum():
        raise checked.refusal("shared memory", name, wanted)
    shared = Path("/dev/shm")
    return (shared if shared.is_dir() else Path(tempfile.gettempdir())) / f"{PREFIX}{name}"
