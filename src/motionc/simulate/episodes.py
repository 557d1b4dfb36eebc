"""Many lanes of a closed loop, a few turns at a time, each with episodes of its own: what learning is built on.

One batch call of the compiled loop makes the turns of a step of all lanes. What is read of them, to observe, to reward
and to end an episode, are names, computations on ports, or plain functions on arrays, (N, …). Knows no library.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.runtime.arrays.batch import workers
from motionc.runtime.computation import Computation
from motionc.simulate.actions import Actions, actions_on
from motionc.simulate.closed_loop import Controller, arguments_of, closed
from motionc.simulate.loops import Loop
from motionc.simulate.plant import Plant

Array = np.ndarray[Any, np.dtype[Any]]
Read = Computation | Callable[..., Any] | Sequence[str] | str
START = 'give {"q": …, "v": …}, or a function of (rng, count)'
OWN = ("action", "time")
"""What can be read beside states and outputs of a loop: the action itself, and the seconds since an episode began."""


@dataclass(frozen=True, eq=False)
class Reading:
    """Something that is worked out of arrays by name, (N, …) each; several answers stand behind each other."""

    what: str
    reads: tuple[str, ...]
    give: Callable[[Mapping[str, Array]], Sequence[Any]]

    def __call__(self, known: Mapping[str, Array], lanes: int) -> Array:
        """(N, all its entries)."""
        found = [np.asarray(one, float) for one in self.give({name: known[name] for name in self.reads})]
        return np.concatenate([one.reshape(lanes, -1) for one in found], axis=1)


def reading(what: str, given: Any) -> Reading:
    """Names, a computation by its inputs, or a function by its arguments."""
    if isinstance(given, Computation):
        names = tuple(port.name for port in given.inputs)

        def ask(known: Mapping[str, Array]) -> Sequence[Any]:
            found = given.batch(*(known[name] for name in names))
            return [found] if len(given.outputs) == 1 else list(found)

        return Reading(what, names, ask)
    wanted = "give names, a computation, or a function whose arguments have the names of what it reads"
    if callable(given):
        arguments = arguments_of(what, given, wanted)
        plain = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
        if not {one.kind for one in arguments.values()} <= plain:
            raise Error(f"{what}: its arguments must have names, those of what it reads: lambda q, v: …")
        return Reading(what, tuple(arguments), lambda known: [given(**known)])
    names = checked.names(what, given, wanted)
    if not names:
        raise Error(f"{what}: it reads nothing; name something")
    return Reading(what, tuple(names), lambda known: [known[name] for name in names])


class Episodes:
    """Lanes of a closed loop in episodes: `begin` some lanes anew, `advance` all of them by a step."""

    def __init__(
        self,
        plant: Plant,
        controller: Controller,
        readings: Mapping[str, Reading],
        *,
        lanes: int,
        turns: int,
        rate: int,
        action: str,
        low: Any,
        high: Any,
        held: Mapping[str, Any],
        start: Any,
        threads: int | None,
    ) -> None:
        self.plant, self.lanes, self.turns = plant, lanes, turns
        self._start, self._threads = start, None if threads is None else workers("environment", threads)
        if callable(start) and len(arguments_of("environment: start", start, START)) != 2:
            raise checked.refusal("environment: start", start, START)
        self.readings = readings
        self.loop = self._closed(controller, rate)
        program = self.loop.runs.loop
        if program.of("clock"):
            raise Error(
                "environment: something happens by the clock, and episodes begin at times of their own; leave it out"
            )
        self._states = {buffer.name: buffer for _, buffer in program.states}
        self._outputs, self._read = [log.name for log in program.logs], ("finite", *self._wanted)
        given = {buffer.name: buffer.port for _, buffer in program.given}
        self.actions: Actions = actions_on(plant.robot, self._acted_on(given, action), low, high)
        self._held = dict(checked.instance("environment: held", held, Mapping, "give {name: value}"))
        for name in self._held:
            if name not in given or name == self.actions.port.name:
                raise Error(f"environment: held: nothing takes {name!r}{suggestion(str(name), given)}")
        self.state = {name: np.zeros((lanes, *buffer.port.shape)) for name, buffer in self._states.items()}
        self._known: dict[str, Array] = {}
        self._plants: dict[str, Array] = {}
        self._turn = self._seed = 0
        self._begun, self.made = np.zeros(lanes, int), np.zeros(lanes, int)

    @property
    def _wanted(self) -> dict[str, Reading]:
        """What is read, and by whom first."""
        pairs = [(name, each) for each in reversed([*self.readings.values()]) for name in each.reads]
        return dict(pairs)

    def _closed(self, controller: Controller, rate: int) -> Loop:
        """The loop, with what is read and not carried on logged."""
        bare = closed(self.plant, controller, rate=rate)
        states = {buffer.name for _, buffer in bare.runs.loop.states}
        given = {buffer.name for _, buffer in bare.runs.loop.given}
        outputs = {port.name for part in self.plant.parts.values() for port in part.outputs}
        known = {*states, *given, *OWN, *outputs, *(buffer.name for buffer in bare.runs.loop.buffers)}
        for name, one in self._wanted.items():
            if name not in known:
                raise Error(f"{one.what}: it reads {name!r}, and nothing is called that{suggestion(name, known)}")
        logged = [name for name in self._wanted if name not in {*states, *given, *OWN}]
        return closed(self.plant, controller, rate=rate, log=logged)

    def _acted_on(self, given: Mapping[str, Any], action: str) -> Any:
        command = self.plant.command.name
        wanted = checked.name("environment: action", action, "name an input of the loop", empty=True)
        free = [name for name in given if name not in self.plant.nominal]
        wanted = wanted or (command if command in given else free[0] if len(free) == 1 else "")
        if wanted not in given:
            said = f"{wanted!r} is no input that is held" if wanted else f"there are {', '.join(free) or 'none'}"
            raise Error(f"environment: action: {said}; name the one that is acted on{suggestion(wanted, given)}")
        return given[wanted]

    # ---------------------------------------------------------------- in time

    def restart(self, rng: np.random.Generator) -> None:
        """Forget everything: the next episodes are the first."""
        self._seed, self._turn = int(rng.integers(2**31)), 0
        self._begun[:] = 0
        self._plants = {name: np.repeat(value[np.newaxis], self.lanes, 0) for name, value in self.plant.nominal.items()}

    def begin(self, which: Array, rng: np.random.Generator) -> None:
        """A new episode in these lanes: where it starts, and of which plant it is."""
        count = int(np.sum(which))
        starts = self._starts(rng, count)
        for name, buffer in self._states.items():
            first = np.zeros(buffer.port.shape) if buffer.start is None else np.reshape(buffer.start, buffer.port.shape)
            self.state[name][which] = starts.get(name, first)
        if self.plant.varied:
            numbers = np.flatnonzero(which) + self.lanes * self._begun[which]
            for name, value in self.plant.plants(self._seed, numbers).items():
                self._plants[name][which] = value
        self._begun[which] += 1
        self.made[which] = 0
        told = np.zeros((count, self.actions.count))
        for name, value in self._run(which, count, told, 1 if self._outputs else 0).items():
            self._known.setdefault(name, np.zeros((self.lanes, *value.shape[1:])))[which] = value

    def advance(self, actions: Array, kept: Array) -> Array:
        """A step of all lanes but those that are kept as they are; which of them did not stay finite."""
        before = {name: value[kept] for name, value in self.state.items()} if np.any(kept) else {}
        self.made[~kept] += 1
        found = self._run(slice(None), self.lanes, actions, self.turns)
        for name, value in before.items():
            self.state[name][kept] = value
        off = ~found["finite"].astype(bool) & ~kept
        stays = kept | off
        for name, value in found.items():
            if np.any(stays):
                value[stays] = self._known[name][stays]
            self._known[name] = value
        return off

    def read(self, name: str) -> Array:
        """What a reading gives now, (N, …)."""
        return self.readings[name](self._known, self.lanes)

    def _run(self, which: Any, count: int, actions: Array, turns: int) -> dict[str, Array]:
        """So many turns of these lanes; all that is read of them afterwards, and whether they stayed finite."""
        given: dict[str, Any] = {name: value[which] for name, value in self._plants.items()}
        given |= {**self._held, self.actions.port.name: self.actions.told(actions)}
        known: dict[str, Any] = {"action": actions, "time": self.made[which] * (self.turns * self.plant.dt), **given}
        known["finite"] = np.ones(count, bool)
        if turns:
            now = {name: value[which] for name, value in self.state.items()}
            run = self.loop.batch(now, steps=turns, seed=self._seed, turn=self._turn, threads=self._threads, **given)
            self._turn += self.turns
            for name, value in run.state.items():
                self.state[name][which] = value
            known |= {name: run[name][:, -1] for name in self._outputs}
            known["finite"] = run.finite
        known |= {name: value[which] for name, value in self.state.items()}
        return {name: self._each(known[name], name, count) for name in self._read}

    def _each(self, value: Any, name: str, count: int) -> Array:
        """An array of its own, lanes in front."""
        own = np.asarray(value, float)
        return np.repeat(own[np.newaxis], count, axis=0) if name in self._held else own.copy()

    def _starts(self, rng: np.random.Generator, count: int) -> dict[str, Array]:
        start = self._start(rng, count) if callable(self._start) else self._start
        start = {} if start is None else start
        items: Mapping[Any, Any] = checked.instance("environment: start", start, Mapping, START)
        found = dict[str, Array](self.plant.start())
        for name, value in items.items():
            if name not in self._states:
                known = suggestion(str(name), self._states)
                raise Error(f"environment: start: nothing is carried on that is called {name!r}{known}")
            shape = self._states[name].port.shape
            array = checked.numbers(f"environment: start: {name}", value, f"give numbers, {shape} or ({count}, …)")
            if array.shape not in (shape, (count, *shape)):
                raise Error(
                    f"environment: start: {name} has shape {array.shape}; it must be {shape}, or {(count, *shape)}"
                )
            found[name] = array
        return found
