"""Loops in time and state in every language: the emitted text runs as the loop that is interpreted, whatever parts and
ports are called, and tests itself.
"""

import ctypes
import importlib.util
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cuda_on_cpu
import motionc as mc
from cpp_build import COMPILERS, STRICT
from languages import C99, called
from matlab_reader import checked
from motionc.program.loop import Loop
from motionc.program.port import Precision
from motionc.runtime.one_lane import Entered
from motionc.runtime.stepping import Stepping
from motionc.targets import LOOPS, TARGETS, loop_c, loop_cpp, loop_lanes
from tiers import needs_compiler

Array = np.ndarray
STEPS, LANES, SEED, LANE = 13, 5, 2**40 + 3, 6
GXX = [*COMPILERS[:1], *STRICT, "-DMOTIONC_NO_EIGEN", "-O0"]
GCC = ["gcc", "-Wall", "-Wextra", "-Werror"]
NUMBER = {"shape": (), "unit": "1", "meaning": "a number"}


def port(name: str, **about: Any) -> mc.Port:
    return mc.Port(name, **NUMBER | about)


def run(turn, i, row, seed, time):
    """Runs every other turn."""
    return {"float": 0.2 * i * (seed[0] - turn) + time, "row": 0.9 * row + seed[2] * np.array([[1.0, 2.0]])}


def step(turn, lane, state, draw_normal):
    """Ends where it is large, and is no number where it is larger."""
    following = turn + 0.1 * lane + state[1, 0] + 0.01 * draw_normal
    large = following * following
    beyond = large / (large < 1e4) - large
    return {"next": following + beyond, "class": large, "y0_0": -0.25 * (large > 4.0) * (large < 1e4)}


@cache
def hostile(precision: Precision = "double") -> Any:
    """Parts and ports that are called as languages, and texts around them, call things themselves."""
    row = mc.State("row", (1, 2), "1", "carried", [0.5, -0.5])
    first = mc.block(
        "run",
        run,
        [port("turn"), port("i"), row, port("seed", shape=(3,)), port("time", unit="s")],
        [port("float")],
        precision=precision,
    )
    second = mc.block(
        "step",
        step,
        [port("turn"), port("lane"), port("state", shape=(2, 2)), port("draw_normal")],
        [port("next"), port("class"), port("y0_0")],
        precision=precision,
    )
    # reads what the part before it has given another value for the next turn
    before = mc.State("was", (), "1", "carried", 0.25)
    third = mc.block("late", lambda turn, was: {"was": 0.5 * was + turn}, [port("turn"), before], precision=precision)
    return mc.loop(
        {"step": first, "run": second, "late": third},
        feeds={"lane": "float"},
        feedback={"turn": "next"},
        held=["i"],
        streamed=["state"],
        drawn={"seed": "uniform", "draw_normal": "normal"},
        clock="time",
        rates={"step": 2},
        log={"turn": 1, "class": 3, "row": 2},
        until="y0_0",
        period=0.01,
        name="turn",
    )


