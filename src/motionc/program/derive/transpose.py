"""What is linear in some values of a program, transposed: instruction by instruction, last one first."""

from collections.abc import Iterable, Sequence

from motionc.program.build import Scalar, Value, Writer, is_zero
from motionc.program.instructions import OPERATIONS, Choice, Derivative
from motionc.program.kernels import KERNELS
from motionc.program.program import Instruction, call_data, table_data


class Linear:
    """Instructions that are linear in seeds, to be transposed as often as is asked for."""

    def __init__(self, writer: Writer, seeds: Sequence[Value]) -> None:
        self.writer, self.seeds = writer, seeds
        self.known = {seed.number for seed in seeds}
        self._read = {writer.steps[seed.number].data: seed.number for seed in seeds}
        for number, step in enumerate(writer.steps):
            if any(arg in self.known for arg in step.args) or (step.op == "entry" and self._seeds_of(step)):
                self.known.add(number)
        self.order = sorted(self.known, reverse=True)

    def transposed(self, weights: Iterable[tuple[Scalar, Scalar]]) -> list[Scalar]:
        """Weights of the seeds, with weights of what depends on them: pairs (value, weight)."""
        bars: dict[int, Scalar] = {}
        picked: dict[int, dict[int, Scalar]] = {}
        for change, weight in weights:
            if not is_zero(change):
                _gather(bars, change.number, weight)
        for number in self.order:
            step = self.writer.steps[number]
            if step.op == "call":
                if number in picked:
                    self._call(bars, number, picked[number])
            elif number not in bars or step.op == "input":
                continue
            elif step.op == "entry":
                self._entry(bars, step, bars[number])
            elif step.op == "pick":
                _gather(picked.setdefault(step.args[0], {}), step.data, bars[number])  # type: ignore[arg-type]
            else:
                self._instruction(bars, number, bars[number])
        return [bars.get(seed.number, 0.0) for seed in self.seeds]

    def _seeds_of(self, entry: Instruction) -> dict[int, int]:
        """The seeds that a table has, by their place in it."""
        table = table_data(entry)
        places = ((k, self._read.get((table.port, element))) for k, element in enumerate(table.elements))
        return {k: seed for k, seed in places if seed is not None}

    def _entry(self, bars: dict[int, Scalar], step: Instruction, bar: Scalar) -> None:
        """To each entry of a table the weight of what was looked up, where it was that entry: a scatter."""
        index, last = Value(self.writer, step.args[0]), table_data(step).length - 1
        for k, seed in self._seeds_of(step).items():
            reached = index >= float(k) if k else 1.0
            passed = index >= float(k + 1) if k < last else 0.0
            _gather(bars, seed, self.writer.value(reached - passed).select(bar, 0.0))

    def _instruction(self, bars: dict[int, Scalar], number: int, bar: Scalar) -> None:
        step = self.writer.steps[number]
        operation, args = OPERATIONS[step.op], [Value(self.writer, arg) for arg in step.args]
        for place, arg in enumerate(step.args):
            if arg in self.known:
                assert place in operation.linear, f"{step.op} is not linear in argument {place}"
                _gather(bars, arg, _part(operation.derivative, place, args, Value(self.writer, number), bar))

    def _call(self, bars: dict[int, Scalar], number: int, picked: dict[int, Scalar]) -> None:
        step, call = self.writer.steps[number], call_data(self.writer.steps[number])
        size, transpose = call.matrix, KERNELS[call.kernel].rule.transpose
        assert transpose is not None, f"{call.kernel} is called on changes and has no transpose"
        weights = [picked.get(k, 0.0) for k in range(call.outputs)]
        right = transpose(self.writer, call, [Value(self.writer, arg) for arg in step.args[:size]], weights)
        for arg, bar in zip(step.args[size:], right, strict=True):
            if arg in self.known:
                _gather(bars, arg, bar)


def _part(rule: Derivative, place: int, args: list[Value], y: Value, bar: Scalar) -> Scalar:
    """What the weight of a result adds to that of an argument."""
    if isinstance(rule, Choice):
        return rule.condition(args).select(*((bar, 0.0) if place == rule.yes else (0.0, bar)))
    assert rule is not None, "what does not change is not linear"
    partial = rule[place](args, y)
    if isinstance(partial, float) and abs(partial) == 1.0:
        return bar if partial > 0.0 else -bar
    return bar * partial


def _gather(bars: dict[int, Scalar], number: int, bar: Scalar) -> None:
    bars[number] = bars[number] + bar if number in bars else bar
