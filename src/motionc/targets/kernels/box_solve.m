function x = box_solve(a, blocks, tolerance, ~, weights)
% y in a box, C y nearest to r level after level, then (y + s)' P (y + s) least; at which bounds it is, and how many
% steps that took. Blocks: motors, contacts, then the levels. Coordinates z are found once in which level k misses
% |t_k - z_k| besides what it must; bounds are met by what is cheapest. Steps go to that answer, up to the first bound,
% where that entry stays; if none is in the way, the bound entry that would rather come back is let go.
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
    changes = 0; rounds = 0; best = false;
    for step = 1:steps
        met = box_meet(basis, at);
        [at, blocked] = box_advance(at, met, shift);
        [at, let, doubt] = box_let_go(at, basis, met, ~blocked);
        calm = ~blocked && ~let; best = calm && ~doubt;
        changes = changes + ~calm; rounds = rounds + calm;
        if best || rounds == 3, break; end
    end
    if ~best, changes = steps; end
    none = zeros(size(rows, 1) - n, 1);
    x = [at.y; none; at.side .* ~at.fixed; none; changes];
end

function basis = box_basis(given, blocks, tolerance, weights)
% coordinates in which being nearest, level after level, is being short
    n = blocks(1); contacts = blocks(2); task = sum(blocks(2:end));
    P = triu(given(1:n, 1:n)) + triu(given(1:n, 1:n), 1)';
    U = chol(P);
    rows = [given(n+1:end, 1:n); eye(n)] / U;
    own = sum(rows .^ 2, 2);
    squares = ones(task - contacts, 1);
    if ~isempty(weights), squares = weights(:) .^ 2; end
    bound = tolerance * own(1:task);
    tasks = contacts+1:task;
    nothing = 1e-22 * squares * max([0.01; own(tasks) ./ squares]);
    bound(tasks) = max(bound(tasks), nothing);
    basis.alone = sqrt(own(task+1:end)); basis.span = sqrt(own(tasks));
    basis.C = given(n+tasks, 1:n) .* (own(tasks) > nothing);
    basis.wanted = given(n+tasks, n + 1); basis.shift = given(1:n, n + 3);

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

    % rows and P without what contacts take
    entries = task+1:task+n;
    for e = 1:ends(2)
        along = P * rows(entries, e);
        basis.C = basis.C - rows(tasks, e) * along';
        P = P - along * along';
    end
    basis.P = P;

    % columns of a level orthonormal on its rows, others orthogonal to them there; and how long they become
    basis.scale = ones(1, n); basis.blocks = {};
    start = contacts;
    for k = 3:numel(blocks)
        mine = start+1:start+blocks(k);
        for e = ends(k-1)+1:ends(k)
            grow = 1 / norm(rows(mine, e));
            basis.scale(e) = basis.scale(e) * grow;
            rows(start+1:end, e) = rows(start+1:end, e) * grow;
            others = [ends(2)+1:ends(k-1), e+1:ends(k)];
            share = rows(mine, e)' * rows(mine, others);
            basis.scale(others) = basis.scale(others) + abs(share) * basis.scale(e);
            rows(start+1:end, others) = rows(start+1:end, others) - rows(start+1:end, e) * share;
        end
        basis.blocks{end + 1} = mine - contacts;
        start = start + blocks(k);
    end
    basis.V = rows(entries, :); basis.Q = rows(tasks, :);
    starts = [ends(2:end), 0]; stops = [ends(3:end), n, ends(2)];
    basis.columns = arrayfun(@(s, e) s+1:e, starts, stops, 'UniformOutput', false);
end

