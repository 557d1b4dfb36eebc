"""What kernels give and outputs take, side by side: loops instead of statements.

A compiler takes minutes over thousands of loads and stores one by one.
"""

from collections import Counter
from collections.abc import Callable

from motionc.program.program import Instruction, Program
from motionc.program.split import Part

SEVERAL = 8
"""Entries of an output from which on a loop writes them: a kernel's results side by side, or zeros."""
MANY = 1_000
"""Numbers that a kernel takes from which on a loop gathers them: seconds of compiling, one by one."""


def copies_of(program: Program, part: Part) -> tuple[set[int], dict[int, list[str]]]:
    """What kernels give and nothing but outputs take, and loops that copy it, by the kernel's call."""
    steps = program.instructions
    read = {arg for i in part.steps for arg in steps[i].args} | set(part.gives)
    alone = {i for i in part.steps if steps[i].op == "pick" and i not in read}
    copied, copies = set[int](), dict[int, list[str]]()
    for port, values in zip(program.outputs, program.results, strict=True):
        start = 0
        while start < len(values):
            end, first = start + 1, steps[values[start]]
            while end < len(values) and values[start] in alone and _follows(first, steps[values[end]], end - start):
                end += 1
            if end - start >= SEVERAL and all(value in alone for value in values[start:end]):
                loop = f"for (int t0 = 0; t0 < {end - start}; ++t0) {port.name}[{start} + t0]"
                copies.setdefault(first.args[0], []).append(f"    {loop} = k{first.args[0]}[{first.data} + t0];")
                copied |= set(values[start:end])
            start = end
    # what is also written elsewhere is written there one by one
    counts = Counter(value for values in program.results for value in values)
    return (copied, copies) if all(counts[value] == 1 for value in copied) else (set(), {})


def _follows(first: Instruction, step: Instruction, by: int) -> bool:
    """Whether a step picks what is so far behind what another picks, of the same call."""
    return step.op == "pick" and step.args == first.args and step.data == first.data + by  # type: ignore[operator]


def gathered(call: int, step: Instruction, part: Part, real: str, name: Callable[[int], str]) -> list[str] | None:
    """What a kernel takes, most of which earlier parts have handed over, by a table of where that is; None where it
    is little.
    """
    handed = [part.needs.get(arg) for arg in step.args]
    known = [slot for slot in handed if slot is not None]
    if len(known) < MANY:
        return None
    table = ", ".join(str(known[0] if slot is None else slot) for slot in handed)
    own = [f"    a{call}[{k}] = {name(arg)};" for k, arg in enumerate(step.args) if handed[k] is None]
    return [
        f"    static const int k{call}_at[{len(handed)}] = {{{table}}};",
        f"    {real} a{call}[{len(handed)}];",
        f"    for (int t0 = 0; t0 < {len(handed)}; ++t0) a{call}[t0] = w[k{call}_at[t0]];",
        *own,
    ]
