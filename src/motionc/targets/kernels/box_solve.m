function x = box_solve(a, blocks, tolerance, ~, weights)
% y in a box, C y nearest to r level after level, then (y + s)' P (y + s) least; at which bounds it is, and how many
% steps that took. Blocks: motors, contacts, then the levels. Coordinates z are found once in which level k misses |z_k|
% more than it must; bounds are met by what is cheapest. Steps go to that answer, up to the first bound, where that entry
% stays; if none is in the way, the bound entry that would rather come back is let go.
    n = blocks(1);
    rows = reshape(a, n + 3, [])';
    lower = rows(1:n, n + 1); upper = rows(1:n, n + 2); shift = rows(1:n, n + 3);
    basis = box_basis(rows, blocks, tolerance, weights);
    at.lower = lower; at.upper = upper;
    at.y = zeros(n, 1);
    at.side = double(upper <= 0) - (upper > 0 & lower >= 0);
    at.fixed = upper <= lower;
    at.barred = at.fixed;
    at.freed = false(n, 1);
    steps = n * (numel(blocks) - 1) + 4;
    changes = 0; calm = false; doubt = true;
    for step = 1:steps
        met = box_meet(basis, at, tolerance);
        [at, blocked] = box_advance(at, met, shift);
        [at, let, doubt] = box_let_go(at, basis, met, ~blocked);
        calm = ~blocked && ~let;
        changes = changes + ~calm;
        if calm, break; end
    end
    if ~calm || doubt, changes = steps; end
    none = zeros(size(rows, 1) - n, 1);
    x = [at.y; none; at.side .* ~at.fixed; none; changes];
end

