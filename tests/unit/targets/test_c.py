"""Emitted C: standalone, documented, warning-free, and nothing a name could break."""

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from batches import EXACT, batch, compiled
from motionc.model import Attachment, Joint, JointType, KinematicChain, Link, Robot, Role, Segment
from motionc.program import Instruction, Program
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.sweeps import Port
from motionc.targets import c
from motionc.targets.c import comment, identifier, number
from mutants import tree

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(CC is None, reason="no C compiler on this machine")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]


def constrained() -> mc.Computation:
    return mc.constrained_dynamics(
        tree(True), [mc.Constraint("tool", "xyz rx")], external_forces=[mc.Force("hand", as_seen_by="hand")]
    )


@needs_compiler
def test_emitted_files_compile_without_a_warning_and_give_the_same_numbers(tmp_path: Path) -> None:
    computation = constrained()
    header, source = computation.emit("c", tmp_path)
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=port.shape) for port in computation.inputs]
    expected = np.concatenate([np.ravel(value) for value in computation.run(*inputs).values()])
    flat = [np.ravel(values) for values in inputs]
    main = [f'#include "{header.name}"', "#include <stdio.h>", "int main(void) {"]
    for port, values in zip(computation.inputs, flat, strict=True):
        main.append(f"double {port.name}[] = {{{', '.join(map(repr, map(float, values)))}}};")
    for port in computation.outputs:
        main.append(f"double {port.name}_[{port.size}];")
    names = [port.name for port in computation.inputs] + [f"{port.name}_" for port in computation.outputs]
    main.append(f"{source.stem}({', '.join(names)});")
    for port in computation.outputs:
        main.append(f'for (int i = 0; i < {port.size}; ++i) printf("%.17g\\n", {port.name}_[i]);')
    Path(tmp_path, "main.c").write_text("\n".join([*main, "return 0; }", ""]))
    command = [CC, *STRICT, "main.c", source.name, "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    printed = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert np.allclose(np.array(printed.split(), float), expected, rtol=1e-11, atol=1e-11)


def test_a_solve_for_one_state_calls_nothing_of_the_library() -> None:
    """Compilers that may assume nothing of NaN call fmax, and keep no number in a register meanwhile."""
    asked = mc.constrained_dynamics(mc.load("planar3"), [mc.Constraint("tip", "xyz rx ry rz")])
    source = asked.sources("c")["planar3_constrained_dynamics.c"]
    (kernel,) = re.findall(r"^static void \w+_solve_3\w*\(.*?^}", source, re.MULTILINE | re.DOTALL)
    assert "peak(largest, " in kernel
    assert not re.findall(r"\bf(?:max|min)\w*\(", kernel)


@pytest.mark.usefixtures("in_best_order")
def test_addresses_of_blocks_of_slots_stay_within_their_array() -> None:
    """Beyond its end C knows no address, not even to count back from, and GCC mentions it."""
    asked = [
        mc.forward_dynamics(mc.load("iiwa")).derivative("a", ["q", "v", "tau"]),
        mc.inverse_dynamics(mc.load("hyq")).derivative("tau", ["q", "v"]),
        mc.coriolis_matrix(mc.load("quadruped")),
    ]
    ends = list[tuple[int, int]]()
    for computation in asked:
        (source,) = (text for file, text in computation.sources("c").items() if file.endswith(".c"))
        (size,) = re.findall(r"^    double w\[(\d+)\];", source, re.MULTILINE)
        ends.append((max(int(offset) for offset in re.findall(r"\bw \+ (\d+)", source)), int(size)))
    assert all(offset <= size for offset, size in ends)
    assert any(offset == size for offset, size in ends), "no block is at the end: this proves nothing"


def test_every_port_is_documented_with_size_unit_and_meaning(tmp_path: Path) -> None:
    computation = constrained()
    header = computation.emit("c", tmp_path)[0].read_text(encoding="utf-8")
    for port in (*computation.inputs, *computation.outputs):
        size = "][".join(map(str, port.shape)) or "1"
        assert f"{port.name} [{size}], {port.unit}: " in header
    assert f"{sum(computation.operations.values())} operations" in header
    assert computation.solver.equation in header


@pytest.mark.parametrize(
    "name",
    ['a;system("x")//', "*/ int evil; /*", "link_0.0", "LFoot/FSR", "größe", "for", "3d", "x" * 300, "a\\\nb", "??/"],
)
def test_no_name_reaches_source_text_unescaped(name: str, tmp_path: Path) -> None:
    base = Segment("base", Link.rigid("base"), (Attachment("b", Role.JOINT),))
    tip = Segment(name, Link.rigid(name, 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), (Attachment("t", Role.JOINT),))
    chain = KinematicChain(name, (Joint(name, JointType.REVOLUTE, (tip, "t"), (base, "b")),))
    computation = mc.forward_dynamics(Robot(chain), external_forces=[mc.Force(name, as_seen_by=name)])
    header, source = computation.emit("c", tmp_path)
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}\.c", source.name)
    text = header.read_text(encoding="utf-8")
    assert text.count("/*") == text.count("*/") == 2  # what it is, and what the function takes and gives
    assert "\\" not in text
    if CC:
        subprocess.run([CC, *STRICT, "-c", source.name, "-o", "x.o"], cwd=tmp_path, check=True, capture_output=True)
    assert np.isfinite(computation.run([0.1], [0.2], [0.3], np.zeros((1, 6)))).all()


