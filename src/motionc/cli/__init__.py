"""The command line."""

from motionc.cli.main import app, main

__all__ = ["app", "main"]
