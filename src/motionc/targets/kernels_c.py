"""Kernels as functions of C: those a program calls, for one state's numbers or for lanes.

The text of each is in targets/kernels/, on `number`; lanes have their words from `lanes.h`.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from motionc.program.kernels import KERNELS, Call
from motionc.program.port import Precision
from motionc.targets.kernels import text_of
from motionc.targets.kernels.text import Form, kernel_name

PLACE = """\
/* what kernels that choose are written in; a place is an index */
typedef int place;
"""
CHOICE = {
    "less": "static inline number less(number p, number q) { return (number)(p < q); }\n",
    "choose": """\
static inline number choose(number condition, number p, number q) { return condition != 0.0 ? p : q; }
""",
    "spot": "static inline place spot(int i) { return i; }\n",
    "choose_spot": """\
static inline place choose_spot(number condition, place p, place q) { return condition != 0.0 ? p : q; }
""",
    "peak": "static inline number peak(number p, number q) { return p < q ? q : p; }\n",
    "trough": "static inline number trough(number p, number q) { return q < p ? q : p; }\n",
    "at": "static inline number at(const number *v, int m, place p) { return (void)m, v[p]; }\n",
    "put": "static inline void put(number *v, int m, place p, number value) { (void)m, v[p] = value; }\n",
    "everywhere": "static inline int everywhere(number condition) { return condition != 0.0; }\n",
    "least_of": "static inline int least_of(place p) { return p; }\n",
    "most_of": "static inline int most_of(place p) { return p; }\n",
    "inside": """\
static inline number inside(int i, place from, place to) { return (number)(from <= i) * (number)(i < to); }
""",
}
"""For one number, by the words they are; lanes have these words from `lanes.h`."""

LOOPS = """\
/* long loops are worth more than the straight lines around them */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#define LOOPS \\
    __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "no-unroll-loops", "no-peel-loops")))
#else
#define LOOPS
#endif
"""
SELDOM = """\
/* inside the function that seldom calls it, it would take registers from that one */
#if defined __GNUC__
#define SELDOM __attribute__((noinline))
#else
#define SELDOM
#endif
"""
INNER = """\
LOOPS static inline number inner(const number *v, const number *w, int m)
{
    number p = 0.0, q = 0.0, r = 0.0, s = 0.0;
    for (int i = 0; i < m / 4; ++i) {
        p += v[4 * i] * w[4 * i];
        q += v[4 * i + 1] * w[4 * i + 1];
        r += v[4 * i + 2] * w[4 * i + 2];
        s += v[4 * i + 3] * w[4 * i + 3];
    }
    for (int i = m / 4 * 4; i < m; ++i) p += v[i] * w[i];
    return p + q + (r + s);
}
"""
"""v w: four sums beside each other, which are one vector."""

WIDE = """\
/* numbers side by side, as many as a register holds, and where they lie in memory */
#if defined(__GNUC__) && defined(__AVX512F__)
typedef number wide __attribute__((vector_size(64)));
#elif defined(__GNUC__)
typedef number wide __attribute__((vector_size(32)));
#else
typedef number wide;
#endif
#if defined(__GNUC__)
typedef wide wide_at __attribute__((aligned(sizeof(number)), may_alias));
#else
typedef wide wide_at;
#endif
"""
EIGHT = """\
/* eight numbers side by side, and where they lie in memory */
#if defined(__GNUC__)
typedef number eight __attribute__((vector_size(8 * sizeof(number))));
typedef eight eight_at __attribute__((aligned(sizeof(number)), may_alias));
#else
typedef number eight, eight_at;
#endif
"""

NAMES = frozenset(("place", "LOOPS", "SELDOM", "inner", "wide", "wide_at", "eight", "eight_at", *CHOICE))


def for_one(
    calls: Iterable[Call], precision: Precision, spelling: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Kernels for this many rows as static C functions on one state's numbers.

    Relatives of C spell some words differently.
    """
    words = {"number": "double", "larger": "fmax", "lesser": "fmin", "magnitude": "fabs", "splat": ""}
    words |= {"sqrt_lanes": "sqrt", "integer": "long long", **spelling}
    if precision == "single":
        words |= {"number": "float", "larger": "fmaxf", "lesser": "fminf", "magnitude": "fabsf", "sqrt_lanes": "sqrtf"}
        words["integer"] = "int"
        words |= {text: f"{text}f" for text in ("0.0", "0.01", "0.5", "1.0")}
    asked = _asked(calls)
    texts = [_function("one", call, precision, "f" * (precision == "single")) for call in asked]
    seldom = {call._replace(conditioned=True) for call in asked if not call.conditioned}
    texts = [
        text.replace("\nstatic void", "\nSELDOM static void", 1) if call in seldom else text
        for text, call in zip(texts, asked, strict=True)
    ]
    choosing = [text_of(call.kernel).chooses for call in asked]
    texts = [
        text.replace("\nstatic void", "\nLOOPS static void", 1) if chooses else text
        for text, chooses in zip(texts, choosing, strict=True)
    ]
    kinds = {"wide": WIDE, "eight": EIGHT}
    several = [kind for word, kind in kinds.items() if any(re.search(rf"\b{word}\b", text) for text in texts)]
    texts = [*several, *([SELDOM] if seldom else []), *_choice(texts, any(choosing)), *texts]
    known = re.compile(r"\bstatic (?:inline|void)\b|\b[\w.]+\b")
    return [known.sub(lambda match: words.get(match[0], match[0]), text) for text in texts]


