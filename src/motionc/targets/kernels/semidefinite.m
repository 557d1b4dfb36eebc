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
