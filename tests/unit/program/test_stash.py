"""Values outside registers: no more than fit are in at once, what is needed is there, and slots are kept."""

import pytest

import motionc as mc
from motionc.program.instructions import FREE
from motionc.program.passes.order import alive
from motionc.program.port import Port
from motionc.program.program import Instruction, Program
from motionc.program.stash import Stash, stashed
from mutants import tree

ROOMS = (12, 30, 60)


def programs() -> dict[str, Program]:
    rows = [mc.Constraint("tool", "xyz rx")]
    return {
        "forward dynamics": mc.forward_dynamics(tree(True)).program,
        "constrained dynamics": mc.constrained_dynamics(tree(True), rows).program,
    }


def most_at_once(program: Program, stash: Stash) -> int:
    """Go through it as a target would; how many values were in registers at once, between instructions."""
    steps = program.instructions
    last = list(range(len(steps)))
    for i, step in enumerate(steps):
        for arg in step.args:
            last[arg] = i
    here, held, most = set[int](), dict[int, int](), 0
    for i, step in enumerate(steps):
        if step.op in FREE:
            continue
        for value in stash.takes.get(i, ()):
            assert held[stash.slot[value]] == value
            here.add(value)
        needed = {arg for arg in step.args if steps[arg].op not in FREE and steps[arg].op != "call"}
        assert needed <= here
        if step.op != "call" and last[i] > i:
            here.add(i)
        for value in stash.puts.get(i, ()):
            assert value in here
            held[stash.slot[value]] = value
        kept = {value for value in here if last[value] > i}
        # what has a slot, holds it and is not used next may be dropped
        later = {value for value in kept if held.get(stash.slot.get(value, -1)) == value}
        comes = {value: k for k, values in stash.takes.items() if k > i for value in values if value in later}
        first = {value: next(k for k in range(i + 1, len(steps)) if value in steps[k].args) for value in comes}
        here = kept - {value for value in later if value in stash.takes.get(first.get(value, -1), ())}
        most = max(most, len(here))
    return most


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("kind", ["forward dynamics", "constrained dynamics"])
def test_what_is_needed_is_there_and_no_more_than_fits(kind: str, room: int) -> None:
    program = programs()[kind]
    assert max(alive(program.instructions)) > room
    stash = stashed(program, room)
    assert most_at_once(program, stash) == room


def test_nothing_waits_where_all_fits() -> None:
    program = programs()["forward dynamics"]
    assert not stashed(program, len(program.instructions)).slot


def test_who_is_used_last_goes_first() -> None:
    squares = [Instruction("mul", (k, k)) for k in range(3)]
    inputs = [Instruction("input", (), (0, k)) for k in range(3)]
    sums = [Instruction("add", (5, 4)), Instruction("add", (6, 3))]
    ports = (Port("x", (3,), "1", "in"),), (Port("y", (1,), "1", "out"),)
    program = Program("p", "y", *ports, (*inputs, *squares, *sums), ((7,),))
    assert stashed(program, 2) == Stash({5: (3,)}, {7: (3,)}, {3: 0})
