"""The coordinates of program/kernels/box_basis.py in C; names are those of box_text.py."""

WHITEN = """\
    /* rows of contacts and tasks, and one row an entry, all on u: P = U'U, u = U y */
    number u[B * B], p[B * B], rows[B * N], v[B + 3], share[N];
    for (int c = 0; c < B; ++c) {
        v[c] = splat(0);
        for (int i = c; i < B; ++i) u[c * B + i] = a[c * Q + i];
        for (int i = 0; i < T; ++i) rows[c * N + i] = a[(B + i) * Q + c];
        for (int i = 0; i < B; ++i) {
            p[c * B + i] = a[i < c ? i * Q + c : c * Q + i];
            rows[c * N + T + i] = splat(i == c);
        }
    }
    for (int j = 0; j < B; ++j) {
        const number scale = splat(1) / sqrt_lanes(u[j * B + j]);
        for (int i = j; i < B; ++i) u[j * B + i] *= scale;
        for (int i = 0; i < N; ++i) rows[j * N + i] *= scale;
        for (int k = j + 1; k < B; ++k) {
            const number lower = u[j * B + k];
            for (int i = k; i < B; ++i) u[k * B + i] -= lower * u[j * B + i];
            for (int i = 0; i < N; ++i) rows[k * N + i] -= lower * rows[j * N + i];
        }
    }
"""

REFLECT = """\
    /* reflections: the largest row of each block next, along an axis of its own */
    number alone[B], span[T], rest[T], bound[T], open[T], nothing[T], largest = splat(0.01);
    for (int i = 0; i < N; ++i) share[i] = splat(0);
    for (int c = 0; c < B; ++c)
        for (int i = 0; i < N; ++i) share[i] += rows[c * N + i] * rows[c * N + i];
    for (int i = 0; i < B; ++i) alone[i] = sqrt_lanes(share[T + i]);
    for (int i = 0; i < T; ++i) {
        span[i] = sqrt_lanes(share[i]);
        rest[i] = nothing[i] = splat(0);
        open[i] = splat(1);
    }
    NOTHINGS
    for (int i = 0; i < T; ++i) bound[i] = peak(splat(RANK_TOLERANCE) * share[i], nothing[i]);
    number given[T * B];
    for (int i = stops[0]; i < T; ++i)
        for (int c = 0; c < B; ++c) given[i * B + c] = less(nothing[i], share[i]) * a[(B + i) * Q + c];
    place axes = spot(0), ends[K];
    for (int block = 0, start = 0; block < K - 1; start = stops[block], ++block) {
        const int stop = stops[block];
        for (int c = least_of(axes); c < B; ++c) {
            const number mine = inside(c, axes, spot(B));
            for (int i = start; i < stop; ++i) rest[i] += mine * rows[c * N + i] * rows[c * N + i];
        }
        for (int turn = start; turn < stop; ++turn) {
            number best = splat(-1);
            place row = spot(start);
            for (int i = start; i < stop; ++i) {
                const number other = choose(open[i], rest[i] - bound[i], splat(-1)), better = less(best, other);
                row = choose_spot(better, spot(i), row);
                best = choose(better, other, best);
            }
            const number kept = less(splat(0), best) * inside(0, spot(0), spot(B) - axes);
            if (everywhere(splat(1) - kept)) break;
            const int from = least_of(axes);
            number size = splat(0);
            for (int c = from; c < B; ++c) {
                v[c] = kept * inside(c, axes, spot(B)) * at(rows + c * N, T, row);
                size += v[c] * v[c];
            }
            size = sqrt_lanes(size);
            const number lead = at(v, B, axes);
            put(v, B, axes, choose(less(splat(0), lead), lead + size, lead - size));
            put(open, T, row, choose(kept, splat(0), at(open, T, row)));
            const number strength = kept / choose(kept, size * (magnitude(lead) + size), splat(1));
            for (int i = start; i < N; ++i) share[i] = splat(0);
            for (int c = from; c < B; ++c)
                for (int i = start; i < N; ++i) share[i] += rows[c * N + i] * v[c];
            for (int c = from; c < B; ++c) {
                const number part = strength * v[c];
                for (int i = start; i < N; ++i) rows[c * N + i] -= share[i] * part;
            }
            for (int c = from; c <= most_of(axes) && c < B; ++c) {
                const number mine = kept * inside(c, axes, axes + spot(1));
                for (int i = start; i < stop; ++i) rest[i] -= mine * rows[c * N + i] * rows[c * N + i];
            }
            axes += kept;
        }
        for (int c = least_of(axes); c < B; ++c)
            for (int i = start; i < stop; ++i) rows[c * N + i] *= splat(1) - open[i] * inside(c, axes, spot(B));
        ends[block] = axes;
    }
    ends[K - 1] = spot(B);
"""

LEVELS = """\
    /* rows and P without what contacts take */
    const number *const entries = rows + T;
    for (int e = 0; e < most_of(ends[0]); ++e) {
        const number mine = inside(e, spot(0), ends[0]);
        for (int i = 0; i < B; ++i) v[i] = mine * inner(p + i * B, entries + e * N, B);
        for (int i = stops[0]; i < T; ++i)
            for (int c = 0; c < B; ++c) given[i * B + c] -= rows[e * N + i] * v[c];
        for (int i = 0; i < B; ++i)
            for (int c = 0; c < B; ++c) p[i * B + c] -= v[i] * v[c];
    }

    /* columns of a level orthonormal on its rows, others orthogonal to them there; and how long they become */
    number scale[B];
    for (int c = 0; c < B; ++c) scale[c] = splat(1);
    for (int level = 1; level < K - 1; ++level) {
        const int start = stops[level - 1], stop = stops[level];
        for (int e = least_of(ends[level - 1]); e < most_of(ends[level]); ++e) {
            number *const axis = rows + e * N;
            const number mine = inside(e, ends[level - 1], ends[level]);
            const number size = inner(axis + start, axis + start, stop - start);
            const number grow = choose(mine, splat(1) / sqrt_lanes(choose(mine, size, splat(1))), splat(1));
            scale[e] *= grow;
            for (int i = start; i < N; ++i) axis[i] *= grow;
            for (int c = least_of(ends[0]); c < most_of(ends[level]); ++c) {
                const number other = inside(c, ends[0], ends[level - 1]) + inside(c, spot(e + 1), ends[level]);
                const number part = mine * other * inner(axis + start, rows + c * N + start, stop - start);
                scale[c] += magnitude(part) * scale[e];
                for (int i = start; i < N; ++i) rows[c * N + i] -= part * axis[i];
            }
        }
    }
    /* levels in order of priority: those of tasks, P, and what contacts take */
    place from[K], to[K];
    for (int k = 0; k < K; ++k) {
        from[k] = k < K - 1 ? ends[k] : spot(0);
        to[k] = k < K - 1 ? ends[k + 1] : ends[0];
    }
"""
