"""A schedule with its ports: which inputs it takes, which outputs it gives, what they mean. Checked and run here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, known_or_unknown
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.derive.derived import Derived
from motionc.program.port import Note, Port, Precision, as_columns
from motionc.program.program import Program
from motionc.program.source import Along, Kind, Open, Source
from motionc.program.space import Near
from motionc.sweeps.given_frames import frame_ports, with_frames
from motionc.sweeps.identity import identity
from motionc.sweeps.options import Derivative, Options
from motionc.sweeps.origins import named
from motionc.sweeps.parameters import Parameter, refuse_unread, resolve_parameters
from motionc.sweeps.parametric import opened
from motionc.sweeps.problem import Problem, Watched
from motionc.sweeps.representation import Representation, at_home
from motionc.sweeps.schedule import Policy, Schedule, depth_first
from motionc.sweeps.state import StateGraph
from motionc.sweeps.trace import record, shortest
from motionc.sweeps.walk import Applied, Trace, stepwise, walk

Array = np.ndarray[Any, np.dtype[np.float64]]


Again = Callable[[StateGraph[Any], Problem], tuple[Problem, Mapping[str, Coordinates]]]
"""From the states a question has left, and the question, to the next question, and what else they say."""


Swept = Callable[["Solver", Sequence[str], Sequence[str]], "Solver | None"]
"""From a solver, outputs and inputs to the solver of that derivative; None where no sweep knows it."""


@dataclass(frozen=True, eq=False)
class Solver:
    """A computation before it is code.

    `question` turns a mechanism into a problem without inputs; `collect` reads each output off the states, as a
    matrix of the port's shape (vectors as columns). Both are asked anew for each mechanism, so that the same solver
    runs on the normalised robot and on the robot as it was written. `notes` reads outputs that carry states in front.
    `again` asks the same schedule once more, in the light of what it has left, as often as it has entries.
    `options` say what is asked: with the robot, all of this follows from them. Constants of the robot that they open,
    `parameters`, are the last inputs; `usual` are values of others, where nobody says otherwise. `made_by` makes the
    same again from robot and options, where these are all that it was made from; else its program alone tells what it
    computes. `swept` knows derivatives by sweeps.
    """

    name: str
    equation: str
    robot: Robot
    schedule: Schedule
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    question: Callable[[Mechanism], Problem]
    collect: Mapping[str, Callable[[StateGraph[Any]], Coordinates]]
    notes: Callable[[Mapping[str, Any]], list[Note]] = field(default=lambda _: [])
    again: tuple[Again, ...] = ()
    options: Options = field(kw_only=True)
    representation: Representation = field(kw_only=True, default="body")
    usual: tuple[Open, ...] = field(kw_only=True, default=())
    made_by: Callable[[Robot, Any], Source] | None = field(init=False, default=None)
    swept: "Swept | None" = field(init=False, default=None)
    parameters: tuple[Parameter, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.representation == "body":
            object.__setattr__(self, "representation", getattr(self.options, "representation", "body"))
        if self.given_frames:
            self._give()
        if names := getattr(self.options, "parameters", ()):
            self._open(names)

    @property
    def open(self) -> tuple[Open, ...]:
        """Inputs that have a value where nobody says otherwise."""
        return (*self.usual, *self.parameters)

    @property
    def own(self) -> bool:
        """Whether somebody else composed it: what it computes is known once it is traced, not before."""
        return self.options.own

    @property
    def precision(self) -> Precision:
        return getattr(self.options, "precision", "double")

    @property
    def period(self) -> float:
        """A time step's length, where this is one."""
        return getattr(self.options, "dt", 0.0)

    @property
    def given_frames(self) -> Mapping[str, str]:
        """Frames whose poses are given with each call, by what they are given wrt."""
        return getattr(self.options, "given_frames", None) or {}

    @property
    def problem(self) -> Problem:
        """What is asked of this robot, before anything is given."""
        return self.question(with_frames(self.robot.mechanism, self.given_frames))

    def _give(self) -> None:
        """Put the ports of frames that are given behind the others."""
        ports = frame_ports(self.given_frames)
        others = tuple(port for port in self.inputs if port not in ports)
        for name in {port.name for port in others}.intersection(self.given_frames):
            raise Error(f"{self.name}: given_frames={name!r}: there is an input of that name already; take another one")
        object.__setattr__(self, "inputs", (*others, *ports))

    def _open(self, names: tuple[str, ...]) -> None:
        """Find what is named, and put its ports behind the others."""
        question = self.problem
        parameters = resolve_parameters(self.name, self.robot, names, question.gravity)
        ports = tuple(Port(one.name, one.shape, one.unit, one.meaning, Near(one.default)) for one in parameters)
        others = tuple(port for port in self.inputs if port not in ports)
        for name in {port.name for port in others}.intersection(port.name for port in ports):
            raise Error(f"{self.name}: parameters={name!r}: there is an input of that name already; rename that one")
        if others == self.inputs:
            # named here, not handed on from another solver
            watched = Watched.over(replace(question, inputs=dict.fromkeys(port.name for port in others)))
            walk(self.schedule, with_frames(self.robot.mechanism, self.given_frames), watched)
            refuse_unread(self.name, parameters, watched.noticed)
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "inputs", (*others, *ports))

    # ---------------------------------------------------------------- what it is

    @property
    def program(self) -> Program:
        """The flat program, traced once."""
        return self._traced[0]

    @property
    def mechanism(self) -> Mechanism:
        """The robot as the program has it."""
        return self._traced[1]

    @cached_property
    def _traced(self) -> tuple[Program, Mechanism]:
        """With the frames of joints where constants vanish, or, if that is shorter, where they were: links' own frames
        are nearer there.
        """
        placed, standing = self.robot.mechanism, self.robot.standing_mechanism
        return shortest(self, [placed] if standing is placed else [placed, standing])

    def readable(self, program: Program) -> Program:
        """A program that takes at least these inputs, with the names of links and quantities beside its values."""
        return named(program, self)

    def recorded(self) -> Program:
        """The program as it is before all passes."""
        return record(self)

    def identity(self, options: Any = None) -> str | None:
        """The digest of robot, options and code; None where only the program tells what is computed."""
        return identity(self.robot, self.options if options is None else options) if self.made_by else None

    def told(self, made_by: Callable[[Robot, Any], Source] | None, swept: "Swept | None") -> "Solver":
        """The same, knowing who made it from robot and options alone; a copy changed by hand forgets it."""
        object.__setattr__(self, "made_by", made_by)
        object.__setattr__(self, "swept", swept)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self.made_by is None:
            raise Error(f"{self.name}: made from a solver by hand, it cannot be pickled or copied; use mc.solve")
        return self.made_by, (self.robot, self.options)

    def derived(
        self, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, *, sparse: bool = False
    ) -> Source:
        """A derivative: by sweeps where they know it, else instruction by instruction."""
        table = None
        if self.swept is not None and kind == "derivative" and coordinates == "tangent":
            table = self.swept(self, of, wrt)
        if table is not None and not sparse:
            return table.told(self.made_by, self.swept)
        options = Derivative(self.options, kind, of, wrt, coordinates, sparse)
        return Derived(self, kind, of, wrt, coordinates, sparse=sparse, table=table, options=options)

    # ---------------------------------------------------------------- three readings

    def answer(
        self,
        mechanism: Mechanism,
        inputs: Mapping[str, Coordinates],
        *,
        policy: Policy = depth_first,
        trace: Trace | None = None,
        call: Callable[..., tuple[Any, ...]] | None = None,
    ) -> dict[str, Coordinates]:
        """Walk the schedule with these inputs (columns of numbers, of symbols, or None) and read the outputs off."""
        mechanism, problem = self._asked(mechanism, inputs)
        if call is not None:
            problem = replace(problem, call=call)
        graph = walk(self.schedule, mechanism, problem, policy=policy, trace=trace)
        for ask in self.again:
            problem, answers = ask(graph, problem)
            graph = walk(self.schedule, mechanism, problem, policy=policy, trace=trace, before=graph, answers=answers)
        return {port.name: self.collect[port.name](graph) for port in self.outputs}

    def check(self, *, normalise: bool = True) -> None:
        """The check reading: every relation verified on this robot, no number anywhere. Raises SemanticError."""
        self.answer(self._mechanism(normalise), {port.name: None for port in self.inputs})

    def run(
        self,
        *values: Any,
        policy: Policy = depth_first,
        normalise: bool = True,
        trace: Trace | None = None,
    ) -> dict[str, Array]:
        """The numeric reading, step by step in NumPy."""
        arrays = as_columns(self.name, self.inputs, values)
        answers = self.answer(self._mechanism(normalise), arrays, policy=policy, trace=trace)
        return {port.name: np.asarray(answers[port.name], float).reshape(port.shape) for port in self.outputs}

    def steps(self, *values: Any, policy: Policy = depth_first, normalise: bool = True) -> Iterator[Applied]:
        """The numeric reading, one operation at a time."""
        arrays = as_columns(self.name, self.inputs, values)
        return (step for step, _ in self.states(self._mechanism(normalise), arrays, policy=policy))

    def states(
        self, mechanism: Mechanism, inputs: Mapping[str, Coordinates], *, policy: Policy = depth_first
    ) -> Iterator[tuple[Applied, StateGraph[Any]]]:
        """One operation at a time, and the states they have left so far."""
        mechanism, problem = self._asked(mechanism, inputs)
        graph = StateGraph(mechanism)
        yield from ((step, graph) for step in stepwise(self.schedule, graph, problem, policy=policy))
        for ask in self.again:
            problem, answers = ask(graph, problem)
            graph = StateGraph(mechanism, graph, answers)
            yield from ((step, graph) for step in stepwise(self.schedule, graph, problem, policy=policy))

    def _asked(self, mechanism: Mechanism, inputs: Mapping[str, Coordinates]) -> tuple[Mechanism, Problem]:
        """The mechanism with what is open as it is given and its bodies at home, and the question about it."""
        mechanism = with_frames(opened(mechanism, self.robot, self.parameters, inputs), self.given_frames, inputs)
        mechanism = at_home(mechanism, self.representation, inputs)
        problem = replace(self.question(mechanism), inputs=inputs)
        falling = any(one.kind == "gravity" for one in self.parameters)
        return mechanism, replace(problem, gravity=known_or_unknown(inputs["gravity"])) if falling else problem

    def _mechanism(self, normalise: bool) -> Mechanism:
        return self.robot.mechanism if normalise else self.robot.as_mechanism(normalise=False)
