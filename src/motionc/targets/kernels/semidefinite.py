"""truncated_solve, range_solve and truncated_inverse in C, MATLAB and Maxima.

Rows come in blocks, S to E, one after the other; a block's text is printed once for each.
"""

import re
from textwrap import indent

from motionc.program.kernels import Call
from motionc.program.kernels.scalars import NOTHING
from motionc.program.kernels.semidefinite import LOST, NOISE, TIE
from motionc.program.port import Precision
from motionc.targets.kernels.semidefinite_exchange import EXCHANGE
from motionc.targets.kernels.semidefinite_in_order import in_order
from motionc.targets.kernels.semidefinite_one import ONE
from motionc.targets.kernels.semidefinite_parts import Parts
from motionc.targets.kernels.text import Form, KernelText, data, register, scope

CONSTANTS: dict[Precision, dict[str, float]] = {
    "double": {"TIE": TIE, "NOISE": NOISE, "NOTHING": NOTHING, "LOST": LOST},
    "single": {"TIE": 1e-5, "NOISE": 2.0**-19, "NOTHING": 1e-11, "LOST": 1e-3},
}
"""What decides between rows that are equally far ahead, how exact entries are, and what is nothing but rounding."""

FEW = 8
"""Rows up to which lanes have no loops: what is left then of choosing among rows stays in registers."""
LOOP = re.compile(r"^( *)for \(", re.MULTILINE)
UNROLLED = rf'\1_Pragma("GCC unroll {FEW}")\n\1for ('

BOUNDS = """\
    for (int i = 0; i < M; ++i) largest = peak(largest, a[i * M + i]);
    for (int i = 0; i < M; ++i)
        bound[i] = peak(splat(NOTHING) * largest, splat(RANK_TOLERANCE) * a[i * M + i]);
"""
"""What pivots must be more than, as long as they are diagonal entries; a NaN among these is never the first."""


def _body(call: Call, form: Form) -> str:
    if not call.conditioned and form != "thread":
        return in_order(call)
    parts = ONE if form == "one" else EXCHANGE
    text = _told(_pivoting(parts, call), parts, call)
    return LOOP.sub(UNROLLED, text) if form == "lanes" and call.size <= FEW else text


def _pivoting(parts: Parts, call: Call) -> str:
    """The blocks one after the other, then the answer."""
    inverse, several = call.kernel == "truncated_inverse", len(call.blocks) > 1
    block = parts.factor if inverse else parts.factor + _with(parts.right, NORMAL=parts.normal)
    text, done = parts.start + ("" if inverse else parts.take), 0
    for size in call.blocks:
        text += _rows(block, done, done + size)
        done += size
    if inverse:
        return text + _rows(_with(parts.inverse, NORMAL=parts.normal), 0, done)
    text += parts.answer
    if call.kernel == "truncated_solve":
        clamped = parts.normal.replace("/ pivot;", "/ peak(splat(NOISE) * normal[j * M + j], pivot);")
        # one block has its N already
        least = {"NORMAL": clamped, "MADE_UP": parts.made_up} if several else {"NORMAL": "", "MADE_UP": ""}
        text += _rows(_with(parts.least, **least), 0, done)
    return text


def _told(text: str, parts: Parts, call: Call) -> str:
    """With how many rows count at most, where not all can, and with their weights, where there are any."""
    most = "" if call.most is None else parts.most.format(most=call.most)
    bounds, moved = BOUNDS, ""
    if call.weights:
        own = [f"a[{i * call.size + i}]" for i in range(call.size)]
        squares = [weight * weight for weight in call.weights]
        lines = [f"largest = peak(largest, splat({1 / w!r}) * {x});" for x, w in zip(own, squares, strict=True)]
        lines += [
            f"bound[{i}] = peak(splat(NOTHING * {w!r}) * largest, splat(RANK_TOLERANCE) * {x});"
            for i, (x, w) in enumerate(zip(own, squares, strict=True))
        ]
        bounds = "".join(f"    {line}\n" for line in lines)
        moved = parts.moved
    return _with(text, BOUNDS=bounds, MOVED=moved).replace("AT_MOST", most)


def _with(text: str, **parts: str) -> str:
    """A text with parts in place of the lines that name them, as far in as these are."""
    for word, part in parts.items():
        line = re.compile(rf"^ {{4}}((?: {{4}})*){word}\n", re.MULTILINE)
        text = line.sub(lambda found, part=part: indent(part, found[1]), text)
    return text


def _rows(text: str, start: int, end: int) -> str:
    """A text for the rows from start to end."""
    return scope(text, f"S = {start}, E = {end}")


for _kernel in ("truncated_solve", "range_solve", "truncated_inverse"):
    register(KernelText(_kernel, _body, data("semidefinite.m"), data("semidefinite.mac"), CONSTANTS))