def test_each_target_writes_its_files_and_others_are_unknown(tmp_path: Path) -> None:
    computation = mc.inverse_dynamics(mc.load("planar2"))
    assert [path.name for path in computation.emit("c", tmp_path)] == [
        "planar2_inverse_dynamics.h",
        "planar2_inverse_dynamics.c",
    ]
    batch = computation.emit("c_simd", tmp_path)
    assert [path.name for path in batch] == ["planar2_inverse_dynamics_batch.h", "planar2_inverse_dynamics_batch.c"]
    assert all("planar2_inverse_dynamics_batch(" in path.read_text(encoding="utf-8") for path in batch)
    with pytest.raises(mc.Error, match="target='rust'; say 'c'"):
        computation.emit("rust", tmp_path)


def test_names_and_numbers_are_spelt_for_c() -> None:
    assert identifier("LFoot/FSR 2") == "LFoot_FSR_2"
    assert identifier("") == "unnamed"
    assert "*/" not in comment("a */ b /* c")
    assert float(number(0.1)) == 0.1
    assert number(-2.0) == "(-2.0)"


@needs_compiler
@pytest.mark.parametrize(
    "make", [mc.mass_matrix, partial(mc.jacobian, frame="LF_foot")], ids=["mass_matrix", "jacobian"]
)
def test_every_zero_of_an_output_is_written(make: Callable[[mc.Robot], mc.Computation]) -> None:
    """Stretches of zeros have loops of their own: whatever was in the memory of an output is gone."""
    robot = mc.load("hyq", floating=True)
    computation, q = make(robot), robot.random(0)
    expected = computation.run(q)
    found = np.full(expected.size, np.nan)
    computation._library.entry(q, found)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("lanes", [False, True], ids=["one", "lanes"])
def test_what_a_kernel_gives_reaches_all_outputs_that_have_it(lanes: bool) -> None:
    """As it is, twice; without the first, with a zero between, and the other way round."""
    m, solve = 10, LDLT_SOLVE.call(10)
    steps = [Instruction("input", (), (0, k)) for k in range(solve.inputs)]
    steps += [Instruction("const", (), 0.0), Instruction("call", tuple(range(solve.inputs)), solve)]
    steps += [Instruction("pick", (len(steps) - 1,), k) for k in range(solve.outputs)]
    x = range(solve.inputs + 2, solve.inputs + 2 + m)
    results = tuple(x), tuple(x), (*x[1:], x[0]), (*x[:9], solve.inputs), (solve.inputs, *x[1:]), tuple(reversed(x))
    ports = [Port(f"y{k}", (m,), "1", "out") for k in range(len(results))]
    program = Program("p", "y = f(x)", (Port("x", (solve.inputs,), "1", "in"),), tuple(ports), tuple(steps), results)
    half = np.random.default_rng(0).normal(size=(m, m))
    given = np.concatenate([(half @ half.T + np.eye(m)).ravel(), np.arange(1.0, m + 1)])
    (exact,) = LDLT_SOLVE.numpy(given[: m * m].reshape(m, m), given[m * m :])
    places = dict(zip(x, exact[:, 0], strict=True)) | {solve.inputs: 0.0}
    if lanes:
        found = [array[0] for array in batch(program, [given[None]])]
    else:
        found = [np.full(m, np.nan) for _ in results]
        library = compiled(c.emit(program, "program").together, EXACT)
        library.program(*(ctypes.c_void_p(array.ctypes.data) for array in (given, *found)))
    for array, values in zip(found, results, strict=True):
        np.testing.assert_allclose(array, [places[value] for value in values], rtol=1e-9, atol=1e-12)
