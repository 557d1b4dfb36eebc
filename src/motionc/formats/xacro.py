"""URDF with macros, expanded by xacro itself (an extra), in a process of its own: macros can loop."""

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from motionc.errors import Error
from motionc.formats.xml_tree import LARGEST_FILE, ReadError
from motionc.model.findings import Place

TIMEOUT = 60.0
"""Seconds an expansion may take."""

EXPAND = """
import json, sys, xacro
path, mappings = sys.argv[1], json.loads(sys.argv[2])
sys.stdout.write(xacro.process_file(path, mappings=mappings).toprettyxml(indent="  "))
"""


def expand(path: Path, arguments: Mapping[str, str] | None = None) -> str:
    """The URDF text of a .xacro file, with these values for its arguments."""
    if find_spec("xacro") is None:
        raise Error(f"{path} has macros; to expand them: pip install 'motionc[xacro]'")
    command = [sys.executable, "-c", EXPAND, str(path), json.dumps(dict(arguments or {}))]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        said = f"xacro was stopped after {TIMEOUT:g} s"
        raise ReadError(Place("xacro", str(path)), said, "look for a macro that calls itself") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise ReadError(Place("xacro", str(path)), f"xacro: {lines[-1]}", "correct the macros; try `xacro FILE` itself")
    if len(done.stdout) > LARGEST_FILE:
        raise ReadError(Place("xacro", str(path)), "the expanded text is too large", "look for a macro that repeats")
    return done.stdout.decode("utf-8")
