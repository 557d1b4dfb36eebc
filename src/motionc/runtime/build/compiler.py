"""Which C compiler this machine has, which flags suit a program, and how to call it without harm.

A compiler counts only if what it makes can be loaded here: that is tried once and remembered in the build cache.
"""

import errno
import importlib.util
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from motionc.errors import Error
from motionc.notices import warn
from motionc.program.sizes import HUGE, LONG
from motionc.runtime.build.cache import NoRoom, fetch, key, no_room, tools_folder, workplace
from motionc.runtime.build.loading import Unloadable, expect_whole, loaded
from motionc.runtime.build.progress import plain

Kind = Literal["gcc", "clang", "zig", "cc"]

DONE_ALREADY = (
    *("-fno-tree-dse", "-fno-dse", "-fno-tree-fre", "-fno-tree-ccp", "-fno-tree-forwprop"),
    *("-fno-rename-registers", "-fno-web"),
)
"""What gcc need not look for in a long program, and looks for longest: our passes leave nothing dead, equal or
constant, and a straight line has no use for other names of registers.
"""
FUSING = "-fexpensive-optimizations"
"""Without it gcc leaves products and sums two steps each where it tries less hard (-O1)."""
TIMEOUT = 600.0
"""Seconds after which a compiler is stopped."""
TRIAL_TIMEOUT = 60.0
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""What a system says where nothing more can be written."""
PROBE = 2**20
"""Bytes that must fit where a compiler failed, if it is to blame."""
LAST_LINES = 12

EFFORTS = ("", "usual", "quick")
"""What MOTIONC_EFFORT may say: quick builds in half the time what then runs several times slower."""
ALWAYS = ("-std=gnu99", "-w", "-fno-math-errno", "-shared", "-fPIC")
NATIVE = "-mcpu=native" if platform.machine() in ("arm64", "aarch64") else "-march=native"
WISHES: dict[Kind, tuple[str, ...]] = {
    # the default of 500 spends three quarters of the time on spills of straight-line code, for the same result
    # kernels are small loops of fixed length, a third faster when unrolled
    "gcc": (
        NATIVE,
        "-ffp-contract=fast",
        "-fpeel-loops",
        "-funroll-loops",
        # a kernel inside the straight line it serves leaves neither enough registers: a fifth slower
        "-fno-inline-functions-called-once",
        "--param=lra-max-considered-reload-pseudos=20",
    ),
    # straight-line code is where looking for vectors takes longest and finds least; lanes want full width
    "clang": (NATIVE, "-ffp-contract=fast", "-fno-slp-vectorize", "-mprefer-vector-width=512"),
    # libm is in this process already; without its own stubs of libc zig starts in 0.1 s instead of 7
    "zig": ("-nostdlib", NATIVE, "-ffp-contract=fast", "-fno-slp-vectorize", "-mprefer-vector-width=512"),
    "cc": (NATIVE,),
}
"""Flags that each kind is given as far as it accepts them."""

SLOWER = "some hundred times slower"
"""What interpreting costs: 124 to 213 times, measured on arms and on legged robots."""
HINT = f"no C compiler found: programs are interpreted, {SLOWER}; install gcc or clang, or `pip install motionc[zig]`"
TRIAL = "#include <math.h>\ndouble motionc_trial(double x) { return fmin(exp(sin(x)), sqrt(atan2(x, 2.0))); }\n"


@dataclass(frozen=True)
class Compiler:
    """How to call it, whose it is, its first line about itself, and which of our wishes it accepts."""

    command: tuple[str, ...]
    kind: Kind
    version: str
    accepts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return shlex.join(self.command)


# ---------------------------------------------------------------- discovery


@cache
def find_compiler() -> Compiler | None:
    """The first that works of $CC, cc, gcc, clang and the ziglang wheel; MOTIONC_COMPILER=none wants none of them."""
    wanted = os.environ.get("MOTIONC_COMPILER", "").strip()
    if wanted.lower() == "none":
        return None
    if wanted:
        warn(f'MOTIONC_COMPILER={wanted!r} is ignored: it can only be "none"; name a compiler with CC')
    reasons: list[str] = []
    named = os.environ.get("CC", "").strip()
    if named:
        try:
            return _known(_resolved(named))
        except NoRoom:
            raise
        except Error as error:
            warn(f"CC={named!r} is passed over: {_one_line(error)}")
    for command in _usual():
        try:
            return _known(command)
        except NoRoom:
            raise
        except Error as error:
            reasons.append(_one_line(error))
    warn(HINT + (f" ({reasons[0]})" if reasons else ""))
    return None


def fingerprint(compiler: Compiler, instructions: int) -> str:
    """All that decides a library besides its source: compiler, flags, and the processor they are native to."""
    return key(*compiler.command, compiler.version, *flags(compiler, instructions), _processor())


def _resolved(text: str) -> tuple[str, ...]:
    try:
        program, *arguments = shlex.split(text)
    except ValueError as error:
        raise Error(f"it cannot be read ({error})") from error
    found = shutil.which(program)
    if not found:
        raise Error("there is no such program")
    return os.path.abspath(found), *arguments


def _usual() -> Iterator[tuple[str, ...]]:
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            yield (os.path.abspath(found),)
    if sys.executable and importlib.util.find_spec("ziglang"):
        yield sys.executable, "-m", "ziglang", "cc"


def _known(command: tuple[str, ...]) -> Compiler:
    """This compiler, tried now or, as long as its files and this machine stay the same, earlier."""
    files = [Path(found) for word in command if (found := shutil.which(word))]
    wheel = importlib.util.find_spec("ziglang") if "ziglang" in command else None
    if wheel and wheel.origin:
        files.append(Path(wheel.origin))
    stamps = [f"{file.resolve()} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files]
    name = key("compiler", json.dumps(WISHES), *ALWAYS, *command, *stamps, sys.platform, _processor())

    def examine(path: Path) -> None:
        path.write_text(json.dumps(asdict(_examined(command, path.parent))), encoding="utf-8")

    fields = json.loads(fetch(name, ".json", examine).read_text(encoding="utf-8"))
    return Compiler(tuple(fields["command"]), fields["kind"], fields["version"], tuple(fields["accepts"]))


def _examined(command: tuple[str, ...], folder: Path) -> Compiler:
    """Ask who it is, then make and load a library, with all wishes at once or as many as it takes."""
    status, text = _run([*command, "--version"], folder, TRIAL_TIMEOUT, "a trial")
    kind = _kind(command, text) if status == 0 else "cc"
    version = text.strip().splitlines()[0] if status == 0 and text.strip() else "unknown"
    compiler = Compiler(command, kind, version, WISHES[kind])
    with suppress(Error):
        return _tried(compiler, folder)
    compiler = _tried(replace(compiler, accepts=()), folder)
    for wish in WISHES[kind]:
        with suppress(Error):
            compiler = _tried(replace(compiler, accepts=(*compiler.accepts, wish)), folder)
    return compiler


def _kind(command: tuple[str, ...], text: str) -> Kind:
    if "ziglang" in command or Path(command[0]).stem == "zig":
        return "zig"
    if "clang" in text:
        return "clang"
    return "gcc" if "Free Software Foundation" in text else "cc"


def _tried(compiler: Compiler, folder: Path) -> Compiler:
    with workplace(folder) as work:  # a new place each time: the loader remembers names
        library = work / "trial.so"
        compile_library(compiler, TRIAL, library, instructions=1, label="a trial", timeout=TRIAL_TIMEOUT)
        try:
            loaded(library)
        except Unloadable as error:
            raise Error(f"{compiler} works, but what it makes cannot be loaded here: {error}") from error
    return compiler


@cache
def _processor() -> str:
    """What `native` means here; a cache may be shared by different machines."""
    telling = ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "Features", "isa")
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
    except OSError:
        first = platform.processor()
    lines = [line for line in first.splitlines() if line.startswith(telling)]
    return "\n".join([platform.machine(), *(lines or [first])])


# ---------------------------------------------------------------- calling it


def flags(compiler: Compiler, instructions: int) -> list[str]:
    """What to call this compiler with for a program of this many instructions."""
    special: list[str] = []
    if compiler.kind == "gcc" and instructions > LONG:
        special += [*DONE_ALREADY, *([FUSING] if instructions > HUGE else [])]
    if compiler.kind == "zig":
        special += ["-g0", "-s", "-fno-sanitize=undefined"]
    if sys.platform == "darwin":
        special += ["-Wl,-undefined,dynamic_lookup"]
    return [_effort(instructions), *ALWAYS, *special, *compiler.accepts]


def _effort(instructions: int) -> str:
    """How hard a compiler tries: less for longer programs, not at all where MOTIONC_EFFORT is "quick"."""
    wanted = os.environ.get("MOTIONC_EFFORT", "")
    if wanted not in EFFORTS:
        raise Error(
            f"MOTIONC_EFFORT={wanted!r} is no effort: it is one of {', '.join(filter(None, EFFORTS))}, or not set"
        )
    if wanted == "quick":
        return "-O0"
    return "-O2" if instructions <= HUGE else "-O1"


def compile_library(
    compiler: Compiler, source: str, output: Path, *, instructions: int, label: str, timeout: float = TIMEOUT
) -> None:
    """Compile one C text into a shared library that appears under its name whole or not at all.

    source: complete by itself, no headers but the system's.
    instructions: size of the program in it, which decides how hard the compiler tries.
    label: what a person would call it, for errors.
    """
    label = plain(label)
    try:
        with workplace(output.parent) as work:
            text, library = work / "program.c", work / "program.so"
            text.write_text(source, encoding="utf-8", newline="\n")
            mathematics = [] if "-nostdlib" in compiler.accepts else ["-lm"]
            command = [*compiler.command, *flags(compiler, instructions), "-o", library.name, text.name, *mathematics]
            status, message = _run(command, work, timeout, label)
            if status or not library.is_file():
                end = f"ended by signal {-status}" if status < 0 else f"exit status {status}"
                last = "\n".join(message.strip().splitlines()[-LAST_LINES:])
                _expect_room(work)
                raise Error(f"{compiler} could not compile {label} ({end}):\n{last or 'it said nothing'}")
            expect_whole(library)
            os.replace(library, output)
    except OSError as error:
        if error.errno in FULL:
            raise no_room(output.parent, error) from error
        raise Error(f"{compiler} could not compile {label}: {error}") from error


def assembled(compiler: Compiler, source: str, *, instructions: int, label: str) -> tuple[str, str]:
    """What a compiler makes of one C text in words: its assembly, and its list of the stack each function takes."""
    label = plain(label)
    with TemporaryDirectory() as place:
        work = Path(place)
        (work / "program.c").write_text(source, encoding="utf-8", newline="\n")
        told = [flag for flag in flags(compiler, instructions) if flag not in ("-shared", "-s")]
        command = [*compiler.command, *told, "-S", "-fstack-usage", "-o", "program.s", "program.c"]
        status, message = _run(command, work, TIMEOUT, label)
        if status:
            raise Error(f"{compiler} could not say what {label} takes: {' '.join(message.split())[:200]}")
        stack = work / "program.su"
        usage = stack.read_text(encoding="utf-8") if stack.is_file() else ""
        return (work / "program.s").read_text(encoding="utf-8"), usage


def _expect_room(folder: Path) -> None:
    """Refuse a folder into which not even a small library fits, whatever a compiler said of it."""
    (folder / "probe").write_bytes(bytes(PROBE))


def _run(command: list[str], folder: Path, timeout: float, label: str) -> tuple[int, str]:
    """Run a compiler in a folder, with its temporary files there too; its whole family ends when we stop waiting."""
    environment = os.environ | {"LC_ALL": "C", "TMPDIR": str(folder)}
    environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(tools_folder() / "zig"))
    environment["ZIG_LOCAL_CACHE_DIR"] = str(folder / "zig")
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            process_group=0,
        )
    except OSError as error:
        raise Error(f"{command[0]} cannot be run ({error.strerror})") from error
    with process:
        try:
            text, _ = process.communicate(timeout=timeout)
            return process.returncode, text
        except subprocess.TimeoutExpired as error:
            _end(process)
            raise Error(f"{shlex.join(command[:4])} was stopped: {label} took longer than {timeout:g} s") from error
        except BaseException:
            _end(process)
            raise


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _one_line(error: Error) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= 300 else line[:299] + "…"
