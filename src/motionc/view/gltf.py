"""May a glTF file be handed to a reader? What it says of its sizes is compared with what it has, before memory is asked
for; its nodes must form a tree."""

import json
from collections.abc import Mapping
from typing import Any

from motionc.errors import Error

MAGIC, JSON = b"glTF", b"JSON"
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5124: 4, 5125: 4, 5126: 4}


def check_gltf(data: bytes, largest: int) -> None:
    """Raise a sentence about what would ask for more memory than `largest` bytes, or never end."""
    try:
        tree = json.loads(_header(data))
    except (ValueError, RecursionError) as error:
        raise Error(f"its header is no JSON ({error})") from error
    if not isinstance(tree, dict):
        raise Error("its header is no record")
    asked = 0
    for accessor in _records(tree, "accessors"):
        if "bufferView" not in accessor:
            raise Error("some of its arrays are compressed or empty; export it without compression")
        asked += (
            _count(accessor) * WIDTH.get(accessor.get("type", ""), 16) * BYTES.get(accessor.get("componentType", 0), 4)
        )
    if asked > largest:
        raise Error(f"its head asks for {asked} bytes of numbers, more than the {largest} that are read")
    children = [child for node in _records(tree, "nodes") for child in node.get("children") or ()]
    if len(children) != len(set(map(str, children))):
        raise Error("its nodes form no tree; export it again")


def _header(data: bytes) -> bytes:
    """The JSON text: the first chunk of a binary file, or all of it."""
    if data[:4] != MAGIC:
        return data
    length = int.from_bytes(data[12:16], "little")
    if data[16:20] != JSON or length > len(data) - 20:
        raise Error("its first part is no JSON, or cut off")
    return data[20 : 20 + length]


def _records(tree: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = tree.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Error(f"its {key} are no list of records")
    return found


def _count(accessor: Mapping[str, Any]) -> int:
    count = accessor.get("count")
    if not isinstance(count, int) or count < 0:
        raise Error(f"an array of {count!r} entries")
    return count
