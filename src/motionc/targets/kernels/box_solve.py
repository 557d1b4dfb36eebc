"""box_solve in C, MATLAB and Maxima: the text of box_text.py, a paragraph for each level."""

from itertools import accumulate

from motionc.program.kernels import Call, box
from motionc.program.kernels.box import COLUMNS, ROUNDS, steps
from motionc.program.kernels.scalars import NOTHING
from motionc.program.port import Precision
from motionc.targets.kernels.box_text import (
    ADVANCE,
    ANSWER,
    BEHIND,
    COUNT,
    ELIMINATE,
    LAST,
    LET_GO,
    LEVEL,
    PENDING,
    PROVEN,
    SLOPE,
    START,
    TOWARDS,
)
from motionc.targets.kernels.text import (
    FACTOR,
    SUBSTITUTE,
    Form,
    KernelText,
    data,
    indented,
    kernel_name,
    register,
    scope,
)

CONSTANTS: dict[Precision, dict[str, float]] = {
    "double": {
        "NOTHING": NOTHING,
        "EASE": box.EASE,
        "TIGHT": box.TIGHT,
        "FAINT": box.FAINT,
        "STUCK": box.STUCK,
        "DOUBT": box.DOUBT,
        "HOLD": box.HOLD,
        "EASED": box.EASED,
    },
    "single": {
        "NOTHING": 1e-11,
        "EASE": 1e-3,
        "TIGHT": 1e-5,
        "FAINT": box.FAINT,
        "STUCK": 1e-5,
        "DOUBT": 1e-4,
        "HOLD": 1e-2,
        "EASED": 1e-1,
    },
}
"""What a box neglects."""


def _body(call: Call, _: Form) -> str:
    solves = _solves(call)
    n, contacts, *levels = call.blocks
    kinds = len(levels) + 1
    sizes = {"B": n, "R": n + contacts, "L": sum(levels), "W": COLUMNS, "K": kinds, "STEPS": steps(call.blocks)}
    text = f"    enum {{ {', '.join(f'{name} = {value}' for name, value in sizes.items())} }};\n"
    text += ELIMINATE.replace("    NOTHINGS\n", _nothings(call)) + START
    ease = "splat(EASE) * a[i * M + i]" if contacts else "splat(0)"
    text += f"    number ease[B];\n    for (int i = 0; i < B; ++i) ease[i] = {ease};\n\n"
    proven = PROVEN.replace("LIMIT", "(t < K - 1 ? DOUBT : EASED)" if contacts else "DOUBT")
    proven = proven.replace("SHARE", "EASED" if contacts else "HOLD")
    step = f"    const number going = less(rounds, splat({ROUNDS if contacts else 1} - 0.5));\n"
    step += _named(TOWARDS, solves[-1]) + "\n" + ADVANCE + "\n" + PENDING
    for k, start in enumerate(accumulate(levels[:-1], initial=0)):
        level = LEVEL + (_named(BEHIND, solves[k - 1]) if k else "") + LET_GO
        step += scope(level, f"S = {start}, E = {start + levels[k]}, T = {k}")
    step += scope(LAST.replace("    SLOPE\n", SLOPE) + LET_GO, f"T = {len(levels)}") + COUNT
    return text + "    for (int step = 0; step < STEPS; ++step) {\n" + indented(step) + "    }\n\n" + proven + ANSWER


def _nothings(call: Call) -> str:
    """Rows that nothing moves do not count: their diagonal entries, weights left out, are squares of roundings."""
    squares = [weight * weight for weight in call.weights] or [1.0] * sum(call.blocks[2:])
    own = [f"a[(R + {j}) * M + R + {j}]" for j in range(len(squares))]
    lines = [f"largest = larger(largest, splat({1 / w!r}) * {x});" for x, w in zip(own, squares, strict=True)]
    lines += [
        f"for (int i = 0; i < B; ++i) rest[(R + {j}) * M + i] *= less(splat(NOTHING * {w!r}) * largest, {x});"
        for j, (x, w) in enumerate(zip(own, squares, strict=True))
    ]
    return "".join(f"    {line}\n" for line in lines) + "\n"


def _solves(call: Call) -> list[Call]:
    """The kernels it calls: on the first level, the first two, and so on."""
    n, _, *levels = call.blocks
    solves = list[Call]()
    for k in range(1, len(levels) + 1):
        m = sum(levels[:k])
        most = n if n < m else None
        solves.append(Call("range_solve", tuple(levels[:k]), call.tolerance, most=most, weights=call.weights[:m]))
    return solves


def _named(text: str, solve: Call) -> str:
    """With the words in capitals that stand for other texts replaced by them."""
    triangle = {"lower": "lower", "inverse": "inverse"}
    words = {
        "    FACTOR_H\n": _within(FACTOR.format(matrix="h", **triangle, limit="inverse[j] = splat(1) / pivot;")),
        "    SOLVE_GO\n": _within(SUBSTITUTE.format(x="go", **triangle)),
        "    SOLVE_REPLY\n": _within(SUBSTITUTE.format(x="reply", **triangle)),
        "        SOLVE_W\n": indented(_within(SUBSTITUTE.format(x="w", **triangle))),
        "    SLOPE\n": SLOPE,
        "RANGE_SOLVE": kernel_name(solve),
    }
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


def _within(text: str) -> str:
    """A text on the motors alone."""
    return scope(text, "M = B, S = 0, E = B")


register(
    KernelText(
        "box_solve",
        _body,
        data("box_solve.m"),
        data("box_solve.mac"),
        CONSTANTS,
        single=1e-6,
        calls=_solves,
        chooses=True,
    )
)
