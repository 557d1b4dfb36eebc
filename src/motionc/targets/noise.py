"""Noise in every language: Philox4x32-10 on (seed, lane, step, block), as program/noise.py defines it.

    draw_uniform(seed, lane, step, block, n, out)       draw_normal(seed, lane, step, block, n, out)

write n numbers of a lane at a step to `out`; a block is two of them. In C and CUDA `out` holds one lane's, in lanes
those of `lane` and its neighbours side by side; MATLAB and Python return them. Texts are written by hand, because
programs have no integers, and tested by known answers.
"""

import inspect
import re
from collections.abc import Collection
from importlib import resources

from motionc.program import noise
from motionc.program.noise import Kind
from motionc.program.port import Precision
from motionc.targets.library import functions, needed

NAMES = frozenset(
    ("philox", "draw_pair", "draw_uniform", "draw_normal", "turn", "words", "doubles", "times", "counted", "WORDS")
)
"""What the texts call their functions in C and its relatives."""

INTEGERS = """unsigned long long seed, unsigned long long lane, unsigned long long step,
    unsigned int block"""

PHILOX = f"""\
/* Philox4x32-10 (Salmon et al. 2011): four words from the key, which is the seed, and from block, step and lane */
INLINE void philox({INTEGERS}, unsigned int *word)
{{
    unsigned int one = (unsigned int)seed, other = (unsigned int)(seed >> 32);
    word[0] = block;
    word[1] = (unsigned int)step;
    word[2] = (unsigned int)lane;
    word[3] = (unsigned int)(lane >> 32) << 16 | (unsigned int)(step >> 32);
    UNROLL for (int i = 0; i < 10; ++i) {{
        const unsigned long long left = 0xD2511F53ULL * word[0], right = 0xCD9E8D57ULL * word[2];
        word[0] = (unsigned int)(right >> 32) ^ word[1] ^ one;
        word[1] = (unsigned int)right;
        word[2] = (unsigned int)(left >> 32) ^ word[3] ^ other;
        word[3] = (unsigned int)left;
        one += 0x9E3779B9U;
        other += 0xBB67AE85U;
    }}
}}
"""

PAIR: dict[Precision, str] = {
    "double": f"""\
/* the two numbers of a block in [0, 1), of 53 bits each */
INLINE void draw_pair({INTEGERS}, number *u)
{{
    unsigned int word[4];
    philox(seed, lane, step, block, word);
    u[0] = ((double)word[0] * 2097152.0 + (double)(word[1] >> 11)) * (1.0 / 9007199254740992.0);
    u[1] = ((double)word[2] * 2097152.0 + (double)(word[3] >> 11)) * (1.0 / 9007199254740992.0);
}}
""",
    "single": f"""\
/* the two numbers of a block in [0, 1), of 24 bits each */
INLINE void draw_pair({INTEGERS}, number *u)
{{
    unsigned int word[4];
    philox(seed, lane, step, block, word);
    u[0] = (float)(word[0] >> 8) * (1.0f / 16777216.0f);
    u[1] = (float)(word[2] >> 8) * (1.0f / 16777216.0f);
}}
""",
}

UNIFORM = f"""\
/* n numbers in [0, 1), from this block on */
INLINE void draw_uniform({INTEGERS}, int n, number *out)
{{
    UNROLL for (int i = 0; i < n; i += 2) {{
        number u[2];
        draw_pair(seed, lane, step, block + i / 2, u);
        out[i] = u[0];
        if (i + 1 < n) out[i + 1] = u[1];
    }}
}}
"""

TURN = """\
INLINE void turn(number angle, number *sine, number *cosine)
{
    *sine = sin_one(angle);
    *cosine = cos_one(angle);
}
"""

