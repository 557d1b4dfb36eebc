"""The life of one question: from `mc.constrained_dynamics(robot, rows)(q, v, tau, b)` to machine code and its answer.

Every call of a function of ours is listed. The walk has stages, each with a door: the one function through which it is
entered. A door opens once, the stages come in order, in each of them only the rooms work whose stage it is, and a file
that was left is not come back to.

What that leaves out, and why: reading an attribute (a property) is no work. VOCABULARY is what is handed on from room
to room, and knows how to answer for itself, and the doors (checked.py) at which wrong arguments are refused. AROUND
stands around the walk: it looks into the build cache before anything is traced, has the garbage collector rest
meanwhile, says what is waited for and what help will say, and keeps what was built after. And a solver is read twice,
as always: once without numbers when it is made (check), once on symbols when it is first called (trace); files are not
come back to within each.
"""

import re
import sys
from collections.abc import Callable
from functools import cached_property
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.runtime.build import compiler, python_abi
from repository import REPOSITORY

HOME = Path(mc.__file__).parent
Calls = list[tuple[str, str]]
"""File and function."""

READING = {"sweeps", "solvers", "geometry", "model", "program"}
"""Schedules walk; operations are the solvers'; relations and joints answer; programs are written."""

STAGES: dict[str, tuple[tuple[str, str], set[str]]] = {
    # made
    "options": (("computations/making.py", "made_of"), READING | {"computations"}),
    "check": (("sweeps/solver.py", "Solver.check"), READING),
    "results": (("runtime/results.py", "record_type"), {"runtime"}),
    # called for the first time
    "call": (("runtime/computation.py", "Computation.__call__"), {"runtime"}),
    "identity": (("sweeps/solver.py", "Solver.identity"), {"sweeps", "model"}),
    "trace": (("sweeps/trace.py", "shortest"), READING),
    "passes": (("program/passes/__init__.py", "optimise"), {"program"}),
    # program says how what is printed is split into functions, and what goes side by side
    "emit": (("targets/c.py", "emit"), {"targets", "program"}),
    "call stub": (("runtime/build/call_stub.py", "entry"), {"runtime"}),
    "compile": (("runtime/build/compiler.py", "compile_library"), {"runtime"}),
    "load": (("runtime/build/python_abi.py", "builtin"), {"runtime"}),
}
"""The door of each stage, and the rooms that work in it."""

MAKING, CALLING = tuple(STAGES)[:3], tuple(STAGES)[3:]
VOCABULARY = (
    *("checked.py", "real.py", "program/port.py", "program/program.py", "program/names.py"),
    *("program/instructions/", "program/kernels/", "program/foreign.py"),
)
AROUND = (
    *("runtime/computation.py", "runtime/build/library.py", "runtime/build/cache.py", "runtime/build/progress.py"),
    *("sources.py", "code_digest.py", "collector.py", "runtime/words.py"),
)


def attributes() -> set[tuple[str, str]]:
    """The functions behind attributes that are read."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("motionc.")]
    classes = [each for module in modules for each in vars(module).values() if isinstance(each, type)]
    members = [member for each in classes for member in vars(each).values()]
    getters = [member.fget for member in members if isinstance(member, property)]
    getters += [member.func for member in members if isinstance(member, cached_property)]
    return {named(getter.__code__) for getter in getters if hasattr(getter, "__code__")}


def named(code: CodeType) -> tuple[str, str]:
    """File and function."""
    path = Path(code.co_filename)
    file = path.relative_to(HOME).as_posix() if path.is_relative_to(HOME) else ""
    return file, code.co_qualname


def listed(walk: Callable[[], Any]) -> Calls:
    """The functions of ours that are called, in order; a generator that goes on is not called again."""
    seen: list[CodeType] = []
    generators: set[FrameType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(HOME)) and frame not in generators:
            seen.append(code)
            if code.co_flags & CO_GENERATOR:
                generators.add(frame)

    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(None)
    read = attributes()
    calls = map(named, seen)
    return [(file, name) for file, name in calls if (file, name.partition(".<locals>")[0]) not in read]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    """Of the two-link arm, nothing built before; what is imported is imported."""
    if compiler.find_compiler() is None or not python_abi.supported():
        pytest.skip("there is no C compiler on this machine, or no builtin function")
    q, v, tau, b = np.zeros((4, 2))
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("MOTIONC_TIER", raising=False)

        def asked() -> Any:
            return mc.constrained_dynamics(mc.load("planar2"), [mc.Constraint("tip", "xy")])(q, v, tau, b)

        patched.setenv("MOTIONC_CACHE", str(tmp_path_factory.mktemp("before")))
        asked()
        robot = mc.load("planar2")
        patched.setenv("MOTIONC_CACHE", str(tmp_path_factory.mktemp("cold")))
        return listed(lambda: mc.constrained_dynamics(robot, [mc.Constraint("tip", "xy")])(q, v, tau, b))


def stages(walk: Calls) -> list[str]:
    """The stage of each call: that of the last door opened."""
    doors = {door: stage for stage, (door, _) in STAGES.items()}
    now, found = "", list[str]()
    for call in walk:
        now = doors.get(call, now)
        found.append(now)
    return found


def test_the_page_tells_of_the_same_stages_doors_and_rooms() -> None:
    page = (REPOSITORY / "docs" / "inside" / "life_of_a_question.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| \[([\w ]+)\]\(#([\w-]+)\) \| `(\S+)` `(\S+)` \| (.*) \|$", page, re.MULTILINE)
    told = {stage: ((file, door), set(rooms.split(", "))) for stage, _, file, door, rooms in lines}
    assert list(told.items()) == list(STAGES.items())
    headings = [heading.lower().replace(" ", "-") for heading in re.findall(r"^## (.*)$", page, re.MULTILINE)]
    assert headings == [place for _, place, *_ in lines]


def test_each_door_is_opened_once_and_in_order(walk: Calls) -> None:
    doors = [door for door, _ in STAGES.values()]
    assert [call for call in walk if call in doors] == doors


def test_in_each_stage_its_own_rooms_work_and_no_others(walk: Calls) -> None:
    strangers = {
        (stage, file, function)
        for stage, (file, function) in zip(stages(walk), walk, strict=True)
        if stage and not file.startswith(VOCABULARY + AROUND) and file.partition("/")[0] not in STAGES[stage][1]
    }
    assert strangers == set()


@pytest.mark.parametrize("part", [MAKING, CALLING], ids=["made", "called"])
def test_no_file_is_come_back_to(walk: Calls, part: tuple[str, ...]) -> None:
    at: dict[str, set[int]] = {}
    for stage, (file, _) in zip(stages(walk), walk, strict=True):
        if stage in part and not file.startswith(VOCABULARY + AROUND):
            at.setdefault(file, set()).add(part.index(stage))
    again = {file: [part[k] for k in sorted(when)] for file, when in at.items() if max(when) - min(when) >= len(when)}
    assert again == {}


def test_the_second_call_comes_to_no_file_at_all(walk: Calls) -> None:
    computation = mc.constrained_dynamics(mc.load("planar2"), [mc.Constraint("tip", "xy")])
    q, v, tau, b = np.zeros((4, 2))
    computation(q, v, tau, b)
    again = listed(lambda: computation(q, v, tau, b))
    assert {file for file, _ in again} <= {"runtime/results.py"}
