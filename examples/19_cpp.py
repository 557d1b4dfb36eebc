"""A robot as C++ classes: emitted, built where there is a compiler, and checked by its own test."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import motionc as mc

robot = mc.load("hyl")
compiler = shutil.which("g++") or shutil.which("clang++")
with tempfile.TemporaryDirectory() as folder:
    paths = mc.emit_robot(robot, folder, transforms=[("base", "foot")], jacobians=[("base", "foot")])
    for path in paths:
        print(f"{path.relative_to(folder)}: {len(path.read_text(encoding='utf-8').splitlines())} lines")

    # the classes of one header, without what stands behind them
    text = Path(folder, "include/hyl/inverse_dynamics.h").read_text(encoding="utf-8")
    print(text[text.index("class InverseDynamics") :])

    if compiler:
        test = Path(folder, "test")
        command = [compiler, "-std=c++17", "-Wall", "-Wextra", f"-I{folder}/include", f"{folder}/hyl_test.cpp"]
        subprocess.run([*command, "-o", str(test)], check=True)
        print(subprocess.run([test], check=True, capture_output=True, text=True).stdout.strip())
    else:
        print("no C++ compiler here; files written:", len(paths))
