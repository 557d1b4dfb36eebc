"""cone_solve in C, MATLAB and Maxima. The matrix is symmetric: where an impulse acts along a row, all rows move by that
row of it, entries side by side.
"""

from collections.abc import Iterator
from itertools import groupby

from motionc.program.kernels import Call
from motionc.program.kernels.cone_solve import GIVES_WAY, KINDS, PROXIMAL, SURE, TURNS
from motionc.targets.kernels.text import Form, KernelText, data, indented, register

UNROLLED = 2000
"""Products with the matrix up to which a GPU keeps it in registers, its loops unrolled."""

CONES = """\
    const number *normal = r + 2 * M;
    number along[M], across[M], across_inverse[M], sure[M], whole[3 * M];
"""

BOUND = """\
    const number *bound = r + 3 * M;
"""

START = """\
    const number *compliance = r + 4 * M;
    number w[M], way[M], inverse[M], gives[M], largest = splat(0.01);
    for (int i = 0; i < M; ++i) {
        x[i] = r[M + i];
        way[i] = a[i * M + i] + compliance[i];
        largest = larger(largest, way[i]);
        w[i] = r[i] + compliance[i] * x[i];
    }
    for (int k = 0; k < M; ++k)
        for (int i = 0; i < M; ++i) w[i] += a[k * M + i] * x[k];
    const number nothing = splat(GIVES_WAY) * largest;
"""

PREPARE_ROWS = """\
    for (int k = FROM; k < TO; ++k) {
        gives[k] = less(nothing, way[k]);
        inverse[k] = gives[k] / choose(gives[k], way[k], splat(1.0));
    }
"""

PREPARE_CONES = """\
    for (int k = FROM; k < TO; k += 3) {
        /* how it gives way along its normal */
        const number trace = way[k] + way[k + 1] + way[k + 2];
        number own = splat(0.0), length = splat(0.0);
        for (int i = k; i < k + 3; ++i) {
            along[i] = compliance[i] * normal[i];
            for (int j = k; j < k + 3; ++j) along[i] += a[i * M + j] * normal[j];
            own += along[i] * normal[i];
            length += along[i] * along[i];
        }
        gives[k] = less(nothing, own);
        inverse[k] = gives[k] / choose(gives[k], own, splat(1.0));
        /* the inverse of its block, a little of the identity added */
        const number more = splat(PROXIMAL) * choose(gives[k], trace, splat(1.0));
        const number b = a[k * M + k + 1], c = a[k * M + k + 2], e = a[(k + 1) * M + k + 2];
        const number first = splat(1.0) / (way[k] + more), one = b * first, two = c * first;
        const number second = splat(1.0) / larger(way[k + 1] + more - b * one, more);
        const number rest = e - b * two, three = rest * second;
        const number third = splat(1.0) / larger(way[k + 2] + more - c * two - rest * three, more);
        number *h = whole + 3 * k;
        h[8] = third;
        h[5] = h[7] = -three * third;
        h[4] = second + three * three * third;
        h[2] = h[6] = (one * three - two) * third;
        h[1] = h[3] = -one * second - three * h[2];
        h[0] = first - one * h[1] - two * h[2];

        /* and across, at most: of two eigenvalues, from their sum and the sum of their squares */
        const number corner = b * b + c * c + e * e, both = trace - own;
        number squares = way[k] * way[k] + way[k + 1] * way[k + 1] + way[k + 2] * way[k + 2] + (corner + corner);
        squares += own * own - (length + length);
        const number apart = sqrt_lanes(larger(squares + squares - both * both, splat(0.0)));
        across[k] = larger(splat(0.5) * (both + apart), splat(0.0));
        const number slips = less(nothing, across[k]);
        across_inverse[k] = slips / choose(slips, across[k], splat(1.0));
        way[k] = own;

        /* whether friction cannot take back how it gives way: then there is one solution for it alone */
        const number aside = splat(SURE * SURE) * bound[k] * bound[k] * (length - own * own);
        sure[k] = gives[k] * less(aside, own * own);
    }
"""

SWEEP_ROWS = """\
    for (int k = FROM; k < TO; ++k) {
        const number wanted = (way[k] * x[k] - w[k]) * inverse[k];
        const number after = KEPT, change = after - x[k];
        x[k] = after;
        w[k] += compliance[k] * change;
        for (int i = 0; i < M; ++i) w[i] += a[k * M + i] * change;
    }
"""

