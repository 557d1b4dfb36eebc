"""What do a bundle's own files say: functions with their docstrings, README, manifest. Nothing is written here."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from motionc.program import Program
from motionc.program.port import Port
from motionc.runtime.build import compiler
from motionc.runtime.build.library import DTYPES
from motionc.runtime.computation import Computation
from motionc.targets import c, python_module
from motionc.targets.naming import harmless
from motionc.version import __version__

MANIFEST, FORMAT = "manifest.json", "motionc bundle 1"

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Item:
    """A computation in a bundle: its name in Python and in C, its program with ports named as Python names them."""

    computation: Computation
    name: str
    c_name: str
    program: Program

    @property
    def record(self) -> str:
        """The type of several outputs."""
        return "".join(word.capitalize() for word in self.name.split("_")) + "Result"


MAIN = '''\
"""Run as a program, the package tests itself."""

from . import FUNCTIONS, __name__ as name, self_test

worst = self_test()
ways = ", ".join(f"{function.name} ({function.way})" for function in FUNCTIONS)
print(f"{name}: {ways}: largest relative error {worst:.1e}")
'''


def module_text(package: str, items: Sequence[Item]) -> str:
    """The package's own text: a function for each computation, with types and what it means."""
    several = any(len(item.program.outputs) > 1 for item in items)
    names = sorted([item.name for item in items] + [item.record for item in items if len(item.program.outputs) > 1])
    lines = [
        python_module.docstring([f"{summary(items)}", "", f"Run `python -m {package}` to test it."]),
        "",
        *(["from typing import NamedTuple", ""] if several else []),
        "from . import calling",
        "from .calling import Array",
        "",
        f"__all__ = {json.dumps([*names, 'self_test'])}",
        "",
    ]
    for item in items:
        inputs, outputs = item.program.inputs, item.program.outputs
        record = item.record if len(outputs) > 1 else "None"
        if len(outputs) > 1:
            lines += ["", f"class {item.record}(NamedTuple):"]
            lines += [f'    """What {item.name} gives."""', ""]
            lines += [f"    {port.name}: Array" for port in outputs] + [""]
        dtype = DTYPES[item.computation.solver.precision].name
        lines += ["", f"_{item.name} = calling.Function(", "    __name__,", f'    "{item.name}",']
        for ports in (inputs, outputs):
            lines += ["    [", *(f"        calling.Port({_said(port)})," for port in ports), "    ],"]
        lines += [
            f'    "{dtype}",',
            f"    {record},",
            ")",
            "",
            "",
            f"def {item.name}({', '.join(f'{port.name}: Array' for port in inputs)}) -> "
            f"{'Array' if record == 'None' else record}:",
            python_module.docstring(_meaning(item.program), "    "),
            f"    return _{item.name}.call({', '.join(port.name for port in inputs)})",
            "",
        ]
    lines += [
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


def _said(port: Port) -> str:
    return f'"{port.name}", {port.shape}{", whole=True" * port.space.whole}'


def _meaning(program: Program) -> list[str]:
    lines = [program.equation, "", "Arrays may have leading axes, which are broadcast.", ""]
    for title, ports in (("inputs", program.inputs), ("outputs", program.outputs)):
        lines.append(f"{title}:")
        lines += [f"  {p.name} ({', '.join(['…', *map(str, p.shape)])}), {p.unit}: {p.meaning}" for p in ports]
    return lines


def summary(items: Sequence[Item]) -> str:
    robots = dict.fromkeys(harmless(item.computation.robot.name) for item in items)
    return f"{', '.join(item.name for item in items)} of {', '.join(robots)}"


def readme_text(package: str, items: Sequence[Item], licence: str) -> str:
    first = items[0]
    arguments = ", ".join(f"np.zeros({port.shape})" for port in first.program.inputs)
    c_ports = [port.name for port in (*first.program.inputs, *first.program.outputs)]
    arrays = "\n".join(
        f"    {c.REAL[first.computation.solver.precision]} {port.name}[{max(1, port.size)}] = {{0}};"
        for port in (*first.program.inputs, *first.program.outputs)
    )
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
        f"print({package}.{first.name}({arguments}))",
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
        arrays,
        f"    {first.c_name}({', '.join(c_ports)});",
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
            *(harmless(line).replace("`", "'") for line in _meaning(item.program)),
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
    robots = {item.computation.robot.name: item.computation.robot for item in items}
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
                "robot": item.computation.robot.name,
                "options": _plain(item.computation.options.said()),
                "equation": item.program.equation,
                "precision": item.computation.solver.precision,
                "operations": dict(sorted(item.program.operations.items())),
                "inputs": list(map(_port, item.program.inputs)),
                "outputs": list(map(_port, item.program.outputs)),
            }
            for item in items
        ],
        "library": library,
        "files": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
    }


def _plain(value: Any) -> Any:
    """Options as JSON has them; what it has no word for as Python writes it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"kind": type(value).__name__} | {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _port(port: Port) -> dict[str, Any]:
    return {"name": port.name, "shape": list(port.shape), "unit": port.unit, "meaning": port.meaning}
