"""Python for a loop in time: a module that needs NumPy alone, with one function that runs it. Run, it tests itself.

    run = falling(steps=100, height=1.0, speed=0.0)       # run.height, run.turns, run.finite

Leading axes are lanes, side by side; streams and logs have their turns behind them. Programs are functions as
`python_module.py` writes them. In single precision what is carried on is float32, computed in double.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from motionc.program.loop import Loop, Use
from motionc.program.noise import blocks
from motionc.program.program import Program
from motionc.targets import noise
from motionc.targets.loop_c import kinds_of
from motionc.targets.naming import apart, wrapped
from motionc.targets.python_module import (
    ARRAY,
    axes,
    docstring,
    entries,
    function,
    module,
    names,
    number,
    record,
    shipped,
)
from motionc.targets.target import TOLERANCE, Files, RollOut, loop_documentation

DEFINED = ("one_turn", "rolled", "streams", "shaped", "Run", "Drawn", "philox", "draw_uniform", "draw_normal")
TESTED = ("one", "given", "run", "found", "expected", "off", "inputs", "outputs", "worst")
OURS = (*DEFINED, "steps", "seed", "lane", "turn", "turns", "finite")
"""What the text itself calls something, and its test."""

ROLLED = '''
def rolled(
    steps: int,
    seed: int,
    lane: int,
    given: tuple[list[Array], list[Array], list[Array]],
    others: list[int],
    logged: list[tuple[int, int]],
    until: int,
) -> tuple[list[Array], list[list[Array]], Array, Array]:
    """Turn after turn, lanes side by side; one that has ended keeps all it has.

    Given is what is carried on, held, and streamed in. A turn gives what is carried on, then others, of these sizes:
    of them each log writes one down, every so many turns, and one that is not 0 ends a lane.
    """
    states, held, streamed = ([x.astype(np.{dtype}) for x in each] for each in given)
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in (*states, *held)), *(x.shape[:-2] for x in streamed))
    lanes = np.uint64(lane) + np.arange(int(np.prod(lead)), dtype=np.uint64).reshape(lead)
    kept = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in states]
    kept += [np.zeros((*lead, size), np.{dtype}) for size in others]
    going, turns, finite = np.ones(lead, bool), np.zeros(lead, int), np.ones(lead, bool)
    rows: list[list[Array]] = [[] for _ in logged]
    for turn in range(steps):
        if going.any():
            found = one_turn(turn, seed, lanes, *kept[: len(states)], *held, *(x[..., turn, :] for x in streamed))
            kept = [np.where(going[..., None], new, old) for new, old in zip(found, kept, strict=True)]
            turns = turns + going
            for x in kept[: len(states)]:
                finite = finite & np.isfinite(x).all(axis=-1)
            going = going & finite & (kept[until][..., 0] == 0 if until >= 0 else True)
        for row, (k, every) in zip(rows, logged, strict=True):
            if (turn + 1) % every == 0:
                row.append(kept[k])
    return kept[: len(states)], rows, turns, finite


def streams(name: str, given: Array, steps: int, shape: tuple[int, ...]) -> Array:
    """What is streamed in, its own axes made one behind that of turns."""
    array, lead = entries(name, given, (steps, *shape))
    return array.reshape((*lead, steps, int(np.prod(shape))))


def shaped(rows: list[Array], lead: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """Rows of a log behind the axes of lanes, each in this shape."""
    size = int(np.prod(shape))
    array = np.stack(rows, axis=-2) if rows else np.zeros((*lead, 0, size), np.{dtype})
    return array.reshape((*lead, len(rows), *shape))
'''

TEST = '''\
def self_test() -> float:
    """The largest relative error of lanes that this file carries along, together and one by one."""
{tables}
    worst = 0.0
    for one in [slice(None), *range({lanes})]:
        given = {{name: values[one] for name, values in inputs.items()}}
        run = {name}(steps={steps}, seed={seed}, lane={lane} + (one if isinstance(one, int) else 0), **given)
        for found, expected in zip(run, outputs, strict=True):
            off = np.abs(np.asarray(found, float) - expected[one])
            off = np.max(off, initial=0.0) / np.max(np.abs(expected[one]), initial=1.0)
            worst = off if not off <= worst else worst
    return float(worst)


if __name__ == "__main__":
    worst = self_test()
    print(f"{name}: {steps} turns of {lanes} lanes, largest relative error {{worst:.1e}}")
    sys.exit(0 if worst <= {tolerance!r} else 1)
'''


@dataclass(frozen=True, slots=True)
class NamedInPython:
    """A loop whose buffers, logs, last states and parts have names of Python, those of buffers and functions apart."""

    loop: Loop
    name: str
    names: list[str]
    logs: list[str]
    last: list[str]
    functions: list[str]

    @property
    def others(self) -> list[int]:
        """Buffers that are logged or end a lane and are not carried on."""
        asked = (*(log.buffer for log in self.loop.logs), self.loop.until)
        return list(dict.fromkeys(k for k in asked if k >= 0 and self.loop.buffers[k].role != "state"))

    @property
    def given_by_a_turn(self) -> list[int]:
        return [*(k for k, _ in self.loop.states), *self.others]


def files(loop: Loop, name: str, trial: RollOut) -> Files:
    """One module of the function's name."""
    text = in_words(loop, name)
    programs = [names().ports(_flat(use.program), own) for use, own in zip(loop.uses, text.functions, strict=True)]
    about = '    """What is logged, what is carried on at the end, turns made, and whether all stayed finite."""\n'
    dtype = "float64" if loop.precision == "double" else "float32"
    drawn = noise.in_python(kinds_of(loop)) if kinds_of(loop) else []
    defined = [
        ARRAY,
        *drawn[:1],
        record("Run", [*text.logs, *text.last, "turns", "finite"], [about]),
        _run(text),
        _turn(text),
        *(function(program, own) for program, own in zip(programs, text.functions, strict=True)),
        *(part.strip() for part in ROLLED.replace("{dtype}", dtype).split("\n\n\n")),
        entries(loop.precision),
        *drawn[1:],
        *shipped(programs),
        _test(text, trial),
    ]
    return {f"{text.name}.py": module(f"{text.name}: a loop in time", defined)}


