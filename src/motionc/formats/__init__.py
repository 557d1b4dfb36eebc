"""How is a robot written down? One file per format; readers locate errors by line and column."""

from motionc.formats.document import Document, Fate, Outcome
from motionc.formats.urdf import read_urdf
from motionc.formats.urdf_write import write_urdf
from motionc.formats.xml_tree import ReadError

__all__ = ["Document", "Fate", "Outcome", "ReadError", "read_urdf", "write_urdf"]
