"""The build cache: private, whole or absent, bounded, and right after concurrent builds and kills."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from motionc.code_digest import loaded_sources, sources_digest
from motionc.errors import Error
from motionc.runtime.build import cache
from motionc.runtime.build.compiler import find_compiler

WORKER = """
import os, sys
from pathlib import Path
from motionc.runtime.build import cache

def build(path):
    print("building", flush=True)
    sys.stdin.readline()
    path.write_bytes(b"same")

print(cache.fetch(cache.key("shared"), ".bin", build))
"""

STRESS = """
import os, random, signal, sys, time
import motionc as mc
from motionc.runtime.build import cache
from motionc.runtime.build import compiler

def content(path, k):
    with path.open("wb") as file:
        for _ in range(10):
            file.write(bytes([k % 256]) * 20_000)
            file.flush()
            time.sleep(0.002)

def library(path, k):
    source = f"int answer(void) {{ return {k}; }}"
    compiler.compile_library(compiler.find_compiler(), source, path, instructions=1, label=f"answer {k}")

def build(k, suffix, make):
    cache.fetch(cache.key("stress", str(k)), suffix, lambda path: make(path, k))

what = sys.argv[1]
jobs = {
    "bytes": (10, lambda k: build(k, ".bin", content)),
    "libraries": (3, lambda k: build(k, ".so", library)),
    "computations": (20, lambda k: mc.inverse_dynamics(robot, gravity=(0, -k, 0))(*still)),
}
keys, job = jobs[what]
robot, still = mc.load("planar2"), [[0.0, 0.0]] * 3
compiler.find_compiler()

def work(seed, victim):
    # a computation is everybody's own, the other keys are wanted by all
    order = [seed] if what == "computations" else list(range(keys))
    random.Random(seed).shuffle(order)
    for k in order:
        job(k)
    while victim:  # goes on building until it is killed
        job(random.randrange(1000, 10**9))

workers = []
for seed in range(20):
    pid = os.fork()
    if not pid:
        status = 1
        try:
            work(seed, seed % 2 == 0)
            status = 0
        finally:
            os._exit(status)
    workers.append(pid)
for pid in workers[::2]:
    time.sleep(random.random() * (0.2 if what == "computations" else 0.05))
    os.kill(pid, signal.SIGKILL)
