"""The box active set of program/kernels/box.py and box_basis.py in C, one text for one number and for lanes.

M rows in all: B motors, contacts and the rows of tasks, T together. Matrices stand column by column, so that loops run
along rows. Columns belong to contacts, then to levels, then to P: `ends` differ from lane to lane, and what is beyond a
lane's own is multiplied by 0. box_solve.py puts it together.
"""

WHITEN = """\
    /* rows of contacts and tasks, P s, and one row an entry, all on u: P = U'U, u = U y */
    number u[B * B], rows[B * N], v[B], share[N];
    for (int c = 0; c < B; ++c) {
        v[c] = splat(0);
        for (int i = c; i < B; ++i) u[c * B + i] = a[c * Q + i];
        for (int i = 0; i < T; ++i) rows[c * N + i] = a[(B + i) * Q + c];
        rows[c * N + T] = splat(0);
        for (int i = 0; i < B; ++i) {
            rows[c * N + T] += a[i < c ? i * Q + c : c * Q + i] * a[i * Q + B + 2];
            rows[c * N + T + 1 + i] = splat(i == c);
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
    number alone[B], rest[T], bound[T], open[T], largest = splat(0.01);
    for (int i = 0; i < N; ++i) share[i] = splat(0);
    for (int c = 0; c < B; ++c)
        for (int i = 0; i < N; ++i) share[i] += rows[c * N + i] * rows[c * N + i];
    for (int i = 0; i < B; ++i) alone[i] = sqrt_lanes(share[T + 1 + i]);
    for (int i = 0; i < T; ++i) {
        bound[i] = splat(RANK_TOLERANCE) * share[i];
        rest[i] = splat(0);
        open[i] = splat(1);
    }
    NOTHINGS
    place count = spot(0), ends[K];
    for (int block = 0, start = 0; block < K - 1; start = stops[block], ++block) {
        const int stop = stops[block];
        for (int c = least_of(count); c < B; ++c) {
            const number mine = inside(c, count, spot(B));
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
            const number kept = less(splat(0), best) * inside(0, spot(0), spot(B) - count);
            if (everywhere(splat(1) - kept)) break;
            const int from = least_of(count);
            number size = splat(0);
            for (int c = from; c < B; ++c) {
                v[c] = kept * inside(c, count, spot(B)) * at(rows + c * N, T, row);
                size += v[c] * v[c];
            }
            size = sqrt_lanes(size);
            const number lead = at(v, B, count);
            put(v, B, count, choose(less(splat(0), lead), lead + size, lead - size));
            put(open, T, row, choose(kept, splat(0), at(open, T, row)));
            const number strength = kept / choose(kept, size * (magnitude(lead) + size), splat(1));
            for (int i = start; i < N; ++i) share[i] = splat(0);
            for (int c = from; c < B; ++c)
                for (int i = start; i < N; ++i) share[i] += rows[c * N + i] * v[c];
            for (int c = from; c < B; ++c) {
                const number part = strength * v[c];
                for (int i = start; i < N; ++i) rows[c * N + i] -= share[i] * part;
            }
            for (int c = from; c <= most_of(count) && c < B; ++c) {
                const number mine = kept * inside(c, count, count + spot(1));
                for (int i = start; i < stop; ++i) rest[i] -= mine * rows[c * N + i] * rows[c * N + i];
            }
            count += kept;
        }
        for (int c = least_of(count); c < B; ++c)
            for (int i = start; i < stop; ++i) rows[c * N + i] *= splat(1) - open[i] * inside(c, count, spot(B));
        ends[block] = count;
    }
    ends[K - 1] = spot(B);
"""

