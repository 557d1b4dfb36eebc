"""A main function for loops in C and its relatives: lanes that the file carries along, and how far off they end."""

from collections.abc import Callable, Sequence

from motionc.program.loop import Loop
from motionc.targets.self_test import main, table
from motionc.targets.target import RollOut


def loop_test(
    loop: Loop,
    name: str,
    trial: RollOut,
    entry: str,
    number: Callable[[float, str], str],
    before: Sequence[str] = (),
) -> str:
    """The main function: all lanes by an entry such as loop_c.lanes_of_one has, which may stand `before` it."""
    real = "double" if loop.precision == "double" else "float"
    tables, errors, lines = list[str](), list[str](), list[str]()
    ends = (*trial.ends, *trial.logs)
    for k, values in enumerate(trial.given):
        tables.append(table(f"self_test_given{k}", [values], real, number))
    for k, values in enumerate((*trial.states, *((0.0,) * len(rows) for rows in trial.logs))):
        tables.append(table(f"self_test_y{k}", [values], real, number, "static"))
        tables.append(table(f"self_test_expected{k}", [ends[k]], real, number))
        errors.append(f"self_test_error(self_test_y{k}, self_test_expected{k}, {len(values)})")
    states = len(trial.states)
    arrays = {
        "given": ([f"self_test_given{k}" for k in range(len(trial.given))], trial.given),
        "state": ([f"self_test_y{k}" for k in range(states)], trial.states),
        "logs": ([f"self_test_y{states + k}" for k in range(len(trial.logs))], trial.logs),
    }
    for word, (names, values) in arrays.items():
        const = "const " * (word == "given")
        strides = ", ".join(str(len(flat) // trial.lanes) for flat in values) or "0"
        lines.append(f"    {const}{real} *const {word}[] = {{{', '.join(names) or '0'}}};")
        lines.append(f"    const long {word.removesuffix('s')}_lane[] = {{{strides}}};")
    made = len(trial.turns)
    tables.append(table("expected_turns", [tuple(map(float, trial.turns))], real, number))
    lines += [
        f"    long long turns[{made}];",
        f"    {real} made[{made}];",
        f"    {entry}({trial.lanes}, {trial.lane}u, 0, {trial.steps}, {trial.seed}u,",
        "        given, given_lane, state, state_lane, logs, log_lane, turns);",
        f"    for (int i = 0; i < {made}; ++i) made[i] = ({real})turns[i];",
    ]
    errors.append(f"self_test_error(made, expected_turns, {made})")
    tried = f"{trial.steps} turns of {trial.lanes} lanes"
    return main(name, tried, loop.precision, tables, "\n".join(lines), errors, before)
