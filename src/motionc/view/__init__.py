"""See a robot and what it did: its shapes as triangles, pictures, a viewer, replays and reports."""

from motionc.view.drawing import Drawing, Piece, drawing
from motionc.view.replay import replay
from motionc.view.viewer import Viewer, show

__all__ = ["Drawing", "Piece", "Viewer", "drawing", "replay", "show"]
