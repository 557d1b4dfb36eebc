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
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motionc.errors import Error
from motionc.notices import LOG, warn
from motionc.program.foreign import Foreign, is_foreign
from motionc.program.names import whose
from motionc.program.port import Precision
from motionc.program.program import Program
from motionc.program.source import Source
from motionc.runtime.build import batch_stub, cache, call_stub, compiler, python_abi
from motionc.runtime.build.loading import Unloadable, loaded
from motionc.runtime.build.progress import building
from motionc.sources import unchanged

Array = np.ndarray[Any, np.dtype[Any]]
Entry = Callable[[Array, Array], None]
"""Reads all inputs from one flat array and writes all outputs to another."""

TIERS = ("glued", "compiled", "interpreted")
DTYPES: dict[Precision, np.dtype[Any]] = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}


@dataclass(frozen=True, slots=True)
class Library:
    """A tier, the way to call it with flat arrays, what was compiled, and the builtin function where it works."""

    tier: str
    entry: Entry
    loaded: ctypes.CDLL | None = None
    call: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class Lanes:
    """The compiled entry for batches, how many instructions a state takes, the library of that entry and what is told
    to it, and the builtin function where it works.
    """

    entry: Any
    size: int
    stub: ctypes.CDLL
    told: Array
    call: Callable[..., Any] | None = None


def open_library(
    source: Source,
    slow: Callable[..., Any],
    record: Callable[[Any], Any],
) -> Library:
    """Build what is not in the cache, and load it. The program is only asked for when something must be built."""
    wanted = _wanted_tier()
    if is_foreign(source):
        return Library("interpreted", answering(source))
    try:
        tool = library_tool()
        library = None if tool is None else compiled(source, tool)
    except (cache.NoRoom, Unloadable) as error:
        if wanted:
            raise
        warn(f"{error}; {source.name}{whose(source.robot.name)} is interpreted, {compiler.SLOWER}")
        library = None
    if library is None:
        return Library("interpreted", interpreted(source.program))
    entry, dtype = library.motionc_entry, DTYPES[source.precision]
    entry.argtypes, entry.restype = (ctypes.c_void_p, ctypes.c_void_p), None

    def enter(x: Array, y: Array) -> None:
        entry(x.ctypes.data, y.ctypes.data)

    if wanted == "compiled" or not python_abi.supported():
        return Library("compiled", enter, library)
    call = python_abi.builtin(library, dtype, slow, record)
    if not python_abi.works(call, source.inputs, source.outputs, dtype, enter):
        if wanted == "glued":
            raise Error("MOTIONC_TIER='glued', but this Python or NumPy lays out its objects in another way")
        return Library("compiled", enter, library)
    return Library("glued", enter, library, call)


def open_entry(source: Source) -> Entry:
    """The way to call it with flat arrays, and nothing besides."""
    tool = library_tool()
    if tool is None:
        return interpreted(source.program)
    entry = compiled(source, tool).motionc_entry
    entry.argtypes, entry.restype = (ctypes.c_void_p, ctypes.c_void_p), None
    return lambda x, y: entry(x.ctypes.data, y.ctypes.data)


def _wanted_tier() -> str:
    wanted = os.environ.get("MOTIONC_TIER", "")
    if wanted and wanted not in TIERS:
        raise Error(f"MOTIONC_TIER={wanted!r}; say one of {', '.join(TIERS)}")
    return wanted


def library_tool() -> compiler.Compiler | None:
    """What compiles here; None where code is interpreted."""
    wanted = _wanted_tier()
    tool = None if wanted == "interpreted" else compiler.find_compiler()
    if tool is None and wanted in ("glued", "compiled"):
        raise Error(f"MOTIONC_TIER={wanted!r}, but no C compiler was found")
    return tool


def open_lanes(source: Source, alone: Library, most: Callable[[int], int]) -> Lanes | None:
    """What batches run in, beside what computes one state; None where states have to go one by one.

    `most` says of how many states of so many instructions each all is work of one thread.
    """
    tool = None
    try:
        tool = None if alone.tier == "interpreted" else compiler.find_compiler()
        library = None if tool is None else lanes(source, tool)
        stub = None if tool is None else batch_stub.library(tool)
    except Error as error:
        said, plain = str(error).splitlines()[0], tool is not None and tool.kind == "cc"
        if not plain and not isinstance(error, cache.NoRoom | Unloadable):
            raise
        warn(f"{said}; batches go state by state{': gcc and clang know vectors' * plain}")
        library = stub = None
    if library is None or stub is None or alone.loaded is None:
        return None
    width, size = (ctypes.c_long.in_dll(library, f"motionc_{what}").value for what in ("lanes", "size"))
    entries, dtype = (library.motionc_batch, alone.loaded.motionc_entry), DTYPES[source.precision]
    ports = source.inputs, source.outputs
    told = batch_stub.described(*entries, *ports, dtype, lanes=width, size=size, most=most(size))
    return Lanes(batch_stub.states(stub, told), size, stub, told)


