"""How is a robot written down? One file per format; readers locate errors by line and column."""

from motionc.formats.dh import CONVENTIONS, dh_chain, read_dh
from motionc.formats.document import Document, Fate, Outcome
from motionc.formats.dot import to_dot
from motionc.formats.files import find_file
from motionc.formats.mjcf import read_mjcf
from motionc.formats.mjcf_write import to_mjcf, to_mjspec
from motionc.formats.urdf import read_urdf
from motionc.formats.urdf_write import to_urdf
from motionc.formats.xacro import expand
from motionc.formats.xml_tree import NoSuchFile, ReadError, parse_xml

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
