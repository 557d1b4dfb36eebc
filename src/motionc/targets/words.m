% What emitted functions of MATLAB and Octave are written in: states side by side, inputs and outputs in their shapes,
% and instructions that MATLAB has no word for.

function x = each_state(kernel, outputs, states, values)
% a kernel, state by state; values are rows of one entry or of one for each state
    a = stacked(states, values);
    x = zeros(outputs, states);
    for state = 1:states
        x(:, state) = kernel(a(:, state));
    end
end

function a = stacked(states, values)
% rows on top of each other, those of one entry repeated
    a = zeros(numel(values), states);
    for i = 1:numel(values)
        a(i, :) = values{i};
    end
end

function x = chosen(condition, yes, no)
% yes where the condition is not 0, no elsewhere, entry by entry
    all = stacked(max([numel(condition), numel(yes), numel(no)]), {condition ~= 0, yes, no});
    x = all(3, :);
    where = all(1, :) ~= 0;
    x(where) = all(2, where);
end

function x = looked_up(table, offset, stride, count, index)
% the entry of a table at an index, rounded down and kept within; columns are states, one is for all
    rows = offset + stride * floor(min(max(index, 0), count - 1)) + 1;
    states = max(numel(index), size(table, 2));
    rows = rows + zeros(1, states);
    columns = (1:states) * (size(table, 2) > 1) + (size(table, 2) == 1);
    x = reshape(table(rows + (columns - 1) * size(table, 1)), 1, states);
end

function x = sqrt_or_nan(x)
% no complex numbers, as in C
    x(x < 0) = NaN;
    x = sqrt(x);
end

function x = log_or_nan(x)
    x(x < 0) = NaN;
    x = log(x);
end

function [x, states] = entries(name, x, sizes)
% an input as one row for each entry, in row-major order, and one column for each state; pages of a third size come last
    wanted = size_of(sizes);
    states = numel(x) / max(1, prod(wanted));
    if prod(wanted) == 0, states = 1; end
    given = [size(x), 1, 1, 1];
    if states ~= fix(states) || states < 1 || any(given(1:numel(wanted)) ~= wanted)
        error('%s must be %s for each state, not %s', name, mat2str(wanted), mat2str(size(x)));
    end
    if numel(wanted) > 1
        x = permute(reshape(x, [wanted, ones(1, 3 - numel(wanted)), states]), [2 1 3 4]);
    end
    x = reshape(double(x), prod(wanted), states);
end

function x = shaped(x, sizes)
% the reverse of entries
    wanted = size_of(sizes);
    if numel(wanted) > 1
        x = permute(reshape(x, [wanted([2 1]), wanted(3:end), ones(1, 3 - numel(wanted)), size(x, 2)]), [2 1 3 4]);
        x = reshape(x, [wanted, size(x, 4)]);
    end
end

function states = common(counts)
% how many states there are; an input of one is for all
    states = max([1, counts]);
    if any(counts ~= 1 & counts ~= states)
        error('inputs are for %s states: they must be as many, or one', mat2str(counts));
    end
end

function sizes = size_of(sizes)
% as MATLAB has them: of a stack of matrices the pages come last
    if numel(sizes) == 3, sizes = sizes([2 3 1]); end
end
