"""In which language? One module a target, each a pure function from program to text."""

from motionc.targets import c, c_simd, cpp, cuda, matlab, maxima, python_module
from motionc.targets.target import Emit

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

__all__ = ["TARGETS"]
