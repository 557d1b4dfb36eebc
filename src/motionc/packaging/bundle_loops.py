"""What do a bundle's files say of a loop in time? The function that runs it, its C, and lanes whose ends are known."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from motionc.packaging.bundle_texts import port_data, record_name, said
from motionc.program.loop import Loop
from motionc.runtime.build.library import DTYPES
from motionc.runtime.loops import LoopComputation
from motionc.runtime.samples import roll_out
from motionc.targets import c, loop_c, loop_python, python_module
from motionc.targets.target import loop_documentation


@dataclass(frozen=True)
class LoopFunction:
    """A loop in a bundle; its buffers are named as Python names them."""

    computation: LoopComputation
    name: str
    c_name: str

    @property
    def loop(self) -> Loop:
        return self.computation.loop

    @cached_property
    def words(self) -> loop_python.NamedInPython:
        return loop_python.in_words(self.loop, self.name)

    @property
    def record(self) -> str:
        """The type of a run."""
        return record_name(self.name, "Run")

    @property
    def exported(self) -> list[str]:
        return [self.name, self.record]

    @property
    def _fields(self) -> list[str]:
        return [*self.words.logs, *self.words.last, "turns", "finite"]

    def module(self) -> list[str]:
        loop, words = self.loop, self.words
        about = f'    """How a run of {self.name} ends: what is logged, what is carried on, turns made, all finite."""'
        lines = ["", python_module.record(self.record, self._fields, [about, ""]), "", ""]
        lines += [f"_{self.name} = looping.Loop(", "    __name__,", f'    "{self.name}",', "    ("]
        for role in ("state", "held", "streamed"):
            ports = [f"            calling.Port({said(b.port, words.names[k])})," for k, b in loop.of(role)]
            lines += ["        [", *ports, "        ],"]
        lines += ["    ),", "    ["]
        for name, log in zip(words.logs, loop.logs, strict=True):
            lines.append(f"        (calling.Port({said(loop.buffers[log.buffer].port, name)}), {log.every}),")
        dtype = DTYPES[loop.precision].name
        lines += ["    ],", f'    "{dtype}",', f"    {self.record},", ")", "", ""]
        needed = [words.names[k] for k, b in loop.states if b.start is None]
        needed += [words.names[k] for k, _ in loop.given]
        started = {words.names[k]: b for k, b in loop.states if b.start is not None}
        parameters = ["steps: int", *(f"{name}: Array" for name in needed), "seed: int = 0", "lane: int = 0"]
        parameters += [f"{name}: Array | None = None" for name in started]
        lines += [f"def {self.name}(", "    *,", *(f"    {one}," for one in parameters), f") -> {self.record}:"]
        lines += [python_module.docstring(self.meaning(), "    ")]
        for name, buffer in started.items():
            lines.append(f"    if {name} is None:")
            start = [float(value) for value in buffer.start or ()]
            lines.append(f'        {name} = calling.numbers({start}, {buffer.port.shape}, "{dtype}")')
        asked = ["steps", "seed", "lane", *needed, *started]
        lines.append(f"    return _{self.name}.call({', '.join(f'{name}={name}' for name in asked)})")
        return [*lines, ""]

    def meaning(self) -> list[str]:
        lines = loop_documentation(self.loop, self.words.names, self.words.logs, python_module.axes)
        return [*lines, "Leading axes are lanes, which are broadcast; streams and logs have their turns behind them."]

    def arguments(self) -> str:
        given = [(k, b.port.shape) for k, b in self.loop.states if b.start is None]
        given += [(k, (10, *b.port.shape) if b.role == "streamed" else b.port.shape) for k, b in self.loop.given]
        return ", ".join(["steps=10", *(f"{self.words.names[k]}=np.zeros({shape})" for k, shape in given)])

    def c_call(self) -> list[str]:
        text, real = loop_c.in_words(self.loop, self.c_name), c.REAL[self.loop.precision]
        sizes = {text.names[k]: b.port.size * (10 if b.role == "streamed" else 1) for k, b in self.loop.given}
        logs = zip(text.logs, self.loop.logs, strict=True)
        sizes |= {name: text.size(log.buffer) * (10 // log.every) for name, log in logs}
        return [
            *(f"    {real} {name}[{max(1, size)}] = {{0}};" for name, size in sizes.items()),
            f"    {text.kind} state;",
            f"    {text.call('start', [], 'state')};",
            f"    {text.call('run', ['10', *sizes], 'state')};",
        ]

    def manifest(self) -> dict[str, Any]:
        loop, names = self.loop, self.words.names
        carried = [
            {**port_data(b.port, names[k]), "start": None if b.start is None else list(b.start)} for k, b in loop.states
        ]
        logs = zip(self.words.logs, loop.logs, strict=True)
        return {
            "loop": {
                "period": loop.period,
                "parts": [
                    {"name": use.name, "every": use.every, "equation": use.program.equation} for use in loop.uses
                ],
                "until": names[loop.until] if loop.until >= 0 else None,
            },
            "precision": loop.precision,
            "operations": dict(sorted(loop.operations.items())),
            "states": carried,
            "held": [port_data(b.port, names[k]) for k, b in loop.of("held")],
            "streamed": [port_data(b.port, names[k]) for k, b in loop.of("streamed")],
            "logs": [{"name": name, "of": names[log.buffer], "every": log.every} for name, log in logs],
        }

    def trials(self) -> dict[str, Any]:
        trial, names, loop = roll_out(self.loop), self.words.names, self.loop
        given = {names[k]: values for (k, _), values in zip(loop.states, trial.states, strict=True)}
        given |= {names[k]: values for (k, _), values in zip(loop.given, trial.given, strict=True)}
        made, finite = trial.turns[::2], trial.turns[1::2]
        whole = [int(a == b) for a, b in zip(made, finite, strict=True)]
        told = {"steps": trial.steps, "lanes": trial.lanes, "seed": trial.seed, "lane": trial.lane}
        return {**told, "given": given, "outputs": [*trial.logs, *trial.ends, made, whole]}

    def library(self) -> tuple[str, int]:
        text = loop_c.emit(self.loop, self.c_name).together
        return text + "\n".join(loop_c.lanes_of_one(loop_c.in_words(self.loop, self.c_name))), self.loop.size
