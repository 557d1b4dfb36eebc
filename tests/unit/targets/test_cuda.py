"""CUDA: read as C++ for the processor, threads agree with the interpreter; nvcc, where there is one, is silent."""

import math
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from cuda_on_cpu import CXX, STRICT, Array, compiled, launch, translated
from instructions import SPECIAL, functions, meanings
from motionc.program import Instruction, Program
from motionc.program.kernels import KERNELS
from motionc.program.passes.multiply_add import chained
from motionc.program.port import Precision
from motionc.program.program import call_data
from motionc.program.sizes import Cut, Room
from motionc.runtime.build.library import interpreted
from motionc.sweeps import Port
from motionc.targets import cuda
from mutants import tree
from trials import LONG, some

needs_compiler = pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine")
NVCC = shutil.which("nvcc")
TYPES = {"double": np.float64, "single": np.float32}
TOLERANCE = {"double": 1e-12, "single": 1e-4}
both = pytest.mark.parametrize("precision", TYPES)
COUNT = 37

ROWS = [mc.Constraint("tool", "xyz rx")]
MAKE: dict[str, Callable[[str], mc.Computation]] = {
    "forward kinematics": lambda p: mc.forward_kinematics(tree(True), precision=p),
    "jacobian": lambda p: mc.jacobian(tree(False), "tool", precision=p),
    "inverse dynamics": lambda p: mc.inverse_dynamics(
        tree(True), external_forces=[mc.Force("hand", as_seen_by="hand")], precision=p
    ),
    "forward dynamics": lambda p: mc.forward_dynamics(tree(True), precision=p),
    "mass matrix inverse": lambda p: mc.mass_matrix_inverse(tree(False), precision=p),
    "hybrid dynamics": lambda p: mc.hybrid_dynamics(tree(False), prescribed=[tree(False).joint_names[0]], precision=p),
    "constrained dynamics": lambda p: mc.constrained_dynamics(tree(True), ROWS, precision=p),
    "operational space": lambda p: mc.operational_space(tree(False), "tool", precision=p),
    "limits": lambda p: mc.constrained_dynamics(
        mc.load("planar3"), [mc.Constraint("tip", "x y")], limits=np.full(3, 5.0), precision=p
    ),
}


DENSE = ["truncated_solve", "ldlt_solve", "range_solve", "truncated_inverse"]


@cache
def asked_for(kind: str, precision: str) -> mc.Computation:
    return MAKE[kind](precision)


def run(program: Program, given: list[Array], precision: str = "double", **more: int) -> list[Array]:
    """All outputs as (N, size) arrays, from inputs of the same kind."""
    library = compiled(cuda.emit(program, "program", precision, **more))
    given = [np.ascontiguousarray(x, TYPES[precision]) for x in given]
    found = [np.full((len(given[0]), port.size), np.nan, TYPES[precision]) for port in program.outputs]
    launch(library, "program", len(given[0]), [(x, x.shape[1], 1) for x in (*given, *found)])
    return found


def expected(program: Program, given: list[Array]) -> list[Array]:
    """The same, one state after the other, as Python code."""
    entry, ends = interpreted(program), np.cumsum([port.size for port in program.outputs])[:-1]
    rows = list[Array]()
    for k in range(len(given[0])):
        rows.append(np.empty(sum(port.size for port in program.outputs)))
        entry(np.concatenate([x[k] for x in given]).astype(float), rows[-1])
    return np.split(np.array(rows), ends, axis=1)


def error(found: Array, right: Array) -> float:
    return float(np.max(np.abs(found - right), initial=0) / max(1.0, np.max(np.abs(right), initial=0)))


def states(program: Program, count: int = COUNT) -> list[Array]:
    """Values that single precision holds exactly."""
    rng = np.random.default_rng(0)
    return [np.float32(rng.uniform(-1, 1, (count, port.size))).astype(float) for port in program.inputs]


