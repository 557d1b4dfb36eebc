"""The box active set of program/kernels/box.py, box_basis.py and box_meet.py in C, one text for
one number and for lanes.

M rows in all: B motors, contacts and the rows of tasks, T together. Matrices stand column by column, so that loops run
along rows. Columns belong to contacts, then to levels, then to P: `ends` differ from lane to lane, and what is beyond a
lane's own is multiplied by 0. Rows that are read in part are 3 longer, lest compilers warn. box_solve.py puts it
together.
"""

START = """\
    enum { J = K * B };
    number y[B], side[B], fixed[B], barred[B], freed[B], loose[B], go[B], up[B], ratio[B], pending[B], unheld[B];
    number slope[B], shifted[B], missed[T], bulk[T], strengths[T], aims[B], z[B + 3], pull[B], size[B];
    number back[B + 3], along[B], member[B], left[J], inverse[J], force[J], rough[J];
    number own[J * B + 3], part[J * B + 3], taken[J * B + 3];
    int used[B], waits[B], active[J], count = 0, measured = 0;
    number changes = splat(0), rounds = splat(0), ended = splat(0), proven = splat(0);
    for (int i = 0; i < B; ++i) {
        const number above = less(splat(0), a[i * Q + B + 1]), below = less(a[i * Q + B], splat(0));
        y[i] = freed[i] = member[i] = splat(0);
        side[i] = splat(1) - above - above * (splat(1) - below);
        fixed[i] = barred[i] = splat(1) - less(a[i * Q + B], a[i * Q + B + 1]);
    }
"""

MEET = """\
    /* how far each coordinate would go from here; where none has moved since the last time, that is known */
    if (!measured) {
        MISSING
    }
    measured = 0;
    for (int c = 0; c < B; ++c) aims[c] = z[c] = splat(0);
    for (int k = 0; k < K - 1; ++k)
        for (int c = least_of(from[k]); c < most_of(to[k]); ++c)
            aims[c] += inside(c, from[k], to[k]) *
                       (k < K - 2 ? inner(rows + c * N + stops[k], missed + stops[k], stops[k + 1] - stops[k])
                                  : splat(0) - inner(entries + c * N, slope, B));

    /* bound entries in the order in which they came: what was done for those before the first change stands */
    int keep = 0, listed = 0;
    while (keep < count && everywhere(less(magnitude(member[keep] - magnitude(side[used[keep]])), splat(0.5)))) ++keep;
    for (int i = 0; i < B; ++i) waits[i] = !everywhere(splat(1) - magnitude(side[i]));
    for (int r = 0; r < count; ++r) {
        if (waits[used[r]]) used[listed++] = used[r];
        waits[used[r]] = 0;
    }
    for (int i = 0; i < B; ++i)
        if (waits[i]) used[listed++] = i;
    count = listed;

    /* what is cheapest meets them: each less what those before it have in a level, once more now that little is left */
    for (int r = keep; r < count; ++r) {
        number alive = magnitude(side[used[r]]), loss = alone[used[r]];
        member[r] = alive;
        for (int c = 0; c < B; ++c) v[c] = entries[c * N + used[r]];
        for (int t = 0; t < r * K; ++t) taken[t * B + r] = splat(0);
        for (int k = K - 1; k >= 0; --k) {
            const int start = least_of(from[k]), width = most_of(to[k]) - start, turn = r * K + k;
            number there = splat(0);
            active[turn] = 0;
            if (everywhere(splat(1) - alive)) continue;
            for (int again = 0; again < 2; ++again)
                for (int t = k; t < turn; t += K) {
                    if (!active[t]) continue;
                    const number common = alive * inverse[t] * inner(v + start, part + t * B + start, width);
                    for (int c = 0; c < B; ++c) v[c] -= common * own[t * B + c];
                    taken[t * B + r] += common;
                    loss += magnitude(common) * rough[t];
                }
            for (int c = start; c < start + width && !everywhere(there); ++c) {
                const number distinct = less(splat(DISTINCT) * loss * scale[c], magnitude(v[c]));
                there = peak(there, alive * inside(c, from[k], to[k]) * distinct);
            }
            if (everywhere(splat(1) - there)) continue;
            active[turn] = 1;
            for (int c = 0; c < B; ++c) {
                own[turn * B + c] = v[c];
                part[turn * B + c] = there * inside(c, from[k], to[k]) * v[c];
                taken[turn * B + c] = splat(0);
            }
            const number whole = inner(part + turn * B + start, part + turn * B + start, width);
            inverse[turn] = there / choose(there, whole, splat(1));
            rough[turn] = loss;
            alive *= splat(1) - there;
        }
    }

    /* from the first level on what that takes; once more, now that little is left of it */
    for (int k = 0; k < K; ++k) {
        const int start = least_of(from[k]), width = most_of(to[k]) - start;
        for (int t = k; t < count * K; t += K) {
            if (active[t]) left[t] = splat(0) - inner(own + t * B, z, B);
            force[t] = splat(0);
        }
        for (int c = start; c < start + width; ++c) z[c] += inside(c, from[k], to[k]) * aims[c];
        for (int again = 0; again < 2; ++again)
            for (int t = k; t < count * K; t += K) {
                if (!active[t]) continue;
                const number more = inverse[t] * (left[t] - inner(part + t * B + start, z + start, width));
                force[t] += more;
                for (int c = start; c < start + width; ++c) z[c] += more * part[t * B + c];
            }
    }
    for (int i = 0; i < B; ++i) go[i] = splat(0);
    for (int c = 0; c < B; ++c)
        for (int i = 0; i < B; ++i) go[i] += entries[c * N + i] * z[c];
"""

