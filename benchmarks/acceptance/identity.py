"""What a computation is: every option tried, left out in turn, compiled beside its like; pickles, copies, a second
process, upgrades.
"""

import copy
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from acceptance import ROOT, verdict

sys.path.insert(0, str(ROOT / "tests" / "support"))

AGAIN = """
import sys
sys.path[:0] = {paths!r}
from acceptance.identity import cached
for line in cached():
    print(line)
"""


def figures() -> Iterator[str]:
    """A line a figure."""
    yield from _options()
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(ROOT / part) for part in ("src", "tests/support", "benchmarks")]
        for process in ("one process", "a second process, the same cache"):
            environment = os.environ | {"MOTIONC_CACHE": str(Path(folder) / "cache")}
            done = subprocess.run(
                [sys.executable, "-c", AGAIN.format(paths=paths)], env=environment, capture_output=True, text=True
            )
            said = done.stdout.splitlines() or [f"  {done.stderr.strip().splitlines()[-1]} {verdict(False)}"]
            for line in said:
                yield f"  {process}: {line}"
    yield from _copies()
    yield from _upgrades()


def _options() -> Iterator[str]:
    import motionc.sweeps.identity as identities
    from option_pairs import KEPT_AS, NO_NUMBER, every_option, told_apart

    every = every_option()
    tried = [pair for pair in every if pair not in NO_NUMBER]
    missed = [pair for pair in tried if not told_apart(*pair)]
    computations = len({name for name, _ in every})
    yield f"  {computations} computations, {len(every)} options: {len(tried)} tried, {len(NO_NUMBER)} excused"
    yield f"  options that change numbers and not the identity: wanted 0, are {len(missed)} {verdict(not missed)}"
    # a user's own solver is known by its program, which no option can be left out of
    named = [pair for pair in tried if pair[0] != "solve"]
    complete, unnoticed = identities.fields, list[tuple[str, str]]()
    for name, option in named:
        left = KEPT_AS.get((name, option), (option,))
        identities.fields = lambda value, left=left: [one for one in complete(value) if one.name not in left]  # type: ignore[assignment]
        try:
            unnoticed += [(name, option)] if told_apart(name, option) else []
        finally:
            identities.fields = complete
    yield (
        f"  each option left out in turn: wanted {len(named)} noticed, are {len(named) - len(unnoticed)} "
        f"{verdict(not unnoticed)} {unnoticed or ''}"
    )


def cached() -> Iterator[str]:
    """Both of every pair compiled into one cache, called, and compared with the numeric reading."""
    from option_pairs import NO_NUMBER, every_option, two

    worst, wrong, traced = 0.0, list[str](), 0
    pairs = [pair for pair in every_option() if pair not in NO_NUMBER]
    for name, option in pairs:
        for one in two(name, option):
            rng = np.random.default_rng(3)
            given = [port.space.draw(rng).reshape(port.shape) for port in one.inputs]
            called, read = one(*given), one.solver.run(*given)
            called = called if isinstance(called, tuple) else (called,)
            single = one.solver.precision == "single"
            for port, value in zip(one.outputs, called, strict=True):
                reference = read[port.name]
                error = np.max(np.abs(value - reference), initial=0) / max(1, np.max(np.abs(reference), initial=0))
                if not error < (2e-3 if single else 1e-9) and port.name != "conditioning":
                    wrong.append(f"{name} {option} {port.name}: {error:.1e}")
                worst = max(worst, 0.0 if single else float(error))
            traced += "program" in vars(one)
    counted = f"{2 * len(pairs)} calls, worst error {worst:.0e} in double"
    yield f"{counted}: wanted none wrong, {len(wrong)} are {verdict(not wrong)}"
    yield f"{traced} of them had to be traced"
    yield from wrong


def _same(one: Any) -> Any:
    rng = np.random.default_rng(1)
    return one.solver.run(*(port.space.draw(rng).reshape(port.shape) for port in one.inputs))


def _equal(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one.values(), other.values(), strict=True))


def _copies() -> Iterator[str]:
    import motionc as mc
    from catalogue import catalogue

    robot = mc.load("planar2")
    asked: dict[str, Any] = {**catalogue(robot)}
    asked["own"] = mc.solve(robot, mc.schedules.INVERSE_DYNAMICS, outputs={"tau": "joint_force"})
    asked["vjp"] = asked["energy"].vjp("kinetic", ["q", "v"])
    asked["inverse_kinematics, whole"] = mc.inverse_kinematics(robot, "tip")
    for word, again in (
        ("pickle", lambda one: pickle.loads(pickle.dumps(one))),
        ("copy", copy.copy),
        ("deepcopy", copy.deepcopy),
    ):
        good = 0
        for one in asked.values():
            other = again(one)
            good += other.options == one.options and (not hasattr(one, "solver") or _equal(_same(one), _same(other)))
        yield f"  {word}: wanted {len(asked)} computations, {good} {verdict(good == len(asked))}"
    sent = [one for one in asked.values() if hasattr(one, "solver")]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        good = sum(_equal(_same(one), found) for one, found in zip(sent, pool.map(_same, sent), strict=True))
    yield f"  a pool of processes: wanted {len(sent)} computations, {good} {verdict(good == len(sent))}"


def _upgrades() -> Iterator[str]:
    """The tests that edit a copy of the package under running processes."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/runtime/test_upgrades.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    yield f"  upgrades under a process, edits, comments: {last} {verdict(not done.returncode)}"


if __name__ == "__main__":
    for line in figures():
        print(line, flush=True)
