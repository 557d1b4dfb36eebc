"""State that begins anew when a machine enters a state: the block reads its start instead of what it carried."""

from collections.abc import Sequence
from dataclasses import replace

from motionc import checked
from motionc.control.part import reset_port
from motionc.errors import Error, suggestion
from motionc.program.block import Block
from motionc.program.port import states_of
from motionc.program.program import Instruction, Program
from motionc.runtime.computation import Computation


def resettable(computation: Computation, states: str | Sequence[str]) -> Computation:
    """The same computation with an input `reset_<state>` for some of its state ports: where it is 1, they begin anew.

    A machine gives these as outputs (`resets=`); wired behind it, a block starts afresh in the tick in which the mode
    changes.

    >>> import motionc as mc
    >>> count = mc.block("counter", lambda n: {"n": n + 1.0}, [mc.State("n", (), "1", "ticks")])
    >>> again = mc.control.resettable(count, "n")
    >>> again(7.0, 0.0), again(7.0, 1.0)
    (8.0, 1.0)

    Args:
        computation: what carries state.
        states: names of its state ports.
    """
    wanted = "give a computation that carries state"
    source = checked.instance("resettable: computation", computation, Computation, wanted).solver
    known = {port.name: k for k, port in enumerate(source.inputs) if port in states_of(source.inputs)}
    if not known:
        raise Error(f"resettable: computation: {source.name} carries no state; {wanted}")
    names = checked.names("resettable: states", states, f"name some of {', '.join(known)}")
    if not names:
        raise Error(f"resettable: states is empty; name some of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise Error(f"resettable: states: {source.name} carries no {name!r}{suggestion(name, known)}")
        if names.count(name) > 1:
            raise Error(f"resettable: states: {name} is there twice; name each once")
    return Computation(Block(_begun_anew(source.recorded(), names), source.precision, source.robot))


def _begun_anew(program: Program, names: Sequence[str]) -> Program:
    """A program that reads the start of some states where a flag, another input, says so."""
    flags = {name: len(program.inputs) + k for k, name in enumerate(names)}
    steps, moved = list[Instruction](), list[int]()
    for step in program.instructions:
        args = tuple([moved[arg] for arg in step.args])
        match step:
            case Instruction("input", _, (int(port), int(entry))) if program.inputs[port].name in flags:
                (state,) = states_of([program.inputs[port]])
                flag = Instruction("input", (), (flags[state.name], 0))
                start, here = Instruction("const", (), state.start[entry]), len(steps)
                steps += [flag, start, step, Instruction("select", (here, here + 1, here + 2))]
            case _:
                steps.append(step._replace(args=args))
        moved.append(len(steps) - 1)
    return replace(program.moved(steps, moved), inputs=(*program.inputs, *map(reset_port, names)))
