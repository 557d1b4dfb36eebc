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
