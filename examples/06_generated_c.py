"""Standalone C for a computation: one pure function, documented, and the same bytes on every run."""

import tempfile
from pathlib import Path

import motionc as mc

robot = mc.load("planar2")
computation = mc.constrained_dynamics(robot, [mc.Constraint("tip", "x")])
with tempfile.TemporaryDirectory() as folder:
    header, source = computation.emit("c", folder)
    print(header.read_text(encoding="utf-8"))
    lines = source.read_text(encoding="utf-8").splitlines()
    again = [path.read_bytes() for path in computation.emit("c", Path(folder, "again"))]
    assert again == [header.read_bytes(), source.read_bytes()]
print(*lines[-12:], sep="\n")
print("lines of C:", len(lines))
