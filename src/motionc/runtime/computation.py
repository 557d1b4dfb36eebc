"""What a user calls: a Computation, checked when it is made, traced and compiled when it is first needed."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from inspect import cleandoc
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.program import Passes, Program, explained
from motionc.program.derive.derived import Derived
from motionc.program.derive.sparsity import Sparsity, nonzero
from motionc.program.names import function_word, whose
from motionc.program.port import Port, State, as_columns, in_order, ports_table, refuse_unfit, states_of
from motionc.program.source import Along, Kind, Source
from motionc.runtime.arrays import batch as batches
from motionc.runtime.arrays.batch_call import open_batches
from motionc.runtime.arrays.device import DeviceComputation
from motionc.runtime.build import python_abi
from motionc.runtime.build.library import DTYPES, Lanes, Library, open_library
from motionc.runtime.carried import first_state, named_state
from motionc.runtime.footprint import Footprint, footprint
from motionc.runtime.provenance import provenance, with_provenance, write_emitted
from motionc.runtime.results import Results, record_type
from motionc.runtime.samples import trials
from motionc.runtime.words import When, arrow, documentation, signature
from motionc.sweeps.schedule import Policy, depth_first
from motionc.sweeps.walk import Applied, Trace
from motionc.tables import short
from motionc.targets import TARGETS

Array = np.ndarray[Any, np.dtype[Any]]


class Computation:
    """A solver on a robot, in three readings: `check()`, `run(…)` step by step, and called, compiled.

    One output comes back bare, several as Results. Calls share nothing: any number may run at once. Each computation is
    the only instance of a class of its own, whose call becomes the compiled function itself as soon as there is one.
    """

    def __new__(cls, solver: Source) -> Self:
        about = {"__doc__": When(documentation, solver), "__signature__": When(signature, solver)}
        own: Any = type(cls.__name__, (cls,), about | {"__module__": cls.__module__})
        return object.__new__(own)

    def __init__(self, solver: Source) -> None:
        if not callable(getattr(solver, "check", None)):
            raise checked.refusal("Computation: solver", solver, "make one by mc.forward_dynamics(robot) and the like")
        solver.check()
        self.solver, self.name = solver, solver.name
        self.inputs: tuple[Port, ...] = solver.inputs
        self.outputs: tuple[Port, ...] = solver.outputs
        self._record = record_type(solver.outputs, solver.notes)
        self._record_along = cache(partial(record_type, solver.outputs, solver.notes))
        self._sizes = sum(port.size for port in self.outputs)
        self._dtype = DTYPES[solver.precision]
        self._check_finite = False
        self._opened: Library | None = None
        self._opened_lanes: tuple[()] | tuple[Lanes | None] = ()

    @property
    def robot(self) -> Any:
        """Whom it is about."""
        return self.solver.robot

    @property
    def options(self) -> Any:
        """What is asked of the robot, as data: together they are all that this is."""
        return self.solver.options

    def identity(self) -> str | None:
        """The digest of robot, options and code; None where only the program tells what is computed."""
        return self.solver.identity()

    def __repr__(self) -> str:
        said = f", {short(self.options, 80)}" if str(self.options) else ""
        return f"Computation({self.name}{whose(short(self.robot.name))}{said}: {arrow(self.inputs, self.outputs)})"

    def _repr_html_(self) -> str:
        title = f"{self.name}{whose(short(self.robot.name))}"
        return ports_table(title, self.inputs, self.outputs, below=short(self.options, 300))

    def __reduce__(self) -> tuple[Any, ...]:
        """Robot and options, by way of the solver; code is found again, or made again, where it is called."""
        return _again, (self.solver, self._check_finite)

    @property
    def states(self) -> tuple[State, ...]:
        """What is carried from call to call: inputs that are outputs, too."""
        return states_of(self.inputs)

    def start(self, states: int | None = None) -> Results:
        """The first state, by name, or so many of them: `out = f(…, state=f.start())`, then `state=out.state`."""
        return first_state(self.name, self.inputs, self._dtype, states)

    # ---------------------------------------------------------------- three readings

    def check(self) -> None:
        """Verify every relation once more, without numbers; raises SemanticError."""
        self.solver.check()

    def run(
        self, *inputs: Any, trace: Trace | None = None, policy: Policy = depth_first, normalise: bool = True
    ) -> Any:
        """Step by step in NumPy. `trace=print` shows every relation, on the frames as the user wrote them."""
        values = self.solver.run(*inputs, policy=policy, normalise=normalise and trace is None, trace=trace)
        return self._result([port.as_told(values[port.name]) for port in self.outputs])

    def steps(self, *inputs: Any, policy: Policy = depth_first) -> Iterator[Applied]:
        """The same one operation at a time, to stop where you like: (sweep, operation, joint, what it gave)."""
        return self.solver.steps(*inputs, policy=policy, normalise=False)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Compiled (on first call) and run: arrays in, arrays out, in the order of `inputs` or by their names."""
        if self._library.call is not None and not self._check_finite:
            type(self).__call__ = self._library.call
        return self._carefully(*inputs, **named)

    def guarded(self, otherwise: Callable[..., Array]) -> Callable[..., Array]:
        """The shortest call of one array, where what is no state, or has no finite answer, is left to `otherwise`."""
        library = self._library
        if library.loaded is None or library.call is None:
            return otherwise
        return python_abi.builtin(library.loaded, self._dtype, otherwise, self._record, guarded=True)

    def build(self, *, batch: bool = False) -> Self:
        """Build now what the first call would: trace, compile, load; with `batch`, what the first batch would, too.

        What is in the build cache is only loaded. Several side by side: `mc.build` (docs/guide/building.md).
        """
        _ = self._library, checked.flag("build: batch", batch) and self._lanes
        return self

    def batch(self, *inputs: Any, axis: int = 0, threads: int | None = None, out: Any = None, **named: Any) -> Any:
        """Many states at once: arrays (N, …), or (…, N) with `axis=-1`; an input of one state's shape is for all.

        States go side by side in vector lanes and on as many threads as this process may use, or `threads`; very few go
        one by one. Answers go into `out` where it is given: arrays of yours, one an output in their order or by name,
        or what an earlier batch of as many states returned. New memory may cost as much as the arithmetic, the first
        time up to ten times as much.
        """
        lanes = self._opened_lanes[0] if self._opened_lanes and not self._check_finite else None
        call = self._many if lanes is None or lanes.call is None else lanes.call
        found = call(*inputs, axis=axis, threads=threads, out=out, **named)
        if (lanes := self._lanes) is not None and lanes.call is not None and not self._check_finite:
            type(self).batch = lanes.call
        return found

    def _many(self, *inputs: Any, axis: int = 0, threads: int | None = None, out: Any = None, **named: Any) -> Any:
        """The slower way, for arrays that must be converted, or named because they are wrong, and for much work."""
        inputs = in_order(self.name, self.inputs, inputs, named_state(self.name, self.inputs, named))
        given, states = batches.sheets(self.name, self.inputs, inputs, axis)
        if self._check_finite:
            batches.refuse_infinite(self.name, given, states)
        threads, lanes = batches.workers(f"{self.name}.batch", threads), self._lanes
        if out is None:
            arrays, found = batches.empty(self.outputs, states, axis, self._dtype)
        else:
            arrays, found = batches.given_outputs(self.name, self.outputs, out, given, states, axis, self._dtype)
        if lanes is None:
            batches.one_by_one(self._library.entry, given, found, self._dtype)(0, states)
        else:
            run = batches.in_lanes(lanes.entry, given, found, self._dtype)
            batches.spread(run, states, lanes.size, threads)
        batches.counted(arrays, found, axis)
        return arrays[0] if len(arrays) == 1 else self._record_along(axis)(arrays)

    def on(self, device: str) -> DeviceComputation:
        """The same on a GPU, `"cuda"` or `"cuda:1"`: arrays of CuPy, Torch or JAX in, the same kind out."""
        return DeviceComputation(self.solver, device, self._check_finite)

    # ---------------------------------------------------------------- what it is made of

    @property
    def program(self) -> Program:
        """The flat program, traced once."""
        return self.solver.program

    @property
    def operations(self) -> Counter[str]:
        """Arithmetic operations by kind; their sum is the size."""
        return self.program.operations

    @cached_property
    def _readable(self) -> Program:
        """The same with the names of links and quantities beside its values, for emitted files."""
        return self.solver.readable(self.program)

    @cached_property
    def passes(self) -> Passes:
        """What each pass did to the program: instructions, operations, values alive at once, longest chain, parts."""
        return explained(self.solver.recorded())

    def footprint(self) -> Footprint:
        """What emitted C takes function by function: operations by kind, machine instructions, bytes of stack."""
        return footprint(self.program, self.function_name, self.solver.precision)

    def explain(self) -> str:
        """The same in words."""
        lines = [f"{self.name}: {self.program.equation}"]
        for title, ports in (("inputs", self.inputs), ("outputs", self.outputs)):
            lines.append(f"{title}: " + ", ".join(f"{port.name} {port.shape} {port.unit}" for port in ports))
        return "\n".join([*lines, "", str(self.passes)])

    @property
    def defaults(self) -> dict[str, Any]:
        """What is open (`parameters=[…]`) as the robot has it: `f(q, v, a, **f.defaults)` is as if it were not."""
        return {one.name: one.default.copy() if one.default.shape else float(one.default) for one in self.solver.open}

    @property
    def tier(self) -> str:
        """How a call runs: "glued" (arrays handed straight to C), "compiled" (through ctypes), or "interpreted"."""
        return self._library.tier

    @property
    def check_finite(self) -> bool:
        """Whether calls refuse NaN and infinite inputs by name; off unless you set it."""
        return self._check_finite

    @check_finite.setter
    def check_finite(self, on: bool) -> None:
        self._check_finite = on
        type(self).__call__, type(self).batch = Computation.__call__, Computation.batch

    @property
    def function_name(self) -> str:
        """What emitted functions are called: `<robot>_<computation>`."""
        return function_word(self.solver.robot.name, self.name)

    def sources(self, target: str, prefix: str = "") -> dict[str, str]:
        """What `emit` writes: texts by file name."""
        checked.one_of("target", target, tuple(TARGETS))
        checked.name("prefix", prefix, "give the function's name", empty=True)
        program, function = self._readable, prefix or self.function_name
        files = TARGETS[target](program, function, self.solver.precision, trials(program))
        about = provenance(self.name, self.robot, self.options, program)
        return with_provenance(files, {**about, "target": target, "function": function})

    def emit(self, target: str, folder: str | Path, prefix: str = "", *, force: bool = False) -> list[Path]:
        """Write standalone sources; the function is called `<robot>_<computation>` or `prefix`.

        "c" gives a header and a source for one state at a time, "c_simd" the same for many states in vector lanes,
        "cpp" a C++ header, its test and a CMakeLists.txt, "cuda" one file for a GPU, "matlab" functions for MATLAB and
        Octave, "python" a module on NumPy, "maxima" text for Maxima. Each says at its top what it is, for
        `mc.from_file`, and can check itself. A file that answers another question stays, unless `force` is said.
        """
        place, force = checked.path("folder", folder, "give a folder"), checked.flag("emit: force", force)
        return write_emitted({place / file: text for file, text in self.sources(target, prefix).items()}, force=force)

    # ---------------------------------------------------------------- derivatives

    def derivative(
        self,
        of: str | Sequence[str],
        wrt: str | Sequence[str],
        *,
        sparse: bool = False,
        coordinates: Along = "tangent",
    ) -> "Computation":
        """The derivative of outputs with respect to inputs, a computation with outputs d<of>_d<wrt>, (*of, columns).

        Several are a list, or words with blanks or commas between: `derivative("a", "q v")`.
        Column j of a derivative with respect to q is the change per unit of v_j (nv columns); `coordinates="ambient"`
        takes the entries of q themselves (nq). "inertia" are the numbers of all links, ten each (see regressor).
        `sparse` gives what may differ from zero alone; `sparsity` says where. Dynamics has sweeps of its own for this;
        what has none is differentiated instruction by instruction.
        """
        return self.derived("derivative", of, wrt, coordinates, sparse=sparse)

    def jvp(
        self, of: str | Sequence[str], wrt: str | Sequence[str], *, coordinates: Along = "tangent"
    ) -> "Computation":
        """The change of outputs along a change of inputs: inputs, d<wrt> → d<of>."""
        return self.derived("jvp", of, wrt, coordinates)

    def vjp(
        self, of: str | Sequence[str], wrt: str | Sequence[str], *, coordinates: Along = "tangent"
    ) -> "Computation":
        """The gradient of a weighted sum of outputs: inputs, <of>_bar → <wrt>_bar, whatever the number of inputs."""
        return self.derived("vjp", of, wrt, coordinates)

    @property
    def sparsity(self) -> Sparsity:
        """Where the one output may differ from zero, its last axis counting columns."""
        if isinstance(self.solver, Derived):
            return self.solver.sparsity
        if len(self.outputs) != 1:
            raise Error(f"{self.name} has {len(self.outputs)} outputs: ask for one at a time to see where it is zero")
        return Sparsity.of(nonzero(self.program)[0])

    def derived(
        self,
        kind: Kind,
        of: str | Sequence[str],
        wrt: str | Sequence[str],
        coordinates: Along,
        *,
        sparse: bool = False,
    ) -> "Computation":
        """What `derivative`, `jvp` and `vjp` give: by sweeps where they know it, else instruction by instruction."""
        outputs, inputs = ([port.name for port in ports] for ports in (self.outputs, self.inputs))
        of = checked.names(f"{kind}: of", of, f"give outputs: {', '.join(outputs)}", outputs)
        wrt = checked.names(f"{kind}: wrt", wrt, f"give inputs: {', '.join(inputs)}", inputs)
        for what, names in (("of", of), ("wrt", wrt)):
            if not names:
                raise Error(f"{self.name}: {kind}: {what} is empty; name at least one")
            if len({*names}) < len(names):
                raise Error(f"{self.name}: {kind}: {what}={', '.join(names)}; name each once")
        checked.flag(f"{kind}: sparse", sparse)
        checked.one_of(f"{kind}: coordinates", coordinates, get_args(Along))
        return Computation(self.solver.derived(kind, of, wrt, coordinates, sparse=sparse))

    # ---------------------------------------------------------------- calling

    # until Python 3.12 a cached_property lets one thread at a time into all of its kind: builds would wait in a row

    @property
    def _library(self) -> Library:
        if self._opened is None:
            self._opened = open_library(self.solver, self._carefully, self._record)
        return self._opened

    @property
    def _lanes(self) -> Lanes | None:
        if not self._opened_lanes:
            ways = self._many, self._record_along, cleandoc(Computation.batch.__doc__ or "")
            self._opened_lanes = (open_batches(self.solver, self._library, *ways),)
        return self._opened_lanes[0]

    def _carefully(self, *inputs: Any, **named: Any) -> Any:
        """The slower way, for inputs that must be converted, or named because they are wrong."""
        inputs = in_order(self.name, self.inputs, inputs, named_state(self.name, self.inputs, named))
        columns = as_columns(self.name, self.inputs, inputs)
        if self._check_finite:
            refuse_unfit(self.name, self.inputs, columns)
        x = np.concatenate([np.empty(0), *(column[:, 0] for column in columns.values())])
        y = np.empty(self._sizes, self._dtype)
        self._library.entry(x.astype(self._dtype, copy=False), y)
        values, start = list[Any](), 0
        for port in self.outputs:
            values.append(port.as_told(y[start : start + port.size].reshape(port.shape)))
            start += port.size
        return self._result(values)

    def _result(self, values: list[Any]) -> Any:
        return values[0] if len(values) == 1 else self._record(values)


def _again(solver: Source, check_finite: bool) -> Computation:
    """What was pickled or copied."""
    computation = Computation(solver)
    if check_finite:
        computation.check_finite = True
    return computation
