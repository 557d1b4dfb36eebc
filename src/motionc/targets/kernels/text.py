"""What is a kernel in other languages? Its text in C, for one number and for lanes, in MATLAB and in Maxima.

C is written on `number`: a double or a float, lanes of them (`lanes.h`) or a GPU's (`device.cuh`). A function takes a,
the matrix of M rows, and r, what stands beside it, and writes x. Its words: splat(constant), larger, lesser, magnitude,
sqrt_lanes, less, choose, peak, trough; everywhere, whether a condition holds in all lanes; for lanes and a thread
exchange; where it `chooses` also places, which are indices: spot, choose_spot, at, put.
Python has the definition itself (kernel_source.py).
"""

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Literal

from motionc.errors import Error
from motionc.program.kernels import Call
from motionc.program.port import Precision

Form = Literal["one", "lanes", "thread"]
"""For one number an index may depend on the numbers; for lanes it may not, since it differs from lane to lane. They may
leave out what none of them needs. For a GPU's thread it may not either, since its arrays are registers.
"""


@dataclass(frozen=True, slots=True)
class KernelText:
    """A kernel in every language: the body of its function in C, which ends in a line break, and functions of MATLAB
    and Maxima (whose names start with `motionc_`), its own called as the kernel is.

    `constants` stand in C by their names, RANK_TOLERANCE among them: `single` is what counts as dependent in single
    precision unless it is said, where rounding alone leaves pivots near 1e-6. `before` stands in front of its function.
    """

    name: str
    body: Callable[[Call, Form], str]
    matlab: str
    maxima: str
    constants: Mapping[Precision, Mapping[str, float]] = field(default_factory=lambda: {"double": {}, "single": {}})
    single: float = 1e-5
    chooses: bool = False
    before: str = ""


TEXTS: dict[str, KernelText] = {}
"""Every kernel's text, by its name."""


def register(text: KernelText) -> None:
    """Let programs that call it be emitted."""
    assert text.name not in TEXTS, f"there is a text of {text.name} already"
    TEXTS[text.name] = text


def text_of(kernel: str) -> KernelText:
    """A kernel's text, by its name."""
    if kernel not in TEXTS:
        raise Error(f"kernel {kernel!r} has no text: add targets/kernels/{kernel}.py (docs/inside/how_to_add.md)")
    return TEXTS[kernel]


def data(file: str) -> str:
    """A file of this folder."""
    return (files("motionc.targets.kernels") / file).read_text(encoding="utf-8")


def library(language: Literal["matlab", "maxima"]) -> list[str]:
    """Functions of all kernels, a text for each file, and those they share."""
    own = dict.fromkeys(text.matlab if language == "matlab" else text.maxima for text in TEXTS.values())
    return [*own, data("shared.m" if language == "matlab" else "shared.mac")]


def kernel_name(call: Call) -> str:
    """What the function is called: by its rows, and by what counts as dependent where that is not the usual, how many
    rows count at most where not all can, a digest of their weights where there are any, columns where many are, and
    that nobody asks how far rows are from depending on each other.

    Along a tree: by its rows and columns, and by a digest of how the rows hang together, and what is always 0.
    """
    if call.pattern:
        told = (call.pattern, call.empty) if call.empty else call.pattern
        shape = f"{call.size}_{call.columns}_{zlib.crc32(repr(told).encode()):08x}"
        return f"{call.kernel}_{shape}"
    own = "" if call.tolerance is None else "_" + re.sub(r"\W", "_", repr(call.tolerance))
    own += "" if call.most is None else f"_most_{call.most}"
    own += f"_{zlib.crc32(repr(call.weights).encode()):08x}" if call.weights else ""
    own += "" if call.columns == 1 else f"_by_{call.columns}"
    own += "" if call.conditioned else "_unconditioned"
    return "_".join([call.kernel, *map(str, call.blocks)]) + own


# ---------------------------------------------------------------- what they share in C: LDLᵀ and its substitutions

FACTOR = """\
    for (int j = S; j < E; ++j) {{
        number pivot = {matrix}[j * M + j];
        for (int k = S; k < j; ++k) pivot -= {lower}[j * M + k] * scaled[j * M + k];
        {limit}
        for (int i = j + 1; i < E; ++i) {{
            number rest = {matrix}[j * M + i];
            for (int k = S; k < j; ++k) rest -= scaled[i * M + k] * {lower}[j * M + k];
            scaled[i * M + j] = rest;
            {lower}[i * M + j] = rest * {inverse}[j];
        }}
    }}
"""

SUBSTITUTE = """\
    for (int i = S; i < E; ++i)
        for (int k = S; k < i; ++k) {x}[i] -= {lower}[i * M + k] * {x}[k];
    for (int i = E - 1; i >= S; --i) {{
        {x}[i] *= {inverse}[i];
        for (int k = i + 1; k < E; ++k) {x}[i] -= {lower}[k * M + i] * {x}[k];
    }}
"""
"""Both on rows S to E of M."""


def indented(text: str) -> str:
    """One step further in."""
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))


def scope(text: str, names: str) -> str:
    """A text in braces, with these numbers by name."""
    return f"    {{\n        enum {{ {names} }};\n{indented(text)}    }}\n"