def compiled(source: Source, tool: compiler.Compiler) -> ctypes.CDLL:
    """The shared library of a computation, from the cache or built now."""

    def text(traced: Program) -> str:
        from motionc.targets import c  # a language is loaded where it is written

        precision = source.precision
        called = f"{source.robot.name or 'block'}_{source.name}"  # no name of what is built around it
        sources = c.emit(traced, called, precision)
        shim = call_stub.entry(traced, sources.name, c.REAL[precision])
        return sources.together + shim + call_stub.emit(sources.name, source.inputs, source.outputs, DTYPES[precision])

    return opened("scalar", source, tool, text, "motionc_entry", "motionc_connect", "motionc_call")


def lanes(source: Source, tool: compiler.Compiler) -> ctypes.CDLL:
    """The same for batches."""

    def text(traced: Program) -> str:
        from motionc.targets import c_simd

        told = f"const long motionc_size = {len(traced.instructions)}, motionc_lanes = LANES;"
        return f"{c_simd.emit(traced, 'motionc', source.precision)}\n{told}\n"

    return opened("lanes", source, tool, text, "motionc_batch", "motionc_size", "motionc_lanes")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A library to be opened: of what, in which kind, by whom, from which text, and which functions it must have."""

    kind: str
    source: Any
    tool: compiler.Compiler
    text: Callable[[Any], str]
    needed: tuple[str, ...]

    @property
    def label(self) -> str:
        what = f"batches of {self.source.name}" if "lanes" in self.kind else self.source.name
        return f"{what}{whose(self.source.robot.name)}"

    def place(self, noted: "_Text") -> str:
        """The key under which the library of a text is kept."""
        return cache.key(noted.digest, compiler.fingerprint(self.tool, noted.size))


def opened(kind: str, source: Any, tool: compiler.Compiler, text: Callable[[Any], str], *needed: str) -> Any:
    """The library, loaded: what cannot be loaded is not kept, and built again, once."""
    wanted, identity = _Wanted(kind, source, tool, text, needed), source.identity()
    memo = None if identity is None else cache.key("text", kind, identity)
    try:
        return _loaded(wanted, memo)
    except Unloadable as error:
        LOG.info("%s is built again: %s", wanted.label, error)
        return _loaded(wanted, memo)


def _loaded(wanted: _Wanted, memo: str | None) -> ctypes.CDLL:
    path = _kept(wanted, memo) or _built(wanted, memo)
    try:
        return loaded(path, *wanted.needed)
    except Unloadable:
        cache.remove(path)
        raise


# ---------------------------------------------------------------- two levels of what is kept


def _kept(wanted: _Wanted, memo: str | None) -> Path | None:
    """The library of a computation that is known, and need not be traced."""
    noted = None if memo is None else _noted(memo)
    path = None if noted is None else cache.kept(wanted.place(noted), ".so")
    if path is not None:
        LOG.debug("found %s in %s", wanted.label, path)
    return path


def _built(wanted: _Wanted, memo: str | None) -> Path:
    """The library of a text of C: one that is known is not compiled, whatever else has changed."""
    with building(wanted.label) as progress:
        traced = wanted.source.program
        written, size = wanted.text(traced), traced.size
        noted = _Text(hashlib.sha256(written.encode()).hexdigest(), size)
        progress.compiling(sum(traced.operations.values()), size)

        def build(output: Path) -> None:
            compiler.compile_library(wanted.tool, written, output, instructions=size, label=wanted.label)

        path = cache.fetch(wanted.place(noted), ".so", build)
    if memo is not None and unchanged():  # while this was traced, too
        with suppress(cache.NoRoom):
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
    from motionc.targets import python

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


def answering(source: Source) -> Entry:
    """What is no program, on flat arrays: part after part."""
    stops = list(accumulate(port.size for port in source.inputs))
    spans = [slice(stop - port.size, stop) for stop, port in zip(stops, source.inputs, strict=True)]

    def entry(x: Array, y: Array) -> None:
        shaped = [x[span].reshape(port.shape) for port, span in zip(source.inputs, spans, strict=True)]
        if isinstance(source, Foreign):  # numbers of ours fit its ports
            found = source.answer(dict(zip((port.name for port in source.inputs), shaped, strict=True)))
        else:
            answers = source.run(*shaped)
            found = [answers[port.name] for port in source.outputs]
        y[:] = np.concatenate([np.ravel(value) for value in found])

    return entry