NORMAL = f"""\
/* n normal numbers of mean 0 and deviation 1, from this block on (Box and Muller) */
INLINE void draw_normal({INTEGERS}, int n, number *out)
{{
    UNROLL for (int i = 0; i < n; i += 2) {{
        number u[2], sine, cosine;
        draw_pair(seed, lane, step, block + i / 2, u);
        const number radius = sqrt_lanes((number)-2 * log_one((number)1 - u[0]));
        /* the nearest quarter turn, and the angle from there */
        const int quarter = (int)((number)4 * u[1] + (number)0.5);
        turn(((number)4 * u[1] - (number)quarter) * (number)1.5707963267948966, &sine, &cosine);
        const number to = quarter & 2 ? -radius : radius;
        out[i] = to * (quarter & 1 ? -sine : cosine);
        if (i + 1 < n) out[i + 1] = to * (quarter & 1 ? cosine : sine);
    }}
}}
"""

IN_LANES = resources.files("motionc.targets").joinpath("noise_lanes.h").read_text(encoding="utf-8")
IN_MATLAB = resources.files("motionc.targets").joinpath("noise.m").read_text(encoding="utf-8")


def for_one(kinds: Collection[Kind], precision: Precision, front: str = "static") -> list[str]:
    """Functions of C and C++ that draw these kinds, `double *out` or `float *out`; they need math.h."""
    real, f = ("double", "") if precision == "double" else ("float", "f")
    words = {"INLINE": front, "UNROLL ": "", "number": real, "sqrt_lanes": f"sqrt{f}"}
    return _spelled([PHILOX, PAIR[precision], UNIFORM, TURN, NORMAL], kinds, words | _library(precision))


def for_gpu(kinds: Collection[Kind], precision: Precision) -> list[str]:
    """The same for CUDA, behind `device.cuh`: `n` and `block` are constants there, and `out` stays in registers."""
    words = {"UNROLL ": "#pragma unroll\n    "}
    return _spelled([PHILOX, PAIR[precision], UNIFORM, NORMAL], kinds, words | _library(precision))


def for_lanes(kinds: Collection[Kind]) -> list[str]:
    """The same for lanes, behind `lanes.h`: `lanes *out`, whose lane i is number `lane + i`."""
    return [IN_LANES] if kinds else []


def in_matlab(kinds: Collection[Kind]) -> list[str]:
    """Functions of MATLAB and Octave: out = draw_normal(seed, lane, step, block, n), a column a lane."""
    return _needed(IN_MATLAB, kinds, r"^function (?:\w+ = )?(?P<name>\w+)\(")


def in_python(kinds: Collection[Kind]) -> list[str]:
    """Functions of NumPy, those of program/noise.py: draw_normal(seed, lane, step, block, n, precision)."""
    known = {of.__name__: inspect.getsource(of).strip() for of in (noise.philox, noise.draw_uniform, noise.draw_normal)}
    return ["Drawn = np.ndarray[Any, np.dtype[Any]]", *needed(_asked(kinds), known, "#.*$")]


def matlab_integer(value: int) -> str:
    """A whole number below 2^64 in MATLAB, whose constants are doubles."""
    return f"bitor(bitshift(uint64({value >> 32}), 32), uint64({value & 0xFFFFFFFF}))"


def _library(precision: Precision) -> dict[str, str]:
    return {f"{name}_one": f"{name}{'' if precision == 'double' else 'f'}" for name in ("sin", "cos", "log")}


def _spelled(texts: list[str], kinds: Collection[Kind], words: dict[str, str]) -> list[str]:
    """The functions that are needed, in these words."""
    known = re.compile("|".join(rf"\b{word}{'' if word.endswith(' ') else chr(92) + 'b'}" for word in words))
    text = "\n".join(known.sub(lambda match: words[match[0]], text) for text in texts)
    return _needed(text, kinds, r"^(?:/\*.*\*/\n)?(?:static|inline|INLINE) void (?P<name>\w+)\(")


def _needed(text: str, kinds: Collection[Kind], heading: str) -> list[str]:
    return [f"{body}\n" for body in needed(_asked(kinds), functions(text, heading), r"/\*.*?\*/|^ *%.*$")]


def _asked(kinds: Collection[Kind]) -> str:
    return " ".join(f"draw_{kind}" for kind in sorted(kinds))
