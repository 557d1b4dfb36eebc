"""Where does each value of a program come from? Which quantity of which link it is, and what equation gave it.

The schedule is walked on numbers (the third reading) at two states that are drawn once and for all, and the program is
evaluated there, value by value. A value that is an entry of a quantity at both, to nine digits, is that entry, or minus
it: a name says what is true of a value, whatever passes have done to it.

    link_3_twist_wx        ω_x of the twist of the third body
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import numpy as np

from motionc.model.mechanism import Mechanism
from motionc.program.evaluate import values_of
from motionc.program.origins import Origin, Origins
from motionc.program.port import Port, as_columns
from motionc.program.program import Program
from motionc.sweeps.entries import entries
from motionc.sweeps.schedule import INWARD, ROOT, Operation, Schedule, Sweep
from motionc.sweeps.state import StateGraph
from motionc.sweeps.walk import Applied

DIGITS = 1e-9
"""Relative difference up to which two numbers are one."""
NOTHING = 1e-14
SEED = 11
MOST_FIXED = 8
"""Links fixed to another that are listed by name."""
UNSAID = frozenset(("ndarray", "float", "float64", "int", "tuple", "list", "dict"))
"""Kinds that say nothing of a quantity."""
HOMES: dict[bool, dict[str, str]] = {
    True: {
        "body": "on its joint's axis, which is z, there and turned about it so that constants vanish",
        "inertial": "on its joint's axis, there where constants vanish, in the axes of the world",
        "absolute": "at the origin of the world, in its axes",
    },
    False: {
        "body": "at the origin of its joint's frame, in the axes of that frame, turned so that the joint's axis is z",
        "inertial": "at the origin of its joint's frame, in the axes of the world",
        "absolute": "at the origin of the world, in its axes",
    },
}
"""Where quantities of a link are kept: whether frames have moved along their joints' axes, and by representation."""

Entries = tuple[tuple[str, float], ...]
"""The entries of a quantity: what each is called, and its number."""


class Walked(Protocol):
    """A solver, as naming sees it: ports, a schedule, and its states on numbers."""

    @property
    def name(self) -> str: ...
    @property
    def schedule(self) -> Schedule: ...
    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def robot(self) -> Any: ...
    @property
    def mechanism(self) -> Mechanism: ...
    @property
    def representation(self) -> str: ...
    def states(self, mechanism: Mechanism, inputs: Mapping[str, Any]) -> Iterator[tuple[Applied, StateGraph[Any]]]: ...


@dataclass(frozen=True, slots=True)
class Place:
    """A quantity of a body (-1: the world) as one operation of one sweep has left it, for the n-th time."""

    body: int
    quantity: str
    kind: str
    round: int
    sweep: int
    operation: Operation


def named(program: Program, solver: Walked) -> Program:
    """The program with the names of its values beside it, asked of the solver it was traced from."""
    rng, columns, found = np.random.default_rng(SEED), list[Any](), list[dict[Place, Entries]]()
    for _ in range(2):
        given = [port.space.draw(rng).reshape(port.shape) for port in program.inputs]
        columns.append(values_of(program, {port.name: x for port, x in zip(program.inputs, given, strict=True)}))
        known = dict(zip((port.name for port in program.inputs), given, strict=True))
        own = as_columns(solver.name, solver.inputs, [known[port.name] for port in solver.inputs])
        found.append(dict(_quantities(solver, own)))
    return replace(program, origins=_origins(program, solver, np.array(columns), found))


def _quantities(solver: Walked, inputs: Mapping[str, Any]) -> Iterator[tuple[Place, Entries]]:
    """What each sweep leaves at each body, in the order in which it comes by."""
    graphs, seen, given = list[StateGraph[Any]](), dict[tuple[int, int, str], Any](), dict[int, dict[str, str]]()
    bodies, left = {body.joint.name: k for k, body in enumerate(solver.mechanism.bodies)}, 0
    for step, graph in solver.states(solver.mechanism, inputs):
        if not graphs or graphs[-1] is not graph:
            graphs.append(graph)
        sweep = solver.schedule.sweeps[step.sweep]
        if not left:
            left = len(sweep.operations) * (1 if sweep.direction is ROOT else len(graph.mechanism.bodies))
        for state in _reached(graph, bodies.get(step.joint)):
            for name, value in step.given:
                if name in state and state[name] is value:
                    given.setdefault(state.index, {}).setdefault(name, step.operation)
        left -= 1
        if not left:
            yield from _left(sweep, graph, (len(graphs) - 1, step.sweep), given, seen)
            given.clear()


