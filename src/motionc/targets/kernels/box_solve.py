"""box_solve in C, MATLAB and Maxima: the texts of box_basis_text.py and box_text.py, put together."""

from itertools import accumulate

from motionc.program.kernels import Call, box, box_meet
from motionc.program.kernels.box import steps
from motionc.program.kernels.box_basis import COLUMNS
from motionc.program.kernels.scalars import NOTHING
from motionc.program.port import Precision
from motionc.targets.kernels.box_basis_text import LEVELS, REFLECT, WHITEN
from motionc.targets.kernels.box_text import ADVANCE, ANSWER, END, LET_GO, MEET, MISSING, PULLS, START
from motionc.targets.kernels.text import Form, KernelText, data, indented, register

CONSTANTS: dict[Precision, dict[str, float]] = {
    "double": {
        "NOTHING": NOTHING,
        "FAINT": box.FAINT,
        "DISTINCT": box_meet.DISTINCT,
        "TIGHT": box.TIGHT,
        "STUCK": box.STUCK,
        "DOUBT": box.DOUBT,
        "HOLD": box.HOLD,
    },
    "single": {
        "NOTHING": 1e-11,
        "FAINT": box.FAINT,
        "DISTINCT": 1e-5,
        "TIGHT": 1e-5,
        "STUCK": 1e-5,
        "DOUBT": 1e-4,
        "HOLD": 1e-2,
    },
}
"""What a box neglects."""


def _body(call: Call, _: Form) -> str:
    n, contacts, *levels = call.blocks
    stops = [*accumulate((contacts, *levels))]
    sizes = {"B": n, "T": stops[-1], "N": stops[-1] + n, "Q": n + COLUMNS, "K": len(stops) + 1}
    sizes |= {"STEPS": steps(call.blocks), "ROUNDS": box.ROUNDS}
    text = f"    enum {{ {', '.join(f'{name} = {value}' for name, value in sizes.items())} }};\n"
    text += f"    const int stops[] = {{{', '.join(map(str, stops))}}};\n"
    text += WHITEN + "\n" + REFLECT.replace("    NOTHINGS\n", _nothings(call)) + "\n" + LEVELS + "\n" + START
    step = MEET + "\n" + ADVANCE + "\n" + PULLS.replace("LEVEL", indented(LET_GO)) + END
    step = step.replace("        MISSING\n", indented(MISSING)).replace("    MISSING\n", MISSING)
    return text + "    for (int step = 0; step < STEPS; ++step) {\n" + indented(step) + "    }\n\n" + ANSWER


def _nothings(call: Call) -> str:
    """Rows that nothing moves do not count: their squares, weights left out, are those of roundings."""
    first, squares = call.blocks[1], [weight * weight for weight in call.weights] or [1.0] * sum(call.blocks[2:])
    rows = [*enumerate(squares, start=first)]
    lines = [f"largest = peak(largest, splat({1 / w!r}) * share[{i}]);" for i, w in rows]
    lines += [f"nothing[{i}] = splat(NOTHING * {w!r}) * largest;" for i, w in rows]
    return "".join(f"    {line}\n" for line in lines)


register(
    KernelText(
        "box_solve",
        _body,
        data("box_solve.m"),
        data("box_solve.mac"),
        CONSTANTS,
        single=1e-6,
        chooses=True,
    )
)