MISSING = """\
    for (int i = 0; i < B; ++i) shifted[i] = y[i] + a[i * Q + B + 2];
    for (int i = 0; i < B; ++i) slope[i] = inner(p + i * B, shifted, B);
    for (int i = stops[0]; i < T; ++i) missed[i] = a[(B + i) * Q + B] - inner(given + i * B, y, B);
"""

ADVANCE = """\
    /* towards it, up to the first bound */
    const number going = splat(1) - ended;
    number length_of = splat(1);
    for (int i = 0; i < B; ++i) {
        go[i] = choose(side[i], splat(0), go[i]);
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

PULLS = """\
    /* how each level would have the entries move once levels before it have theirs, from the rows as they are given */
    MISSING
    measured = 1;
    for (int i = 0; i < B; ++i) z[i] = magnitude(y[i]) + magnitude(a[i * Q + B + 2]);
    for (int i = stops[0]; i < T; ++i) {
        for (int c = 0; c < B; ++c) along[c] = magnitude(given[i * B + c]);
        bulk[i] = magnitude(a[(B + i) * Q + B]) + inner(along, z, B);
    }
    const number allowed = going * (splat(1) - blocked);
    number found = splat(0), wrong = splat(0);
    for (int i = 0; i < B; ++i) {
        pending[i] = magnitude(side[i]) * (splat(1) - barred[i]);
        unheld[i] = magnitude(side[i]) * (splat(1) - fixed[i]);
        loose[i] = splat(0);
    }
    for (int k = 0; k < K - 1; ++k) {
        number blur = splat(0);
        for (int i = 0; i < B; ++i) pull[i] = size[i] = splat(0);
        for (int i = stops[k]; k < K - 2 && i < stops[k + 1]; ++i) {
            for (int c = 0; c < B; ++c) {
                pull[c] += given[i * B + c] * missed[i];
                size[c] += magnitude(given[i * B + c]) * bulk[i];
            }
            blur += span[i] * magnitude(missed[i]);
        }
        for (int i = 0; k == K - 2 && i < B; ++i) {
            pull[i] = splat(0) - slope[i];
            for (int c = 0; c < B; ++c) size[c] += magnitude(p[i * B + c]) * z[i];
            blur += alone[i] * magnitude(shifted[i]);
        }
        /* what levels before it hold, so that only bound entries are pulled */
        for (int i = 0; i < B; ++i) back[i] = splat(0);
        for (int j = k; j < K; ++j)
            for (int r = count - 1; r >= 0; --r) {
                const int t = r * K + j;
                if (!active[t]) continue;
                const number own_pull = j == k ? splat(0) - force[t] : splat(0);
                back[r] = choose(inverse[t], own_pull - inner(taken + t * B, back, count), back[r]);
            }
        for (int i = 0; i < B; ++i) go[i] = splat(0) - pull[i];
        for (int r = 0; r < count; ++r) go[used[r]] += back[r];
        for (int j = 0; j < k; ++j) {
            for (int i = stops[j]; i < stops[j + 1]; ++i) strengths[i] = splat(0);
            for (int c = least_of(from[j]); c < most_of(to[j]); ++c) {
                const number strength = inside(c, from[j], to[j]) * inner(entries + c * N, go, B);
                for (int i = stops[j]; i < stops[j + 1]; ++i) strengths[i] += strength * rows[c * N + i];
            }
            for (int i = stops[j]; i < stops[j + 1]; ++i) {
                for (int c = 0; c < B; ++c) {
                    pull[c] += given[i * B + c] * strengths[i];
                    size[c] += magnitude(given[i * B + c] * strengths[i]);
                }
                blur += span[i] * magnitude(strengths[i]);
            }
        }
        for (int i = 0; i < B; ++i) size[i] += splat(FAINT) * alone[i] * blur;
LEVEL    }
"""

LET_GO = """\

    /* who would rather come back: the first level that is not indifferent counts; and whether the best is proven */
    number most = splat(TIGHT), worst = splat(0), all = splat(0);
    for (int i = 0; i < B; ++i) {
        const number share_of = pull[i] / choose(less(splat(0), size[i]), size[i], splat(1));
        const number back_from = unheld[i] * (splat(0) - side[i] * pull[i]);
        along[i] = pending[i] * (splat(0) - side[i] * share_of);
        most = peak(most, along[i]);
        worst = peak(worst, peak(back_from, (splat(1) - magnitude(side[i])) * magnitude(pull[i])) / alone[i]);
        all = peak(all, size[i] / alone[i]);
    }
    wrong = peak(wrong, less(splat(DOUBT) * all, worst));
    const number wanted = allowed * less(splat(TIGHT), most) * (splat(1) - found);
    for (int i = 0; i < B; ++i) {
        const number outward = side[i] * pull[i], none = splat(1) - less(splat(TIGHT) * size[i], magnitude(pull[i]));
        const number held = unheld[i] * less(splat(TIGHT) * size[i], outward);
        if (k < K - 2) wrong = peak(wrong, held * less(splat(HOLD) * outward / alone[i], worst));
        loose[i] = peak(loose[i], wanted * (splat(1) - less(along[i], most)));
        pending[i] *= none;
        unheld[i] *= none;
    }
    found = peak(found, wanted);
    /* who is let go leaves nothing to be proven */
    if (everywhere(peak(found, splat(1) - allowed))) break;
"""

END = """\
    const number calm = allowed * (splat(1) - found);
    proven = choose(going, calm * (splat(1) - wrong), proven);
    changes += going * (splat(1) - calm);
    rounds += calm;
    ended = peak(ended, peak(proven, less(splat(ROUNDS - 0.5), rounds)));
    for (int i = 0; i < B; ++i) {
        side[i] *= splat(1) - loose[i];
        freed[i] = peak(freed[i], loose[i]);
    }
    if (everywhere(ended)) break;
"""

ANSWER = """\
    for (int i = 0; i < M; ++i) x[i] = x[M + i] = splat(0);
    for (int i = 0; i < B; ++i) {
        x[i] = y[i];
        x[M + i] = side[i] * (splat(1) - fixed[i]) + splat(0);
    }
    x[2 * M] = choose(proven, changes, splat(STEPS));
"""
