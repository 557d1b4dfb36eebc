"""In which language? One module a target, each a pure function from program to text."""

from motionc.targets import (
    c,
    c_simd,
    cpp,
    cuda,
    loop_c,
    loop_cpp,
    loop_cuda,
    loop_lanes,
    loop_matlab,
    loop_python,
    matlab,
    maxima,
    python_module,
)
from motionc.targets.target import Emit, EmitLoop

TARGETS: dict[str, Emit] = {
    "c": c.files,
    "c_simd": c_simd.files,
    "cpp": cpp.files,
    "cuda": cuda.files,
    "matlab": matlab.files,
    "maxima": maxima.files,
    "python": python_module.files,
}
"""Every language by its name."""

LOOPS: dict[str, EmitLoop] = {
    "c": loop_c.files,
    "c_simd": loop_lanes.files,
    "cpp": loop_cpp.files,
    "cuda": loop_cuda.files,
    "matlab": loop_matlab.files,
    "python": loop_python.files,
}
"""Every language that loops in time are written in."""

__all__ = ["LOOPS", "TARGETS"]