def arrays(loop: Loop) -> tuple[list[Array], list[Array], list[Array], Array]:
    """What lanes are given and carry, room for logs, and for where they end: one lane ends, one is no longer finite."""
    rng, dtype = np.random.default_rng(5), np.float64 if loop.precision == "double" else np.float32
    given = [np.full(LANES, 0.3), 0.1 * rng.normal(size=(LANES, STEPS, 2, 2))]
    given[1][1, 7, 1, 0], given[1][3, 4, 1, 0] = 3.0, 500.0
    start = {"turn": rng.uniform(-0.5, 0.5, LANES), "row": np.tile([[0.5, -0.5]], (LANES, 1, 1))}
    start["was"] = np.full(LANES, 0.25)
    states = [start.get(b.name, np.zeros((LANES, *b.port.shape))) for _, b in loop.states]
    logs = [np.zeros((LANES, STEPS // log.every, *loop.buffers[log.buffer].port.shape)) for log in loop.logs]
    one, two, three = ([array.astype(dtype) for array in side] for side in (given, states, logs))
    return one, two, three, np.zeros((LANES, 2), np.int64)


@cache
def interpreted(precision: Precision) -> tuple[list[Array], Array]:
    """What is logged and carried on at the end, and how many turns each lane made."""
    loop = hostile(precision).loop
    given, states, logs, ends = arrays(loop)
    Stepping(loop).run(range(LANES), 0, STEPS, SEED, LANE, given, states, logs, ends)
    made = ends[:, 0].tolist()
    assert made == [STEPS, 8, STEPS, 5, STEPS]
    assert np.flatnonzero(ends[:, 1] != ends[:, 0]).tolist() == [3]
    return [*logs, *states], ends


def expect_alike(found: list[Array], ends: Array, precision: Precision) -> None:
    known, turns = interpreted(precision)
    assert np.array_equal(ends, turns)
    for one, other in zip(found, known, strict=True):
        close = {"rtol": 1e-12, "atol": 1e-13} if precision == "double" else {"rtol": 2e-5, "atol": 2e-5}
        np.testing.assert_allclose(np.asarray(one, float).reshape(other.shape), other, **close)


# ---------------------------------------------------------------- in C and its relatives


def text_of(target: str, loop: Loop) -> tuple[str, str, list[str]]:
    """A source with an entry that Python can call, what it ends in, and how it is compiled."""
    match target:
        case "c":
            entry = loop_c.lanes_of_one(loop_c.in_words(loop, "turn"), "motionc_loop")
            return "\n".join([loop_c.emit(loop, "turn").together, *entry]), "c", [*GCC, *C99]
        case "c_simd":
            return loop_lanes.emit(loop), "c", GCC
        case _:
            declared, *entry = loop_c.lanes_of_one(loop_cpp.words(loop, "turn"), "motionc_loop")
            text = [loop_cpp.emit(loop, "turn"), f'extern "C" {declared}', *entry]
            return "\n".join(text), "cpp", GXX


@needs_compiler
@pytest.mark.parametrize(("target", "precision"), [("c", "single"), ("c_simd", "double"), ("cpp", "double")])
def test_lanes_are_those_that_are_interpreted(target: str, precision: Precision, tmp_path: Path) -> None:
    loop = hostile(precision).loop
    text, ending, command = text_of(target, loop)
    (tmp_path / f"loop.{ending}").write_text(text)
    called([*command, "-O0", "-fPIC", "-shared", f"loop.{ending}", "-lm", "-o", "loop.so"], tmp_path)
    entry = ctypes.CDLL(str(tmp_path / "loop.so")).motionc_loop
    given, states, logs, ends = arrays(loop)
    Entered(entry)(range(LANES), 0, STEPS, SEED, LANE, given, states, logs, ends)
    expect_alike([*logs, *states], ends, precision)
    expect_the_same_in_parts(entry, loop, logs)


def expect_the_same_in_parts(entry: Any, loop: Loop, logs: list[Array]) -> None:
    """Five turns and then the others: rows of lanes that do not end are those of one run."""
    (held, streamed), states, *_ = arrays(loop)
    rows = list[list[Array]]()
    for first, last in (0, 5), (5, STEPS):
        room = [np.zeros((LANES, last // e.every - first // e.every, *log.shape[2:]), log.dtype)
                for e, log in zip(loop.logs, logs, strict=True)]  # fmt: skip
        given = [held, streamed[:, first:last].copy()]
        ends = np.zeros((LANES, 2), np.int64)
        Entered(entry)(range(LANES), first, last - first, SEED, LANE, given, states, room, ends)
        rows.append(room)
    for whole, *parts in zip(logs, *rows, strict=True):
        assert np.array_equal(np.concatenate(parts, axis=1)[[0, 2, 4]], whole[[0, 2, 4]])


# ---------------------------------------------------------------- in Python and MATLAB


@pytest.mark.parametrize("precision", ["double", "single"])
def test_python_alone_runs_the_same_lanes(precision: Precision, tmp_path: Path) -> None:
    (path,) = hostile(precision).emit("python", tmp_path)
    spec = importlib.util.spec_from_file_location("turn_alone", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    loop = hostile(precision).loop
    given, states, _, _ = arrays(loop)
    found = module.turn(turn_=states[0], i=0.3, state=given[1], steps=STEPS, seed=SEED, lane=LANE)
    assert " ".join(found._fields) == "turn class_ row last_turn last_row was float_ turns finite"
    expect_alike(list(found[:-2]), np.stack([found.turns, found.turns - ~found.finite], axis=1), precision)
    # lanes may stand in any axes, and one alone is that lane
    alone = module.turn(turn_=states[0][4], i=0.3, state=given[1][4], steps=STEPS, seed=SEED, lane=LANE + 4)
    assert np.allclose(alone.turn, found.turn[4])
    assert alone.turns == STEPS
    with pytest.raises(ValueError, match=r"state has shape \(2, 2\); it must end in \(13, 2, 2\)"):
        module.turn(turn_=0.0, i=0.3, state=np.zeros((2, 2)), steps=STEPS)


OCTAVE = """
state = turn_loop_start();
if state.turn ~= 0 || any(state.row ~= [0.5 -0.5]) || state.was ~= 0.25, error('wrong start'); end
state.turn_ = {turn};
state.lane = {lane};
state.seed = bitor(bitshift(uint64({high}), 32), uint64({low}));
row = permute(reshape([{row}], [2 2 {steps} {lanes}]), [2 1 3 4]);
[state, turn_log, class_log, row_log, turns, finite] = turn_loop(state, {steps}, 0.3, row);
said = {{turn_log, class_log, row_log, state.turn_, state.row, state.was, state.float, turns, finite}};
for k = 1:numel(said), fprintf('%.17g ', said{{k}}); fprintf('\\n'); end
"""


def test_matlab_runs_the_same_lanes(tmp_path: Path) -> None:
    loop = hostile().loop
    for path in hostile().emit("matlab", tmp_path):
        checked(path.read_text(encoding="utf-8"))
    if shutil.which("octave-cli") is None:
        pytest.skip("no Octave on this machine")
    given, states, logs, _ = arrays(loop)
    text = OCTAVE.format(
        turn=states[0].tolist(),
        lane=LANE,
        high=SEED >> 32,
        low=SEED & 0xFFFFFFFF,
        row=" ".join(map(repr, given[1].ravel().tolist())),
        steps=STEPS,
        lanes=LANES,
    )
    own = [path.stem for loop in odd() for path in loop.emit("matlab", tmp_path) if path.stem.endswith("_test")]
    (tmp_path / "every.m").write_text(text + "".join(f"{test}();\n" for test in ("turn_loop_test", *own)))
    said = called(["octave-cli", "--norc", "--no-history", "-q", "every.m"], tmp_path).splitlines()
    assert all("relative error" in line for line in said[9:])
    assert len(said) == 10 + len(own)
    numbers = [np.array([float(word) for word in line.split()]) for line in said[:9]]
    # in memory lanes are last, as they are first here
    found = [values.reshape(array.shape) for values, array in zip(numbers, (*logs, *states), strict=False)]
    made, finite = numbers[7], numbers[8]
    expect_alike(found, np.stack([made, made - (1 - finite)], axis=1).astype(np.int64), "double")


# ---------------------------------------------------------------- files that test themselves


@cache
def arm() -> Any:
    """A robot that follows a task, with a kernel in it; all of it from the catalogue."""
    robot = mc.load("planar2")
    task = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")], regularisation=1e-3)
    return mc.loop(
        {"task": task, "plant": mc.step(robot, 1e-3)},
        feeds={"plant.tau": "tau_command"},
        feedback={"q": "q_next", "v": "v_next"},
        held=["tau", "b"],
        log={"q": 5},
        rates={"task": 4},
        name="reaching",
    )


def own_test(target: str, folder: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    """What a file of the arm says of itself, or another text instead of it."""
    paths = arm().emit(target, folder, force=True)
    match target:
        case "c" | "c_simd":
            source = paths[-1]
            source.write_text(text or source.read_text(encoding="utf-8"))
            called([*GCC, "-O0", "-DSELF_TEST", source.name, "-lm", "-o", "own"], folder)
        case "cpp":
            called([*GXX, paths[1].name, "-o", "own"], folder)
        case "cuda":
            translated = cuda_on_cpu.translated(paths[0].read_text(encoding="utf-8"))
            (folder / "own.cpp").write_text(translated)
            called([COMPILERS[0], *cuda_on_cpu.STRICT, "-DSELF_TEST", "own.cpp", "-o", "own"], folder)
        case _:
            return subprocess.run([sys.executable, "-I", paths[0]], capture_output=True, text=True, check=False)
    return subprocess.run([folder / "own"], capture_output=True, text=True, check=False)


@needs_compiler
@pytest.mark.parametrize("target", [target for target in LOOPS if target != "matlab"])
def test_files_test_themselves(target: str, tmp_path: Path) -> None:
    done = own_test(target, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 turns of 3 lanes, largest relative error" in done.stdout


@needs_compiler
def test_a_wrong_turn_is_found_by_the_self_test(tmp_path: Path) -> None:
    text = arm().sources("c")["planar2_reaching.c"]
    wrong = text.replace("state->turn % 4 == 0", "state->turn % 5 == 0")
    assert wrong != text
    assert own_test("c", tmp_path, wrong).returncode == 1


def odd() -> Any:
    """Loops without state, without logs, with inputs that nobody reads, and with nothing in them."""
    empty = [port("x"), port("none", shape=(0,))]
    then = [port("y"), port("none_next", shape=(0,))]
    yield mc.loop([mc.block("w", lambda t: {"y": t * t}, [port("t", unit="s")], [port("y")])], clock="t", log=["y"])
    two = mc.block("two", lambda x, h, d: {"y": 0.5 * x, "z": h * d}, list(map(port, "xhd")), [port("y"), port("z")])
    yield mc.loop([two], feedback={"x": "y"}, held=["h"], drawn={"d": "uniform"})
    whole = mc.block("e", lambda x, none: {"y": 0.5 * x, "none_next": none}, empty, then)
    yield mc.loop([whole], feedback={"x": "y", "none": "none_next"}, log={"none": 2, "x": 1})
    unheard = mc.block("unheard", lambda x: {"z": 2.0 * x}, [port("x")], [port("z")])
    yield mc.loop([unheard, whole], feedback={"x": "y", "none": "none_next"})
    shadow = mc.block("shadow", lambda none, t: {"y": t}, [empty[1], port("t", unit="s")], then[:1])
    yield mc.loop([shadow], streamed=["none"], clock="t", log=["y"])


@needs_compiler
@pytest.mark.parametrize("target", ["c", "c_simd"])
def test_odd_loops_compile_without_a_warning(target: str, tmp_path: Path) -> None:
    for loop in odd():
        called([*GCC, "-O0", "-DSELF_TEST", loop.emit(target, tmp_path)[-1].name, "-lm", "-o", "own"], tmp_path)
        assert "20 turns of 3 lanes" in called([str(tmp_path / "own")], tmp_path)


def test_odd_loops_run_in_python() -> None:
    for loop in odd():
        (text,) = loop.sources("python").values()
        scope: dict[str, Any] = {"__name__": "alone"}
        exec(text, scope)
        assert scope["self_test"]() < 1e-9


def test_what_has_no_loops_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(mc.Error, match="turn: maxima has no loops in time; emit it in c, c_simd, cpp"):
        hostile().emit("maxima", tmp_path)
    with pytest.raises(mc.Error, match="target='fortran'; say 'c' or"):
        hostile().sources("fortran")
    assert {*LOOPS} == {*TARGETS} - {"maxima"}


CHUNKS = """#include "turn.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    turn_state one, two;
    double i = 0.3, row[4 * 20], logs[2][20], squares[2][10], states[2][20], square;
    for (int k = 0; k < 4 * 20; ++k) row[k] = 0.01 * k;
    turn_start(&one);
    if (one.row_[0] != 0.5 || one.row_[1] != -0.5 || one.was[0] != 0.25) return 1;
    one.seed = 3, one.lane = 1;
    two = one;
    const long long made = turn_run(&one, 20, &i, row, logs[0], squares[0], states[0]);
    turn_run(&two, 5, &i, row, logs[1], squares[1], states[1]);
    for (int k = 5; k < 7; ++k) turn_step(&two, &i, row + 4 * k, &square);
    turn_run(&two, 13, &i, row + 4 * 7, logs[1] + 7, squares[1] + 2, states[1] + 3);
    printf("%d %d %d", (int)made, memcmp(&one, &two, sizeof one), logs[0][12] == logs[1][12]);
    return squares[0][5] != squares[1][5];
}
"""


@needs_compiler
def test_a_run_may_be_cut_anywhere(tmp_path: Path) -> None:
    hostile().emit("c", tmp_path)
    (tmp_path / "main.c").write_text(CHUNKS)
    called([*GCC, *C99, "-O0", "main.c", "turn.c", "-lm", "-o", "chunks"], tmp_path)
    assert called([str(tmp_path / "chunks")], tmp_path).split()[1:] == ["0", "1"]


# ---------------------------------------------------------------- computations that carry state


def filtered(x, i, w):
    return {"state": i + w[0, 1] * x, "i": i + 0.1 * (x - i), "w": 0.5 * w + x}


@cache
def stateful(precision: Precision = "double") -> mc.Computation:
    """A filter called as its struct would be, whose state is called as loops count."""
    ports = [port("x"), mc.State("i", (), "1", "slow", 0.25), mc.State("w", (2, 2), "1", "fast", [1.0, 2.0, 3.0, 4.0])]
    return mc.block("state", filtered, ports, [port("state")], precision=precision)


STEPPING = """#include "{header}"
#include <stdio.h>

int main(void)
{{
    {space}state_state carried;
    {space}state_start(&carried);
    for (int k = 0; k < 3; ++k) {{
        const {real} x = ({real})(k + 1);
        {real} found;
        {space}state_step(&carried, &x, &found);
        printf("%.17g %.17g %.17g ", (double)found, (double)carried.i[0], (double)carried.w_[3]);
    }}
    return 0;
}}
"""


@needs_compiler
@pytest.mark.parametrize(("target", "precision"), [("c", "single"), ("cpp", "double")])
def test_a_step_carries_state_on(target: str, precision: Precision, tmp_path: Path) -> None:
    f, real = stateful(precision), "double" if precision == "double" else "float"
    files = f.emit(target, tmp_path)
    ending = "c" if target == "c" else "cpp"
    space = "" if target == "c" else "state::"
    (tmp_path / f"main.{ending}").write_text(STEPPING.format(header=files[0].name, real=real, space=space))
    command = [*GCC, *C99, "main.c", "state.c", "-lm"] if target == "c" else [*GXX, "main.cpp"]
    called([*command, "-o", "main"], tmp_path)
    found = [float(word) for word in called(["./main"], tmp_path).split()]
    state, expected = (*f.start(),), list[float]()
    for x in (1.0, 2.0, 3.0):
        out = f(x, *state)
        expected += [out[0], out.i, out.w[1, 1]]
        state = (out.i, out.w)
    assert found == pytest.approx(expected, rel=1e-14 if precision == "double" else 1e-6)
    # its own test goes by the struct, too
    source = ["-DSELF_TEST", "state.c"] if target == "c" else ["state_test.cpp"]
    called([*(GCC if target == "c" else GXX), *source, "-lm", "-o", "own"], tmp_path)
    assert "largest relative error" in called([str(tmp_path / "own")], tmp_path)


def test_only_what_is_carried_on_has_a_struct() -> None:
    plain, derivative = mc.energy(mc.load("planar2")), stateful().derivative("state", "x")
    for computation in (plain, derivative):
        texts = {**computation.sources("c"), **computation.sources("cpp")}
        assert not any(word in text for text in texts.values() for word in ("_step(", "_start(", "struct"))
