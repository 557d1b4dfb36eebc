"""URDF with macros, expanded by xacro itself (an extra), in a process of its own: macros can loop, and more.

A .xacro file is a program. What it may do is decided in `xacro_child`: compute with numbers, texts, lists and
dictionaries, and read files in its own folder and the roots given. The process has no environment, another current
folder, isolated Python, and bounds of memory and time.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.machinery import PathFinder
from pathlib import Path

from motionc.errors import Error
from motionc.formats.xacro_child import NO_XACRO
from motionc.formats.xml_tree import LARGEST_FILE, ReadError
from motionc.model.findings import Place

TIMEOUT = 30.0
"""Seconds an expansion may take."""

MEMORY = 2**30
"""Bytes it may take."""

CHILD = Path(__file__).with_name("xacro_child.py")
KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What some Pythons need of the environment to start at all."""


def expand(path: Path, arguments: Mapping[str, str] | None = None, roots: Iterable[str | Path] = ()) -> str:
    """The URDF text of a .xacro file, with these values for its arguments; it reads files beside it and in `roots`."""
    place = Place("xacro", str(path))
    missing = f"{path} has macros; to expand them: pip install 'motionc[xacro]'"
    packages = _packages()
    if packages is None:
        raise Error(missing)
    file = path.absolute()
    folders = [file.parent, file.resolve().parent, *(Path(root).absolute() for root in roots)]
    options = {
        "arguments": {str(name): str(value) for name, value in (arguments or {}).items()},
        "roots": [str(folder) for folder in folders],
        "packages": packages,
        "bytes": MEMORY,
        "seconds": max(1, int(TIMEOUT)),
        "largest": LARGEST_FILE,
    }
    command = [sys.executable, "-I", "-X", "utf8", str(CHILD), str(file), json.dumps(options)]
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    stopped = ReadError(place, f"xacro was stopped after {TIMEOUT:g} s", "look for a macro that calls itself")
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
            cwd=file.anchor,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise stopped from None
    except (OSError, ValueError) as error:
        raise ReadError(place, f"xacro cannot be started ({error})", "give fewer or shorter arguments") from error
    if done.returncode == NO_XACRO:
        raise Error(missing)
    if done.returncode in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)) and done.returncode:
        raise stopped
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"it ended with {done.returncode}"]
        raise ReadError(place, said[-1], "correct the macros; docs/guide/urdf.md says what they may do")
    return done.stdout.decode("utf-8")


def _packages() -> list[str] | None:
    """The folders of xacro and of yaml, which it needs; never the current one, whose files may be anybody's."""
    here = Path.cwd()
    folders = [folder for folder in sys.path if folder and Path(folder).resolve() != here]
    found = dict[str, None]()
    for name in ("xacro", "yaml"):
        spec = PathFinder.find_spec(name, folders)
        if spec is None or spec.origin is None:
            return None
        found[str(Path(spec.origin).parents[1])] = None
    return list(found)