SWEEP_CONES = """\
    for (int k = FROM; k < TO; k += 3) {
        const number *n = normal + k, *h = whole + 3 * k, *y = x + k, *v = w + k;
        number stick[3], slide[3], onward[3], u[3], change[3];

        /* the impulse that lets it stick, if the cone has it */
        for (int i = 0; i < 3; ++i)
            stick[i] = y[i] - (h[3 * i] * v[0] + h[3 * i + 1] * v[1] + h[3 * i + 2] * v[2]);
        const number upward = n[0] * stick[0] + n[1] * stick[1] + n[2] * stick[2];
        const number limit = bound[k] * larger(upward, splat(0.0));
        number aside = splat(0.0), released = splat(0.0), closing = splat(0.0), pressed = splat(0.0);
        for (int i = 0; i < 3; ++i) {
            const number sideways = stick[i] - n[i] * upward;
            aside += sideways * sideways;
            released += along[k + i] * y[i];
            closing += n[i] * v[i];
            pressed += n[i] * y[i];
        }
        released -= closing;
        const number inside = choose(less(limit * limit, aside), splat(0.0), less(splat(0.0), upward));
        const number sticks = sure[k] * inside;

        /* one that is not sure: its normal impulse by itself */
        const number by_itself = larger(pressed - closing * inverse[k], splat(0.0)) - pressed;
        const number lift = choose(sure[k], splat(0.0), by_itself);
        for (int i = 0; i < 3; ++i) {
            slide[i] = y[i] + n[i] * lift;
            u[i] = v[i] + along[k + i] * lift;
        }

        /* opposite to how it slides; the normal impulse with what friction there takes back */
        for (int turn = 0; turn < TURNS; ++turn) {
            if (turn > 0)
                for (int i = 0; i < 3; ++i) {
                    u[i] = v[i] + compliance[k + i] * (slide[i] - y[i]);
                    for (int j = 0; j < 3; ++j) u[i] += a[(k + i) * M + k + j] * (slide[j] - y[j]);
                }
            for (int i = 0; i < 3; ++i) onward[i] = slide[i] - u[i] * across_inverse[k];
            const number forward = n[0] * onward[0] + n[1] * onward[1] + n[2] * onward[2];
            number square = splat(0.0), leaning = splat(0.0), own = splat(0.0);
            for (int i = 0; i < 3; ++i) {
                onward[i] -= n[i] * forward;
                square += onward[i] * onward[i];
                leaning += along[k + i] * onward[i];
                own += n[i] * slide[i];
            }
            const number size = sqrt_lanes(square), moves = less(splat(0.0), size);
            number share = bound[k] * (moves / choose(moves, size, splat(1.0)));
            leaning = choose(sure[k], way[k] + share * leaning, splat(1.0));
            pressed = gives[k] * larger(choose(sure[k], released / leaning, own), splat(0.0));
            share *= pressed;
            share = choose(sure[k], share, lesser(share, splat(1.0)));
            for (int i = 0; i < 3; ++i) {
                const number after = n[i] * pressed + onward[i] * share;
                slide[i] = turn > 0 ? choose(sure[k], after, slide[i]) : after;
            }
        }
        for (int i = 0; i < 3; ++i) {
            const number after = choose(sticks, stick[i], slide[i]);
            change[i] = after - x[k + i];
            x[k + i] = after;
            w[k + i] += compliance[k + i] * change[i];
        }
        const number *row = a + k * M;
        for (int i = 0; i < M; ++i) w[i] += row[i] * change[0] + row[M + i] * change[1] + row[2 * M + i] * change[2];
    }
"""

UNMET_ROWS = """\
    for (int k = FROM; k < TO; ++k) {
        const number held = way[k] * x[k], wanted = held - w[k];
        residual = larger(residual, magnitude(held - KEPT));
    }
"""

UNMET_CONES = """\
    for (int k = FROM; k < TO; k += 3) {
        const number *n = normal + k, *y = x + k, *v = w + k;
        const number pressed = n[0] * y[0] + n[1] * y[1] + n[2] * y[2];
        const number closing = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
        number held[3], onward[3], square = splat(0.0), off = splat(0.0);
        for (int i = 0; i < 3; ++i) {
            held[i] = across[k] * (y[i] - n[i] * pressed);
            onward[i] = held[i] - (v[i] - n[i] * closing);
            square += onward[i] * onward[i];
        }
        const number size = sqrt_lanes(square), limit = across[k] * bound[k] * pressed, beyond = less(limit, size);
        const number share = choose(beyond, limit / choose(beyond, size, splat(1.0)), splat(1.0));
        for (int i = 0; i < 3; ++i) {
            const number missed = held[i] - onward[i] * share;
            off += missed * missed;
        }
        const number unmet = larger(magnitude(lesser(closing, way[k] * pressed)), sqrt_lanes(off));
        residual = larger(residual, unmet);
    }
"""

KEPT = {"one_sided": "larger(wanted, splat(0.0))", "box": "larger(lesser(wanted, LIMIT), -LIMIT)"}


def _body(call: Call, form: Form) -> str:
    """Blocks of one kind that follow each other are a loop."""
    sweeps, *numbers = call.pattern
    kinds = [KINDS[number] for number in numbers]
    step = "step" if form == "straight" and call.size**2 * sweeps > UNROLLED else "sweep"
    text = "".join(
        [
            CONES * ("cone" in kinds),
            BOUND * ({"cone", "box"} & {*kinds} != set()),
            START,
            *_written(kinds, PREPARE_CONES, PREPARE_ROWS),
            "\n    /* block after block, the others standing still */\n",
            f"    for (int {step} = 0; {step} < {sweeps}; ++{step}) {{\n",
            *map(indented, _written(kinds, SWEEP_CONES, SWEEP_ROWS, "bound[k]")),
            "    }\n\n    /* how far from a solution */\n    number residual = splat(0.0);\n",
            *_written(kinds, UNMET_CONES, UNMET_ROWS, "(way[k] * bound[k])"),
            "    x[M] = residual;\n",
        ]
    )
    return text.replace("TURNS", str(TURNS))


def _written(kinds: list[str], cones: str, rows: str, limit: str = "") -> Iterator[str]:
    """The loops of runs of a kind, which starts and ends at these rows."""
    start = 0
    for kind, run in groupby(kinds):
        end = start + len([*run]) * (3 if kind == "cone" else 1)
        text = cones if kind == "cone" else rows.replace("KEPT", KEPT[kind].replace("LIMIT", limit))
        yield text.replace("FROM", str(start)).replace("TO", str(end))
        start = end


register(
    KernelText(
        "cone_solve",
        _body,
        data("cone_solve.m"),
        data("cone_solve.mac"),
        {
            "double": {"GIVES_WAY": GIVES_WAY, "PROXIMAL": PROXIMAL, "SURE": SURE},
            "single": {"GIVES_WAY": 1e-11, "PROXIMAL": 1e-4, "SURE": SURE},
        },
        chooses=True,
    )
)
