function x = cone_solve(a, pattern, ~)
% impulses of contacts with friction (0: 3 rows), of stops (1) and of dry friction (2) by so many sweeps; their residual
    kinds = pattern(2:end);
    sizes = 1 + 2 * (kinds == 0);
    m = sum(sizes);
    A = reshape(a(1:m*m), m, m)';
    right = reshape(a(m*m+1:end), m, 5);
    x = right(:, 2); n = right(:, 3); bound = right(:, 4);
    A = A + diag(right(:, 5));
    w = right(:, 1) + A * x;
    nothing = 1e-22 * max([0.01; diag(A)]);
    last = cumsum(sizes);
    for sweep = 1:pattern(1)
        for block = 1:numel(kinds)
            k = last(block)-sizes(block)+1:last(block);
            if kinds(block) == 0
                after = cone_stopped(A(k, k), n(k), bound(k(1)), nothing, x(k), w(k));
            else
                gives = A(k, k) > nothing;
                after = cone_kept(gives * (A(k, k) * x(k) - w(k)) / max(A(k, k), ~gives), bound(k), kinds(block));
            end
            w = w + A(:, k) * (after - x(k));
            x(k) = after;
        end
    end
    residual = 0;
    for block = 1:numel(kinds)
        k = last(block)-sizes(block)+1:last(block);
        D = A(k, k);
        if kinds(block) == 0
            normal = n(k);
            way = normal' * D * normal;
            across = cone_across(D, normal);
            pressed = normal' * x(k);
            closing = normal' * w(k);
            held = across * (x(k) - normal * pressed);
            onward = held - (w(k) - normal * closing);
            limit = across * bound(k(1)) * pressed;
            off = norm(held - onward * min(1, limit / max(norm(onward), realmin)));
            residual = max([residual, abs(min(closing, way * pressed)), off]);
        else
            held = D * x(k);
            residual = max(residual, abs(held - cone_kept(held - w(k), D * bound(k), kinds(block))));
        end
    end
    x = [x; residual];
end

function x = cone_stopped(D, n, friction, nothing, x, w)
% the impulse that lets a contact stick, where the cone has it; else one at the rim, opposite to how it slides, or none
    along = D * n;
    way = n' * along;
    if ~(way > nothing), x = zeros(3, 1); return; end
    sure = 1.1^2 * friction^2 * (along' * along - way^2) < way^2;
    stick = x - (D + 1e-9 * trace(D) * eye(3)) \ w;
    upward = n' * stick;
    if sure && upward > 0 && norm(stick - n * upward) <= friction * upward, x = stick; return; end
    across = cone_across(D, n);
    slide = x;
    if ~sure
        eased = way;
        if n' * x > 0, eased = way + max(along' * x / (n' * x) - way, 0); end
        slide = x + n * (max(n' * x - n' * w / eased, 0) - n' * x);
    end
    onward = slide;
    if across > nothing, onward = slide - (w + D * (slide - x)) / across; end
    onward = onward - n * (n' * onward);
    share = 0;
    if norm(onward) > 0, share = friction / norm(onward); end
    if sure
        pressed = max((along' * x - n' * w) / (way + share * along' * onward), 0);
        x = pressed * (n + onward * share);
    else
        x = n * (n' * slide) + onward * min(share * (n' * slide), 1);
    end
end

function across = cone_across(D, n)
% the largest eigenvalue across a normal, from the sum of both and the sum of their squares
    way = n' * D * n;
    both = trace(D) - way;
    squares = sum(sum(D .* D)) - 2 * sum((D * n).^2) + way^2;
    across = max((both + sqrt(max(2 * squares - both^2, 0))) / 2, 0);
end

function x = cone_kept(x, bound, kind)
% an impulse of a stop, or of a box
    if kind == 2, x = min(x, bound); end
    x = max(x, -bound * (kind == 2));
end
