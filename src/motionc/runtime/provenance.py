"""What an emitted file says of itself: which question it answers, asked of which robot, and by whom it was written.

The block is JSON, a line a key, in a comment at the top; `mc.from_file` reads it. Texts in it are quoted as addresses
of the web are, so that no name ends a comment. It stands in emitted files alone: what is built knows nothing of it.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.digest import robot_digest
from motionc.plain import NoData, plain
from motionc.program.names import whose
from motionc.program.program import Program
from motionc.sweeps.options import Derivative, Options, Together
from motionc.targets.heading import headed, parted
from motionc.version import __version__
from motionc.writing import write_files

LARGEST_FILE, LARGEST_BLOCK = 2**28, 2**22
"""Bytes of a file that is looked at, and letters of a block in it."""
UNCHANGED = " _.,:;=+-()[]<>|@#!&"
"""What stands in a text as it is, beside letters and digits."""
WIDTH = 112
WRITTEN = ("target", "function")
"""What a block says of how the question was written down."""
FORCE = "choose another folder or prefix, or write over it: force=True (--force)"


def provenance(name: str, robot: Any, options: Options, program: Program) -> dict[str, Any]:
    """What a computation is, as data: the question, and what of the robot and of the world its numbers hold.

    Where functions of somebody else are part of it, `arguments` is None.
    """
    said = options.said()
    others = {key: value for key, value in vars(options).items() if key not in said}
    try:
        arguments, defaults = ({key: plain(value) for key, value in part.items()} for part in (said, others))
    except NoData:
        arguments, defaults = None, None
    if options.own:
        arguments = None
    return {
        **asked_of(robot, name, type(options).__name__, arguments),
        "defaults": defaults,
        "gravity": _gravity(options),
        "frames": list(dict.fromkeys(_frames(options))),
        "parameters": list(getattr(options, "parameters", ())),
        "precision": getattr(options, "precision", "double"),
        "operations": dict(sorted(program.operations.items())),
        "program": hashlib.sha256(repr((program.instructions, program.results)).encode()).hexdigest(),
    }


def asked_of(robot: Any, name: str, asks: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """Who is asked what: this version, the question, the robot with its held joints, limits and digest."""
    asked = {"motionc": __version__, "computation": name, "asks": asks, "arguments": arguments}
    limits = getattr(robot, "limits", None)
    if limits is None:  # it is about nobody
        return asked
    rows = zip(limits.names, limits.lower, limits.upper, limits.velocity, limits.effort, strict=True)
    return {
        **asked,
        "robot": {
            "name": robot.name,
            "source": robot.source,
            "floating": robot.floating,
            "mimic": robot.mimic,
            "held": {joint: float(value) for joint, value in robot.held.items()},
            "digest": robot_digest(robot),
        },
        "limits": [[joint, *(float(x) if np.isfinite(x) else None for x in row)] for joint, *row in rows],
    }


def _gravity(options: Any) -> Any:
    """What it falls by, "open" where that is an input; None where nothing does, each where parts fall otherwise."""
    if isinstance(options, Derivative):
        return _gravity(options.source)
    if isinstance(options, Together):
        found = [gravity for gravity in map(_gravity, options.parts) if gravity is not None]
        return found if any(one != found[0] for one in found) else next(iter(found), None)
    if "gravity" in getattr(options, "parameters", ()):
        return "open"
    gravity = getattr(options, "gravity", None)
    return None if gravity is None else [float(part) for part in gravity]


def _frames(value: Any, key: str = "") -> Iterator[str]:
    """Every frame that options name, as they name it; `wrt` of a derivative are inputs."""
    if isinstance(value, Derivative):
        yield from _frames(value.source)
    elif isinstance(value, str):
        if key in ("frame", "frames", "wrt", "as_seen_by", "base", "target"):
            yield value
    elif isinstance(value, tuple):
        for entry in value:
            yield from _frames(entry, key)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _frames(getattr(value, field.name), field.name)


# ---------------------------------------------------------------- as text


def with_provenance(files: Mapping[str, str], about: Mapping[str, Any]) -> dict[str, str]:
    """Texts by file name, each with its block; its digest is that of the text behind it."""
    return {file: headed(file, text, list(_lines({**about, "text": _digest(text)}))) for file, text in files.items()}


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    """A line a key, long ones over several; the last is the digest of all of them."""
    data = {**data, "block": _digest(_canonical(data))}
    for k, (key, value) in enumerate(data.items()):
        line = f'"{key}": {json.dumps(_quoted(value))}' + "," * (k < len(data) - 1)
        yield from _wrapped(line)


def _wrapped(line: str) -> Iterator[str]:
    """Cut where a space stands outside of a text."""
    part = ""
    for piece in re.findall(r'(?:"[^"]*"|[^"\s])+ ?', line):
        if part and len(part) + len(piece) > WIDTH:
            yield f"  {part}".rstrip()
            part = "  "
        part += piece
    yield f"  {part}"


def block(file: str | Path, text: str) -> dict[str, Any] | None:
    """What a file's block says; None where it has none, an Error where it is not as it was written."""
    found = parted(str(file), text)
    if found is None:
        return None
    damaged = Error(f"{file}: its provenance block was changed since it was written; emit the file anew")
    inside = "\n".join(found[0])
    if len(inside) > LARGEST_BLOCK:
        raise damaged
    try:
        data = _unquoted(json.loads(f"{{{inside}}}"))
        said = data.pop("block")
        if said != _digest(_canonical(data)):
            raise damaged
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise damaged from None
    return data


