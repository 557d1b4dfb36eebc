"""MCAP, the container of recordings: records written one after the other, found again, and told apart from damage.

A file is magic, header, records, summary, footer, magic (mcap.dev/spec). Messages stand in chunks that have a checksum,
so that whatever is whole before the place where a process died is found. Nothing here knows what messages say.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from motionc.errors import Error

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, INDEX, CHUNK_INDEX = range(1, 9)
ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(9, 16)
RECORD_HEAD = 9
"""Bytes before a record: its opcode and length."""
LARGEST_CHUNK = 2**30
"""Bytes of a chunk that is unpacked."""

Array = np.ndarray[Any, np.dtype[Any]]


# ---------------------------------------------------------------- writing


def _record(opcode: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack("<BQ", opcode, len(body)) + body


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return struct.pack("<I", len(data)) + data


def _map(entries: Mapping[str, str]) -> bytes:
    body = b"".join(_text(key) + _text(value) for key, value in entries.items())
    return struct.pack("<I", len(body)) + body


def _counts(entries: Mapping[int, int]) -> bytes:
    return struct.pack("<I", 10 * len(entries)) + b"".join(struct.pack("<HQ", *one) for one in entries.items())


class McapWriter:
    """Records of a file, handed to `write` piece by piece; what the summary needs is kept until `finish`."""

    def __init__(self, write: Callable[[bytes], Any], library: str) -> None:
        self._write, self._at = write, 0
        self._schemas, self._channels = list[bytes](), list[bytes]()
        self._chunks, self._attachments, self._metadata = list[bytes](), list[bytes](), list[bytes]()
        self._messages, self._span = dict[int, int](), (2**64 - 1, 0)
        self._put(MAGIC + _record(HEADER, _text("ros2"), _text(library)))

    def _put(self, data: bytes) -> int:
        """Where it begins."""
        begin, self._at = self._at, self._at + len(data)
        self._write(data)
        return begin

    def schema(self, name: str, encoding: str, text: str) -> int:
        number, data = len(self._schemas) + 1, text.encode()
        body = struct.pack("<H", number) + _text(name) + _text(encoding) + struct.pack("<I", len(data)) + data
        self._schemas.append(_record(SCHEMA, body))
        self._put(self._schemas[-1])
        return number

    def channel(self, topic: str, encoding: str, schema: int, about: Mapping[str, str]) -> int:
        number = len(self._channels) + 1
        head = struct.pack("<HH", number, schema)
        self._channels.append(_record(CHANNEL, head, _text(topic), _text(encoding), _map(about)))
        self._put(self._channels[-1])
        return number

    def metadata(self, name: str, entries: Mapping[str, str]) -> None:
        data = _record(METADATA, _text(name), _map(entries))
        at = self._put(data)
        self._metadata.append(_record(METADATA_INDEX, struct.pack("<QQ", at, len(data)), _text(name)))

    def attachment(self, name: str, media: str, data: bytes) -> None:
        body = struct.pack("<QQ", 0, 0) + _text(name) + _text(media) + struct.pack("<Q", len(data)) + data
        whole = _record(ATTACHMENT, body, struct.pack("<I", zlib.crc32(body)))
        at = self._put(whole)
        place = struct.pack("<QQQQQ", at, len(whole), 0, 0, len(data))
        self._attachments.append(_record(ATTACHMENT_INDEX, place, _text(name), _text(media)))

    def chunk(self, rows: Mapping[int, tuple[Array, Array]]) -> None:
        """Messages by channel: log times in ns, and their records, all of one length."""
        pieces, indices, at = list[bytes](), dict[int, Array](), 0
        for channel, (times, records) in rows.items():
            if len(times):
                data = records.tobytes()
                offsets = at + len(data) // len(times) * np.arange(len(times), dtype="<u8")
                indices[channel] = np.column_stack([times.astype("<u8"), offsets])
                pieces.append(data)
                at += len(data)
        if not pieces:
            return
        data = b"".join(pieces)
        first = min(int(index[:, 0].min()) for index in indices.values())
        last = max(int(index[:, 0].max()) for index in indices.values())
        head = struct.pack("<QQQI", first, last, len(data), zlib.crc32(data)) + _text("")
        whole = _record(CHUNK, head, struct.pack("<Q", len(data)), data)
        places, tail, end = dict[int, int](), list[bytes](), self._at + len(whole)
        for channel, index in indices.items():
            places[channel] = end + sum(map(len, tail))
            body = index[np.argsort(index[:, 0], kind="stable")].tobytes()
            tail.append(_record(INDEX, struct.pack("<HI", channel, len(body)), body))
            self._messages[channel] = self._messages.get(channel, 0) + len(index)
        behind = b"".join(tail)
        begin = self._put(whole + behind)
        sizes = struct.pack("<Q", len(behind)) + _text("") + struct.pack("<QQ", len(data), len(data))
        place = struct.pack("<QQQQ", first, last, begin, len(whole))
        self._chunks.append(_record(CHUNK_INDEX, place, _counts(places), sizes))
        self._span = min(self._span[0], first), max(self._span[1], last)

    def finish(self) -> None:
        """The summary: everything but messages again, where each is, and how many there are."""
        self._put(_record(DATA_END, struct.pack("<I", 0)))
        first, last = self._span if self._messages else (0, 0)
        numbers = sum(self._messages.values()), len(self._schemas), len(self._channels)
        sizes = len(self._attachments), len(self._metadata), len(self._chunks), first, last
        statistics = [_record(STATISTICS, struct.pack("<QHIIIIQQ", *numbers, *sizes), _counts(self._messages))]
        groups = {
            SCHEMA: self._schemas,
            CHANNEL: self._channels,
            STATISTICS: statistics,
            CHUNK_INDEX: self._chunks,
            ATTACHMENT_INDEX: self._attachments,
            METADATA_INDEX: self._metadata,
        }
        begin, summary, offsets = self._at, bytearray(), bytearray()
        for opcode, records in groups.items():
            group = b"".join(records)
            if group:
                offsets += _record(SUMMARY_OFFSET, struct.pack("<BQQ", opcode, begin + len(summary), len(group)))
            summary += group
        foot = struct.pack("<QQ", begin, begin + len(summary))
        data = bytes(summary + offsets) + struct.pack("<BQ", FOOTER, 20) + foot
        self._put(data + struct.pack("<I", zlib.crc32(data)) + MAGIC)


# ---------------------------------------------------------------- reading


class Damage(Exception):
    """A record that is not what it says."""


class _Bytes:
    """A record's body, read from the front; what is asked beyond its end is damage."""

    def __init__(self, data: memoryview) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> memoryview:
        if size > len(self.data) - self.at:
            raise Damage("a length goes beyond the end of its record")
        self.at += size
        return self.data[self.at - size : self.at]

    def numbers(self, form: str) -> tuple[int, ...]:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def text(self) -> str:
        return str(self.take(*self.numbers("I")), "utf-8", "replace")

    def map(self) -> dict[str, str]:
        inner, found = _Bytes(self.take(*self.numbers("I"))), dict[str, str]()
        while inner.at < len(inner.data):
            key = inner.text()
            found[key] = inner.text()
        return found


