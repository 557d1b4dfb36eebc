"""The kernels of program/kernels.py in C, in two forms: for one number, where an index may depend on the numbers, and
for lanes, where it may not, since it differs from lane to lane.

Both are written on `number`; lanes also need the words at the end of `lanes.h`. What does not pivot is shared.
Rows come in blocks, S to E, one after the other; a block's text is printed once for each.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from motionc.program import box
from motionc.program.kernels import KERNELS, LOST, NOISE, TIE, Call
from motionc.program.port import Precision
from motionc.program.scalars import NOTHING
from motionc.targets.box_c import CHOICE, box_solve, needed
from motionc.targets.solve_c import FACTOR, SUBSTITUTE, kernel_name
from motionc.targets.tree_c import VECTORS, along_tree

ROUNDED = {"box_solve": 1e-4}
"""The rank tolerance in single precision, where rounding alone leaves pivots near 1e-6; 1e-5 for the others."""

CONSTANTS = {
    "double": {
        "TIE": TIE,
        "NOISE": NOISE,
        "NOTHING": NOTHING,
        "LOST": LOST,
        "EASE": box.EASE,
        "TIGHT": box.TIGHT,
        "FAINT": box.FAINT,
        "STUCK": box.STUCK,
        "DOUBT": box.DOUBT,
        "HOLD": box.HOLD,
        "EASED": box.EASED,
    },
    "single": {
        "TIE": 1e-5,
        "NOISE": 2.0**-19,
        "NOTHING": 1e-11,
        "LOST": 1e-3,
        "EASE": 1e-3,
        "TIGHT": 1e-5,
        "FAINT": box.FAINT,
        "STUCK": 1e-5,
        "DOUBT": 1e-2,
        "HOLD": 1e-1,
        "EASED": 1e-1,
    },
}
"""What decides between rows that are equally far ahead, how exact entries are, what is nothing but rounding, and what a
box neglects.
"""

# ---------------------------------------------------------------- shared

FACTOR_NORMAL = FACTOR.format(
    matrix="normal", lower="triangle", inverse="pivots", limit="pivots[j] = splat(1) / pivot;"
)
SOLVE_NORMAL = SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")

LDLT_SOLVE = (
    """\
    enum { S = 0, E = M };
    number lower[M * M], scaled[M * M], inverse[M];
"""
    + FACTOR.format(
        matrix="a",
        lower="lower",
        inverse="inverse",
        limit="inverse[j] = splat(1) / larger(pivot, splat(RANK_TOLERANCE) * a[j * M + j]);",
    )
    + """\
    for (int i = 0; i < M; ++i) x[i] = r[i];
"""
    + SUBSTITUTE.format(x="x", lower="lower", inverse="inverse")
)

BOUNDS = """\
    for (int i = 0; i < M; ++i) largest = larger(largest, a[i * M + i]);
    for (int i = 0; i < M; ++i)
        bound[i] = larger(splat(RANK_TOLERANCE) * a[i * M + i], splat(NOTHING) * largest);
"""
"""What pivots must be more than, as long as they are diagonal entries."""

# ---------------------------------------------------------------- one number

ONE_START = """\
    int order[M];
    number lower[M * M], scaled[M * M], inverse[M], kept[M], rest[M], bound[M], early[M];
    number rank = 0.0, condition = 1.0;
    number normal[M * M], triangle[M * M], pivots[M];
    number largest = 0.01;
    for (int i = 0; i < M; ++i) {
        order[i] = i;
        rest[i] = a[i * M + i];
        early[i] = 1.0 - TIE * i;
    }
    BOUNDS
"""

ONE_TAKE = """\
    number left[M], direct[M], w[M] = {0};
"""

ONE_NORMAL = (
    """\
    for (int j = S; j < E; ++j)
        for (int i = S; i <= j; ++i) {
            number total = i < j ? lower[j * M + i] * kept[j] : 1.0;
            for (int k = j + 1; k < E; ++k) total += lower[k * M + i] * lower[k * M + j];
            normal[i * M + j] = total;
        }