def _reached(graph: StateGraph[Any], body: int | None) -> list[Any]:
    """The states that an operation may write to: those of a joint's two bodies, or all at the root."""
    return [graph.world, *graph] if body is None else [graph[body], graph[graph.mechanism.bodies[body].parent]]


def _left(
    sweep: Sweep,
    graph: StateGraph[Any],
    at: tuple[int, int],
    given: Mapping[int, Mapping[str, str]],
    seen: dict[tuple[int, int, str], Any],
) -> Iterator[tuple[Place, Entries]]:
    """What a sweep has left that was not there before it, body by body, as its operations gave it there."""
    states = [graph.world, *graph]
    for state in states if sweep.direction is not INWARD else reversed(states):
        for operation in sweep.operations:
            for quantity, by in given.get(state.index, {}).items():
                key = at[0], state.index, quantity
                if by == operation.name and seen.get(key) is not state[quantity]:
                    seen[key] = state[quantity]
                    kind = type(state[quantity]).__name__
                    yield Place(state.index, quantity, kind, *at, operation), tuple(entries(state[quantity]))


# ---------------------------------------------------------------- which value is which entry


def _origins(program: Program, solver: Walked, numbers: Any, found: Sequence[Mapping[Place, Entries]]) -> Origins:
    steps = program.instructions
    computed = _Lookup(numbers, [i for i, step in enumerate(steps) if step.op not in ("const", "input", "call")])
    read = _Lookup(numbers, [i for i, step in enumerate(steps) if step.op == "input"])
    last = {(place.body, place.quantity): place for place in found[0]}
    called = {place: _called(place, final=last[place.body, place.quantity] is place) for place in found[0]}
    both = {place: [(suffix, x, y) for (suffix, x), (_, y) in _pairs(place, found)] for place in found[0]}
    names: dict[int, Origin] = {}

    # a value is called by the first quantity it is; by the opposite of one only where it is none
    for sign in (1.0, -1.0):
        for section, (place, pairs) in enumerate(both.items()):
            for suffix, x, y in pairs:
                value = None if _constant(x, y) else computed.find(sign * x, sign * y)
                if value is not None and value not in names:
                    own = f"{_body(place.body)}_{called[place]}" + (f"_{suffix}" if suffix else "")
                    names[value] = Origin(own if sign > 0 else f"minus_{own}", section)

    def where(place: Place, suffix: str, x: float, y: float) -> str:
        """What an entry is: "" for a value of its own name, "?" for none at all."""
        if _constant(x, y):
            return f"{x:.6g}" if abs(x) > NOTHING else "0"
        for sign, word in ((1.0, ""), (-1.0, "-")):
            value, entry = computed.find(sign * x, sign * y), read.find(sign * x, sign * y)
            if entry is not None:
                port, element = steps[entry].data  # type: ignore[misc]
                return f"{word}{program.inputs[port].name}[{element}]"  # type: ignore[index]
            if value is not None:
                own = f"{_body(place.body)}_{called[place]}" + (f"_{suffix}" if suffix else "")
                return "" if names[value].name == own else f"{word}{names[value].name}"
        return "?"

    index = [
        f"Quantities of a link are {HOMES[solver.mechanism.moved][solver.representation]}",
        "",
        *_glossary(called),
        "",
        "world",
    ]
    for body in (-1, *range(len(solver.mechanism.bodies))):
        index += _legend(solver.robot, solver.mechanism, body) if body >= 0 else []
        for place in [place for place in both if place.body == body]:
            listed = _listed((suffix, where(place, suffix, x, y)) for suffix, x, y in both[place])
            index += [f"  {called[place]}: {listed}"] if listed else []
    sections = [f"{_body(p.body)} {p.quantity}, {p.operation.direction}: {p.operation.said}" for p in both]
    return Origins(names, tuple(sections), tuple(index))


