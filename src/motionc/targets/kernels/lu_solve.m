function x = lu_solve(a, blocks, tolerance, ~, ~)
% X = A^-1 R by LU with partial pivoting, row by row, and how many pivots are not 0
    m = sum(blocks);
    columns = numel(a) / m - m;
    w = [reshape(a(1:m*m), m, m)', reshape(a(m*m+1:end), columns, m)'];
    bound = tolerance * max([abs(w(:, 1:m)); repmat(1e-300 / tolerance, 1, m)], [], 1);
    inverse = zeros(m, 1);
    for j = 1:m
        for i = j+1:m
            if abs(w(i, j)) > abs(w(j, j)), w([i j], :) = w([j i], :); end
        end
        if ~(abs(w(j, j)) < bound(j)), inverse(j) = 1 / w(j, j); end
        share = w(j+1:m, j) * inverse(j);
        w(j+1:m, j+1:end) = w(j+1:m, j+1:end) - share * w(j, j+1:end);
    end
    x = w(:, m+1:end);
    for j = m:-1:1
        x(j, :) = (x(j, :) - w(j, j+1:m) * x(j+1:m, :)) * inverse(j);
    end
    x = [reshape(x', [], 1); sum(inverse ~= 0)];
end