"""
    + FACTOR_NORMAL
)

ONE_FACTOR = """\
    number independent = 0.0;
    for (int j = S; j < E; ++j) {
        int at = j;
        number best = rest[order[j]] * early[order[j]] - bound[order[j]];
        for (int i = j + 1; i < E; ++i) {
            const number other = rest[order[i]] * early[order[i]] - bound[order[i]];
            at = other > best ? i : at;
            best = other > best ? other : best;
        }
        const int row = order[at];
        order[at] = order[j];
        order[j] = row;
        for (int k = 0; k < j; ++k) {
            const number low = lower[at * M + k], high = scaled[at * M + k];
            lower[at * M + k] = lower[j * M + k];
            lower[j * M + k] = low;
            scaled[at * M + k] = scaled[j * M + k];
            scaled[j * M + k] = high;
        }
        kept[j] = (number)(best > 0.0)AT_MOST;
        inverse[j] = kept[j] / (kept[j] != 0.0 ? rest[row] : 1.0);
        independent += kept[j];
        condition = larger(condition, a[row * M + row] * inverse[j]);
        const number spread = (bound[row] - (RANK_TOLERANCE - NOISE) * a[row * M + row]) * inverse[j];
        for (int i = j + 1; i < M; ++i) {
            number value = a[row * M + order[i]];
            for (int k = 0; k < j; ++k) value -= scaled[i * M + k] * lower[j * M + k];
            MOVED
            scaled[i * M + j] = value;
            lower[i * M + j] = value * inverse[j];
            const number lost = lower[i * M + j] * value;
            rest[order[i]] -= lost;
            bound[order[i]] += lost * spread;
        }
    }
    rank += independent;
"""

ONE_MOVED = """\
                /* heavy rows make much of rounding: what depends on rows before is not moved by it */
                const number own = a[order[i] * M + order[i]];
                const number faint = (bound[order[i]] - (RANK_TOLERANCE - NOISE) * own) * spread;
                value = rest[order[i]] > bound[order[i]] || value * value * inverse[j] > faint ? value : 0.0;
"""

ONE_RIGHT = (
    """\
    for (int i = S; i < E; ++i) {
        left[i] = r[order[i]];
        for (int k = 0; k < S; ++k) left[i] -= lower[i * M + k] * w[k];
    }
    for (int i = S; i < E; ++i) {
        direct[i] = w[i] = left[i];
        for (int k = S; k < i; ++k) direct[i] -= lower[i * M + k] * direct[k];
        for (int k = i + 1; k < E; ++k) w[i] += lower[k * M + i] * left[k];
    }
"""
    + SOLVE_NORMAL
    + """\
    for (int i = S; i < E; ++i) w[i] = independent > E - S - 0.5 ? direct[i] : w[i];
"""
)

ONE_ANSWER = """\
    for (int i = 0; i < M; ++i) direct[i] = w[i] *= inverse[i];
    for (int i = M - 1; i >= 0; --i)
        for (int k = i + 1; k < M; ++k) direct[i] -= lower[k * M + i] * direct[k];
    for (int i = 0; i < M; ++i) x[order[i]] = direct[i];
    x[M] = rank;
    x[M + 1] = condition;
"""

ONE_LEAST = (
    SOLVE_NORMAL
    + """\
    number least[M];
    for (int i = S; i < E; ++i) {
        least[i] = w[i];
        for (int k = 0; k < i; ++k) least[i] += lower[i * M + k] * w[k];
    }
    number far = 0.0, whole = 1.0;
    MADE_UP
    const number stays = larger((number)(rank > M - 0.5), 1.0 - (number)(far < LOST * whole));
    for (int i = S; i < E; ++i) x[order[i]] = stays != 0.0 ? direct[i] : least[i];
"""
)

ONE_MADE_UP = """\
    whole = 0.0;
    for (int k = M - 1; k >= 0; --k) {
        number more = direct[k] - least[k];
        for (int i = k + 1; i < M; ++i) more += lower[i * M + k] * (direct[i] - least[i]);
        more *= kept[k];
        least[k] += more;
        far = larger(far, magnitude(more));
        whole = larger(whole, magnitude(direct[k]));
    }
"""

ONE_INVERSE = (
    """\
    number h[M * M];
    for (int i = 0; i < M; ++i) {
        number direct[M], *w = h + i * M;
        for (int k = 0; k < M; ++k) {
            direct[k] = k == i ? 1.0 : 0.0;
            w[k] = k < i ? lower[i * M + k] : direct[k];
            for (int l = i; l < k; ++l) direct[k] -= lower[k * M + l] * direct[l];
        }
"""
    + SOLVE_NORMAL
    + """\
        for (int k = 0; k < M; ++k) w[k] = rank > M - 0.5 ? direct[k] : w[k];
        for (int j = 0; j <= i; ++j) {
            number total = 0.0;
            for (int k = 0; k < M; ++k) total += w[k] * inverse[k] * h[j * M + k];
            x[order[i] * M + order[j]] = total;
            x[order[j] * M + order[i]] = total;
        }
    }
    x[M * M] = rank;
    x[M * M + 1] = condition;
