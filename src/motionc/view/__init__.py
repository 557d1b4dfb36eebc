"""See a robot and what it did: its shapes as triangles, pictures, a viewer, replays and reports."""

from motionc.view.camera import Camera
from motionc.view.drawing import Drawing, Piece, drawing
from motionc.view.picture import picture
from motionc.view.replay import replay
from motionc.view.report import plots, report
from motionc.view.verdicts import Check
from motionc.view.viewer import Viewer, show

__all__ = [
    "Camera",
    "Check",
    "Drawing",
    "Piece",
    "Viewer",
    "drawing",
    "picture",
    "plots",
    "replay",
    "report",
    "show",
]