LEVELS = """\
    /* columns of a level orthonormal on its rows, those of levels before it and what is missing orthogonal to them */
    number best[B], bulk[B], missed[T], own[K * B], loud[K * B];
    for (int i = 0; i < B; ++i) best[i] = bulk[i] = splat(0);
    for (int i = 0; i < T; ++i) missed[i] = splat(0) - a[(B + i) * Q + B];
    for (int k = 0; k < K; ++k)
        for (int i = 0; i < B; ++i) loud[k * B + i] = alone[i];
    const number *const entries = rows + T + 1;
    for (int level = 1; level < K - 1; ++level) {
        const int start = stops[level - 1], stop = stops[level];
        number stretch = splat(0);
        for (int e = most_of(ends[level]) - 1; e >= least_of(ends[level - 1]); --e) {
            number *const axis = rows + e * N;
            const number mine = inside(e, ends[level - 1], ends[level]);
            number size = splat(0);
            for (int i = start; i < stop; ++i) size += axis[i] * axis[i];
            const number scale = mine / sqrt_lanes(choose(mine, size, splat(1)));
            stretch = peak(stretch, scale);
            for (int i = start; i < N; ++i) axis[i] *= choose(mine, scale, splat(1));
            for (int c = least_of(ends[0]); c < e; ++c) {
                number part = splat(0);
                for (int i = start; i < stop; ++i) part += axis[i] * rows[c * N + i];
                part *= mine * inside(c, ends[0], spot(B));
                for (int i = start; i < N; ++i) rows[c * N + i] -= part * axis[i];
            }
            number part = splat(0);
            for (int i = start; i < stop; ++i) part += axis[i] * missed[i];
            part *= mine;
            for (int i = start; i < T; ++i) missed[i] -= part * axis[i];
            for (int i = 0; i < B; ++i) {
                best[i] -= part * entries[e * N + i];
                bulk[i] += magnitude(part) * (magnitude(entries[e * N + i]) + splat(FAINT) * scale * alone[i]);
            }
        }
        for (int i = 0; i < B; ++i) loud[(level - 1) * B + i] = alone[i] * stretch;
    }
    for (int c = least_of(ends[K - 2]); c < B; ++c) {
        const number part = inside(c, ends[K - 2], spot(B)) * rows[c * N + T];
        for (int i = 0; i < B; ++i) {
            best[i] -= part * entries[c * N + i];
            bulk[i] += magnitude(part) * (magnitude(entries[c * N + i]) + splat(FAINT) * alone[i]);
        }
    }
    /* levels in order of priority: those of tasks, P, and what contacts take */
    place from[K], to[K];
    for (int k = 0; k < K; ++k) {
        from[k] = k < K - 1 ? ends[k] : spot(0);
        to[k] = k < K - 1 ? ends[k + 1] : ends[0];
        for (int i = 0; i < B; ++i) own[k * B + i] = splat(0);
        for (int c = least_of(from[k]); c < most_of(to[k]); ++c)
            for (int i = 0; i < B; ++i)
                own[k * B + i] += inside(c, from[k], to[k]) * entries[c * N + i] * entries[c * N + i];
        for (int i = 0; i < B; ++i) own[k * B + i] = sqrt_lanes(own[k * B + i]) + splat(LEAST) * loud[k * B + i];
    }
"""

START = """\
    enum { J = K * B };
    number y[B], side[B], fixed[B], barred[B], freed[B], loose[B], go[B], up[B], ratio[B], pending[B], unheld[B];
    number w[B * B], length[K * B], noise[K * B], left[B], parts[B], part[B], bare[B], much[B], z[B], aim[B];
    number own_rows[J * B], taken[J * B], faint[J * B], inverse[J], owed[J], spread[J], hiss[J * K], force[J], size[J];
    number pull[B + 1], weight[B + 1];
    place order[J];
    int first_turn[K + 1];
    number changes = splat(0), calm = splat(0), doubt = splat(1);
    for (int i = 0; i < B; ++i) {
        const number above = less(splat(0), a[i * Q + B + 1]), below = less(a[i * Q + B], splat(0));
        y[i] = freed[i] = splat(0);
        side[i] = splat(1) - above - above * (splat(1) - below);
        fixed[i] = barred[i] = splat(1) - less(a[i * Q + B], a[i * Q + B + 1]);
    }
"""

