"""What tests of emitted C++ need: compilers, warnings that are errors, what a program says."""

import shutil
import subprocess
from pathlib import Path

import pytest

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
EIGEN = next(
    (path for path in (Path("/usr/include/eigen3"), Path("/opt/homebrew/include/eigen3")) if path.is_dir()), None
)
needs_compiler = pytest.mark.skipif(not COMPILERS, reason="no C++ compiler on this machine")
needs_eigen = pytest.mark.skipif(EIGEN is None, reason="Eigen is not installed")
STRICT = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]


def built(source: Path, *flags: str, compiler: str = "") -> Path:
    """The program that a source is, compiled without a warning."""
    program = source.with_suffix("")
    command = [compiler or COMPILERS[0], *STRICT, *flags, str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return program


def said(program: Path) -> str:
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout
