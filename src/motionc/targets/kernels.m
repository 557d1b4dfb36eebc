% The kernels of program/kernels.py and program/box.py in MATLAB. Each takes a column: the matrix row by row, then what
% stands beside it; the sizes of the blocks of rows; what counts as dependent; how many rows count at most; and the
% weights that are in the rows, none where all are 1; or, along a tree, how rows hang together, counted from 0, and the
% number of columns. Each returns a column.

function x = ldlt_solve(a, blocks, tolerance, ~, ~)
% x = A^-1 r by LDL', pivots clamped from below
    [A, r] = unpacked(a, blocks);
    [L, inverse] = ldl_factor(A, tolerance * diag(A));
    x = ldl_substitute(L, inverse, r);
end

function x = truncated_solve(a, blocks, tolerance, most, weights)
% x = A^+ r of a symmetric positive semidefinite A, the rank of A, and its condition
    [A, r] = unpacked(a, blocks);
    [x, rank, condition] = semidefinite_solve(A, r, blocks, tolerance, most, weights, true);
    x = [x; rank; condition];
end

function x = range_solve(a, blocks, tolerance, most, weights)
% some x with A x nearest to r, A symmetric positive semidefinite, the rank of A, and its condition
    [A, r] = unpacked(a, blocks);
    [x, rank, condition] = semidefinite_solve(A, r, blocks, tolerance, most, weights, false);
    x = [x; rank; condition];
end

