"""See a robot and what it did: its shapes as triangles, pictures, a viewer, replays and reports."""

from motionc.view.drawing import Drawing, Piece, drawing
from motionc.view.report import plots, report
from motionc.view.verdicts import Check

__all__ = ["Check", "Drawing", "Piece", "drawing", "plots", "report"]
