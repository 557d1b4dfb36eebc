"""Sines and cosines in C: of several angles at once in vectors, where GCC or Clang has them, else one by one.

The text is that of lanes (`vectors.h`, `turn.h`), whose lanes are angles here instead of states.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources

from motionc.program.passes import together
from motionc.program.passes.turns import angles_of, run_at, with_runs_of_turns
from motionc.program.port import Precision
from motionc.program.program import Program

LEAST = 3
"""Angles from which on vectors are faster than the library."""
SMALLEST = 4
"""Numbers in the smallest vector; a run of fewer angles is filled up with zeros."""
ITEM: dict[Precision, int] = {"double": 8, "single": 4}
"""Bytes of a number."""
WIDTHS = {64: "defined __AVX512F__", 32: "defined __AVX__", 16: ""}
"""Bytes of vectors, and where there are any as wide."""

FUNCTION = "sines_and_cosines"
MACROS = (
    "SINGLE",
    "VECTOR_BYTES",
    "LANES",
    "INLINE",
    "ROUNDED",
    "FUSED",
    "FUSED_SINGLE",
    "FUSED_DOUBLE",
    "SIN",
    "COS",
    "ABS",
    "REACH",
)
TYPES = ("real", "whole", "lanes", "mask", "half", "wide", "quarter")
FUNCTIONS = ("magnitude", "beyond_reach", "some_beyond", "nearest_quarter", "from_quarter", "turn")
OWN = re.compile(rf"\b({'|'.join((*MACROS, *TYPES, *FUNCTIONS))})\b")
"""Words of the text that others may use, too: here they begin with what they are for."""
COMMENT = re.compile(r"(/\*.*?\*/)", re.DOTALL)

KNOWN = "#if defined __GNUC__ && ((defined __AVX2__ && defined __FMA__) || defined __aarch64__)"
"""Where vectors are faster than the library."""
ONE_BY_ONE = """\
static void sines_and_cosines(const {real} *angles, int count, {real} *sines, {real} *cosines)
{{
    for (int i = 0; i < count; ++i) {{
        sines[i] = sin{f}(angles[i]);
        cosines[i] = cos{f}(angles[i]);
    }}
}}"""


def arranged(program: Program) -> Program:
    """The program with what belongs together side by side, and sines and cosines in runs."""
    return together(with_runs_of_turns(program, LEAST))


def text(programs: Iterable[Program], precision: Precision, *, front: str = "static", behind: str = "") -> list[str]:
    """The function that computes the runs of these programs, and what it needs; nothing where there is no run.

    front, behind: what stands around the heading of a function that is this file's own.
    """
    counts = [len(angles_of(each.instructions, run)) for each in map(arranged, programs) for run in runs(each)]
    if not counts:
        return []
    widths = [width for width in WIDTHS if width <= max(min(counts), SMALLEST) * ITEM[precision]]
    single, real = precision == "single", {"double": "double", "single": "float"}[precision]
    f = "f" * single

    def heading(function: str) -> str:
        return function.replace("static ", f"{front} ", 1).replace("cosines)\n{", f"cosines){behind}\n{{", 1)

    vectors, turn, sines = (_file(name) for name in ("vectors.h", "turn.h", "sines.h"))
    vectors = vectors.replace("static inline", f"{front} inline" if front != "inline" else front)
    lines = [
        f"#define SINGLE {int(single)}",
        *_width(widths),
        *(f"#define {macro} {word}{f}" for macro, word in (("SIN", "sin"), ("COS", "cos"), ("ABS", "fabs"))),
        "",
        vectors,
        turn,
        heading(sines),
        *(f"#undef {macro}" for macro in MACROS),
    ]
    fallback = heading(ONE_BY_ONE.format(real=real, f=f))
    return [KNOWN, *(_own(line) for line in lines), "#else", fallback, "#endif", ""]


def _own(text: str) -> str:
    """With words that nobody else has; of those in comments macros alone are meant."""

    def prefixed(part: str, said: bool) -> str:
        return OWN.sub(
            lambda word: f"SINES_{word[0]}" if word[0].isupper() else word[0] if said else f"sines_{word[0]}", part
        )

    return "".join(prefixed(part, said=k % 2 == 1) for k, part in enumerate(COMMENT.split(text)))


def _width(widths: Sequence[int]) -> Iterator[str]:
    """The widest vectors that this machine has, and that the shortest run fills."""
    for k, width in enumerate(widths):
        if len(widths) > 1:
            yield f"#{'el' * (k > 0)}if {WIDTHS[width]}" if WIDTHS[width] else "#else"
        yield f"#define VECTOR_BYTES {width}"
    yield from ["#endif"] * (len(widths) > 1)


def _file(name: str) -> str:
    return resources.files("motionc.targets").joinpath(name).read_text(encoding="utf-8")


def runs(program: Program) -> Iterator[range]:
    """Where an arranged program has sines and cosines that are computed at once."""
    i = 0
    while i < len(program.instructions):
        run = run_at(program.instructions, i)
        if len(angles_of(program.instructions, run)) >= LEAST:
            yield run
        i = max(run.stop, i + 1)
