"""A file that was there is as it was, or new to the last byte: on full disks, without permission, under a kill."""

import ast
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import motionc as mc
from motionc.robots import robot_file
from motionc.writing import write_file, write_files

SOURCE = str(Path(mc.__file__).parents[1])
OLD, NEW = "old\n" * 100, "new\n" * 50_000
NOBODY = 65534

# what is done, after motionc is imported and the process was crippled
PRELUDE = """
import os, resource, signal, sys
from pathlib import Path
import motionc as mc
import motionc.writing as writing
{crippled}
try:
    {act}
except mc.Error as error:
    sys.stdout.write(str(error))
    sys.exit(3)
"""


def run(act: str, crippled: str = "") -> subprocess.CompletedProcess[str]:
    """In a process of its own; 3 is an Error, whose text it says."""
    return subprocess.run(
        [sys.executable, "-c", PRELUDE.format(act=act, crippled=crippled)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


# ---------------------------------------------------------------- what is written


def test_text_and_bytes_arrive_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.txt"
    assert write_file(path, "µ\r\n") == path
    assert path.read_bytes() == "µ\r\n".encode()
    write_file(path, b"\0\1")
    assert path.read_bytes() == b"\0\1"
    assert names(tmp_path) == ["a", "b", "c.txt"]


def test_a_file_keeps_its_mode_and_a_new_one_gets_the_usual(tmp_path: Path) -> None:
    plain, ours, closed = tmp_path / "plain", tmp_path / "ours", tmp_path / "closed"
    plain.write_text(OLD)
    write_file(ours, NEW)
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    for mode in (0o600, 0o755, 0o640):
        closed.write_text(OLD)
        closed.chmod(mode)
        write_file(closed, NEW)
        assert stat.S_IMODE(closed.stat().st_mode) == mode


def test_a_link_stays_a_link_and_leads_to_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    real, link, dangling = tmp_path / "far" / "real", tmp_path / "link", tmp_path / "dangling"
    real.write_text(OLD)
    link.symlink_to(Path("far", "real"))
    dangling.symlink_to(Path("far", "none"))
    write_file(link, NEW)
    write_file(dangling, NEW)
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert real.read_text() == NEW == (tmp_path / "far" / "none").read_text()
    assert names(tmp_path) == ["dangling", "far", "link", "none", "real"]


def test_folders_devices_and_pipes_are_refused_by_what_they_are(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(mc.Error, match="is a folder; name a file in it"):
        write_file(tmp_path, NEW)
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(mc.Error, match="no regular file"):
            write_file(path, NEW)
    (tmp_path / "file").write_text(OLD)
    with pytest.raises(mc.Error, match=r"a folder on the way is a file"):
        write_file(tmp_path / "file" / "sub" / "b", NEW)
    with pytest.raises(mc.Error, match=r"choose a shorter name"):
        write_file(tmp_path / "new" / ("x" * 300), NEW)
    with pytest.raises(mc.Error, match=r"choose another name"):
        write_file(tmp_path / "a\0b", NEW)
    assert names(tmp_path) == ["file", "pipe"]


# ---------------------------------------------------------------- full disks

SMALL = "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"


def test_a_file_that_cannot_grow_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(OLD)
    done = run(f"writing.write_file(Path({str(path)!r}), 'new' * 50_000)", SMALL)
    assert (done.returncode, path.read_text(), names(tmp_path)) == (3, OLD, ["a.txt"]), done
    assert "cannot be written (File too large); nothing was changed" in done.stdout
    done = run(f"writing.write_file(Path({str(tmp_path)!r}, 'new', 'b'), 'new' * 50_000)", SMALL)
    assert (done.returncode, names(tmp_path)) == (3, ["a.txt"]), done


def test_converting_a_file_into_itself_on_a_full_disk_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    shutil.copy(robot_file("lwr4"), path)
    before = path.read_bytes()
    done = run(f"mc.convert({str(path)!r}, {str(path)!r})", SMALL)
    assert (done.returncode, path.read_bytes(), names(tmp_path)) == (3, before, ["a.urdf"]), done


WRITERS = ("emit", "emit_robot", "generate", "bundle", "wheel", "convert")
EVERY_WRITER = """
import motionc as mc
from motionc.cli.main import app
from pathlib import Path
import resource, sys
out, limit = Path(sys.argv[1]), int(sys.argv[2])
robot = mc.load("planar2")
inverse = mc.inverse_dynamics(robot)
generate = ["generate", "planar2", "--compute", "inverse_dynamics", "--out", str(out / "generate"), "--target", "c",
            "--target", "python", "--force"]
writers = {
    "emit": lambda: inverse.emit("c", out / "emit", force=True),
    "emit_robot": lambda: mc.emit_robot(robot, out / "emit_robot", force=True),
    "generate": lambda: app(generate, standalone_mode=False),
    "bundle": lambda: mc.bundle(inverse, out / "bundle", library=False),
    "wheel": lambda: mc.bundle(inverse, out / "wheel", library=False, wheel=True),
    "convert": lambda: mc.convert("planar2", out / "convert" / "a.urdf"),
}
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
for name, write in writers.items():
    try:
        write()
    except mc.Error as error:
        print(name, error)
"""


def test_several_files_are_all_renewed_or_none(tmp_path: Path) -> None:
    def written(limit: int) -> tuple[list[str], dict[Path, bytes]]:
        done = subprocess.run(
            [sys.executable, "-c", EVERY_WRITER, str(tmp_path), str(limit)],
            env={**os.environ, "PYTHONPATH": SOURCE},
            capture_output=True,
            text=True,
            check=True,
        )
        said = [line for line in done.stdout.splitlines() if "cannot be written" in line]
        return said, {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    refused, files = written(0)
    assert not refused
    assert {path.relative_to(tmp_path).parts[0] for path in files} == set(WRITERS)
    # make each recognisable, but the manifest, by which a bundle knows its own
    for path in files:
        if path.name != "manifest.json":
            path.write_bytes(b"old")
    before = {path: path.read_bytes() for path in files}
    # some of the files are small enough
    refused, after = written(1000)
    assert [line.split()[0] for line in refused] == list(WRITERS)
    assert all("nothing was changed" in line for line in refused)
    assert after == before
    refused, after = written(0)
    assert not refused
    assert after == files


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("file systems cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_on_a_disk_that_is_full_the_old_file_stays(tiny_disk: Path) -> None:
    path = tiny_disk / "a.txt"
    path.write_text(OLD)
    with pytest.raises(mc.Error, match=r"No space left on device\); nothing was changed; make room on the disk"):
        write_file(path, "x" * 300_000)
    with pytest.raises(mc.Error, match=r"make room on the disk"):
        write_files({tiny_disk / "b": "b", path: "c", tiny_disk / "d": "x" * 300_000})
    assert path.read_text() == OLD
    assert names(tiny_disk) == ["a.txt"]
    write_file(path, "x" * 100_000)
    assert path.read_text() == "x" * 100_000


# ---------------------------------------------------------------- permission


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can look into."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


@pytest.mark.parametrize("way", ["a folder", "a file"])
def test_without_permission_the_old_file_stays(open_folder: Path, way: str) -> None:
    path = open_folder / "a.txt"
    path.write_text(OLD)
    if way == "a folder":
        path.chmod(0o666)
        open_folder.chmod(0o555)
    else:
        path.chmod(0o444)
    become = f"os.setgid({NOBODY}); os.setuid({NOBODY})" if os.geteuid() == 0 else ""
    done = run(f"writing.write_file(Path({str(path)!r}), 'new')", become)
    assert (done.returncode, path.read_text(), names(open_folder)) == (3, OLD, ["a.txt"]), done
    assert "cannot be written (Permission denied); nothing was changed; choose a folder you may write to" in done.stdout


# ---------------------------------------------------------------- a kill


@pytest.mark.parametrize("moment", ["os.fsync", "os.replace"])
def test_a_kill_leaves_the_old_file_whole(tmp_path: Path, moment: str) -> None:
    """Before the new one is on the disk, and before it is put in place."""
    path = tmp_path / "a.txt"
    path.write_text(OLD)
    kill = f"{moment} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
    done = run(f"writing.write_file(Path({str(path)!r}), 'new' * 50_000)", kill)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == OLD


def test_a_kill_between_two_files_leaves_each_of_them_whole(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text(OLD)
    kill = """
replace, count = os.replace, []
def second(*places):
    count.append(1)
    if len(count) == 2: os.kill(os.getpid(), signal.SIGKILL)
    replace(*places)
os.replace = second
"""
    act = f"writing.write_files({{Path(each): 'new' * 50_000 for each in {[str(path) for path in paths]!r}}})"
    assert run(act, kill).returncode == -signal.SIGKILL
    assert [path.read_text() for path in paths] == ["new" * 50_000, OLD, OLD]


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a").write_text(OLD)
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_files({tmp_path / "a": NEW, tmp_path / "new" / "b": NEW})
    assert (tmp_path / "a").read_text() == OLD
    assert names(tmp_path) == ["a"]


# ---------------------------------------------------------------- everywhere


def test_nothing_else_writes_over_files() -> None:
    """What is written in place is written into a folder that nobody else sees, and then put in its place."""
    apart = {"cache.py", "compiler.py"}
    found = {path.name for path in Path(SOURCE, "motionc").rglob("*.py") if any(map(writes, ast.walk(parsed(path))))}
    assert found - {"writing.py"} == apart


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def writes(node: ast.AST) -> bool:
    """Whether it is a call that writes to a file by name."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    modes = {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return name in ("write_text", "write_bytes") or (name == "open" and bool(modes & {"w", "wb", "a", "ab", "x", "xb"}))
