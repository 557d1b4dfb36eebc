"""MATLAB and Octave: one function a computation, in a file of its name, and a second one that tests it.

    tau = lwr4_inverse_dynamics(q, v, a)

Vectors are columns, matrices and stacks of them have the sizes a user of MATLAB expects: (k, 4, 4) becomes 4×4×k. Many
states go side by side along one more dimension: (n, N), (4, 4, k, N); an input of one state is for all.
"""

from collections.abc import Iterable, Sequence
from importlib.resources import files as files_of
from typing import Any

import numpy as np

from motionc.program.kernels import Call
from motionc.program.port import Port, Precision
from motionc.program.program import Program
from motionc.targets.assignments import Language, policy, straight
from motionc.targets.kernels import library, text_of
from motionc.targets.library import functions, needed
from motionc.targets.naming import Names, harmless, wrapped
from motionc.targets.reading import what_is_where
from motionc.targets.target import TOLERANCE, Files, Trial, documentation

HEADING = r"^function (?:.* = )?(?P<name>\w+)\(.*\)$"
OWN = (files_of("motionc.targets") / "words.m").read_text(encoding="utf-8")

WORDS = """
break case catch classdef continue else elseif end enumeration events for function global if methods otherwise
parfor persistent properties return spmd switch try while arguments
do endif endfor endfunction endwhile end_try_catch end_unwind_protect endswitch until unwind_protect
unwind_protect_cleanup endparfor
abs all any atan2 cos diag double error exp eye false find fix fliplr floor fprintf Inf isnan log mat2str max min NaN
numel ones permute prod reshape sign sin single size sqrt sum triu true zeros
ans eps i inf j nan pi states
"""


def carried() -> dict[str, str]:
    """The functions that files carry along, where they call them: those of kernels, then what all are written in."""
    return {name: text for file in (*library("matlab"), OWN) for name, text in functions(file, HEADING).items()}


NAMES = Names(frozenset(WORDS.split()) | carried().keys())


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """The function's file and its test's; in single precision results are single, computed in double."""
    name = NAMES.identifier(name)
    program = NAMES.ports(program, name)
    return {f"{name}.m": _function(program, name, precision), f"{name}_test.m": _test(program, name, precision, trials)}


def number(value: float) -> str:
    """A constant that reads back exactly."""
    text = {"inf": "Inf", "-inf": "(-Inf)", "nan": "NaN"}.get(repr(value), repr(value))
    return f"({text})" if text.startswith("-") else text


def _call(call: Call, values: Sequence[str]) -> str:
    told = ", ".join(matrix(part) if isinstance(part, tuple) else repr(part) for part in policy(call))
    kernel = f"{text_of(call.kernel).name}(a, {told})"
    listed = "\n".join(line + " ..." for line in wrapped(values, ", ", "        "))[:-4]
    return f"each_state(@(a) {kernel}, {call.outputs}, states, {{ ...\n{listed}}})"


LANGUAGE = Language(
    number,
    lambda spelling: spelling.matlab,
    lambda port, element: f"{port.name}({element + 1}, :)",
    _call,
    lambda value, element: f"{value}({element + 1}, :)",
    lambda port, table, index: f"looked_up({port.name}, {table.offset}, {table.stride}, {table.length}, {index})",
)


def _function(program: Program, name: str, precision: Precision) -> str:
    code = straight(program, LANGUAGE, (name, "states"))
    given = ", ".join(port.name for port in program.inputs)
    found = ", ".join(port.name for port in program.outputs)
    text = [f"function [{found}] = {name}({given})", *_help(program, name)]
    counts = [f"n{k}" for k in range(len(program.inputs))]
    for port, count in zip(program.inputs, counts, strict=True):
        text.append(f"    [{port.name}, {count}] = entries('{port.name}', {port.name}, {matrix(port.shape)});")
    text.append(f"    states = common([{' '.join(counts)}]);")
    text += [f"    % {harmless(line)}".rstrip() for line in what_is_where(program)]
    text += code.lines("    {0} = {1};", lambda heading: f"% {harmless(heading)}")
    for port, values in zip(program.outputs, code.results, strict=True):
        text.append(f"    {port.name} = stacked(states, {{ ...")
        text += [f"{line} ..." for line in wrapped(values, ", ", "        ")]
        text.append("    });")
        result = f"shaped({port.name}, {matrix(port.shape)})"
        text.append(f"    {port.name} = {result if precision == 'double' else f'single({result})'};")
    body = "\n".join([*text, "end"])
    return "\n\n".join([body, *needed(body, carried(), r"^ *%.*$")]) + "\n"


