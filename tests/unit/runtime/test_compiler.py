"""Compilers: found in order, passed over when broken, called with a limit, and heard when they refuse."""

import ctypes
import errno
import os
import re
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.program.sizes import HUGE, LONG
from motionc.runtime.build import cache, compiler
from motionc.runtime.build.compiler import Compiler, compile_library, find_compiler, flags

ANSWER = "int answer(void) { return 42; }\n"
PROCESSOR = Path("/proc/cpuinfo")


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without a cache, and without memory of earlier tests."""
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path / "cache"))
    for name in ("MOTIONC_COMPILER", "MOTIONC_TIER", "CC"):
        monkeypatch.delenv(name, raising=False)
    find_compiler.cache_clear()
    yield
    find_compiler.cache_clear()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that is the whole PATH; no ziglang either."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setitem(sys.modules, "ziglang", None)
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


@pytest.fixture
def working() -> Compiler:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = find_compiler()
    if not found:
        pytest.skip("there is no compiler")
    return found


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{text}\n")
    path.chmod(0o755)
    return path


def fake(path: Path, text: str) -> Compiler:
    return Compiler((str(script(path, text)),), "cc", "fake")


def loads(library: Path) -> int:
    return ctypes.CDLL(str(library)).answer()


# ---------------------------------------------------------------- discovery


def test_what_is_found_works_and_is_remembered(working: Compiler, tmp_path: Path) -> None:
    assert Path(working.command[0]).is_absolute()
    assert working.version
    compile_library(working, ANSWER, tmp_path / "answer.so", instructions=1, label="answer")
    assert loads(tmp_path / "answer.so") == 42
    find_compiler.cache_clear()
    entry = cache.entries()[0].path
    before = entry.stat().st_ino
    assert find_compiler() == working  # from the cache: the trial is not repeated
    assert cache.entries()[0].path.stat().st_ino == before


def test_without_any_compiler_the_hint_is_given_once(bare: Path) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert find_compiler() is None
        assert find_compiler() is None
    (hint,) = (str(warning.message) for warning in said)
    assert re.fullmatch(r"no C compiler found: .*gcc or clang, or `pip install motionc\[zig\]`", hint)


def test_without_any_compiler_computations_are_interpreted(bare: Path) -> None:
    cd = mc.constrained_dynamics(mc.load("planar2"), [mc.Constraint("tip", "x")])
    inputs = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7]
    with pytest.warns(RuntimeWarning, match="no C compiler found: programs are interpreted"):
        found = cd(*inputs)
    assert cd.tier == "interpreted"
    for value, expected in zip(found, cd.run(*inputs), strict=True):
        assert np.allclose(value, expected, rtol=1e-12, atol=1e-12)
    many = cd.batch(*([value, value] for value in inputs))
    assert np.array_equal(many.a, [found.a, found.a])


def test_none_wants_none_and_hears_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_COMPILER", "none")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_compiler() is None


def test_a_wish_we_do_not_know_is_not_ignored_silently(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_COMPILER", "fast")
    with pytest.warns(RuntimeWarning, match="no C compiler"), pytest.warns(RuntimeWarning, match="MOTIONC_COMPILER='f"):
        assert find_compiler() is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [("no-such-cc -O2", "no such program"), ("'unbalanced", "cannot be read"), ("broken", "says no")],
)
def test_a_cc_that_does_not_work_is_named_and_passed_over(
    value: str, reason: str, working: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin" / "broken", "echo it says no >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("CC", value)
    find_compiler.cache_clear()
    with pytest.warns(RuntimeWarning, match=f"CC=.*{value[1:]}.*{reason}") as said:
        assert find_compiler() == working
    assert len(said) == 1


def test_cc_may_carry_arguments(working: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", f"'{working.command[0]}' {' '.join(working.command[1:])} -DX=1")
    find_compiler.cache_clear()
    found = find_compiler()
    assert found is not None
    assert found.command == (*working.command, "-DX=1")
    assert found.kind == working.kind


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("echo 'math.h: No such file' >&2; exit 1", "math.h: No such file"),
        ("exit 0", "it said nothing"),
        ('while [ "$1" != -o ]; do shift; done; echo text > "$2"', "cannot be loaded here"),
    ],
)
def test_a_compiler_that_makes_nothing_loadable_counts_as_absent(bare: Path, text: str, reason: str) -> None:
    script(bare / "gcc", f'if [ "$1" = --version ]; then echo gcc 1; exit 0; fi\n{text}')
    with pytest.warns(RuntimeWarning, match=f"no C compiler found.*{reason}"):
        assert find_compiler() is None


def test_a_file_that_is_no_program_counts_as_absent(bare: Path) -> None:
    (bare / "clang").write_bytes(b"\x7fELF broken")
    (bare / "clang").chmod(0o755)
    with pytest.warns(RuntimeWarning, match=r"no C compiler found.*clang cannot be run"):
        assert find_compiler() is None


def test_refused_wishes_are_left_out(working: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picky = script(
        tmp_path / "picky",
        'for word; do case "$word" in *native*) echo no native; exit 1;; esac; done\n'
        f'exec {" ".join(working.command)} "$@"',
    )
    monkeypatch.setenv("CC", str(picky))
    find_compiler.cache_clear()
    found = find_compiler()
    assert found is not None
    assert found.command == (str(picky),)
    assert "native" not in " ".join(flags(found, 1))


@pytest.mark.skipif(not find_spec("ziglang"), reason="the ziglang wheel is absent")
def test_the_zig_wheel_stands_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", "/nonexistent")
    found = find_compiler()
    assert found is not None
    assert found.kind == "zig"
    compile_library(found, ANSWER, tmp_path / "answer.so", instructions=1, label="answer")
    assert loads(tmp_path / "answer.so") == 42


# ---------------------------------------------------------------- flags


def test_effort_falls_with_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOTIONC_EFFORT", raising=False)
    gcc = Compiler(("gcc",), "gcc", "1")
    assert [flags(gcc, size)[0] for size in (10, LONG + 1, HUGE + 1)] == ["-O2", "-O2", "-O1"]


@pytest.mark.parametrize("kind", get_args(compiler.Kind))
def test_what_need_not_be_looked_for_is_said_to_gcc_alone(kind: compiler.Kind) -> None:
    """Clang refuses such words."""
    words = {*compiler.DONE_ALREADY, compiler.FUSING}
    assert words & {*flags(Compiler((kind,), kind, "1"), HUGE + 1)} == (words if kind == "gcc" else set())


@pytest.mark.parametrize("size", [10, LONG + 1, HUGE + 1])
def test_products_and_sums_are_one_step_however_long_a_program_is(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = find_compiler()
    told = PROCESSOR.read_text(encoding="utf-8") if PROCESSOR.is_file() else ""
    if tool is None or not re.search(r"^(flags\b.*\bfma\b|CPU architecture\s*: 8)", told, re.MULTILINE):
        pytest.skip("no compiler, or no such step on this processor")
    monkeypatch.delenv("MOTIONC_EFFORT", raising=False)
    text = "double f(double a, double b, double c) { return a * b + c; }"
    assembly, _ = compiler.assembled(tool, text, instructions=size, label="a product and a sum")
    assert "fmadd" in assembly


def test_a_quick_build_optimises_nothing_and_no_other_effort_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    gcc = Compiler(("gcc",), "gcc", "gcc 12")
    monkeypatch.setenv("MOTIONC_EFFORT", "quick")
    assert flags(gcc, 10)[0] == "-O0"
    quick = compiler.fingerprint(gcc, 10)
    monkeypatch.setenv("MOTIONC_EFFORT", "usual")
    assert flags(gcc, 10)[0] == "-O2"
    assert compiler.fingerprint(gcc, 10) != quick
    monkeypatch.setenv("MOTIONC_EFFORT", "-O3")
    with pytest.raises(Error, match="'-O3' is no effort: it is one of usual, quick"):
        flags(gcc, 10)


def test_the_fingerprint_tells_apart_what_makes_other_code() -> None:
    one = Compiler(("gcc",), "gcc", "gcc 12")
    others = [Compiler(("gcc",), "gcc", "gcc 13"), Compiler(("gcc",), "gcc", "gcc 12", ("-march=native",))]
    prints = [compiler.fingerprint(each, 1) for each in (one, *others)] + [compiler.fingerprint(one, 30_000)]
    assert len(set(prints)) == 4
    assert compiler.fingerprint(one, 2) == prints[0]


# ---------------------------------------------------------------- compiling


def test_a_library_is_the_same_bytes_every_time(working: Compiler, tmp_path: Path) -> None:
    for name in ("a.so", "b.so"):
        compile_library(working, ANSWER, tmp_path / name, instructions=1, label="answer")
    assert (tmp_path / "a.so").read_bytes() == (tmp_path / "b.so").read_bytes()


def test_a_compile_error_is_a_sentence_with_the_last_lines(working: Compiler, tmp_path: Path) -> None:
    source = "\n".join(f"int f{k}(void) {{ return undeclared_{k}; }}" for k in range(100))
    with pytest.raises(Error, match=r"could not compile inverse dynamics of arm \(exit status 1\):\n") as caught:
        compile_library(working, source, tmp_path / "x.so", instructions=1, label="inverse dynamics of arm")
    assert "undeclared_" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 1 + compiler.LAST_LINES
    assert os.listdir(tmp_path) in ([], ["cache"])


def test_a_failure_keeps_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "x.so").write_bytes(b"before")
    half = fake(tmp_path / "half", "echo half > program.so; kill -9 $$")
    with pytest.raises(Error, match=r"ended by signal 9\):\nit said nothing"):
        compile_library(half, ANSWER, tmp_path / "x.so", instructions=1, label="x")
    assert (tmp_path / "x.so").read_bytes() == b"before"
    assert not list(tmp_path.glob("motionc-work-*"))


def test_a_compiler_that_does_not_end_is_stopped_with_its_children(tmp_path: Path) -> None:
    slow = fake(tmp_path / "slow", f"sleep 60 & echo $! > {tmp_path}/child; wait")
    began = time.monotonic()
    with pytest.raises(Error, match=r"slow.* was stopped: arm took longer than 0.3 s"):
        compile_library(slow, ANSWER, tmp_path / "x.so", instructions=1, label="arm", timeout=0.3)
    assert time.monotonic() - began < 30
    child, deadline = (tmp_path / "child").read_text().strip(), time.monotonic() + 10
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(child)
    assert not (tmp_path / "x.so").exists()
    assert not list(tmp_path.glob("motionc-work-*"))


def _runs(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
        return not re.search(r"\) Z ", Path(f"/proc/{pid}/stat").read_text())
    except OSError:
        return False


def test_a_missing_folder_or_program_is_an_error_of_ours(working: Compiler, tmp_path: Path) -> None:
    with pytest.raises(Error, match="could not compile arm"):
        compile_library(working, ANSWER, tmp_path / "no" / "x.so", instructions=1, label="arm")
    with pytest.raises(Error, match="/nowhere/cc cannot be run"):
        compile_library(Compiler(("/nowhere/cc",), "cc", ""), ANSWER, tmp_path / "x.so", instructions=1, label="arm")


def test_a_full_disk_is_not_the_compilers_fault(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the compiler cannot write, or we cannot."""
    script(bare / "gcc", "echo cannot write: no space left >&2; exit 1")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    fd = mc.forward_dynamics(mc.load("planar2"))
    for method in ("write_bytes", "write_text"):
        monkeypatch.setattr(Path, method, full)
        with pytest.raises(
            cache.NoRoom, match=r"build cache .* cannot be written \(No space left on device\): make room"
        ):
            find_compiler()
    with pytest.warns(RuntimeWarning, match="cannot be written.* of planar2 is interpreted, some hundred") as said:
        assert fd([0.1, 0.2], [0, 0], [1, 1]).shape == (2,)
    assert fd.tier == "interpreted"
    assert {warning.filename for warning in said} == {__file__}
    assert not any("no C compiler" in str(warning.message) for warning in said)


def test_warnings_point_at_the_line_that_asked(bare: Path) -> None:
    fd = mc.forward_dynamics(mc.load("planar2"))
    with pytest.warns(RuntimeWarning, match="no C compiler found") as said:
        fd([0.1, 0.2], [0, 0], [1, 1])
    assert [warning.filename for warning in said] == [__file__]
    assert "some hundred times slower" in str(said[0].message)


def test_the_system_shell_never_sees_a_label(working: Compiler, tmp_path: Path) -> None:
    label = f"a; touch {tmp_path}/owned #"
    compile_library(working, ANSWER, tmp_path / "x.so", instructions=1, label=label)
    with pytest.raises(Error):
        compile_library(working, "no C", tmp_path / "y.so", instructions=1, label=label)
    assert not (tmp_path / "owned").exists()
