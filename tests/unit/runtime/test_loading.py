"""Libraries that cannot be loaded: never a raw exception, never a dead process, never kept."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from motionc.errors import Error
from motionc.runtime.build import cache, library
from motionc.runtime.build.compiler import Compiler, find_compiler
from motionc.runtime.build.loading import Unloadable, expect_whole, loaded

STATE = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]

TRUNCATING = """#!/bin/sh
{compiler} "$@" || exit 1
if grep -q motionc_{what} program.c 2>/dev/null && [ $(wc -l < {log}) -lt {times} ]; then
    echo cut >> {log}
    {cut}
fi
"""
"""A compiler that spoils what it makes some times, and ends well."""

POOL = """
import multiprocessing, sys, warnings
from motionc.runtime.build import cache
warnings.simplefilter("ignore")

def work(_):
    return cache.cache_folder().is_dir()

if __name__ == "__main__":
    pool = multiprocessing.get_context("fork").Pool(1)
    assert pool.map(work, range(2)) == [True, True]
    getattr(pool, sys.argv[1])()
    pool.join()
"""


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine with an empty cache, and without memory of earlier tests."""
    for name in ("MOTIONC_COMPILER", "MOTIONC_TIER", "CC"):
        monkeypatch.delenv(name, raising=False)
    if find_compiler() is None:
        pytest.skip("there is no compiler")
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path / "cache"))
    find_compiler.cache_clear()
    yield
    find_compiler.cache_clear()


def spoiling(folder: Path, cut: str, times: int, monkeypatch: pytest.MonkeyPatch, what: str = "entry") -> None:
    real = find_compiler()
    assert real is not None
    find_compiler.cache_clear()
    (folder / "log").write_text("")
    text = TRUNCATING.format(compiler=real, cut=cut, times=times, log=folder / "log", what=what)
    (folder / "spoils").write_text(text)
    (folder / "spoils").chmod(0o755)
    monkeypatch.setenv("CC", str(folder / "spoils"))


def spoiled(folder: Path) -> int:
    return len((folder / "log").read_text().split())


CUTS = {
    "cut in the middle": "truncate -s 4000 program.so",
    "something else": "echo text > program.so",
    "another library": "echo 'int other;' > other.c; {compiler} -shared -fPIC -o program.so other.c",
}


@pytest.mark.parametrize("cut", CUTS)
def test_what_cannot_be_loaded_is_built_again(cut: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoiling(tmp_path, CUTS[cut].format(compiler=find_compiler()), 1, monkeypatch)
    fd = mc.forward_dynamics(mc.load("planar2"))
    assert np.allclose(fd(*STATE), fd.run(*STATE), rtol=1e-12, atol=1e-12)
    assert fd.tier != "interpreted"
    assert spoiled(tmp_path) == 1
    for entry in cache.entries():
        if entry.suffix == ".so":
            expect_whole(entry.path)
            loaded(entry.path, "motionc_entry")


def test_what_can_never_be_loaded_is_interpreted_with_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoiling(tmp_path, CUTS["cut in the middle"], 9, monkeypatch)
    fd = mc.forward_dynamics(mc.load("planar2"))
    with pytest.warns(RuntimeWarning, match="is damaged.* of planar2 is interpreted") as said:
        assert np.allclose(fd(*STATE), fd.run(*STATE), rtol=1e-12, atol=1e-12)
    assert [warning.filename for warning in said] == [__file__]
    assert spoiled(tmp_path) == 2
    assert not [entry for entry in cache.entries() if entry.suffix == ".so"]
    monkeypatch.setenv("MOTIONC_TIER", "compiled")  # who wants this tier alone hears why not
    with pytest.raises(Error, match="is damaged"):
        mc.forward_dynamics(mc.load("planar2"))(*STATE)


def test_batches_without_a_library_go_state_by_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoiling(tmp_path, CUTS["cut in the middle"], 9, monkeypatch, "batch")
    fd = mc.forward_dynamics(mc.load("planar2"))
    with pytest.warns(RuntimeWarning, match="is damaged.*batches go state by state"):
        many = fd.batch(*([value, value] for value in STATE))
    assert np.array_equal(many, [fd(*STATE)] * 2)


def test_what_was_kept_damaged_or_is_cleared_meanwhile_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fd = mc.forward_dynamics(mc.load("planar2"))
    expected = fd(*STATE)
    (kept,) = (entry for entry in cache.entries() if entry.suffix == ".so")
    whole = kept.path.read_bytes()

    # under a name that says it is whole
    kept.path.unlink()
    damaged = kept.path.with_name(f"{kept.key}.{'0' * 32}.so")
    damaged.write_bytes(whole[:5000])
    os.rename(damaged, damaged.with_name(f"{kept.key}.{cache._digest(damaged)}.so"))
    assert np.array_equal(mc.forward_dynamics(mc.load("planar2"))(*STATE), expected)
    (kept,) = (entry for entry in cache.entries() if entry.suffix == ".so")
    assert kept.path.stat().st_size == len(whole)

    # found, and gone before it is loaded
    found = library.loaded

    def late(path: Path, *needed: str) -> ctypes.CDLL:
        monkeypatch.setattr(library, "loaded", found)
        cache.clear()
        return found(path, *needed)

    monkeypatch.setattr(library, "loaded", late)
    assert np.array_equal(mc.forward_dynamics(mc.load("planar2"))(*STATE), expected)


def test_every_shorter_file_is_refused_before_the_loader_sees_it(tmp_path: Path) -> None:
    mc.forward_dynamics(mc.load("planar2")).build()
    (kept,) = (entry for entry in cache.entries() if entry.suffix == ".so")
    whole = kept.path.read_bytes()
    expect_whole(kept.path)
    for size in [*range(0, len(whole), len(whole) // 97), len(whole) - 1]:
        (tmp_path / "short.so").write_bytes(whole[:size])
        with pytest.raises(Unloadable, match="is damaged"):
            expect_whole(tmp_path / "short.so")
    with pytest.raises(Unloadable, match="cannot be read"):
        loaded(tmp_path / "none.so")


def test_a_folder_nothing_may_run_from_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted = os.statvfs(tmp_path)

    class NoExec:
        f_flag = mounted.f_flag | os.ST_NOEXEC

    monkeypatch.setattr(os, "statvfs", lambda path: NoExec if str(path).endswith("cache") else mounted)
    with pytest.warns(RuntimeWarning, match=r"nothing may run from .*noexec.*for this process only"):
        mc.forward_dynamics(mc.load("planar2")).build()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("end", ["terminate", "close"])
def test_workers_leave_no_temporary_caches(end: str, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)  # so that others could write it, and it is not used
    (tmp_path / "tmp").mkdir()
    (tmp_path / "pool.py").write_text(POOL)
    environment = os.environ | {"MOTIONC_CACHE": str(tmp_path / "open"), "TMPDIR": str(tmp_path / "tmp")}
    code = [sys.executable, str(tmp_path / "pool.py"), end]
    subprocess.run(code, env=environment, check=True, timeout=100)
    assert list((tmp_path / "tmp").glob("motionc-*")) == []


def test_a_compiler_is_no_library() -> None:
    assert isinstance(find_compiler(), Compiler)
    with pytest.raises(Unloadable):
        loaded(Path(__file__))
