"""The one root of every exception motionc raises on purpose."""


class Error(Exception):
    """Something that was asked for cannot be done; the message says what, where, and what to do instead."""
