"""Emitted files check themselves: built with -DSELF_TEST they pass, and they fail as soon as a number is wrong."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import motionc as mc
from motionc.sweeps.solver import Precision
from mutants import tree

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-DSELF_TEST"]


def built(compiler: str, source: Path, target: str) -> Path:
    flags = ["-std=c99", *STRICT] if target == "c" else [flag for flag in STRICT if flag != "-pedantic"]
    program = source.with_suffix("")
    subprocess.run([compiler, *flags, str(source), "-lm", "-o", str(program)], check=True, capture_output=True)
    return program


@pytest.mark.skipif(not COMPILERS, reason="no C compiler on this machine")
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("target", ["c", "c_simd"])
def test_emitted_c_checks_itself(target: str, precision: Precision, tmp_path: Path) -> None:
    rows = [mc.Constraint("tool", "xyz rx")]
    source = mc.constrained_dynamics(tree(True), rows, precision=precision).emit(target, tmp_path)[-1]
    for compiler in COMPILERS:
        said = subprocess.run([built(compiler, source, target)], check=True, capture_output=True, text=True).stdout
        assert re.fullmatch(r"\w+: 3 states, largest relative error \S+\n", said)
    # a wrong sign anywhere in the last product
    text = source.read_text(encoding="utf-8")
    product = [*re.finditer(r"= (t\d+) \* (t\d+);", text)][-1]
    source.write_text(text[: product.start()] + f"= -{product[1]} * {product[2]};" + text[product.end() :])
    assert subprocess.run([built(COMPILERS[0], source, target)], capture_output=True, check=False).returncode == 1
