"""A robot's dynamics packed for somebody who has NumPy and nothing else, and called there."""

import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

import motionc as mc

robot = mc.load("lwr4")
asked = {"gravity": mc.gravity_forces(robot), "dynamics": mc.forward_dynamics(robot)}

ELSEWHERE = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import lwr4_dynamics as robot

# motors that carry the arm's weight leave it where it is
q = [0.3, -0.5, 0.2, 1.1, 0.0, 0.7, 0.0]
a = robot.dynamics(q, [0.0] * 7, robot.gravity(q))
assert "motionc" not in sys.modules and "casadi" not in sys.modules
print(f"{robot._dynamics.way}, largest error of the self-test {robot.self_test():.0e}")
print(f"largest acceleration {abs(a).max():.1e} rad/s²")
"""

with TemporaryDirectory() as folder:
    package = mc.bundle(asked, folder, name="lwr4_dynamics")
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix in (".py", ".c", ".h", ".so", ".json", ".md"):
            print(f"  {path.relative_to(package)}  {path.stat().st_size / 1024:.0f} KiB")
    # a Python that sees this folder and where NumPy is
    command = [sys.executable, "-I", "-S", "-c", ELSEWHERE, folder, sysconfig.get_paths()["platlib"]]
    print(subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(folder)).stdout, end="")
