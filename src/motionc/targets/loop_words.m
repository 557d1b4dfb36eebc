% What loops of MATLAB and Octave are written in, beside words.m: lanes side by side, streams and logs turn by turn.

function x = repeated(x, count, states)
% what is given for one lane, for all of them
    if count ~= states, x = repmat(x, 1, states); end
end

function [x, states] = streams(name, x, sizes, steps)
% what is streamed in, one row for each entry, one column for each turn, one page for each lane
    if steps == 0, x = zeros(prod(sizes), 0, 1); states = 1; return; end
    [x, turns] = entries(name, x, sizes);
    states = turns / steps;
    if states ~= fix(states) || states < 1
        error('%s is for %d turns, not %d', name, turns, steps);
    end
    x = reshape(x, size(x, 1), steps, states);
end

function x = of_turn(x, step, states)
% a turn of a stream, for all lanes
    x = repeated(reshape(x(:, step, :), size(x, 1), size(x, 3)), size(x, 3), states);
end

function x = kept(going, x, before)
% lanes that have ended keep what they have
    x(:, ~going) = before(:, ~going);
end

function x = logged(x, sizes)
% rows of a log in the shape of what is logged, turns and lanes last
    turns = size(x, 2);
    states = size(x, 3);
    x = shaped(reshape(x, size(x, 1), turns * states), sizes);
    x = reshape(x, [size_of([sizes, ones(1, isempty(sizes))]), turns, states]);
end