def _pairs(place: Place, found: Sequence[Mapping[Place, Entries]]) -> Iterator[Any]:
    """The entries of a quantity at both states, where it has as many at both."""
    one, other = found[0][place], found[1].get(place, ())
    return zip(one, other, strict=True) if len(one) == len(other) else iter(())


def _constant(x: float, y: float) -> bool:
    return abs(x - y) <= DIGITS * abs(x) or max(abs(x), abs(y)) <= NOTHING


class _Lookup:
    """Values of a program by the numbers they have at both states."""

    def __init__(self, numbers: Any, among: Sequence[int]) -> None:
        self._order = sorted(among, key=lambda i: (numbers[0, i], i))
        self._numbers = [(float(numbers[0, i]), float(numbers[1, i])) for i in self._order]

    def find(self, x: float, y: float) -> int | None:
        """The first value that is x at the one state and y at the other."""
        near, wide = list[int](), DIGITS * abs(x)
        for k in range(bisect_left(self._numbers, (x - wide, -inf)), len(self._numbers)):
            a, b = self._numbers[k]
            if not a <= x + wide:
                break
            if abs(b - y) <= DIGITS * abs(y):
                near.append(self._order[k])
        return min(near, default=None)


# ---------------------------------------------------------------- words


def _body(index: int) -> str:
    return "world" if index < 0 else f"link_{index + 1}"


def _called(place: Place, *, final: bool) -> str:
    """The quantity's name; as it was before a later sweep changed it, and in later rounds, that is said."""
    quantity = re.sub(r"[^0-9A-Za-z_]+", "_", place.quantity)[:40]
    again = f"_round_{place.round + 1}" if place.round else ""
    return f"{quantity}{again}{'' if final else '_before'}"


def _glossary(called: Mapping[Place, str]) -> Iterator[str]:
    """Which word is which symbol: the quantities that an operation gives, what kind each is, and its equation."""
    given: dict[Operation, dict[str, None]] = {}
    for place in called:
        kind = re.sub(r"\B(?=[A-Z])", " ", place.kind).lower()
        plain = kind.replace(" ", "_") == place.quantity or place.kind in UNSAID
        word = called[place].removesuffix("_before")
        given.setdefault(place.operation, {})[word if plain else f"{word} ({kind})"] = None
    return (f"  {', '.join(words)}: {operation.said}" for operation, words in given.items())


def _legend(robot: Any, mechanism: Mechanism, index: int) -> list[str]:
    """Which link has which number, by which joint it hangs on which, and what else is fixed to it."""
    body, frames = mechanism.bodies[index], mechanism.frames
    q, v = (f"{name}[{where.start}:{where.stop}]" for name, where in (("q", body.joint.q), ("v", body.joint.v)))
    fixed = [name for name in robot.link_names if frames[name][0] == index and name != str(body.body)]
    more = f", and {len(fixed) - MOST_FIXED} more" if len(fixed) > MOST_FIXED else ""
    carried = f", with {', '.join(fixed[:MOST_FIXED])}{more}" if fixed else ""
    there, pose = frames.get(f"joint:{body.joint.name}", (-1, None))
    along = float(np.asarray(pose.matrix, float)[2, 3]) if pose is not None and there == index else 0.0
    slid = f"; as the file has it, at z = {along:.6g}" if abs(along) > NOTHING else ""
    moved = f"moved by joint {body.joint.name} ({q}, {v}{slid}) on {_body(body.parent)}"
    return ["", f"{_body(index)}: {body.body}{carried}, {moved}"]


def _listed(where: Iterable[tuple[str, str]]) -> str:
    """What is where: entries that are the same together, those with a name of their own first."""
    groups: dict[str, list[str]] = {"": []}
    for suffix, said in where:
        groups.setdefault(said, []).append(suffix)
    alone, hidden = groups.pop(""), groups.pop("?", [])
    if not alone and set(groups) <= {"0"}:
        return "" if hidden or not groups else "0"
    told = [", ".join(suffix or "by its name" for suffix in alone)] if alone else []
    told += [f"{', '.join(filter(None, suffixes))} = {said}".removeprefix(" = ") for said, suffixes in groups.items()]
    return "; ".join(told)
