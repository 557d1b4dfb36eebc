"""Nothing got slower or larger: the working tree against an earlier commit, in one interleaved run.

    python -m acceptance.versus [COMMIT] [--rounds 300] [--robots ur5 panda] [--size]   with benchmarks/ in PYTHONPATH

Each version answers in a process of its own, asked in turn, so that a busy machine is busy for both; minima are
compared. A ratio above its bar is measured anew, in new processes, up to three times before it counts as missed, and
every try is printed. `--size` installs both versions into empty folders, which takes a while.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from acceptance import MISSED, ROOT, verdict
from motionc import Error

BEFORE = "88ee1f1"
"""The commit before the issue."""
ROUNDS, REPEATS, TRIES = 300, 5, 3
SLOWER, LONGER_TO_TRACE, IMPORT_ABOVE_NUMPY = 1.05, 1.5, 0.1
PUBLIC = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))

Who = TypeVar("Who")
Where = list[Any]
"""A robot to load: its name or file, whether it floats (None: as shipped), and joints that are held."""
ROBOTS: dict[str, Where] = {
    "ur5": ["ur5", None, []],
    "panda": ["panda", None, []],
    "hyq": ["hyq", None, []],
    "youbot": ["youbot", None, []],
    "anymal": [str(PUBLIC / "anymal_b_simple_description/robots/anymal.urdf"), True, []],
    "talos": [str(PUBLIC / "talos_data/robots/talos_reduced.urdf"), True, []],
}
CALLED = ("forward_kinematics", "inverse_dynamics", "forward_dynamics", "mass_matrix", "constrained_dynamics, six rows")
IN_BATCHES = ("inverse_dynamics", "forward_dynamics", "constrained_dynamics")
FIRST = {
    "panda": ("inverse_dynamics",),
    "talos": ("inverse_dynamics", "forward_dynamics", "constrained_dynamics"),
}
"""Robots and what is asked of them from load to first result."""

FIRST_RESULT = """
import json, resource, sys
name, floating, asked = json.loads(sys.argv[1])
import motionc as mc
import numpy as np
robot = mc.load(name) if floating is None else mc.load(name, floating=floating)
made = [getattr(mc, each)(robot, *([[mc.Constraint(robot.link_names[-1], "xyz")]] if "constr" in each else []))
        for each in asked]
