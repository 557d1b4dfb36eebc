"""One computation in every language: emitted, run where the tool is here, and how far apart the answers are."""

import re
import shutil
import subprocess
import sys
import tempfile

import motionc as mc
from motionc.targets import TARGETS

robot = mc.load("planar3")
computation = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x y")])

# what it takes to run a file's own test
compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang") or ""
CXX = shutil.which("g++") or shutil.which("clang++") or ""
NVCC = shutil.which("nvcc") or "" if shutil.which("nvidia-smi") else ""
OCTAVE, MAXIMA = shutil.which("octave-cli") or "", shutil.which("maxima") or ""
BUILD = f"{compiler} -O1 -DSELF_TEST {{0}} -lm -o test && ./test"
COMMANDS = {
    "c": (compiler, BUILD),
    "c_simd": (compiler, BUILD),
    "cpp": (CXX, f"{CXX} -std=c++17 -O1 {{0}} -o test && ./test"),
    "cuda": (NVCC, f"{NVCC} -arch=native -DSELF_TEST {{0}} -o test && ./test"),
    "matlab": (OCTAVE, f"{OCTAVE} --norc --no-history -q --eval {{1}}"),
    "python": (sys.executable, f"{sys.executable} -I {{0}}"),
    "maxima": (MAXIMA, f"{MAXIMA} --very-quiet -b {{0}}"),
}

print(f"{'language':10} {'files':50} {'lines':>6}  largest relative error, on states the files carry along")
for target in TARGETS:
    with tempfile.TemporaryDirectory() as folder:
        paths = computation.emit(target, folder, "arm")
        names = ", ".join(path.name for path in paths)
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
        tool, command = COMMANDS.get(target, ("", ""))
        said = "its tool is not on this machine"
        if tool:
            # the file that tests comes last, but for C++'s recipe
            test = [path for path in paths if path.name != "CMakeLists.txt"][-1]
            shell = command.format(test.name, test.stem)
            done = subprocess.run(
                shell, shell=True, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
            )
            error = re.search(r"largest relative error\s+(\S+)", done.stdout)
            said = error[1] if error and done.returncode == 0 else f"failed: {done.stderr[-200:]}"
        print(f"{target:10} {names:50} {lines:6}  {said}")
