"""What do a bundle's own files say: functions with their docstrings, README, manifest. Nothing is written here."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol

from motionc.program import Program
from motionc.program.names import whose
from motionc.program.port import Port, State, states_of
from motionc.runtime.build import call_stub, compiler
from motionc.runtime.build.library import DTYPES
from motionc.runtime.computation import Computation
from motionc.runtime.loops import LoopComputation
from motionc.runtime.samples import trials
from motionc.targets import c, python_module
from motionc.targets.naming import harmless
from motionc.version import __version__

MANIFEST, FORMAT = "manifest.json", "motionc bundle 1"

Files = dict[str, bytes]


class Item(Protocol):
    """Something in a bundle: its name in Python and in C, whose it is, and what files say of it."""

    @property
    def computation(self) -> Computation | LoopComputation: ...
    @property
    def name(self) -> str: ...
    @property
    def c_name(self) -> str: ...
    @property
    def exported(self) -> list[str]:
        """What the package has because of it."""
        ...

    def module(self) -> list[str]:
        """Its part of the package's own text."""
        ...

    def meaning(self) -> list[str]: ...
    def arguments(self) -> str:
        """Those of a call in Python."""
        ...

    def c_call(self) -> list[str]:
        """The statements of a call in C."""
        ...

    def manifest(self) -> dict[str, Any]: ...
    def trials(self) -> dict[str, Any]:
        """What its self-test knows."""
        ...

    def library(self) -> tuple[str, int]:
        """The C of its library, and how many instructions that has."""
        ...


@dataclass(frozen=True, slots=True)
class Function:
    """A computation in a bundle; its program has ports named as Python names them."""

    computation: Computation
    name: str
    c_name: str
    program: Program

    @property
    def record(self) -> str:
        """The type of several outputs."""
        return record_name(self.name, "Result")

    @property
    def exported(self) -> list[str]:
        several = [self.record] if len(self.program.outputs) > 1 else []
        started = [f"{self.name}_start", record_name(self.name, "State")] if states_of(self.program.inputs) else []
        return [self.name, *several, *started]

    def module(self) -> list[str]:
        inputs, outputs = self.program.inputs, self.program.outputs
        record, lines = self.record if len(outputs) > 1 else "None", list[str]()
        if len(outputs) > 1:
            lines += ["", f"class {self.record}(NamedTuple):"]
            lines += [f'    """What {self.name} gives."""', ""]
            lines += [f"    {port.name}: Array" for port in outputs] + [""]
        dtype = DTYPES[self.computation.solver.precision].name
        lines += ["", f"_{self.name} = calling.Function(", "    __name__,", f'    "{self.name}",']
        for ports in (inputs, outputs):
            lines += ["    [", *(f"        calling.Port({said(port, port.name)})," for port in ports), "    ],"]
        return [
            *lines,
            f'    "{dtype}",',
            f"    {record},",
            ")",
            "",
            "",
            f"def {self.name}({', '.join(f'{port.name}: Array' for port in inputs)}) -> "
            f"{'Array' if record == 'None' else record}:",
            python_module.docstring(self.meaning(), "    "),
            f"    return _{self.name}.call({', '.join(port.name for port in inputs)})",
            "",
            *self._start(),
        ]

    def _start(self) -> list[str]:
        """The first state, where it carries some."""
        states, kind = states_of(self.program.inputs), record_name(self.name, "State")
        if not states:
            return []
        dtype = DTYPES[self.computation.solver.precision].name
        values = [f'calling.numbers({list(port.start)}, {port.shape}, "{dtype}")' for port in states]
        about = f'    """What {self.name} carries from call to call."""'
        return [
            "",
            python_module.record(kind, [port.name for port in states], [about, ""]),
            "",
            "",
            f"def {self.name}_start() -> {kind}:",
            '    """What it is at the start."""',
            f"    return {kind}(",
            *(f"        {value}," for value in values),
            "    )",
            "",
        ]

    def meaning(self) -> list[str]:
        lines = [self.program.equation, "", "Arrays may have leading axes, which are broadcast.", ""]
        for title, ports in (("inputs", self.program.inputs), ("outputs", self.program.outputs)):
            lines.append(f"{title}:")
            lines += [f"  {p.name} ({', '.join(['…', *map(str, p.shape)])}), {p.unit}: {p.meaning}" for p in ports]
        return lines

    def arguments(self) -> str:
        return ", ".join(f"np.zeros({port.shape})" for port in self.program.inputs)

    def c_call(self) -> list[str]:
        real, ports = c.REAL[self.computation.solver.precision], (*self.program.inputs, *self.program.outputs)
        arrays = [f"    {real} {port.name}[{max(1, port.size)}] = {{0}};" for port in ports]
        return [*arrays, f"    {self.c_name}({', '.join(port.name for port in ports)});"]

    def manifest(self) -> dict[str, Any]:
        return {
            "options": plain_options(self.computation.options.said()),
            "equation": self.program.equation,
            "precision": self.computation.solver.precision,
            "operations": dict(sorted(self.program.operations.items())),
            "inputs": list(map(port_data, self.program.inputs)),
            "outputs": list(map(port_data, self.program.outputs)),
        }

    def trials(self) -> dict[str, Any]:
        examples = trials(self.computation.program)
        return {
            kind: [[getattr(trial, kind)[k] for trial in examples] for k in range(len(ports))]
            for kind, ports in (("inputs", self.program.inputs), ("outputs", self.program.outputs))
        }

    def library(self) -> tuple[str, int]:
        program, precision = self.computation.program, self.computation.solver.precision
        real, sources = c.REAL[precision], c.emit(program, self.c_name, precision)
        text = sources.together + call_stub.entry_for_many(program, sources.name, real)
        text += call_stub.emit(sources.name, program.inputs, program.outputs, DTYPES[precision])
        return text, len(program.instructions)


