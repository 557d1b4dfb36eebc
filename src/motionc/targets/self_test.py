"""A main function for C and its relatives: the computation on states that the file carries, and how far off it is."""

from collections.abc import Callable, Sequence

from motionc.program.port import Precision
from motionc.program.program import Program
from motionc.targets.target import TOLERANCE, Trial

MAIN = """
#ifdef SELF_TEST
#include <stdio.h>
{before}
/* what is no number is wrong */
static double self_test_error(const {real} *found, const {real} *expected, int size)
{{
    double wrong = 0, largest = 1;
    for (int i = 0; i < size; ++i) {{
        const double off = fabs((double)found[i] - (double)expected[i]), value = fabs((double)expected[i]);
        wrong = off <= wrong ? wrong : off;
        largest = value > largest ? value : largest;
    }}
    return wrong / largest;
}}

int main(void)
{{
{tables}
{call}
    const double errors[] = {{{errors}}};
    double worst = 0;
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; ++i) worst = errors[i] <= worst ? worst : errors[i];
    printf("{name}: {tried}, largest relative error %.1e", worst);
    puts("");
    return worst <= {tolerance!r} ? 0 : 1;
}}
#endif
"""


def self_test(
    program: Program,
    name: str,
    precision: Precision,
    trials: Sequence[Trial],
    call: str,
    number: Callable[[float, str], str],
) -> str:
    """The main function: `call` computes the outputs self_test_y<k> of all states from the inputs self_test_x<k>."""
    real = "double" if precision == "double" else "float"
    tables, errors = list[str](), list[str]()
    for k in range(len(program.inputs)):
        tables.append(table(f"self_test_x{k}", [trial.inputs[k] for trial in trials], real, number))
    for k, port in enumerate(program.outputs):
        tables.append(table(f"self_test_expected{k}", [trial.outputs[k] for trial in trials], real, number))
        tables.append(f"    static {real} self_test_y{k}[{max(1, port.size * len(trials))}];")
        errors.append(f"self_test_error(self_test_y{k}, self_test_expected{k}, {port.size * len(trials)})")
    return main(name, f"{len(trials)} states", precision, tables, call, errors)


def main(
    name: str,
    tried: str,
    precision: Precision,
    tables: Sequence[str],
    call: str,
    errors: Sequence[str],
    before: Sequence[str] = (),
) -> str:
    """The main function of what has tables, a call that fills some of them, errors of these, and functions before."""
    return MAIN.format(
        real="double" if precision == "double" else "float",
        tables="\n".join(tables),
        call=call,
        errors=", ".join(errors),
        name=name,
        tried=tried,
        tolerance=TOLERANCE[precision],
        before="\n".join(["", *before]) if before else "",
    )


def one_by_one(program: Program, name: str, states: int) -> str:
    """The call of a function that takes one state at a time."""
    arguments = [f"self_test_x{k} + {port.size} * self_test_i" for k, port in enumerate(program.inputs)]
    arguments += [f"self_test_y{k} + {port.size} * self_test_i" for k, port in enumerate(program.outputs)]
    return f"    for (int self_test_i = 0; self_test_i < {states}; ++self_test_i) {name}({', '.join(arguments)});"


def table(
    name: str,
    rows: Sequence[tuple[float, ...]],
    real: str,
    number: Callable[[float, str], str],
    front: str = "static const",
) -> str:
    """An array with these numbers; no array is empty in C."""
    values = ",\n        ".join(", ".join(number(value, real) for value in row) for row in rows if row)
    return f"    {front} {real} {name}[{max(1, sum(map(len, rows)))}] = {{\n        {values or 0}\n    }};"
