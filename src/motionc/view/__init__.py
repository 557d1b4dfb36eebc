"""See a robot and what it did: its shapes as triangles, pictures, a viewer, replays and reports."""

from motionc.view.drawing import Drawing, Piece, drawing

__all__ = ["Drawing", "Piece", "drawing"]
