% Noise of MATLAB and Octave, as program/noise.py defines it: integers of 64 bits, lanes side by side.

function w = philox(seed, lane, step, block)
% Philox4x32-10 (Salmon et al. 2011): four words, one below the other, from the seed, which is the key, and a counter:
% block, step and lane, which may be a row
    low = uint64(4294967295);
    lane = uint64(lane(:)');
    step = uint64(step);
    key = [bitand(uint64(seed), low), bitshift(uint64(seed), -32)];
    w = repmat(uint64(0), 4, numel(lane));
    w(1, :) = uint64(block);
    w(2, :) = bitand(step, low);
    w(3, :) = bitand(lane, low);
    w(4, :) = bitor(bitshift(bitshift(lane, -32), 16), bitshift(step, -32));
    for i = 1:10
        left = w(1, :) * uint64(3528531795);
        right = w(3, :) * uint64(3449720151);
        w = [bitxor(bitxor(bitshift(right, -32), w(2, :)), key(1));
             bitand(right, low);
             bitxor(bitxor(bitshift(left, -32), w(4, :)), key(2));
             bitand(left, low)];
        key = bitand(key + uint64([2654435769, 3144134277]), low);
    end
end

function out = draw_uniform(seed, lane, step, block, n)
% n numbers in [0, 1), one below the other, from this block on, a column for each lane
    out = zeros(2 * ceil(n / 2), numel(lane));
    for i = 1:2:n
        w = philox(seed, lane, step, block + (i - 1) / 2);
        out(i:i + 1, :) = (double(w([1 3], :)) * 2^21 + double(bitshift(w([2 4], :), -11))) / 2^53;
    end
    out = out(1:n, :);
end

function out = draw_normal(seed, lane, step, block, n)
% n normal numbers of mean 0 and deviation 1, from this block on, a column for each lane (Box and Muller)
    u = draw_uniform(seed, lane, step, block, n + mod(n, 2));
    radius = sqrt(-2 * log(1 - u(1:2:end, :)));
    quarters = 4 * u(2:2:end, :);
    quarter = floor(quarters + 0.5);
    s = sin((quarters - quarter) * (pi / 2));
    c = cos((quarters - quarter) * (pi / 2));
    odd = mod(quarter, 2) == 1;
    sine = s;
    sine(odd) = c(odd);
    c(odd) = -s(odd);
    back = mod(quarter, 4) >= 2;
    radius(back) = -radius(back);
    out = zeros(2 * ceil(n / 2), numel(lane));
    out(1:2:end, :) = radius .* c;
    out(2:2:end, :) = radius .* sine;
    out = out(1:n, :);
end
