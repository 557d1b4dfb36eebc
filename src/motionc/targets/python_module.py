"""Python: a module that needs NumPy alone, with one function on arrays of any leading axes. Run, it tests itself.

    tau = lwr4_inverse_dynamics(q, v, a)        # (…, 7) each, leading axes broadcast

Kernels are shipped as sweeps/ defines them and run state by state. In single precision results are float32, computed
in double.
"""

import keyword
from collections.abc import Iterable, Sequence
from functools import cache

from motionc.program.kernels import Call
from motionc.program.port import Port, Precision
from motionc.program.program import Program, call_data
from motionc.targets.assignments import Language, straight
from motionc.targets.kernel_source import definitions, imports, kernel_text, known
from motionc.targets.naming import Names, harmless, wrapped
from motionc.targets.reading import what_is_where
from motionc.targets.target import TOLERANCE, Files, Trial, documentation

WORDS = """
np sys Any NamedTuple Array Result abs max min float print len range tuple list entries filled each_state self_test
looked_up lead rows right partial accumulate dataclass Callable Iterator int sum type zip enumerate reversed
"""

ARRAY = "Array = np.ndarray[Any, np.dtype[Any]]"
KERNELS = "# ---------------------------------------------------------------- kernels, the same for all robots"

ENTRIES = '''
def entries(name: str, given: Array, shape: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """An input with its own axes made one, and the axes before them."""
    array = np.asarray(given, float)
    lead = array.shape[: array.ndim - len(shape)]
    if array.shape[len(lead) :] != shape:
        raise ValueError(f"{name} has shape {array.shape}; it must end in {shape}")
    return array.reshape((*lead, int(np.prod(shape)))), lead


def filled(lead: tuple[int, ...], values: list[Array], shape: tuple[int, ...]) -> Array:
    """Values side by side behind the leading axes, in this shape."""
    array = np.empty((*lead, len(values)), np.{dtype})
    for k, value in enumerate(values):
        array[..., k] = value
    return array.reshape((*lead, *shape))[()]
'''

LOOKED_UP = '''
def looked_up(table: Array, offset: int, stride: int, count: int, index: Array) -> Array:
    """The entry of a table at an index, rounded down and kept within."""
    place = np.where(index >= count - 1, count - 1, np.where(index >= 1, index, 0)).astype(int)
    lead = np.broadcast_shapes(table.shape[:-1], place.shape)
    entries = np.broadcast_to(table, (*lead, table.shape[-1]))
    elements = np.broadcast_to(offset + stride * place, lead)[..., np.newaxis]
    return np.take_along_axis(entries, elements, -1)[..., 0]
'''

EACH_STATE = '''
def each_state(kernel: Callable[[Rows, list[Scalar]], Any], rows: int, width: int, values: list[Array]) -> Array:
    """A kernel, state by state: the matrix row by row, so many of such width, then what stands beside it."""
    states = np.stack(np.broadcast_arrays(*values), axis=-1)
    found = []
    for state in states.reshape(-1, len(values)).tolist():
        matrix = [state[i * width : i * width + width] for i in range(rows)]
        found.append([x for output in kernel(matrix, state[rows * width :]) for x in output])
    return np.array(found).reshape((*states.shape[:-1], -1))
'''

TEST = '''\
def self_test() -> float:
    """The largest relative error on states that this file carries along, together and one by one."""
{tables}
    worst = 0.0
    states = [slice(None), *range({count})]
    for state in states:
        found = {call}
        for y, expected in zip({results}, outputs, strict=True):
            off = np.max(np.abs(y - expected[state]), initial=0.0) / np.max(np.abs(expected[state]), initial=1.0)
            worst = off if not off <= worst else worst
    return float(worst)


if __name__ == "__main__":
    worst = self_test()
    print(f"{name}: {count} states, largest relative error {{worst:.1e}}")
    sys.exit(0 if worst <= {tolerance!r} else 1)
'''


@cache
def names() -> Names:
    """What nothing else may be called. Reading the kernels' own words takes a while, which whoever only calls saves."""
    return Names(frozenset([*keyword.kwlist, *keyword.softkwlist, *WORDS.split(), *known()]))


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """One module of the function's name."""
    name = names().identifier(name)
    program = names().ports(program, name)
    several = len(program.outputs) > 1
    result = [record("Result", [port.name for port in program.outputs])] if several else []
    text = function(program, name, "Result" * several)
    test = _test(program, name, precision, trials)
    blocks = [ARRAY, *result, text, entries(precision), *shipped([program]), test]
    return {f"{name}.py": module(f"{name}: {program.equation}", blocks)}


def module(title: str, blocks: Sequence[str]) -> str:
    """Definitions as a module, with all that they need of Python."""
    head = [docstring([title, "", "NumPy is all it needs. Run as a program it tests itself."])]
    head += ["", "import sys", *imports([*blocks]), "", "import numpy as np", ""]
    return "\n".join([*head, *(_apart(block) for block in blocks)]).rstrip() + "\n"


