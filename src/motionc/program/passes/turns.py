"""Turns: sines and cosines that can be computed at once stand in one run.

    a = sin(p)   b = a*x   c = sin(q)   d = cos(p)        →        a = sin(p)   d = cos(p)   c = sin(q)   b = a*x

Those belong to one run whose angles wait for as many runs before them: all that depend on inputs alone, then those that
need the first ones' results, and so on. A processor computes a run in vectors, for little more than one angle takes.
"""

from collections.abc import Sequence

from motionc.program.instructions import TURN
from motionc.program.program import Instruction, Program

Run = tuple[int, ...]


def with_runs_of_turns(program: Program, least: int) -> Program:
    """The same program with runs of at least so many angles, and all that a run waits for before it."""
    steps = program.instructions
    run_of = {i: run for run in _runs(steps, least) for i in run}
    if not run_of:
        return program
    order, placed = list[int](), [False] * len(steps)
    for first in range(len(steps)):
        waiting = [first]
        while waiting:
            i = waiting.pop()
            if placed[i]:
                continue
            unit = run_of.get(i, (i,))
            missing = [arg for k in unit for arg in steps[k].args if not placed[arg]]
            if missing:
                waiting += [i, *reversed(missing)]
                continue
            order += unit
            for k in unit:
                placed[k] = True
    new = {old: i for i, old in enumerate(order)}
    return program.moved([steps[old]._replace(args=tuple([new[arg] for arg in steps[old].args])) for old in order], new)


def _runs(steps: Sequence[Instruction], least: int) -> list[Run]:
    """Sines and cosines by how many runs their angles wait for, those of one angle side by side."""
    depth, members = [0] * len(steps), dict[int, list[int]]()
    for i, step in enumerate(steps):
        depth[i] = max([depth[arg] for arg in step.args], default=0)
        if step.op in TURN:
            members.setdefault(depth[i], []).append(i)
            depth[i] += 1
    runs = [tuple(sorted(run, key=lambda i: (_where(steps, steps[i].args[0]), i))) for run in members.values()]
    return [run for run in runs if len({steps[i].args for i in run}) >= least]


def _where(steps: Sequence[Instruction], angle: int) -> tuple[int, ...]:
    """Inputs come first, in the order of ports and their elements; then what is computed."""
    match steps[angle].data:
        case (int(port), int(element)):
            return 0, port, element
        case _:
            return 1, angle


def run_at(steps: Sequence[Instruction], start: int) -> range:
    """The run that starts here: sines and cosines side by side of what is there before; empty where there is none."""
    end = start
    while end < len(steps) and steps[end].op in TURN and steps[end].args[0] < start:
        end += 1
    return range(start, end)


def angles_of(steps: Sequence[Instruction], run: range) -> list[int]:
    """The angles of a run, each once, in its order."""
    return list(dict.fromkeys(steps[i].args[0] for i in run))
