"""The box active set of program/kernels/box.py in C, one text for one number and for lanes: no index depends on the
numbers. box_solve.py puts it together.

M rows in all: B motors, contacts up to R, then L rows of tasks.
"""

ELIMINATE = """\
    /* contacts give way to nothing, the most independent first; one that depends on others changes nothing */
    number rest[M * M], across[M], ready[M];
    for (int i = 0; i < M * M; ++i) rest[i] = a[i];
    for (int i = 0; i < M; ++i) ready[i] = splat(1);
    for (int turn = B; turn < R; ++turn) {
        number best = splat(-1);
        place row = spot(B);
        for (int j = B; j < R; ++j) {
            const number own = choose(less(splat(0), a[j * M + j]), a[j * M + j], splat(1));
            const number share = choose(ready[j], rest[j * M + j] / own, splat(-1));
            row = choose_spot(less(best, share), spot(j), row);
            best = choose(less(best, share), share, best);
        }
        put(ready, M, row, splat(0));
        for (int i = 0; i < M; ++i) across[i] = at(rest + i * M, M, row);
        const number kept = less(splat(RANK_TOLERANCE), best);
        const number pivot = kept / choose(kept, at(across, M, row), splat(1));
        for (int i = 0; i < M; ++i) {
            const number scaled = across[i] * pivot;
            for (int k = 0; k < M; ++k) rest[i * M + k] -= scaled * across[k];
        }
    }
    const number *const c = rest + R * M;
    /* what each does alone; a row that only rounding moves is moved by nothing */
    number alone[B], span[L], largest = splat(0.01);
    for (int i = 0; i < B; ++i) alone[i] = sqrt_lanes(larger(splat(0), a[i * M + i]));
    for (int j = 0; j < L; ++j) span[j] = sqrt_lanes(larger(splat(0), a[(R + j) * M + R + j]));
    NOTHINGS
"""

START = """\
    number y[B], center[B], side[B], fixed[B], barred[B], freed[B], loose[B], open[B], go[B], slope[B], up[B], ratio[B];
    number h[B * B], lower[B * B], scaled[B * B], inverse[B], pull[B], size[B], pending[B];
    number replies[L * B], coupling[L * L], missing[L], force[L + 2], reached[L], bulk[L];
    number pulls[K * B], sizes[K * B];
    number changes = splat(0), rounds = splat(0), calm = splat(1);
    for (int i = 0; i < B; ++i) {
        const number above = less(splat(0), r[W * i + 1]), below = less(r[W * i], splat(0));
        y[i] = center[i] = freed[i] = splat(0);
        side[i] = splat(1) - above - above * (splat(1) - below);
        fixed[i] = barred[i] = splat(1) - less(r[W * i], r[W * i + 1]);
    }
"""

SLOPE = """\
    for (int i = 0; i < B; ++i) {
        slope[i] = ease[i] * (y[i] - center[i]);
        for (int k = 0; k < B; ++k) slope[i] += rest[i * M + k] * (y[k] + r[W * k + 2]);
    }
"""

TOWARDS = """\
    /* the best of the free entries */
    for (int i = 0; i < B; ++i) open[i] = splat(1) - magnitude(side[i]);
    for (int i = 0; i < B; ++i) {
        for (int k = 0; k < B; ++k) h[i * B + k] = rest[i * M + k] * (open[i] * open[k]);
        h[i * B + i] += ease[i] * open[i] + (splat(1) - open[i]);
    }
    FACTOR_H
    SLOPE
    for (int i = 0; i < B; ++i) go[i] = splat(0) - slope[i] * open[i];
    SOLVE_GO
    for (int j = 0; j < L; ++j) {
        number *const w = replies + j * B;
        for (int i = 0; i < B; ++i) w[i] = c[j * M + i] * open[i];
        SOLVE_W
    }
    for (int j = 0; j < L; ++j) {
        for (int k = j; k < L; ++k) {
            number total = splat(0);
            for (int i = 0; i < B; ++i) total += c[j * M + i] * replies[k * B + i];
            coupling[j * L + k] = total;
            coupling[k * L + j] = total;
        }
        missing[j] = r[W * (R + j)];
        for (int i = 0; i < B; ++i) missing[j] -= c[j * M + i] * (y[i] + go[i]);
        reached[j] = less(splat(RANK_TOLERANCE) * a[(R + j) * M + R + j], coupling[j * L + j]);
    }
    for (int j = 0; j < L; ++j)
        for (int k = 0; k < L; ++k) coupling[j * L + k] *= reached[j] * reached[k];
    RANGE_SOLVE(coupling, missing, force);
    for (int j = 0; j < L; ++j)
        for (int i = 0; i < B; ++i) go[i] += replies[j * B + i] * force[j];
"""