MEET = """\
    /* what is cheapest meets the bounds: rows of bound entries eliminated, the one that is most its own next */
    int turns = 0;
    for (int c = 0; c < B; ++c)
        for (int i = 0; i < B; ++i) w[c * B + i] = entries[c * N + i];
    for (int i = 0; i < K * B; ++i) {
        length[i] = own[i];
        noise[i] = loud[i];
    }
    for (int i = 0; i < B; ++i) {
        const number edge = choose(less(splat(0), side[i]), a[i * Q + B + 1], a[i * Q + B]);
        bare[i] = magnitude(side[i]);
        left[i] = choose(bare[i], edge, splat(0)) - best[i];
        parts[i] = choose(bare[i], magnitude(edge), splat(0)) + bulk[i];
    }
    for (int k = K - 1; k >= 0; --k) {
        const int start = least_of(from[k]), stop = most_of(to[k]);
        const int first = k == K - 1 ? 0 : least_of(ends[0]), last = k < K - 2 ? stop : B;
        number unmet = splat(0);
        first_turn[k + 1] = turns;
        for (int i = 0; i < B; ++i) {
            part[i] = splat(0);
            unmet += bare[i];
        }
        if (everywhere(less(unmet, splat(1)))) continue;
        for (int c = start; c < stop; ++c) {
            const number mine = inside(c, from[k], to[k]);
            for (int i = 0; i < B; ++i) part[i] += mine * w[c * B + i] * w[c * B + i];
        }
        for (int turn = 0; start < stop && turn < B; ++turn) {
            number most = splat(RANK_TOLERANCE), there = splat(0);
            place row = spot(0);
            for (int i = 0; i < B; ++i) much[i] = bare[i] * part[i] / (length[k * B + i] * length[k * B + i]);
            for (int i = 0; i < B; ++i) {
                const number better = less(most, much[i]);
                row = choose_spot(better, spot(i), row);
                most = choose(better, much[i], most);
                there = peak(there, better);
            }
            if (everywhere(splat(1) - there)) break;
            number *const mine = own_rows + turns * B, *const some = taken + turns * B, *const dim = faint + turns * B;
            for (int c = first; c < last; ++c) mine[c] = at(w + c * B, B, row);
            number whole = splat(0);
            for (int c = start; c < stop; ++c) {
                v[c] = inside(c, from[k], to[k]) * mine[c];
                whole += v[c] * v[c];
            }
            const number over = there / choose(there, whole, splat(1)), sharp = sqrt_lanes(over);
            put(bare, B, row, choose(there, splat(0), at(bare, B, row)));
            inverse[turns] = over;
            owed[turns] = at(left, B, row);
            spread[turns] = at(parts, B, row);
            for (int i = 0; i < B; ++i) share[i] = splat(0);
            for (int c = start; c < stop; ++c)
                for (int i = 0; i < B; ++i) share[i] += w[c * B + i] * v[c];
            for (int i = 0; i < B; ++i) {
                some[i] = bare[i] * over * share[i];
                dim[i] = bare[i] * there * (magnitude(some[i]) + splat(FAINT) * noise[k * B + i] * sharp);
                part[i] -= some[i] * share[i];
                left[i] -= some[i] * owed[turns];
                parts[i] += magnitude(some[i]) * spread[turns];
            }
            for (int c = first; c < last; ++c)
                for (int i = 0; i < B; ++i) w[c * B + i] -= some[i] * mine[c];
            for (int t = 0; t <= k; ++t) {
                const number reach = at(length + t * B, B, row), sound = at(noise + t * B, B, row);
                for (int i = 0; i < B; ++i) {
                    length[t * B + i] += magnitude(some[i]) * reach;
                    noise[t * B + i] += magnitude(some[i]) * sound;
                }
                hiss[turns * K + t] = sound;
            }
            order[turns++] = choose_spot(there, row, spot(B));
        }
    }
    first_turn[0] = turns;

    /* from the first level on what that takes */
    for (int i = 0; i < B; ++i) aim[i] = best[i];
    for (int k = 0; k < K; ++k) {
        const int start = least_of(from[k]), stop = most_of(to[k]);
        if (first_turn[k] == first_turn[k + 1]) continue;
        for (int c = 0; c < B; ++c) z[c] = splat(0);
        for (int turn = first_turn[k + 1]; turn < first_turn[k]; ++turn) {
            force[turn] = inverse[turn] * owed[turn];
            size[turn] = inverse[turn] * spread[turn];
            for (int c = start; c < stop; ++c) z[c] += own_rows[turn * B + c] * force[turn];
        }
        for (int c = start; c < stop; ++c) {
            z[c] *= inside(c, from[k], to[k]);
            for (int i = 0; i < B; ++i) aim[i] += entries[c * N + i] * z[c];
        }
        for (int turn = 0; turn < first_turn[k + 1]; ++turn) {
            for (int c = start; c < stop; ++c) {
                owed[turn] -= own_rows[turn * B + c] * z[c];
                const number rough = magnitude(own_rows[turn * B + c]) + splat(FAINT) * hiss[turn * K + k];
                spread[turn] += rough * magnitude(z[c]);
            }
        }
    }
"""

