"""How many operations each function of emitted C does: its kernels, its parts where it is long, and the function."""

from collections import Counter

from motionc.program.instructions import OPERATIONS
from motionc.program.passes import together
from motionc.program.program import Program, call_data
from motionc.program.sizes import ONE_STATE
from motionc.program.split import in_functions
from motionc.targets.kernels.text import kernel_name


def by_function(program: Program, name: str) -> dict[str, Counter[str]]:
    """Arithmetic by kind, by function, in the order of the text; a call counts in the kernel, once for each caller."""
    program = together(program)
    steps, cut = program.instructions, in_functions(program, ONE_STATE)
    calls = {kernel_name(call): call for call in (call_data(step) for _, step in program.calls())}
    counts = {kernel: calls[kernel].operations() for kernel in sorted(calls)}
    parts = [
        Counter(steps[i].op for i in part.steps if steps[i].op in OPERATIONS or steps[i].op == "entry") for part in cut
    ]
    if len(parts) < 2:
        return {**counts, name: sum(parts, Counter[str]())}
    return {**counts, **{f"{name}_{k}": part for k, part in enumerate(parts)}, name: Counter[str]()}