def record_name(name: str, kind: str) -> str:
    """What a record of a function is called: low_pass, Result → LowPassResult."""
    return "".join(word.capitalize() for word in name.split("_")) + kind


MAIN = '''\
"""Run as a program, the package tests itself."""

from . import FUNCTIONS, __name__ as name, self_test

worst = self_test()
ways = ", ".join(f"{function.name} ({function.way})" for function in FUNCTIONS)
print(f"{name}: {ways}: largest relative error {worst:.1e}")
'''


def module_text(package: str, items: Sequence[Item]) -> str:
    """The package's own text: a function for each item, with types and what it means."""
    texts = [item.module() for item in items]
    exported = sorted(name for item in items for name in item.exported)
    records = any("NamedTuple" in line for text in texts for line in text)
    loops = ["from . import looping"] if any("looping." in line for text in texts for line in text) else []
    lines = [
        python_module.docstring([f"{summary(items)}", "", f"Run `python -m {package}` to test it."]),
        "",
        *(["from typing import NamedTuple", ""] if records else []),
        "from . import calling",
        *loops,
        "from .calling import Array",
        "",
        f"__all__ = {json.dumps([*exported, 'self_test'])}",
        "",
        *(line for text in texts for line in text),
        "",
        f"FUNCTIONS = [{', '.join(f'_{item.name}' for item in items)}]",
        "",
        "",
        "def self_test() -> float:",
        '    """The largest relative error on states that come along; RuntimeError where a function is wrong."""',
        "    return calling.self_test(FUNCTIONS)",
        "",
    ]
    return "\n".join(lines)


def said(port: Port, name: str) -> str:
    """A port as the package knows it."""
    return f'"{name}", {port.shape}{", whole=True" * port.space.whole}'


def summary(items: Sequence[Item]) -> str:
    robots = dict.fromkeys(harmless(item.computation.robot.name) for item in items if item.computation.robot.name)
    return f"{', '.join(item.name for item in items)}{whose(', '.join(robots))}"


def readme_text(package: str, items: Sequence[Item], licence: str) -> str:
    first = items[0]
    lines = [
        f"# {package}",
        "",
        f"{harmless(summary(items))}. Made by motionc {__version__}, and runs without it: NumPy is all it needs.",
        "",
        "## From Python",
        "",
        "```python",
        "import numpy as np",
        f"import {package}",
        "",
        f"print({package}.{first.name}({first.arguments()}))",
        f"print({package}.self_test())          # largest relative error on states that come along",
        "```",
        "",
        "Arrays may have leading axes: many states at once. Where no compiled library loads, NumPy computes the same;",
        "`MOTIONC_WAY` names a way: glued, compiled or numpy.",
        "",
        "## From C and C++",
        "",
        f"Compile `c/{first.c_name}.c` into your program (`cc -O2 -march=native`, no other dependency than libm):",
        "",
        "```c",
        f'#include "{first.c_name}.h"',
        "",
        "int main(void)",
        "{",
        *first.c_call(),
        "}",
        "```",
        "",
        "The headers are C++ too; `cpp/` has overloads for arrays and Eigen, with CMake. Matrices are row-major.",
        "Compiled with `-DSELF_TEST` each source is a program that tests itself.",
        "",
        "## Functions",
        "",
    ]
    for item in items:
        lines += [
            f"### {item.name}",
            "",
            "```text",
            *(harmless(line).replace("`", "'") for line in item.meaning()),
        ]
        lines += ["```", ""]
    if licence:
        lines += ["## Rights in the robot's model", "", " ".join(harmless(licence).split()), ""]
    return "\n".join(lines)


def manifest_text(
    package: str,
    release: str,
    items: Sequence[Item],
    licence: str,
    files: Files,
    tool: compiler.Compiler | None,
) -> dict[str, Any]:
    robots = {item.computation.robot.name: item.computation.robot for item in items if item.computation.robot.name}
    library = (
        {"platform": platform.platform(terse=True), "machine": platform.machine(), "compiler": tool.version}
        if tool
        else None
    )
    return {
        "format": FORMAT,
        "package": package,
        "version": release,
        "made_by": f"motionc {__version__}",
        "robots": [
            {"name": robot.name, "nq": robot.nq, "nv": robot.nv, "joints": list(robot.joint_names)}
            for robot in robots.values()
        ],
        "licence": licence or None,
        "computations": [
            {
                "name": item.name,
                "c_function": item.c_name,
                "computation": item.computation.name,
                "robot": item.computation.robot.name or None,
                **item.manifest(),
            }
            for item in items
        ],
        "library": library,
        "files": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
    }


def plain_options(value: Any) -> Any:
    """Options as JSON has them; what it has no word for as Python writes it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"kind": type(value).__name__} | {
            part.name: plain_options(getattr(value, part.name)) for part in fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): plain_options(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [plain_options(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def port_data(port: Port, name: str = "") -> dict[str, Any]:
    """A port in a manifest, with what it is at the start where it is carried on."""
    start = {"start": list(port.start)} if isinstance(port, State) else {}
    return {"name": name or port.name, "shape": list(port.shape), "unit": port.unit, "meaning": port.meaning, **start}
