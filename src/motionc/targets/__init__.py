"""In which language? One module a target, each a pure function from program to text, loaded when it first writes."""

from collections.abc import Sequence
from importlib import import_module

from motionc.program.loop import Loop
from motionc.program.port import Precision
from motionc.program.program import Program
from motionc.targets.target import Emit, EmitLoop, Files, RollOut, Trial


def written_by(module: str) -> Emit:
    """The function `files` of a module of this room."""

    def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
        return import_module(f"{__name__}.{module}").files(program, name, precision, trials)

    return files


def loop_by(module: str) -> EmitLoop:
    """The same of loops."""

    def files(loop: Loop, name: str, roll_out: RollOut) -> Files:
        return import_module(f"{__name__}.{module}").files(loop, name, roll_out)

    return files


TARGETS: dict[str, Emit] = {
    "c": written_by("c"),
    "c_simd": written_by("c_simd"),
    "cpp": written_by("cpp"),
    "cuda": written_by("cuda"),
    "matlab": written_by("matlab"),
    "maxima": written_by("maxima"),
    "python": written_by("python_module"),
}
"""Every language by its name."""

LOOPS: dict[str, EmitLoop] = {
    "c": loop_by("loop_c"),
    "c_simd": loop_by("loop_lanes"),
    "cpp": loop_by("loop_cpp"),
    "cuda": loop_by("loop_cuda"),
    "matlab": loop_by("loop_matlab"),
    "python": loop_by("loop_python"),
}
"""Every language that loops in time are written in."""

__all__ = ["LOOPS", "TARGETS"]
