"""cone_solve in C, MATLAB and Maxima. The matrix is symmetric: where an impulse acts along a row, all rows move by that
row of it, entries side by side.
"""

from collections.abc import Iterator
from itertools import groupby

from motionc.program.kernels import Call
from motionc.program.kernels.cone_solve import GIVES_WAY, KINDS, PROXIMAL, SURE
from motionc.targets.kernels.text import Form, KernelText, data, indented, register

STRAIGHT = """\
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
__attribute__((optimize("O3")))
#endif"""
"""Loops over three rows are written out, whatever effort the rest is worth, as long as anything is."""
UNROLLED = 2000
"""Products with the matrix up to which a GPU keeps it in registers, its loops unrolled."""

START = """\
    const number *compliance = r + 4 * M;
    number w[M], y[M], way[M], inverse[M], gives[M], largest = splat(0.01);
    for (int i = 0; i < M; ++i) {
        y[i] = r[M + i];
        way[i] = a[i * M + i] + compliance[i];
        largest = larger(largest, way[i]);
        w[i] = r[i] + compliance[i] * y[i];
    }
    for (int k = 0; k < M; ++k)
        for (int i = 0; i < M; ++i) w[i] += a[k * M + i] * y[k];
    const number nothing = splat(GIVES_WAY) * largest;
"""

BOUND = """\
    const number *bound = r + 3 * M;
"""

CONES = """\
    number axes[3 * M], along[M], whole[3 * M], across[M], across_inverse[M], sure[M];
"""

PREPARE_ROWS = """\
    for (int k = FROM; k < TO; ++k) {
        gives[k] = less(nothing, way[k]);
        inverse[k] = gives[k] / choose(gives[k], way[k], splat(1.0));
    }
"""

PREPARE_CONES = """\
    for (int k = FROM; k < TO; k += 3) {
        /* axes of its own, the first along its normal; its block and its impulse there */
        const number *n = r + 2 * M + k;
        number *q = axes + 3 * k, *h = whole + 3 * k, half[9], d[9], start[3];
        const number side = choose(less(n[2], splat(0.0)), splat(-1.0), splat(1.0));
        const number tilt = splat(-1.0) / (side + n[2]), both = n[0] * n[1] * tilt;
        for (int i = 0; i < 3; ++i) q[i] = n[i];
        q[3] = splat(1.0) + side * n[0] * n[0] * tilt;
        q[4] = side * both;
        q[5] = -side * n[0];
        q[6] = both;
        q[7] = side + n[1] * n[1] * tilt;
        q[8] = -n[1];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                half[3 * i + j] = compliance[k + j] * q[3 * i + j];
                for (int l = 0; l < 3; ++l) half[3 * i + j] += a[(k + j) * M + k + l] * q[3 * i + l];
            }
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j)
                d[3 * i + j] = half[3 * i] * q[3 * j] + half[3 * i + 1] * q[3 * j + 1] + half[3 * i + 2] * q[3 * j + 2];
            start[i] = q[3 * i] * y[k] + q[3 * i + 1] * y[k + 1] + q[3 * i + 2] * y[k + 2];
        }
        for (int i = 0; i < 3; ++i) {
            y[k + i] = start[i];
            along[k + i] = d[i];
        }
        gives[k] = less(nothing, d[0]);
        inverse[k] = gives[k] / choose(gives[k], d[0], splat(1.0));

        /* the inverse of its block, a little of the identity added */
        const number more = splat(PROXIMAL) * choose(gives[k], d[0] + d[4] + d[8], splat(1.0));
        const number first = splat(1.0) / (d[0] + more), one = d[1] * first, two = d[2] * first;
        const number second = splat(1.0) / larger(d[4] + more - d[1] * one, more);
        const number rest = d[5] - d[1] * two, three = rest * second;
        const number third = splat(1.0) / larger(d[8] + more - d[2] * two - rest * three, more);
        h[8] = third;
        h[5] = h[7] = -three * third;
        h[4] = second + three * three * third;
        h[2] = h[6] = (one * three - two) * third;
        h[1] = h[3] = -one * second - three * h[2];
        h[0] = first - one * h[1] - two * h[2];

        /* how it gives way across, at most; whether friction cannot take back how it gives way */
        const number apart = d[4] - d[8], corner = d[5] + d[5];
        across[k] = splat(0.5) * (d[4] + d[8] + sqrt_lanes(apart * apart + corner * corner));
        const number slips = less(nothing, across[k]);
        across_inverse[k] = slips / choose(slips, across[k], splat(1.0));
        const number back = splat(SURE * SURE) * bound[k] * bound[k] * (d[1] * d[1] + d[2] * d[2]);
        sure[k] = gives[k] * less(back, d[0] * d[0]);
    }
"""

SWEEP_ROWS = """\
    for (int k = FROM; k < TO; ++k) {
        const number wanted = (way[k] * y[k] - w[k]) * inverse[k];
        const number after = KEPT, change = after - y[k];
        y[k] = after;
        w[k] += compliance[k] * change;
        for (int i = 0; i < M; ++i) w[i] += a[k * M + i] * change;
    }
"""

