"""State in C and C++: a struct of what a computation carries from call to call, how it starts, and a call on it.

    void <name>_start(<name>_state *state);
    void <name>_step(<name>_state *state, const T *<input> …, T *<output> …);

Nothing of this is written where nothing is carried.
"""

from collections.abc import Callable, Iterator

from motionc.program.port import State
from motionc.program.program import Program
from motionc.targets.naming import apart

Number = Callable[[float, str], str]


def carried(program: Program) -> list[tuple[int, int]]:
    """Inputs that are state and outputs, too: where each is among these and those."""
    places = {port.name: k for k, port in enumerate(program.outputs)}
    inputs = enumerate(program.inputs)
    return [(k, places[port.name]) for k, port in inputs if isinstance(port, State) and port.name in places]


class Stateful:
    """A program whose ports are named, `pairs` of which are carried on, around a function of this name on numbers.

    `front` and `behind` are what stands around a function's heading, `call` is how the function is called here.
    """

    def __init__(
        self,
        program: Program,
        pairs: list[tuple[int, int]],
        name: str,
        real: str,
        *,
        front: str = "void",
        behind: str = "",
        call: str = "",
    ) -> None:
        self.program, self.name, self.real = program, name, real
        self.front, self.behind, self.called = front, behind, call or name
        self.inputs, self.outputs = dict(pairs), {to: of for of, to in pairs}
        ports = (*program.inputs, *program.outputs)
        self.state, *names = apart(["state", *(port.name for port in ports)], ("i", name, f"{name}_state"))
        self.given, self.found = names[: len(program.inputs)], names[len(program.inputs) :]

    def struct(self) -> list[str]:
        """What is carried on."""
        states = [self.program.inputs[k] for k in self.inputs]
        members = [f"    {self.real} {port.name}[{max(1, port.size)}];" for port in states]
        about = "/* What is carried from call to call; how it starts; a call that carries it on. */"
        return [about, "typedef struct {", *members, f"}} {self.name}_state;", ""]

    def headings(self) -> list[str]:
        """Those of start and step."""
        state = f"{self.name}_state *{self.state}"
        parameters = [state]
        parameters += [f"const {self.real} *{one}" for k, one in enumerate(self.given) if k not in self.inputs]
        parameters += [f"{self.real} *{one}" for k, one in enumerate(self.found) if k not in self.outputs]
        step = f"{self.front} {self.name}_step("
        listed = (",\n" + " " * len(step)).join(parameters)
        return [f"{self.front} {self.name}_start({state}){self.behind}", f"{step}{listed}){self.behind}"]

    def functions(self, number: Number) -> list[str]:
        """Start and step."""
        start, step = self.headings()
        return [start, "{", *self._start(number), "}", "", step, "{", *self._step(), "}", ""]

    def _start(self, number: Number) -> Iterator[str]:
        for k in self.inputs:
            port = self.program.inputs[k]
            values = port.start if isinstance(port, State) else ()
            for i, value in enumerate(values):
                yield f"    {self.state}->{port.name}[{i}] = {number(value, self.real)};"
        if not any(self.program.inputs[k].size for k in self.inputs):
            yield f"    (void){self.state};"

    def _step(self) -> Iterator[str]:
        inputs, outputs = self.program.inputs, self.program.outputs
        given = [f"{self.state}->{inputs[k].name}" if k in self.inputs else one for k, one in enumerate(self.given)]
        for k in self.outputs:
            yield f"    {self.real} {self.found[k]}[{max(1, outputs[k].size)}];"
        yield f"    {self.called}({', '.join([*given, *self.found])});"
        for k, of in self.outputs.items():
            loop = f"for (int i = 0; i < {outputs[k].size}; ++i)"
            yield f"    {loop} {self.state}->{inputs[of].name}[i] = {self.found[k]}[i];"

    def test(self, states: int, space: str = "") -> str:
        """The call of a self-test, state by state: what is carried on goes by the struct."""
        inputs, outputs = self.program.inputs, self.program.outputs
        x = [f"self_test_x{k} + {port.size} * self_test_i" for k, port in enumerate(inputs)]
        y = [f"self_test_y{k} + {port.size} * self_test_i" for k, port in enumerate(outputs)]
        lines = [f"    for (int self_test_i = 0; self_test_i < {states}; ++self_test_i) {{"]
        lines += [f"        {space}{self.name}_state self_test_state;"]
        lines += [f"        {space}{self.name}_start(&self_test_state);"]
        loop = "        for (int i = 0; i < {}; ++i) {} = {};"
        for k in self.inputs:
            member = f"self_test_state.{inputs[k].name}[i]"
            lines.append(loop.format(inputs[k].size, member, f"({x[k]})[i]"))
        own = [one for k, one in enumerate(x) if k not in self.inputs]
        own += [one for k, one in enumerate(y) if k not in self.outputs]
        lines.append(f"        {space}{self.name}_step({', '.join(['&self_test_state', *own])});")
        for k, of in self.outputs.items():
            member = f"self_test_state.{inputs[of].name}[i]"
            lines.append(loop.format(outputs[k].size, f"({y[k]})[i]", member))
        return "\n".join([*lines, "    }"])
