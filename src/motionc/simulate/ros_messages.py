"""Messages of ROS 2 as rows of bytes: what is the same in all of them is written once, numbers go in through NumPy.

CDR, little-endian: numbers stand at multiples of their size, counted behind the first four bytes.
"""

import struct
from functools import cached_property
from typing import Any

import numpy as np

from motionc.simulate.mcap_records import MESSAGE, RECORD_HEAD

Array = np.ndarray[Any, np.dtype[Any]]
TIME = "int32 sec\nuint32 nanosec\n"
HEAD = [("op", "u1"), ("length", "<u8"), ("channel", "<u2"), ("sequence", "<u4"), ("log", "<u8"), ("pub", "<u8")]
"""What stands before the data of a message in a file."""
SEPARATOR = "=" * 80 + "\n"


def _with(text: str, **parts: str) -> str:
    """A definition, and those of what it names."""
    return text + "".join(f"{SEPARATOR}MSG: {name.replace('__', '/')}\n{part}" for name, part in parts.items())


HEADER = {"std_msgs__Header": "builtin_interfaces/Time stamp\nstring frame_id\n", "builtin_interfaces__Time": TIME}
LAYOUT = {
    "std_msgs__MultiArrayLayout": "MultiArrayDimension[] dim\nuint32 data_offset\n",
    "std_msgs__MultiArrayDimension": "string label\nuint32 size\nuint32 stride\n",
}
DEFINITIONS = {
    "std_msgs/msg/String": "string data\n",
    "std_msgs/msg/Float64MultiArray": _with("MultiArrayLayout layout\nfloat64[] data\n", **LAYOUT),
    "std_msgs/msg/Float32MultiArray": _with("MultiArrayLayout layout\nfloat32[] data\n", **LAYOUT),
    "sensor_msgs/msg/JointState": _with(
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n", **HEADER
    ),
    "tf2_msgs/msg/TFMessage": _with(
        "geometry_msgs/TransformStamped[] transforms\n",
        geometry_msgs__TransformStamped="std_msgs/Header header\nstring child_frame_id\nTransform transform\n",
        geometry_msgs__Transform="Vector3 translation\nQuaternion rotation\n",
        geometry_msgs__Vector3="float64 x\nfloat64 y\nfloat64 z\n",
        geometry_msgs__Quaternion="float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n",
        **HEADER,
    ),
}
"""Messages that recordings have, and what says how to read them."""


class Layout:
    """The bytes of a message whose texts and counts never change: constants, and fields for numbers."""

    def __init__(self, kind: str) -> None:
        self.kind, self._at = kind, 0
        self._fields, self._constants = list[tuple[Any, ...]](), dict[str, bytes]()
        self._stamps = list[str]()
        self._put(b"\0\1\0\0")
        self._at = 0

    def _put(self, data: bytes) -> None:
        name = f"constant {len(self._fields)}"
        self._fields.append((name, f"V{len(data)}"))
        self._constants[name] = data
        self._at += len(data)

    def _align(self, size: int) -> None:
        if missing := -self._at % size:
            self._put(bytes(missing))

    def count(self, number: int) -> "Layout":
        self._align(4)
        self._put(struct.pack("<I", number))
        return self

    def text(self, text: str) -> "Layout":
        data = text.encode("utf-8", "replace") + b"\0"
        self.count(len(data))
        self._put(data)
        return self

    def numbers(self, name: str, kind: str, *shape: int) -> "Layout":
        """Numbers of a message, by name."""
        dtype = np.dtype(kind)
        if dtype.itemsize and 0 not in shape:
            self._align(dtype.itemsize)
        self._fields.append((name, kind, shape))
        self._at += dtype.itemsize * int(np.prod(shape, dtype=int))
        return self

    def stamp(self, name: str, frame: str) -> "Layout":
        """A header: when, as `<name> sec` and `<name> nanosec`, and in which frame."""
        self._stamps.append(name)
        return self.numbers(f"{name} sec", "<i4").numbers(f"{name} nanosec", "<u4").text(frame)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self._fields)

    def rows(self, channel: int, times: Array, **values: Array) -> Array:
        """Message records of a file: log times in ns, and numbers of each."""
        rows = np.repeat(self._empty, len(times))
        rows["channel"], rows["log"], rows["pub"] = channel, times, times
        inner = rows["data"]
        for name in self._stamps:
            inner[f"{name} sec"], inner[f"{name} nanosec"] = times // 10**9, times % 10**9
        for name, value in values.items():
            inner[name] = value
        return rows

    @cached_property
    def _empty(self) -> Array:
        """A record with all that never changes."""
        one = np.zeros(1, np.dtype([*HEAD, ("data", self.dtype)]))
        for name, constant in self._constants.items():
            one["data"][name] = np.void(constant)
        one["op"], one["length"] = MESSAGE, one.dtype.itemsize - RECORD_HEAD
        return one

    def read(self, messages: list[memoryview]) -> tuple[Array, Array]:
        """Numbers of messages, by field, and which of them are such messages at all."""
        dtype = self.dtype
        sized = np.array([len(message) == dtype.itemsize for message in messages], bool)
        rows = np.frombuffer(b"".join(m for m, fits in zip(messages, sized, strict=True) if fits), dtype)
        same = np.ones(len(rows), bool)
        for name, constant in self._constants.items():
            same &= rows[name] == np.void(constant)
        fits = sized.copy()
        fits[sized] = same
        return rows[same], fits


def array_layout(shape: tuple[int, ...], single: bool) -> Layout:
    """A Float64MultiArray (or Float32MultiArray) of so many numbers: `data`."""
    bits = 32 if single else 64
    layout, size = Layout(f"std_msgs/msg/Float{bits}MultiArray"), int(np.prod(shape, dtype=int))
    layout.count(len(shape))
    for axis, extent in enumerate(shape):
        layout.text("").count(extent).count(int(np.prod(shape[axis:], dtype=int)))
    return layout.count(0).count(size).numbers("data", f"<f{bits // 8}", size)


def text_layout(text: str) -> Layout:
    """A String."""
    return Layout("std_msgs/msg/String").text(text)


def joint_states_layout(names: tuple[str, ...], has: tuple[str, ...]) -> Layout:
    """A JointState with as many of position, velocity and effort as there are."""
    layout = Layout("sensor_msgs/msg/JointState").stamp("stamp", "").count(len(names))
    for name in names:
        layout.text(name)
    for part in ("position", "velocity", "effort"):
        layout.count(len(names) if part in has else 0)
        if part in has:
            layout.numbers(part, "<f8", len(names))
    return layout


def transforms_layout(edges: list[tuple[str, str]]) -> Layout:
    """A TFMessage: `at k` and `turn k` (x y z w) of each child wrt its parent."""
    layout = Layout("tf2_msgs/msg/TFMessage").count(len(edges))
    for k, (parent, child) in enumerate(edges):
        layout.stamp(f"{k}", parent).text(child).numbers(f"at {k}", "<f8", 3).numbers(f"turn {k}", "<f8", 4)
    return layout


def text_of(message: memoryview) -> str | None:
    """What a String says; None where it is none."""
    if len(message) < 9 or struct.unpack_from("<I", message, 4)[0] != len(message) - 8:
        return None
    return str(message[8:-1], "utf-8", "replace")
