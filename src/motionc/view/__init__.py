"""See a robot and what it did: its shapes as triangles, pictures, a viewer, replays and reports."""

from motionc.view.camera import Camera
from motionc.view.drawing import Drawing, Piece, drawing
from motionc.view.picture import picture

__all__ = ["Camera", "Drawing", "Piece", "drawing", "picture"]