def in_words(loop: Loop, name: str) -> NamedInPython:
    """With names that Python takes."""
    known, name = names(), names().identifier(name)
    name = f"{name}_loop" if name in (*DEFINED, *TESTED) else name
    functions = [known.identifier(f"{name}_{k}_{use.name}") for k, use in enumerate(loop.uses)]
    taken = (name, *OURS, *functions)
    buffers = apart((known.identifier(b.name) for b in loop.buffers), taken, inside=known.inside)
    logs = apart((known.identifier(log.name) for log in loop.logs), ("turns", "finite"))
    states = [known.identifier(b.name) for _, b in loop.states]
    last = apart((f"last_{one}" if one in logs else one for one in states), (*logs, "turns", "finite"))
    return NamedInPython(loop, name, buffers, logs, last, functions)


def _flat(program: Program) -> Program:
    """With ports of one axis."""
    inputs, outputs = (
        tuple(replace(port, shape=(port.size,)) for port in ports) for ports in (program.inputs, program.outputs)
    )
    return replace(program, inputs=inputs, outputs=outputs)


# ---------------------------------------------------------------- the function that runs it


def _run(text: NamedInPython) -> str:
    loop = text.loop
    needed = [k for k, b in loop.states if b.start is None] + [k for k, _ in loop.given]
    started = [k for k, b in loop.states if b.start is not None]
    parameters = ["steps: int", *(f"{text.names[k]}: Array" for k in needed), "seed: int = 0", "lane: int = 0"]
    parameters += [f"{text.names[k]}: Array | None = None" for k in started]
    lines = [f"def {text.name}(", "    *,", *(f"    {one}," for one in parameters), ") -> Run:"]
    said = [*loop_documentation(loop, text.names, text.logs, axes)]
    said[-1:] = ["`seed` and `lane`, the number of the first, say what is drawn.", said[-1]]
    lines.append(docstring(said, "    "))
    for k in started:
        start = ", ".join(number(value) for value in loop.buffers[k].start or ())
        shape = loop.buffers[k].port.shape
        lines.append(f"    if {text.names[k]} is None:")
        lines.append(f"        {text.names[k]} = np.array([{start}]).reshape({shape})")
    lists = (
        [_entries(text, k) for k, _ in loop.states],
        [_entries(text, k) for k, b in loop.given if b.role == "held"],
        [_entries(text, k) for k, b in loop.given if b.role == "streamed"],
    )
    places = {k: j for j, k in enumerate(text.given_by_a_turn)}
    logged = [(places[log.buffer], log.every) for log in loop.logs]
    sizes = [loop.buffers[k].port.size for k in text.others]
    lines += [
        "    states, rows, turns, finite = rolled(",
        "        steps,",
        "        seed,",
        "        lane,",
        "        (",
    ]
    for each in lists:
        lines += ["            [", *(f"                {one}," for one in each), "            ],"]
    lines += [
        "        ),",
        f"        {sizes},",
        f"        {logged},",
        f"        {places.get(loop.until, -1)},",
        "    )",
        "    lead = turns.shape",
        "    return Run(",
    ]
    for j, log in enumerate(loop.logs):
        lines.append(f"        shaped(rows[{j}], lead, {loop.buffers[log.buffer].port.shape}),")
    for j, (_, buffer) in enumerate(loop.states):
        lines.append(f"        states[{j}].reshape((*lead, *{buffer.port.shape}))[()],")
    return "\n".join([*lines, "        turns[()],", "        finite[()],", "    )"])


