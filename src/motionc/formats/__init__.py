"""How is a robot written down? One file per format; readers locate errors by line and column."""

from motionc.formats.urdf import Document, Fate, Outcome, read_urdf
from motionc.formats.xml_tree import ReadError

__all__ = ["Document", "Fate", "Outcome", "ReadError", "read_urdf"]