function met = box_meet(basis, at)
% the best with these entries at their bounds
    n = numel(at.y); levels = numel(basis.blocks);
    rows = basis.V; rough = basis.alone;
    met.level = zeros(n, 1); met.force = zeros(n, 1); met.taken = zeros(n, n);

    % what is cheapest meets them
    for i = find(at.side)'
        for k = numel(basis.columns):-1:1
            mine = basis.columns{k}; before = find(met.level == k)';
            for p = [before, before]
                share = (rows(i, mine) * rows(p, mine)') / sum(rows(p, mine) .^ 2);
                rows(i, :) = rows(i, :) - share * rows(p, :);
                rough(i) = rough(i) + abs(share) * rough(p);
                met.taken(p, i) = met.taken(p, i) + share;
            end
            if any(abs(rows(i, mine)) > 1e-11 * rough(i) * basis.scale(mine))
                met.level(i) = k;
                break
            end
        end
    end

    % from the first level on what that takes, from how far each coordinate would go
    missed = basis.wanted - basis.C * at.y;
    z = zeros(n, 1);
    for k = 1:numel(basis.columns)
        mine = basis.columns{k}; here = find(met.level == k)';
        left = -rows * z;
        if k <= levels
            z(mine) = basis.Q(basis.blocks{k}, mine)' * missed(basis.blocks{k});
        elseif k == levels + 1
            z(mine) = -basis.V(:, mine)' * (basis.P * (at.y + basis.shift));
        end
        for p = [here, here]
            force = (left(p) - rows(p, mine) * z(mine)) / sum(rows(p, mine) .^ 2);
            met.force(p) = met.force(p) + force;
            z(mine) = z(mine) + force * rows(p, mine)';
        end
    end
    met.go = basis.V * z;
end

function [at, blocked] = box_advance(at, met, shift)
% towards that, as far as bounds let it; whether one was in the way
    go = (at.side == 0) .* met.go;
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

function [pull, size_of] = box_pull(at, basis, met, k)
% how level k would have the entries move once levels before it have theirs, and the size of the parts of that
    far = abs(at.y) + abs(basis.shift);
    if k <= numel(basis.blocks)
        own = basis.blocks{k}; C = basis.C(own, :);
        missed = basis.wanted(own) - C * at.y;
        pull = C' * missed;
        size_of = abs(C)' * (abs(basis.wanted(own)) + abs(C) * far);
        blur = basis.span(own)' * abs(missed);
    else
        pull = -basis.P * (at.y + basis.shift);
        size_of = abs(basis.P) * far;
        blur = basis.alone' * abs(at.y + basis.shift);
    end
    back = zeros(numel(at.y), 1);
    for j = k:numel(basis.columns)
        for p = flip(find(met.level == j)')
            back(p) = -(j == k) * met.force(p) - met.taken(p, :) * back;
        end
    end
    rest = back - pull;
    for j = 1:k-1
        own = basis.blocks{j}; mine = basis.columns{j};
        strength = basis.Q(own, mine) * (basis.V(:, mine)' * rest);
        pull = pull + basis.C(own, :)' * strength;
        size_of = size_of + abs(basis.C(own, :))' * abs(strength);
        blur = blur + basis.span(own)' * abs(strength);
    end
    size_of = size_of + 0.1 * basis.alone * blur;
end

function [at, found, doubt] = box_let_go(at, basis, met, allowed)
% let go of the bound entry that the first level to want any back wants most; whether there was one, and whether some
% level pulls at a free entry, or one back from its bound that no level before it holds there
    tight = 1e-11;
    pending = at.side ~= 0 & ~at.barred;
    unheld = at.side ~= 0 & ~at.fixed;
    loose = false(size(at.y)); found = false; doubt = false;
    for k = 1:numel(basis.blocks)+1
        [pull, size_of] = box_pull(at, basis, met, k);
        share = pull ./ (size_of + (size_of == 0));
        inward = -(pending .* at.side .* share);
        outward = at.side .* pull;
        worst = max(max(-(unheld .* outward), (at.side == 0) .* abs(pull)) ./ basis.alone);
        doubt = doubt || worst > 1e-7 * max(size_of ./ basis.alone);
        held = unheld & outward > tight * size_of;
        doubt = doubt || (k <= numel(basis.blocks) && any(worst > 1e-5 * outward(held) ./ basis.alone(held)));
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