def entries(precision: Precision) -> str:
    """What functions take their inputs apart and put their outputs together by."""
    return ENTRIES.replace("{dtype}", "float64" if precision == "double" else "float32").strip()


def shipped(programs: Sequence[Program]) -> list[str]:
    """What programs need beside: how tables are read, and the kernels that they call, with a heading."""
    called = sorted({kernel_text(call_data(step)) for program in programs for _, step in program.calls()})
    read = any(step.op == "entry" for program in programs for step in program.instructions)
    kernels = [KERNELS, *definitions([EACH_STATE, *called]), EACH_STATE.strip()] if called else []
    return [*([LOOKED_UP.strip()] if read else []), *kernels]


def record(name: str, fields: Iterable[str], said: Sequence[str] = ()) -> str:
    """A tuple whose entries have names."""
    return "\n".join([f"class {name}(NamedTuple):", *said, *(f"    {field}: Array" for field in fields)])


def _apart(block: str) -> str:
    """A definition with the empty lines that belong around it."""
    return f"\n{block}\n" if block.startswith(("def", "class", "@", "#")) else block


def docstring(lines: Iterable[str], indent: str = "") -> str:
    """Lines between quotes, none of which can end them."""
    said = [harmless(line).replace('"', "'").rstrip() for line in lines]
    return "\n".join([f'{indent}"""{said[0]}', *(f"{indent}{line}".rstrip() for line in said[1:]), f'{indent}"""'])


def number(value: float) -> str:
    """A constant that reads back exactly."""
    text = {"inf": "np.inf", "-inf": "(-np.inf)", "nan": "np.nan"}.get(repr(value), repr(value))
    return f"({text})" if text.startswith("-") else text


def _call(call: Call, values: Sequence[str]) -> str:
    listed, rows = "\n".join(wrapped(values, ", ", "        ")), call.matrix // call.width
    return f"each_state(lambda rows, right: {kernel_text(call)}, {rows}, {call.width}, [\n{listed},\n    ])"


LANGUAGE = Language(
    number,
    lambda spelling: spelling.numpy,
    lambda port, element: f"{port.name}[..., {element}]",
    _call,
    lambda value, element: f"{value}[..., {element}]",
    lambda port, table, index: f"looked_up({port.name}, {table.offset}, {table.stride}, {table.length}, {index})",
)


def function(program: Program, name: str, record: str = "") -> str:
    """A program as a function of this name, which gives a record where it is named, else a bare array or a tuple."""
    code = straight(program, LANGUAGE, (name, "lead"))
    several = len(program.outputs) > 1
    given = ", ".join(f"{port.name}: Array" for port in program.inputs)
    kind = record or ("tuple[Array, ...]" if several else "Array")
    text = ['@np.errstate(all="ignore")', f"def {name}({given}) -> {kind}:"]
    text.append(docstring(documentation(program, axes), "    "))
    for k, port in enumerate(program.inputs):
        text.append(f'    {port.name}, n{k} = entries("{port.name}", {port.name}, {port.shape})')
    text.append(f"    lead = np.broadcast_shapes({', '.join(f'n{k}' for k in range(len(program.inputs)))})")
    text += [f"    # {harmless(line)}".rstrip() for line in what_is_where(program)]
    text += code.lines("    {0} = {1}", lambda heading: f"# {harmless(heading)}")
    results = list[str]()
    for port, values in zip(program.outputs, code.results, strict=True):
        text += [f"    {port.name} = filled(lead, [", *(wrapped(values, ", ", "        ")), f"    ], {port.shape})"]
        results.append(port.name)
    listed = ", ".join(results)
    text.append(f"    return {f'{record}({listed})' if record else listed}")
    return "\n".join(text)


def axes(port: Port) -> str:
    """The axes of a port, others before them."""
    return f"({', '.join(['…', *map(str, port.shape)])})"


def _test(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> str:
    tables = list[str]()
    for title, ports, rows in (
        ("inputs", program.inputs, [trial.inputs for trial in trials]),
        ("outputs", program.outputs, [trial.outputs for trial in trials]),
    ):
        tables.append(f"    {title} = [")
        for k, port in enumerate(ports):
            values = [number(value) for row in rows for value in row[k]]
            tables += ["        np.array([", *wrapped(values, ", ", "            ")]
            tables.append(f"        ]).reshape({(len(trials), *port.shape)}),")
        tables.append("    ]")
    call = f"{name}(*(x[state] for x in inputs))"
    return TEST.format(
        tables="\n".join(tables),
        call=call,
        results="found" if len(program.outputs) > 1 else "[found]",
        name=name,
        count=len(trials),
        tolerance=TOLERANCE[precision],
    )
