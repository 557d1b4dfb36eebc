"""Nobody waits in silence: what is being built, how long it is, how long it may take; on a terminal, in a notebook,
to whoever listens, and in the log.
"""

import logging
import os
import pty
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import motionc as mc
from motionc.errors import Error
from motionc.runtime.build import progress
from motionc.runtime.build.compiler import find_compiler
from motionc.runtime.build.progress import Building, building, roughly, told

SLOW = """#!/bin/sh
if grep -q "motionc_[eb]" program.c 2>/dev/null; then sleep {seconds}; fi
exec {compiler} "$@"
"""
"""A compiler that takes its time over programs, and none over trials."""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """A machine with an empty cache and such a compiler, on which patience ends soon."""
    for name in ("MOTIONC_COMPILER", "MOTIONC_TIER", "CC"):
        monkeypatch.delenv(name, raising=False)
    real = find_compiler()
    if real is None:
        pytest.skip("there is no compiler")
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    monkeypatch.setattr(progress, "OFTEN", 0.01)

    def at(seconds: float) -> None:
        (tmp_path / "slow").write_text(SLOW.format(compiler=real, seconds=seconds))
        (tmp_path / "slow").chmod(0o755)
        monkeypatch.setenv("CC", str(tmp_path / "slow"))
        find_compiler.cache_clear()
        find_compiler()

    yield at
    find_compiler.cache_clear()


def shown(terminal: bool, monkeypatch: pytest.MonkeyPatch, wait: Callable[[], object]) -> str:
    """What arrives on stderr meanwhile."""
    monkeypatch.setenv("TERM", "xterm")
    reader, writer = pty.openpty() if terminal else os.pipe()
    with os.fdopen(writer, "w") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", stream)
        wait()
        stream.flush()
        os.set_blocking(reader, False)
        with suppress(BlockingIOError):
            return os.read(reader, 100_000).decode()
    return ""


@pytest.mark.parametrize("where", ["terminal", "notebook", "file"])
def test_a_long_build_says_what_and_how_long(
    where: str, slow: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(0.4)
    if where == "notebook":
        monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    fd = mc.forward_dynamics(mc.load("planar2"))
    said = shown(where == "terminal", monkeypatch, fd.build)
    wanted = "compiling forward_dynamics of planar2: 37 operations, may take a second …"
    assert (wanted in said) == (where != "file")
    assert where == "terminal" or said.count("compiling") == (where == "notebook")
    assert shown(where == "terminal", monkeypatch, mc.forward_dynamics(mc.load("planar2")).build) == ""


def test_what_is_over_soon_says_nothing(slow: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> None:
    slow(0)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    assert shown(True, monkeypatch, mc.forward_dynamics(mc.load("planar2")).build) == ""


def test_names_from_files_do_nothing_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)

    def wait() -> None:
        with building("[b]arm\x1b[2J") as build:
            build.compiling(2, 3)
            progress.threading.Event().wait(1.0)

    assert "compiling [b]arm?[2J: 2 operations" in shown(True, monkeypatch, wait)


def test_every_build_is_logged_with_its_times(
    slow: Callable[[float], None], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(0)
    clock = iter(range(100))
    monkeypatch.setattr(progress, "monotonic", lambda: 3.0 * next(clock))
    with caplog.at_level(logging.DEBUG, "motionc"):
        mc.forward_dynamics(mc.load("planar2")).build()
        mc.forward_dynamics(mc.load("planar2")).build()
    built, found = caplog.messages
    assert built == "built forward_dynamics of planar2: 37 operations, traced in 3.00 s, compiled in 3.00 s"
    assert found.startswith("found forward_dynamics of planar2 in ")
    assert [record.levelname for record in caplog.records] == ["INFO", "DEBUG"]


def test_without_listeners_the_log_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("motionc").handlers)


def test_tracing_is_told_of_before_the_length_is_known() -> None:
    build = Building("forward_dynamics of talos")
    assert str(build) == "tracing forward_dynamics of talos …"
    build.compiling(88_073, 22_121)
    assert str(build) == "compiling forward_dynamics of talos: 88,073 operations, may take 10 s …"
    assert [roughly(seconds) for seconds in (0.1, 3, 30, 100, 1000)] == [
        "a second",
        "5 s",
        "half a minute",
        "2 min",
        "17 min",
    ]


# ---------------------------------------------------------------- several


def test_several_are_built_side_by_side(slow: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two compilers run at once: each waits until the other has begun."""
    slow(0)
    folder = Path(os.environ["CC"]).parent
    both = f"touch {folder}/$$.begun; while [ $(ls {folder}/*.begun | wc -l) -lt 2 ]; do sleep 0.02; done"
    text = Path(os.environ["CC"]).read_text().replace("sleep 0", both)
    Path(os.environ["CC"]).write_text(text)
    robot = mc.load("planar2")
    asked = [mc.forward_dynamics(robot), mc.mass_matrix(robot)]
    with monkeypatch.context() as patched:
        heard: list[str] = []
        with told(heard.append):
            assert mc.build(asked, threads=2) == asked
        patched.setattr("motionc.sweeps.solver.shortest", None)
        assert [one.tier for one in asked] == ["glued"] * 2
    assert any(said.startswith("0 of 2 built; compiling") for said in heard)


def test_what_batches_run_in_is_built_where_that_is_asked_for(
    slow: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(0)
    robot = mc.load("planar2")
    dynamics, reach = mc.build([mc.forward_dynamics(robot), mc.inverse_kinematics(robot, "tip")], batch=True)
    monkeypatch.setenv("CC", "/nowhere")
    assert dynamics.batch([[0.1, 0.2]], [0, 0], [0, 0]).shape == (1, 2)
    assert reach.step.tier == "glued"


@pytest.mark.parametrize(
    ("asked", "said"),
    [([None], "computations=None; give a list"), (["fd"], "computations='fd'; give a list")],
)
def test_what_cannot_be_built_is_refused_by_name(asked: list[object], said: str) -> None:
    with pytest.raises(Error, match=said):
        mc.build(asked)


def test_an_error_of_one_arrives_once_all_are_done(slow: Callable[[float], None]) -> None:
    slow(0)
    robot = mc.load("planar2")
    fd, fk = mc.forward_dynamics(robot), mc.mass_matrix(robot)
    text = Path(os.environ["CC"]).read_text().replace("sleep 0", "grep -q mass_matrix program.c && exit 3")
    Path(os.environ["CC"]).write_text(text)
    with pytest.raises(Error, match="could not compile mass_matrix of planar2"):
        mc.build([fk, fd])
    assert fd.tier == "glued"
