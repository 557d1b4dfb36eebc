"""A program as something callable, in the best way this machine offers.

    glued        compiled, with a builtin function that reads arrays in place
    compiled     compiled, called through ctypes
    interpreted  no compiler: the same program as Python code

MOTIONC_TIER names one to use; asking for more than there is gives an error that says what is missing. Batches have a
library of their own, in vector lanes, made when the first one is asked for.
"""

import ctypes
import hashlib
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motionc.errors import Error
from motionc.program.port import Precision
from motionc.program.program import Program
from motionc.program.source import Source
from motionc.runtime.build import cache, call_stub, compiler, python_abi
from motionc.sources import unchanged
from motionc.targets import c, c_simd, python

Array = np.ndarray[Any, np.dtype[Any]]
Entry = Callable[[Array, Array], None]
"""Reads all inputs from one flat array and writes all outputs to another."""

TIERS = ("glued", "compiled", "interpreted")
DTYPES: dict[Precision, np.dtype[Any]] = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}


@dataclass(frozen=True, slots=True)
class Library:
    """A tier, the way to call it with flat arrays, and the builtin function and its file where there are."""

    tier: str
    entry: Entry
    call: Callable[..., Any] | None = None
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Lanes:
    """The compiled entry for batches, and how many instructions a state takes."""

    entry: Any
    size: int


def open_library(
    source: Source,
    slow: Callable[..., Any],
    record: Callable[[Any], Any],
) -> Library:
    """Build what is not in the cache, and load it. The program is only asked for when something must be built."""
    wanted = os.environ.get("MOTIONC_TIER", "")
    if wanted and wanted not in TIERS:
        raise Error(f"MOTIONC_TIER={wanted!r}; say one of {', '.join(TIERS)}")
    tool = None if wanted == "interpreted" else compiler.find_compiler()
    if tool is None:
        if wanted in ("glued", "compiled"):
            raise Error(f"MOTIONC_TIER={wanted!r}, but no C compiler was found")
        return Library("interpreted", interpreted(source.program))
    path, dtype = compiled(source, tool), DTYPES[source.precision]
    entry = ctypes.CDLL(str(path)).motionc_entry
    entry.argtypes, entry.restype = (ctypes.c_void_p, ctypes.c_void_p), None

    def enter(x: Array, y: Array) -> None:
        entry(x.ctypes.data, y.ctypes.data)

    if wanted == "compiled" or not python_abi.supported():
        return Library("compiled", enter)
    call = python_abi.builtin(path, dtype, slow, record)
    if not python_abi.works(call, source.inputs, source.outputs, dtype, enter):
        if wanted == "glued":
            raise Error("MOTIONC_TIER='glued', but this Python or NumPy lays out its objects in another way")
        return Library("compiled", enter)
    return Library("glued", enter, call, path)


def open_lanes(source: Source, tier: str) -> Lanes | None:
    """What batches run in; None where states have to go one by one."""
    tool = None if tier == "interpreted" else compiler.find_compiler()
    if tool is None:
        return None
    try:
        path = lanes(source, tool)
    except Error as error:
        if tool.kind != "cc":
            raise
        first = str(error).splitlines()[0]
        warnings.warn(f"{first}; batches go state by state: gcc and clang know vectors", RuntimeWarning, stacklevel=3)
        return None
    loaded = ctypes.CDLL(str(path))
    entry = loaded.motionc_batch
    entry.argtypes, entry.restype = (ctypes.c_long, *(ctypes.c_void_p,) * 6), None
    return Lanes(entry, ctypes.c_long.in_dll(loaded, "motionc_size").value)


def compiled(source: Source, tool: compiler.Compiler) -> Path:
    """The shared library of a computation, from the cache or built now."""

    def text(traced: Program) -> str:
        precision = source.precision
        sources = c.emit(traced, f"{source.robot.name}_{source.name}", precision)
        shim = call_stub.entry(traced, sources.name, c.REAL[precision])
        return sources.together + shim + call_stub.emit(sources.name, source.inputs, source.outputs, DTYPES[precision])

    return _library("scalar", source, tool, text)


def lanes(source: Source, tool: compiler.Compiler) -> Path:
    """The same for batches."""

    def text(traced: Program) -> str:
        size = f"const long motionc_size = {len(traced.instructions)};"
        return f"{c_simd.emit(traced, 'motionc', source.precision)}\n{size}\n"

    return _library("lanes", source, tool, text)


def _library(kind: str, source: Source, tool: compiler.Compiler, text: Callable[[Program], str]) -> Path:
    """The library of a text of C, and of which text a computation has: two levels, so that a computation that is known
    is not traced, and a text that is known is not compiled, whatever else has changed.
    """
    identity = source.identity()
    memo = None if identity is None else cache.key("text", kind, identity)
    if memo is not None and (noted := _noted(memo)) is not None:
        path = cache.kept(cache.key(noted.digest, compiler.fingerprint(tool, noted.size)), ".so")
        if path is not None:
            return path
    traced = source.program
    written, size = text(traced), len(traced.instructions)
    noted = _Text(hashlib.sha256(written.encode()).hexdigest(), size)

    def build(output: Path) -> None:
        what = source.name if kind == "scalar" else f"batches of {source.name}"
        compiler.compile_library(tool, written, output, instructions=size, label=f"{what} of {source.robot.name}")

    path = cache.fetch(cache.key(noted.digest, compiler.fingerprint(tool, size)), ".so", build)
    if memo is not None and unchanged():  # while this was traced, too
        cache.put(memo, ".text", f"{noted.digest} {noted.size}")
    return path


class _Text(NamedTuple):
    """The digest of a text, and how many instructions it has: flags depend on that."""

    digest: str
    size: int


def _noted(memo: str) -> _Text | None:
    path = cache.kept(memo, ".text")
    try:
        digest, size = ("", "") if path is None else path.read_text(encoding="ascii").split()
        return _Text(digest, int(size)) if digest else None
    except (OSError, ValueError):
        return None


def interpreted(program: Program) -> Entry:
    """The same program as Python code. Where Python would raise (1/0, sin(inf)), NumPy's numbers go on as C's do."""
    code = compile(python.emit(program), "<motionc program>", "exec")
    plain = python.scope(careful=False)
    exec(code, plain)

    def entry(x: Array, y: Array) -> None:
        try:
            y[:] = plain["program"](x.tolist())
        except (ValueError, ZeroDivisionError, OverflowError):
            careful = python.scope(careful=True)
            exec(code, careful)
            with np.errstate(all="ignore"):
                y[:] = careful["program"](list(x.astype(float)))

    return entry