for computation in made:
    computation(robot.neutral(), *(np.zeros(port.shape) for port in computation.inputs[1:]))
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(sum(each.ru_utime + each.ru_stime for each in used))
"""
IMPORT = "import time, {}; print(time.process_time())"


class Version:
    """A tree of sources, which bytecode is kept in, with a build cache of its own."""

    def __init__(self, name: str, tree: Path, folder: Path) -> None:
        self.name, self.tree, self.folder = name, tree, folder / name
        self.folder.mkdir(mode=0o700)

    def environment(self, cache: str = "cache") -> dict[str, str]:
        own = {"PYTHONPATH": str(self.tree / "src"), "MOTIONC_CACHE": str(self.folder / cache)}
        environment = os.environ | own
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return environment

    def run(self, code: str, *arguments: str, cache: str = "cache") -> float:
        """The number that a fresh process prints."""
        return float(self.said(code, *arguments, cache=cache))

    def said(self, code: str, *arguments: str, cache: str = "cache") -> str:
        """What a fresh process prints."""
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(
            command, env=self.environment(cache), cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise Error(f"{self.name} ended with {done.returncode}: {last}")
        return done.stdout


class Process:
    """A version that stays, and answers question after question."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("measured.py"))],
            env=version.environment(),
            cwd=version.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        at = Path(self.ask("where")).resolve()
        if not at.is_relative_to(version.tree.resolve()):
            self.end()
            raise Error(f"{version.name} is not the code in its tree but {at}: is PYTHONPATH overruled here?")

    def ask(self, what: str, *arguments: Any) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([what, *arguments]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Error(f"{self.version.name} ended when it was asked {what} {arguments}")
        return json.loads(line)

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def versions(commit: str) -> Generator[tuple[Version, Version]]:
    """The commit's and the working tree's."""
    with tempfile.TemporaryDirectory(prefix="motionc-versus-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
        if packed.returncode:
            raise Error(f"git does not know {commit}: {packed.stderr.decode(errors='replace').strip()}")
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(folder / "tree", filter="data")
        yield Version("before", folder / "tree", folder), Version("now", ROOT, folder)


@contextmanager
def processes(pair: tuple[Version, Version]) -> Generator[tuple[Process, Process]]:
    before, now = (Process(version) for version in pair)
    try:
        yield before, now
    finally:
        before.end()
        now.end()


def interleaved(pair: tuple[Who, Who], ask: Callable[[Who], float], rounds: int) -> tuple[float, float]:
    """The least of each, asked in turn, and who is first by turns too."""
    best = [float("inf"), float("inf")]
    for number in range(rounds):
        for k in (0, 1) if number % 2 == 0 else (1, 0):
            best[k] = min(best[k], ask(pair[k]))
    return best[0], best[1]


def line(what: str, bar: float, unit: str, measure: Callable[[], tuple[float, float]]) -> str:
    """One figure, measured again as long as it misses its bar, and all tries."""
    tries, last, scale = list[float](), (0.0, 0.0), {"s": 1.0, "µs": 1e6}[unit]
    while len(tries) < TRIES and (not tries or min(tries) > bar):
        last = measure()
        tries.append(last[1] / last[0])
    shown = ", ".join(f"{ratio:.3f}" for ratio in tries)
    times = f"{last[0] * scale:.3f} → {last[1] * scale:.3f} {unit}"
    return f"  {what:<52} {times:<24} ratio {shown}   wanted ≤ {bar:g} {verdict(min(tries) <= bar)}"


def asked(pair: tuple[Version, Version], rounds: int, *question: Any) -> tuple[float, float]:
    """What two new processes say to one question, again and again."""
    with processes(pair) as both:
        return interleaved(both, lambda process: process.ask(*question), rounds)


# ---------------------------------------------------------------- sections


def public(pair: tuple[Version, Version]) -> Iterator[str]:
    yield "Public names and arguments: none renamed or removed\n"
    with processes(pair) as (before, now):
        old, new = before.ask("public"), now.ask("public")
    gone = [name for name in old if name not in new]
    gone += [
        f"{name}({argument}=)"
        for name, arguments in old.items()
        for argument in arguments
        if name in new and argument not in new[name]
    ]
    yield f"  {len(old)} names before, {len(new)} now; gone: {', '.join(gone) or 'none'} {verdict(not gone)}"
    yield f"  new: {', '.join(sorted(set(new) - set(old))) or 'none'}"


def operations(pair: tuple[Version, Version], robots: Sequence[str]) -> Iterator[str]:
    yield "\nOperation counts of every computation: as they were, or fewer\n"
    with processes(pair) as (before, now):
        for robot in robots:
            names = before.ask("names", ROBOTS[robot])
            same = fewer = refused = 0
            for name in names:
                old, new = (each.ask("operations", ROBOTS[robot], name) for each in (before, now))
                if isinstance(old, str) or isinstance(new, str):
                    refused += 1
                    # what was refused and is not is a gain; the reverse is for the note to explain
                    mark = verdict(isinstance(old, str))
                    yield f"  {robot}, {name}: {old} → {new} {mark}"
                elif old == new:
                    same += 1
                else:
                    fewer += new < old
                    yield f"  {robot}, {name}: {old:,} → {new:,} ({new / old - 1:+.2%}) {verdict(new <= old)}"
            yield f"  {robot}: {same} of {len(names)} the same, {fewer} fewer, {refused} refused"


def called(pair: tuple[Version, Version], robots: Sequence[str], rounds: int) -> Iterator[str]:
    yield f"\nA call from Python, and a state of a batch on one thread: the least of {rounds} interleaved rounds\n"
    for robot in robots:
        for what, names, some in (("call", CALLED, rounds), ("batch", IN_BATCHES, max(3, rounds // 3))):
            for name in names:
                measure = partial(asked, pair, some, what, ROBOTS[robot], name)
                yield line(f"{robot}, {name}, {what}", SLOWER, "µs", measure)


def first_result(pair: tuple[Version, Version], robots: Sequence[str], repeats: int) -> Iterator[str]:
    yield "\nLoad to first result, processor time of a fresh process and its compilers, import included\n"
    for robot in (each for each in robots if each in FIRST):
        given, said = json.dumps([*ROBOTS[robot][:2], FIRST[robot]]), " + ".join(FIRST[robot])
        for version in pair:  # bytecode is kept, as that of an installed package is, and so is what was compiled
            version.run(FIRST_RESULT, given)
        yield line(f"{robot}, {said}, warm", SLOWER, "s", partial(warm, pair, given, 4 * repeats))
        yield line(f"{robot}, {said}, cold", SLOWER, "s", partial(cold, pair, given, repeats))


def warm(pair: tuple[Version, Version], given: str, repeats: int) -> tuple[float, float]:
    return interleaved(pair, lambda version: version.run(FIRST_RESULT, given), repeats)


def cold(pair: tuple[Version, Version], given: str, repeats: int) -> tuple[float, float]:
    def empty(version: Version) -> float:
        with tempfile.TemporaryDirectory(dir=version.folder) as cache:
            return version.run(FIRST_RESULT, given, cache=cache)

    return interleaved(pair, empty, repeats)


def imports(pair: tuple[Version, Version], repeats: int) -> Iterator[str]:
    yield "\nImporting, processor time of a fresh process\n"
    before, now = pair
    tries, shown = list[float](), ""
    while len(tries) < TRIES and (not tries or min(tries) > IMPORT_ABOVE_NUMPY):
        alone, own = interleaved(("numpy", "motionc"), lambda module: now.run(IMPORT.format(module)), 4 * repeats)
        tries.append(own - alone)
        shown = f"{own:.3f} s, NumPy alone {alone:.3f} s"
    above, mark = ", ".join(f"{over:.3f}" for over in tries), verdict(min(tries) <= IMPORT_ABOVE_NUMPY)
    yield f"  import motionc: {shown}; above it {above} s   wanted ≤ {IMPORT_ABOVE_NUMPY} {mark}"
    yield f"  before: {min(before.run(IMPORT.format('motionc')) for _ in range(repeats)):.3f} s"


def traced(pair: tuple[Version, Version], robots: Sequence[str], repeats: int) -> Iterator[str]:
    yield "\nTracing, checking and optimising, processor time\n"
    for robot in robots:
        for name in ("inverse_dynamics", "forward_dynamics", "constrained_dynamics"):
            measure = partial(asked, pair, repeats + 1, "trace", ROBOTS[robot], name)
            yield line(f"{robot}, {name}", LONGER_TO_TRACE, "s", measure)


def installed(pair: tuple[Version, Version]) -> Iterator[str]:
    yield "\nInstalled size of the package and all it needs\n"
    sizes = list[float]()
    for version in pair:
        target = version.folder / "installed"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), str(version.tree)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Error(f"{version.name} could not be installed: {done.stderr.strip().splitlines()[-1]}")
        parts = sorted(((_megabytes(each), each.name) for each in target.iterdir()), reverse=True)
        sizes.append(sum(size for size, _ in parts))
        largest = ", ".join(f"{name} {size:.0f}" for size, name in parts[:5])
        yield f"  {version.name}: {sizes[-1]:.0f} MB, of it {largest}"
    yield f"  {sizes[0]:.0f} → {sizes[1]:.0f} MB   wanted: not larger {verdict(sizes[1] <= 1.01 * sizes[0])}"


def _megabytes(path: Path) -> float:
    return sum(each.stat().st_size for each in (path, *path.rglob("*")) if each.is_file()) / 1e6


def figures(
    commit: str = BEFORE,
    rounds: int = ROUNDS,
    repeats: int = REPEATS,
    robots: Sequence[str] = tuple(ROBOTS),
    size: bool = False,
) -> Iterator[str]:
    """Public names, operation counts, calls, batches, first results, imports, tracing, and the size where asked for."""
    with versions(commit) as pair:
        yield f"{commit} and the working tree, in turn\n"
        yield from public(pair)
        yield from operations(pair, robots)
        yield from imports(pair, repeats)
        yield from traced(pair, robots, repeats)
        yield from called(pair, robots, rounds)
        yield from first_result(pair, robots, repeats)
        if size:
            yield from installed(pair)


def main() -> int:
    parser = argparse.ArgumentParser(description="The working tree against an earlier commit, in one interleaved run.")
    parser.add_argument("commit", nargs="?", default=BEFORE)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="interleaved rounds of calls")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="the same where a round is a fresh process")
    parser.add_argument("--robots", nargs="+", choices=ROBOTS, default=list(ROBOTS))
    parser.add_argument("--size", action="store_true", help="install both into empty folders and compare their sizes")
    given = parser.parse_args()
    missed = False
    for told in figures(given.commit, given.rounds, given.repeats, given.robots, given.size):
        print(told, flush=True)
        missed |= MISSED in told
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
