"""What kernels give and outputs take, side by side: loops instead of statements.

A compiler takes minutes over thousands of loads and stores one by one.
"""

from collections import Counter

from motionc.program.program import Instruction, Program
from motionc.program.split import Part

SEVERAL = 8
"""Entries of an output from which on a loop writes them: a kernel's results side by side, or zeros."""


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
