"""In which language? One module a target, each a pure function from program to text."""

from motionc.targets import c, c_simd
from motionc.targets.target import Emit

TARGETS: dict[str, Emit] = {
    "c": c.files,
    "c_simd": c_simd.files,
}
"""Every language by its name."""

__all__ = ["TARGETS"]
