"""Emitted C++ headers: every kernel, long programs, and what CMake makes of them."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import motionc as mc
from boxes import random_box
from cpp_build import COMPILERS, built, needs_compiler, said
from motionc.program import Instruction, Program
from motionc.program.kernels import KERNELS
from motionc.program.kernels.box_solve import box_solve
from motionc.program.port import Precision
from motionc.program.sizes import Cut
from motionc.runtime.build.library import interpreted
from motionc.sweeps import Port
from motionc.targets import c, cpp
from motionc.targets.target import Trial

BOX = (2, 1, 1)
TREES = {
    "tree_pairs": ((0, 1, 3, 1, 2, 2, 2, 3, 3, 1), 3),
    "tree_symmetric": ((3, 2, 3), 2),
    "tree_factor": ((-1, 0, 0), 1),
    "tree_solve": ((-1, 0, 0), 2),
    "cone_solve": ((2, 0), 1),  # two sweeps of one contact
}


def every_kernel() -> Program:
    """All there are, each on three or four rows of its own."""
    inputs, outputs, steps, results = list[Port](), list[Port](), list[Instruction](), list[tuple[int, ...]]()
    for number, (name, kernel) in enumerate(KERNELS.items()):
        if name in TREES:
            call = kernel.on_tree(*TREES[name]).call(3)
        else:
            call = box_solve(BOX).call(sum(BOX)) if name == "box_solve" else kernel.with_policy((2, 1), None).call(3)
        inputs.append(Port(f"x{number}", (call.inputs,), "1", name))
        outputs.append(Port(f"y{number}", (call.outputs,), "1", name))
        given = range(len(steps), len(steps) + call.inputs)
        steps += [Instruction("input", (), (number, k)) for k in range(call.inputs)]
        steps.append(Instruction("call", tuple(given), call))
        results.append(tuple(range(len(steps), len(steps) + call.outputs)))
        steps += [Instruction("pick", (given.stop,), k) for k in range(call.outputs)]
    return Program("kernels", "y = kernel(x)", tuple(inputs), tuple(outputs), tuple(steps), tuple(results))


def tried(program: Program) -> Trial:
    """Positive definite matrices, other numbers anyhow."""
    rng, given = np.random.default_rng(0), list[np.ndarray]()
    for port in program.inputs:
        x = rng.uniform(-1, 1, port.size)
        if port.meaning == "box_solve":
            x = random_box(rng, BOX).rows.ravel()
        elif port.meaning not in ("tree_pairs", "tree_symmetric"):
            x[:9] = (np.eye(3) + 0.3 * np.outer(x[:3], x[:3])).ravel()
        given.append(x)
    found = np.empty(sum(port.size for port in program.outputs))
    interpreted(program)(np.concatenate(given), found)
    ends = np.cumsum([port.size for port in program.outputs])[:-1]
    return Trial(*(tuple(tuple(map(float, x)) for x in xs) for xs in (given, np.split(found, ends))))


@needs_compiler
@pytest.mark.parametrize(("compiler", "precision"), [*zip(COMPILERS, ("double", "single"), strict=False)])
def test_a_header_checks_itself_with_every_kernel(compiler: str, precision: Precision, tmp_path: Path) -> None:
    program = every_kernel()
    for file, text in cpp.files(program, "all_kernels", precision, [tried(program)]).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    header, test = tmp_path / "all_kernels.hpp", tmp_path / "all_kernels_test.cpp"
    assert re.fullmatch(r"all_kernels: 1 states, largest relative error \S+\n", said(built(test, compiler=compiler)))
    if compiler != COMPILERS[0]:
        return
    # one number that is not what it was
    text = header.read_text(encoding="utf-8")
    header.write_text(re.sub(r"(const double t\d+ = x0\[0\]);", r"\1 + 0.1;", text), encoding="utf-8")
    assert subprocess.run([built(test, "-O0", compiler=compiler)], capture_output=True, check=False).returncode == 1


@needs_compiler
def test_a_long_program_is_several_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c, "ONE_STATE", Cut(60, 40))
    header, test, _ = mc.forward_dynamics(mc.load("hyl")).emit("cpp", tmp_path)
    assert header.read_text(encoding="utf-8").count("[[gnu::noinline]]") > 2
    for compiler in COMPILERS:
        assert "3 states" in said(built(test, compiler=compiler))


def test_a_header_is_documented_and_stateless(tmp_path: Path) -> None:
    computation = mc.inverse_dynamics(mc.load("hyl"))
    text = computation.emit("cpp", tmp_path)[0].read_text(encoding="utf-8")
    for port in (*computation.inputs, *computation.outputs):
        assert f"{port.name} [{port.size}], {port.unit}: {port.meaning}" in text
    assert "namespace hyl {" in text
    functions = re.findall(r"\binline (?:__attribute__\(\(noinline\)\) )?void", text)
    assert text.count("noexcept") == len(functions) == 6
    assert not re.search(r"\b(static|new|malloc|throw|std::vector)\b", text)
    named = computation.emit("cpp", tmp_path, prefix="my leg")[0]
    assert named.name == "my_leg.hpp"
    assert "namespace my_leg {" in named.read_text(encoding="utf-8")


USER = """\
cmake_minimum_required(VERSION 3.15)
project(user LANGUAGES CXX)
find_package(planar2_inverse_dynamics REQUIRED CONFIG)
find_package(planar2 REQUIRED CONFIG)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE motionc::planar2_inverse_dynamics motionc::planar2)
"""

USER_MAIN = """
#include <planar2_inverse_dynamics.hpp>
#include <planar2/traits.h>
#include <cstdio>

int main()
{
    const std::array<double, 2> q{{0.1, 0.2}}, v{{1, 2}}, a{{3, 4}};
    std::array<double, 2> one{}, other{};
    planar2::inverse_dynamics(q, v, a, one);
    planar2::Transforms transforms;
    const double x = transforms.update(other).homogeneous.fr_upper_arm_X_fr_base(0, 0) - 1;
    std::printf("%g %g\\n", x, one[0]);
}
"""


@needs_compiler
@pytest.mark.skipif(not shutil.which("cmake"), reason="no CMake on this machine")
def test_cmake_builds_tests_installs_and_finds_it(tmp_path: Path) -> None:
    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stdout + done.stderr
        return done.stdout

    robot, prefix = mc.load("planar2"), tmp_path / "prefix"
    mc.inverse_dynamics(robot).emit("cpp", tmp_path / "one")
    mc.gravity_forces(robot).emit("cpp", tmp_path / "one")
    mc.emit_robot(robot, tmp_path / "robot", dynamics=False)
    for name, tests in (("one", 2), ("robot", 1)):
        run("cmake", "-S", name, "-B", f"build_{name}", "-DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON")
        run("cmake", "--build", f"build_{name}")
        assert f"100% tests passed, 0 tests failed out of {tests}" in run("ctest", "--test-dir", f"build_{name}")
        run("cmake", "--install", f"build_{name}", "--prefix", str(prefix))
    (tmp_path / "user").mkdir()
    (tmp_path / "user/CMakeLists.txt").write_text(USER, encoding="utf-8")
    (tmp_path / "user/main.cpp").write_text(USER_MAIN, encoding="utf-8")
    run("cmake", "-S", "user", "-B", "build_user", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", "build_user")
    x, tau = map(float, run(str(tmp_path / "build_user/user")).split())
    assert x == 0
    assert abs(tau - mc.inverse_dynamics(robot).run((0.1, 0.2), (1, 2), (3, 4))[0]) < 1e-5