def _canonical(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _quoted(value: Any) -> Any:
    if isinstance(value, str):
        return quote(value.encode("utf-8", "surrogatepass"), safe=UNCHANGED)
    if isinstance(value, Mapping):
        return {_quoted(key): _quoted(entry) for key, entry in value.items()}
    return [_quoted(entry) for entry in value] if isinstance(value, list | tuple) else value


def _unquoted(value: Any) -> Any:
    if isinstance(value, str):
        return unquote(value, errors="surrogatepass")
    if isinstance(value, dict):
        return {_unquoted(key): _unquoted(entry) for key, entry in value.items()}
    return [_unquoted(entry) for entry in value] if isinstance(value, list) else value


# ---------------------------------------------------------------- onto a disk


def write_emitted(files: Mapping[Path, str], *, force: bool = False) -> list[Path]:
    """Write files, all or none; one that answers another question, or is not ours, is kept unless `force` is said."""
    if not force:
        for path, text in files.items():
            _refuse_overwriting(path, text)
    return write_files(files)


def _refuse_overwriting(path: Path, text: str) -> None:
    if not os.path.isfile(path):  # where nobody may look, or no name is so long, writing says what is wrong
        return
    there = emitted_text(path)
    if there == text:
        return
    ours = block(path, text)
    theirs = block(path, there) if there is not None else None
    if there is None or ours is None or theirs is None:
        raise Error(f"{path} is there already and says of no question that it answers it; {FORCE}")
    if _question(theirs) != _question(ours):
        there, here = _words(theirs, ours), _words(ours, theirs)
        raise Error(f"{path} answers another question: {there}; this is {here}; {FORCE}")
    behind = parted(str(path), there)
    if behind is None or theirs["text"] != _digest(behind[1]):
        raise Error(f"{path} was changed by hand since it was written, which would be lost; {FORCE}")


def emitted_text(path: Path) -> str | None:
    """The text of a file, lines ended as we end them; None where it is none, or larger than any of ours."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        return data.decode().replace("\r\n", "\n") if len(data) <= LARGEST_FILE else None
    except (OSError, ValueError):
        return None


def _question(about: Mapping[str, Any]) -> Any:
    """What tells two questions apart: what is asked, of which robot; where that is no data, the program alone.

    The same one in another language, or by another name, is another file: `f_batch.c` may be f in lanes, or f_batch.
    """
    arguments = about.get("arguments")
    robot = about.get("robot")
    digest = robot.get("digest") if isinstance(robot, Mapping) else None
    asked = about.get("program") if arguments is None else arguments
    return about.get("computation"), about.get("asks"), asked, digest, *(about.get(key) for key in WRITTEN)


def _words(about: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """A question in a few words: whom it is about, and what is asked otherwise than in another; whoever wrote it."""
    robots = [one.get("robot") for one in (about, other)]
    name, digest = (robots[0].get(key) for key in ("name", "digest")) if isinstance(robots[0], Mapping) else ("", "")
    same = isinstance(robots[1], Mapping) and digest == robots[1].get("digest")
    behind = "" if same or not digest else f" (digest {str(digest)[:8]})"
    others = dict(_leaves(other.get("arguments")))
    leaves = [(where, value) for where, value in _leaves(about.get("arguments")) if where]
    own = [(where, value) for where, value in leaves if others.get(where, ...) != value]
    own += [(key, about.get(key)) for key in WRITTEN if about.get(key) != other.get(key)]
    told = "".join(f", {where}={checked.shown(value)}" for where, value in own[:3])
    asked = checked.shown(f"{about.get('computation')}{whose(str(name))}").strip("'\"")
    return f"{asked}{behind}{told}{', …' * (len(own) > 3)}"


def _leaves(data: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Each text and number of some data, and the way to it."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            record = isinstance(value, Mapping) and len(data) == 1 and where
            yield from _leaves(value, where if record else f"{where}.{key}".lstrip("."))
    elif isinstance(data, list) and any(isinstance(value, list | Mapping) for value in data):
        for k, value in enumerate(data):
            yield from _leaves(value, f"{where}[{k}]")
    else:
        yield where, data
