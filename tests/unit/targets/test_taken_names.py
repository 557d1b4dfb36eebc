"""Robots called like words of C++, macros and types of its library, and classes of ours: their C++ compiles."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import motionc as mc
from motionc.targets.c import outermost

TAKEN = ("Link", "Joint", "Matrix", "Transforms", "force", "NULL", "EOF", "size_t", "M_PI", "sinf", "random")


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")
def test_robots_called_like_something_else_compile(tmp_path: Path) -> None:
    planar = mc.load("planar2")
    lines = list[str]()
    for name in TAKEN:
        robot = mc.Robot(replace(planar.chain, name=name))
        files = mc.emit_robot(robot, tmp_path / name, dynamics=False) + mc.energy(robot).emit("cpp", tmp_path)
        lines += [f'#include "{path}"' for path in files if path.name == "traits.h" or path.suffix == ".hpp"]
    assert len(lines) == 2 * len(TAKEN)
    source = tmp_path / "all.cpp"
    source.write_text("#include <stdio.h>\n#include <stdlib.h>\n" + "\n".join(lines))
    options = ["-std=c++17", "-fsyntax-only", "-w", "-DMOTIONC_NO_EIGEN"]
    done = subprocess.run(["g++", *options, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


def test_names_that_nobody_has_taken_stay_as_they_are() -> None:
    for name in ("lwr4", "LF_HAA", "M_1", "arm_t", "index_finger", "FP_LEG", "SEEK"):
        assert outermost(name) == name
