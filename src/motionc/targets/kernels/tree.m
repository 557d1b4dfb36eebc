function x = tree_pairs(a, pattern, columns)
% P_ij = a_i b_j for all j after the second and up to the third number of row i in the pattern, P_ji = c_i d_j after the
% first, else 0; a_i stands above c_i in a column, and is as long as the last number says
    m = (numel(pattern) - 1) / 3;
    left = reshape(a(1:m*columns), m, columns);
    right = reshape(a(m*columns+1:end), m, columns)';
    above = 1:pattern(end);
    below = pattern(end)+1:columns;
    x = zeros(m);
    for i = 1:m
        j = pattern(3*i-1)+1:pattern(3*i);
        x(i, j) = left(i, above) * right(above, j);
        j = pattern(3*i-2)+1:pattern(3*i);
        x(j, i) = (left(i, below) * right(below, j))';
    end
    x = reshape(x', [], 1);
end

function x = tree_symmetric(a, ends, columns)
% P_ij = P_ji = a_i b_j for all j from i up to the number of row i in the pattern, else 0
    m = numel(ends);
    left = reshape(a(1:m*columns), m, columns);
    right = reshape(a(m*columns+1:end), m, columns)';
    x = zeros(m);
    for i = 1:m
        j = i:ends(i);
        x(i, j) = left(i, :) * right(:, j);
        x(j, i) = x(i, j)';
    end
    x = reshape(x', [], 1);
end

function x = tree_factor(a, parent, ~)
% L and, on its diagonal, 1/D, with A = L' D L, the last row eliminated first: L has an entry only where a row meets one
% before it on its way to the root. Those are given, row by row, from the root on. The lower half is read.
    m = numel(parent);
    rest = reshape(a, m, m)';
    rows = cell(1, m);
    for k = m:-1:1
        way = tree_way(parent, k);
        lower = rest(k, way) / rest(k, k);
        for n = 1:numel(way)
            j = way(n:end);
            rest(way(n), j) = rest(way(n), j) - lower(n) * rest(k, j);
        end
        rows{k} = [fliplr(lower), 1 / rest(k, k)];
    end
    x = [rows{:}]';
end

function x = tree_solve(a, parent, columns)
% X with L' D L X + R = 0, from what tree_factor gives; R and X row by row
    m = numel(parent);
    L = zeros(m);
    at = 0;
    for k = 1:m
        way = [fliplr(tree_way(parent, k)), k];
        L(k, way) = a(at+1:at+numel(way));
        at = at + numel(way);
    end
    x = reshape(a(at+1:end), columns, m)';
    for k = m:-1:1
        for i = tree_way(parent, k)
            x(i, :) = x(i, :) - L(k, i) * x(k, :);
        end
    end
    for k = 1:m
        x(k, :) = -x(k, :) * L(k, k);
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