function x = truncated_inverse(a, blocks, tolerance, most, weights)
% A^+ of a symmetric positive semidefinite A, row by row, the rank of A, and its condition:
% with A = L D L', N = L' L: A^+ = H' D^-1 H, H = L^-1 at full rank, N^-1 L' below it
    A = unpacked(a, blocks);
    m = size(A, 1);
    found = pivoted(A, blocks, tolerance, most, weights);
    if all(found.kept)
        H = eye(m);
        for i = 1:m
            H(i, :) = H(i, :) - found.L(i, 1:i-1) * H(1:i-1, :);
        end
    else
        [L, inverse] = normal_factor(found, 1, m);
        H = (found.L + eye(m))';
        for i = 1:m
            H(:, i) = ldl_substitute(L, inverse, H(:, i));
        end
    end
    x = zeros(m);
    x(found.order, found.order) = H' * (found.inverse .* H);
    x = (x + x') / 2;
    x = [x(:); sum(found.kept); found.condition];
end

function x = box_solve(a, blocks, tolerance, ~, weights)
% y in a box, C y nearest to r level after level, then (y + s)' P (y + s) least; at which bounds it is, and how many
% steps that took. Blocks: motors, contacts, then the levels. Steps go to the best of the free entries, up to the first
% bound, where that entry stays; if none is in the way, the bound entry that would rather come back is let go.
    rounds_asked = 3;
    ease = 1e-6;
    n = blocks(1); contacts = blocks(2); levels = blocks(3:end);
    first = n + contacts;
    [A, right] = unpacked(a, blocks);
    right = reshape(right, 3, []);
    rest = eliminated(A, n, first, tolerance);
    own = diag(A);
    at.P = rest(1:n, 1:n);
    squares = ones(numel(own) - first, 1);
    if ~isempty(weights), squares = weights(:) .^ 2; end
    moved = own(first+1:end) > 1e-22 * squares * max([0.01; own(first+1:end) ./ squares]);
    at.C = moved .* rest(first+1:end, 1:n);
    at.alone = sqrt(max(0, own(1:n)));
    at.span = sqrt(max(0, own(first+1:end)));
    at.own = own(first+1:end) * tolerance;
    at.ease = own(1:n) * ease * (contacts > 0);
    at.lower = right(1, 1:n)';
    at.upper = right(2, 1:n)';
    at.shift = right(3, 1:n)';
    at.wanted = right(1, first+1:end)';
    at.y = zeros(n, 1);
    at.center = zeros(n, 1);
    at.side = double(at.upper <= 0) - (at.upper > 0 & at.lower >= 0);
    at.fixed = at.upper <= at.lower;
    at.barred = at.fixed;
    at.freed = false(n, 1);

    if contacts == 0, rounds_asked = 1; end
    steps = n * (1 + numel(levels)) + 4 + rounds_asked * (contacts > 0);
    changes = 0; rounds = 0; calm = true;
    for step = 1:steps
        if rounds == rounds_asked, break; end
        [at, blocked, pulls, sizes] = box_step(at, levels, tolerance, weights);
        let = false;
        if ~blocked, [at, let] = box_let_go(at, pulls, sizes); end
        calm = ~blocked && ~let;
        if calm
            rounds = rounds + 1;
            at.center = at.y;
        else
            changes = changes + 1;
        end
    end
    if ~calm || box_doubt(at, pulls, sizes, own(1:n), contacts), changes = steps; end
    x = [at.y; zeros(contacts, 1); at.wanted - at.C * at.y; at.side .* ~at.fixed; zeros(numel(own) - n, 1); changes];
end

function x = tree_pairs(a, pattern, columns)
% P_ij = left_i right_j for all j after the first and up to the second number of row i in the pattern, else 0
    m = numel(pattern) / 2;
    left = reshape(a(1:m*columns), columns, m)';
    right = reshape(a(m*columns+1:end), m, columns)';
    x = zeros(m);
    for i = 1:m
        j = pattern(2*i-1)+1:pattern(2*i);
        x(i, j) = left(i, :) * right(:, j);
    end
    x = reshape(x', [], 1);
end

function x = tree_factor(a, parent, ~)
% L and, on its diagonal, 1/D, with A = L' D L, the last row eliminated first: L has an entry only where a row meets one
% before it on its way to the root. The lower half is read.
    m = numel(parent);
    rest = reshape(a, m, m)';
    x = zeros(m);
    for k = m:-1:1
        x(k, k) = 1 / rest(k, k);
        for i = tree_way(parent, k)
            x(k, i) = rest(k, i) * x(k, k);
            j = [i, tree_way(parent, i)];
            rest(i, j) = rest(i, j) - x(k, i) * rest(k, j);
        end
    end
    x = reshape(x', [], 1);
end

function x = tree_solve(a, parent, columns)
% X with L' D L X = R, from what tree_factor gives; R and X row by row
    m = numel(parent);
    L = reshape(a(1:m*m), m, m)';
    x = reshape(a(m*m+1:end), columns, m)';
    for k = m:-1:1
        for i = tree_way(parent, k)
            x(i, :) = x(i, :) - L(k, i) * x(k, :);
        end
    end
    for k = 1:m
        x(k, :) = x(k, :) * L(k, k);
        for i = tree_way(parent, k)
            x(k, :) = x(k, :) - L(k, i) * x(i, :);
        end
    end
    x = reshape(x', [], 1);
end

function way = tree_way(parent, k)
% the rows before row k on its way to the root
    way = zeros(1, 0);
    while parent(k) >= 0
        k = parent(k) + 1;
        way(end+1) = k;
    end
end

function [at, blocked, pulls, sizes] = box_step(at, levels, tolerance, weights)
% go towards the best of the free entries, as far as bounds let it; what pulls at each entry then, level after level
    n = numel(at.y); m = numel(at.wanted);
    free = 1 - abs(at.side);
    [L, inverse] = ldl_factor(at.P .* (free * free') + diag(at.ease .* free + (1 - free)), -Inf(n, 1));
    go = ldl_substitute(L, inverse, -box_slope(at) .* free);
    replies = zeros(n, m);
    for j = 1:m
        replies(:, j) = ldl_substitute(L, inverse, at.C(j, :)' .* free);
    end
    coupling = at.C * replies;
    coupling = triu(coupling) + triu(coupling, 1)';
    reached = diag(coupling) > at.own;
    coupling = coupling .* (reached * reached');
    force = semidefinite_solve(coupling, at.wanted - at.C * (at.y + go), levels, tolerance, n, weights, false);
    go = go + replies * force;

    % up to the first bound
    stuck = 1e-10;
    up = go > 0;
    bound = at.lower;
    bound(up) = at.upper(up);
    moves = free & go ~= 0;
    ratio = 2 * ones(n, 1);
    ratio(moves) = (bound(moves) - at.y(moves)) ./ go(moves);
    far = min([1; ratio]);
    blocked = far < 1;
    moved = max(abs(far * go)) > stuck * max(abs(at.y) + abs(at.shift));
    hits = blocked & ratio <= far;
    at.y = at.y + far * go;
    at.y(hits) = bound(hits);
    at.side(hits) = 2 * up(hits) - 1;
    if moved
        at.barred = at.fixed;
        at.freed = false(n, 1);
    else
        at.barred = at.barred | (hits & at.freed);
    end

    % how each level would have the entries move once the levels before it are satisfied
    faint = 0.1;
    pulls = zeros(n, numel(levels) + 1);
    sizes = pulls;
    left = at.wanted - at.C * at.y;
    bulk = abs(at.wanted) + abs(at.C) * (abs(at.y) + abs(at.shift));
    start = 0;
    for k = 1:numel(levels)
        rows = start + (1:levels(k));
        pull = at.C(rows, :)' * left(rows);
        bulky = abs(at.C(rows, :))' * bulk(rows) + faint * at.alone * (at.span(rows)' * abs(left(rows)));
        if k > 1
            before = 1:start;
            reply = ldl_substitute(L, inverse, pull .* free);
            own = weights(1:min(start, end));
            held = semidefinite_solve(coupling(before, before), -at.C(before, :) * reply, levels(1:k-1), tolerance, n, ...
                own, false);
            pull = pull + at.C(before, :)' * held;
            bulky = bulky + (abs(at.C(before, :))' + faint * at.alone * at.span(before)') * abs(held);
        end
        pulls(:, k) = pull;
        sizes(:, k) = bulky;
        start = start + levels(k);
    end
    pulls(:, end) = at.C' * force - box_slope(at);
    sizes(:, end) = (abs(at.P) + faint * (at.alone * at.alone')) * abs(at.y + at.shift) ...
        + (abs(at.C)' + faint * at.alone * at.span') * abs(force);
end

function slope = box_slope(at)
% how fast what is to be least grows with each entry
    slope = at.ease .* (at.y - at.center) + at.P * (at.y + at.shift);
end

function [at, found] = box_let_go(at, pulls, sizes)
% let go of the bound entry that the first level to want any back wants most; whether there was one
    tight = 1e-11;
    pending = at.side ~= 0 & ~at.barred;
    found = false;
    for k = 1:size(pulls, 2)
        bulk = sizes(:, k);
        bulk(bulk <= 0) = 1;
        share = pulls(:, k) ./ bulk;
        inward = pending .* (-at.side .* share);
        [most, loose] = max(inward);
        if most > tight
            at.side(loose) = 0;
            at.freed(loose) = true;
            found = true;
            return
        end
        pending = pending & abs(share) <= tight;
    end
end

function doubt = box_doubt(at, pulls, sizes, own, contacts)
% whether some level pulls at a free entry, or one back from its bound that no level before it holds there; it may, a
% little, and much less than at any entry that it holds
    tight = 1e-11; hold = 1e-5;
    limits = 1e-7 * ones(1, size(pulls, 2));
    if contacts > 0, limits(end) = 1e-4; hold = 1e-4; end
    pending = at.side ~= 0 & ~at.fixed;
    doubt = false;
    for k = 1:size(pulls, 2)
        pull = pulls(:, k);
        wrong = max(pending .* (-at.side .* pull), (at.side == 0) .* abs(pull));
        worst = max(wrong .^ 2 ./ own);
        doubt = doubt || worst > limits(k)^2 * max(sizes(:, k) .^ 2 ./ own);
        if k < size(pulls, 2)
            held = pending & at.side .* pull > tight * sizes(:, k);
            doubt = doubt || any(worst > hold^2 * pull(held) .^ 2 ./ own(held));
        end
        pending = pending & abs(pull) <= tight * sizes(:, k);
    end
end

function rest = eliminated(A, start, finish, tolerance)
% what is left of a symmetric matrix once some rows give way to nothing, the most independent of them first
    rest = A;
    rows = start+1:finish;
    share = diag(A);
    share(share <= 0) = 1;
    ready = rows;
    for step = rows
        pivots = diag(rest);
        [best, at] = max(pivots(ready, 1) ./ share(ready, 1));
        row = ready(at);
        ready(at) = [];
        if best > tolerance
            across = rest(row, :);
            rest = rest - (across' / pivots(row)) * across;
        end
    end
end

function [x, rank, condition] = semidefinite_solve(A, r, blocks, tolerance, most, weights, least)
% x with A x nearest to r, block after block; of all such x the least one, where that is asked for.
% With A = L D L', N = L' L: w = L^-1 r of a block at full rank, N^-1 L' r of one below it, r being what earlier
% blocks leave; x = L^-T D^-1 w, or L N^-1 D^-1 w for the least.
    m = size(A, 1);
    found = pivoted(A, blocks, tolerance, most, weights);
    L = found.L;
    r = r(found.order, 1);
    w = zeros(m, 1);
    start = 1;
    for rows = blocks
        s = start:start+rows-1;
        r(s) = r(s) - L(s, 1:start-1) * w(1:start-1, 1);
        if all(found.kept(s))
            w(s) = r(s);
            for i = s
                w(i) = w(i) - L(i, start:i-1) * w(start:i-1, 1);
            end
        else
            [triangle, pivots] = normal_factor(found, start, s(end));
            w(s) = ldl_substitute(triangle, pivots, r(s) + L(s, s)' * r(s));
        end
        start = start + rows;
    end
    w = w .* found.inverse;
    rank = sum(found.kept);
    if ~least || rank == m
        for i = m:-1:1
            w(i) = w(i) - L(i+1:m, i)' * w(i+1:m, 1);
        end
    else
        other = w;
        [triangle, pivots] = normal_factor(found, 1, m);
        w = ldl_substitute(triangle, pivots, w);
        w = w + L * w;
        if numel(blocks) > 1
            % what that does otherwise is made up for
            for i = m:-1:1
                other(i) = other(i) - L(i+1:m, i)' * other(i+1:m, 1);
            end
            far = 0;
            for k = m:-1:1
                gap = other(k:m, 1) - w(k:m, 1);
                more = found.kept(k) * (gap(1) + L(k+1:m, k)' * gap(2:end, 1));
                w(k) = w(k) + more;
                far = max(far, abs(more));
            end
            if ~(far < 1e-6 * max(abs(other))), w = other; end
        end
    end
    x = zeros(m, 1);
    x(found.order, 1) = w;
    condition = found.condition;
end

function found = pivoted(A, blocks, tolerance, most, weights)
% LDL' with the largest pivot of each block next: order of rows, L and 1/D in that order, which rows count, and how much
% a pivot that counts has lost of its own diagonal entry at most, as a factor. A row counts while its pivot is more than a
% share of its diagonal entry, and more than rounding can have left of it. A row that depends on those before it loses
% its pivot, and with it its column of L.
    nothing = 1e-22;
    noise = 2^-46;
    tie = 1e-9;
    m = size(A, 1);
    order = 1:m;
    own = diag(A);
    rest = own;
    squares = ones(m, 1);
    if ~isempty(weights), squares = weights(:) .^ 2; end
    bound = max(tolerance * own, nothing * squares * max([0.01; own ./ squares]));
    early = 1 - tie * (0:m-1)';
    L = zeros(m); scaled = zeros(m);
    inverse = zeros(m, 1);
    kept = zeros(m, 1);
    condition = 1;
    start = 1;
    for rows = blocks
        for j = start:start+rows-1
            here = order(j:start+rows-1);
            [best, at] = max(rest(here, 1) .* early(here, 1) - bound(here, 1));
            swap = [j, at + j - 1];
            order(swap) = order(fliplr(swap));
            L(swap, :) = L(fliplr(swap), :);
            scaled(swap, :) = scaled(fliplr(swap), :);
            row = order(j);
            if best > 0 && sum(kept) < most
                kept(j) = 1;
                inverse(j) = 1 / rest(row);
                condition = max(condition, own(row) * inverse(j));
            end
            spread = (bound(row) - (tolerance - noise) * own(row)) * inverse(j);
            i = j+1:m;
            value = A(row, order(i))' - scaled(i, 1:j-1) * L(j, 1:j-1)';
            if ~isempty(weights)
                % heavy rows make much of rounding: what depends on rows before is not moved by it
                faint = (bound(order(i), 1) - (tolerance - noise) * own(order(i), 1)) * spread;
                value = value .* (rest(order(i), 1) > bound(order(i), 1) | value .^ 2 * inverse(j) > faint);
            end
            scaled(i, j) = value;
            L(i, j) = value * inverse(j);
            lost = L(i, j) .* value;
            rest(order(i), 1) = rest(order(i), 1) - lost;
            bound(order(i), 1) = bound(order(i), 1) + lost * spread;
        end
        start = start + rows;
    end
    found.order = order; found.L = L; found.inverse = inverse; found.kept = kept; found.condition = condition;
end

function [triangle, pivots] = normal_factor(found, start, finish)
% triangle and inverse pivots of N = L' L of some rows; columns that do not count keep a 1 on the diagonal of N
    s = start:finish;
    L = found.L(s, s);
    normal = eye(numel(s)) + diag(found.kept(s)) * L + L' * L;
    [triangle, pivots] = ldl_factor(normal', 2^-46 * diag(normal));
end

function [L, inverse] = ldl_factor(A, least)
% LDL' of a symmetric matrix, upper half read: L (strictly lower) and 1/D, no pivot less than its least
    m = size(A, 1);
    L = zeros(m); scaled = zeros(m);
    inverse = zeros(m, 1);
    for j = 1:m
        k = 1:j-1;
        i = j+1:m;
        inverse(j) = 1 / max(A(j, j) - L(j, k) * scaled(j, k)', least(j));
        scaled(i, j) = A(j, i)' - scaled(i, k) * L(j, k)';
        L(i, j) = scaled(i, j) * inverse(j);
    end
end

function x = ldl_substitute(L, inverse, x)
% x with L D L' x = r
    m = numel(x);
    for i = 1:m
        x(i) = x(i) - L(i, 1:i-1) * x(1:i-1, 1);
    end
    for i = m:-1:1
        x(i) = x(i) * inverse(i) - L(i+1:m, i)' * x(i+1:m, 1);
    end
end

function [A, right] = unpacked(a, blocks)
% the matrix, and what stands beside it
    m = sum(blocks);
    A = reshape(a(1:m*m), m, m)';
    right = a(m*m+1:end);
end

function x = each_state(kernel, outputs, states, values)
% a kernel, state by state; values are rows of one entry or of one for each state
    a = stacked(states, values);
    x = zeros(outputs, states);
    for state = 1:states
        x(:, state) = kernel(a(:, state));
    end
end

function a = stacked(states, values)
% rows on top of each other, those of one entry repeated
    a = zeros(numel(values), states);
    for i = 1:numel(values)
        a(i, :) = values{i};
    end
end

function x = chosen(condition, yes, no)
% yes where the condition is not 0, no elsewhere, entry by entry
    all = stacked(max([numel(condition), numel(yes), numel(no)]), {condition ~= 0, yes, no});
    x = all(3, :);
    where = all(1, :) ~= 0;
    x(where) = all(2, where);
end

function x = sqrt_or_nan(x)
% no complex numbers, as in C
    x(x < 0) = NaN;
    x = sqrt(x);
end

function x = log_or_nan(x)
    x(x < 0) = NaN;
    x = log(x);
end

function [x, states] = entries(name, x, sizes)
% an input as one row for each entry, in row-major order, and one column for each state; pages of a third size come last
    wanted = size_of(sizes);
    states = numel(x) / max(1, prod(wanted));
    if prod(wanted) == 0, states = 1; end
    given = [size(x), 1, 1, 1];
    if states ~= fix(states) || states < 1 || any(given(1:numel(wanted)) ~= wanted)
        error('%s must be %s for each state, not %s', name, mat2str(wanted), mat2str(size(x)));
    end
    if numel(wanted) > 1
        x = permute(reshape(x, [wanted, ones(1, 3 - numel(wanted)), states]), [2 1 3 4]);
    end
    x = reshape(double(x), prod(wanted), states);
end

function x = shaped(x, sizes)
% the reverse of entries
    wanted = size_of(sizes);
    if numel(wanted) > 1
        x = permute(reshape(x, [wanted([2 1]), wanted(3:end), ones(1, 3 - numel(wanted)), size(x, 2)]), [2 1 3 4]);
        x = reshape(x, [wanted, size(x, 4)]);
    end
end

function states = common(counts)
% how many states there are; an input of one is for all
    states = max([1, counts]);
    if any(counts ~= 1 & counts ~= states)
        error('inputs are for %s states: they must be as many, or one', mat2str(counts));
    end
end

function sizes = size_of(sizes)
% as MATLAB has them: of a stack of matrices the pages come last
    if numel(sizes) == 3, sizes = sizes([2 3 1]); end
end