"""
)

# ---------------------------------------------------------------- lanes

LANES_START = """\
    /* L and 1/D, the largest pivot next: row[j] is the j-th of them, and rows keep their places meanwhile */
    number rest[M * M], column[M * M], across[M], inverse[M], kept[M], bound[M], open[M];
    number normal[M * M], scaled[M * M], triangle[M * M], pivots[M];
    number rank = splat(0), condition = splat(1), largest = splat(0.01);
    place row[M];
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < M; ++k) rest[i * M + k] = a[i < k ? i * M + k : k * M + i];
        open[i] = splat(1);
    }
    BOUNDS
"""

LANES_TAKE = """\
    number left[M], y[M], direct[M], w[M];
    for (int i = 0; i < M; ++i) left[i] = r[i];
"""

LANES_NORMAL = (
    """\
    /* N = L^T L; columns that do not count keep a 1 on its diagonal and are silenced by their inverse pivot, 0 */
    for (int j = S; j < E; ++j)
        for (int i = S; i <= j; ++i) {
            number total = i < j ? at(column + i * M, M, row[j]) * kept[j] : splat(1);
            for (int k = S; k < E; ++k) total += column[i * M + k] * column[j * M + k];
            normal[i * M + j] = total;
        }
"""
    + FACTOR_NORMAL
)

LANES_FACTOR = """\
    number independent = splat(0);
    for (int j = S; j < E; ++j) {
        number best = splat(-INFINITY), own = splat(0), limit = splat(0);
        row[j] = spot(S);
        for (int i = S; i < E; ++i) {
            const number ahead = rest[i * M + i] * splat(1.0 - TIE * i) - bound[i];
            const number other = choose(open[i], ahead, splat(-INFINITY)), better = less(best, other);
            row[j] = choose_spot(better, spot(i), row[j]);
            own = choose(better, a[i * M + i], own);
            limit = choose(better, bound[i], limit);
            best = choose(better, other, best);
        }
        for (int i = 0; i < M; ++i) across[i] = at(rest + i * M, M, row[j]);
        kept[j] = less(splat(0), best)AT_MOST;
        inverse[j] = kept[j] / choose(kept[j], at(across, M, row[j]), splat(1));
        independent += kept[j];
        condition = larger(condition, own * inverse[j]);
        const number spread = (limit - splat(RANK_TOLERANCE - NOISE) * own) * inverse[j];
        put(open, M, row[j], splat(0));
        for (int i = 0; i < M; ++i) {
            column[j * M + i] = across[i] * inverse[j] * open[i];
            MOVED
            bound[i] += column[j * M + i] * across[i] * spread;
            for (int k = 0; k < M; ++k) rest[i * M + k] -= column[j * M + i] * across[k];
        }
    }
    rank += independent;

"""

LANES_MOVED = """\
                /* heavy rows make much of rounding: what depends on rows before is not moved by it */
                const number faint = (bound[i] - splat(RANK_TOLERANCE - NOISE) * a[i * M + i]) * spread;
                const number counts = less(faint, column[j * M + i] * across[i]);
                column[j * M + i] *= larger(less(bound[i], rest[i * M + i]), counts);
"""

LANES_RIGHT = (
    """\

    /* w = L^-1 r at full rank, N^-1 L^T r below it, r being what earlier blocks leave */
    const number full = less(splat(E - S - 0.5), independent);
    for (int i = 0; i < M; ++i) y[i] = left[i];
    for (int j = S; j < E; ++j) {
        direct[j] = at(y, M, row[j]);
        w[j] = at(left, M, row[j]);
        for (int i = S; i < E; ++i) {
            y[i] -= column[j * M + i] * direct[j];
            w[j] += column[j * M + i] * left[i];
        }
    }
"""
    + SOLVE_NORMAL
    + """\
    for (int j = S; j < E; ++j) {
        w[j] = choose(full, direct[j], w[j]);
        for (int i = E; i < M; ++i) left[i] -= column[j * M + i] * w[j];
        w[j] *= inverse[j];
    }
"""
)

LANES_ANSWER = """\
    /* x = L^-T D^-1 w */
    for (int i = 0; i < M; ++i) x[i] = splat(0);
    for (int j = M - 1; j >= 0; --j) {
        number total = w[j];
        for (int i = 0; i < M; ++i) total -= column[j * M + i] * x[i];
        put(x, M, row[j], total);
    }
    x[M] = rank;
    x[M + 1] = condition;
