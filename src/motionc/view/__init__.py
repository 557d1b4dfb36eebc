"""See a robot and what it did: its shapes as triangles, pictures, a viewer, replays and reports."""

from motionc.view.camera import Camera
from motionc.view.drawings import Drawing, Piece, drawing
from motionc.view.pictures import picture
from motionc.view.replays import replay
from motionc.view.reports import Table, plots, report
from motionc.view.verdicts import Check
from motionc.view.viewer import Viewer, show

__all__ = [
    "Camera",
    "Check",
    "Drawing",
    "Piece",
    "Table",
    "Viewer",
    "drawing",
    "picture",
    "plots",
    "replay",
    "report",
    "show",
]
