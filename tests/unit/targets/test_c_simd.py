"""Batches in C: every lane agrees with the scalar reading, in any layout, number and width; nothing else is touched."""

import ctypes
import math
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from batches import CC, COMPILERS, EXACT, FUSED, TYPES, Array, Strided, batch, call, compiled, needs_compiler
from boxes import KINDS, random_box
from cpp_build import COMPILERS as CXX
from instructions import SPECIAL, functions, meanings
from motionc.program import Instruction, Program
from motionc.program.kernels import KERNELS
from motionc.program.kernels.box import steps as most_steps
from motionc.program.kernels.box_solve import box_solve
from motionc.program.kernels.lu_solve import lu_solve
from motionc.program.passes import together
from motionc.program.program import call_data
from motionc.program.sizes import LANES, Cut
from motionc.program.split import parts, slots
from motionc.solvers.derivatives import pairs
from motionc.sweeps import Port
from motionc.targets import c, c_simd, lanes_entry
from mutants import tree
from trials import LONG, some

WIDEST = {"double": 8, "single": 16}
TOLERANCE = {"double": 1e-12, "single": 1e-4}
COUNT = 2 * 16 + 5
both = pytest.mark.parametrize("precision", TYPES)
EACH_LANE = [("floating", "double"), ("planar2", "single"), ("floating", "single"), ("planar2", "double")]
EACH_LANE += [(robot, precision) for robot in ("lwr4", "tree") for precision in TYPES]

DENSE = ["truncated_solve", "ldlt_solve", "range_solve", "truncated_inverse"]


def error(found: Array, expected: Array) -> float:
    return float(np.max(np.abs(found - expected)) / max(1.0, np.max(np.abs(expected))))


# ---------------------------------------------------------------- dynamics


@cache
def computation(robot: str, kind: str) -> mc.Computation:
    loaded = {"tree": lambda: tree(False), "floating": lambda: tree(True)}.get(robot, lambda: mc.load(robot))()
    frame = {"lwr4": "link_7", "planar2": "tip"}.get(robot, "tool")
    make: dict[str, Callable[[], mc.Computation]] = {
        "inverse": lambda: mc.inverse_dynamics(loaded),
        "forward": lambda: mc.forward_dynamics(loaded),
        "constrained": lambda: mc.constrained_dynamics(
            loaded,
            [mc.Constraint(frame, {"planar2": "x", "tree": "x y"}.get(robot, "xyz"))],
            actuated=loaded.joint_names,
        ),
    }
    return make[kind]()


@cache
def states(robot: str, kind: str, count: int) -> tuple[list[Array], list[Array]]:
    """Random inputs of a computation and what it says to them, one state after the other."""
    question, rng = computation(robot, kind), np.random.default_rng(count)
    # values that single precision holds exactly, so that both precisions are asked the same question
    given = [np.float32(rng.normal(size=(count, port.size))).astype(float) for port in question.inputs]
    answers = [question(*(array[i] for array in given)) for i in range(count)]
    rows = [[a] if len(question.outputs) == 1 else list(a.values()) for a in answers]
    expected = [np.array([np.ravel(row[k]) for row in rows]) for k in range(len(question.outputs))]
    return given, expected


@needs_compiler
@pytest.mark.parametrize(("robot", "precision"), some(EACH_LANE, 2))
@pytest.mark.parametrize("kind", ["inverse", "forward", "constrained"])
def test_every_lane_agrees_with_the_scalar_reading(robot: str, kind: str, precision: str) -> None:
    given, expected = states(robot, kind, COUNT)
    for flags in (EXACT, FUSED) if LONG or kind == "constrained" else (EXACT,):
        found = batch(computation(robot, kind).program, given, precision, flags)
        assert max(map(error, found, expected)) < TOLERANCE[precision]


@needs_compiler
@pytest.mark.parametrize("precision", some(TYPES))
@pytest.mark.parametrize("kind", some(["constrained", "forward"]))
def test_any_number_of_states_gives_the_same_bits(kind: str, precision: str) -> None:
    program = computation("tree", kind).program
    given, _ = states("tree", kind, COUNT)
    whole = batch(program, given, precision)
    for count in range(2 * WIDEST[precision] + 2):
        found = batch(program, [array[:count] for array in given], precision)
        assert all(np.array_equal(a, b[:count]) for a, b in zip(found, whole, strict=True))


@needs_compiler
@both
def test_rows_columns_steps_and_one_value_for_all_are_the_same_states(precision: str) -> None:
    program = computation("tree", "inverse").program
    (q, v, a), _ = states("tree", "inverse", COUNT)
    q, v, a = (array.astype(TYPES[precision]) for array in (q, v, a))
    n, real = q.shape[1], TYPES[precision]
    library = compiled(c_simd.emit(program, "program", precision), EXACT)

    def layouts(array: Array) -> list[Strided]:
        spread = np.full((len(array) * 3, n * 2), np.nan, real)
        spread[::3, ::2] = array
        backward = array[::-1].copy()
        return [
            (array, n, 1),
            (array.T.copy(), 1, len(array)),
            (spread, 6 * n, 2),
            (backward[-1:], -n, 1),
        ]

    for count in (1, 3, 19, len(q)):
        expected = np.empty((count, n), real)
        call(library, count, [(x, n, 1) for x in (q, v, a)], [(expected, n, 1)])
        for q_like in layouts(q):
            for v_like in layouts(v):
                out = np.empty((n, count), real)
                call(library, count, [q_like, v_like, (a, n, 1)], [(out, 1, count)])
                assert np.array_equal(out.T, expected)

        # one velocity for all states, one acceleration for all joints
        out = np.full((count + 1, 2 * n), np.nan, real)
        call(library, count, [(q, n, 1), (v[:1], 0, 1), (a[0, :1], 0, 0)], [(out, 2 * n, 2)])
        alike = [q[:count], np.tile(v[0], (count, 1)), np.full((count, n), a[0, 0])]
        assert np.array_equal(out[:count, ::2], batch(program, alike, precision)[0])
        assert np.isnan(out[count:]).all()
        assert np.isnan(out[:, 1::2]).all()


@cache
def outer_product() -> Program:
    """y_ij = x_i x_j, a symmetric matrix: each product once, in two places; then an input, and a constant."""
    n = 9
    pairs = [(i, j) for i in range(n) for j in range(i + 1)]
    steps = [Instruction("input", (), (0, i)) for i in range(n)]
    steps += [Instruction("mul", pair) for pair in pairs]
    steps.append(Instruction("const", (), 1.5))
    place = {pair: n + k for k, pair in enumerate(pairs)}
    results = tuple(place[max(i, j), min(i, j)] for i in range(n) for j in range(n)), (0, len(steps) - 1)
    ports = Port("y", (n, n), "1", "out"), Port("z", (2,), "1", "out")
    return Program("outer", "y = x x^T", (Port("x", (n,), "1", "in"),), ports, tuple(steps), results)


WIDTHS = [("gcc", 64), ("gcc", 32), ("gcc", 16), ("clang", 64), ("clang", 32), ("clang", 16)]


