"""Computations wired into one: what some give fed to others, ports checked for what they mean."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from motionc import checked
from motionc.errors import WrongType
from motionc.program.foreign import Foreign
from motionc.program.source import Source
from motionc.program.wired import Wired
from motionc.program.wiring import parts_by_name, wiring
from motionc.runtime.computation import Computation

WANTED = "give computations, such as mc.forward_dynamics(robot) or mc.block(…)"


def wired(
    parts: Sequence[Computation] | Mapping[str, Computation],
    *,
    feeds: Mapping[str, str] | None = None,
    outputs: Sequence[str] | None = None,
    feedback: Mapping[str, str] | None = None,
    start: Mapping[str, Any] | None = None,
    name: str = "",
) -> Computation:
    """Computations as one: they run in order, and what one gives is what a later one reads under the same name.

    What they share is computed once. Shape, unit, order of entries, frame, point and axes of every wire are compared
    before anything runs; what does not fit is refused with the repair. State of all parts is state of the whole.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> whole = mc.wired([mc.inverse_dynamics(robot), mc.forward_dynamics(robot)])
    >>> whole([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]).round(9)
    array([0.5, 0.6])

    Args:
        parts: computations in the order in which they run; by name, where several are alike.
        feeds: {input: output} where names differ, a port as "tau" or "plant.tau".
        outputs: which outputs come out; those that no other part reads, unless said. State always does.
        feedback: {input: output} of the next call: the input becomes state, given by a later part than reads it.
        start: {input: value} of what is fed back, at the first call; 0 unless said.
        name: of the whole; the parts' joined by "_then_", unless said.
    """
    whole = wires_of("wired", parts, feeds, name)
    asked = None if outputs is None else checked.names("wired: outputs", outputs, "give names of outputs")
    back = checked.instance("wired: feedback", {} if feedback is None else feedback, Mapping, "give {input: output}")
    told = {checked.name("wired: feedback", to, "name an input"): of for to, of in back.items()}
    for of in told.values():
        checked.name("wired: feedback", of, "name an output")
    first = checked.instance("wired: start", {} if start is None else start, Mapping, "give {input: value}")
    return Computation(Wired(whole, asked, told, first))


def wires_of(what: str, parts: Any, feeds: Any, name: str) -> Any:
    """Parts and feeds as a user gives them, wired."""
    named = parts_by_name(what, parts, partial(source_of, what))
    said = checked.instance(f"{what}: feeds", {} if feeds is None else feeds, Mapping, "give {input: output}")
    known = {checked.name(f"{what}: feeds", to, "name an input"): of for to, of in said.items()}
    for of in known.values():
        checked.name(f"{what}: feeds", of, "name an output")
    called = checked.name(f"{what}: name", name, "give a name", empty=True) or "_then_".join(named)
    return wiring(called, named, known)


def source_of(what: str, one: Any) -> Source:
    """What a computation is made from; what is no program stands for itself."""
    if isinstance(one, Foreign):
        return one
    if not isinstance(one, Computation):
        raise WrongType(f"{what}: parts: {checked.shown(one)} is no computation; {WANTED}")
    return one.solver
