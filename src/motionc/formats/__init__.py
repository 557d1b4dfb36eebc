"""How is a robot written down? One file per format; readers locate errors by line and column.

URDF comes with the room, every other format when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from motionc.formats.document import Document, Fate, Outcome
from motionc.formats.urdf import read_urdf
from motionc.formats.xml_tree import NoSuchFile, ReadError, parse_xml

if TYPE_CHECKING:
    from motionc.formats.dh import CONVENTIONS, dh_chain, read_dh
    from motionc.formats.dot import to_dot
    from motionc.formats.files import find_file
    from motionc.formats.mjcf import read_mjcf
    from motionc.formats.mjcf_write import to_mjcf, to_mjspec
    from motionc.formats.urdf_write import to_urdf
    from motionc.formats.xacro import expand

__all__ = [
    "CONVENTIONS",
    "Document",
    "Fate",
    "NoSuchFile",
    "Outcome",
    "ReadError",
    "dh_chain",
    "expand",
    "find_file",
    "parse_xml",
    "read_dh",
    "read_mjcf",
    "read_urdf",
    "to_dot",
    "to_mjcf",
    "to_mjspec",
    "to_urdf",
]

HOMES = {
    "CONVENTIONS": "dh",
    "dh_chain": "dh",
    "expand": "xacro",
    "find_file": "files",
    "read_dh": "dh",
    "read_mjcf": "mjcf",
    "to_dot": "dot",
    "to_mjcf": "mjcf_write",
    "to_mjspec": "mjcf_write",
    "to_urdf": "urdf_write",
}
"""Where the others are."""


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