@needs_compiler
@both
@pytest.mark.parametrize(("compiler", "width"), some(WIDTHS, 3))
@pytest.mark.parametrize(
    ("large", "held"), [(8_000_000, lanes_entry.HELD), (1_000, lanes_entry.HELD), (1_000, 200), (1_000, 1)]
)
def test_tiles_of_any_length_layout_and_size_reach_their_places_alone(
    precision: str, compiler: str, width: int, large: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not here")
    program, real = outer_product(), TYPES[precision]
    # what a block has is more than is at hand: few go together, more of them where rows are written, or several keep
    # their outputs alone
    monkeypatch.setattr(lanes_entry, "HELD", held)
    monkeypatch.setattr(lanes_entry, "ROWS_HELD", 2 * held)
    monkeypatch.setattr(lanes_entry, "NEARBY", min(held, lanes_entry.NEARBY))
    monkeypatch.setattr(lanes_entry, "PARTS_AT_HAND", 0)
    text = c_simd.emit(program, "program", precision)
    assert ("lanes kept[" in text) == (held == 1)
    assert ("BLOCKS = 7 * 64" in text and "BLOCKS : 3 * 64" in text) == (held == 200)
    if large < 8_000_000:
        assert "LARGE = 8000000" in text
        assert "WIDE = 16 * FULL" in text
        text = text.replace("LARGE = 8000000", f"LARGE = {large}").replace("WIDE = 16", "WIDE = 2")
    library = compiled(text, (*EXACT, f"-DVECTOR_BYTES={width}"), shutil.which(compiler))
    x = np.random.default_rng(9).normal(size=(300, 9)).astype(real)
    y = (x[:, :, None] * x[:, None, :]).reshape(300, 81)
    z = np.column_stack([x[:, 0], np.full(300, 1.5)])
    for count in (1, 7, 64, 128, 131, 256, 300):
        for room, start in ((0, 0), (64, 0), (64, 3), (7, 3)):
            # (N, ...) with room between states, (..., N) with room between rows; neither need start with a line
            apart = [(81 + room, 1), (1, count + room)]
            for (state, element), rows in zip(apart, (False, True), strict=True):
                memory, other = (np.full(200_000, np.nan, real) for _ in range(2))
                first = -memory.ctypes.data % 64 // memory.itemsize + start
                given = (x[:count].T.copy(), 1, count) if rows else (x, 9, 1)
                call(library, count, [given], [(memory[first:], state, element), (other, 2, 1)])
                index = first + state * np.arange(count)[:, None] + element * np.arange(81)
                assert np.array_equal(memory[index], y[:count])
                assert np.array_equal(other[: 2 * count].reshape(count, 2), z[:count])
                memory[index] = np.nan
                assert np.isnan(memory).all()
                assert np.isnan(other[2 * count :]).all()


@needs_compiler
@both
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("n", [80, 81])
def test_long_states_go_past_caches_in_pieces(n: int, precision: str, twice: bool) -> None:
    """Each piece to its place, whole ones or one number at last, whether or not a table says where they come from."""
    count, real = 64, TYPES[precision]
    # each number once, or most of them in two places
    places = [min(k, n - 1 - k) if twice else k for k in range(n)]
    squares = [Instruction("mul", (k, k)) for k in sorted({*places})]
    steps = *(Instruction("input", (), (0, k)) for k in range(n)), *squares
    results, ports = tuple(n + k for k in places), (Port("x", (n,), "1", "in"), Port("y", (n,), "1", "out"))
    text = c_simd.emit(Program("squares", "y = x^2", ports[:1], ports[1:], steps, (results,)), "program", precision)
    assert ("at_0[]" in text) == twice
    text = text.replace("LARGE = 8000000", "LARGE = 1000").replace("WIDE = 16", "WIDE = 1")
    library = compiled(text, EXACT)
    x = np.random.default_rng(3).normal(size=(count, n)).astype(real)
    for start in (0, 3):
        memory = np.full(count * n + 64, np.nan, real)
        first = -memory.ctypes.data % 64 // memory.itemsize + start
        call(library, count, [(x, n, 1)], [(memory[first:], n, 1)])
        found = memory[first : first + count * n].reshape(count, n)
        assert np.array_equal(found, x[:, places] ** 2)
        assert np.isnan(memory[:first]).all()
        assert np.isnan(memory[first + count * n :]).all()


@needs_compiler
@pytest.mark.parametrize("room", [0, 7])
def test_lines_that_two_states_share_go_past_caches_whole(room: int) -> None:
    """Of states that follow each other at once all lines but the first and the last of a block."""
    n, count, lanes = 81, 64, 8
    (library, streamed) = counting(outer_product(), 1_000, ("-DVECTOR_BYTES=64",))
    memory, x = np.full((count + 1) * (n + room), np.nan), np.random.default_rng(3).normal(size=(count, 9))
    line, other = -memory.ctypes.data % 64 // memory.itemsize, np.zeros((count, 2))
    streamed.value = 0
    call(library, count, [(x, 9, 1)], [(memory[line + 3 :], n + room, 1), (other, 2, 1)])
    whole = [(3 + k * (n + room), n) for k in range(count)] if room else [(3, lanes * n)] * (count // lanes)
    assert streamed.value == sum((start + size) // 8 - -(-start // 8) for start, size in whole)


@needs_compiler
def test_what_caches_do_not_keep_goes_past_them_and_nothing_else_does() -> None:
    """Rows, and columns, of as many states as are more than so many bytes in all."""
    library, streamed = counting(outer_product(), 100_000)
    assert all(streams(library, streamed, 512, element) for element in (1, 512))
    assert not any(streams(library, streamed, 64, element) for element in (1, 64))
    text = c_simd.emit(outer_product(), "program")
    assert "    __sync_synchronize();" in text, "what went past caches is there when the call returns"


@needs_compiler
@both
@pytest.mark.parametrize("width", [64, 32, 16])
def test_rows_of_any_number_of_states_end_where_they_end(precision: str, width: int) -> None:
    """States side by side, rows behind each other or apart: what follows a row is left alone, or the next row."""
    real, text = TYPES[precision], c_simd.emit(outer_product(), "program", precision)
    library = compiled(text, (*EXACT, f"-DVECTOR_BYTES={width}"))
    for count in (*range(1, 36), 129, 140, 260):
        for apart in (count, count + 1, count + 40):
            x = np.random.default_rng(count).normal(size=(9, count)).astype(real)
            y, z = np.full((81, apart), np.nan, real), np.full((2, apart), np.nan, real)
            call(library, count, [(x, 1, count)], [(y, 1, apart), (z, 1, apart)])
            assert np.array_equal(y[:, :count].reshape(9, 9, count), x[:, None] * x[None])
            assert np.array_equal(z[:, :count], [x[0], np.full(count, 1.5)])
            assert np.isnan(y[:, count:]).all()
            assert np.isnan(z[:, count:]).all()


@pytest.mark.parametrize(("size", "fences"), [(63, 0), (64, 1)])
def test_a_call_ends_with_a_fence_where_an_output_may_go_past_caches(size: int, fences: int) -> None:
    steps = [Instruction("input", (), (0, 0)), *(Instruction("add", (k, 0)) for k in range(size))]
    ports = Port("x", (1,), "1", "in"), Port("y", (size,), "1", "out")
    program = Program("p", "y = f(x)", ports[:1], ports[1:], tuple(steps), (tuple(range(1, size + 1)),))
    text = c_simd.emit(program, "p")
    assert text.count("__sync_synchronize();") == fences
    assert "#define MANY 64 " in text, "what is large is the same where it is decided to go past caches"


@needs_compiler
def test_ports_of_few_numbers_never_go_past_caches() -> None:
    """Nothing waits for them there."""
    text = c_simd.emit(TURN, "program").replace("LARGE = 8000000", "LARGE = 100")
    assert "__sync_synchronize" not in text
    library = compiled("long streamed;\n" + text.replace("STREAM((lanes *)", "++streamed, STREAM((lanes *)"), EXACT)
    memory = np.zeros((3, 1024 + 8))
    rows = [row[-row.ctypes.data % 64 // 8 :] for row in memory]
    for element in (1, 512):
        x, *found = ((row, 1, element) for row in rows)
        call(library, 512, [x], found)
    assert ctypes.c_long.in_dll(library, "streamed").value == 0


def counting(program: Program, large: int, flags: tuple[str, ...] = ()) -> tuple[ctypes.CDLL, ctypes.c_long]:
    """A program that counts what it sends past caches, ports of so many bytes and more, and its counter."""
    text = c_simd.emit(program, "program").replace("LARGE = 8000000", f"LARGE = {large}")
    counted = text.replace("STREAM((lanes *)", "++streamed, STREAM((lanes *)")
    assert counted.count("++streamed") == 2
    known = "#ifdef STREAM\nlong known = 1;\n#else\nlong known;\n#endif\n"
    library = compiled(f"long streamed;\n{counted}\n{known}", (*EXACT, *flags))
    if not ctypes.c_long.in_dll(library, "known").value:
        pytest.skip("this compiler has no such stores")
    return library, ctypes.c_long.in_dll(library, "streamed")


def streams(library: ctypes.CDLL, streamed: ctypes.c_long, count: int, element: int) -> int:
    """How often it does, of outer products of so many states."""
    x, z = np.ones((count, 9)), np.empty((count, 2))
    memory = np.empty(81 * count + 8)
    y = memory[-memory.ctypes.data % 64 // 8 :]
    streamed.value = 0
    call(library, count, [(x, 9, 1)], [(y, 81 if element == 1 else 1, element), (z, 2, 1)])
    return streamed.value


SEEN = """
enum { ROOM = 1 << 16 };
const void *seen_lines[2][ROOM];
long seen[2];
static void see(const void *line, int written)
{
    if (seen[written] < ROOM) seen_lines[written][seen[written]++] = line;
}
"""


@needs_compiler
@pytest.mark.parametrize("width", [64, 32, 16])
@pytest.mark.parametrize("held", [lanes_entry.HELD, 1])
@pytest.mark.parametrize("size", [LANES, Cut(12, 12)])
def test_what_is_read_next_and_where_answers_go_is_brought_near(
    size: Cut, held: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line of packed states, and none far beyond them; where not all is packed, or little, nothing is."""
    monkeypatch.setattr(lanes_entry, "HELD", held)
    monkeypatch.setattr(lanes_entry, "NEARBY", min(held, lanes_entry.NEARBY))
    text = c_simd.emit(outer_product(), "program", size=size)
    for written in (0, 1):
        prefetch = f"__builtin_prefetch(line, {written});"
        assert text.count(prefetch) == 1
        text = text.replace(prefetch, f"see(line, {written});")
    assert "FAR = 1000000" in text
    flags = (*EXACT, f"-DVECTOR_BYTES={width}")
    library = compiled(SEEN + text.replace("FAR = 1000000", "FAR = 100000"), flags)
    count, lines = 1024, {}
    x, y, z = (np.ones((2 * count, n)) for n in (9, 81, 2))
    for laid, rows in (("packed", count), ("apart", count), ("few", 64)):
        step = 2 if laid == "apart" else 1
        ctypes.memset(ctypes.addressof(ctypes.c_long.in_dll(library, "seen")), 0, 16)
        call(library, rows, [(x, 9 * step, 1)], [(y, 81 * step, 1), (z, 2 * step, 1)])
        seen = (ctypes.c_long * 2).in_dll(library, "seen")
        kept = (ctypes.c_void_p * 2**17).in_dll(library, "seen_lines")
        lines[laid] = [np.array(kept[w << 16 : (w << 16) + seen[w]], np.int64) for w in (0, 1)]
    assert all(len(found) == 0 for laid in ("apart", "few") for found in lines[laid])
    # of what is read all but the first and the last block; of what is written all but what the last blocks take
    (read, written), tile = lines["packed"], 16 * 64 // 8
    for array, found, some_of in ((x, read, range(tile, count - tile)), (y, written, range(count - 2 * tile))):
        row, start = array.itemsize * array.shape[1], array.ctypes.data
        wanted = np.arange((start + some_of[0] * row) // 64, (start + some_of[-1] * row) // 64)
        assert np.isin(wanted, found // 64).all()
    both = ((x, read), (y, written), (z, written))
    inside = [(found >= a.ctypes.data) & (found < a.ctypes.data + a.nbytes // 2 + 4096) for a, found in both]
    assert inside[0].all()
    together = tile if held > 1 and size != LANES else width // 8
    assert read.min() == x.ctypes.data + together * x.itemsize * x.shape[1], (
        "what is read next comes, not what is there"
    )
    assert (inside[1] | inside[2]).all()


@needs_compiler
@pytest.mark.parametrize("width", [64, 32, 16])
@pytest.mark.parametrize("held", [lanes_entry.HELD, 1])
@pytest.mark.parametrize("size", [LANES, Cut(12, 12)])
def test_of_rows_that_are_nowhere_near_pieces_are_brought(
    size: Cut, held: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line of every row once: of inputs all but the first tile, of outputs all but the last two; of less none."""
    monkeypatch.setattr(lanes_entry, "HELD", held)
    monkeypatch.setattr(lanes_entry, "NEARBY", min(held, lanes_entry.NEARBY))
    text = c_simd.emit(outer_product(), "program", size=size)
    for written in (0, 1):
        text = text.replace(f"__builtin_prefetch(line, {written});", f"see(line, {written});")
    assert "FARTHER = 2000000" in text
    text = text.replace("FARTHER = 2000000", "FARTHER = 300000").replace("FAR = 1000000", "FAR = 0")
    library = compiled(SEEN + text, (*EXACT, f"-DVECTOR_BYTES={width}"))
    seen = (ctypes.c_long * 2).in_dll(library, "seen")
    for count, asked in ((1024, True), (256, False)):
        seen[:] = 0, 0
        x, y, z = (np.ones((n, count + 8)) for n in (9, 81, 2))
        call(library, count, [(x, 1, count + 8)], [(array, 1, count + 8) for array in (y, z)])
        kept = (ctypes.c_void_p * 2**17).in_dll(library, "seen_lines")
        read, written = (np.array(kept[w << 16 : (w << 16) + seen[w]], np.int64) for w in (0, 1))
        assert bool(len(read)) == bool(len(written)) == asked
        if not asked:
            continue
        for found, arrays in ((read, [x]), (written, [y, z])):
            assert len(found) == len(np.unique(found)), "each line once"
            rows = [row for array in arrays for row in array]
            places = [(found - row.ctypes.data) // 8 for row in rows]
            own = [place[(place >= 0) & (place < count)] for place in places]
            # by the last number of each piece, which may lie in a line that the others do not
            assert all(place % 8 == 7 for each in own for place in each)
            own = [place - 7 for place in own]
            assert sum(map(len, own)) == len(found), "nothing beyond the states of a row"
            assert len({tuple(sorted(place)) for place in own}) == 1, "of all rows the same"
            first, last = own[0].min(), own[0].max()
            assert np.array_equal(np.sort(own[0]), np.arange(first, last + 8, 8)), "without a gap"
            ahead = (first, count - 8 - last)
            assert ahead[0] > 0 if found is read else ahead[1] > 0
            assert ahead[1] == 0 if found is read else ahead[0] == 0


@needs_compiler
def test_what_goes_past_caches_is_not_brought_near() -> None:
    text = c_simd.emit(outer_product(), "program").replace("LARGE = 8000000", "LARGE = 100000")
    text = text.replace("FAR = 1000000", "FAR = 1000")
    asked = text.replace("bring_near(outputs[0]", "++near, bring_near(outputs[0]")
    known = "#ifdef STREAM\nlong known = 1;\n#else\nlong known;\n#endif\n"
    library = compiled(f"long near;\n{asked}\n{known}", EXACT)
    if not ctypes.c_long.in_dll(library, "known").value:
        pytest.skip("this compiler has no such stores")
    near = ctypes.c_long.in_dll(library, "near")
    assert streams(library, near, 64, 1)
    assert not streams(library, near, 512, 1)


def test_what_nothing_reads_is_not_brought_near() -> None:
    program = outer_product()
    text = c_simd.emit(replace(program, inputs=(*program.inputs, Port("w", (9,), "1", "in"))), "program")
    assert "bring_near(inputs[0]" in text
    assert "inputs[1]" not in text


@needs_compiler
@both
@pytest.mark.parametrize("held", [lanes_entry.HELD, 1])
def test_of_a_port_all_that_is_read_is_there(precision: str, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is near, with what lies between, and what is far."""
    monkeypatch.setattr(lanes_entry, "HELD", held)
    monkeypatch.setattr(lanes_entry, "NEARBY", min(held, lanes_entry.NEARBY))
    read = 0, 3, 30, 39
    steps = *(Instruction("input", (), (0, k)) for k in read), *(Instruction("mul", (k, k)) for k in range(4))
    ports = Port("x", (40,), "1", "in"), Port("y", (4,), "1", "out")
    program = Program("squares", "y = x^2", ports[:1], ports[1:], steps, ((4, 5, 6, 7),))
    x = np.random.default_rng(4).normal(size=(COUNT, 40)).astype(TYPES[precision])
    library = compiled(c_simd.emit(program, "program", precision), EXACT)
    for given in ((x, 40, 1), (x.T.copy(), 1, COUNT)):
        found = np.full((COUNT, 4), np.nan, x.dtype)
        call(library, COUNT, [given], [(found, 4, 1)])
        assert np.array_equal(found, x[:, read] ** 2)


@needs_compiler
def test_blocks_that_take_much_and_give_little_go_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes_entry, "HELD", 1)
    monkeypatch.setattr(lanes_entry, "NEARBY", 1)
    assert "BLOCKS = 1 * 64" in c_simd.emit(computation("tree", "inverse").program, "program")
    given, expected = states("tree", "inverse", COUNT)
    found = batch(computation("tree", "inverse").program, given)
    assert max(map(error, found, expected)) < TOLERANCE["double"]


def test_what_waits_has_room_behind_inputs_where_blocks_keep_their_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes_entry, "HELD", 1)
    monkeypatch.setattr(lanes_entry, "NEARBY", 1)
    steps = [Instruction("input", (), (0, k)) for k in range(9)] + [Instruction("sin", (k,)) for k in range(9)]
    steps += [Instruction("mul", (9 + k // 9, k % 9)) for k in range(81)]
    ports = Port("x", (9,), "1", "in"), Port("y", (81,), "1", "out")
    text = c_simd.emit(Program("p", "y = f(x)", ports[:1], ports[1:], tuple(steps), (tuple(range(18, 99)),)), "p")
    (room,), (live,) = re.findall(r"lanes work\[(\d+)\]", text), re.findall(r"APART_Y = 81, LIVE = (\d+)", text)
    (turns,) = re.findall(r"turns\(x \+ 0, (\d+), live \+ \d+, live \+ (\d+)\);", text)
    assert sum(map(int, turns)) + int(live) <= int(room)


@needs_compiler
def test_programs_that_read_nothing_compile_without_warnings() -> None:
    """What a lift weighs, and the force that holds it, are the same everywhere."""
    lift = mc.load(
        """<robot name="lift"><link name="base"/><link name="cabin"><inertial><mass value="3"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="up" type="prismatic"><parent link="base"/><child link="cabin"/><axis xyz="0 0 1"/>
        <limit lower="0" upper="9" effort="50" velocity="1"/></joint></robot>"""
    )
    for computation, value in ((mc.mass_matrix(lift), 3.0), (mc.gravity_forces(lift), 3 * 9.81)):
        (found,) = batch(computation.program, [np.zeros((9, port.size)) for port in computation.inputs])
        np.testing.assert_allclose(found, value)


def test_kernels_write_where_outputs_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """What all of an output is, or half of what a kernel gives, is not copied number by number."""
    monkeypatch.setattr(pairs, "PAIRED_OUT", 2)
    monkeypatch.setattr(c_simd, "LANES_WRITTEN_OUT", 0)
    change = mc.inverse_dynamics(mc.load("humanoid")).derivative("tau", ["q", "v"])
    text = c_simd.emit(change.program, "program")
    assert len(re.findall(r"^    tree_pairs_\w+\(.*, y(?: \+ \d+)?\);$", text, re.MULTILINE)) == 2
    assert not re.findall(r"^    y\[", text, re.MULTILINE)
    assert "static const int at_" not in text
    monkeypatch.setattr(pairs, "PAIRED_OUT", 20)
    acceleration = mc.forward_dynamics(mc.load("hyq")).derivative("a", ["q", "v", "tau"])
    text = c_simd.emit(acceleration.program, "program")
    assert len(re.findall(r"^    tree_solve_\w+\(.*, y(?: \+ \d+)?\);$", text, re.MULTILINE)) == 2
    assert len(re.findall(r"^    y\[", text, re.MULTILINE)) < 50


def test_kernels_along_a_tree_are_written_out_as_long_as_programs_stay_short(monkeypatch: pytest.MonkeyPatch) -> None:
    change = mc.forward_dynamics(mc.load("hyq")).derivative("a", ["q", "v"]).program
    assert "tree_" not in c_simd.emit(change, "program")
    *short, (_, longest) = sorted(
        (sum(call.operations().values()), call.kernel) for call in (call_data(step) for _, step in change.calls())
    )
    assert longest == "tree_solve"
    most = len(change.instructions) + sum(size for size, _ in short)
    for limit, left in ((most, {"tree_solve"}), (most - 1, {"tree_solve", "tree_factor"})):
        monkeypatch.setattr(c_simd, "LANES_WRITTEN_OUT", limit)
        assert {*re.findall(r"^ *(tree_[a-z]+)_\w+\(", c_simd.emit(change, "program"), re.MULTILINE)} == left


@pytest.mark.parametrize("outputs", [100, 3_000, 10_000, 40_000])
def test_blocks_take_no_more_of_the_stack_than_they_may(outputs: int) -> None:
    steps = [Instruction("input", (), (0, 0))]
    steps += [Instruction("add", (k, 0)) for k in range(outputs)]
    ports = Port("x", (1,), "1", "in"), Port("y", (outputs,), "1", "out")
    program = Program("p", "y = f(x)", ports[:1], ports[1:], tuple(steps), (tuple(range(1, outputs + 1)),))
    text = c_simd.emit(program, "p")
    sizes = {word: int(size) for word, size in re.findall(r"(BLOCKS|APART_Y|ALL) = (\d+)", text)}
    per_block = sizes.get("APART_Y") or sizes["ALL"]
    assert sizes["BLOCKS"] * per_block <= max(lanes_entry.HELD, lanes_entry.KEPT, per_block)
    # and several go together wherever that is little
    assert sizes["BLOCKS"] > 1 or 2 * per_block > lanes_entry.KEPT


@needs_compiler
@both
@pytest.mark.parametrize("kind", ["forward", "constrained"])
def test_nan_in_one_lane_stays_in_its_lane(kind: str, precision: str) -> None:
    program = computation("tree", kind).program
    given, _ = states("tree", kind, COUNT)
    whole = batch(program, given, precision)
    for lane in (0, 5, 36):
        spoilt = [array.copy() for array in given]
        spoilt[0][lane] = np.nan
        others = np.arange(len(given[0])) != lane
        found = batch(program, spoilt, precision)
        assert np.isnan(found[0][lane]).any()
        assert all(np.array_equal(a[others], b[others]) for a, b in zip(found, whole, strict=True))


@needs_compiler
@pytest.mark.parametrize("precision", some(["single", "double"]))
def test_all_widths_give_the_same_bits(precision: str) -> None:
    program = computation("tree", "constrained").program
    given, _ = states("tree", "constrained", COUNT)
    found = [batch(program, given, precision, (*EXACT, f"-DVECTOR_BYTES={width}")) for width in (16, 32, 64)]
    for other in found[1:]:
        assert all(map(np.array_equal, found[0], other))


@pytest.mark.skipif(len(COMPILERS) < 2, reason="only one of gcc and clang is here")
@pytest.mark.parametrize("precision", some(TYPES))
def test_gcc_and_clang_agree(precision: str) -> None:
    program = computation("tree", "constrained").program
    given, expected = states("tree", "constrained", COUNT)
    for compiler in COMPILERS:
        found = batch(program, given, precision, compiler=compiler)
        assert max(map(error, found, expected)) < TOLERANCE[precision]


# ---------------------------------------------------------------- the text


@needs_compiler
def test_a_header_is_all_that_callers_read(tmp_path: Path) -> None:
    """In C and in C++; twice is once."""
    for path in computation("planar2", "inverse").emit("c_simd", tmp_path, "arm"):
        assert path.name in ("arm_batch.h", "arm_batch.c")
    subprocess.run([str(CC), *EXACT, "-pedantic", "-c", "arm_batch.c", "-o", "arm.o"], cwd=tmp_path, check=True)
    call = "arm_batch(0, 0, 0, 0, 0, 0, 0);"
    text = f'#include "arm_batch.h"\n#include "arm_batch.h"\nint main(void) {{ {call} return 0; }}\n'
    for tool, suffix in ((CC, "c"), *((tool, "cpp") for tool in CXX)):
        (tmp_path / f"main.{suffix}").write_text(text, encoding="utf-8")
        strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99" if suffix == "c" else "-std=c++17"]
        command = [str(tool), *strict, f"main.{suffix}", "arm.o", "-lm", "-o", "main"]
        subprocess.run(command, cwd=tmp_path, check=True)
        subprocess.run([str(tmp_path / "main")], check=True)


def limited() -> Program:
    """A six-jointed arm whose motors have limits: a search, and a solve of rows that may depend on each other."""
    arm = mc.load("ur5")
    tip = mc.Constraint(arm.link_names[-1], "rx ry rz x y z")
    return mc.constrained_dynamics(arm, [tip], limits=dict.fromkeys(arm.joint_names, 50.0)).program


def kept_loops() -> Program:
    """Derivatives along four legs, solved by kernels."""
    return mc.forward_dynamics(mc.load("quadruped")).derivative("a", ["q", "v", "tau"]).program


@needs_compiler
@pytest.mark.parametrize("tool", ["gcc", "clang"])
@pytest.mark.parametrize("make", [outer_product, limited, kept_loops])
def test_a_header_says_how_much_stack_a_call_takes(
    make: Callable[[], Program], tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the compiler says of the entry, of a part and a kernel in it; and no more than a half too much."""
    if not (compiler := shutil.which(tool)):
        pytest.skip(f"there is no {tool} here")
    monkeypatch.setattr(c_simd, "LANES_WRITTEN_OUT", 0)
    written = c_simd.sources(make(), "program", "double")
    (said,) = map(int, re.findall(r"at most (\d+) bytes", written.header))
    (tmp_path / "program_batch.h").write_text(written.header, encoding="utf-8")
    (tmp_path / "lanes.c").write_text(written.source, encoding="utf-8")
    command = [compiler, *lanes_entry.OPTIMISED.split(), "-fstack-usage", "-c", "lanes.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    lines = (tmp_path / "lanes.su").read_text(encoding="utf-8").splitlines()
    usage = {line.split("\t")[0].split(":")[-1]: int(line.split("\t")[1]) for line in lines}
    entry = usage.pop("program_batch")
    inner = [
        max((size for name, size in usage.items() if name.startswith("part_") == part), default=0) for part in (1, 0)
    ]
    assert entry + sum(inner) <= said < 1.5 * (entry + sum(inner)) + lanes_entry.SPILLED


@pytest.mark.parametrize("name", ['a;system("x")//', "*/ int evil; /*", "größe", "for", "3d", "x" * 300, "a\\\nb"])
def test_no_name_reaches_source_text_unescaped(name: str) -> None:
    port = Port("x", (1,), name, name)
    program = Program(name, name, (port,), (port,), (Instruction("input", (), (0, 0)),), ((0,),))
    text = c_simd.emit(program, name)
    (entry,) = re.findall(r"^void (\w+_batch)\(.*;$|^void (\w+_batch)\(", text, re.MULTILINE)[:1]
    assert re.fullmatch(r"[A-Za-z]\w{0,68}", "".join(entry))
    assert text.count("/*") == text.count("*/")
    if CC:
        compiled(text, EXACT)


# ---------------------------------------------------------------- parts


@pytest.mark.parametrize("limit", [20, 100, 1000, 10**6])
@pytest.mark.parametrize("kind", ["inverse", "forward", "constrained"])
def test_parts_cover_the_program_and_hand_on_what_is_needed(kind: str, limit: int) -> None:
    program = together(computation("floating", kind).program)
    steps, cut = program.instructions, parts(program, limit)
    assert [i for part in cut for i in part.steps] == list(range(len(steps)))
    assert all(len(part.steps) <= limit for part in cut)
    holds: dict[int, int] = {}
    for part in cut:
        assert not set(part.needs.values()) & set(part.gives.values())
        assert all(holds[slot] == value for value, slot in part.needs.items())
        for i in part.steps:
            for arg in steps[i].args:
                assert arg in part.steps or arg in part.needs or steps[arg].op in ("const", "input")
        holds |= {slot: value for value, slot in part.gives.items()}
    assert len(holds) == slots(cut)
    # slots are used again: there are fewer than values handed on
    assert len(cut) < 10 or len(holds) < sum(len(part.gives) for part in cut)


def test_picks_follow_their_call_and_sines_their_cosines() -> None:
    program = computation("floating", "constrained").program
    steps = together(program).instructions
    assert sorted(step.op for step in steps) == sorted(step.op for step in program.instructions)
    assert all(arg < i for i, step in enumerate(steps) for arg in step.args)
    for i, step in enumerate(steps):
        if step.op == "pick":
            assert steps[i - 1].op == "call" or steps[i - 1].args == step.args
    turns = [(i, step) for i, step in enumerate(steps) if step.op in ("sin", "cos")]
    for (i, one), (k, other) in zip(turns[::2], turns[1::2], strict=True):
        assert k == i + 1
        assert one.args == other.args


def test_what_is_kept_elsewhere_is_not_handed_over() -> None:
    program = together(computation("floating", "inverse").program)
    kept = {i for i, step in enumerate(program.instructions) if step.op in ("sin", "cos")}
    usual, less = (parts(program, 50, each) for each in ((), kept))
    assert any(kept & part.gives.keys() for part in usual)
    assert not any(kept & (part.gives.keys() | part.needs.keys()) for part in less)
    assert slots(less) < slots(usual)


def test_what_one_call_gives_is_never_parted() -> None:
    program = together(computation("floating", "constrained").program)
    steps = program.instructions
    for limit in (1, 2, 3):
        for part in parts(program, limit):
            first, before = (steps[part.steps[0] - k] for k in (0, 1))
            assert first.op != "pick"
            assert first.op not in ("sin", "cos") or before.args != first.args


@needs_compiler
@pytest.mark.parametrize("kind", some(["constrained", "forward"]))
def test_a_program_in_parts_gives_the_same_bits(kind: str) -> None:
    program = computation("floating", kind).program
    given, _ = states("floating", kind, COUNT)
    whole = batch(program, given, size=Cut(10**6, 10**6))
    for longest in (40, 300):
        assert all(map(np.array_equal, whole, batch(program, given, size=Cut(longest, longest))))


# ---------------------------------------------------------------- instructions, one by one


@needs_compiler
@both
@np.errstate(all="ignore")
def test_every_instruction_does_in_lanes_what_it_does_to_one_number(precision: str) -> None:
    real = TYPES[precision]
    x = np.array([(a, b, 2 * b) for a in SPECIAL for b in SPECIAL], real)
    expected = meanings(x)
    (found,) = batch(functions(*expected), [x], precision)
    for k, op in enumerate(expected):
        # sine and cosine are NaN beyond their range, and tested below
        tested = np.abs(x[:, 0]) < 1e5 if op in ("sin", "cos") else slice(None)
        close = np.isclose(found[tested, k], expected[op][tested], rtol=4 * np.finfo(real).eps, atol=0, equal_nan=True)
        assert close.all(), op


@needs_compiler
@both
def test_constants_and_inputs_can_be_outputs(precision: str) -> None:
    x, y = Port("x", (2,), "1", "in"), Port("y", (4,), "1", "out")
    steps = (
        Instruction("const", (), 0.1),
        Instruction("const", (), -2.5),
        Instruction("input", (), (0, 1)),
        Instruction("sin", (1,)),
    )
    program = Program("p", "y = f(x)", (x,), (y,), steps, ((0, 1, 2, 3),))
    given = np.arange(38.0).reshape(19, 2)
    (found,) = batch(program, [given], precision)
    expected = np.column_stack([np.full(19, 0.1), np.full(19, -2.5), given[:, 1], np.full(19, math.sin(-2.5))])
    assert np.allclose(found, expected, rtol=1e-7 if precision == "single" else 1e-15)


@needs_compiler
@pytest.mark.parametrize(
    ("kernel", "precision"),
    [*((kernel, "double") for kernel in DENSE), *((kernel, "single") for kernel in some(DENSE))],
)
def test_kernels_do_in_lanes_what_their_definition_does(kernel: str, precision: str) -> None:
    rng, tolerance = np.random.default_rng(3), {"double": 1e-11, "single": 2e-3}[precision]
    for blocks in some([(6,), (2, 1, 3), (1,), (2,), (3,), (1, 2), (3, 3)], 3):
        m, solve = sum(blocks), KERNELS[kernel].with_policy(blocks, None)
        outputs = solve.call(m).outputs
        inputs = [Instruction("input", (), (port, k)) for port, size in ((0, m * m), (1, m)) for k in range(size)]
        call_step = Instruction("call", tuple(range(solve.call(m).inputs)), solve.call(m))
        picks = [Instruction("pick", (len(inputs),), k) for k in range(outputs)]
        ports = Port("a", (m, m), "1", "matrix"), Port("r", (m,), "1", "right side")
        last = len(inputs) + 1
        program = Program(
            kernel,
            "x = f(a, r)",
            ports,
            (Port("x", (outputs,), "1", "out"),),
            (*inputs, call_step, *picks),
            (tuple(range(last, last + outputs)),),
        )

        # well-conditioned matrices of every rank, side by side
        matrices = []
        for i in range(37):
            rank = m if kernel == "ldlt_solve" else i % (m + 1)
            basis = np.linalg.qr(rng.normal(size=(m, m)))[0][:, :rank]
            matrices.append(basis @ np.diag(rng.uniform(0.5, 2, rank)) @ basis.T)
        a, r = np.array(matrices), rng.normal(size=(37, m))
        if kernel == "range_solve":
            r = np.einsum("nij,nj->ni", a, r)
        (found,) = batch(program, [a.reshape(37, m * m), r], precision)
        for matrix, right, x in zip(a, r, found.astype(float), strict=True):
            asked = [right[:, None]] if solve.right else []
            expected = np.concatenate(solve.numpy(matrix, *asked))[:, 0]
            # which of many solutions is nobody's promise, nor which of two equal pivots comes first
            if kernel == "range_solve":
                assert error(matrix @ x[:m], right) < tolerance
            else:
                numbers = solve.sizes(m)[0]
                assert error(x[:numbers], expected[:numbers]) < tolerance
            if kernel != "ldlt_solve":
                assert x[-2] == expected[-2]
                assert 0.3 < x[-1] / expected[-1] < 3


@needs_compiler
@pytest.mark.parametrize("precision", some(TYPES))
@pytest.mark.parametrize("blocks", some([(6, 2, 1, 1), (1, 0, 1), (4, 0, 2)]))
def test_the_box_active_set_does_in_lanes_and_for_one_number_what_its_definition_does(
    blocks: tuple[int, ...], precision: str
) -> None:
    rng, solve, most = np.random.default_rng(5), box_solve(blocks), most_steps(blocks)
    call_of = solve.call(sum(blocks))
    inputs = [Instruction("input", (), (0, k)) for k in range(call_of.inputs)]
    steps = (*inputs, Instruction("call", tuple(range(len(inputs))), call_of))
    picks = tuple(Instruction("pick", (len(inputs),), k) for k in range(call_of.outputs))
    ports = (Port("x", (len(inputs),), "1", "a box"),), (Port("y", (call_of.outputs,), "1", "out"),)
    results = tuple(range(len(steps), len(steps) + len(picks)))
    program = Program("box", "y = f(x)", *ports, (*steps, *picks), (results,))
    boxes = [random_box(rng, blocks, KINDS[k % len(KINDS)]) for k in range(37)]
    x = np.array([box.rows.ravel() for box in boxes])
    (lanes,) = batch(program, [x], precision)
    one = compiled(c.emit(program, "program", precision).together, EXACT)
    for box, given, found in zip(boxes, x.astype(TYPES[precision]), lanes, strict=True):
        alone = np.empty_like(found)
        one.program(*(ctypes.c_void_p(array.ctypes.data) for array in (given, alone)))
        n, (lower, upper) = blocks[0], box.bounds.astype(TYPES[precision]).T
        for y in (found, alone):
            assert np.all((lower <= y[:n]) & (y[:n] <= upper))
        expected = np.concatenate(solve.numpy(box.rows))[:, 0]
        # of the same motion, however the contacts share
        motions = [box.P @ y[:n].astype(float) for y in (found, alone, expected)]
        if precision == "double":
            # where entries may come and go in any order, rounding says in which, and who is in doubt says so
            if max(found[-1], alone[-1]) < most:
                assert error(motions[0], motions[1]) < 1e-9
            if box.kind != "just possible":
                assert found[-1] < most
                assert error(motions[0], motions[2]) < 1e-9
                assert found[-1] == alone[-1] == expected[-1]
        else:
            assert error(motions[0], motions[1]) < 1e-2


@needs_compiler
@both
def test_rows_change_places_in_each_lane_for_itself(precision: str) -> None:
    m, columns, rng = 5, 2, np.random.default_rng(8)
    call_of = lu_solve(m, columns)
    inputs = [Instruction("input", (), (0, k)) for k in range(call_of.inputs)]
    steps = (*inputs, Instruction("call", tuple(range(len(inputs))), call_of))
    picks = tuple(Instruction("pick", (len(inputs),), k) for k in range(call_of.outputs))
    ports = (Port("x", (len(inputs),), "1", "A, R"),), (Port("y", (call_of.outputs,), "1", "X, rank"),)
    program = Program("lu", "y = f(x)", *ports, (*steps, *picks), (tuple(range(len(steps), len(steps) + len(picks))),))
    # rows of orthogonal matrices in any order, a pivot 0 in some; the last one has an empty column
    A = np.array([np.linalg.qr(rng.normal(size=(m, m)))[0][rng.permutation(m)] for _ in range(37)])
    A[::3, 0, 0] = 0.0
    A[-1, :, 2] = 0.0
    R = rng.normal(size=(37, m, columns))
    x = np.concatenate([A.reshape(37, -1), R.reshape(37, -1)], axis=1).astype(TYPES[precision])
    (lanes,) = batch(program, [x], precision)
    one = compiled(c.emit(program, "program", precision).together, EXACT)
    for k, (given, found) in enumerate(zip(x, lanes, strict=True)):
        alone = np.empty_like(found)
        one.program(*(ctypes.c_void_p(array.ctypes.data) for array in (given, alone)))
        assert error(found, alone) < TOLERANCE[precision]
        if k < 36:
            assert error(found[:-1].reshape(m, columns), np.linalg.solve(A[k], R[k])) < TOLERANCE[precision]
        else:
            assert np.isfinite(found).all()
            assert np.all(found[2 * columns : 3 * columns] == 0.0)
        assert found[-1] == alone[-1] == m - (k == 36)


# ---------------------------------------------------------------- sine and cosine

TURN = Program(
    "turn",
    "s = sin x, c = cos x",
    (Port("x", (1,), "rad", "in"),),
    (Port("s", (1,), "1", "out"), Port("c", (1,), "1", "out")),
    (Instruction("input", (), (0, 0)), Instruction("sin", (0,)), Instruction("cos", (0,))),
    ((1,), (2,)),
)
LIMIT = 2.0**19 * math.pi / 2


def turn(x: Array, precision: str, flags: tuple[str, ...] = EXACT) -> tuple[Array, Array]:
    sine, cosine = batch(TURN, [x.reshape(-1, 1)], precision, flags)
    return sine[:, 0], cosine[:, 0]


@needs_compiler
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="long double is no better than double here")
@pytest.mark.parametrize(
    ("flags", "precision"),
    some([(EXACT, "double"), (FUSED, "single"), (FUSED, "double"), (EXACT, "single")], 2),
    ids=lambda way: {EXACT: "exact", FUSED: "fused"}.get(way, way),
)
def test_sine_and_cosine_are_within_one_unit_in_the_last_place_two_in_single_precision(
    flags: tuple[str, ...], precision: str
) -> None:
    """0.78 and 1.50 are reached, fused or not."""
    rng, real, quarter = np.random.default_rng(0), TYPES[precision], np.longdouble("1.57079632679489661923132169164")
    numbers = np.concatenate([np.arange(-4000, 4001), rng.integers(-524_280, 524_280, 120_000)])
    turns = numbers.astype(np.longdouble) * quarter
    points = [rng.uniform(-1e5, 1e5, 200_000), rng.uniform(-8e5, 8e5, 100_000), rng.uniform(-4, 4, 200_000)]
    points += [10.0 ** rng.uniform(-37, 0, 20_000), -(10.0 ** rng.uniform(-37, 0, 20_000))]
    # quarter turns and the edges between quadrants, with their neighbours
    for edge in (turns, turns + quarter / 2):
        nearest = edge.astype(real)
        points += [nearest, np.nextafter(nearest, real(math.inf)), np.nextafter(nearest, real(-math.inf))]
    x = np.concatenate([np.asarray(p, real) for p in points])
    for found, exact in zip(turn(x, precision, flags), (np.sin, np.cos), strict=True):
        expected = exact(x.astype(np.longdouble))
        unit = np.spacing(np.abs(expected).astype(real))
        assert np.max(np.abs(found - expected) / unit) < {"double": 0.8, "single": 1.6}[precision]
        assert np.max(np.abs(found)) <= 1


@needs_compiler
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="other processors always have this step")
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="long double is no better than double here")
@both
def test_where_products_and_sums_are_two_steps_they_are_as_exact(precision: str) -> None:
    flags = (*EXACT, "-mno-avx512f", "-mno-fma")
    rng, real, quarter = np.random.default_rng(1), TYPES[precision], np.longdouble("1.57079632679489661923132169164")
    nearest = (rng.integers(-524_280, 524_280, 50_000).astype(np.longdouble) * quarter).astype(real)
    anywhere = [rng.uniform(-limit, limit, 200_000).astype(real) for limit in (8e5, 4)]
    x = np.concatenate([nearest, *anywhere])
    for found, exact in zip(turn(x, precision, flags), (np.sin, np.cos), strict=True):
        expected = exact(x.astype(np.longdouble))
        units = np.abs(found - expected) / np.spacing(np.abs(expected).astype(real))
        assert np.max(units) < {"double": 1.05, "single": 2}[precision]
    left = np.array([823550.0, -1e10, 3e38]).astype(real)
    for found, exact in zip(turn(left, precision, flags), (np.sin, np.cos), strict=True):
        np.testing.assert_array_max_ulp(found, exact(left), 1)


@needs_compiler
@both
def test_beyond_what_vectors_reach_the_library_answers_and_zero_keeps_its_sign(precision: str) -> None:
    inside = [0.0, -0.0, 1e-30, -1e-30, 823549.0, -823549.0]
    outside = [823550.0, -823550.0, 1e10, -1e15, 1e30, -3e38]
    none = [math.nan, math.inf, -math.inf]
    x = np.array(inside + outside + none).astype(TYPES[precision])
    # whatever stands beside it
    for order in (np.arange(len(x)), np.random.default_rng(0).permutation(len(x)), np.arange(len(inside))):
        for found, exact in zip(turn(x[order], precision), (np.sin, np.cos), strict=True):
            with np.errstate(invalid="ignore"):
                expected = exact(x[order])
            assert np.array_equal(np.isnan(found), np.isnan(expected))
            np.testing.assert_array_max_ulp(found[~np.isnan(found)], expected[~np.isnan(expected)], 2)
    sine, cosine = turn(x, precision)
    assert np.array_equal(np.signbit(sine[:4]), [False, True, False, True])
    assert np.array_equal(cosine[:4], np.ones(4))
    assert inside[4] < LIMIT < outside[0]


@needs_compiler
def test_sine_and_cosine_of_one_value_are_computed_once_and_by_one_call() -> None:
    text = c_simd.emit(computation("lwr4", "inverse").program, "program")
    operations = computation("lwr4", "inverse").operations
    (count,) = re.findall(r"^    turns\(x \+ \d+, (\d+), ", text, re.MULTILINE)
    assert int(count) == max(operations["sin"], operations["cos"])


@needs_compiler
@both
def test_a_run_may_begin_with_a_cosine(precision: str) -> None:
    steps = [Instruction("input", (), (0, k)) for k in range(3)]
    steps += [Instruction(op, (k,)) for k in range(3) for op in ("cos", "sin")]
    ports = Port("x", (3,), "1", "in"), Port("y", (6,), "1", "out")
    program = Program("p", "y = f(x)", ports[:1], ports[1:], tuple(steps), (tuple(range(3, 9)),))
    x = np.linspace(-3, 3, 60).reshape(20, 3).astype(TYPES[precision])
    (found,) = batch(program, [x], precision)
    np.testing.assert_allclose(found[:, ::2], np.cos(x), rtol=0, atol=2 * np.finfo(x.dtype).eps)
    np.testing.assert_allclose(found[:, 1::2], np.sin(x), rtol=0, atol=2 * np.finfo(x.dtype).eps)


@needs_compiler
@both
def test_angles_that_need_sines_of_others_are_a_run_of_their_own(precision: str) -> None:
    found = [Port(name, (2,), "1", name) for name in ("s", "c", "b")]

    def angles(q: Array) -> dict[str, Array]:
        return {"s": np.sin(q[::2]), "c": np.cos(q[1:3]), "b": np.sin(np.cos(q[:2]))}

    block = mc.block("angles", angles, [Port("q", (3,), "rad", "angles")], found)
    text = c_simd.emit(block.program, "program", precision)
    assert [int(count) for count in re.findall(r"^    turns\(.*, (\d+), live", text, re.MULTILINE)] == [3, 2]
    q = np.random.default_rng(2).normal(size=(COUNT, 3)).astype(TYPES[precision])
    expected = np.sin(q[:, ::2]), np.cos(q[:, 1:3]), np.sin(np.cos(q[:, :2]))
    for size in (LANES, Cut(2, 2)):
        assert max(map(error, batch(block.program, [q], precision, size=size), expected)) < TOLERANCE[precision]


@pytest.mark.skipif("gcc" not in str(CC) or platform.machine() != "x86_64", reason="no gcc for such a processor here")
@both
def test_all_lanes_have_one_root(precision: str, tmp_path: Path) -> None:
    """As wide as vectors are: put together from parts it would be stored, and waited for."""
    block = mc.block("root", lambda x: {"y": np.sqrt(x)}, [Port("x", (), "1", "in")], [Port("y", (), "1", "out")])
    (tmp_path / "lanes.c").write_text(c_simd.emit(block.program, "program", precision), encoding="utf-8")
    for flag, register in {"-mavx512f": "zmm", "-mavx": "ymm", "-msse2": "xmm"}.items():
        command = [str(CC), flag, "-O2", "-fno-math-errno", "-S", "lanes.c", "-o", "lanes.s"]
        subprocess.run(command, cwd=tmp_path, check=True)
        roots = re.findall(r"sqrtp[sd]\s.*%(\wmm)", (tmp_path / "lanes.s").read_text(encoding="utf-8"))
        assert roots == [register], flag


# ---------------------------------------------------------------- another processor

MATH = """\
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
double sin(double), cos(double), sqrt(double), fabs(double), fmin(double, double), fmax(double, double);
"""


@pytest.mark.parametrize("kind", ["inverse", "forward"])
def test_on_arm_all_arithmetic_is_of_vectors(kind: str, tmp_path: Path) -> None:
    clang = shutil.which("clang")
    known = clang and subprocess.run([clang, "--print-targets"], capture_output=True, text=True, check=False).stdout
    if not clang or "aarch64" not in known:
        pytest.skip("no clang here that writes for ARM")
    (tmp_path / "math.h").write_text(MATH)
    (tmp_path / "lanes.c").write_text(c_simd.emit(computation("lwr4", kind).program, "program"), encoding="utf-8")
    command = [clang, "--target=aarch64-linux-gnu", "-nostdlibinc", "-I.", "-S", "lanes.c", "-o", "lanes.s"]
    flags = ["-std=gnu99", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*command, *flags], cwd=tmp_path, check=True)
    written = (tmp_path / "lanes.s").read_text(encoding="utf-8")
    operations = re.findall(r"^\s+f(?:add|sub|mul|mla|mls|madd|msub|div|neg)\s+(\w)", written, re.MULTILINE)
    assert len(operations) > 500
    assert set(operations) == {"v"}
    assert not re.findall(r"^\s+bl\s+(?:sin|cos|sqrt)\b", written, re.MULTILINE)
