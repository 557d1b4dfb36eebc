"""Recordings as MCAP files in the layout of ROS 2, and back.

    /signals/NAME        Float64MultiArray, each signal in full; unit, labels, shape, meaning in the channel's metadata
    /inputs/NAME         the same, of what a run was given
    /joint_states        what viewers plot by joint        /robot_description, /tf    what they draw, 60 times a second
    /marks, /modes/NAME  String

Files are read front to back, without the index, so that those of processes that died are read too.
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import numpy as np

from motionc.errors import Error
from motionc.plain import plain, restored
from motionc.simulate.declarations import Band, Mark, Mode, Reference, Tube
from motionc.simulate.mcap_records import Contents, McapWriter, contents
from motionc.simulate.recorded import Model, Recorded
from motionc.simulate.ros_messages import (
    DEFINITIONS,
    Array,
    Layout,
    array_layout,
    text_layout,
    text_of,
)
from motionc.simulate.signals import Signal
from motionc.version import __version__

OURS = "motionc"
"""The metadata that says what a recording is."""
NANO = 1e9
MOST_ENTRIES = 10**7
"""Numbers of a row that a file may speak of."""
CHUNK_SECONDS = 1.0
NUMBERS = {"dt": "0", "seed": "0", "lane": "0", "turn": "0", "steps": "0", "batch": "false"}
MEDIA = {"urdf": "application/xml", "json": "application/json"}
MARKS, MODES = "/marks", "/modes/"
IN_FRONT = ("bands", "references", "tubes")
"""What is declared before there are rows."""
KINDS: dict[str, type] = {"Band": Band, "Reference": Reference, "Tube": Tube}


def nanoseconds(times: Any) -> Array:
    return np.rint(np.asarray(times, float) * NANO).astype("<u8")


# ---------------------------------------------------------------- writing


class Channels:
    """A file that is being written: its channels, and rows of messages for them."""

    def __init__(self, write: Callable[[bytes], Any]) -> None:
        self.file = McapWriter(write, f"motionc {__version__}")
        self._schemas = dict[str, int]()

    def open(self, topic: str, kind: str, about: Mapping[str, str] | None = None) -> int:
        if kind not in self._schemas:
            self._schemas[kind] = self.file.schema(kind, "ros2msg", DEFINITIONS[kind])
        return self.file.channel(topic, "cdr", self._schemas[kind], about or {})

    def signal(self, role: str, signal: Signal) -> tuple[int, Layout]:
        """A channel for rows of a signal."""
        layout = array_layout(signal.shape, signal.values.dtype == np.float32)
        about = {
            "name": signal.name,
            "unit": signal.unit,
            "meaning": signal.meaning,
            "relation": signal.relation,
            "labels": json.dumps(signal.labels),
            "shape": json.dumps(signal.shape),
            "role": role,
        }
        return self.open(f"/{role}/{topic_word(signal.name)}", layout.kind, about), layout

    def about(self, recorded: Recorded) -> None:
        """What stands at the front: the robot, numbers, what is declared."""
        said = {name: json.dumps(getattr(recorded, name)) for name in NUMBERS}
        said |= {name: json.dumps(plain(getattr(recorded, name))) for name in IN_FRONT}
        said |= {"versions": json.dumps(dict(recorded.versions)), "task": recorded.task, "format": "1"}
        model = recorded.model
        if model is not None:
            said["model"] = json.dumps({key: value for key, value in vars(model).items() if key != "text"})
            self.file.attachment(f"robot.{model.form}", MEDIA[model.form], model.text.encode())
        self.file.metadata(OURS, said)


def topic_word(name: str) -> str:
    """A name as a topic has it: no slash, no markup."""
    return quote(name, safe=" _.,:;=+-()[]@")


class Shown(Protocol):
    """Whoever adds what viewers want: a chunk that stands in front, and rows (channel, times, records) of signals."""

    def described(self, channels: Channels) -> dict[int, tuple[Array, Array]]: ...

    def of(self, channels: Channels, signals: Mapping[str, Signal]) -> list[tuple[int, Array, Array]]: ...


def written(recorded: Recorded, views: Shown | None = None) -> bytes:
    """The file of a recording, and what viewers want beside it."""
    pieces = list[bytes]()
    channels = Channels(pieces.append)
    channels.about(recorded)
    rows = dict[int, tuple[Array, Array]]()

    def add(channel: int, times: Array, records: Array) -> None:
        rows[channel] = times, records

    for role in ("signals", "inputs"):
        for signal in getattr(recorded, role).values():
            channel, layout = channels.signal(role, signal)
            times, values = nanoseconds(signal.times), signal.flat
            add(channel, times, layout.rows(channel, times, data=values))
    texts = [(f"{MODES}{topic_word(mode.machine)}", mode.machine, mode.times, mode.names) for mode in recorded.modes]
    if recorded.marks:
        marks = sorted(recorded.marks, key=lambda mark: mark.time)
        texts.append((MARKS, "", tuple(m.time for m in marks), tuple(m.name for m in marks)))
    chunks = list[dict[int, tuple[Array, Array]]]()
    for topic, name, times, words in texts:
        channel = channels.open(topic, "std_msgs/msg/String", {"name": name})
        chunks += [text_rows(channel, time, word) for time, word in zip(times, words, strict=True)]
    if views is not None:
        for channel, times, records in views.of(channels, recorded.signals):
            add(channel, times, records)
        chunks = [views.described(channels), *chunks]
    for chunk in chunks:
        channels.file.chunk(chunk)
    for chunk in _in_spans(rows):
        channels.file.chunk(chunk)
    channels.file.finish()
    return b"".join(pieces)


def text_rows(channel: int, time: float, word: str) -> dict[int, tuple[Array, Array]]:
    """One String as a chunk."""
    times = nanoseconds([time])
    return {channel: (times, text_layout(word).rows(channel, times))}


def _in_spans(rows: Mapping[int, tuple[Array, Array]]) -> list[dict[int, tuple[Array, Array]]]:
    """Messages of all channels, a chunk a second."""
    last = max((int(times[-1]) for times, _ in rows.values() if len(times)), default=0)
    first = min((int(times[0]) for times, _ in rows.values() if len(times)), default=0)
    count = min(max(int((last - first) / NANO / CHUNK_SECONDS), 1), 10_000)
    ends = np.linspace(first, last + 1, count + 1)[1:]
    found, begin = list[dict[int, tuple[Array, Array]]](), dict.fromkeys(rows, 0)
    for number, end in enumerate(ends):
        chunk = dict[int, tuple[Array, Array]]()
        for channel, (times, records) in rows.items():
            stop = len(times) if number == count - 1 else int(np.searchsorted(times, np.uint64(end)))
            chunk[channel] = times[begin[channel] : stop], records[begin[channel] : stop]
            begin[channel] = stop
        found.append(chunk)
    return found


# ---------------------------------------------------------------- reading


def opened(path: Path) -> Contents:
    """What a file contains; one sentence where it is none."""
    try:
        if path.exists() and not path.is_file():
            raise OSError(0, "it is no file")
        data = path.read_bytes()
    except (OSError, ValueError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "it is too large for this machine's memory"
        raise Error(f"{path} cannot be read ({reason}); give a recording, such as run.save wrote") from None
    try:
        return contents(memoryview(data))
    except Error as error:
        raise Error(f"{path}: {error}") from None


def read(path: Path) -> dict[str, Any]:
    """The fields of the recording in a file, as far as it can be read; `notes` says what could not."""
    found = opened(path)
    notes = list(found.damage)
    if not found.whole:
        notes.append("it has no end: whoever wrote it died, or still writes; `motionc record recover` makes it whole")
    about = found.metadata.get(OURS)
    if about is None:
        raise Error(f"{path}: it is MCAP, but no recording of motionc's; give a file that run.save or Recorder wrote")
    try:
        fields: dict[str, Any] = {
            **{name: json.loads(about.get(name, usual)) for name, usual in NUMBERS.items()},
            **{name: restored(json.loads(about.get(name, "[]")), KINDS) for name in IN_FRONT},
            **{role: _signals(found, role, notes) for role in ("signals", "inputs")},
            **_texts(found),
            "versions": json.loads(about.get("versions", "{}")),
            "task": about.get("task", ""),
            "model": _model(found, about),
        }
        _ = Recorded(**fields)
    except (Error, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Error(f"{path}: what it says of itself makes no sense ({error}); it was not written by motionc") from None
    return {**fields, "notes": tuple(notes)}


def _model(found: Contents, about: Mapping[str, str]) -> Model | None:
    if "model" not in about:
        return None
    how = json.loads(about["model"])
    _ = Model("", **how)  # checks itself
    text = found.attachments.get(f"robot.{how['form']}")
    return None if text is None else Model(text.decode("utf-8", "replace"), **how)


def _signals(found: Contents, role: str, notes: list[str]) -> dict[str, Signal]:
    """Signals of a role, by name: the first of each."""
    signals = dict[str, Signal]()
    for number, (_, schema, said) in found.channels.items():
        if said.get("role") != role or said.get("name", "") in signals:
            continue
        shape = tuple(json.loads(said.get("shape", "[]")))
        if not all(isinstance(n, int) and 0 <= n <= MOST_ENTRIES for n in shape) or math.prod(shape) > MOST_ENTRIES:
            raise Error(f"a row of {said.get('name')!r} has shape {shape}")
        layout = array_layout(shape, "32" in found.schemas.get(schema, ""))
        messages = found.messages.get(number, [])
        rows, fits = layout.read([data for _, data in messages])
        times = np.array([time for time, _ in messages], "<u8")[fits]
        order = np.argsort(times, kind="stable")
        if not np.all(fits):
            notes.append(f"{np.sum(~fits)} messages of {said['name']} are damaged: they are left out")
        signals[said["name"]] = Signal(
            said["name"],
            times[order] / NANO,
            rows["data"][order].reshape(len(order), *shape),
            said.get("unit", ""),
            tuple(json.loads(said.get("labels", "[]"))),
            said.get("meaning", ""),
            said.get("relation", ""),
        )
    return signals


def _texts(found: Contents) -> dict[str, Any]:
    """Marks and modes."""
    marks, modes = list[Mark](), list[Mode]()
    for number, (topic, _, said) in found.channels.items():
        rows = [(time / NANO, text_of(data)) for time, data in found.messages.get(number, [])]
        told = sorted((time, text) for time, text in rows if text)
        if topic == MARKS:
            marks += [Mark(time, text) for time, text in told]
        elif topic.startswith(MODES):
            modes.append(Mode(tuple(t for t, _ in told), tuple(n for _, n in told), said.get("name", "")))
    return {"marks": marks, "modes": modes}
