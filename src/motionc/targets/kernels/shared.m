% What kernels share. Each takes a column: the matrix row by row, then what stands beside it; the sizes of the blocks of
% rows; what counts as dependent; how many rows count at most; and the weights that are in the rows, none where all are 1;
% or, along a tree, how rows hang together, counted from 0, and the number of columns. Each returns a column.

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