ADVANCE = """\
    /* up to the first bound */
    number length = splat(1);
    for (int i = 0; i < B; ++i) {
        up[i] = less(splat(0), go[i]);
        const number moves = open[i] * larger(up[i], less(go[i], splat(0)));
        const number room = choose(up[i], r[W * i + 1], r[W * i]) - y[i];
        ratio[i] = choose(moves, room / choose(moves, go[i], splat(1)), splat(2));
        length = lesser(length, ratio[i]);
    }
    const number blocked = less(length, splat(1));
    number far = splat(0), whole = splat(0);
    for (int i = 0; i < B; ++i) {
        far = larger(far, magnitude(length * go[i]));
        whole = larger(whole, magnitude(y[i]) + magnitude(r[W * i + 2]));
    }
    const number moved = less(splat(STUCK) * whole, far);
    for (int i = 0; i < B; ++i) {
        const number hit = going * blocked * (splat(1) - less(length, ratio[i]));
        y[i] = choose(hit, choose(up[i], r[W * i + 1], r[W * i]), y[i] + going * length * go[i]);
        side[i] = choose(hit, splat(2) * up[i] - splat(1), side[i]);
        barred[i] = choose(moved, fixed[i], larger(barred[i], hit * freed[i]));
        freed[i] *= splat(1) - moved;
    }
"""

PENDING = """\
    /* who would rather come back: what counts is the first level that is not indifferent */
    const number allowed = going * (splat(1) - blocked);
    number found = splat(0);
    for (int i = 0; i < B; ++i) {
        pending[i] = magnitude(side[i]) * (splat(1) - barred[i]);
        loose[i] = splat(0);
    }
    for (int j = 0; j < L; ++j) {
        missing[j] = r[W * (R + j)];
        bulk[j] = magnitude(missing[j]);
        for (int i = 0; i < B; ++i) {
            missing[j] -= c[j * M + i] * y[i];
            bulk[j] += magnitude(c[j * M + i]) * (magnitude(y[i]) + magnitude(r[W * i + 2]));
        }
    }
"""

LEVEL = """\
    number blur = splat(0);
    for (int j = S; j < E; ++j) blur += span[j] * magnitude(missing[j]);
    for (int i = 0; i < B; ++i) {
        pull[i] = splat(0);
        size[i] = splat(FAINT) * alone[i] * blur;
        for (int j = S; j < E; ++j) {
            pull[i] += c[j * M + i] * missing[j];
            size[i] += magnitude(c[j * M + i]) * bulk[j];
        }
    }
"""

BEHIND = """\
    number reply[B], lead[S * S], back[S], held[S + 2];
    for (int i = 0; i < B; ++i) reply[i] = pull[i] * open[i];
    SOLVE_REPLY
    for (int j = 0; j < S; ++j) {
        for (int k = 0; k < S; ++k) lead[j * S + k] = coupling[j * L + k];
        back[j] = splat(0);
        for (int i = 0; i < B; ++i) back[j] -= c[j * M + i] * reply[i];
    }
    RANGE_SOLVE(lead, back, held);
    for (int j = 0; j < S; ++j)
        for (int i = 0; i < B; ++i) {
            pull[i] += c[j * M + i] * held[j];
            size[i] += magnitude(c[j * M + i]) * magnitude(held[j]);
        }
    blur = splat(0);
    for (int j = 0; j < S; ++j) blur += span[j] * magnitude(held[j]);
    for (int i = 0; i < B; ++i) size[i] += splat(FAINT) * alone[i] * blur;
"""

