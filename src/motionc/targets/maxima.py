"""Maxima: the program as assignments inside a block, in a file of its own, and a second one that tests it.

    tau: lwr4_inverse_dynamics(q, v, a)$

Vectors are lists, matrices Maxima's own, stacks lists of them; several outputs come as a list. On floats it computes in
double, whatever the precision; on symbols it gives formulas, unless a kernel or a comparison has to know the numbers.
A division by zero is an error in Maxima, and a limit that is not there stands as 1.0e300.
"""

from collections.abc import Sequence

from motionc.program.kernels import Call
from motionc.program.port import Port, Precision
from motionc.program.program import Program, Table
from motionc.targets.assignments import Language, places, policy, straight
from motionc.targets.c import comment
from motionc.targets.kernels import library, text_of
from motionc.targets.library import functions, needed
from motionc.targets.naming import Names, harmless, wrapped
from motionc.targets.reading import what_is_where
from motionc.targets.target import TOLERANCE, Files, Trial, documentation

HEADING = r"^/\*(?:(?!\*/)[\s\S])*\*/\n(?P<name>motionc_\w+)\("
FOREVER = 1e300

WORDS = """
and block do else elseif false for from if in lambda local next not or return step then thru true unless while
abs acos all any append apply args array asin atan atan2 batch block cos cosh diff error exp expand factor first
flatten float floor funmake go inf infinity integrate kill length limit list load log makelist map matrix max min
minf mod numer op part print product quit rank rest reverse signum simp sin sinh solve sort sqrt string sum tan tanh
transpose und values functions arrays labels rules aliases e i pi zeroa zerob Rx Ry Rz Tx Ty Tz
"""
NAMES = Names(frozenset(WORDS.split()))

TEST = """/* {name} on states that this file carries along; an error where it is wrong.
   In its folder: maxima --very-quiet -b {name}_test.mac */
load("{name}.mac")$

/* what is no number is wrong */
motionc_test_flat(x) :=
    if matrixp(x) then list_matrix_entries(x) elseif listp(x) then apply(append, map(motionc_test_flat, x)) else [x]$
motionc_test_error(found, expected) :=
    block([off: abs(motionc_test_flat(found) - expected)],
        if every(numberp, off) then lmax(cons(0.0, off))/lmax(cons(1.0, abs(expected))) else 1.0e300)$

{states}
block([worst: 0.0, found],
    for state in motionc_test_states do (
        found: {call},
        for k thru {outputs} do worst: max(worst, motionc_test_error(found[k], state[2][k]))),
    print("{name}: {count} states, largest relative error", worst),
    if not worst <= {tolerance!r} then error("{name} is wrong"))$
"""


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """The function's file and its test's."""
    name = NAMES.identifier(name)
    program = NAMES.ports(program, name)
    return {f"{name}.mac": _function(program, name), f"{name}_test.mac": _test(program, name, precision, trials)}


def number(value: float) -> str:
    """A constant that reads back exactly."""
    text = repr(max(-FOREVER, min(FOREVER, value)))
    return f"({text})" if text.startswith("-") else text


def block_comment(lines: Sequence[str]) -> str:
    """Lines in a comment, which none of them can end."""
    return "\n   ".join(["/*", *(comment(harmless(line)).rstrip() for line in lines)]).rstrip() + "\n*/"


def shaped(shape: tuple[int, ...], values: Sequence[str]) -> str:
    """Values as a list, a matrix, a list of matrices, or one alone."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return f"[{', '.join(values)}]"
    step = len(values) // max(1, shape[0])
    rows = [shaped(shape[1:], values[k * step : k * step + step]) for k in range(shape[0])]
    return f"matrix({', '.join(rows)})" if len(shape) == 2 else f"[{', '.join(rows)}]"


def lines(items: Sequence[str]) -> str:
    """A list with a line for each."""
    return "[" + ",\n    ".join(items) + "]"


def _call(call: Call, values: Sequence[str]) -> str:
    listed = "\n".join(wrapped(values, ", ", "        "))
    told = ", ".join(repr(list(part) if isinstance(part, tuple) else part) for part in policy(call))
    return f"motionc_{text_of(call.kernel).name}([\n{listed}],\n        {told})"


def _entry(port: Port, element: int) -> str:
    return port.name + "".join(f"[{place}]" for place in places(port.shape, element))


def _looked_up(port: Port, table: Table, index: str, first: int = 0, count: int | None = None) -> str:
    """The entry of a table at an index, by halves: as it would be with an index that is no number yet."""
    count = table.length if count is None else count
    if count == 1:
        return _entry(port, table.elements[first])
    half = first + count // 2
    low, high = (
        _looked_up(port, table, index, *part) for part in ((first, half - first), (half, first + count - half))
    )
    return f"(if {index} >= {half} then {high} else {low})"


LANGUAGE = Language(
    number,
    lambda spelling: spelling.maxima,
    _entry,
    _call,
    lambda value, element: f"{value}[{element + 1}]",
    _looked_up,
)


def _function(program: Program, name: str) -> str:
    code = straight(program, LANGUAGE, (name,))
    given = ", ".join(port.name for port in program.inputs)
    where = what_is_where(program)
    text = [block_comment([*documentation(program), *(["", *where] if where else [])]), f"{name}({given}) := block(["]
    text += [*wrapped([value for value, _ in code.steps if value], ", ", "        "), "    ],"]
    text += code.lines("    {0}: {1},", lambda heading: f"/* {comment(heading)} */")
    results = [shaped(port.shape, values) for port, values in zip(program.outputs, code.results, strict=True)]
    text.append(f"    {results[0]})$" if len(results) == 1 else f"    {lines(results)})$")
    body = "\n".join(text)
    known = {name: text for file in library("maxima") for name, text in functions(file, HEADING).items()}
    return "\n\n".join([*needed(body, known, r"/\*[\s\S]*?\*/"), body]) + "\n"


def _test(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> str:
    states = list[str]()
    for trial in trials:
        given = [shaped(port.shape, list(map(number, x))) for port, x in zip(program.inputs, trial.inputs, strict=True)]
        found = [f"[{', '.join(map(number, y))}]" for y in trial.outputs]
        states.append(f"    [{lines(given)},\n    {lines(found)}]")
    call = f"apply({name}, state[1])"
    return TEST.format(
        name=name,
        states="motionc_test_states: [\n" + ",\n".join(states) + "]$\n",
        call=call if len(program.outputs) > 1 else f"[{call}]",
        outputs=len(program.outputs),
        count=len(trials),
        tolerance=TOLERANCE[precision],
    )
