"""What a program's instructions are in C on numbers that know `turn`, `choose` and their like: lanes, and a GPU's."""

from collections.abc import Callable, Iterable, Iterator

from motionc.program.instructions import OPERATIONS, TURN, Spelling
from motionc.program.program import Instruction, Program, Table, call_data, table_data
from motionc.targets.c import BEHIND, comment
from motionc.targets.kernels_c import kernel_call
from motionc.targets.reading import Reading


class Statements:
    """Value i is `t<i>`, or has a name, and is a `word`; `spelled` gives one of an instruction's spellings, `real` is
    the type of a number.
    """

    def __init__(
        self, program: Program, word: str, spelled: Callable[[Spelling], str], real: str, taken: Iterable[str] = ()
    ) -> None:
        self.steps = program.instructions
        self.reading = Reading(program, taken)
        self.real = real
        self._word, self._spelled = word, spelled

    def name(self, value: int) -> str:
        """What stands for a value where it is used."""
        return self.reading.name(value)

    def statement(self, i: int, step: Instruction) -> Iterator[str]:
        """The statements of one instruction that computes."""
        yield from (f"/* {comment(heading)} */" for heading in self.reading.heading(i))
        args, word = [self.name(arg) for arg in step.args], self._word
        if step.op == "call":
            call = call_data(step)
            yield f"const {word} a{i}[] = {{{', '.join(args)}}};"
            yield f"{word} k{i}[{call.outputs}];"
            yield kernel_call(call, i)
        elif step.op in TURN:
            yield from self._turn(i, step, args[0])
        else:
            yield f"const {word} {self.reading.name(i)} = {self._expression(step, args)};"

    def _turn(self, i: int, step: Instruction, angle: str) -> Iterator[str]:
        """Sine and cosine of one value stand side by side: the first of them computes both."""
        before, after = (self.steps[k] if 0 <= k < len(self.steps) else None for k in (i - 1, i + 1))
        if before and before.op in TURN and before.args == step.args:
            return
        paired = after is not None and after.op in TURN and after.args == step.args
        names = (self.reading.name(i), self.reading.name(i + 1) if paired else f"unused{i}")
        sine, cosine = names if step.op == "sin" else names[::-1]
        yield f"{self._word} {names[0]}, {names[1]};"
        yield self._spelled(OPERATIONS[step.op].spelling).format(angle, sine=sine, cosine=cosine)

    def looked_up(self, table: Table, index: str) -> str:
        """An entry of a table, as an expression."""
        raise NotImplementedError

    def _expression(self, step: Instruction, args: list[str]) -> str:
        if step.op == "pick":
            return f"k{step.args[0]}[{step.data}]"
        if step.op == "entry":
            return self.looked_up(table_data(step), args[0])
        return self._spelled(OPERATIONS[step.op].spelling).format(*args, real=self.real, f=BEHIND[self.real])
