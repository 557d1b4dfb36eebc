"""The viewer: how long the first page and an update take, a solve while a frame is dragged, how large replays are.

What a visitor does, page by page, are the tests of tests_browser, run here where there is a Chromium.
"""

import subprocess
import sys
import time
import warnings
from collections.abc import Iterator

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.meshes import LOADED, PUBLIC, ROBOTS, installed
from motionc.benchmark.timing import Absent
from motionc.robots import robots
from motionc.view.replays import replay_page
from motionc.view.track import Track

UPDATE, SOLVE, PAGE, SIZE = 3e-3, 2e-3, 10.0, 1e6
BODIES = 40


def figures() -> Iterator[str]:
    try:
        import viser  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        raise Absent("viser, motionc[view]") from None
    yield from _opening()
    yield from _anymal()
    yield from _updates()
    yield from _dragging()
    yield from _replays()
    yield from _visits()


def _line(name: str, value: float, bar: float, unit: str, scale: float = 1.0) -> str:
    return f"  {name:<60} {value * scale:9.3f} {unit:<3} {verdict(value <= bar)} {bar * scale:g}"


def _opening() -> Iterator[str]:
    begin = time.perf_counter()
    with mc.view.show(mc.load("hyq"), port=0, open_browser=False):
        yield _line("hyq: from its name to a page", time.perf_counter() - begin, PAGE, "s")


def _anymal() -> Iterator[str]:
    """From its file to a page, meshes, textures and all."""
    folder = installed("example-robot-data", PUBLIC)
    if folder is None:
        yield "  ANYmal C: example-robot-data is not installed"
        return
    begin, busy = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.ModelWarning)
        robot = mc.load(folder / ROBOTS["ANYmal C"])
    with mc.view.show(robot, port=0, open_browser=False):
        yield _line("ANYmal C: from its file to a page, by the clock", time.perf_counter() - begin, LOADED, "s")
        yield _line("ANYmal C: from its file to a page, CPU time", time.process_time() - busy, LOADED, "s")


def _updates() -> Iterator[str]:
    """A chain of forty bodies, all of which move."""
    robot = mc.from_dh([{"a": 0.1, "alpha": 0.1 * (k % 2), "d": 0.05} for k in range(BODIES)], name="chain")
    rng = np.random.default_rng(0)
    with mc.view.show(robot, port=0, open_browser=False) as viewer:
        taken = list[float]()
        for _ in range(300):
            q = rng.uniform(-1, 1, robot.nq)
            begin = time.perf_counter()
            viewer.figure.place(q)
            taken.append(time.perf_counter() - begin)
    yield _line(f"an update of {BODIES} bodies, median", float(np.median(taken)), UPDATE, "ms", 1e3)


def _dragging() -> Iterator[str]:
    robot = mc.load("panda")
    search = mc.inverse_kinematics(robot, ["panda_hand_tcp"], restarts=0).build()
    q = np.array([0.3, 0.2, 0.0, -1.8, 0.0, 2.0, 0.7])
    pose = np.asarray(mc.forward_kinematics(robot, ["panda_hand_tcp"])(q))
    taken = list[float]()
    for _ in range(300):
        pose = pose.copy()
        pose[0, 0, 3] += 2e-3  # out of reach at the end
        begin = time.perf_counter()
        q = search(q, pose).q
        taken.append(time.perf_counter() - begin)
    yield _line("a solve while panda's hand is dragged, median", float(np.median(taken)), SOLVE, "ms", 1e3)


def _replays() -> Iterator[str]:
    """Three seconds in which every coordinate of every robot that comes along moves all the time."""
    sizes, times = dict[str, float](), np.linspace(0.0, 3.0, 3001)
    for each in robots():
        robot = mc.load(each.name)
        rates = np.sin(np.outer(times, np.linspace(1.0, 4.0, robot.nv)))
        q = np.array([robot.integrate(robot.neutral(), rate) for rate in rates])
        sizes[each.name] = len(replay_page(Track(robot, times, q)))
    largest = max(sizes, key=lambda name: sizes[name])
    yield _line(f"the largest replay of 3 s of {len(sizes)} robots, {largest}", sizes[largest], SIZE, "MB", 1e-6)


def _visits() -> Iterator[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests_browser"], capture_output=True, text=True, check=False
    )
    last = done.stdout.strip().rpartition("\n")[2]
    yield f"  {'visits of a real browser':<60} {verdict(done.returncode == 0)} {last}"
