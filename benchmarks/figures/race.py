"""Our C against Pinocchio's C++ in one process: the same compiler and flags, no Python in either loop, the same states.

Its algorithms are instantiated from its headers in pinocchio.cpp, with our flags; nothing of its compiled library is
called. That takes minutes of compiling, once: what was built is kept in the build cache.
"""

import atexit
import ctypes
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import cycle
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from motionc.benchmark import ours
from motionc.benchmark.questions import STATES, Kind, Question, ask
from motionc.benchmark.timing import ROUNDS, Absent, Array, Contender, State, Timing, measure, one_core
from motionc.model import Robot
from motionc.runtime import Computation
from motionc.runtime.build import cache, compiler
from peers import pinocchio

SOURCE = Path(pinocchio.__file__).with_suffix(".cpp")
FLAGS = ("-O3", compiler.NATIVE, "-DNDEBUG", "-w", "-shared", "-fPIC", "-fvisibility=hidden")
"""Ours and theirs alike."""
THEIRS = (
    "-std=c++17",
    # as its own package asks for; that its compiled library be used, it asks for too, and gets it not
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
TIMEOUT = 1800.0
"""Seconds after which a compiler is stopped."""
AGAIN = 4
"""How often a block goes through all states: what caches have forgotten in between is not what is compared."""
COPIES = 4
"""Copies of a library's file that take turns, ours and theirs alike: on virtual machines code on some pages of
memory is slower than on others, and a file keeps its pages: a program may take half as long again.
"""
AGREEMENT = 1e-9
"""Relative error above which two answers count as different here: both are double precision, and no call is between."""
EIGEN = ("include/eigen3", "/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3")
EIGEN_VERSION = "Eigen/src/Core/util/Macros.h"

OURS = "motionc, C"
OURS_BUILT = "motionc, C as Python calls it"
"""With the flags that computations are built with, instead of these."""

FUNCTIONS: dict[Kind, tuple[str, ...]] = {
    Kind.INVERSE: ("rnea",),
    Kind.FORWARD: ("aba, local", "aba, world"),
    Kind.MASS: ("crba, local", "crba, world"),
    Kind.CONSTRAINED: ("pv", "constraintDynamics"),
    Kind.INVERSE_DERIVATIVES: ("computeRNEADerivatives",),
    Kind.FORWARD_DERIVATIVES: ("computeABADerivatives",),
}
"""Pinocchio's functions for a question, as they are called in pinocchio.cpp; where there are two, the faster counts."""

FUNCTIONS_AT_FEET: dict[Kind, tuple[str, ...]] = {
    Kind.POINTS: ("pv, points", "constraintDynamics"),
    Kind.FRAMES: ("pv", "constraintDynamics"),
}
"""The same of robots with feet, all of which are held at once."""

JOINTS = {
    "RX": 0, "RY": 1, "RZ": 2, "PX": 3, "PY": 4, "PZ": 5, "RUBX": 6, "RUBY": 7, "RUBZ": 8,
    "RevoluteUnaligned": 9, "PrismaticUnaligned": 10, "RevoluteUnboundedUnaligned": 11, "FreeFlyer": 12,
}  # fmt: skip
"""Its names of joint types, as numbered in pinocchio.cpp."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The C compiler, its C++ twin, and where headers lie."""

    c: compiler.Compiler
    cpp: str
    headers: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Times:
    """Microseconds a state of one question: our C with either flags, and each of Pinocchio's functions."""

    ours: float
    built: float
    theirs: dict[str, float]

    @property
    def ratio(self) -> float:
        """How many times as long as our C the faster of Pinocchio's functions takes."""
        return min(self.theirs.values()) / self.ours


def times(lines: Sequence[Timing]) -> Times | None:
    """Of the lines of one question; None where somebody has no time."""
    known = {line.contender: line.microseconds for line in lines if line.microseconds is not None}
    if not lines or len(known) < len(lines):
        return None
    return Times(known.pop(OURS), known.pop(OURS_BUILT), known)


# ---------------------------------------------------------------- the race


def race(
    robot: Robot,
    path: Path,
    frame: str,
    rounds: int = ROUNDS,
    *,
    kinds: Sequence[Kind] = tuple(FUNCTIONS),
    feet: Sequence[str] = (),
    states: int = STATES,
    beside: Callable[[Question], Mapping[str, Contender]] = lambda _: {},
    tell: Callable[[str], None] = lambda _: None,
) -> list[Timing]:
    """Every question: our C and each of Pinocchio's functions that answers it, on one core.

    path: where Pinocchio reads the same robot; what it has read is given to its C++ as numbers.
    frame: what six rows hold.
    feet: what is held where all feet are (FUNCTIONS_AT_FEET).
    beside: who else answers a question, in the same rounds.
    """
    tools, lines = find_tools(), list[Timing]()
    tell("compiling Pinocchio's C++, which takes minutes the first time")
    libraries = _theirs_compiled(tools)
    for kind in kinds:
        tell(f"{kind}, compiling")
        try:
            question = ask(kind, robot, frame, states, feet)
        except Absent as reason:
            lines.append(Timing(kind, OURS, note=str(reason)))
            continue
        contenders = {OURS: emitted(question.computation, question.states, tools), OURS_BUILT: ours.scalar(question)}
        for function in (FUNCTIONS | FUNCTIONS_AT_FEET)[kind]:
            contenders[function] = _theirs(question, path, function, libraries)
        contenders |= beside(question)
        with one_core():
            lines += measure(kind, contenders, rounds, agreement=AGREEMENT, tell=tell)
    return lines


def find_tools() -> Tools:
    """What both are compiled with; what is missing is said."""
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    twin = {"gcc": "g++", "clang": "clang++"}.get(tool.kind)
    cpp = shutil.which(twin) if twin else None
    if twin is None or cpp is None:
        raise Absent(f"{tool} has no C++ compiler beside it; install g++, or clang++ and name clang with CC")
    if _version(*tool.command) != _version(cpp):
        raise Absent(f"{tool} and {cpp} are not of the same version")
    return Tools(tool, cpp, headers())


def _version(*command: str) -> str:
    done = subprocess.run([*command, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def headers() -> tuple[Path, ...]:
    """Pinocchio's and Boost's, which its wheel brings along, and Eigen's."""
    try:
        module = import_module("pinocchio")
    except ImportError:
        raise Absent("pinocchio is not installed; pip install pin") from None
    folders = Path(str(module.__file__)).parents
    prefix = next((each for each in folders if (each / "include/pinocchio/algorithm/pv.hpp").is_file()), None)
    if prefix is None:
        raise Absent("this installation of pinocchio has no headers; pip install 'pin>=4'")
    eigen = next((prefix / each for each in EIGEN if (prefix / each / "Eigen").is_dir()), None)
    if eigen is None:
        raise Absent("Eigen's headers are not here; make tools, or install libeigen3-dev")
    return prefix / "include", eigen


# ---------------------------------------------------------------- theirs


def _theirs(question: Question, path: Path, function: str, libraries: Sequence[ctypes.CDLL]) -> Contender:
    """Its function in a loop of C++, on the robot and the states of a question."""
    peer = pinocchio.Peer(import_module("pinocchio"), question.robot, path)
    tree, numbers = tables(peer.model)
    name, held = function.encode(), question.kind is Kind.CONSTRAINED or question.kind in FUNCTIONS_AT_FEET
    frames = [peer.model.frames[peer.frame(each)] for each in question.frames] if held else []
    at = np.array([frame.parentJoint for frame in frames], np.int64)
    places = np.array([[*frame.placement.rotation.ravel(), *frame.placement.translation] for frame in frames])
    rows = 3 if question.kind is Kind.POINTS else 6
    zeros = np.zeros(question.robot.nv)
    x = np.array([np.concatenate(peer.state(*(*state, zeros, zeros)[:3])) for state in question.states])
    width = sum(port.size for port in question.computation.outputs)

    def made(library: ctypes.CDLL) -> ctypes.c_void_p:
        robot = ctypes.c_void_p(library.race_made(ctypes.c_long(len(tree)), _address(tree), _address(numbers)))
        if held:
            library.race_held(robot, name, ctypes.c_long(rows), ctypes.c_long(len(at)), _address(at), _address(places))
        library.race_states(robot, ctypes.c_long(len(x)), _address(x))
        return robot

    robots = [(library, made(library)) for library in libraries]

    def answers() -> Array:
        (library, robot), *_ = robots
        y = np.zeros((len(x), width))
        library.race_answers(robot, name, _address(y), ctypes.c_long(width))
        return np.array([in_our_order(row, peer.order) for row in y])

    blocks = [partial(library.race_block, robot, name) for library, robot in robots]
    return Contender(len(x) * AGAIN, _in_turns(blocks), answers)


def in_our_order(row: Array, order: Any) -> Array:
    """A vector, or square matrices one after the other."""
    n = len(order)
    if len(row) == n:
        return row[order]
    return row.reshape(-1, n, n)[:, order][:, :, order].ravel()


def tables(model: Any) -> tuple[np.ndarray[Any, np.dtype[np.int64]], Array]:
    """Its model as pinocchio.cpp reads it: per joint type and parent, and 34 numbers."""
    data, tree, numbers = model.createData(), list[tuple[int, int]](), list[Array]()
    for k in range(1, model.njoints):
        joint, at, inertia = model.joints[k], model.jointPlacements[k], model.inertias[k]
        kind = joint.shortname().removeprefix("JointModel")
        if kind not in JOINTS:
            raise Absent(f"{model.names[k]} is a {kind} joint there, which is not raced")
        tree.append((JOINTS[kind], model.parents[k]))
        twist = np.zeros(6) if joint.nv != 1 else np.ravel(data.joints[k].S)
        armature = np.zeros(6)
        armature[: joint.nv] = model.armature[joint.idx_v : joint.idx_v + joint.nv]
        axis = twist[:3] + twist[3:]  # one of them is zero
        row = [at.rotation.ravel(), at.translation, [inertia.mass], inertia.lever, inertia.inertia.ravel()]
        numbers.append(np.concatenate([*row, axis, armature]))
    return np.array(tree, np.int64), np.array(numbers)


def _address(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def _theirs_compiled(tools: Tools) -> list[ctypes.CDLL]:
    texts = {"race.cpp": SOURCE.read_text(encoding="utf-8")}
    libraries = _loaded(_compiled(tools, texts, (tools.cpp, *FLAGS, *THEIRS), "Pinocchio's algorithms"))
    for library in libraries:
        library.race_made.restype = ctypes.c_void_p
    return libraries


# ---------------------------------------------------------------- ours


def emitted(computation: Computation, states: Sequence[State], tools: Tools) -> Contender:
    """The very text that `emit` writes, compiled with the flags of this race, in a loop of C.

    While time is taken, each answer replaces the one before it, as in Pinocchio's data.
    """
    texts = computation.sources("c", "raced")
    command = (*tools.c.command, *FLAGS, "-std=gnu99")
    libraries = _loaded(_compiled(tools, texts | {"loop.c": loop(computation)}, command, computation.name))
    x = np.array([np.concatenate([np.ravel(value) for value in state]) for state in states])
    y = np.zeros((len(x), sum(port.size for port in computation.outputs)))
    count, from_x, to_y = ctypes.c_long(len(x)), _address(x), _address(y)

    in_one_place = ctypes.c_long(0)

    def answers() -> Array:
        libraries[0].repeat(count, from_x, to_y, ctypes.c_long(y.shape[1]))
        return y.copy()

    blocks = [partial(library.repeat, count, from_x, to_y, in_one_place) for library in libraries]
    return Contender(len(x) * AGAIN, _in_turns(blocks), answers)


def _in_turns(blocks: Sequence[Callable[[], object]]) -> Callable[[], None]:
    """Each time the next of them, several times."""
    turns = cycle(blocks)

    def block() -> None:
        run = next(turns)
        for _ in range(AGAIN):
            run()

    return block


LOOP = """\
#include "raced.h"

__attribute__((visibility("default"))) void repeat(long count, const double *x, double *y, long apart)
{{
    for (long i = 0; i < count; ++i, x += {given}, y += apart)
        raced({arguments});
}}
"""


def loop(computation: Computation) -> str:
    """C that calls the emitted function once a state; ports lie one after the other."""
    places, given = list[str](), sum(port.size for port in computation.inputs)
    for base, ports in (("x", computation.inputs), ("y", computation.outputs)):
        start = 0
        for port in ports:
            places.append(f"{base} + {start}")
            start += port.size
    return LOOP.format(given=given, arguments=", ".join(places))


# ---------------------------------------------------------------- compiling


def _compiled(tools: Tools, texts: dict[str, str], command: Sequence[str], label: str) -> Path:
    """A shared library from texts by file name, from the build cache or made now."""
    given = (*texts, *texts.values(), *command, *_releases(tools))
    known = cache.key("race", *given, compiler.fingerprint(tools.c, 1))

    def build(output: Path) -> None:
        with cache.workplace(output.parent) as work:
            for file, text in texts.items():
                (work / file).write_text(text, encoding="utf-8", newline="\n")
            sources = [file for file in texts if not file.endswith(".h")]
            folders = [f"-I{folder}" for folder in tools.headers]
            whole = [*command, *folders, *sources, "-o", str(output), "-lm"]
            try:
                done = subprocess.run(whole, cwd=work, capture_output=True, text=True, check=False, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                raise Absent(f"{command[0]} was stopped: {label} took longer than {TIMEOUT:g} s") from None
            if done.returncode:
                said = done.stderr.strip().splitlines() or ["it said nothing"]
                wrong = next((line for line in said if "error" in line), said[-1])
                raise Absent(f"{command[0]} could not compile {label}: {wrong}")

    return cache.fetch(known, ".so", build)


def _loaded(file: Path) -> list[ctypes.CDLL]:
    """The library, from copies of its file."""
    folder = Path(mkdtemp(prefix="race"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copies = [folder / f"{k}{file.suffix}" for k in range(COPIES)]
    return [ctypes.CDLL(str(shutil.copyfile(file, copy))) for copy in copies]


def _releases(tools: Tools) -> list[str]:
    """What headers say about themselves, wherever they lie."""
    about = [folder / file for folder in tools.headers for file in ("pinocchio/config.hpp", EIGEN_VERSION)]
    return [file.read_text(encoding="utf-8", errors="replace") for file in about if file.is_file()]