def _choice(texts: list[str], loops: bool) -> list[str]:
    """The words that these texts choose by: compilers complain of functions that nobody calls."""
    called = {word for text in texts for word in re.findall(r"\b(\w+)\(", text)}
    words = [text for word, text in CHOICE.items() if word in called]
    inner = [INNER] if "inner" in called else []
    words = [PLACE, *words, LOOPS, *inner] if loops else [*words, *inner]
    return ["\n".join(words)] if words else []


def for_lanes(calls: Iterable[Call], precision: Precision, form: Form = "lanes") -> list[str]:
    """The same on lanes; in a thread, rows are pivoted whether anybody asks for their condition or not."""
    if form == "thread":
        return [_function(form, call, precision) for call in sorted(set(calls), key=kernel_name)]
    asked = _asked(calls)
    seldom = {call._replace(conditioned=True) for call in asked if not call.conditioned}
    texts = [_function(form, call, precision) for call in asked]
    return [
        text.replace("\nstatic void", "\nAPART void", 1) if call in seldom else text
        for text, call in zip(texts, asked, strict=True)
    ]


def _asked(calls: Iterable[Call]) -> list[Call]:
    """Each once, by name; behind the kernel that it calls where rows have to be pivoted, if it is not to say how far
    they are from depending on each other.
    """
    known = set(calls)
    return sorted(known | {call._replace(conditioned=True) for call in known}, key=kernel_name)


def _told(call: Call, precision: Precision) -> Call:
    """The call with what counts as dependent, which is not the same in every precision."""
    usual = KERNELS[call.kernel].usual if precision == "double" else text_of(call.kernel).single
    return call if call.tolerance is not None else call._replace(tolerance=usual)


def kernel_call(call: Call, i: int) -> str:
    """The call of a kernel on the numbers a…, for those in k…"""
    right = f"a{i} + {call.matrix}, " if KERNELS[call.kernel].right else ""
    return f"{kernel_name(call)}(a{i}, {right}k{i});"


def _function(form: Form, call: Call, precision: Precision, suffix: str = "") -> str:
    kernel, text, told = KERNELS[call.kernel], text_of(call.kernel), _told(call, precision)
    right = "const number *restrict r, " if kernel.right else ""
    printed = "\n".join(
        [
            f"/* {kernel.meaning}; rows: {', then '.join(map(str, call.blocks))} */",
            *([text.before] if text.before else []),
            f"static void {kernel_name(call)}(const number *restrict a, {right}number *restrict x)",
            "{",
            f"    enum {{ M = {call.size} }};",
            text.body(told, form) + "}",
            "",
        ]
    )
    printed = printed.replace("PIVOTED", kernel_name(call._replace(conditioned=True)))
    for name, value in {**text.constants[precision], "RANK_TOLERANCE": told.tolerance}.items():
        printed = re.sub(rf"\b{name}\b", f"{value!r}{suffix}", printed)
    return printed
