"""Recordings: what a process that is killed leaves behind, what a message costs, who else reads the files.

A child logs 100 numbers at 1 kHz and writes the time of the last row into shared memory, which survives it; it is
killed (SIGKILL) at a random moment. What is missing is that time minus the last one in the file.
"""

import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep, thread_time_ns
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from motionc import simulate as sim
from motionc.benchmark.timing import Absent

KILLS, MISSING, COST = 20, 0.05, 20.0
"""Processes killed, seconds that may be missing, µs a message."""
PATIENCE = 60.0
"""Seconds until a child must have begun."""

CHILD = """
import mmap, struct, sys
from time import monotonic, sleep
import numpy as np
import motionc as mc

path, clock, name = sys.argv[1:]
robot = mc.load(name)
with open(clock, "r+b") as file:
    shared = mmap.mmap(file.fileno(), 8)
rest = mc.Port("rest", (100 - 3 * robot.nv,), "1", "whatever else")
with mc.simulate.Recorder(path, robot, ["q", "v", "tau", rest], dt=1e-3) as recorder:
    zeros, others, begin, k = np.zeros(robot.nv), np.zeros(rest.size), monotonic(), 0
    while (now := monotonic() - begin) < 60.0:
        recorder.log(now, q=zeros, v=zeros, tau=zeros, rest=others)
        shared[:] = struct.pack("<d", now)
        k += 1
        sleep(max(0.0, begin + 1e-3 * k - monotonic()))
"""


class Victim:
    """A process that logs until it is killed."""

    def __init__(self, folder: Path, robot: str) -> None:
        self.path, clock = folder / "live.mcap", folder / "clock"
        clock.write_bytes(bytes(8))
        with clock.open("r+b") as file:
            self._clock = mmap.mmap(file.fileno(), 8)
        where = os.pathsep.join(filter(None, sys.path))
        self._child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(self.path), str(clock), robot], env={**os.environ, "PYTHONPATH": where}
        )

    @property
    def last(self) -> float:
        """Seconds that it has logged."""
        return float(struct.unpack("<d", self._clock[:])[0])

    def killed(self, after: float) -> float:
        """Kill it once it has logged so long; how much of that its file does not have."""
        waited = monotonic() + PATIENCE + after
        try:
            while self.last < after:
                if monotonic() > waited or self._child.poll() is not None:
                    raise RuntimeError("the process that logs has not begun, or has died by itself")
                sleep(1e-3)
        finally:
            self._child.send_signal(signal.SIGKILL)
            self._child.wait()
        return self.last - sim.Recording.open(self.path).seconds


def figures() -> Iterator[str]:
    yield from _kills()
    yield from _cost()


def _kills() -> Iterator[str]:
    rng, missing, whole, seen = np.random.default_rng(0), list[float](), 0, 0
    rerun = shutil.which("rerun", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])) or ""
    for _ in range(KILLS):
        with TemporaryDirectory() as name:
            victim = Victim(Path(name), "lwr4")
            missing.append(victim.killed(rng.uniform(0.1, 2.0)))
            again = sim.Recording.open(victim.path).save(Path(name) / "recovered.mcap")
            whole += _indexed(again)
            seen += bool(rerun) and subprocess.run([rerun, "mcap", "check", again], capture_output=True).returncode == 0
    worst = max(missing)
    said = f"  kill -9 at {KILLS} moments at 1 kHz: missing at most"
    yield f"{said} {1e3 * worst:.1f} ms, median {1e3 * np.median(missing):.1f} {verdict(worst < MISSING)} 50 ms"
    yield f"  recovered, and read by mcap's indexed reader: {whole} {verdict(whole == KILLS)} {KILLS}"
    if rerun:
        yield f"  recovered, and fine by `rerun mcap check`: {seen} {verdict(seen == KILLS)} {KILLS}"
    else:
        yield "  not measured: `rerun mcap check`: pip install rerun-sdk"


def _indexed(path: Path) -> bool:
    """Whether mcap finds every message by way of the index, checksums and all."""
    try:
        reader: Any = import_module("mcap.reader")
    except ImportError as error:
        raise Absent("mcap reads recordings beside us: pip install mcap") from error
    with path.open("rb") as file:
        indexed = reader.SeekingReader(file, validate_crcs=True)
        counted = indexed.get_summary().statistics.message_count
        return counted == sum(1 for _ in indexed.iter_messages()) > 0


def _cost() -> Iterator[str]:
    robot = mc.load("lwr4")
    rest = mc.Port("rest", (79,), "1", "whatever else")
    arrays = {"q": np.zeros(7), "v": np.zeros(7), "tau": np.zeros(7), "rest": np.zeros(79)}
    floats = {f"s{k}": float(k) for k in range(100)}
    scalars = [mc.Port(name, (), "1", "one number") for name in floats]
    with TemporaryDirectory() as folder:
        for what, signals, row in (("four arrays", ["q", "v", "tau", rest], arrays), ("names", scalars, floats)):
            with sim.Recorder(Path(folder) / f"{what}.mcap", robot, signals) as recorder:
                cost = min(_round(recorder, row) for _ in range(10))
            said = f"  100 numbers as {what}: {cost:.1f} µs a message on the logging thread"
            yield f"{said} {verdict(cost <= COST)} {COST:g}"


def _round(recorder: sim.Recorder, row: dict[str, Any]) -> float:
    sleep(0.05)
    begin = thread_time_ns()
    for k in range(500):
        recorder.log(1e-3 * k, **row)
    return (thread_time_ns() - begin) / 500 / 1e3
