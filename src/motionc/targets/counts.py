"""How many operations each function of emitted C does: sines and cosines, its kernels, its parts where it is long, and
the function.
"""

from collections import Counter

from motionc.program.instructions import OPERATIONS
from motionc.program.program import Program, call_data
from motionc.program.sizes import ONE_STATE
from motionc.program.split import in_functions
from motionc.targets.kernels.text import kernel_name
from motionc.targets.sines_c import FUNCTION, arranged, runs


def by_function(program: Program, name: str) -> dict[str, Counter[str]]:
    """Arithmetic by kind, by function, in the order of the text; a call counts in the kernel, once for each caller."""
    program = arranged(program)
    steps, cut = program.instructions, in_functions(program, ONE_STATE)
    calls = {kernel_name(call): call for call in (call_data(step) for _, step in program.calls())}
    turned = {i for run in runs(program) for i in run}
    counts = {FUNCTION: Counter(steps[i].op for i in turned)} if turned else {}
    counts |= {kernel: calls[kernel].operations() for kernel in sorted(calls)}
    own = {i for i, step in enumerate(steps) if i not in turned and (step.op in OPERATIONS or step.op == "entry")}
    parts = [Counter(steps[i].op for i in part.steps if i in own) for part in cut]
    if len(parts) < 2:
        return {**counts, name: sum(parts, Counter[str]())}
    return {**counts, **{f"{name}_{k}": part for k, part in enumerate(parts)}, name: Counter[str]()}