@dataclass
class Contents:
    """What a file has: channels (topic, what is said of it), messages of each, metadata, attachments; and damage."""

    schemas: dict[int, str]
    channels: dict[int, tuple[str, int, dict[str, str]]]
    messages: dict[int, list[tuple[int, memoryview]]]
    metadata: dict[str, dict[str, str]]
    attachments: dict[str, bytes]
    damage: list[str]
    whole: bool
    data: memoryview


def contents(data: memoryview) -> Contents:
    """Everything readable in a file, front to back, the index unread; each damage is a sentence."""
    found = Contents({}, {}, {}, {}, {}, [], False, data)
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise Error("it is no MCAP file: it does not begin as one does; give a recording")
    try:
        for opcode, body, at in _records(data, len(MAGIC)):
            if opcode == FOOTER:
                found.whole = True
                return found
            try:
                _understood(found, opcode, body)
            except Damage as damage:
                found.damage.append(f"byte {at}: {damage}")
    except Damage as damage:
        found.damage.append(str(damage))
    return found


def index_faults(found: Contents) -> Iterator[str]:
    """Where the summary at the end of a whole file does not fit what is in it; readers that trust it are led astray."""
    data, tail = found.data, 20 + len(MAGIC)
    if bytes(data[-len(MAGIC) :]) != MAGIC or len(data) < tail:
        yield "something stands behind its end; `motionc record recover` writes it anew"
        return
    begin, _, checksum = struct.unpack_from("<QQI", data, len(data) - tail)
    if begin == 0:
        yield "it has no index: readers that need one fail; `motionc record recover` writes it anew"
    elif begin > len(data) - tail or (checksum and zlib.crc32(data[begin : len(data) - tail + 16]) != checksum):
        yield "the checksum of its index is wrong; `motionc record recover` writes it anew"
    else:
        summary = _records(data[: -len(MAGIC)], begin)
        counted = [struct.unpack_from("<Q", body)[0] for kind, body, _ in summary if kind == STATISTICS]
        messages = sum(map(len, found.messages.values()))
        if counted and counted[0] != messages:
            yield f"its index counts {counted[0]} messages, and {messages} can be read"