SWEEP_CONES = """\
    for (int k = FROM; k < TO; k += 3) {
        const number *q = axes + 3 * k, *d = along + k, *h = whole + 3 * k;
        number u[3], stick[3], moved[3];
        for (int i = 0; i < 3; ++i) u[i] = q[3 * i] * w[k] + q[3 * i + 1] * w[k + 1] + q[3 * i + 2] * w[k + 2];

        /* the impulse that lets it stick, if the cone has it */
        for (int i = 0; i < 3; ++i)
            stick[i] = y[k + i] - (h[3 * i] * u[0] + h[3 * i + 1] * u[1] + h[3 * i + 2] * u[2]);
        const number limit = bound[k] * larger(stick[0], splat(0.0));
        const number beyond = less(limit * limit, stick[1] * stick[1] + stick[2] * stick[2]);
        const number sticks = sure[k] * choose(beyond, splat(0.0), less(splat(0.0), stick[0]));

        /* the normal impulse of one that is not sure goes first, by itself, no further than with friction as it is */
        const number own = d[0] * y[k], raised = own + d[1] * y[k + 1] + d[2] * y[k + 2];
        const number presses = gives[k] * less(splat(0.0), own);
        const number eased = choose(presses, y[k], inverse[k]) / choose(presses, larger(own, raised), splat(1.0));
        const number alone = larger(y[k] - u[0] * eased, splat(0.0)) - y[k];
        const number lift = choose(sure[k], splat(0.0), alone), pressed = y[k] + lift;
        const number released = raised - u[0];

        /* opposite to how it slides; the normal impulse of others with what friction there takes back */
        const number left = y[k + 1] - (u[1] + d[1] * lift) * across_inverse[k];
        const number ahead = y[k + 2] - (u[2] + d[2] * lift) * across_inverse[k];
        const number length = sqrt_lanes(left * left + ahead * ahead);
        const number size = choose(less(splat(0.0), length), length, splat(1.0));
        const number leaning = d[0] * size + bound[k] * (d[1] * left + d[2] * ahead);
        const number all = choose(sure[k], released, pressed) / choose(sure[k], leaning, size);
        const number ratio = gives[k] * larger(all, splat(0.0)), rim = bound[k] * ratio;
        const number share = choose(sure[k], rim, lesser(rim, splat(1.0)));
        const number slide[3] = {ratio * size, share * left, share * ahead};
        for (int i = 0; i < 3; ++i) {
            const number after = choose(sticks, stick[i], slide[i]);
            moved[i] = after - y[k + i];
            y[k + i] = after;
        }
        for (int j = 0; j < 3; ++j) {
            const number change = q[j] * moved[0] + q[3 + j] * moved[1] + q[6 + j] * moved[2];
            w[k + j] += compliance[k + j] * change;
            u[j] = change;
        }
        const number *row = a + k * M;
        for (int i = 0; i < M; ++i) w[i] += row[i] * u[0] + row[M + i] * u[1] + row[2 * M + i] * u[2];
    }
"""

UNMET_ROWS = """\
    for (int k = FROM; k < TO; ++k) {
        const number held = way[k] * y[k], wanted = held - w[k];
        residual = larger(residual, magnitude(held - KEPT));
        x[k] = y[k];
    }
"""

UNMET_CONES = """\
    for (int k = FROM; k < TO; k += 3) {
        const number *q = axes + 3 * k;
        number u[3], held[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = q[3 * i] * w[k] + q[3 * i + 1] * w[k + 1] + q[3 * i + 2] * w[k + 2];
            held[i] = across[k] * y[k + i];
            x[k + i] = q[i] * y[k] + q[3 + i] * y[k + 1] + q[6 + i] * y[k + 2];
        }
        const number normal = magnitude(lesser(u[0], along[k] * y[k]));
        const number left = held[1] - u[1], ahead = held[2] - u[2], size = sqrt_lanes(left * left + ahead * ahead);
        const number limit = across[k] * bound[k] * y[k], beyond = less(limit, size);
        const number share = choose(beyond, limit / choose(beyond, size, splat(1.0)), splat(1.0));
        held[1] -= left * share;
        held[2] -= ahead * share;
        const number off = sqrt_lanes(held[1] * held[1] + held[2] * held[2]);
        residual = larger(residual, larger(normal, off));
    }
"""

KEPT = {"one_sided": "larger(wanted, splat(0.0))", "box": "larger(lesser(wanted, LIMIT), -LIMIT)"}


def _body(call: Call, form: Form) -> str:
    """Blocks of one kind that follow each other are a loop."""
    sweeps, *numbers = call.pattern
    kinds = [KINDS[number] for number in numbers]
    step = "step" if form == "thread" and call.size**2 * sweeps > UNROLLED else "sweep"
    return "".join(
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
        before=STRAIGHT,
    )
)