"""

LANES_LEAST = (
    """\
    /* below full rank the least x: L N^-1 D^-1 w */
"""
    + SOLVE_NORMAL
    + """\
    for (int j = 0; j < M; ++j) put(y, M, row[j], w[j]);
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < M; ++j) y[i] += column[j * M + i] * w[j];
    }
    number far = splat(0), whole = splat(1);
    MADE_UP
    const number stays = larger(less(splat(M - 0.5), rank), splat(1) - less(far, splat(LOST) * whole));
    for (int i = 0; i < M; ++i) x[i] = choose(stays, x[i], y[i]);
"""
)

LANES_MADE_UP = """\
    /* what that does otherwise than x is made up for */
    whole = splat(0);
    for (int j = M - 1; j >= 0; --j) {
        const number own = at(y, M, row[j]);
        number more = at(x, M, row[j]) - own;
        for (int i = 0; i < M; ++i) more += column[j * M + i] * (x[i] - y[i]);
        more *= kept[j];
        put(y, M, row[j], own + more);
        far = larger(far, magnitude(more));
        whole = larger(whole, magnitude(x[j]));
    }
"""

LANES_INVERSE = (
    """\
    /* H = L^-1 at full rank, N^-1 L^T below it; A^+ = H^T D^-1 H */
    const number full = less(splat(M - 0.5), rank);
    number h[M * M];
    for (int i = 0; i < M; ++i) {
        number y[M], direct[M], *w = h + i * M;
        for (int k = 0; k < M; ++k) y[k] = splat(k == i);
        for (int j = 0; j < M; ++j) w[j] = column[j * M + i] + at(y, M, row[j]);
        for (int j = 0; j < M; ++j) {
            direct[j] = at(y, M, row[j]);
            for (int k = 0; k < M; ++k) y[k] -= column[j * M + k] * direct[j];
        }
"""
    + SOLVE_NORMAL
    + """\
        for (int k = 0; k < M; ++k) w[k] = choose(full, direct[k], w[k]);
        for (int j = 0; j <= i; ++j) {
            number total = splat(0);
            for (int k = 0; k < M; ++k) total += w[k] * inverse[k] * h[j * M + k];
            x[i * M + j] = total;
            x[j * M + i] = total;
        }
    }
    x[M * M] = rank;
    x[M * M + 1] = condition;
"""
)

# ---------------------------------------------------------------- in print


class Parts(NamedTuple):
    """The text of all kernels that pivot: what they start with, do for each block of rows, and end with."""

    start: str
    take: str
    factor: str
    normal: str
    right: str
    answer: str
    least: str
    made_up: str
    inverse: str


ONE = Parts(ONE_START, ONE_TAKE, ONE_FACTOR, ONE_NORMAL, ONE_RIGHT, ONE_ANSWER, ONE_LEAST, ONE_MADE_UP, ONE_INVERSE)
LANES = Parts(
    LANES_START,
    LANES_TAKE,
    LANES_FACTOR,
    LANES_NORMAL,
    LANES_RIGHT,
    LANES_ANSWER,
    LANES_LEAST,
    LANES_MADE_UP,
    LANES_INVERSE,
)


def for_one(
    calls: Iterable[Call], precision: Precision, spelling: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Kernels for this many rows as static C functions on one state's numbers, those they call before them.

    Relatives of C spell some words differently.
    """
    words = {"number": "double", "larger": "fmax", "lesser": "fmin", "magnitude": "fabs", "splat": ""}
    words |= {"sqrt_lanes": "sqrt", **spelling}
    if precision == "single":
        words |= {"number": "float", "larger": "fmaxf", "lesser": "fminf", "magnitude": "fabsf", "sqrt_lanes": "sqrtf"}
        words |= {text: f"{text}f" for text in ("0.0", "0.01", "0.5", "1.0")}
    inside, asked = _ordered(calls, precision)
    suffix = "f" * (precision == "single")
    texts = [CHOICE] if inside else []
    # what is called in a loop is the lanes' text: compilers lose sight of indices that depend on numbers
    texts += [_function(LANES, call, precision, suffix) for call in inside]
    texts += [_function(ONE, call, precision, suffix) for call in asked]
    known = re.compile(r"\bstatic (?:inline|void)\b|\b[\w.]+\b")
    return [known.sub(lambda match: words.get(match[0], match[0]), text) for text in texts]


