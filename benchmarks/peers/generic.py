"""A library that knows no robot: generic.c reads a tree from tables, with the compiler and flags of generated code.

It is what generated code is compared with. A mass matrix takes as many inverse dynamics as there are joints, its
inverse as many forward dynamics.
"""

import ctypes
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionc.benchmark.timing import Absent, Array, Contender
from motionc.model import JointType, Robot
from motionc.runtime.build import cache, compiler
from peers.fused import floats, fused_bodies

SOURCE = Path(__file__).with_name("generic.c")
COUNTING = "#define COUNTING\n"
MOST = 64
"""Bodies, as in generic.c."""


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """A robot in rows: per body its parent and whether it slides; per body 26 numbers; then the tip and its body."""

    tree: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    table: Array

    @property
    def joints(self) -> int:
        return len(self.tree)


def tables(robot: Robot, frame: str) -> Tables:
    """What generic.c reads; `frame` is whose Jacobian is asked for."""
    if floats(robot):
        raise Absent("its trees stand: no floating base")
    bodies = fused_bodies(robot)
    if len(bodies) > MOST:
        raise Absent(f"it has room for {MOST} joints")
    at, pose = robot.mechanism.frames[frame]
    rows = [
        np.concatenate(
            [
                body.pose[:3, :3].ravel(),
                body.pose[:3, 3],
                [body.mass],
                body.com,
                body.inertia.ravel(),
                [body.rotor],
            ]
        )
        for body in bodies
    ]
    tip = np.append(np.asarray(pose.matrix, float)[:3, 3], at)
    tree = [(body.parent, body.type is JointType.PRISMATIC) for body in bodies]
    return Tables(np.array(tree, np.int64), np.concatenate([*rows, tip]))


def answered(name: str, robot: Robot, frame: str, x: Array, found: int) -> Contender:
    """The C function of that name in a loop of C: x holds a state in each row, answers have `found` numbers."""
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    given, y = tables(robot, frame), np.zeros((len(x), found))
    library = ctypes.CDLL(str(_built(tool, "")))
    asked = ctypes.cast(library[name], ctypes.c_void_p)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (given.tree, given.table, x, y)]
    tree, table, from_x, to_y = pointers

    def block() -> None:
        library.repeat(
            ctypes.c_long(len(x)), asked, ctypes.c_long(given.joints), tree, table,
            from_x, ctypes.c_long(x.shape[1]), to_y, ctypes.c_long(found),
        )  # fmt: skip

    def answers() -> Array:
        block()
        return y.copy()

    return Contender(len(x), block, answers)


def operations(name: str, robot: Robot, frame: str) -> int:
    """How many arithmetic operations it does for this robot, counted while it does them."""
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    given, n = tables(robot, frame), robot.nv
    x, y = np.zeros(3 * n), np.zeros(n * n + 6 * n)
    library = ctypes.CDLL(str(_built(tool, COUNTING)))
    count = ctypes.c_long.in_dll(library, "operations")
    before = count.value
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (given.tree, given.table, x, y)]
    library[name](ctypes.c_long(given.joints), *pointers)
    return count.value - before


def _built(tool: compiler.Compiler, head: str) -> Path:
    text = head + SOURCE.read_text(encoding="utf-8")

    def build(output: Path) -> None:
        compiler.compile_library(tool, text, output, instructions=1, label="a library that knows no robot")

    return cache.fetch(cache.key("generic", text, compiler.fingerprint(tool, 1)), ".so", build)