ends = [os.waitpid(pid, 0)[1] for pid in workers]
print("survivors failed:", sum(end != 0 for end in ends[1::2]), "killed:", sum(end == 9 for end in ends[::2]))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for every test."""
    monkeypatch.setenv("MOTIONC_CACHE", str(tmp_path / "cache"))
    for name in ("MOTIONC_CACHE_LIMIT", "MOTIONC_TIER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache"


def writes(data: bytes, calls: list[bytes] | None = None) -> Callable[[Path], None]:
    def build(path: Path) -> None:
        path.write_bytes(data)
        if calls is not None:
            calls.append(data)

    return build


def refuses(path: Path) -> None:
    pytest.fail("the entry was there and must not be built again")


def put(name: str, megabytes: float = 0.0, age: float = 0.0) -> Path:
    """An entry of this size, last used this many seconds ago."""
    path = cache.fetch(cache.key(name), ".bin", writes(name.encode() + bytes(int(megabytes * 2**20))))
    os.utime(path, times=(time.time() - age,) * 2)
    return path


def work_folders(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if cache.OWNED.fullmatch(name)]


# ---------------------------------------------------------------- entries


def test_keys_tell_parts_apart() -> None:
    assert cache.key("ab", "c") != cache.key("a", "bc") != cache.key("abc")
    assert cache.key("a", "") != cache.key("a")
    assert cache.key("é") == cache.key("é".encode())
    assert re.fullmatch("[0-9a-f]{64}", cache.key("\udcff"))


@pytest.mark.parametrize("source", ["targets/lanes.h", "targets/c.py", "program/kernels/semidefinite.py"])
def test_another_text_of_ours_is_another_digest(source: str, tmp_path: Path) -> None:
    copy = shutil.copytree(Path(mc.__file__).parent, tmp_path / "motionc")
    before = sources_digest(copy)
    assert before == loaded_sources()
    with (copy / source).open("a") as file:
        file.write("\n")
    assert sources_digest(copy) != before


def test_an_entry_is_built_once_and_found_again() -> None:
    calls: list[bytes] = []
    first = cache.fetch(cache.key("a"), ".so", writes(b"one", calls))
    assert cache.fetch(cache.key("a"), ".so", writes(b"two", calls)) == first
    assert calls == [b"one"]
    assert first.read_bytes() == b"one"
    assert first.suffix == ".so"


def test_the_suffix_is_part_of_the_name() -> None:
    a = cache.fetch(cache.key("a"), ".so", writes(b"library"))
    b = cache.fetch(cache.key("a"), ".json", writes(b"words"))
    assert (a.read_bytes(), b.read_bytes()) == (b"library", b"words")


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data + b"\0", lambda data: b"X" + data[1:]]
)
def test_a_damaged_entry_is_built_again(damage: Callable[[bytes], bytes]) -> None:
    path = cache.fetch(cache.key("a"), ".so", writes(b"whole"))
    path.write_bytes(damage(b"whole"))
    calls: list[bytes] = []
    assert cache.fetch(cache.key("a"), ".so", writes(b"whole", calls)).read_bytes() == b"whole"
    assert calls == [b"whole"]
    assert len(cache.entries()) == 1


def test_a_failed_build_leaves_nothing(folder: Path) -> None:
    def fails(path: Path) -> None:
        path.write_bytes(b"half")
        (path.parent / "other").write_bytes(b"beside")
        raise Error("the compiler refused")

    with pytest.raises(Error, match="the compiler refused"):
        cache.fetch(cache.key("a"), ".so", fails)
    with pytest.raises(Error, match="left no file"):
        cache.fetch(cache.key("a"), ".so", lambda path: None)
    assert os.listdir(folder) == []


@pytest.mark.parametrize(("key", "suffix"), [("../../x", ".so"), ("", ".so"), ("0" * 64, "/../x"), ("0" * 64, "")])
def test_no_other_name_reaches_the_file_system(key: str, suffix: str) -> None:
    with pytest.raises(Error, match="do not name a cache entry"):
        cache.fetch(key, suffix, refuses)


def test_entries_are_listed_counted_and_cleared(folder: Path) -> None:
    put("old", 1, age=100)
    put("new", 2, age=50)
    (folder / "letter.txt").write_text("not ours")
    assert [entry.key for entry in cache.entries()] == [cache.key("new"), cache.key("old")]
    assert cache.size() == 3 * 2**20 + 6
    assert cache.clear() == 2
    assert (cache.entries(), cache.size(), os.listdir(folder)) == ([], 0, ["letter.txt"])


# ---------------------------------------------------------------- room


def test_the_least_recently_used_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_CACHE_LIMIT", "3.5")
    a, b, c = put("a", 1, age=300), put("b", 1, age=200), put("c", 1, age=100)
    cache.fetch(cache.key("a"), ".bin", refuses)  # used: now the youngest
    os.utime(a, times=(time.time() - 50,) * 2)
    d = put("d", 1)
    assert [path.exists() for path in (a, b, c, d)] == [True, False, True, True]


def test_using_an_entry_makes_it_young() -> None:
    path = put("a", age=1000)
    cache.fetch(cache.key("a"), ".bin", refuses)
    assert time.time() - path.stat().st_mtime < 100


def test_neither_the_new_entry_nor_one_just_used_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONC_CACHE_LIMIT", "0")
    old, fresh = put("old", 1, age=300), put("fresh", 1)
    new = put("new", 2)
    assert [path.exists() for path in (old, fresh, new)] == [False, True, True]


@pytest.mark.parametrize("text", ["much", "-1", "nan", "inf"])
def test_a_limit_that_is_no_size_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("MOTIONC_CACHE_LIMIT", text)
    with pytest.raises(Error, match=f"MOTIONC_CACHE_LIMIT='{text}'"):
        cache.fetch(cache.key("a"), ".so", writes(b""))


# ---------------------------------------------------------------- the folder


def test_the_folder_is_its_users_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        assert cache.cache_folder() == folder
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_folder_follows_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOTIONC_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.cache_folder() == tmp_path / "xdg" / "motionc"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the XDG standard has it ignored
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache.cache_folder() == tmp_path / ".cache" / "motionc"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache.cache_folder() == tmp_path / "Library" / "Caches" / "motionc"


def linked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parent / "elsewhere").mkdir()
    folder.symlink_to(folder.parent / "elsewhere")


def open_to_the_group(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    folder.chmod(0o770)


def somebody_elses(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)


def in_a_folder_open_to_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.chmod(0o777)


def below_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("")
    monkeypatch.delenv("MOTIONC_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(folder))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (linked, "is a symbolic link"),
        (open_to_the_group, "others may write to .* chmod go-w"),
        (somebody_elses, "belongs to user"),
        (in_a_folder_open_to_all, "others may replace"),
        (below_a_file, "cannot be made"),
    ],
)
def test_a_folder_others_could_write_is_not_used(
    spoil: Callable[[Path, pytest.MonkeyPatch], None], reason: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(folder, monkeypatch)
    with pytest.warns(RuntimeWarning, match=f"{reason}.*for this process only"):
        instead = cache.cache_folder()
    assert instead.stat().st_mode & 0o777 == 0o700
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        assert cache.fetch(cache.key("a"), ".so", writes(b"works")).parent == instead


# ---------------------------------------------------------------- processes


def test_leftovers_of_dead_processes_go_and_those_of_the_living_stay(folder: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    here, names = cache._place(), {}
    cache.cache_folder()
    for name, place, pid, age in (
        ("dead", here, dead.pid, 0),
        ("living", here, os.getpid(), 0),
        ("old", here, os.getpid(), 7200),
        ("elsewhere", "0" * 8, dead.pid, 0),
        ("elsewhere_old", "0" * 8, dead.pid, 7200),
    ):
        names[name] = folder / f"motionc-work-{place}-{pid}-{name}"
        names[name].mkdir()
        (names[name] / "half").write_bytes(b"half")
        os.utime(names[name], times=(time.time() - age,) * 2)
    put("a")
    assert [name for name, path in names.items() if path.exists()] == ["living", "elsewhere"]


def test_two_processes_may_build_the_same_key() -> None:
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "building\n"
        mine = cache.fetch(cache.key("shared"), ".bin", writes(b"same"))
        other.stdin.write("\n")
        other.stdin.flush()
        theirs = Path(other.stdout.readline().strip())
    assert mine == theirs
    assert mine.read_bytes() == b"same"
    assert cache.fetch(cache.key("shared"), ".bin", refuses) == mine


@pytest.mark.filterwarnings("ignore:no C compiler found")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("what", ["bytes", "libraries", "computations"])
def test_twenty_builders_of_whom_ten_are_killed_leave_a_valid_cache(
    what: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if what != "bytes" and not find_compiler():
        pytest.skip("there is no compiler")
    done = subprocess.run([sys.executable, "-c", STRESS, what], capture_output=True, text=True, timeout=100, check=True)
    assert re.fullmatch(r"survivors failed: 0 killed: 10\n", done.stdout), done.stdout + done.stderr

    # everything is there and whole, without building
    if what == "bytes":
        for k in range(10):
            path = cache.fetch(cache.key("stress", str(k)), ".bin", refuses)
            assert path.read_bytes() == bytes([k]) * 200_000
    elif what == "libraries":
        for k in range(3):
            path = cache.fetch(cache.key("stress", str(k)), ".so", refuses)
            assert ctypes.CDLL(str(path)).answer() == k
    else:
        for k in [*range(1, 20, 2), *range(0, 20, 2)]:
            computation = mc.inverse_dynamics(mc.load("planar2"), gravity=(0, -k, 0))
            with monkeypatch.context() as patch:
                if k % 2:  # a survivor's, so it is there; the others' may be
                    patch.setattr("motionc.sweeps.solver.shortest", None)
                found = computation([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
            assert np.allclose(found, computation.run([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]), rtol=1e-12, atol=1e-12)
        assert len(list(folder.glob("*.so"))) >= 20

    for entry in cache.entries():
        assert cache._digest(entry.path) in entry.path.name

    # and what the killed left behind goes with the next builds, once their orphaned compilers have ended
    deadline = time.monotonic() + 20
    put("next")
    while work_folders(folder) and time.monotonic() < deadline:
        time.sleep(0.2)
        cache.clear()
    assert work_folders(folder) == []