LAST = """\
    SLOPE
    number blur = splat(0);
    for (int k = 0; k < B; ++k) blur += alone[k] * magnitude(y[k] + r[W * k + 2]);
    for (int j = 0; j < L; ++j) blur += span[j] * magnitude(force[j]);
    for (int i = 0; i < B; ++i) {
        pull[i] = splat(0) - slope[i];
        size[i] = splat(FAINT) * alone[i] * blur;
        for (int k = 0; k < B; ++k) size[i] += magnitude(rest[i * M + k] * (y[k] + r[W * k + 2]));
        for (int j = 0; j < L; ++j) {
            pull[i] += c[j * M + i] * force[j];
            size[i] += magnitude(c[j * M + i]) * magnitude(force[j]);
        }
    }
"""

LET_GO = """\
    number most = splat(TIGHT);
    for (int i = 0; i < B; ++i) {
        pulls[T * B + i] = pull[i];
        sizes[T * B + i] = size[i];
        pull[i] = pull[i] / choose(less(splat(0), size[i]), size[i], splat(1));
        size[i] = splat(0) - pending[i] * (side[i] * pull[i]);
        most = larger(most, size[i]);
    }
    const number wanted = allowed * less(splat(TIGHT), most);
    for (int i = 0; i < B; ++i) {
        loose[i] = larger(loose[i], wanted * (splat(1) - found) * (splat(1) - less(size[i], most)));
        found = larger(found, loose[i]);
        pending[i] *= splat(1) - less(splat(TIGHT), magnitude(pull[i]));
    }
"""

COUNT = """\
    calm = choose(going, (splat(1) - blocked) * (splat(1) - found), calm);
    changes += going * (splat(1) - calm);
    rounds += going * calm;
    for (int i = 0; i < B; ++i) {
        side[i] *= splat(1) - loose[i];
        freed[i] = larger(freed[i], loose[i]);
        center[i] = choose(calm, y[i], center[i]);
    }
"""

PROVEN = """\
    /* no level pulls at a free entry, or one back from its bound that no level before it holds there; or it does, a
       little, and much less than at any entry that it holds */
    number doubt = splat(0);
    for (int i = 0; i < B; ++i) pending[i] = magnitude(side[i]) * (splat(1) - fixed[i]);
    for (int t = 0; t < K; ++t) {
        const number *const drawn = pulls + t * B, *const parts = sizes + t * B;
        number worst = splat(0), whole = splat(0);
        for (int i = 0; i < B; ++i) {
            const number own = a[i * M + i], back = splat(0) - pending[i] * (side[i] * drawn[i]);
            const number wrong = larger(back, (splat(1) - magnitude(side[i])) * magnitude(drawn[i]));
            worst = larger(worst, wrong * wrong / own);
            whole = larger(whole, parts[i] * parts[i] / own);
        }
        doubt = larger(doubt, less(splat(LIMIT * LIMIT) * whole, worst));
        for (int i = 0; i < B; ++i) {
            const number held = pending[i] * less(splat(TIGHT) * parts[i], side[i] * drawn[i]);
            const number weak = less(splat(SHARE * SHARE) * (drawn[i] * drawn[i] / a[i * M + i]), worst);
            doubt = larger(doubt, held * weak * splat(t < K - 1));
            pending[i] *= splat(1) - less(splat(TIGHT) * parts[i], magnitude(drawn[i]));
        }
    }

"""

ANSWER = """\
    for (int i = 0; i < M; ++i) x[i] = x[M + i] = splat(0);
    for (int i = 0; i < B; ++i) {
        x[i] = y[i];
        x[M + i] = side[i] * (splat(1) - fixed[i]) + splat(0);
    }
    for (int j = 0; j < L; ++j) {
        x[R + j] = r[W * (R + j)];
        for (int i = 0; i < B; ++i) x[R + j] -= c[j * M + i] * y[i];
    }
    x[2 * M] = choose(calm * (splat(1) - doubt), changes, splat(STEPS));
"""