function basis = box_basis(given, blocks, tolerance, weights)
% coordinates in which being nearest, level after level, is being short
    n = blocks(1); contacts = blocks(2); task = sum(blocks(2:end));
    P = triu(given(1:n, 1:n)) + triu(given(1:n, 1:n), 1)';
    U = chol(P);
    rows = [given(n+1:end, 1:n); (P * given(1:n, n + 3))'; eye(n)] / U;
    own = sum(rows .^ 2, 2);
    squares = ones(task - contacts, 1);
    if ~isempty(weights), squares = weights(:) .^ 2; end
    bound = tolerance * own(1:task);
    tasks = contacts+1:task;
    bound(tasks) = max(bound(tasks), 1e-22 * squares * max([0.01; own(tasks) ./ squares]));
    basis.alone = sqrt(own(task+2:end));

    % reflections: the largest row of each block next, along an axis of its own
    count = 0; ends = 0; start = 0;
    for size_of = blocks(2:end)
        unused = start+1:start+size_of;
        rest = sum(rows(1:task, count+1:n) .^ 2, 2);
        while ~isempty(unused) && count < n
            [most, j] = max(rest(unused) - bound(unused));
            if ~(most > 0), break; end
            v = rows(unused(j), count+1:n)';
            unused(j) = [];
            length_of = norm(v); lead = v(1);
            if lead > 0, v(1) = lead + length_of; else, v(1) = lead - length_of; end
            strength = 1 / (length_of * (abs(lead) + length_of));
            block = rows(start+1:end, count+1:n);
            rows(start+1:end, count+1:n) = block - (strength * (block * v)) * v';
            count = count + 1;
            rest = rest - rows(1:task, count) .^ 2;
        end
        rows(unused, count+1:n) = 0;
        ends(end + 1) = count; %#ok<AGROW>
        start = start + size_of;
    end

    % columns of a level orthonormal on its rows, those of levels before it and what is missing orthogonal to them
    basis.best = zeros(n, 1); basis.bulk = zeros(n, 1);
    missed = -given(n+1:end, n + 1);
    entries = task+2:task+1+n;
    start = contacts; stretches = [];
    for k = 3:numel(blocks)
        mine = start+1:start+blocks(k);
        stretch = 0;
        for e = ends(k):-1:ends(k-1)+1
            scale = 1 / norm(rows(mine, e));
            stretch = max(stretch, scale);
            rows(start+1:end, e) = rows(start+1:end, e) * scale;
            others = ends(2)+1:e-1;
            share = rows(mine, e)' * rows(mine, others);
            rows(start+1:end, others) = rows(start+1:end, others) - rows(start+1:end, e) * share;
            share = rows(mine, e)' * missed(mine);
            missed(start+1:end) = missed(start+1:end) - share * rows(start+1:task, e);
            basis.best = basis.best - share * rows(entries, e);
            basis.bulk = basis.bulk + abs(share) * (abs(rows(entries, e)) + 0.1 * scale * basis.alone);
        end
        stretches(end + 1) = stretch; %#ok<AGROW>
        start = start + blocks(k);
    end
    basis.V = rows(entries, :);
    last = ends(end)+1:n;
    basis.best = basis.best - basis.V(:, last) * rows(task + 1, last)';
    basis.bulk = basis.bulk + (abs(basis.V(:, last)) + 0.1 * basis.alone) * abs(rows(task + 1, last)');
    starts = [ends(2:end), 0]; stops = [ends(3:end), n, ends(2)];
    basis.noise = basis.alone * [stretches, 1, 1];
    basis.columns = arrayfun(@(s, e) s+1:e, starts, stops, 'UniformOutput', false);
    for k = 1:numel(starts)
        basis.length(:, k) = sqrt(sum(basis.V(:, basis.columns{k}) .^ 2, 2)) + 3e-6 * basis.noise(:, k);
    end
end

function met = box_meet(basis, at, tolerance)
% the best with these entries at their bounds
    n = numel(at.y);
    rows = basis.V; reach = basis.length; noise = basis.noise;
    edge = zeros(n, 1);
    edge(at.side > 0) = at.upper(at.side > 0);
    edge(at.side < 0) = at.lower(at.side < 0);
    left = edge - basis.best; bulk = abs(edge) + basis.bulk;
    unmet = at.side ~= 0;
    inverse = zeros(n, 1);
    met.order = []; met.level = zeros(n, 1); met.taken = zeros(n, 0); met.faint = zeros(n, 0);

    % what is cheapest meets them
    for k = numel(basis.columns):-1:1
        mine = basis.columns{k};
        part = sum(rows(:, mine) .^ 2, 2);
        while ~isempty(mine)
            [most, p] = max(unmet .* part ./ reach(:, k) .^ 2);
            if ~(most > tolerance), break; end
            unmet(p) = false;
            inverse(p) = 1 / sum(rows(p, mine) .^ 2);
            common = rows(:, mine) * rows(p, mine)';
            share = unmet .* (inverse(p) * common);
            met.faint(:, end + 1) = unmet .* (abs(share) + 0.1 * noise(:, k) * sqrt(inverse(p)));
            met.taken(:, end + 1) = share;
            part = part - share .* common;
            left = left - share * left(p);
            bulk = bulk + abs(share) * bulk(p);
            rows = rows - share * rows(p, :);
            reach(:, 1:k) = reach(:, 1:k) + abs(share) * reach(p, 1:k);
            noise(:, 1:k) = noise(:, 1:k) + abs(share) * noise(p, 1:k);
            met.order(end + 1) = p; met.level(p) = k;
        end
    end

    % from the first level on, what that takes
    met.force = zeros(n, 1); met.size = zeros(n, 1); met.y = basis.best;
    for k = 1:numel(basis.columns)
        mine = basis.columns{k}; here = met.level == k; later = met.level > k;
        force = here .* left .* inverse;
        met.force = met.force + force;
        met.size = met.size + here .* bulk .* inverse;
        z = rows(:, mine)' * force;
        left = left - later .* (rows(:, mine) * z);
        bulk = bulk + later .* ((abs(rows(:, mine)) + 0.1 * noise(:, k)) * abs(z));
        met.y = met.y + basis.V(:, mine) * z;
    end
end

function [at, blocked] = box_advance(at, met, shift)
% towards that, as far as bounds let it; whether one was in the way
    go = (at.side == 0) .* (met.y - at.y);
    edge = at.lower; edge(go > 0) = at.upper(go > 0);
    ratio = 2 * ones(size(go)); moves = go ~= 0 & ~isnan(go);
    ratio(moves) = (edge(moves) - at.y(moves)) ./ go(moves);
    length_of = min([1; ratio]);
    blocked = length_of < 1;
    moved = max(abs(length_of * go)) > 1e-10 * max(abs(at.y) + abs(shift));
    hits = blocked & ratio <= length_of;
    at.y = at.y + length_of * go;
    at.y(hits) = edge(hits);
    at.side(hits) = 2 * (go(hits) > 0) - 1;
    if moved
        at.barred = at.fixed;
        at.freed = false(size(at.freed));
    else
        at.barred = at.barred | (hits & at.freed);
    end
end

function [at, found, doubt] = box_let_go(at, basis, met, allowed)
% let go of the bound entry that the first level to want any back wants most; whether there was one, and whether signs
% are in doubt
    tight = 1e-11;
    n = numel(at.y);
    pending = at.side ~= 0 & ~at.barred;
    unheld = at.side ~= 0 & ~at.fixed;
    loose = false(n, 1); found = false;
    doubt = any(at.side ~= 0 & abs(met.y - at.y) > 1e-7 * (abs(at.y) + basis.bulk));
    for k = 1:numel(basis.columns)
        pull = zeros(n, 1); size_of = zeros(n, 1);
        for j = numel(met.order):-1:1
            p = met.order(j); here = met.level(p) == k;
            pull(p) = here * met.force(p) - met.taken(:, j)' * pull;
            size_of(p) = here * met.size(p) + met.faint(:, j)' * size_of;
        end
        share = pull ./ (size_of + (size_of == 0));
        inward = pending .* at.side .* share;
        doubt = doubt || max([0; unheld .* at.side .* pull .* basis.alone]) > 1e-7 * max([0; size_of .* basis.alone]);
        most = max([tight; inward]);
        if allowed && ~found && most > tight
            loose = inward >= most;
            found = true;
        end
        pending = pending & abs(share) <= tight;
        unheld = unheld & abs(share) <= tight;
    end
    at.side(loose) = 0;
    at.freed = at.freed | loose;
end