def for_lanes(calls: Iterable[Call], precision: Precision) -> list[str]:
    """The same on lanes."""
    return [_function(LANES, call, precision) for part in _ordered(calls, precision) for call in part]


def _ordered(calls: Iterable[Call], precision: Precision) -> tuple[list[Call], list[Call]]:
    """By name: the kernels that others call, then all others."""
    asked = set(calls)
    inside = {one for call in asked if call.kernel == "box_solve" for one in needed(call, _tolerance(call, precision))}
    return sorted(inside, key=kernel_name), sorted(asked - inside, key=kernel_name)


def _tolerance(call: Call, precision: Precision) -> float:
    if call.tolerance is not None:
        return call.tolerance
    return KERNELS[call.kernel].usual if precision == "double" else ROUNDED.get(call.kernel, 1e-5)


def kernel_call(call: Call, i: int) -> str:
    """The call of a kernel on the numbers a…, for those in k…"""
    right = f"a{i} + {call.matrix}, " if KERNELS[call.kernel].right else ""
    return f"{kernel_name(call)}(a{i}, {right}k{i});"


def _function(parts: Parts, call: Call, precision: Precision, suffix: str = "") -> str:
    tolerance = _tolerance(call, precision)
    right = "const number *restrict r, " if KERNELS[call.kernel].right else ""
    match call.kernel:
        case "ldlt_solve":
            body = LDLT_SOLVE
        case "box_solve":
            body = box_solve(call, needed(call, tolerance))
        case "tree_pairs" | "tree_factor" | "tree_solve":
            body = along_tree(call)
        case _:
            body = _told(_pivoting(parts, call), parts, call)
    text = "\n".join(
        [
            f"/* {KERNELS[call.kernel].meaning}; rows: {', then '.join(map(str, call.blocks))} */",
            *([VECTORS] if call.pattern else []),
            f"static void {kernel_name(call)}(const number *restrict a, {right}number *restrict x)",
            "{",
            f"    enum {{ M = {call.size} }};",
            body + "}",
            "",
        ]
    )
    for name, value in {**CONSTANTS[precision], "RANK_TOLERANCE": tolerance}.items():
        text = re.sub(rf"\b{name}\b", f"{value!r}{suffix}", text)
    return text


def _told(text: str, parts: Parts, call: Call) -> str:
    """With how many rows count at most, where not all can, and with their weights, where there are any."""
    most, bounds, moved = "", BOUNDS, ""
    if call.most is not None:
        limit = f"{call.most} - 0.5"
        most = (
            f" * less(rank + independent, splat({limit}))"
            if parts is LANES
            else f" * (number)(rank + independent < {limit})"
        )
    if call.weights:
        own = [f"a[{i * call.size + i}]" for i in range(call.size)]
        squares = [weight * weight for weight in call.weights]
        lines = [f"largest = larger(largest, splat({1 / w!r}) * {x});" for x, w in zip(own, squares, strict=True)]
        lines += [
            f"bound[{i}] = larger(splat(RANK_TOLERANCE) * {x}, splat(NOTHING * {w!r}) * largest);"
            for i, (x, w) in enumerate(zip(own, squares, strict=True))
        ]
        bounds = "".join(f"    {line}\n" for line in lines)
        moved = LANES_MOVED if parts is LANES else ONE_MOVED
    text = text.replace("    BOUNDS\n", bounds).replace("AT_MOST", most)
    return text.replace("                MOVED\n", moved)


def _pivoting(parts: Parts, call: Call) -> str:
    """The blocks one after the other, then the answer."""
    inverse = call.kernel == "truncated_inverse"
    block = parts.factor if inverse else parts.factor + parts.normal + parts.right
    text, done = parts.start + ("" if inverse else parts.take), 0
    for size in call.blocks:
        text += _scope(block, done, done + size)
        done += size
    if inverse:
        return text + _scope(parts.normal + parts.inverse, 0, done)
    text += parts.answer
    if call.kernel == "truncated_solve":
        several = len(call.blocks) > 1
        clamped = parts.normal.replace("/ pivot;", "/ larger(pivot, splat(NOISE) * normal[j * M + j]);")
        made_up = parts.least.replace("    MADE_UP\n", parts.made_up if several else "")
        text += _scope((clamped if several else "") + made_up, 0, done)
    return text


def _scope(text: str, start: int, end: int) -> str:
    """A text for the rows from start to end."""
    inner = "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
    return f"    {{\n        enum {{ S = {start}, E = {end} }};\n{inner}    }}\n"