@needs_compiler
@pytest.mark.parametrize(
    ("kind", "precision"),
    [*((kind, "double") for kind in MAKE), *((kind, "single") for kind in some(reversed(MAKE)))],
)
def test_every_thread_agrees_with_the_interpreter(kind: str, precision: Precision) -> None:
    asked = asked_for(kind, precision)
    given = states(asked.program)
    right = expected(asked.program, given)
    tolerance = TOLERANCE[precision] * (100 if "conditioning" in [p.name for p in asked.outputs] else 1)
    for port, a, b in zip(asked.outputs, run(asked.program, given, precision), right, strict=True):
        if port.name not in ("conditioning", "steps"):
            assert error(a, b) < tolerance, port.name


@needs_compiler
@pytest.mark.parametrize("precision", some(TYPES))
def test_any_strides_and_any_number_of_states(precision: Precision) -> None:
    program = asked_for("forward dynamics", precision).program
    given = [np.ascontiguousarray(x, TYPES[precision]) for x in states(program)]
    (right,) = run(program, given, precision)
    library, real = compiled(cuda.emit(program, "program", precision)), TYPES[precision]
    q, v, tau = given
    spread = np.full((3 * COUNT, 2 * v.shape[1]), np.nan, real)
    spread[::3, ::2] = v
    for count in (0, 1, 31, 33, COUNT):
        out = np.full((right.shape[1], COUNT + 1), 7.0, real)
        ports = [(q.T.copy(), 1, COUNT), (spread, 6 * v.shape[1], 2), (tau, tau.shape[1], 1), (out, 1, COUNT + 1)]
        launch(library, "program", count, ports)
        assert np.array_equal(out[:, :count], right[:count].T)
        assert np.all(out[:, count:] == 7.0)
    # one value for all
    out = np.empty((COUNT, right.shape[1]), real)
    launch(library, "program", COUNT, [(x, 0, 1) for x in given] + [(out, right.shape[1], 1)])
    assert np.array_equal(out, np.broadcast_to(right[:1], out.shape))


@needs_compiler
def test_a_long_program_in_parts_gives_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    program = asked_for("constrained dynamics", "double").program
    given = states(program)
    whole = run(program, given)
    monkeypatch.setattr(cuda, "GPU", Cut(100, 300))
    assert "APART void program_1(" in cuda.emit(program, "program")
    assert max(map(error, run(program, given), whole)) < 1e-12


@needs_compiler
@pytest.mark.parametrize("kind", ["forward dynamics", "constrained dynamics"])
def test_what_waits_outside_registers_comes_back_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = asked_for(kind, "double").program
    given = states(program)
    whole = run(program, given)
    for room in (Room(30, 500), Room(20, 9)):
        monkeypatch.setitem(cuda.ROOM, "double", room)
        text = cuda.emit(program, "program")
        assert "__launch_bounds__(32)" in text
        assert "    const int threads = 32;" in text
        assert ("volatile real far[" in text) == (room.shared == 9)
        assert all(map(np.array_equal, run(program, given), whole))


