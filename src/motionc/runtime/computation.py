"""What a user calls: a Computation, checked when it is made, traced and compiled when it is first needed."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np

from motionc.errors import Error
from motionc.program import Program, trace
from motionc.runtime.build import Entry, compiled, find_compiler, interpreted
from motionc.sweeps import solvers
from motionc.sweeps.schedule import Policy, depth_first
from motionc.sweeps.solver import Port, Solver, as_columns
from motionc.sweeps.walk import Trace
from motionc.targets import c

Array = np.ndarray[Any, np.dtype[np.float64]]
P = ParamSpec("P")


class Results(Mapping[str, Any]):
    """Several outputs, by attribute and by item; `notes` says in words what needs attention."""

    def __init__(self, values: dict[str, Any], notes: Callable[[Mapping[str, Any]], list[str]]) -> None:
        self._values, self._notes = values, notes

    @property
    def notes(self) -> list[str]:
        """Sentences about lost rank or forces nobody makes; empty when all is well."""
        return self._notes(self._values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"there is no output {name!r}; there are {', '.join(self._values)}") from None

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "Results(" + ", ".join(f"{name}={value}" for name, value in self._values.items()) + ")"


class Computation:
    """A solver on a robot, in three readings: `check()`, `run(…)` step by step, and called, compiled.

    One output comes back bare, several as Results. Calls share nothing: any number may run at once.
    """

    def __init__(self, solver: Solver) -> None:
        solver.check()
        self.solver = solver
        self.name = solver.name
        self.inputs: tuple[Port, ...] = solver.inputs
        self.outputs: tuple[Port, ...] = solver.outputs
        self._given = sum(port.size for port in self.inputs)
        self._sizes = sum(port.size for port in self.outputs)

    def __repr__(self) -> str:
        given, found = (", ".join(port.name for port in ports) for ports in (self.inputs, self.outputs))
        return f"Computation({self.name}: {given} → {found})"

    # ---------------------------------------------------------------- three readings

    def check(self) -> None:
        """Verify every relation once more, without numbers; raises SemanticError."""
        self.solver.check()

    def run(
        self, *inputs: Any, trace: Trace | None = None, policy: Policy = depth_first, normalise: bool = True
    ) -> Any:
        """Step by step in NumPy. `trace=print` shows every relation, on the frames as the user wrote them."""
        values = self.solver.run(*inputs, policy=policy, normalise=normalise and trace is None, trace=trace)
        return self._result({name: self._bare(value) for name, value in values.items()})

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Compiled (on first call) and run: arrays in, arrays out, in the order of `inputs` or by their names."""
        if named:
            inputs = self._ordered(inputs, named)
        x, y = self._packed(inputs), np.empty(self._sizes)
        self._entry(x, y)
        return self._result(self._split(y))

    # ---------------------------------------------------------------- what it is made of

    @cached_property
    def program(self) -> Program:
        """The flat program, traced once."""
        return trace(self.solver)

    @property
    def operations(self) -> Counter[str]:
        """Arithmetic operations by kind; their sum is the size."""
        return self.program.operations

    @property
    def tier(self) -> str:
        """How a call runs: "compiled", or "interpreted" where there is no C compiler."""
        return "compiled" if find_compiler() else "interpreted"

    def emit(self, target: str, folder: str | Path, prefix: str = "") -> list[Path]:
        """Write standalone sources: `emit("c", "out/")`; the function is called `<robot>_<computation>` or `prefix`."""
        if target != "c":
            raise Error(f"target {target!r} is unknown; this version emits 'c'")
        sources = c.emit(self.program, prefix or self._function_name)
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{sources.name}.h", folder / f"{sources.name}.c"]
        for path, text in zip(paths, (sources.header, sources.source), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths

    @property
    def _function_name(self) -> str:
        return f"{self.solver.robot.name}_{self.name}"

    @cached_property
    def _entry(self) -> Entry:
        compiler = find_compiler()
        return compiled(self.program, self._function_name, compiler) if compiler else interpreted(self.program)

    def _packed(self, inputs: tuple[Any, ...]) -> Array:
        """All inputs in one flat array; what does not fit is named by the slower path."""
        if len(inputs) == len(self.inputs):
            x, start = np.empty(self._given), 0
            for port, value in zip(self.inputs, inputs, strict=True):
                array = np.asarray(value)
                if array.shape != port.shape or array.dtype.kind not in "fiu":
                    break
                x[start : start + array.size] = array if array.ndim == 1 else array.reshape(-1)
                start += array.size
            else:
                return x
        return np.concatenate([column[:, 0] for column in as_columns(self.name, self.inputs, inputs).values()])

    def _ordered(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Positional and named arguments in the order of the ports."""
        names = [port.name for port in self.inputs[len(inputs) :]]
        for name in named:
            if name not in names:
                raise Error(
                    f"{self.name} takes no input {name!r} here; it takes {', '.join(p.name for p in self.inputs)}"
                )
        missing = [name for name in names if name not in named]
        if missing:
            raise Error(f"{self.name}: input {missing[0]} is missing")
        return (*inputs, *(named[name] for name in names))

    def _split(self, y: Array) -> dict[str, Any]:
        values, start = dict[str, Any](), 0
        for port in self.outputs:
            values[port.name] = self._bare(y[start : start + port.size].reshape(port.shape))
            start += port.size
        return values

    def _bare(self, value: Array) -> Any:
        return value if value.shape else float(value)

    def _result(self, values: dict[str, Any]) -> Any:
        return next(iter(values.values())) if len(values) == 1 else Results(values, self.solver.notes)


def _computes(make: Callable[P, Solver]) -> Callable[P, Computation]:
    """The function of the same name and arguments that returns a Computation."""

    @wraps(make)
    def build(*args: P.args, **kwargs: P.kwargs) -> Computation:
        return Computation(make(*args, **kwargs))

    return build


forward_kinematics = _computes(solvers.forward_kinematics)
jacobian = _computes(solvers.jacobian)
inverse_dynamics = _computes(solvers.inverse_dynamics)
forward_dynamics = _computes(solvers.forward_dynamics)
constrained_dynamics = _computes(solvers.constrained_dynamics)
