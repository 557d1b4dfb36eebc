"""Emitted files check themselves: C built with -DSELF_TEST, other languages as they are. A wrong number fails them."""

import platform
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import cpp_build
import motionc as mc
from motionc.program.port import Precision
from motionc.sweeps import Port
from motionc.targets import c_simd
from mutants import tree
from trials import some

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-DSELF_TEST"]
MACHINES = [["-march=native"], *([["-march=native", "-mno-avx512f"]] if platform.machine() == "x86_64" else [])]
"""This machine with vectors as long as it has them, and with shorter ones."""

ROBOT = tree(True)


@cache
def held(precision: Precision) -> mc.Computation:
    rows = [mc.Constraint("tool", "xyz rx")]
    return mc.constrained_dynamics(ROBOT, rows, actuated=ROBOT.joint_names, precision=precision)


def built(compiler: str, source: Path) -> Path:
    program = source.with_suffix("")
    command = [compiler, "-std=c99", *STRICT, str(source), "-lm", "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    return program


@pytest.mark.skipif(not COMPILERS, reason="no C compiler on this machine")
@pytest.mark.parametrize(
    ("target", "precision"),
    some([("c", "double"), ("c_simd", "single"), ("c", "single"), ("c_simd", "double")], 2),
)
def test_emitted_c_checks_itself(target: str, precision: Precision, tmp_path: Path) -> None:
    source = held(precision).emit(target, tmp_path)[-1]
    for compiler in COMPILERS:
        said = subprocess.run([built(compiler, source)], check=True, capture_output=True, text=True).stdout
        assert re.fullmatch(r"\w+: 3 states, largest relative error \S+\n", said)
    # a wrong sign anywhere in the last product
    text = source.read_text(encoding="utf-8")
    product = [*re.finditer(r"= (t\d+) \* (t\d+);", text)][-1]
    source.write_text(text[: product.start()] + f"= -{product[1]} * {product[2]};" + text[product.end() :])
    assert subprocess.run([built(COMPILERS[0], source)], capture_output=True, check=False).returncode == 1


@pytest.mark.skipif(not COMPILERS, reason="no C compiler on this machine")
@pytest.mark.parametrize("precision", ["double", "single"])
def test_no_compiler_warns_of_lanes_whatever_the_machine_has(precision: Precision, tmp_path: Path) -> None:
    """With roots, sines and two outputs that may go past caches."""

    def products(x: np.ndarray) -> dict[str, np.ndarray]:
        return {"roots": np.sqrt(np.outer(x, x)), "sines": np.outer(np.sin(x), np.cos(x))}

    found = [Port(name, (8, 8), "1", name) for name in ("roots", "sines")]
    block = mc.block("products", products, [Port("x", (8,), "1", "numbers")], found)
    source = tmp_path / "products.c"
    source.write_text(c_simd.emit(block.program, "products", precision), encoding="utf-8")
    for compiler in COMPILERS:
        for machine in MACHINES:
            command = [compiler, "-std=c99", *STRICT, *machine, "-c", str(source), "-o", str(tmp_path / "products.o")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert not done.returncode, done.stderr


@cpp_build.needs_compiler
def test_no_compiler_warns_of_a_header_whatever_the_machine_has(tmp_path: Path) -> None:
    header, test, *_ = held("double").emit("cpp", tmp_path)
    assert "nearest_quarter" in header.read_text(encoding="utf-8"), "without vectors this proves nothing"
    for compiler in cpp_build.COMPILERS:
        for machine in MACHINES:
            cpp_build.built(test, *machine, "-fsyntax-only", compiler=compiler)


SELF_TESTS = {
    "python": ("", [sys.executable, "-I", "r.py"], r"= (t\d+) \* (t\d+)\n", "= -{0} * {1}\n"),
    "matlab": (
        "octave-cli",
        ["octave-cli", "--norc", "-q", "--eval", "r_test"],
        r"= (t\d+) \.\* (t\d+);",
        "= -{0} .* {1};",
    ),
    "maxima": ("maxima", ["maxima", "--very-quiet", "-b", "r_test.mac"], r": (t\d+) \* (t\d+),", ": -{0} * {1},"),
}
"""For each target its tool, the command that tests, how a product looks, and how one with a wrong sign."""


@pytest.mark.parametrize("precision", some(["double", "single"]))
@pytest.mark.parametrize("target", SELF_TESTS)
def test_other_languages_check_themselves(target: str, precision: Precision, tmp_path: Path) -> None:
    tool, command, product, wrong = SELF_TESTS[target]
    if tool and not shutil.which(tool):
        pytest.skip(f"{tool} is not on this machine; make tools installs it")

    def said() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    source = held(precision).emit(target, tmp_path, "r")[0]
    right = said()
    assert right.returncode == 0
    assert "r: 3 states, largest relative error" in right.stdout
    assert not re.search("^r is wrong", right.stdout, re.MULTILINE)
    text = source.read_text(encoding="utf-8")
    last = [*re.finditer(product, text)][-1]
    source.write_text(text[: last.start()] + wrong.format(*last.groups()) + text[last.end() :], encoding="utf-8")
    # Maxima ends with 0 whatever happens, and says so
    left = said()
    assert left.returncode == 1 or re.search("^r is wrong", left.stdout, re.MULTILINE)