ADVANCE = """\
    /* towards it, up to the first bound */
    const number going = splat(1) - calm;
    number length_of = splat(1);
    for (int i = 0; i < B; ++i) {
        go[i] = choose(side[i], splat(0), aim[i] - y[i]);
        up[i] = less(splat(0), go[i]);
        const number moves = peak(up[i], less(go[i], splat(0)));
        const number room = choose(up[i], a[i * Q + B + 1], a[i * Q + B]) - y[i];
        ratio[i] = choose(moves, room / choose(moves, go[i], splat(1)), splat(2));
        length_of = choose(less(ratio[i], length_of), ratio[i], length_of);
    }
    const number blocked = less(length_of, splat(1));
    number far = splat(0), whole = splat(0);
    for (int i = 0; i < B; ++i) {
        far = peak(far, magnitude(length_of * go[i]));
        whole = peak(whole, magnitude(y[i]) + magnitude(a[i * Q + B + 2]));
    }
    const number moved = less(splat(STUCK) * whole, far);
    for (int i = 0; i < B; ++i) {
        const number hit = going * blocked * (splat(1) - less(length_of, ratio[i]));
        y[i] = choose(hit, choose(up[i], a[i * Q + B + 1], a[i * Q + B]), y[i] + going * length_of * go[i]);
        side[i] = choose(hit, splat(2) * up[i] - splat(1), side[i]);
        barred[i] = choose(moved, fixed[i], peak(barred[i], hit * freed[i]));
        freed[i] *= splat(1) - moved;
    }
    if (everywhere(peak(blocked, splat(1) - going))) {
        changes += going;
        continue;
    }
"""

LET_GO = """\
    /* who would rather come back: the first level that is not indifferent counts; and whether signs are right */
    const number allowed = going * (splat(1) - blocked);
    number found = splat(0), wrong = splat(0);
    for (int i = 0; i < B; ++i) {
        pending[i] = magnitude(side[i]) * (splat(1) - barred[i]);
        unheld[i] = magnitude(side[i]) * (splat(1) - fixed[i]);
        loose[i] = splat(0);
        const number off = magnitude(side[i]) * magnitude(aim[i] - y[i]);
        wrong = peak(wrong, less(splat(DOUBT) * (magnitude(y[i]) + bulk[i]), off));
    }
    for (int k = 0; k < K; ++k) {
        if (first_turn[k] == first_turn[k + 1]) continue;
        for (int i = 0; i < B; ++i) pull[i] = weight[i] = splat(0);
        for (int turn = first_turn[k] - 1; turn >= 0; --turn) {
            const number here = splat(turn >= first_turn[k + 1]);
            put(pull, B + 1, order[turn], here * force[turn] - inner(taken + turn * B, pull, B));
            put(weight, B + 1, order[turn], here * size[turn] + inner(faint + turn * B, weight, B));
        }
        number most = splat(TIGHT), worst = splat(0), all = splat(0);
        for (int i = 0; i < B; ++i) {
            worst = peak(worst, unheld[i] * side[i] * pull[i] * alone[i]);
            all = peak(all, weight[i] * alone[i]);
            pull[i] = pull[i] / choose(less(splat(0), weight[i]), weight[i], splat(1));
            weight[i] = pending[i] * (side[i] * pull[i]);
            most = peak(most, weight[i]);
        }
        wrong = peak(wrong, less(splat(DOUBT) * all, worst));
        const number wanted = allowed * less(splat(TIGHT), most);
        for (int i = 0; i < B; ++i) {
            const number held = less(splat(TIGHT), magnitude(pull[i]));
            loose[i] = peak(loose[i], wanted * (splat(1) - found) * (splat(1) - less(weight[i], most)));
            found = peak(found, loose[i]);
            pending[i] *= splat(1) - held;
            unheld[i] *= splat(1) - held;
        }
    }
    doubt = choose(going, wrong, doubt);
    calm = choose(going, (splat(1) - blocked) * (splat(1) - found), calm);
    changes += going * (splat(1) - calm);
    for (int i = 0; i < B; ++i) {
        side[i] *= splat(1) - loose[i];
        freed[i] = peak(freed[i], loose[i]);
    }
    if (everywhere(calm)) break;
"""

ANSWER = """\
    for (int i = 0; i < M; ++i) x[i] = x[M + i] = splat(0);
    for (int i = 0; i < B; ++i) {
        x[i] = y[i];
        x[M + i] = side[i] * (splat(1) - fixed[i]) + splat(0);
    }
    x[2 * M] = choose(calm * (splat(1) - doubt), changes, splat(STEPS));
"""