def _entries(text: NamedInPython, k: int) -> str:
    """An input as an array of rows."""
    buffer, name = text.loop.buffers[k], text.names[k]
    if buffer.role == "streamed":
        return f'streams("{name}", {name}, steps, {buffer.port.shape})'
    return f'entries("{name}", {name}, {buffer.port.shape})[0]'


# ---------------------------------------------------------------- a turn


def _turn(text: NamedInPython) -> str:
    loop = text.loop
    given = [text.names[k] for k in (*(k for k, _ in loop.states), *(k for k, _ in loop.given))]
    parameters = ["turn: int", "seed: int", "lane: Array", *(f"{name}: Array" for name in given)]
    lines = ["def one_turn(", *wrapped(parameters, ", ", "    "), ") -> tuple[Array, ...]:"]
    lines.append('    """What is new in this turn, the parts in order, what is fed back."""')
    lines += [f"    {line}" for line in _new(loop, text.names)]
    for own, use in zip(text.functions, loop.uses, strict=True):
        lines += [f"    {line}" for line in _use(text.names, own, use)]
    for of, to in loop.copies:
        lines.append(f"    {text.names[to]} = {text.names[of]}")
    found = [text.names[k] for k in text.given_by_a_turn]
    return "\n".join([*lines, "    return (", *(f"        {name}," for name in found), "    )"])


def _new(loop: Loop, own: Sequence[str]) -> Iterator[str]:
    block = 0
    for k, buffer in loop.of("drawn", "clock"):
        if buffer.role == "clock":
            yield f"{own[k]} = np.full((*lane.shape, 1), turn * {number(loop.period)})"
        else:
            size = buffer.port.size
            yield f'{own[k]} = draw_{buffer.drawn}(seed, lane, turn, {block}, {size}, "{loop.precision}")'
            block += blocks(size)


def _use(own: Sequence[str], called: str, use: Use) -> Iterator[str]:
    front = "    " if use.every > 1 else ""
    if front:
        yield f"if turn % {use.every} == 0:"
    found = ", ".join(own[place] for place in use.writes)
    yield f"{front}{found} = {called}({', '.join(own[place] for place in use.reads)})"


# ---------------------------------------------------------------- its test


def _test(text: NamedInPython, trial: RollOut) -> str:
    loop = text.loop
    given = [(text.names[k], b, values) for (k, b), values in zip(loop.states, trial.states, strict=True)]
    given += [(text.names[k], b, values) for (k, b), values in zip(loop.given, trial.given, strict=True)]
    lines = ["    inputs = {"]
    for name, buffer, values in given:
        turns = (trial.steps,) if buffer.role == "streamed" else ()
        lines += _array(f'        "{name}": ', values, (trial.lanes, *turns, *buffer.port.shape))
    lines += ["    }", "    outputs = ["]
    for log, values in zip(loop.logs, trial.logs, strict=True):
        rows = trial.steps // log.every
        lines += _array("        ", values, (trial.lanes, rows, *loop.buffers[log.buffer].port.shape))
    for (_, buffer), values in zip(loop.states, trial.ends, strict=True):
        lines += _array("        ", values, (trial.lanes, *buffer.port.shape))
    lines.append(f"        np.array({list(trial.turns[::2])}),")
    lines.append(
        f"        np.array({[float(a == b) for a, b in zip(trial.turns[::2], trial.turns[1::2], strict=True)]}),"
    )
    return TEST.format(
        tables="\n".join([*lines, "    ]"]),
        name=text.name,
        steps=trial.steps,
        lanes=trial.lanes,
        seed=trial.seed,
        lane=trial.lane,
        tolerance=TOLERANCE[loop.precision],
    )


def _array(front: str, values: Sequence[float], shape: tuple[int, ...]) -> Iterator[str]:
    yield f"{front}np.array(["
    yield from wrapped([number(value) for value in values], ", ", "            ")
    yield f"        ]).reshape({shape}),"