def _help(program: Program, name: str) -> Iterable[str]:
    """MATLAB's help: the first line names the function, the call follows, then what everything is."""
    given, found = (", ".join(port.name for port in ports) for ports in (program.inputs, program.outputs))
    equation, *lines = documentation(program, sizes)
    head = [f"%{name.upper()}  {equation}", f"%   [{found}] = {name}({given})"]
    states = "%   N states go side by side; an input of one state is for all."
    return (harmless(line).rstrip() for line in (*head, *(f"%   {line}" for line in lines), states))


def sizes(port: Port) -> str:
    """The dimensions of a port, states last."""
    return f"({' x '.join([*map(str, dimensions(port)), 'N'])})"


def matrix(values: Iterable[Any]) -> str:
    """A row of numbers."""
    return f"[{' '.join(str(value) for value in values)}]"


TEST = """function {name}_test()
%{NAME}_TEST  {name} on states that this file carries along, together and one by one; an error where it is wrong.
{tables}
    {found} = {name}({together});
{join}
    worst = 0;
    for s = 1:{count}
        {one} = {name}({apart});
{errors}
    end
    fprintf('{name}: {count} states, largest relative error %.1e\\n', worst);
    if ~(worst <= {tolerance!r}), error('{name} is wrong'); end
end

"""

LARGER = """function worst = larger(worst, found, expected)
% what is no number is wrong
    found = double(found(:));
    off = max([0; abs(found - expected)]) / max([1; abs(expected)]);
    if any(isnan(found)), off = NaN; end
    if ~(off <= worst), worst = off; end
end
"""


def _test(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> str:
    """Tables hold a state a column, each as MATLAB has it in memory."""
    tables = list[str]()
    for k, port in enumerate(program.inputs):
        rows = [in_memory(port, trial.inputs[k]) for trial in trials]
        tables += table(f"x{k}", rows, f"reshape(x{k}', {', '.join(map(str, dimensions(port, len(trials))))})")
    for k, port in enumerate(program.outputs):
        rows = [in_memory(port, trial.outputs[k]) for trial in trials]
        tables += table(f"e{k}", rows, f"reshape(e{k}', {port.size}, {len(trials)})")
    results = range(len(program.outputs))
    errors = [
        f"worst = larger(worst, y{k}(:, s), e{k}(:, s)); worst = larger(worst, z{k}, e{k}(:, s));" for k in results
    ]
    text = TEST.format(
        name=name,
        NAME=name.upper(),
        tables="\n".join(tables),
        found=f"[{', '.join(f'y{k}' for k in results)}]",
        together=", ".join(f"x{k}" for k in range(len(program.inputs))),
        join="\n".join(f"    y{k} = reshape(y{k}, {port.size}, []);" for k, port in enumerate(program.outputs)),
        count=len(trials),
        one=f"[{', '.join(f'z{k}' for k in results)}]",
        apart=", ".join(
            f"x{k}({', '.join([':'] * len(dimensions(port)))}, s)" for k, port in enumerate(program.inputs)
        ),
        errors="\n".join(f"        {line}" for line in errors),
        tolerance=TOLERANCE[precision],
    )
    return text + LARGER


def dimensions(port: Port, *more: int) -> tuple[int, ...]:
    """The sizes of a port in MATLAB, and more behind them."""
    shape = port.shape or (1,)
    return (*shape[1:], shape[0], *more) if len(shape) == 3 else (*shape, *more)


def in_memory(port: Port, values: Sequence[float]) -> list[float]:
    """Column after column, pages last."""
    array = np.reshape(values, port.shape or (1,))
    array = np.moveaxis(array, 0, -1) if array.ndim == 3 else array
    return array.ravel(order="F").tolist()


def table(name: str, rows: Sequence[Sequence[float]], then: str) -> list[str]:
    """Rows of numbers, and what becomes of them."""
    text = [f"    {name} = [ ..."]
    for row in rows:
        text += [f"{line} ..." for line in wrapped([number(value) for value in row], ", ", "        ")]
        text[-1] = text[-1][:-4] + "; ..."
    return [*text, "    ];", f"    {name} = {then};"]