@pytest.mark.parametrize("room", [Room(30, 500), Room(20, 9), Room(20, 1)])
def test_what_waits_outside_registers_has_a_place_of_its_own(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places are counted from 0 in both memories, and there are as many as are used."""
    monkeypatch.setitem(cuda.ROOM, "double", room)
    text = cuda.emit(asked_for("forward dynamics", "double").program, "program")
    sizes = {array: int(size) for array, size in re.findall(r"volatile real (near|far)\[(\d+)\]", text)}
    places = {array: {int(k) for k in re.findall(rf"(?<!real ){array}\[(\d+)\]", text)} for array in sizes}
    assert places == {array: set(range(size)) for array, size in sizes.items()}
    assert sizes["near"] <= room.shared


def test_kernels_along_a_tree_are_written_out_and_in_long_programs_functions_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot = mc.load("quadruped", floating=True)
    change = mc.forward_dynamics(robot).derivative("a", "q").program
    assert any(call_data(step).kernel == "tree_solve" for _, step in change.calls())
    assert "tree_" not in cuda.emit(change, "program")
    monkeypatch.setattr(cuda, "GPU_WRITTEN_OUT", 0)
    assert re.search(r"^INLINE void tree_solve_\w+\(", cuda.emit(change, "program"), re.MULTILINE)
    monkeypatch.setattr(cuda, "GPU_UNROLLED", 10)
    assert re.search(r"^APART void tree_solve_\w+\(", cuda.emit(change, "program"), re.MULTILINE)


@needs_compiler
@both
@np.errstate(all="ignore")
def test_every_instruction_does_what_it_does_to_one_number(precision: Precision) -> None:
    real = TYPES[precision]
    x = np.array([(a, b, 2 * b) for a in SPECIAL for b in SPECIAL], real)
    right = meanings(x)
    (found,) = run(functions(*right), [x], precision)
    for k, op in enumerate(right):
        tested = np.abs(x[:, 0]) < 1e5 if op in ("sin", "cos") else slice(None)
        close = np.isclose(found[tested, k], right[op][tested], rtol=4 * np.finfo(real).eps, atol=0, equal_nan=True)
        assert close.all(), op


@needs_compiler
@pytest.mark.parametrize(
    ("kernel", "precision"),
    [*((kernel, "double") for kernel in DENSE), *((kernel, "single") for kernel in some(DENSE))],
)
def test_kernels_do_what_their_definition_does(kernel: str, precision: Precision) -> None:
    rng, tolerance = np.random.default_rng(3), {"double": 1e-11, "single": 2e-3}[precision]
    for blocks in some([(6,), (1, 2), (1,), (2,), (3,)], 2):
        m, solve = sum(blocks), KERNELS[kernel].with_policy(blocks, None)
        call = solve.call(m)
        inputs = [Instruction("input", (), (port, k)) for port, size in ((0, m * m), (1, m)) for k in range(size)]
        picks = [Instruction("pick", (len(inputs),), k) for k in range(call.outputs)]
        steps = (*inputs, Instruction("call", tuple(range(call.inputs)), call), *picks)
        ports = (Port("a", (m, m), "1", "matrix"), Port("r", (m,), "1", "right side"))
        results = (tuple(range(len(inputs) + 1, len(steps))),)
        program = Program(kernel, "x = f(a, r)", ports, (Port("x", (call.outputs,), "1", "out"),), steps, results)
        a, r = np.empty((COUNT, m, m)), rng.normal(size=(COUNT, m))
        for i in range(COUNT):
            rank = m if kernel == "ldlt_solve" else i % (m + 1)
            basis = np.linalg.qr(rng.normal(size=(m, m)))[0][:, :rank]
            a[i] = basis @ np.diag(rng.uniform(0.5, 2, rank)) @ basis.T
        if kernel == "range_solve":
            r = np.einsum("nij,nj->ni", a, r)
        (found,) = run(program, [a.reshape(COUNT, m * m), r], precision)
        for matrix, right, x in zip(a, r, found.astype(float), strict=True):
            want = np.concatenate(solve.numpy(matrix, *([right[:, None]] if solve.right else [])))[:, 0]
            if kernel == "range_solve":  # which of many solutions is nobody's promise
                assert error(matrix @ x[:m], right) < tolerance
            else:
                assert error(x[: solve.sizes(m)[0]], want[: solve.sizes(m)[0]]) < tolerance
            assert kernel == "ldlt_solve" or x[-2] == want[-2]


PARENT, ENDS = (-1, 0, 1, 1, 3, 0, 5), (7, 5, 3, 5, 5, 7, 7)
WOVEN = (-1, 0, 0, 1, 2, 1, 4)
BEYOND = (0, 1, 7, 1, 2, 5, 2, 3, 3, 3, 4, 5, 4, 5, 5, 5, 6, 7, 6, 7, 7, 2)


@needs_compiler
@both
@pytest.mark.parametrize("longest", [cuda.GPU_WRITTEN_OUT, 0], ids=["written out", "functions"])
@pytest.mark.parametrize(
    ("kernel", "pattern", "columns"),
    [
        *(("tree_pairs", BEYOND, 6), ("tree_symmetric", ENDS, 6)),
        *(("tree_factor", PARENT, 1), ("tree_solve", PARENT, 5)),
        *(("tree_factor", WOVEN, 1), ("tree_solve", WOVEN, 5)),
    ],
)
def test_kernels_along_a_tree_do_what_their_definition_does(
    kernel: str,
    pattern: tuple[int, ...],
    columns: int,
    longest: int,
    precision: Precision,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cuda, "GPU_WRITTEN_OUT", longest)
    rng, call = np.random.default_rng(4), KERNELS[kernel].on_tree(pattern, columns).call(7)
    inputs = [Instruction("input", (), (0, k)) for k in range(call.inputs)]
    picks = [Instruction("pick", (call.inputs,), k) for k in range(call.outputs)]
    steps = (*inputs, Instruction("call", tuple(range(call.inputs)), call), *picks)
    ports = (Port("x", (call.inputs,), "1", "in"),), (Port("y", (call.outputs,), "1", "out"),)
    results = (tuple(range(call.inputs + 1, len(steps))),)
    given = 0.3 * rng.normal(size=(COUNT, call.inputs))
    given[:, : call.matrix : call.matrix // 7 + 1] += 4.0  # what is divided by
    (found,) = run(Program(kernel, "y = f(x)", *ports, steps, results), [given], precision)
    want = np.array([call.run(list(x)) for x in given.astype(TYPES[precision]).astype(float)])
    assert error(found.astype(float), want) < {"double": 1e-12, "single": 1e-4}[precision]


TURN = Program(
    "turn",
    "s = sin x, c = cos x",
    (Port("x", (1,), "rad", "in"),),
    (Port("s", (1,), "1", "out"), Port("c", (1,), "1", "out")),
    (Instruction("input", (), (0, 0)), Instruction("sin", (0,)), Instruction("cos", (0,))),
    ((1,), (2,)),
)


@needs_compiler
@both
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="long double is no better than double here")
def test_sine_and_cosine_are_within_two_units_in_the_last_place(precision: Precision) -> None:
    rng, real, quarter = np.random.default_rng(0), TYPES[precision], np.longdouble("1.57079632679489661923132169164")
    turns = np.arange(-524288, 524288, 3 if LONG else 13).astype(np.longdouble) * quarter
    points = [rng.uniform(-8e5, 8e5, 100_000), rng.uniform(-4, 4, 100_000), 10.0 ** rng.uniform(-37, 0, 20_000)]
    for edge in (turns, turns + quarter / 2):
        nearest = edge.astype(real)
        points += [nearest, np.nextafter(nearest, real(math.inf)), np.nextafter(nearest, real(-math.inf))]
    x = np.concatenate([np.asarray(p, real) for p in points])
    x = x[np.abs(x) < 823549]
    for found, exact in zip(run(TURN, [x[:, None]], precision), (np.sin, np.cos), strict=True):
        right = exact(x.astype(np.longdouble))
        assert np.max(np.abs(found[:, 0] - right) / np.spacing(np.abs(right).astype(real))) < 2
    outside = np.array([math.nan, math.inf, -math.inf, 823550.0, -823550.0, 1e30])
    assert all(np.isnan(found).all() for found in run(TURN, [outside[:, None]], precision))


# ---------------------------------------------------------------- sums of products


@pytest.mark.parametrize("kind", MAKE)
def test_chains_give_the_same_numbers_and_no_more_products(kind: str) -> None:
    program = asked_for(kind, "double").program
    longer, given = chained(program), states(program, 5)
    assert all(arg < i for i, step in enumerate(longer.instructions) for arg in step.args)
    assert longer.operations["mul"] == program.operations["mul"]
    assert longer.operations["add"] + longer.operations["sub"] <= program.operations["add"] + program.operations["sub"]
    for a, b in zip(expected(longer, given), expected(program, given), strict=True):
        assert error(a, b) < 1e-11
    assert chained(longer).operations == longer.operations


def test_a_sum_of_four_products_is_one_chain() -> None:
    steps = (
        *(Instruction("input", (), (0, k)) for k in range(8)),
        *(Instruction("mul", (2 * k, 2 * k + 1)) for k in range(4)),
        Instruction("sub", (8, 9)),
        Instruction("sub", (10, 11)),
        Instruction("sub", (12, 13)),
    )
    ports = (Port("x", (8,), "1", "in"),), (Port("y", (1,), "1", "out"),)
    chain = chained(Program("p", "y", *ports, steps, ((14,),))).instructions
    # x0 x1 + x6 x7 - x2 x3 - x4 x5: each sum has a product of its own on its right
    sums = [i for i, step in enumerate(chain) if step.op in ("add", "sub")]
    assert [chain[i].op for i in sums] == ["add", "sub", "sub"]
    assert all(chain[chain[i].args[1]].op == "mul" for i in sums)
    assert [chain[i].args[0] for i in sums[1:]] == sums[:-1]


# ---------------------------------------------------------------- files


@needs_compiler
@pytest.mark.parametrize("precision", some(["single", "double"]))
def test_emitted_files_check_themselves(precision: Precision, tmp_path: Path) -> None:
    (source,) = asked_for("constrained dynamics", precision).emit("cuda", tmp_path)
    text = source.read_text(encoding="utf-8")
    product = [*re.finditer(r"= (t\d+) \* (t\d+);", text)][-1]
    wrong = text[: product.start()] + f"= -{product[1]} * {product[2]};" + text[product.end() :]
    for said, status in ((text, 0), (wrong, 1)):
        path, program = tmp_path / "program.cpp", tmp_path / "program"
        path.write_text(translated(said), encoding="utf-8")
        subprocess.run([CXX, *STRICT, "-DSELF_TEST", "-o", str(program), str(path)], check=True)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert re.fullmatch(r"\w+: 3 states, largest relative error \S+\n", done.stdout)


@needs_compiler
@pytest.mark.parametrize("name", ["turn", "real", "count", "t1", "blocks", "q_state", "q"])
def test_ports_and_computations_may_be_called_like_anything(name: str) -> None:
    q, x, y = Port("q", (2,), "1", "in"), Port(name, (2,), "1", "in"), Port(name, (2,), "1", "out")
    steps = (Instruction("input", (), (1, 0)), Instruction("sin", (0,)), Instruction("input", (), (0, 1)))
    text = cuda.emit(Program("p", "y = f(x) */ \\", (q, x), (y,), steps, ((1, 2),)), name)
    library = compiled(text)
    (kernel,) = re.findall(r"^int (\w+)_launch\(", text, re.MULTILINE)
    given, found = np.array([[0.5, 2.0]]), np.empty((1, 2))
    launch(library, kernel, 1, [(given, 2, 1), (given, 2, 1), (found, 2, 1)])
    assert np.allclose(found, [[math.sin(0.5), 2.0]], rtol=0, atol=1e-12)


@pytest.mark.skipif(not (NVCC and shutil.which("gcc")), reason="no nvcc on this machine, or no compiler for it")
@pytest.mark.parametrize("precision", some(TYPES))
@pytest.mark.parametrize("kind", some(["limits", "forward dynamics"]))
def test_nvcc_is_silent(kind: str, precision: Precision, tmp_path: Path) -> None:
    (source,) = asked_for(kind, precision).emit("cuda", tmp_path)
    flags = ["-arch=sm_90", "-Werror", "all-warnings", "-DSELF_TEST", *cuda.OPTIONS, "-cubin"]
    command = [NVCC, *flags, "-o", str(tmp_path / "kernel"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