def _records(data: memoryview, at: int) -> Iterator[tuple[int, memoryview, int]]:
    """(opcode, body, where) of records one after the other."""
    while len(data) - at >= 9:
        opcode, length = struct.unpack_from("<BQ", data, at)
        if opcode == 0 or length > len(data) - at - 9:
            raise Damage(f"byte {at}: the record there is cut off or damaged, and so is what may follow")
        yield opcode, data[at + 9 : at + 9 + length], at
        at += 9 + length
    if at < len(data):
        raise Damage(f"byte {at}: the file ends within a record")


def _understood(found: Contents, opcode: int, data: memoryview) -> None:
    body = _Bytes(data)
    if opcode == SCHEMA:
        (number,) = body.numbers("H")
        found.schemas.setdefault(number, body.text())
    elif opcode == CHANNEL:
        number, schema = body.numbers("HH")
        topic, _ = body.text(), body.text()
        found.channels.setdefault(number, (topic, schema, body.map()))
    elif opcode == MESSAGE:
        channel, _, time, _ = body.numbers("HIQQ")
        found.messages.setdefault(channel, []).append((time, data[body.at :]))
    elif opcode == CHUNK:
        for kind, inner, _ in _records(_unpacked(body), 0):
            if kind in (SCHEMA, CHANNEL, MESSAGE):
                _understood(found, kind, inner)
    elif opcode == METADATA:
        name = body.text()
        found.metadata.setdefault(name, body.map())
    elif opcode == ATTACHMENT:
        body.numbers("QQ")
        name, _ = body.text(), body.text()
        inside = bytes(body.take(*body.numbers("Q")))
        if zlib.crc32(data[: body.at]) != body.numbers("I")[0]:
            raise Damage("the checksum of an attachment is wrong: it is left out")
        found.attachments.setdefault(name, inside)


def _unpacked(body: _Bytes) -> memoryview:
    """What is in a chunk, no more than it says."""
    _, _, size, checksum = body.numbers("QQQI")
    how = body.text()
    packed = body.take(*body.numbers("Q"))
    if size > LARGEST_CHUNK:
        raise Damage(f"a chunk says that it has {size} bytes: it is left out")
    data = packed if not how else memoryview(_decompressed(how, bytes(packed), size))
    if len(data) != size or (checksum and zlib.crc32(data) != checksum):
        raise Damage("the checksum of a chunk is wrong: its messages are left out")
    return data


def _decompressed(how: str, packed: bytes, size: int) -> bytes:
    """Chunks that others compressed; ours are not."""
    try:
        if how == "zstd":
            zstd: Any = import_module("zstandard")
            return zstd.ZstdDecompressor().stream_reader(packed).read(size + 1)
        if how == "lz4":
            lz4: Any = import_module("lz4.frame")
            return lz4.LZ4FrameDecompressor().decompress(packed, max_length=size + 1)
    except ImportError as error:
        raise Error(f"its chunks are compressed by {how} ({error}): pip install 'motionc[record]'") from None
    except Exception as error:  # zstandard's own are of no common kind
        raise Damage(f"a chunk cannot be unpacked ({error}): its messages are left out") from None
    raise Damage(f"a chunk is compressed by {how[:20]!r}, which nobody here knows: its messages are left out")
