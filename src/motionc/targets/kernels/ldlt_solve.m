function x = ldlt_solve(a, blocks, tolerance, ~, ~)
% x = A^-1 r by LDL', pivots clamped from below
    [A, r] = unpacked(a, blocks);
    [L, inverse] = ldl_factor(A, tolerance * diag(A));
    x = ldl_substitute(L, inverse, r);
end
